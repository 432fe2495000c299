/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Direct and multigrid solvers for separable elliptic problems: (Lx + Ly + Lz + lambda) u = f on a box in 3D, and
 * FISHPACK's BLKTRI problem in 2D, real or complex.
 *
 * The discretisation uses second-order differences, with the sign convention u_xx + u_yy + u_zz + lambda u = f. Grids:
 *   periodic        h = length/n, nodes at origin + i h
 *   STARFISH_CELL   h = length/n, unknowns at origin + (i+1/2) h
 *   STARFISH_NODE   an end with Neumann data is an unknown, an end with Dirichlet data is not:
 *                   h = length/(n+1) for two Dirichlet ends, length/n for one, length/(n-1) for none
 * Neumann data are the derivative along the axis at both ends, not along the outward normal.
 *
 * Singular problems (all ends Neumann or periodic, lambda = 0): the weighted mean of f is removed and reported as
 * `pertrb`, as in FISHPACK. The solution has weighted mean zero.
 *
 * Methods
 *   slab            Transforms x, transforms y or changes its basis to the operator's eigenvectors, and solves
 *                   tridiagonal systems in z, which are cut at slab boundaries. y must have a fast transform (uniform
 *                   grid or constant coefficients), or be symmetrisable by a diagonal scaling: lower[k]*upper[k-1] > 0,
 *                   or both zero. z may be any tridiagonal operator.
 *   blktri          Transforms x and solves in (y, z) by block cyclic reduction with partial fractions (Sweet, SIAM J.
 *                   Sci. Stat. Comput. 9 (1988), 761-765; Gallopoulos and Saad, Parallel Comput. 10 (1989), 143-159).
 *                   z must satisfy lower[k]*upper[k-1] >= 0; y may be any tridiagonal operator. If z is far from
 *                   symmetric (coupled one way, or symmetrised only by a scaling above 1e6), the plan uses the product
 *                   form.
 *   blktri-product  Block cyclic reduction in product form (Swarztrauber, SIAM J. Numer. Anal. 11 (1974), 1136-1150;
 *                   Valero-Lara, Pinelli, Prieto-Matias, Comput. Phys. Commun. 185 (2014), 1265-1272). It loses digits
 *                   on stretched grids. Both forms reject (UNSUPPORTED) a y so much thinner than the other directions
 *                   that all digits would be lost.
 *   multigrid       Conjugate gradients preconditioned by multigrid (starfish/multigrid.h), to a tolerance. `auto`
 *                   never chooses it. Every direction must be symmetric up to a positive scaling; the operator must be
 *                   definite: all off-diagonal entries have one sign, and no row sum, lambda included, has that sign. x
 *                   may also be stretched or given by a matrix. The method iterates in a thread of the library, one
 *                   solve of a plan at a time. It excludes complex lines and singular complex problems. Steps of
 *                   refinement have no effect. */
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

/* The type to which cudaStream_t is a pointer. */
struct CUstream_st;

/* Boundary condition at one end of a direction. */
typedef enum starfish_end {
    STARFISH_PERIODIC,  /* the ends are joined; both ends of a direction, or neither */
    STARFISH_DIRICHLET, /* u is given */
    STARFISH_NEUMANN,   /* du/dx is given, along the axis */
    STARFISH_ROBIN,     /* reserved (UNSUPPORTED) */
    STARFISH_END_AXIS,  /* r = 0 of polar2d and cylinder3d: nothing is given here, nor at the next two */
    STARFISH_END_POLE,  /* theta = 0 or pi of sphere2d and shell3d */
    STARFISH_END_CENTRE /* r = 0 of shell3d */
} starfish_end;
/* Position of the unknowns between the ends of a direction. */
typedef enum starfish_grid {
    STARFISH_NODE, /* at nodes; ends are nodes */
    STARFISH_CELL  /* at cell centres; ends are faces */
} starfish_grid;
/* Description of a direction; each value lists the members of struct starfish_axis that it uses. */
typedef enum starfish_axis_kind {
    STARFISH_UNIFORM,    /* n, origin, length, ends, grid */
    STARFISH_STRETCHED,  /* n, ends, grid, coordinates: NODE, not periodic: the n unknowns plus the Dirichlet ends,
                            CELL: the n+1 faces; increasing */
    STARFISH_TRIDIAGONAL /* n, lower, diag, upper, periodic: row k is lower[k] u(k-1) + diag[k] u(k) + upper[k] u(k+1);
                            lower[0] and upper[n-1] couple the ends when periodic and are ignored otherwise */
} starfish_axis_kind;

/* One direction. Arrays are read during plan creation only. */
struct starfish_axis {
    starfish_axis_kind kind;            /* which members count */
    size_t n;                           /* unknowns */
    double origin;                      /* UNIFORM: coordinate of the low end; on a box it does not affect solutions */
    double length;                      /* UNIFORM: distance between the two ends; positive */
    double robin[2];                    /* reserved for Robin ends, low and high; must be 0 (UNSUPPORTED) */
    starfish_end ends[2];               /* low, high; unused by TRIDIAGONAL */
    starfish_grid grid;                 /* unused by TRIDIAGONAL */
    const double *coordinates;          /* STRETCHED */
    size_t coordinate_count;            /* length of `coordinates` */
    const double *lower, *diag, *upper; /* TRIDIAGONAL: the bands, n each */
    int periodic;                       /* TRIDIAGONAL: the first and the last unknown are coupled */
    int complex_line; /* TRIDIAGONAL: lower, diag and upper hold n pairs of doubles (real part, imaginary part); only
                         for x of starfish_separable2d_plan_create */
};

/* Eigenvalues of directions that are transformed: x and y of boxes, the first direction of other kinds. These must be
 * uniform and have at most 4,096 unknowns for SPECTRAL. The last direction keeps its differences, and data at ends what
 * they add to f. Method slab. */
typedef enum starfish_eigenvalues {
    STARFISH_DIFFERENCE, /* of the second difference */
    STARFISH_SPECTRAL    /* of the second derivative: -(pi k / L)^2 or, of a periodic direction, -(2 pi k / L)^2 */
} starfish_eigenvalues;

/* (Lx + Ly + Lz + lambda) u = f. axis[0] is x, axis[1] is y, axis[2] is z. x must be uniform, except for method
 * multigrid. */
struct starfish_poisson_problem {
    size_t size;                  /* sizeof(struct starfish_poisson_problem), or 0: that of the first release */
    struct starfish_axis axis[3]; /* x, y, z */
    double lambda;                /* any finite number */
    int eigenvalues;              /* STARFISH_DIFFERENCE or STARFISH_SPECTRAL */
};

/* Coordinates of a problem, which say what its axes are, in the order of the unknowns (the first one is fastest), and
 * its equation. theta of spheres is the colatitude; angles are in radians.
 *   POISSON2D   x, y           u_xx + u_yy + lambda u = f
 *   POLAR2D     theta, r       u_rr + u_r / r + u_tt / r^2 + lambda u = f
 *   CYLINDER3D  theta, z, r    the same with + u_zz
 *   SPHERE2D    phi, theta     (sin t u_t)_t / sin t + u_pp / sin^2 t + lambda u = f
 *   SHELL3D     phi, r, theta  (r^2 u_r)_r / r^2 + ((sin t u_t)_t / sin t + u_pp / sin^2 t) / r^2 + lambda u = f */
typedef enum starfish_kind_of_problem {
    STARFISH_POISSON2D,  /* a rectangle */
    STARFISH_POLAR2D,    /* a disc, an annulus, or a wedge of one */
    STARFISH_CYLINDER3D, /* a pipe, with or without its axis */
    STARFISH_SPHERE2D,   /* a sphere, or a part of it between two latitudes */
    STARFISH_SHELL3D     /* a spherical shell, or a ball with its centre */
} starfish_kind;

/* A problem in the plane, on a cylinder, or on a sphere. Second-order conservative differences with the metric at faces
 * over the metric at unknowns (docs/curvilinear.md). The first axis is uniform. In curvilinear kinds it is an angle,
 * periodic over any part of a circle or a wedge between two ends. Data at an end in an angle are derivatives by the
 * angle. The end at r = 0, theta = 0 or theta = pi must be END_AXIS, END_POLE or END_CENTRE, and of three dimensions
 * its direction has cells. In POLAR2D and SPHERE2D it may be a node, where the angle is periodic or has two Neumann
 * ends: then all unknowns of its row are the one value there, and of f the first is read. */
struct starfish_problem {
    size_t size;                  /* sizeof(struct starfish_problem) */
    starfish_kind kind;           /* the coordinates */
    struct starfish_axis axis[3]; /* in two dimensions the first two; kinds UNIFORM and STRETCHED. Of the curvilinear
                                     kinds `origin` and `length` are the range */
    double lambda;                /* any finite number */
    int order;                    /* reserved: 0 (UNSUPPORTED) */
    int eigenvalues;              /* STARFISH_DIFFERENCE or STARFISH_SPECTRAL */
    int kernel;                   /* reserved: 0 (UNSUPPORTED) */
};

/* Method of a plan; described above. */
typedef enum starfish_method {
    STARFISH_METHOD_AUTO,           /* the direct method with the least estimated cost */
    STARFISH_METHOD_SLAB,           /* transforms, and tridiagonal systems in z */
    STARFISH_METHOD_BLKTRI,         /* block cyclic reduction by partial fractions */
    STARFISH_METHOD_BLKTRI_PRODUCT, /* block cyclic reduction in product form */
    STARFISH_METHOD_MULTIGRID       /* conjugate gradients preconditioned by multigrid */
} starfish_method;

/* Layout of the unknowns in an array with extra elements, such as halos. All members are distances in unknowns (a
 * complex number is one). 0 means packed: offset 0, rows of nx unknowns, planes of ny rows, problems of nz planes. Rows
 * must be at least nx, planes at least ny rows, problems at least nz planes, and all below 2^32. In two dimensions rows
 * run along x, and `plane` is unused. Elements between the unknowns are neither read nor written. */
struct starfish_array_layout {
    size_t offset;  /* from the pointer to unknown (0,0,0) */
    size_t row;     /* from one row (along x) to the next */
    size_t plane;   /* from one plane to the next */
    size_t problem; /* from one problem to the next */
};

/* Options of a plan. */
struct starfish_poisson_options {
    /* sizeof(struct starfish_poisson_options); the initialiser sets it. A smaller size, from a program compiled with an
     * older header, is accepted: the missing members take their defaults. */
    size_t size;
    starfish_method method;       /* AUTO: chosen from the problem and the workers */
    starfish_precision precision; /* precision of right-hand sides, solutions and boundary data */
    /* Number of slabs (runs of z-planes) of equal size, at most 64 (slab) or 32 (blktri); any worker may process one.
     * 0: chosen from the workers, and for method slab from the location of the data. multigrid uses at most 16, and one
     * with a GPU or if a grid is a single task. */
    size_t slabs;
    /* Number of blocks of modes, at most 32; 0: chosen automatically. blktri: runs of x modes. slab: runs of y modes,
     * each with a separate reduced system. */
    size_t mode_blocks;
    /* Also compute the residual, which takes one more pass over the field. Return NUMERICAL if the solution fails the
     * tests described below. */
    int check_residual;
    /* Maximum number of steps of iterative refinement, 0..10; each takes one more solve and two more residuals. A step
     * that does not improve the solution is undone. -1: chosen from the condition of the problem and the scaling of its
     * rows and directions (table in docs/reliability.md); 0 for ordinary boxes. */
    int refinements;
    /* Expected number of right-hand sides; 0: many. AUTO uses it to weigh the cost of preparation against that of
     * solving. */
    size_t right_hand_sides;
    /* blktri-product: algorithm of GPUs for tridiagonal systems: AUTO, THOMAS, CR, PCR or CR_PCR. All but THOMAS keep a
     * line in shared memory, so it must fit there (some thousands of unknowns in y). */
    starfish_algorithm algorithm;
    /* blktri with GPUs and cores: cores process the `split` levels next to the root, whose tasks are narrow; GPUs
     * process all others. -1: chosen by the times of levels; several modes of x are distributed by rates instead. */
    int split;
    /* blktri by partial fractions: number of parts that a block of rows is cut into, 2 or 4; 0: chosen automatically. 4
     * takes half as many tridiagonal solves on half as many levels. Both give the same solution up to rounding
     * errors. */
    int radix;
    /* starfish_separable2d_plan_create: right-hand sides and solutions are pairs of reals (real part, imaginary part).
     * Implied by x.complex_line. */
    int complex_rhs;
    /* multigrid: iterate until the residual's norm is at most `tolerance` times that of the right-hand side. Norms are
     * Euclidean, each equation multiplied by its unknown's volume. 0: 1e-10 (F64) or 1e-6 (F32), but at least n^2 units
     * of rounding for the longest direction n. */
    double tolerance;
    int mixed; /* multigrid in F64: run cycles in f32 */
    /* Number of problems per solve, on the same grid, with separate right-hand sides and boundary data; 0: one. Method
     * slab only. Their arrays follow one another at distance `problem` of the layout, as do the arrays of each face.
     * Intended for many small problems: one worker, a core or a GPU, solves each problem. `slabs` is then the number of
     * groups of problems. In the result, pertrb is the value largest in magnitude (starfish_poisson_tell_pertrb reports
     * all), and residual is the largest of all problems. */
    size_t count;
    /* Layout of right-hand sides passed to starfish_plan_solve and to submissions; fields (starfish_poisson_field) are
     * packed. Method slab accesses the rows in place. If solutions are not packed, it keeps the modes in extra memory:
     * one more field for each of two concurrent solves. Other methods, the residual check and refinement work on packed
     * copies in the runtime's memory. */
    struct starfish_array_layout rhs_layout;
    struct starfish_array_layout solution_layout; /* layout of solutions */
    /* Also fill one layer of ghosts around the solution, before the first and after the last unknown of each direction;
     * the layout must have room for it. Ghost values follow the discretisation. Periodic: the unknown at the other end.
     * Dirichlet data g: 2 g - u on CELL grids, g on NODE grids. Neumann data g on CELL grids: u - h g at the low end
     * and u + h g at the high end. On NODE grids: u' - 2 h g and u' + 2 h g, u' being the unknown next to the end's.
     * Ghosts beyond TRIDIAGONAL ends do not change unless the direction is periodic. Edges and corners are filled in
     * the order x, y, z from the values already there, with the face's data at the nearest unknown. Not for fields, nor
     * in two dimensions. Arrays in host memory need a CPU worker (otherwise UNSUPPORTED). */
    int ghosts;
    /* Also check that right-hand side and boundary data are finite, which takes one more pass over them. If a value is
     * not, finishing the job returns an ARGUMENT error that names the first one. */
    int check_data;
    starfish_sharing sharing; /* multigrid: which workers share the fine grids (types.h) */
    size_t parts;             /* multigrid: as in struct starfish_multigrid_options */
    /* Number of z planes of each rank, for a context on several ranks (starfish/mpi.h): one entry per rank, 0 allowed,
     * the same array on all ranks, with sum nz. Read during plan creation only. NULL: the distribution of
     * starfish_mpi_planes. `slabs` then counts the slabs of each rank. */
    const size_t *planes;
    int max_iterations; /* multigrid: maximum number of iterations; NUMERICAL if it is reached; 0: the default */
    int fixed;          /* multigrid: run exactly max_iterations steps without residuals, for measurements */
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

/* Times and counts of the tasks of one step, over all blocks of modes. Transfers before a task are excluded. */
struct starfish_step_info {
    double seconds;                      /* wall-clock time from the first start to the last end */
    double busy_seconds;                 /* task times summed over all workers */
    size_t tasks[STARFISH_WORKER_KINDS]; /* number of tasks, by starfish_worker_kind */
};

/* Phases of a solve, in wall-clock time. A phase lasts from the first start to the last end of its tasks, so phases may
 * overlap. The time of a task that covers several phases, such as a whole solve on cores, is divided by the time that
 * its cores spent on each phase. */
struct starfish_poisson_phases {
    size_t size; /* sizeof(struct starfish_poisson_phases); the initialiser sets it */
    int phases;  /* number of phases of the solve */
    struct {
        const char *name;         /* name of the phase; static */
        double seconds;           /* its duration */
    } phase[STARFISH_MAX_PHASES]; /* the first `phases` entries are valid */
    size_t levels;                /* number of entries of `level`: levels of the reduction; 0 without blktri */
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

/* Accuracy tests of a solution use three members of struct starfish_result: residual_max (the larger part for complex
 * numbers; set with check_residual or refinement), residual_bound and correction. With check_residual a solve returns
 * NUMERICAL unless it passes all tests (docs/reliability.md). First, residual_max <= residual_bound. Second, after
 * refinement, correction <= 0.05; in F64 some 9e-10 if the plan chose three or more steps itself. Third, without
 * refinement and if the smallest eigenvalue is known, the residual over that eigenvalue is at most a tenth of the
 * solution.
 *
 * residual_bound is the larger of 1e-8 (F64) or 1e-3 (F32) and 64 units of rounding of max (|A| |u| + |f|) / max |f|,
 * row by row, f with boundary data. It never exceeds 1e-3 (F64) or 1e-2 (F32). If the option `tolerance` is set, method
 * multigrid uses its own criterion and derives the bound from it. `correction` estimates the error of the solution
 * before the last step, whether that step was kept or not.
 *
 * If the residual of method multigrid stops falling above its tolerance, the tolerance is replaced by the level of
 * rounding errors, 100 eps max (|A| |u| + |f|) / max |f|, if that is at most 1e-3. */

/* Creates a plan: computes eigenvalues, roots and transform plans, and allocates work space. slab takes six reals per
 * slab and mode and the work space of tasks; blktri takes two fields. A job takes one more field with boundary data, or
 * if it solves in place and checks the residual or refines; refinement takes another one. `options` may be NULL. The
 * caller owns *plan; destroy it before its context. Errors: ARGUMENT (names axis and member), UNSUPPORTED (the method
 * cannot solve this problem), NOT_SYMMETRIZABLE, SINGULAR (names the mode), MEMORY, RUNTIME. */
STARFISH_API starfish_status starfish_poisson_plan_create(starfish_context *context,
                                                          const struct starfish_poisson_problem *problem,
                                                          const struct starfish_poisson_options *options,
                                                          starfish_plan **plan);
/* Creates a plan for a problem in other coordinates, by method slab; in three dimensions blktri may be asked for. In
 * two dimensions, right-hand sides and solutions are planes of n[1] rows, and boundary.array[0..1] are of axis[0] and
 * axis[1]; ghosts and layouts that are not packed are for three dimensions. Errors: those of
 * starfish_poisson_plan_create. */
STARFISH_API starfish_status starfish_plan_create(starfish_context *context, const struct starfish_problem *problem,
                                                  const struct starfish_poisson_options *options, starfish_plan **plan);
/* Creates a plan for the 2D problem of FISHPACK's BLKTRI: lower_x u(i-1,j) + upper_x u(i+1,j) + lower_y u(i,j-1) +
 * upper_y u(i,j+1) + (diag_x + diag_y + lambda) u = f, i fastest. Both axes have kind STARFISH_TRIDIAGONAL.
 *
 * Complex numbers, as in FISHPACK's CBLKTRI: options->complex_rhs makes u and f complex, x->complex_line also the
 * coefficients of x. y is always real, since block cyclic reduction uses its eigenvalues. A real x is eliminated once
 * for both parts of u. Only `blktri` and `blktri-product` solve with a complex x, and without pivoting. Its rows, with
 * lambda and an eigenvalue of y on the diagonal, should be diagonally dominant or those of an elliptic operator. The
 * squares of their magnitudes must be in the range of the precision. As in FISHPACK, singular modes of a complex x are
 * not detected, but rows of both axes that all sum to zero are rejected (SINGULAR). */
STARFISH_API starfish_status starfish_separable2d_plan_create(starfish_context *context, const struct starfish_axis *x,
                                                              const struct starfish_axis *y, double lambda,
                                                              const struct starfish_poisson_options *options,
                                                              starfish_plan **plan);

/* Computes the memory of a plan before its creation, from the same arguments. It analyses the problem, in O(n)
 * operations for n unknowns per direction, or O(n^2) to find singular modes, and allocates almost nothing. With
 * `method` AUTO, the result is for the method that would be chosen now. Errors: those of the plan's creation.
 * Thread-safe. */
STARFISH_API starfish_status starfish_poisson_memory(starfish_context *context,
                                                     const struct starfish_poisson_problem *problem,
                                                     const struct starfish_poisson_options *options,
                                                     struct starfish_memory *memory);
/* As starfish_poisson_memory, for plans of starfish_separable2d_plan_create. Thread-safe. */
STARFISH_API starfish_status starfish_separable2d_memory(starfish_context *context, const struct starfish_axis *x,
                                                         const struct starfish_axis *y, double lambda,
                                                         const struct starfish_poisson_options *options,
                                                         struct starfish_memory *memory);

/* Solving (starfish/solve.h): right-hand sides and solutions are nx*ny*nz reals (complex_rhs: pairs) of the plan's
 * precision in host or CUDA device memory (detected). They are packed unless options give their layout. They may be the
 * same array with the same layout; otherwise they must not overlap. If cores and GPUs share the field, the plan adjusts
 * their shares during its first tens of solves. Solutions for the same right-hand side may then differ in their last
 * digits. For fields (starfish_poisson_field) shares are fixed.
 *
 * Further ARGUMENT errors: arrays not aligned to their reals, on a device that the context does not use, partly pinned,
 * or overlapping. With check_data, finishing a job returns ARGUMENT if a value is not finite. Without check_residual
 * and check_data such a value gives a solution that is not finite. Only check_residual and multigrid return NUMERICAL.
 *
 * After a submission, arrays of `boundary` in device memory must stay until the job is done. Arrays in host memory are
 * copied, and may change as soon as the submission returns. multigrid iterates in a separate thread. Destroy fields
 * before their plan. */

/* Submits a solve in the order of a CUDA stream (`stream` is a cudaStream_t). The solve starts after all work already
 * in the stream; work added later starts after the solve, whether it succeeds or fails. If a direct method solves on
 * the arrays' GPU alone, the calling thread waits only for the launches and for an earlier solve with the plan.
 * Otherwise it waits for the stream and for the solve: a stream that waits for the host would block calls that wait for
 * the device. rhs and solution must be in memory of the stream's device. Arrays of `boundary` may be there too, and
 * work in the stream may write them. Finish the job exactly once; its status is known then. Errors: ARGUMENT (not in
 * device memory), UNSUPPORTED (no CUDA, no GPU in the context, a captured stream), RUNTIME, MEMORY.
 *
 * All other functions require that device memory is synchronised: the runtime's streams do not wait for other streams,
 * not even for the default stream. Work that writes rhs must have completed before the submission. The solution is
 * valid once the job is finished. */
STARFISH_API starfish_status starfish_poisson_submit_on(starfish_plan *plan, const struct starfish_boundary *boundary,
                                                        const void *rhs, void *solution, struct CUstream_st *stream,
                                                        starfish_job **job);
/* Requests the mean subtracted from each right-hand side. Call it before the job is finished; starfish_job_finish then
 * writes options.count doubles to `pertrb`, 0 for problems that are not singular. Errors: ARGUMENT (NULL; a job of
 * another kind). */
STARFISH_API starfish_status starfish_poisson_tell_pertrb(starfish_job *job, double *pertrb);
/* Requests the phases of a solve. Call it before the job is finished; starfish_job_finish then writes them to `phases`.
 * Errors: ARGUMENT (NULL; a job of another kind; the size is not set). */
STARFISH_API starfish_status starfish_poisson_tell_phases(starfish_job *job, struct starfish_poisson_phases *phases);

/* Creates a field that is cut as the plan requires. `memory`, ownership and errors are those of starfish_field_create;
 * also UNSUPPORTED (one of several ranks solves for all). */
STARFISH_API starfish_status starfish_poisson_field(starfish_plan *plan, void *memory, starfish_field **field);
/* Creates a field that is distributed over the memories of the node (starfish/field.h). Each GPU works on planes in its
 * own memory, and little data moves between them: with method slab, three numbers per mode and slab. With count 0 the
 * plan chooses the shares: equal numbers of planes on all GPUs, or all planes in main memory without a GPU. Otherwise
 * `shares` gives them; `memory` of a share is owned by the caller and must outlive the field, or NULL: the field
 * allocates it. All fields of a plan that are created with shares must have the same shares, and must be created before
 * distributed fields without. Every method supports fields without shares; with shares only `slab` for one problem
 * does. Errors: ARGUMENT (names the share), MEMORY, UNSUPPORTED (the method cuts fields in another way). */
STARFISH_API starfish_status starfish_poisson_field_spread(starfish_plan *plan, size_t count,
                                                           const struct starfish_field_share *shares,
                                                           starfish_field **field);
/* Submits a solve between fields of the plan; the solution stays where it was computed. rhs and solution may be the
 * same field. Jobs on a field run in the order of submission. While a multigrid job iterates on a field, submitting
 * another job that reads or writes the field blocks. Finish the job exactly once. Errors: those of
 * starfish_plan_submit; ARGUMENT (fields that are not cut alike). */
STARFISH_API starfish_status starfish_poisson_submit_field(starfish_plan *plan,
                                                           const struct starfish_boundary *boundary,
                                                           starfish_field *rhs, starfish_field *solution,
                                                           starfish_job **job);

#ifdef __cplusplus
}
#endif

#endif
