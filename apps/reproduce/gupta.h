/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Declarations shared by the files of `reproduce gupta-...`: the run, its places (one core, one GPU), and the tasks of
 * recorded solves. */
#ifndef STARFISH_APPS_REPRODUCE_GUPTA_H
#define STARFISH_APPS_REPRODUCE_GUPTA_H

#include "apps/command.h"
#include "apps/plans/diffusion_run.h"
#include "apps/reproduce/reproduce.h"
#include "scheduler/lab/record.h"

enum { PAPER_N = 512, PLACES = 2, PRECISIONS = 3, PHASE_METHODS = 6 };

struct gupta {
    struct bench bench; /* first */
    size_t n;
    const char *precision;
    starfish_status (*measure)(struct gupta *g);
    struct starfish_result known[PHASE_METHODS][PRECISIONS]; /* of two phases, by the GPU; else all zero */
};

extern const char *const gupta_places[PLACES]; /* one core, one GPU */
int gupta_places_here(const struct gupta *g);
/* Call `measure` in a context with the workers of each place that this machine has, a GPU first. */
starfish_status gupta_at_all_places(struct gupta *g,
                                    starfish_status (*measure)(struct gupta *g, int place, starfish_context *context));
/* The paper's number at its size, else NaN. */
double gupta_if_paper(const struct gupta *g, double number);

/* ---- Tasks of a solve (gupta_counts.c) --------------------------------------------------------------------------- */

enum { GUPTA_DPCG2 = 5, GUPTA_DIPCG2 = 6, GUPTA_LENGTHS = 2 };

/* Two recorded solves of different length, in f64. Their difference is what steps do. */
struct gupta_solves {
    int version;
    int separate; /* a task for each operation, and the dense inverse of E, as the paper has it */
    struct starfish_record *record[GUPTA_LENGTHS];
};
/* What tasks took: how many, seconds, operations and words (8 bytes) read and written by the kernels' formulas. */
struct gupta_tasks {
    double count, seconds, operations, words;
};
/* Free with gupta_forget also after a failure. */
starfish_status gupta_record(const struct gupta *g, const struct diffusion_case *given, starfish_context *context,
                             struct gupta_solves *solves);
void gupta_forget(struct gupta_solves *solves);
/* The tasks of that name or codelet in one step; NULL: all. */
struct gupta_tasks gupta_of_step(const struct gupta_solves *solves, const char *name);

starfish_status gupta_count_kernels(struct gupta *g);        /* table 2 */
starfish_status gupta_count_launches(struct gupta *g);       /* table 3 */
starfish_status gupta_list_characteristics(struct gupta *g); /* table 4 */
starfish_status gupta_measure_shares(struct gupta *g);       /* table 5 */

#endif
