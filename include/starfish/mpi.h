/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solves on several ranks of MPI: a context on a communicator. The library libstarfish_mpi has these functions, beside
 * libstarfish, which does not know MPI.
 *
 * All ranks of the communicator call the same functions of the library in the same order, each with the same problem
 * and options: plans, solves, submissions and waits are collective. Ranks that differ in an option or in a number of
 * the problem get an ARGUMENT error that names it; functions are compared by whether they are given, and layouts of
 * arrays are each rank's own. Fields are distributed to the ranks in runs of z planes, and each rank passes its own
 * planes alone: rhs and solution of a rank with `count` planes are nx*ny*count reals, x faces of boundary data
 * ny*count, y faces nx*count; z faces are whole, and only the ranks with the first and the last plane look at them. A
 * rank without planes passes NULL, and does no more than agree.
 *
 * Norms, residuals and pertrb are those of the whole problem, the same on all ranks. Where a call fails on one rank it
 * fails on all, with the same status and message (which names the rank unless it is rank 0). Times and counts of struct
 * starfish_result are the rank's own.
 *
 * Methods: slab on up to 64 ranks with planes; multigrid of starfish/poisson.h on 2 to 16 with at least 9 each, unless
 * z is periodic or lines smooth along it; blktri and blktri-product in three dimensions on up to 32, which exchange the
 * whole field; starfish/diffusion.h on 2 to 16 with at least 9 planes (in two dimensions rows) each, but for lines
 * along the last direction, and for blocks of incomplete factors that do not end where ranks' planes end;
 * starfish/atmosphere.h on 2 to 16 with enough columns, of a sphere up to 6. All else of these the first rank solves
 * for all: it has memory for the whole problem, arrays are packed and in host memory (else UNSUPPORTED), there are no
 * fields, and a submission returns when the job is solved, as it does with all that iterates. Many problems at once
 * (options.count), ghosts (options.ghosts), fields that are spread and submissions in a stream are refused
 * (UNSUPPORTED) on several ranks.
 *
 * Plans of starfish/multigrid.h and starfish/tridiag.h are each rank's own: every rank solves a whole problem of its
 * own, and nothing is compared, distributed or gathered. A solve of starfish/multigrid.h, or its submission, is
 * collective all the same: where it cannot begin on one rank, it fails on all.
 *
 * Plans of starfish/fem.h have parts of the grids' unknowns on up to 8 ranks, and every rank passes the whole mesh; the
 * solution is whole on every rank that passes an array for it, as the first one must. More ranks have no unknowns.
 *
 * Source: StarPU-MPI (Agullo et al., IEEE TPDS 28 (2017), 1703-1717) moves the data between the ranks' tasks. */
#ifndef STARFISH_MPI_H
#define STARFISH_MPI_H

#include <mpi.h>
#include <starfish/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* starfish_context_create on all ranks of a communicator, which is copied. Collective. MPI must have been initialised
 * by MPI_Init_thread with MPI_THREAD_MULTIPLE: a thread of StarPU-MPI's sends and receives. Ranks of one node that may
 * use the same cores share them; ranks that their launcher has bound keep theirs. GPUs of a node are shared likewise,
 * unless CUDA_VISIBLE_DEVICES or STARPU_WORKERS_CUDAID says which. One such context at a time in a process, ended by
 * starfish_context_destroy, on all ranks and before MPI_Finalize. Its plans and jobs are used by one thread of a rank
 * at a time, in the same order on all ranks. Errors: those of starfish_context_create, ARGUMENT (context is NULL),
 * RUNTIME (MPI). */
STARFISH_API starfish_status starfish_mpi_context_create(starfish_context **context, MPI_Comm communicator,
                                                         const struct starfish_context_options *options);

/* The same for languages that have no MPI_Comm of C: `communicator` as MPI_Comm_c2f makes it, which Fortran calls a
 * communicator's integer (of the module mpi_f08: comm%MPI_VAL) and mpi4py comm.py2f(). */
STARFISH_API starfish_status starfish_mpi_context_create_f(starfish_context **context, int communicator,
                                                           const struct starfish_context_options *options);

/* Rank and number of ranks; 0 and 1 of a context that is on no communicator. Errors: ARGUMENT (NULL). Any thread. */
STARFISH_API starfish_status starfish_mpi_rank(const starfish_context *context, int *rank, int *ranks);

/* How `n` planes are distributed to ranks where options.planes of a plan does not say otherwise: the first one of
 * `rank`, and how many it has, which is 0 where there are more ranks than planes. Errors: ARGUMENT (no such rank). Any
 * thread. */
STARFISH_API starfish_status starfish_mpi_planes(const starfish_context *context, size_t n, int rank, size_t *first,
                                                 size_t *count);

#ifdef __cplusplus
}
#endif

#endif
