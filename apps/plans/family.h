/* Families of problems: what a library's solver for some kinds of problem files must offer so that solve, sched and
 * trace can use it. A family is one file, NAME_family.c, with a row of functions, and a line for each of its kinds in
 * the table of problem.c. All else, files, workers, repetitions, streams, outputs and what is printed, knows no family
 * by name. */
#ifndef STARFISH_APPS_PLANS_FAMILY_H
#define STARFISH_APPS_PLANS_FAMILY_H

#include "apps/plans/problem.h"

struct problem_family {
    /* The problem has been read and run->library set from the command line: can it be solved so, and in which
     * precision? Sets run->precision. Errors: ARGUMENT, UNSUPPORTED. */
    starfish_status (*choose)(struct problem_run *run);
    /* The family's own arrays, and boundary data, once the precision is known; NULL: there are none. */
    starfish_status (*prepare)(struct problem_run *run);
    /* run->plan in run->context, which checks the residual if asked for; and run->about. `run->options.cycles` > 0:
     * exactly so many steps, and no residual is looked at. */
    starfish_status (*create)(struct problem_run *run, int check);
    /* NULL is allowed. */
    void (*destroy)(void *plan);
    /* Submit run->problem.rhs to `solution`; then wait for the job, which fills run->result but for its status, also
     * where it ends with NUMERICAL. */
    starfish_status (*submit)(struct problem_run *run, void *solution, void **job);
    starfish_status (*wait)(struct problem_run *run, void *job);
    void (*progress)(const void *job, size_t *finished, size_t *total);
    /* run->field, right-hand side and solution, as run->plan works on them where they live; and a solve between them.
     * NULL: plans know host memory alone. */
    starfish_status (*make_fields)(struct problem_run *run);
    starfish_status (*submit_fields)(struct problem_run *run, void **job);
    /* Memory that run->plan takes; NULL: it does not tell. */
    starfish_status (*memory)(const struct problem_run *run, struct starfish_memory *memory);
    int one_team; /* on cores alone, problems in 3D too are solved by all of them as one worker */
};

/* The last is that of kinds that need none of their own (any_family.c). */
extern const struct problem_family problem_poisson_family, problem_diffusion_family, problem_atmosphere_family,
    problem_any_family;

/* ---- Of all whose run->plan is one of the library's (any_family.c) ----------------------------------------------- */

/* With the options that the command line means for any kind, of those that this one has. */
starfish_status problem_any_create(struct problem_run *run, int check);
void problem_any_destroy(void *plan);
starfish_status problem_any_submit(struct problem_run *run, void *solution, void **job);
void problem_any_progress(const void *job, size_t *finished, size_t *total);
starfish_status problem_any_memory(const struct problem_run *run, struct starfish_memory *memory);
/* The tolerance that was asked for, or the default. */
double problem_any_tolerance(const struct problem_run *run);

#endif
