/* Options whose meaning depends on the kind of problem: words of the command line, kept until the problem has been
 * read, and then set by the option table of its family. */
#ifndef STARFISH_APPS_PLANS_WORDS_H
#define STARFISH_APPS_PLANS_WORDS_H

#include "apps/options.h"
#include "solver/kinds.h"

enum { PROBLEM_WORDS = 16 };

/* Flags, and what follows them; NULL: not given. */
struct problem_words {
    const char *method, *slabs, *sharing, *parts, *tolerance, *iterations, *preconditioner, *deflation, *vectors;
    const char *levels, *coarse_sweeps, *smoothing_steps, *boxes, *algorithm, *split, *radix;
};

/* For tables of options. given: const char ** or NULL (apps/options.h). */
#define PROBLEM_WORD(flag, target, argument_, given_)                                                                  \
    {                                                                                                                  \
        (flag), OPTION_WORD, (target), (argument_), .kinds = starfish_kinds, .given = (given_)                         \
    }
#define PROBLEM_SLABS(words) PROBLEM_WORD("--slabs", &(words)->slabs, "N", NULL)
#define PROBLEM_SHARING(words, given)                                                                                  \
    PROBLEM_WORD("--sharing", &(words)->sharing, "S", given), PROBLEM_WORD("--parts", &(words)->parts, "N", given)
#define PROBLEM_BOXES(words, given) PROBLEM_WORD("--boxes", &(words)->boxes, "N", given)
#define PROBLEM_METHOD(words, given) PROBLEM_WORD("--method", &(words)->method, "M", given)
#define PROBLEM_ITERATION(words, given)                                                                                \
    PROBLEM_WORD("--tolerance", &(words)->tolerance, "T", given),                                                      \
        PROBLEM_WORD("--max-iterations", &(words)->iterations, "N", given),                                            \
        PROBLEM_WORD("--preconditioner", &(words)->preconditioner, "P", given),                                        \
        PROBLEM_WORD("--deflation", &(words)->deflation, "D", given),                                                  \
        PROBLEM_WORD("--vectors", &(words)->vectors, "D", given)
/* Of block cyclic reduction. */
#define PROBLEM_REDUCTION(words, given)                                                                                \
    PROBLEM_WORD("--split", &(words)->split, "N", given), PROBLEM_WORD("--radix", &(words)->radix, "N", given)
#define PROBLEM_ALGORITHM(words) PROBLEM_WORD("--algorithm", &(words)->algorithm, "A", NULL)
#define PROBLEM_GRIDS(words)                                                                                           \
    PROBLEM_WORD("--levels", &(words)->levels, "N", NULL),                                                             \
        PROBLEM_WORD("--coarse-sweeps", &(words)->coarse_sweeps, "N", NULL),                                           \
        PROBLEM_WORD("--smoothing-steps", &(words)->smoothing_steps, "N", NULL)

/* Set what was given in *library, a struct of the table, of problems of a kind. Errors: ARGUMENT (a value that is none;
 * an option that this kind does not have). */
starfish_status problem_words_set(const struct problem_words *words, const char *kind,
                                  const struct starfish_option_table *table, void *library);

#endif
