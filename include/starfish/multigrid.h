/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Geometric multigrid, for two discretisations. Seven-point differences in 3D are described below (struct
 * starfish_stencil_problem). Bilinear (Q1) finite elements on tensor-product meshes in 2D: -d/dx (kx du/dx) - d/dy (ky
 * du/dy) + c u = f on a rectangle, each end u = 0 (Dirichlet) or k du/dn = 0 (Neumann). Elements of any widths: line
 * smoothers keep the number of cycles small whatever the aspect ratios (Goeddeke and Strzodka, IEEE Trans. Parallel
 * Distrib. Syst. 22 (2011), 22-32).
 *
 * Nodes are the corners of the elements; those at a Dirichlet end are no unknowns. So a direction of m elements has m -
 * 1, m or m + 1 unknowns with two, one or no Dirichlet ends (starfish_q1_unknowns). Unknown (i,j) of n[0] x n[1] is
 * element i + n[0] * j. A right-hand side is a load vector: entry (i,j) is the integral of f times the basis function
 * of the unknown (starfish_q1_load makes one).
 *
 * Thread-safety: a plan may be used from several threads; its solves then follow one another. */
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
    /* Of the elements in x and y; positive. Widths rather than coordinates: 1 - 5.6e-17 would be 1. */
    const double *width[2];
    starfish_end ends[2][2]; /* [direction][low, high], Dirichlet or Neumann */
    /* kx and ky of the elements, elements[0] * elements[1] positive numbers each, x fastest; NULL: 1. On coarser grids
     * an element has the mean over its area. */
    const double *coefficient[2];
    double reaction; /* c >= 0; must be positive where no end is Dirichlet */
};

/* Unknowns in x and y, from elements and ends alone. */
STARFISH_API void starfish_q1_unknowns(const struct starfish_q1_problem *problem, size_t n[2]);

/* A mesh of 2^level x 2^level elements on [0, length[0]] x [0, length[1]]: one element, in every refinement halved in
 * both directions, but for the layer at one boundary per direction (high x, low y), which is split nu/2 : 1 - nu/2 with
 * the small part at the boundary. nu = 1 is uniform. */
struct starfish_q1_refinement {
    double length[2]; /* of the rectangle; positive */
    double nu;        /* in (0,1] */
    int level;        /* refinements, 0 .. 24 */
};
/* Fill two arrays of 2^level widths each. Errors: ARGUMENT (lengths, nu in (0,1], level 0..24). */
STARFISH_API starfish_status starfish_q1_refine(const struct starfish_q1_refinement *refinement, double *width_x,
                                                double *width_y);
/* The meshes of Goeddeke and Strzodka by name, U1 U2 U3 A1 A2 A3 A4 A5; level is left as it is. ARGUMENT for other
 * names. Thread-safe. */
STARFISH_API starfish_status starfish_q1_named(const char *name, struct starfish_q1_refinement *refinement);

/* A point by its distances from the low and high ends in x and y, as coordinates would lose what is near an end. */
struct starfish_q1_point {
    double low[2];  /* from the low ends */
    double high[2]; /* from the high ends */
};
/* A function of the place; `data` is the user's. */
typedef double starfish_q1_function(void *data, const struct starfish_q1_point *point);
/* load[unknown] = integral of f times its basis function, by 3x3 Gauss points per element: exact for f of degree 4 in x
 * and y. Errors: ARGUMENT (names it), MEMORY. */
STARFISH_API starfish_status starfish_q1_load(const struct starfish_q1_problem *problem, starfish_q1_function *f,
                                              void *data, double *load);
/* *error = ||u_h - exact|| / ||exact|| in L2, by 4x4 Gauss points per element; u_h given by its unknowns. Errors:
 * ARGUMENT (names it), MEMORY. */
STARFISH_API starfish_status starfish_q1_error(const struct starfish_q1_problem *problem, starfish_q1_function *exact,
                                               void *data, const double *solution, double *error);

/* A direction as a symmetric tridiagonal matrix and a diagonal one. */
struct starfish_stencil_line {
    /* Couplings of the faces below unknown 0, 1, .. n-1 and above the last: n + 1, not negative; the outer two 0, or if
     * periodic both the same. */
    const double *coupling;
    const double *extra;  /* what else is on the diagonal: n, not negative; NULL: 0 */
    const double *weight; /* widths of control volumes: n, positive */
};

/* Seven-point differences in 3D, on their way to the solver: -div(D grad u) + c u = f on a box, integrated over control
 * volumes, sum over the faces of an unknown's volume of coupling (u - u of the neighbour) + what Dirichlet ends and c
 * add = integral of f. Unknown (i,j,k) of n[0] x n[1] x n[2] is element i + n[0] * (j + n[1] * k). A direction that is
 * not there has n = 1 and neither widths nor a line. Boundary data are zero; others are moved to the right-hand side
 * (starfish_poisson_plan_create does so). */
struct starfish_stencil_problem {
    size_t size;             /* sizeof(struct starfish_stencil_problem), or 0: that of the first release */
    size_t n[3];             /* unknowns in x, y, z; 2^31 in all at most */
    starfish_end ends[3][2]; /* [direction][low, high] */
    starfish_grid grid;      /* of the directions that have widths */
    /* In x, y, z; positive. CELL: of the n cells. NODE: between successive nodes, Dirichlet ends counting as such:
     * n + 1, n or n - 1 for two, one or no Dirichlet end, n where periodic. */
    const double *width[3];
    /* Instead of a width, where line.coupling is not NULL; of its ends only PERIODIC counts. */
    struct starfish_stencil_line line[3];
    /* D of the cells in x, y and z, for grids CELL whose directions all have widths or are not there: n[0] * n[1] *
     * n[2] positive numbers each; NULL: 1. A face between two cells has the harmonic mean. */
    const double *coefficient[3];
    double reaction; /* c >= 0 */
    /* 0: right-hand sides are integrals over control volumes. Else they are values at the unknowns, which are
     * multiplied by this number and the volume. */
    double rhs_factor;
};

/* ---- The solver -------------------------------------------------------------------------------------------------- */

/* Order in which a cycle visits the grids. */
typedef enum starfish_cycle_shape {
    STARFISH_CYCLE_V,  /* one cycle on the next coarser grid */
    STARFISH_CYCLE_F,  /* an F cycle, then a V cycle on the next coarser grid */
    STARFISH_CYCLE_W,  /* two W cycles on the next coarser grid */
    STARFISH_CYCLE_FMG /* the first cycle full multigrid, then V */
} starfish_cycle_shape;

/* The iteration that cycles precondition. */
typedef enum starfish_krylov {
    /* Of finite elements alone: cycles; flexible conjugate gradients where these are slow or stall, and BiCGStab where
     * those stall too. */
    STARFISH_KRYLOV_AUTO,
    STARFISH_KRYLOV_NONE,     /* cycles alone */
    STARFISH_KRYLOV_CG,       /* flexible conjugate gradients from the beginning */
    STARFISH_KRYLOV_BICGSTAB, /* BiCGStab from the beginning */
    STARFISH_KRYLOVS          /* how many there are */
} starfish_krylov;

/* A smoothing step of cycles. */
typedef enum starfish_smoother {
    /* CHEBYSHEV with half as many steps again (rounded up), or where a damping is given JACOBI with twice as many,
     * which cost less, where no element of any grid couples more than 1.5 times as strongly in one direction as in the
     * other (kx hy / hx to ky hx / hy), else ADI. Where an element couples more than 1e14 times as strongly, ADI is the
     * preconditioner of conjugate gradients, if krylov is NONE, steps and shape allow that and there is a tolerance */
    STARFISH_SMOOTHER_AUTO,
    STARFISH_SMOOTHER_ADI,          /* a step: all lines in x at once, then all lines in y, in 3D then all lines in z */
    STARFISH_SMOOTHER_LINE_X,       /* a step: all lines in x at once */
    STARFISH_SMOOTHER_LINE_Y,       /* a step: all lines in y at once */
    STARFISH_SMOOTHER_JACOBI,       /* a step: all points at once */
    STARFISH_SMOOTHER_GAUSS_SEIDEL, /* in four colours by even and odd i and j; with damping above 1: SOR */
    /* All steps before, and all after, together the Chebyshev polynomial of that degree of JACOBI on the upper part of
     * the spectrum; for isotropic meshes (Adams, Brezina, Hu, Tuminaro, J. Comput. Phys. 188 (2003), 593-610) */
    STARFISH_SMOOTHER_CHEBYSHEV,
    STARFISH_SMOOTHER_LINE_Z, /* in 3D, a step: all lines in z at once */
    /* In 3D, a step: all planes across x at once, then across y, then across z, each plane by a V cycle in two
     * dimensions from zero, of ADI steps. For couplings that are strong in changing pairs of directions. All grids are
     * one task, whatever `tail` and `slabs` */
    STARFISH_SMOOTHER_PLANE,
    /* In 2D, a step: even lines in x, then odd ones, then even lines in y, then odd ones, each with the solution that
     * the one before has left. Fewer cycles than ADI where elements are very anisotropic, for about 1.5 times its work.
     * Not of entries in 16 bits nor with stored_diagonal; with a GPU lines of 8192 unknowns at most. */
    STARFISH_SMOOTHER_ZEBRA,
    STARFISH_SMOOTHERS /* how many there are */
} starfish_smoother;

/* Entries of the cycles' matrices. */
typedef enum starfish_storage {
    STARFISH_STORAGE_INNER, /* in the precision of the cycles */
    STARFISH_STORAGE_F16,   /* IEEE half precision */
    STARFISH_STORAGE_BF16   /* the upper half of f32 */
} starfish_storage;
/* How the matrices of Q1 grids are kept. */
typedef enum starfish_matrix_form {
    STARFISH_MATRIX_AUTO,   /* TENSOR where it can be, else STORED */
    STARFISH_MATRIX_STORED, /* five bands of reals on every grid: 8 words move per unknown and step */
    /* Matrix-free: the 1D matrices of both directions alone; 3 words. Where `coefficient` is NULL, not for
     * Gauss-Seidel nor stored_diagonal; with a GPU and lines, of 8192 unknowns at most. */
    STARFISH_MATRIX_TENSOR,
    STARFISH_MATRIX_FORMS /* how many there are */
} starfish_matrix_form;

/* How the coarsest of Q1 grids is solved. */
typedef enum starfish_coarse_solver {
    STARFISH_COARSE_DIRECT, /* by its inverse: 1024 unknowns at most */
    /* By conjugate gradients, preconditioned by the diagonal: 2^20 unknowns at most, no inverse is stored. A GPU
     * launches all coarse_iterations without looking whether the last were needed. */
    STARFISH_COARSE_CG_JACOBI,
    STARFISH_COARSE_CG_ADI, /* as CG_JACOBI, but preconditioned by line steps in x, y, y, x */
    STARFISH_COARSE_SOLVERS /* how many there are */
} starfish_coarse_solver;

/* How a plan is made and solves. */
struct starfish_multigrid_options {
    size_t size;                  /* sizeof(struct starfish_multigrid_options); the initialiser sets it */
    starfish_precision precision; /* of right-hand side, solution, and what is called the residual */
    int mixed; /* F64: mixed precision, which is defect correction in f64, its corrections by multigrid in f32 */
    starfish_smoother smoother; /* a smoothing step */
    /* Of the smoother. 0: 0.7, for Gauss-Seidel 1. For Chebyshev the interval's lower end over its upper one, below 1;
     * 0: 0.4 */
    double damping;
    starfish_cycle_shape cycle; /* shape of a cycle */
    int before, after;   /* smoothing steps before and after the coarse grid's correction; 0 or more, one at least */
    int smoothing_steps; /* 0: as `before` and `after` say; else as many before as after, whatever these say */
    /* Solved when the residual's Euclidean norm is at most tolerance times that of the right-hand side, or at most
     * `absolute`. Each 0 or more. Both 0: exactly max_iterations cycles, and no residual is looked at. */
    double tolerance, absolute;
    int max_iterations; /* cycles of all kinds; 1 or more */
    int fixed;          /* exactly max_iterations cycles, as where tolerance and absolute are 0 */
    /* Mixed precision: cycles between two residuals in f64, or, where inner_digits > 0, as many as it takes to gain
     * these digits, 32 at most. 1 or more. */
    int inner_cycles;
    double inner_digits; /* mixed precision: digits to gain between two residuals in f64; 0: inner_cycles count */
    int initial_guess;   /* the solution array holds one; else it starts as 0 */
    int levels;          /* grids at most; 0: down to few unknowns. The coarsest is solved as `coarse` says */
    size_t slabs;        /* runs of lines that a grid is cut into, 1..16; 0: chosen from the workers */
    size_t tail;         /* grids of so many unknowns and fewer are one task; 0: chosen from the workers */
    /* NONE, CG or BICGSTAB, for meshes on which cycles alone are slow: a method that is preconditioned by cycles (one,
     * or in mixed precision inner_cycles or inner_digits). CG takes three more arrays. Its preconditioner must be
     * symmetric: before == after, shapes V and W, any smoother but Gauss-Seidel; after the coarse grid's correction the
     * sweeps of a step come in reverse order. BICGSTAB takes five more arrays and is for matrices or cycles that are
     * not symmetric: any smoother, steps and shape. */
    starfish_krylov krylov;
    /* The cycles' matrices are stored with diagonals and A u is a sum of products, as usual, to see what rounding
     * errors then do. Else row sums are stored in their place and A u is a sum of differences, with which f32 serves
     * finer meshes. */
    int stored_diagonal;
    /* Entries of the cycles' matrices in 16 bits instead of f32, as IEEE half precision or as the upper half of f32:
     * half of the bytes of a matrix, and sometimes a cycle or two more. Stored matrices of Q1 elements in mixed
     * precision, whose residuals are by the matrix in f64; not with Gauss-Seidel or stored_diagonal. F16 holds
     * couplings that differ by 2^27 at most, on each grid: NUMERICAL where it does not. */
    starfish_storage storage;
    starfish_matrix_form matrix; /* of Q1 elements */
    /* Seven-point differences: DIRECT only, others are UNSUPPORTED. Conjugate gradients end when the residual's norm
     * has fallen by coarse_tolerance, or after coarse_iterations: cycles are then no longer linear, which conjugate
     * gradients on the finest grid cope with. */
    starfish_coarse_solver coarse;
    double coarse_tolerance; /* below 1; 0: 1e-2 */
    int coarse_iterations;   /* 10000 at most; 0: 100 */
    /* 0: chosen. Else the fine grids are cut into as many runs of rows, at most 16, each with memory of its own, whose
     * owners are in turn those of `sharing` (AUTO: the GPUs, without any the cores). Smoothers with lines across rows,
     * planes, and periodic ends in the last direction cannot be cut so: UNSUPPORTED where parts are asked for. */
    size_t parts;
    starfish_sharing sharing; /* who owns these parts */
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

/* A plan for starfish/solve.h, whose arrays are n[0] * n[1] reals, in 3D times n[2], of options.precision, and may not
 * overlap; there is no boundary data. Solves of a plan follow one another in the order of their submission, so that a
 * job may solve for the solution of the one before it; those of different plans run at the same time. After NUMERICAL
 * the solution is the last one; a job that was cancelled before its first cycle writes none. Norms of the result are
 * Euclidean, and its iterations are cycles. Its history has a residual for each cycle, in mixed precision for each
 * correction.
 *
 * Assembles the matrices of all grids. Arrays of the problem are read here only. `options` may be NULL. The caller owns
 * *plan; destroy it before its context. Errors: ARGUMENT (names the member), UNSUPPORTED, SINGULAR (no Dirichlet end
 * and no reaction), NUMERICAL (widths so different that entries overflow), MEMORY. */
STARFISH_API starfish_status starfish_q1_plan_create(starfish_context *context,
                                                     const struct starfish_q1_problem *problem,
                                                     const struct starfish_multigrid_options *options,
                                                     starfish_plan **plan);
/* starfish_q1_plan_create for seven-point differences. Grids are coarsened in the directions whose coupling is at least
 * half of the strongest's, so that smoothing by points is good for any widths that are about the same all along a
 * direction.
 *
 * The smoother AUTO is GAUSS_SEIDEL where couplings along each direction differ by a factor of at most 4, else lines in
 * the direction whose couplings do not, which is coarsened last, or ADI for two or three such directions. GAUSS_SEIDEL
 * has two colours, odd and even i + j + k; with conjugate gradients they come in the opposite order after the
 * correction. A damping of 0 stands for 1.15 with GAUSS_SEIDEL (1 with conjugate gradients), 6/7 with JACOBI, 0.8 with
 * lines and ADI, 0.3 with CHEBYSHEV.
 *
 * Where no end is Dirichlet, nothing else is on the diagonal and c is 0 (a singular problem), the mean of the
 * right-hand side is taken off (the result's pertrb; with rhs_factor 0 off the integrals, over the volume) and the
 * solution has mean zero, both weighted by control volumes. Errors: ARGUMENT (names the member), UNSUPPORTED,
 * NUMERICAL, MEMORY. */
STARFISH_API starfish_status starfish_stencil_plan_create(starfish_context *context,
                                                          const struct starfish_stencil_problem *problem,
                                                          const struct starfish_multigrid_options *options,
                                                          starfish_plan **plan);
/* The options of a plan, with what it has chosen for AUTO and 0. `options` begins with the initialiser. Thread-safe.
 * Errors: ARGUMENT. */
STARFISH_API starfish_status starfish_multigrid_plan_options(const starfish_plan *plan,
                                                             struct starfish_multigrid_options *options);

#ifdef __cplusplus
}
#endif

#endif
