/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solves on one rank for all ranks: the first rank collects all planes, solves in a separate context with its own
 * workers, and distributes the planes of the solution. For methods that do not run on parts of a field. The other ranks
 * wait without using a core.
 *
 * The first rank needs memory for two whole fields and transfers both through its link; the workers of other ranks are
 * idle. All functions are collective unless they say otherwise. */
#ifndef STARFISH_SCHEDULER_RUNTIME_GATHERED_H
#define STARFISH_SCHEDULER_RUNTIME_GATHERED_H

#include "base/real.h"
#include "scheduler/runtime/ranks.h"
#include <starfish/poisson.h>

struct starfish_gathered {
    struct starfish_context *context; /* that the ranks share */
    struct starfish_context *alone;   /* of the first rank; NULL on the others */
    size_t *planes;                   /* of each rank, */
    size_t all;                       /* together, */
    size_t *bytes;                    /* and those of the last call, of each rank */
    void *array[2];                   /* the whole right-hand side and solution, on the first rank */
    size_t array_bytes;
};

/* `planes`: this rank's. Errors: MEMORY, those of starfish_context_create. */
starfish_status starfish_gathered_create(struct starfish_gathered **gathered, struct starfish_context *context,
                                         size_t planes);
/* Not collective. NULL is allowed. */
void starfish_gathered_destroy(struct starfish_gathered *gathered);

/* Planes of `plane_bytes` each, of all ranks, to the first one. `own` may be NULL where there are no planes. */
starfish_status starfish_gathered_collect(const struct starfish_gathered *gathered, const void *own, size_t plane_bytes,
                                          void *whole);
/* Boundary data of a field with n[d] unknowns per direction, cut into planes of direction `slowest`: on the first rank
 * *whole is of all planes, constants or arrays that starfish_gathered_free_boundary frees, on others zero. `own` may be
 * NULL on all ranks. Errors: ARGUMENT (an array on some ranks alone; in device memory), MEMORY. */
starfish_status starfish_gathered_boundary(const struct starfish_gathered *gathered, const size_t n[3], int slowest,
                                           starfish_precision precision, const struct starfish_boundary *own,
                                           struct starfish_boundary *whole);
void starfish_gathered_free_boundary(struct starfish_boundary *whole);

/* A solve: `solve` is called on the first rank alone, with whole fields in host memory; `told` are results that are
 * then broadcast to all ranks. The solution is distributed if `solve` returns SUCCESS or NUMERICAL. */
struct starfish_gathered_solve {
    const void *rhs; /* this rank's planes, in host memory */
    void *solution;
    size_t plane_bytes;
    starfish_status (*solve)(void *self, const void *rhs, void *solution);
    void *self;
    void *told;
    size_t told_bytes;
};
/* Errors: those of `solve`, on all ranks; ARGUMENT (NULL), UNSUPPORTED (arrays in device memory), MEMORY, RUNTIME. */
starfish_status starfish_gathered_solve(struct starfish_gathered *gathered,
                                        const struct starfish_gathered_solve *request);

#endif
