/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solves on several MPI ranks: a context on a communicator. The library libstarfish_mpi provides these functions;
 * libstarfish itself does not depend on MPI.
 *
 * All ranks of the communicator must call the same functions in the same order, with the same problem and options:
 * plans, solves, submissions and waits are collective. If ranks differ in an option or in a number of the problem, all
 * get an ARGUMENT error that names it. For callback functions only presence is compared; array layouts may differ
 * between ranks. Fields are distributed in runs of z planes, and each rank passes only its own planes. On a rank with
 * `count` planes, rhs and solution have nx*ny*count reals, x faces of boundary data ny*count, y faces nx*count. z faces
 * are whole; only the ranks with the first and the last plane read them. A rank without planes passes NULL and only
 * takes part in the collective calls.
 *
 * Norms, residuals and pertrb refer to the whole problem and are equal on all ranks. If a call fails on one rank it
 * fails on all, with the same status and message. The message names the rank unless it is rank 0. Times and counts in
 * struct starfish_result are per rank.
 *
 * Methods that run on several ranks:
 *   slab                     up to 64 ranks with planes
 *   multigrid (poisson.h)    2 to 16 ranks with at least 9 planes each, unless z is periodic or lines smooth along it
 *   blktri, blktri-product   up to 32 ranks in three dimensions; they exchange the whole field
 *   diffusion.h              2 to 16 ranks with at least 9 planes (in 2D rows) each; not with lines along the last
 *                            direction, nor with incomplete factor blocks that cross the ranks' boundaries
 *   atmosphere.h             2 to 16 ranks with enough columns; up to 6 for a sphere
 * For all other cases of these headers the first rank solves for all ranks. It needs memory for the whole problem.
 * Arrays must then be packed and in host memory (otherwise UNSUPPORTED), there are no fields, and a submission returns
 * when the job is solved. Submissions of iterative methods always do. Several ranks do not support many problems at
 * once (options.count), ghosts (options.ghosts), distributed fields, and submissions in a stream (UNSUPPORTED).
 *
 * Plans of starfish/multigrid.h and starfish/tridiag.h are local to a rank: every rank solves a whole problem of its
 * own, and nothing is compared, distributed or gathered. A solve with starfish/multigrid.h, or its submission, is still
 * collective: if it cannot start on one rank, it fails on all.
 *
 * Plans of starfish/fem.h distribute the unknowns of large grids over up to 8 ranks; other ranks own none. Every
 * rank passes the whole mesh. Every rank that passes an array receives the whole solution; the first rank must pass
 * one.
 *
 * Source: StarPU-MPI (Agullo et al., IEEE TPDS 28 (2017), 1703-1717) transfers the data between the ranks' tasks. */
#ifndef STARFISH_MPI_H
#define STARFISH_MPI_H

#include <mpi.h>
#include <starfish/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As starfish_context_create, on all ranks of a communicator, which is duplicated. Collective. Initialise MPI by
 * MPI_Init_thread with MPI_THREAD_MULTIPLE first, since a StarPU-MPI thread sends and receives. Ranks of one node that
 * may use the same cores divide them; ranks bound by their launcher keep their cores. GPUs of a node are divided
 * likewise, unless CUDA_VISIBLE_DEVICES or STARPU_WORKERS_CUDAID selects them. A process may have one such context at a
 * time. Destroy it by starfish_context_destroy on all ranks, before MPI_Finalize. On each rank, one thread at a time
 * may use its plans and jobs, in the same order on all ranks. Errors: those of starfish_context_create, ARGUMENT
 * (context is NULL), RUNTIME (MPI). */
STARFISH_API starfish_status starfish_mpi_context_create(starfish_context **context, MPI_Comm communicator,
                                                         const struct starfish_context_options *options);

/* As starfish_mpi_context_create, for languages without C's MPI_Comm. `communicator` is the result of MPI_Comm_c2f: the
 * integer communicator of Fortran (comm%MPI_VAL in the module mpi_f08), or comm.py2f() of mpi4py. */
STARFISH_API starfish_status starfish_mpi_context_create_f(starfish_context **context, int communicator,
                                                           const struct starfish_context_options *options);

/* Returns rank and number of ranks; 0 and 1 for a context without a communicator. Thread-safe. Errors: ARGUMENT
 * (NULL). */
STARFISH_API starfish_status starfish_mpi_rank(const starfish_context *context, int *rank, int *ranks);

/* Returns the default distribution of `n` planes, used if a plan does not set options.planes: the first plane of `rank`
 * and its number of planes. The number may be 0 if there are more ranks than planes. Thread-safe. Errors: ARGUMENT (no
 * such rank). */
STARFISH_API starfish_status starfish_mpi_planes(const starfish_context *context, size_t n, int rank, size_t *first,
                                                 size_t *count);

#ifdef __cplusplus
}
#endif

#endif
