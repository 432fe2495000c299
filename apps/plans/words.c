/* Options whose meaning depends on the kind of problem. */
#include "apps/plans/words.h"

#include "base/status.h"

/* Sizes that may be 0 leave the choice to the library so, which is not to be said. */
static starfish_status set_word(const struct starfish_option *found, void *library, const char *word)
{
    struct starfish_option row = *found;

    if (row.type == STARFISH_OPTION_SIZE && row.least < 1)
        row.least = 1;
    return starfish_option_set(&row, library, word);
}

starfish_status problem_words_set(const struct problem_words *words, const char *kind,
                                  const struct starfish_option_table *table, void *library)
{
    const struct {
        const char *flag, *word;
    } given[PROBLEM_WORDS] = {{"--method", words->method},
                              {"--slabs", words->slabs},
                              {"--sharing", words->sharing},
                              {"--parts", words->parts},
                              {"--tolerance", words->tolerance},
                              {"--max-iterations", words->iterations},
                              {"--preconditioner", words->preconditioner},
                              {"--deflation", words->deflation},
                              {"--vectors", words->vectors},
                              {"--levels", words->levels},
                              {"--coarse-sweeps", words->coarse_sweeps},
                              {"--smoothing-steps", words->smoothing_steps},
                              {"--boxes", words->boxes},
                              {"--algorithm", words->algorithm},
                              {"--split", words->split},
                              {"--radix", words->radix}};

    for (int i = 0; i < PROBLEM_WORDS; i++) {
        const struct starfish_option *row = starfish_option_of_flag(table, given[i].flag);
        if (!given[i].word)
            continue;
        if (!row)
            return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s: is not for problems of kind %s", given[i].flag, kind);
        STARFISH_TRY(set_word(row, library, given[i].word));
    }
    return STARFISH_SUCCESS;
}
