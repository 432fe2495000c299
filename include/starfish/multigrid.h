/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Geometric multigrid for two discretisations. Seven-point differences in 3D are described below (struct
 * starfish_stencil_problem). Bilinear (Q1) finite elements on tensor-product meshes in 2D solve -d/dx (kx du/dx) - d/dy
 * (ky du/dy) + c u = f on a rectangle. Each end has u = 0 (Dirichlet) or k du/dn = 0 (Neumann). Elements may have any
 * widths: line smoothers keep the number of cycles small for all aspect ratios (Goeddeke and Strzodka, IEEE Trans.
 * Parallel Distrib. Syst. 22 (2011), 22-32).
 *
 * Nodes are the corners of the elements; nodes at a Dirichlet end are not unknowns. A direction of m elements has m -
 * 1, m or m + 1 unknowns with two, one or no Dirichlet ends (starfish_q1_unknowns). Unknown (i,j) of n[0] x n[1] is
 * element i + n[0] * j of an array. A right-hand side is a load vector: entry (i,j) is the integral of f times the
 * basis function of the unknown (starfish_q1_load computes it).
 *
 * Thread-safety: a plan may be used from several threads; its solves run one after another. */
#ifndef STARFISH_MULTIGRID_PUBLIC_H
#define STARFISH_MULTIGRID_PUBLIC_H

#include <starfish/context.h>
#include <starfish/poisson.h>
#include <starfish/solve.h>
#include <starfish/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The discrete problem ---------------------------------------------------------------------------------------- */

/* Q1 elements in 2D, as described above. */
struct starfish_q1_problem {
    size_t size;        /* sizeof(struct starfish_q1_problem), or 0: that of the first release */
    size_t elements[2]; /* x, y: 1 .. 2^24 each, at least one unknown and at most 2^31 */
    /* Widths of the elements in x and y; positive. Coordinates would lose small widths near an end: 1 - 5.6e-17 rounds
     * to 1. */
    const double *width[2];
    starfish_end ends[2][2]; /* [direction][low, high], Dirichlet or Neumann */
    /* kx and ky of the elements, elements[0] * elements[1] positive numbers each, x fastest; NULL: 1. Elements of
     * coarser grids take the mean over their area. */
    const double *coefficient[2];
    double reaction; /* c >= 0; must be positive if no end is Dirichlet */
};

/* Computes the numbers of unknowns in x and y; uses the members `elements` and `ends` only. */
STARFISH_API void starfish_q1_unknowns(const struct starfish_q1_problem *problem, size_t n[2]);

/* A mesh of 2^level x 2^level elements on [0, length[0]] x [0, length[1]], refined from one element. Each refinement
 * halves all elements in both directions. Only the layer at one boundary per direction (high x, low y) is split nu/2 :
 * 1 - nu/2, with the small part at the boundary. nu = 1 is uniform. */
struct starfish_q1_refinement {
    double length[2]; /* lengths of the rectangle; positive */
    double nu;        /* in (0,1] */
    int level;        /* number of refinements, 0 .. 24 */
};
/* Fills two arrays of 2^level widths each. Errors: ARGUMENT (length, nu or level out of range). */
STARFISH_API starfish_status starfish_q1_refine(const struct starfish_q1_refinement *refinement, double *width_x,
                                                double *width_y);
/* Sets the lengths and nu of a mesh of Goeddeke and Strzodka by its name, U1 U2 U3 A1 A2 A3 A4 A5; does not change
 * level. Thread-safe. Errors: ARGUMENT (another name). */
STARFISH_API starfish_status starfish_q1_named(const char *name, struct starfish_q1_refinement *refinement);

/* A point given by its distances from the low and high ends in x and y. Coordinates would lose small distances near an
 * end. */
struct starfish_q1_point {
    double low[2];  /* distances from the low ends */
    double high[2]; /* distances from the high ends */
};
/* A function of position; `data` is the user's pointer. */
typedef double starfish_q1_function(void *data, const struct starfish_q1_point *point);
/* Computes load[unknown] = integral of f times its basis function, by 3x3 Gauss points per element: exact for f of
 * degree 4 in x and y. Errors: ARGUMENT (names the argument), MEMORY. */
STARFISH_API starfish_status starfish_q1_load(const struct starfish_q1_problem *problem, starfish_q1_function *f,
                                              void *data, double *load);
/* Computes *error = ||u_h - exact|| / ||exact|| in L2, by 4x4 Gauss points per element; `solution` holds the unknowns
 * of u_h. Errors: ARGUMENT (names the argument), MEMORY. */
STARFISH_API starfish_status starfish_q1_error(const struct starfish_q1_problem *problem, starfish_q1_function *exact,
                                               void *data, const double *solution, double *error);

/* A direction as a symmetric tridiagonal matrix and a diagonal one. */
struct starfish_stencil_line {
    /* Couplings of the n + 1 faces below unknowns 0 .. n-1 and above the last one; not negative. The outer two are 0,
     * or equal if the direction is periodic. */
    const double *coupling;
    const double *extra;  /* further diagonal entries: n, not negative; NULL: 0 */
    const double *weight; /* widths of the control volumes: n, positive */
};

/* Seven-point differences in 3D for -div(D grad u) + c u = f on a box, integrated over control volumes. The equation of
 * an unknown is: sum over the faces of its volume of coupling (u - u of the neighbour), plus terms of Dirichlet ends
 * and c, = integral of f. Unknown (i,j,k) of n[0] x n[1] x n[2] is element i + n[0] * (j + n[1] * k). A missing
 * direction has n = 1 and neither widths nor a line. Boundary data are zero; the caller moves other data to the
 * right-hand side (starfish_poisson_plan_create does this). */
struct starfish_stencil_problem {
    size_t size;             /* sizeof(struct starfish_stencil_problem), or 0: that of the first release */
    size_t n[3];             /* unknowns in x, y, z; 2^31 in all at most */
    starfish_end ends[3][2]; /* [direction][low, high] */
    starfish_grid grid;      /* grid of the directions that have widths */
    /* Widths in x, y, z; positive. CELL: widths of the n cells. NODE: distances between successive nodes, Dirichlet
     * ends included: n + 1, n or n - 1 for two, one or no Dirichlet ends; n if periodic. */
    const double *width[3];
    /* Used instead of `width` if line.coupling is not NULL; `ends` then only tells whether the direction is
     * PERIODIC. */
    struct starfish_stencil_line line[3];
    /* D of the cells in x, y and z: n[0] * n[1] * n[2] positive numbers each; NULL: 1. Only on CELL grids whose
     * directions all have widths or are missing. Faces between two cells take the harmonic mean. */
    const double *coefficient[3];
    double reaction; /* c >= 0 */
    /* 0: right-hand sides are integrals over control volumes. Otherwise they are values at the unknowns; the solver
     * multiplies them by this number and the volume. */
    double rhs_factor;
};

/* ---- The solver -------------------------------------------------------------------------------------------------- */

/* Order in which a cycle visits the grids. */
typedef enum starfish_cycle_shape {
    STARFISH_CYCLE_V,  /* one cycle on the next coarser grid */
    STARFISH_CYCLE_F,  /* an F cycle, then a V cycle on the next coarser grid */
    STARFISH_CYCLE_W,  /* two W cycles on the next coarser grid */
    STARFISH_CYCLE_FMG /* the first cycle is full multigrid, all others are V cycles */
} starfish_cycle_shape;

/* Krylov method preconditioned by cycles. */
typedef enum starfish_krylov {
    /* Only for starfish/fem.h: cycles; flexible conjugate gradients if cycles are slow or stall; BiCGStab if those
     * stall too. */
    STARFISH_KRYLOV_AUTO,
    STARFISH_KRYLOV_NONE,     /* cycles alone */
    STARFISH_KRYLOV_CG,       /* flexible conjugate gradients from the start */
    STARFISH_KRYLOV_BICGSTAB, /* BiCGStab from the start */
    STARFISH_KRYLOVS          /* how many there are */
} starfish_krylov;

/* Smoother of the cycles. */
typedef enum starfish_smoother {
    /* Chosen by the anisotropy of the elements, the ratio of kx hy / hx to ky hx / hy. If it is at most 1.5 on all
     * grids: CHEBYSHEV with 1.5 times the steps (rounded up), or with a given damping JACOBI with twice the steps; both
     * cost less. Otherwise ADI. If it exceeds 1e14 and krylov is NONE, ADI preconditions conjugate gradients, provided
     * that steps and shape allow it and a tolerance is set. */
    STARFISH_SMOOTHER_AUTO,
    STARFISH_SMOOTHER_ADI,          /* a step: all lines in x at once, then all lines in y, in 3D then all lines in z */
    STARFISH_SMOOTHER_LINE_X,       /* a step: all lines in x at once */
    STARFISH_SMOOTHER_LINE_Y,       /* a step: all lines in y at once */
    STARFISH_SMOOTHER_JACOBI,       /* a step: all points at once */
    STARFISH_SMOOTHER_GAUSS_SEIDEL, /* four colours by even and odd i and j; with damping above 1: SOR */
    /* Chebyshev polynomial of JACOBI on the upper part of the spectrum. Its degree is the number of steps, before and
     * after the correction each. For isotropic meshes (Adams, Brezina, Hu, Tuminaro, J. Comput. Phys. 188 (2003),
     * 593-610). */
    STARFISH_SMOOTHER_CHEBYSHEV,
    STARFISH_SMOOTHER_LINE_Z, /* in 3D, a step: all lines in z at once */
    /* In 3D, a step: all planes across x at once, then across y, then across z. Each plane is solved by one 2D V cycle
     * of ADI steps from zero. For couplings that are strong in changing pairs of directions. All grids are one task;
     * `tail` and `slabs` have no effect. */
    STARFISH_SMOOTHER_PLANE,
    /* In 2D, a step: even lines in x, then odd ones, then even lines in y, then odd ones, each using the latest
     * solution. On very anisotropic elements it needs fewer cycles than ADI, at about 1.5 times the work. Not with
     * entries in 16 bits nor stored_diagonal; with a GPU, lines have at most 8192 unknowns. */
    STARFISH_SMOOTHER_ZEBRA,
    STARFISH_SMOOTHERS /* how many there are */
} starfish_smoother;

/* Storage of the entries of the cycles' matrices. */
typedef enum starfish_storage {
    STARFISH_STORAGE_INNER, /* the precision of the cycles */
    STARFISH_STORAGE_F16,   /* IEEE half precision */
    STARFISH_STORAGE_BF16   /* the upper half of f32 */
} starfish_storage;
/* Storage of the matrices of Q1 grids. */
typedef enum starfish_matrix_form {
    STARFISH_MATRIX_AUTO,   /* TENSOR if possible, else STORED */
    STARFISH_MATRIX_STORED, /* five bands of reals on every grid; a step moves 8 words per unknown */
    /* Matrix-free: only the 1D matrices of both directions; a step moves 3 words. `coefficient` must be NULL; not with
     * Gauss-Seidel nor stored_diagonal. With a GPU, lines that smooth have at most 8192 unknowns. */
    STARFISH_MATRIX_TENSOR,
    STARFISH_MATRIX_FORMS /* how many there are */
} starfish_matrix_form;

/* Solver of the coarsest Q1 grid. */
typedef enum starfish_coarse_solver {
    STARFISH_COARSE_DIRECT, /* by its stored inverse: at most 1024 unknowns */
    /* Conjugate gradients preconditioned by the diagonal: at most 2^20 unknowns, no stored inverse. A GPU launches all
     * coarse_iterations without checking for convergence in between. */
    STARFISH_COARSE_CG_JACOBI,
    STARFISH_COARSE_CG_ADI, /* as CG_JACOBI, preconditioned by line steps in x, y, y, x */
    STARFISH_COARSE_SOLVERS /* how many there are */
} starfish_coarse_solver;

/* Options of a plan. */
struct starfish_multigrid_options {
    size_t size;                  /* sizeof(struct starfish_multigrid_options); the initialiser sets it */
    starfish_precision precision; /* precision of right-hand side, solution and residual */
    int mixed;                    /* F64: mixed precision, defect correction in f64 with multigrid corrections in f32 */
    starfish_smoother smoother;   /* smoother of the cycles */
    /* Damping of the smoother; 0: 0.7, for Gauss-Seidel 1. For Chebyshev: lower over upper end of its interval, below
     * 1; 0: 0.4. */
    double damping;
    starfish_cycle_shape cycle; /* shape of a cycle */
    int before, after;   /* smoothing steps before and after the coarse grid correction; 0 or more, in sum at least 1 */
    int smoothing_steps; /* 0: `before` and `after` apply; otherwise it replaces both */
    /* Convergence: the residual's Euclidean norm is at most `tolerance` times that of the right-hand side, or at most
     * `absolute`. Each is 0 or more. Both 0: exactly max_iterations cycles without computing residuals. */
    double tolerance, absolute;
    int max_iterations; /* maximum number of cycles; 1 or more */
    int fixed;          /* run exactly max_iterations cycles, as if tolerance and absolute were 0 */
    /* Mixed precision: cycles between two residuals in f64, 1 or more. If inner_digits > 0, as many as needed to gain
     * these digits, at most 32. */
    int inner_cycles;
    double inner_digits; /* mixed precision: digits to gain between two residuals in f64; 0: inner_cycles applies */
    int initial_guess;   /* 1: start from the values in the solution array; 0: start from zero */
    int levels;          /* maximum number of grids; 0: down to few unknowns */
    size_t slabs;        /* number of runs of lines that a grid is cut into, 1..16; 0: chosen from the workers */
    size_t tail;         /* all grids with at most this many unknowns are one task; 0: chosen from the workers */
    /* NONE, CG or BICGSTAB: Krylov method for meshes on which cycles alone converge slowly. One cycle preconditions
     * each step; in mixed precision inner_cycles or inner_digits apply. CG takes three more arrays and needs a
     * symmetric preconditioner: before == after, shape V or W, any smoother but Gauss-Seidel. The sweeps of a step are
     * reversed after the coarse grid correction. BICGSTAB takes five more arrays. It allows matrices or cycles that are
     * not symmetric: any smoother, steps and shape. */
    starfish_krylov krylov;
    /* 1: store the diagonals of the cycles' matrices and compute A u as a sum of products, to study rounding errors. 0:
     * store row sums instead and compute A u as a sum of differences, so that f32 remains accurate on finer meshes. */
    int stored_diagonal;
    /* Stores the entries of the cycles' matrices in 16 bits instead of f32. This halves the bytes of a matrix and
     * sometimes costs one or two more cycles. Only for stored matrices of Q1 elements in mixed precision, since
     * residuals use the matrix in f64; not with Gauss-Seidel or stored_diagonal. With F16 the couplings of a grid may
     * differ by at most a factor of 2^27 (NUMERICAL otherwise). */
    starfish_storage storage;
    starfish_matrix_form matrix; /* storage of the matrices of Q1 elements */
    /* Solver of the coarsest grid; only DIRECT for seven-point differences (others UNSUPPORTED). Conjugate gradients
     * stop when the residual's norm has fallen by coarse_tolerance, or after coarse_iterations. Cycles are then not
     * linear; flexible conjugate gradients on the finest grid tolerate this. */
    starfish_coarse_solver coarse;
    double coarse_tolerance; /* tolerance on the coarsest grid, below 1; 0: 1e-2 */
    int coarse_iterations;   /* maximum number of steps on the coarsest grid, at most 10000; 0: 100 */
    /* Number of runs of rows, at most 16, that the fine grids are cut into, each in separate memory; 0: chosen
     * automatically. `sharing` gives their owners in turn (AUTO: the GPUs; without GPUs the cores). UNSUPPORTED for
     * smoothers with lines across rows, for planes, and for periodic ends in the last direction. */
    size_t parts;
    starfish_sharing sharing; /* which workers own these parts */
};
/* Initialiser: every option's default. */
#define STARFISH_MULTIGRID_OPTIONS_DEFAULTS                                                                            \
    {                                                                                                                  \
        .size = sizeof(struct starfish_multigrid_options), .precision = STARFISH_F64, .mixed = 0,                      \
        .smoother = STARFISH_SMOOTHER_AUTO, .damping = 0, .cycle = STARFISH_CYCLE_V, .before = 2, .after = 2,          \
        .smoothing_steps = 0, .tolerance = 1e-8, .absolute = 0, .max_iterations = 100, .fixed = 0, .inner_cycles = 2,  \
        .inner_digits = 0, .initial_guess = 0, .levels = 0, .slabs = 0, .tail = 0, .krylov = STARFISH_KRYLOV_NONE,     \
        .stored_diagonal = 0, .storage = STARFISH_STORAGE_INNER, .matrix = STARFISH_MATRIX_AUTO,                       \
        .coarse = STARFISH_COARSE_DIRECT, .coarse_tolerance = 0, .coarse_iterations = 0, .parts = 0,                   \
        .sharing = STARFISH_SHARING_AUTO                                                                               \
    }

/* Creates a plan for starfish/solve.h. Arrays are n[0] * n[1] reals of options.precision, in 3D times n[2], and must
 * not overlap; there is no boundary data. Solves of a plan run in the order of submission, so a job may use the
 * previous job's solution as its right-hand side. Solves of different plans run concurrently. After NUMERICAL the
 * solution is the last iterate; a job cancelled before its first cycle writes none. Norms are Euclidean, and iterations
 * are cycles. The history has one residual per cycle, in mixed precision one per correction.
 *
 * The call assembles the matrices of all grids; the problem's arrays are not needed afterwards. `options` may be NULL.
 * The caller owns *plan; destroy it before its context. Errors: ARGUMENT (names the member), UNSUPPORTED, SINGULAR (no
 * Dirichlet end and no reaction), NUMERICAL (widths so different that entries overflow), MEMORY. */
STARFISH_API starfish_status starfish_q1_plan_create(starfish_context *context,
                                                     const struct starfish_q1_problem *problem,
                                                     const struct starfish_multigrid_options *options,
                                                     starfish_plan **plan);
/* As starfish_q1_plan_create, for seven-point differences. Grids are coarsened in the directions whose coupling is at
 * least half of the strongest one. Point smoothers therefore suffice if the widths along each direction are about
 * equal.
 *
 * The smoother AUTO is GAUSS_SEIDEL if the couplings along each direction differ by at most a factor of 4. If they
 * differ by more in one direction, AUTO is lines in that direction, which is coarsened last; in two or three
 * directions, ADI. GAUSS_SEIDEL has two colours, odd and even i + j + k; with conjugate gradients their order is
 * reversed after the correction. Damping 0 means 1.15 for GAUSS_SEIDEL (1 with conjugate gradients), 6/7 for JACOBI,
 * 0.8 for lines and ADI, 0.3 for CHEBYSHEV.
 *
 * The problem is singular if no end is Dirichlet, no line has extra diagonal entries and c is 0. The mean of the
 * right-hand side is then subtracted and reported as pertrb; with rhs_factor 0 it is the sum of the integrals over the
 * total volume. The solution has mean zero. Both means are weighted by control volumes. Errors: ARGUMENT (names the
 * member), UNSUPPORTED, NUMERICAL, MEMORY. */
STARFISH_API starfish_status starfish_stencil_plan_create(starfish_context *context,
                                                          const struct starfish_stencil_problem *problem,
                                                          const struct starfish_multigrid_options *options,
                                                          starfish_plan **plan);
/* Reports the options of a plan, with its choices in place of AUTO and 0. Set `options` by the initialiser first.
 * Thread-safe. Errors: ARGUMENT. */
STARFISH_API starfish_status starfish_multigrid_plan_options(const starfish_plan *plan,
                                                             struct starfish_multigrid_options *options);

#ifdef __cplusplus
}
#endif

#endif
