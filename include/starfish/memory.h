/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What plans take of memory: struct starfish_memory (starfish/solve.h), before they are made, by the arguments of
 * their creation, and after. Plans of starfish/poisson.h have their functions there, and those of starfish/fem.h none.
 *
 * A plan whose gpu_least is more than gpu_there is not made (MEMORY, with the bytes); a batch of lines is then the
 * cores', where there are any. All are thread-safe; those before creation have its errors, and ARGUMENT where `memory`
 * is NULL. */
#ifndef STARFISH_MEMORY_H
#define STARFISH_MEMORY_H

#include <starfish/atmosphere.h>
#include <starfish/diffusion.h>
#include <starfish/multigrid.h>
#include <starfish/poisson.h>
#include <starfish/tridiag.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of multigrid for Q1 elements: coarsens the problem, and makes no matrix. */
STARFISH_API starfish_status starfish_q1_memory(starfish_context *context, const struct starfish_q1_problem *problem,
                                                const struct starfish_multigrid_options *options,
                                                struct starfish_memory *memory);
/* Of multigrid for seven-point differences: coarsens the problem, and makes no matrix but those of
 * STARFISH_SMOOTHER_PLANE. */
STARFISH_API starfish_status starfish_stencil_memory(starfish_context *context,
                                                     const struct starfish_stencil_problem *problem,
                                                     const struct starfish_multigrid_options *options,
                                                     struct starfish_memory *memory);

/* Of diffusion: assembles the couplings of all cells, in main memory, and coarsens them. The fallback for solves that
 * stagnate (vectors, and a hierarchy in the precision of the solution) is in main_bytes and gpu_data. */
STARFISH_API starfish_status starfish_diffusion_memory(starfish_context *context,
                                                       const struct starfish_diffusion_problem *problem,
                                                       const struct starfish_diffusion_options *options,
                                                       struct starfish_memory *memory);

/* Of flat domains: coarsens the problem; volumes of columns take main memory during the call. */
STARFISH_API starfish_status starfish_atmosphere_memory(starfish_context *context,
                                                        const struct starfish_atmosphere_problem *problem,
                                                        const struct starfish_atmosphere_options *options,
                                                        struct starfish_memory *memory);

/* Of batches of lines: reads no coefficient, and allocates next to nothing. */
STARFISH_API starfish_status starfish_tridiag_memory(starfish_context *context,
                                                     const struct starfish_tridiag_problem *problem,
                                                     const struct starfish_tridiag_options *options,
                                                     struct starfish_memory *memory);

#ifdef __cplusplus
}
#endif

#endif
