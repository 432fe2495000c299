/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finite element plans on several ranks. Every rank has the whole mesh and numbers all unknowns identically. The larger
 * grids are cut into runs of unknowns, which are distributed to ranks; a rank assembles and stores only the rows of its
 * own runs. On a single rank these functions need no agreement and no sums. All functions are collective. */
#ifndef STARFISH_FEM_RANKS_H
#define STARFISH_FEM_RANKS_H

#include "fem/plan.h"

/* Parts for the ranks' GPUs, else for their cores, the ranks in order; as many as options.parts says, 0: one for each
 * GPU or worker of cores, or where these are too many for each rank. */
struct starfish_fem_deal {
    size_t parts;
    struct starfish_owner owner[STARFISH_FEM_MOST_PARTS];
    int has_gpus; /* some rank */
};
starfish_status starfish_fem_deal(const struct starfish_context *context, size_t asked, struct starfish_fem_deal *deal);

/* For distributed unknowns: sums over all ranks, the same on all. */
starfish_status starfish_fem_sum(const struct starfish_fem_plan *plan, double *values, size_t count);
/* Means over the floating components, *mean by component, NULL where there are none: the sum of term(data, i) over the
 * component's unknowns i, divided by that of their volumes. The caller frees *mean. Errors: MEMORY, RUNTIME. */
starfish_status starfish_fem_means(const struct starfish_fem_plan *plan, double (*term)(const void *data, size_t i),
                                   const void *data, double **mean);
/* The unknowns of all ranks, of which `own` is an array of all with this rank's in place: *all is a new array on the
 * first rank, and where others want it (`wanted`) on these too, else NULL. The caller frees it. */
starfish_status starfish_fem_bring_together(const struct starfish_fem_plan *plan, const void *own, int wanted,
                                            void **all);

#endif
