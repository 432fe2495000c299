/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory use of plans before their creation, from the same arguments: struct starfish_memory (starfish/solve.h). For
 * existing plans there is starfish_plan_memory. The functions for starfish/poisson.h are declared there; starfish/fem.h
 * has none.
 *
 * A plan whose gpu_least exceeds gpu_there is not created (MEMORY; the message states the bytes). A batch of lines then
 * runs on the cores, if there are any. All functions are thread-safe and return the errors of the plan's creation, and
 * ARGUMENT if `memory` is NULL. */
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

/* Multigrid for Q1 elements: coarsens the problem; assembles no matrix. */
STARFISH_API starfish_status starfish_q1_memory(starfish_context *context, const struct starfish_q1_problem *problem,
                                                const struct starfish_multigrid_options *options,
                                                struct starfish_memory *memory);
/* Multigrid for seven-point differences: coarsens the problem; assembles no matrix but those of
 * STARFISH_SMOOTHER_PLANE. */
STARFISH_API starfish_status starfish_stencil_memory(starfish_context *context,
                                                     const struct starfish_stencil_problem *problem,
                                                     const struct starfish_multigrid_options *options,
                                                     struct starfish_memory *memory);

/* Diffusion: assembles the couplings of all cells in main memory and coarsens them. main_bytes and gpu_data include the
 * fallback for solves that stagnate (vectors, and a hierarchy in the precision of the solution). */
STARFISH_API starfish_status starfish_diffusion_memory(starfish_context *context,
                                                       const struct starfish_diffusion_problem *problem,
                                                       const struct starfish_diffusion_options *options,
                                                       struct starfish_memory *memory);

/* Flat domains: coarsens the problem; the volumes of columns take main memory during the call. */
STARFISH_API starfish_status starfish_atmosphere_memory(starfish_context *context,
                                                        const struct starfish_atmosphere_problem *problem,
                                                        const struct starfish_atmosphere_options *options,
                                                        struct starfish_memory *memory);

/* Batches of lines: reads no coefficients and allocates almost nothing. */
STARFISH_API starfish_status starfish_tridiag_memory(starfish_context *context,
                                                     const struct starfish_tridiag_problem *problem,
                                                     const struct starfish_tridiag_options *options,
                                                     struct starfish_memory *memory);

#ifdef __cplusplus
}
#endif

#endif
