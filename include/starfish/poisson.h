/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solvers, direct and by multigrid, for separable elliptic problems: (Lx + Ly + Lz + lambda) u = f on a box in 3D, and
 * FISHPACK's BLKTRI problem in 2D, real or complex.
 *
 * Second-order differences, with the sign convention u_xx + u_yy + u_zz + lambda u = f. Grids and boundary data:
 *   periodic        h = length/n, nodes at origin + i h
 *   STARFISH_CELL   h = length/n, unknowns at origin + (i+1/2) h
 *   STARFISH_NODE   an end with Neumann data is itself an unknown, an end with Dirichlet data is not:
 *                   h = length/(n+1) for two Dirichlet ends, length/n for one, length/(n-1) for none
 * Neumann data is the derivative along the axis, not along the outward normal, at both ends.
 *
 * Singular problems (all ends Neumann or periodic, lambda = 0): the weighted mean of f is removed and reported as
 * `pertrb`, as in FISHPACK, and the solution has weighted mean zero.
 *
 * Methods
 *   slab            Transform in x; in y a transform, or a change of basis to the operator's eigenvectors; tridiagonal
 *                   systems in z, cut at the slabs' boundaries. Needs a y that has a transform (uniform, or constant
 *                   coefficients), or that a diagonal scaling makes symmetric: lower[k]*upper[k-1] > 0, or both zero.
 *                   z may be any tridiagonal operator.
 *   blktri          Transform in x, block cyclic reduction in (y, z) in partial-fraction form (Sweet, SIAM J. Sci.
 *                   Stat. Comput. 9 (1988), 761-765; Gallopoulos and Saad, Parallel Comput. 10 (1989), 143-159). Needs
 *                   a z operator with lower[k]*upper[k-1] >= 0; y may be any tridiagonal operator. Where z is far from
 *                   symmetric (coupled one way, or scaled by more than 1e6 to be symmetric), the plan takes the product
 *                   form.
 *   blktri-product  The same in product form (Swarztrauber, SIAM J. Numer. Anal. 11 (1974), 1136-1150; Valero-Lara,
 *                   Pinelli, Prieto-Matias, Comput. Phys. Commun. 185 (2014), 1265-1272), which loses digits on
 *                   stretched grids.
 *                   Both refuse (UNSUPPORTED) a y so much thinner than the other directions that they would lose all
 *                   digits.
 *   multigrid       Conjugate gradients preconditioned by multigrid (starfish/multigrid.h), to a tolerance; never
 *                   chosen by `auto`. Needs every direction to be symmetric up to a positive scaling, and the operator
 *                   definite: rows whose off-diagonal entries have all one sign, and that sum to nothing of that sign,
 *                   lambda included. x may be stretched or have a matrix, too. Iterates in a thread
 *                   of the library's own, one solve of a plan at a time. Not for complex lines, nor for singular
 *                   problems in complex numbers. Steps of refinement have no effect. */
#ifndef STARFISH_POISSON_H
#define STARFISH_POISSON_H

#include <starfish/context.h>
#include <starfish/field.h>
#include <starfish/solve.h>
#include <starfish/tridiag.h>
#include <starfish/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a cudaStream_t points to. */
struct CUstream_st;

/* Boundary condition at one end of a direction. */
typedef enum starfish_end {
    STARFISH_PERIODIC,  /* the ends are joined; both ends of a direction or neither */
    STARFISH_DIRICHLET, /* u is given */
    STARFISH_NEUMANN    /* du/dx is given, along the axis */
} starfish_end;
/* Where unknowns are, between the ends of a direction. */
typedef enum starfish_grid {
    STARFISH_NODE, /* on nodes; ends are nodes */
    STARFISH_CELL  /* in the centres of cells; ends are faces */
} starfish_grid;
/* How a direction is described: members of struct starfish_axis that count. */
typedef enum starfish_axis_kind {
    STARFISH_UNIFORM,    /* n, origin, length, ends, grid */
    STARFISH_STRETCHED,  /* n, ends (not periodic), grid, coordinates: NODE: the n unknowns plus the Dirichlet ends,
                            CELL: the n+1 faces; increasing */
    STARFISH_TRIDIAGONAL /* n, lower, diag, upper, periodic: row k is lower[k] u(k-1) + diag[k] u(k) + upper[k] u(k+1);
                            lower[0] and upper[n-1] couple the ends when periodic and are ignored otherwise */
} starfish_axis_kind;

/* One direction. Arrays are read during plan creation only. */
struct starfish_axis {
    starfish_axis_kind kind; /* which members count */
    size_t n;                /* unknowns */
    double origin;           /* UNIFORM: coordinate of the low end; solutions do not depend on it */
    double length;           /* UNIFORM: from the low end to the high one; positive */
    double robin[2];         /* of ends of grids, low and high; must be 0: Robin ends are not there yet (UNSUPPORTED) */
    starfish_end ends[2];    /* low, high; not of TRIDIAGONAL */
    starfish_grid grid;      /* not of TRIDIAGONAL */
    const double *coordinates;          /* STRETCHED */
    size_t coordinate_count;            /* length of `coordinates` */
    const double *lower, *diag, *upper; /* TRIDIAGONAL: the bands, n each */
    int periodic;                       /* TRIDIAGONAL: the first and the last unknown are coupled */
    int complex_line; /* lower, diag and upper are pairs (real part, imaginary part) of doubles, n each; TRIDIAGONAL,
                         and only as x of starfish_separable2d_plan_create */
};

/* (Lx + Ly + Lz + lambda) u = f. axis[0] is x, which is uniform but for method multigrid; axis[1] is y, axis[2] z. */
struct starfish_poisson_problem {
    size_t size;                  /* sizeof(struct starfish_poisson_problem), or 0: that of the first release */
    struct starfish_axis axis[3]; /* x, y, z */
    double lambda;                /* any finite number */
};

/* How a problem is solved; the methods are described above. */
typedef enum starfish_method {
    STARFISH_METHOD_AUTO,           /* the direct method of least estimated cost */
    STARFISH_METHOD_SLAB,           /* transforms, and tridiagonal systems in z */
    STARFISH_METHOD_BLKTRI,         /* block cyclic reduction by partial fractions */
    STARFISH_METHOD_BLKTRI_PRODUCT, /* block cyclic reduction in product form */
    STARFISH_METHOD_MULTIGRID       /* conjugate gradients preconditioned by multigrid */
} starfish_method;

/* Where the unknowns lie in an array that has room for more, such as halos. All four are distances in unknowns (a
 * complex number is one). 0 stands for a packed array: offset 0, a
 * row of nx, a plane of ny rows, a problem of nz planes. A row must be at least nx, a plane at least ny rows, a problem
 * at least nz planes, and each below 2^32. In two dimensions rows are along x, and there is no plane. What lies between
 * the unknowns is neither read nor written. */
struct starfish_array_layout {
    size_t offset;  /* from the pointer to unknown (0,0,0) */
    size_t row;     /* from one row, which is along x, to the next */
    size_t plane;   /* from one plane to the next */
    size_t problem; /* from one problem to the next */
};

/* How a plan is made and solves. */
struct starfish_poisson_options {
    /* sizeof(struct starfish_poisson_options); the initialiser sets it. A smaller one, of a program that was
     * compiled with an older header, is accepted: members that it does not have take their defaults. */
    size_t size;
    starfish_method method;       /* AUTO: chosen from the problem and the workers */
    starfish_precision precision; /* of right-hand sides, solutions and boundary data */
    /* Runs of z-planes, at most 64 (slab) or 32 (blktri); of equal size, for any worker. 0: chosen from the workers,
     * and for slab from where the data are. multigrid makes fewer where it cannot have as many: 16 at most, one where
     * there is a GPU, and one of a grid that is a single task. */
    size_t slabs;
    /* At most 32. blktri: runs of x modes. slab: runs of y modes, each with a reduced system of its own. 0: chosen. */
    size_t mode_blocks;
    /* Also compute the residual, one more pass over the field, and return NUMERICAL where the solution cannot be called
     * right (below). */
    int check_residual;
    /* Steps of iterative refinement at most, each a solve and two residuals more: 0..10. A step that does not make the
     * solution better is taken back. -1: as many as the problem may need, by its condition and the scaling of its rows
     * and directions (docs/reliability.md has the table); none for ordinary boxes. */
    int refinements;
    /* How many right-hand sides the plan will be used for, as far as is known; 0: many. AUTO weighs preparing against
     * solving by it. */
    size_t right_hand_sides;
    /* blktri-product: how GPUs solve tridiagonal systems: AUTO, THOMAS, CR, PCR or CR_PCR, of which all but THOMAS keep
     * a line in shared memory, where it must fit (some thousands of unknowns in y). */
    starfish_algorithm algorithm;
    /* blktri, with GPUs and cores: the `split` levels next to the root, whose tasks are narrow, are for cores, and all
     * others for GPUs; -1: as the scheduler's performance models have it. */
    int split;
    /* blktri by partial fractions: how many parts a block of rows is cut into, 2 or 4; 0: chosen. The solution is the
     * same to rounding errors. 4 takes half as many tridiagonal solves, on half as many levels. */
    int radix;
    /* starfish_separable2d_plan_create: right-hand sides and solutions are pairs (real part, imaginary part) of reals.
     * Where x.complex_line is set they always are. */
    int complex_rhs;
    /* multigrid: until the residual's Euclidean norm, each equation times its unknown's volume, is at most `tolerance`
     * times that of the right-hand side; 0: 1e-10 (F64) or 1e-6 (F32), or n^2 units of rounding, n the longest
     * direction, where that is more. */
    double tolerance;
    int mixed; /* multigrid in F64: cycles in f32 */
    /* Problems that a solve is of, on the same grid and with right-hand sides and boundary data of their own; 0: one.
     * Their arrays lie one behind the other, `problem` of the layout apart, and so do the arrays of each face. Method
     * slab alone, for which they are one larger set of planes and lines: that is for many small problems, and each is
     * done by one worker, a core or a GPU. `slabs` are then groups of problems. Of the result, pertrb is the
     * largest in magnitude (all of them: starfish_poisson_tell_pertrb), and residual the largest of the problems'. */
    size_t count;
    /* Of the arrays that are given to starfish_plan_solve and to submissions; fields (starfish_poisson_field) are
     * packed. Method slab reads and writes rows where they lie, and keeps modes of its own, a field once more for each
     * of two solves at a time, where the solution is not packed. Other methods, and the check of the residual and
     * refinement, work on packed copies in memory of the runtime's. */
    struct starfish_array_layout rhs_layout;
    struct starfish_array_layout solution_layout; /* of solutions, likewise */
    /* Also fill the layer of ghosts around the solution, for which its layout must have room: before the first and
     * behind the last unknown of every direction. They are what the discretisation has there: the unknown at the other
     * end (periodic); 2 g - u at a face with Dirichlet data g, and g itself beyond a NODE's end; u - h g (low end) and
     * u + h g with Neumann data on a CELL's face, u' - 2 h g and u' + 2 h g beyond a NODE, u' being the unknown next to
     * the end's. Those beyond TRIDIAGONAL ends are left as they are, but for periodic ones. Edges and corners are
     * filled, too, in the order x, y, z from what is there by then, with the face's data at the nearest unknown. Not
     * for fields nor in two dimensions. Of an array in host memory they take a core: UNSUPPORTED without. */
    int ghosts;
    /* Also look whether right-hand side and boundary data are finite, one more pass over them: waiting for the job is
     * then an ARGUMENT error that names the first value that is not. */
    int check_data;
    starfish_sharing sharing; /* of multigrid's fine grids (types.h) */
    size_t parts;             /* as of struct starfish_multigrid_options */
    /* Of a context on several ranks (starfish/mpi.h): how many z planes each rank has, 0 allowed; as many numbers as
     * there are ranks, the same on all, whose sum is nz. Read while the plan is made. NULL: as starfish_mpi_planes
     * says. `slabs` are then of each rank. */
    const size_t *planes;
    int max_iterations; /* of multigrid: NUMERICAL where its tolerance takes more; 0: the default */
    int fixed;          /* multigrid: exactly max_iterations steps, without residuals: for measurements */
};
/* Initialiser: every option's default. */
#define STARFISH_POISSON_OPTIONS_DEFAULTS                                                                              \
    {                                                                                                                  \
        .size = sizeof(struct starfish_poisson_options), .method = STARFISH_METHOD_AUTO, .precision = STARFISH_F64,    \
        .slabs = 0, .mode_blocks = 0, .check_residual = 0, .refinements = -1, .right_hand_sides = 0,                   \
        .algorithm = STARFISH_ALGORITHM_AUTO, .split = -1, .radix = 0, .complex_rhs = 0, .tolerance = 0, .mixed = 0,   \
        .count = 1, .rhs_layout = {0, 0, 0, 0}, .solution_layout = {0, 0, 0, 0}, .ghosts = 0, .check_data = 0,         \
        .sharing = STARFISH_SHARING_AUTO, .parts = 0, .planes = NULL, .max_iterations = 10000, .fixed = 0              \
    }

/* Sizes of arrays in struct starfish_poisson_phases. */
enum {
    STARFISH_MAX_PHASES = 8,           /* length of `phase` */
    STARFISH_MAX_REDUCTION_LEVELS = 34 /* length of `level` */
};

/* Tasks of one step, over all blocks of modes: wall-clock from the first start to the last end, and the sum of their
 * own times. Transfers before a task are not in either. */
struct starfish_step_info {
    double seconds;                      /* from the first start to the last end */
    double busy_seconds;                 /* the tasks' own times, summed over all workers */
    size_t tasks[STARFISH_WORKER_KINDS]; /* how many, by starfish_worker_kind */
};

/* Phases of a solve. A phase lasts from the first start to the last end of its tasks, and so phases overlap. A task of
 * several phases, as a solve on cores alone is one, counts for each by the time that its cores spent on it: such phases
 * sum to what the task took. All are wall-clock. */
struct starfish_poisson_phases {
    size_t size; /* sizeof(struct starfish_poisson_phases); the initialiser sets it */
    int phases;  /* of `phase`: how many the solve had */
    struct {
        const char *name;         /* of the phase; static */
        double seconds;           /* that it took */
    } phase[STARFISH_MAX_PHASES]; /* the first `phases` of them count */
    size_t levels;                /* of `level`: how many the reduction had; 0 without blktri */
    struct {
        size_t separators;                      /* rows that separate its blocks */
        struct starfish_step_info reduction;    /* from the last level to level 1 */
        struct starfish_step_info substitution; /* from level 0 to the last one */
    } level[STARFISH_MAX_REDUCTION_LEVELS];     /* blktri: levels of block cyclic reduction, the root first */
};
/* Initialiser: sets the size. */
#define STARFISH_POISSON_PHASES_DEFAULTS                                                                               \
    {                                                                                                                  \
        .size = sizeof(struct starfish_poisson_phases)                                                                 \
    }

/* How good a solution is known to be, by its residual and by the last step of refinement: of struct starfish_result,
 * residual_max (of complex numbers the larger of both parts'; known with check_residual or refinement), residual_bound
 * and correction. A solve with check_residual ends with NUMERICAL unless all of these hold (docs/reliability.md has the
 * rules in full): residual_max <= residual_bound; after refinement, correction <= 0.05, or in F64 some 9e-10 where the
 * plan takes three steps or more by itself; without it, where the smallest eigenvalue is known, the residual over that
 * eigenvalue is at most a tenth of the solution.
 *
 * residual_bound is 1e-8 (F64) or 1e-3 (F32), or 64 units of rounding of max (|A| |u| + |f|) / max |f| where that is
 * more, row by row, f with the boundary data; and never above 1e-3 (F64) or 1e-2 (F32). Where `tolerance` of the
 * options is given, method multigrid has its own criterion, and the bound is what follows from that. `correction` is
 * about how wrong the solution was before the last step, kept or not.
 *
 * Where the residual of method multigrid stops falling above its tolerance, 100 eps max (|A| |u| + |f|) / max |f|
 * counts instead, if that is at most 1e-3: rounding errors forbid more. */

/* Analyse the problem: eigenvalues, roots, transform plans, work space (slab: six reals per slab and mode, and the
 * tasks' own; blktri: two fields; a job with boundary data, or one in place that checks the residual or refines,
 * another; one that refines, another). `options` may be NULL. The caller owns *plan; destroy it before its context.
 * Errors: ARGUMENT (names axis and member), UNSUPPORTED (method cannot do this problem), NOT_SYMMETRIZABLE, SINGULAR
 * (names the mode), MEMORY, RUNTIME. */
STARFISH_API starfish_status starfish_poisson_plan_create(starfish_context *context,
                                                          const struct starfish_poisson_problem *problem,
                                                          const struct starfish_poisson_options *options,
                                                          starfish_plan **plan);
/* The 2D problem of FISHPACK's BLKTRI: lower_x u(i-1,j) + upper_x u(i+1,j) + lower_y u(i,j-1) + upper_y u(i,j+1) +
 * (diag_x + diag_y + lambda) u = f, i fastest; both axes of kind STARFISH_TRIDIAGONAL.
 *
 * Complex numbers, as in FISHPACK's CBLKTRI: u and f with options->complex_rhs, coefficients of x too with
 * x->complex_line; y is always real, since its eigenvalues are what block cyclic reduction solves with. A real x is
 * eliminated once for both parts of u. A complex x is solved by `blktri` and `blktri-product` alone, and without
 * pivoting: its rows, lambda and an eigenvalue of y on the diagonal, should dominate, or be those of an elliptic
 * operator; squares of their magnitudes have to be in the range of the precision. What makes it singular is not
 * searched for, as in FISHPACK, but rows of both axes that all sum to zero are refused (SINGULAR). */
STARFISH_API starfish_status starfish_separable2d_plan_create(starfish_context *context, const struct starfish_axis *x,
                                                              const struct starfish_axis *y, double lambda,
                                                              const struct starfish_poisson_options *options,
                                                              starfish_plan **plan);

/* Before a plan is made, by the arguments of its creation: analyses the problem (of n unknowns per direction: n, or
 * n^2 to look for singular modes), and allocates next to nothing. Where `method` is AUTO it is for the method that is
 * the choice by then. Errors as of the creation. Thread-safe. */
STARFISH_API starfish_status starfish_poisson_memory(starfish_context *context,
                                                     const struct starfish_poisson_problem *problem,
                                                     const struct starfish_poisson_options *options,
                                                     struct starfish_memory *memory);
/* starfish_poisson_memory for plans of starfish_separable2d_plan_create. Thread-safe. */
STARFISH_API starfish_status starfish_separable2d_memory(starfish_context *context, const struct starfish_axis *x,
                                                         const struct starfish_axis *y, double lambda,
                                                         const struct starfish_poisson_options *options,
                                                         struct starfish_memory *memory);

/* Solving (starfish/solve.h): right-hand sides and solutions are nx*ny*nz reals (complex_rhs: pairs) of the plan's
 * precision in host or CUDA device memory (recognised), packed unless options say where they lie; they may be the same
 * array, laid out alike, and must not overlap else. Where cores and GPUs share the field, the first tens of solves of a
 * plan are watched and the shares corrected: solutions of the same right-hand side then differ in their last digits.
 * Between fields (starfish_poisson_field) shares stay. ARGUMENT too: arrays that are not aligned to their reals, of a
 * device that the context does not use, partly pinned, or overlapping; or, of a job when it is finished, a value that
 * is not finite, with check_data. NUMERICAL is for check_residual and multigrid. Without check_residual and check_data
 * a value that is not finite gives a solution that is not.
 *
 * Of submissions arrays of `boundary` in device memory must stay until the job is done; those in host memory are
 * copied, and may change as soon as the submission returns. multigrid iterates in a thread of its own. Fields must be
 * gone before their plan. */

/* A submission in the order of a CUDA stream (`stream` is a cudaStream_t): the solve begins when all that is in the
 * stream at the time of the call is done, and what is put there later begins when the solve is over, whether it has
 * succeeded or not. Where a direct method solves on the arrays' GPU alone, the calling thread waits only for the
 * launches (and for an earlier solve with the plan). Else it waits for the stream and for the solve, since a stream
 * that is held for the host would block calls that wait for the device. rhs and solution are in memory of one CUDA
 * device, the stream's. Arrays of `boundary` may be there too, and work in the stream may write them. The job must be
 * finished, once, as others; whether it has succeeded is known then. Errors: ARGUMENT (not in device memory),
 * UNSUPPORTED (no CUDA, no GPU in the context, a captured stream), RUNTIME, MEMORY.
 *
 * All other functions expect that device memory is synchronised: the runtime's streams wait for no other stream, not
 * even for the default one. Work that writes rhs must be done when a solve is submitted, and the solution is there when
 * the job has been finished. */
STARFISH_API starfish_status starfish_poisson_submit_on(starfish_plan *plan, const struct starfish_boundary *boundary,
                                                        const void *rhs, void *solution, struct CUstream_st *stream,
                                                        starfish_job **job);
/* To be called before the job is finished, which then writes to `pertrb`, options.count doubles, what was taken off the
 * right-hand side of each problem, 0 where the problem is not singular. Errors: ARGUMENT (NULL; a job of another
 * kind). */
STARFISH_API starfish_status starfish_poisson_tell_pertrb(starfish_job *job, double *pertrb);
/* To be called before the job is finished, which then writes the phases of the solve to `phases`. Errors: ARGUMENT
 * (NULL; a job of another kind; the size is not set). */
STARFISH_API starfish_status starfish_poisson_tell_phases(starfish_job *job, struct starfish_poisson_phases *phases);

/* A field cut as this plan wants it; `memory`, ownership and errors are those of starfish_field_create, and UNSUPPORTED
 * (one of several ranks solves for all). */
STARFISH_API starfish_status starfish_poisson_field(starfish_plan *plan, void *memory, starfish_field **field);
/* Such a field that lives spread over the memories of the node (starfish/field.h), so that each GPU works on planes of
 * its own memory and what is little travels between them: of the slab method, per mode and slab three numbers. shares:
 * none (count 0), and the plan chooses: as many planes on each GPU, all in main memory without one; or given, with
 * `memory` of the caller's, which must outlive the field, or NULL, and then it is the field's own. All fields of a plan
 * that are spread with shares have the same, and they are made before others that are spread. Without shares every
 * method can; with them `slab` can, for one problem. Errors: ARGUMENT (names the share), MEMORY, UNSUPPORTED (the
 * method cuts fields in another way). */
STARFISH_API starfish_status starfish_poisson_field_spread(starfish_plan *plan, size_t count,
                                                           const struct starfish_field_share *shares,
                                                           starfish_field **field);
/* Submits a solve between such fields, which leaves the solution where it was computed; rhs and solution may be the
 * same field. Jobs on a field follow one another in the order of their submissions. As long as a job of multigrid
 * iterates on a field, the submission of another job that reads or writes it waits. The job must be finished, once.
 * Errors: those of starfish_plan_submit; ARGUMENT (fields that are not cut alike). */
STARFISH_API starfish_status starfish_poisson_submit_field(starfish_plan *plan,
                                                           const struct starfish_boundary *boundary,
                                                           starfish_field *rhs, starfish_field *solution,
                                                           starfish_job **job);

#ifdef __cplusplus
}
#endif

#endif
