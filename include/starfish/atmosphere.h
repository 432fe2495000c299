/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flat domains: the pressure correction of weather and climate models, as in Mueller, Scheichl, Vainikko, Parallel
 * Comput. 50 (2015), 53-69,
 *
 *     -w^2 (div (alpha grad u) + l^2 d_r (alpha d_r u) + l^2 xi d_r u) + beta u = f.
 *
 * The height of a cell is small compared with the distance between columns, so the vertical coupling is strong.
 * Unknowns are at the centres of n[0] x n[1] x n[2] cells; cell (i,j,k) is element i + n[0] * (j + n[1] * k) of an
 * array, k upwards. The discretisation uses finite volumes of second order, with no flux through ground and top.
 * Profiles are factorised: alpha = alpha_across[i + n[0] * j] * alpha_up[k], and beta likewise. xi has the same
 * horizontal factor: xi = alpha_across[...] * xi_up[k]. The matrix needs no array of the size of a field.
 *
 * STARFISH_FLAT_BOX: a box of length[0] x length[1] x height with equal cells in x and y, d_r = d/dz. Sides are
 * periodic, or have u = 0 on their faces.
 *
 * STARFISH_PANEL: the shell 1 <= r <= 1 + height over one panel of the gnomonic cubed sphere, with u = 0 on its sides.
 * div and grad are those of the surface at radius r, and d_r (...) means r^-2 d_r (r^2 ...). Cells are equal in the two
 * angles, -pi/4 to pi/4, with exact areas. Fluxes use the metric at face centres. The two families of grid lines are
 * not orthogonal; the resulting cross terms use the metric at corners. A column is therefore also coupled with two
 * diagonal neighbours.
 *
 * STARFISH_SPHERE: as STARFISH_PANEL, over all six panels of n[0] x n[0] columns, so n[1] = 6 n[0]. Panel p has the
 * rows j = p n[0] to (p + 1) n[0] - 1. Let e_x, e_y and e_z be the unit vectors of space. The point of panel p at the
 * angles x and y is in direction c + tan(x) a + tan(y) b. Around the equator (c, a, b) is (e_x, e_y, e_z), (e_y, -e_x,
 * e_z), (-e_x, -e_y, e_z), (-e_y, e_x, e_z); at the north pole (e_z, e_y, -e_x), at the south pole (-e_z, e_y, e_x).
 *
 * Convergence: ||f - A u|| <= tolerance ||f|| in the Euclidean norm, each equation multiplied by the volume of its
 * cell. If rounding errors prevent this, the tolerance is replaced by 100 eps || |A| |u| || / ||f||, if that is at most
 * 1e-3.
 *
 * On several ranks (starfish/mpi.h) each rank owns part of the columns if there are enough, and passes arrays of its
 * own layers.
 *
 * Thread-safety: a plan may be used from several threads; its solves run one after another. */
#ifndef STARFISH_ATMOSPHERE_H
#define STARFISH_ATMOSPHERE_H

#include <starfish/context.h>
#include <starfish/solve.h>
#include <starfish/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Shape of the domain; described above. */
typedef enum starfish_flat_geometry {
    STARFISH_FLAT_BOX,       /* a box with equal cells in x and y */
    STARFISH_PANEL,          /* a shell over one panel of the cubed sphere */
    STARFISH_SPHERE,         /* a shell over all six panels */
    STARFISH_FLAT_GEOMETRIES /* how many there are */
} starfish_flat_geometry;

/* The equation above. Arrays are read during plan creation only. */
struct starfish_atmosphere_problem {
    size_t size;                     /* sizeof(struct starfish_atmosphere_problem), or 0: that of the first release */
    starfish_flat_geometry geometry; /* shape of the domain */
    size_t n[3];                     /* numbers of cells: 1 to 2097120, 65535 and 2^31 - 1; n[0] * n[2] below 2^31 */
    double length[2];                /* box: lengths in x and y; positive */
    int periodic[2];                 /* box: 1 if the sides in x or y are periodic */
    double height;                   /* height of the domain; positive */
    const double *faces;             /* n[2] + 1 heights of layer faces, increasing from 0 to `height`; NULL: equal
                                        layers */
    double omega;                    /* w, 0 or more */
    double lambda;                   /* l, 0 or more */
    /* Factors of alpha, beta and xi: n[0] * n[1] numbers across, n[2] upwards. alpha and beta must be positive. NULL:
     * 1; for xi 0. */
    const double *alpha_across, *alpha_up, *beta_across, *beta_up, *xi_up;
};

/* Method of a plan. */
typedef enum starfish_atmosphere_method {
    STARFISH_ATMOSPHERE_AUTO,      /* MULTIGRID */
    STARFISH_ATMOSPHERE_MULTIGRID, /* V cycles with vertical line smoothing and horizontal coarsening */
    STARFISH_ATMOSPHERE_CG,        /* conjugate gradients; BiCGStab with xi_up, which makes the matrix nonsymmetric */
    STARFISH_ATMOSPHERE_METHODS    /* how many there are */
} starfish_atmosphere_method;

/* Preconditioner of conjugate gradients or BiCGStab. */
typedef enum starfish_atmosphere_preconditioner {
    STARFISH_ATMOSPHERE_PRECONDITIONER_AUTO,      /* LINES */
    STARFISH_ATMOSPHERE_PRECONDITIONER_NONE,      /* no preconditioner */
    STARFISH_ATMOSPHERE_PRECONDITIONER_LINES,     /* tridiagonal systems of all columns: "line-z" */
    STARFISH_ATMOSPHERE_PRECONDITIONER_MULTIGRID, /* a multigrid cycle */
    STARFISH_ATMOSPHERE_PRECONDITIONERS           /* how many there are */
} starfish_atmosphere_preconditioner;

/* Options of a plan. */
struct starfish_atmosphere_options {
    size_t size;                       /* sizeof(struct starfish_atmosphere_options); the initialiser sets it */
    starfish_atmosphere_method method; /* method of the plan */
    starfish_atmosphere_preconditioner preconditioner; /* preconditioner of method CG */
    starfish_precision precision;                      /* precision of right-hand sides and solutions */
    int mixed;                                         /* F64: mixed precision, cycles and preconditioners in f32,
                                                          residuals in f64 */
    int levels;        /* maximum number of grids; 0: 5, or more if the coarsest would be hard to solve */
    int coarse_sweeps; /* smoothing sweeps that solve the coarsest grid; 0: 2, or as many Chebyshev sweeps as needed */
    int smoothing_steps; /* smoothing steps before, and the same number after, the coarse grid correction */
    int red_black;       /* 1: smooth lines in two colours (SOR); 0: all at once */
    double damping;      /* damping of line smoothing; 0: 2/3, in two colours 1 */
    double tolerance;    /* relative residual at convergence; 0: 1e-10 (F64), 1e-6 (F32) */
    int max_iterations;  /* maximum number of iterations; 1 or more */
    int fixed;           /* run exactly max_iterations iterations without residuals, for measurements */
    size_t slabs;        /* number of runs of rows of columns, or of boxes, at most 16; 0: chosen from the workers;
                            sphere: 6, its panels */
    size_t boxes;        /* number of boxes side by side in x, a divisor of `slabs`; each box of columns has separate
                            memory; 0: runs of rows, or chosen from the ranks */
};
/* Initialiser: every option's default. */
#define STARFISH_ATMOSPHERE_OPTIONS_DEFAULTS                                                                           \
    {                                                                                                                  \
        .size = sizeof(struct starfish_atmosphere_options), .method = STARFISH_ATMOSPHERE_AUTO,                        \
        .preconditioner = STARFISH_ATMOSPHERE_PRECONDITIONER_AUTO, .precision = STARFISH_F64, .mixed = 0, .levels = 0, \
        .coarse_sweeps = 0, .smoothing_steps = 1, .red_black = 0, .damping = 0, .tolerance = 0,                        \
        .max_iterations = 10000, .fixed = 0, .slabs = 0, .boxes = 0                                                    \
    }

/* Creates a plan for starfish/solve.h. Right-hand sides and solutions are n[0] * n[1] * n[2] reals of
 * options.precision, and must not overlap; there is no boundary data. Residuals of results are Euclidean norms, each
 * equation multiplied by its volume; NaN with `fixed`. Iterations are cycles, steps of conjugate gradients, or
 * preconditioned products of BiCGStab (two per step). If the status is NUMERICAL the solution is the last iterate.
 *
 * `options` may be NULL. The caller owns *plan; destroy it before its context. Errors: ARGUMENT (names the member),
 * NUMERICAL (entries beyond the precision), MEMORY. */
STARFISH_API starfish_status starfish_atmosphere_plan_create(starfish_context *context,
                                                             const struct starfish_atmosphere_problem *problem,
                                                             const struct starfish_atmosphere_options *options,
                                                             starfish_plan **plan);

/* Accuracy of a solution. Norms are Euclidean, each equation multiplied by its volume. */
struct starfish_atmosphere_check {
    double residual;       /* max |f - A u| / max |f|, equations as written above */
    double euclidean;      /* ||f - A u|| / ||f|| */
    double bound;          /* 100 eps || |A| |u| || / ||f||, eps of the plan's precision */
    double residual_scale; /* residual is at most this number times euclidean */
};
/* Computes the accuracy of a solution in f64, row by row, from arrays of the plan's precision in host memory. Errors:
 * ARGUMENT, MEMORY. */
STARFISH_API starfish_status starfish_atmosphere_check(const starfish_plan *plan, const void *rhs, const void *solution,
                                                       struct starfish_atmosphere_check *check);

#ifdef __cplusplus
}
#endif

#endif
