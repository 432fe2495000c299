/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flat domains: the pressure correction of weather and climate models, as in Mueller, Scheichl, Vainikko, Parallel
 * Comput. 50 (2015), 53-69,
 *
 *     -w^2 (div (alpha grad u) + l^2 d_r (alpha d_r u) + l^2 xi d_r u) + beta u = f,
 *
 * on columns of cells whose height is small against their distance, so that the coupling upwards is the strong one.
 * Unknowns are in the centres of n[0] x n[1] x n[2] cells, cell (i,j,k) element i + n[0] * (j + n[1] * k) of an array,
 * k upwards; finite volumes of second order. No flux passes the ground and the top. Profiles are factorised: alpha =
 * alpha_across[i + n[0] * j] * alpha_up[k], beta alike, and xi = alpha_across[...] * xi_up[k]; nothing of the size of
 * an array is stored of the matrix.
 *
 * STARFISH_FLAT_BOX: a box of length[0] x length[1] x height, equal cells across, d_r = d/dz. Sides are periodic, or u
 * is 0 on their faces. STARFISH_PANEL: the shell 1 <= r <= 1 + height over one panel of the gnomonic cubed sphere, u =
 * 0 on its sides, div and grad those of the surface at radius r, d_r (...) standing for r^-2 d_r (r^2 ...). Cells are
 * equal in the two angles, -pi/4 to pi/4; their areas are exact, fluxes have the metric at the middle of faces, and the
 * cross terms, which the angle between the two families of lines brings, that at corners; so a column is coupled with
 * two of the columns across its corners, too. STARFISH_SPHERE: the same over all six panels, n[0] columns squared each,
 * so that n[1] is 6 n[0]: panel p has the rows j = p n[0] to (p + 1) n[0] - 1. With the unit vectors e_x, e_y and e_z
 * of space, the point of panel p at the angles x and y is in the direction of c + tan(x) a + tan(y) b, where (c, a, b)
 * is (e_x, e_y, e_z), (e_y, -e_x, e_z), (-e_x, -e_y, e_z), (-e_y, e_x, e_z) around the equator, then (e_z, e_y, -e_x)
 * at the north pole and (-e_z, e_y, e_x) at the south pole.
 *
 * What is solved: ||f - A u|| <= tolerance ||f|| in the Euclidean norm, each equation times the volume of its cell.
 * Where rounding errors forbid that, the number 100 eps || |A| |u| || / ||f|| counts, where it is at most 1e-3.
 *
 * On several ranks (starfish/mpi.h) all have parts of the columns where there are enough of them, and arrays are of a
 * rank's own layers.
 *
 * Thread-safety: a plan may be used from several threads; its solves then follow one another. */
#ifndef STARFISH_ATMOSPHERE_H
#define STARFISH_ATMOSPHERE_H

#include <starfish/context.h>
#include <starfish/solve.h>
#include <starfish/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Shape of the domain, as described above. */
typedef enum starfish_flat_geometry {
    STARFISH_FLAT_BOX,       /* a box of equal cells across */
    STARFISH_PANEL,          /* a shell over one panel of the cubed sphere */
    STARFISH_SPHERE,         /* a shell over all six panels */
    STARFISH_FLAT_GEOMETRIES /* how many there are */
} starfish_flat_geometry;

/* The equation above. Arrays are read during plan creation only. */
struct starfish_atmosphere_problem {
    size_t size;                     /* sizeof(struct starfish_atmosphere_problem), or 0: that of the first release */
    starfish_flat_geometry geometry; /* shape of the domain */
    size_t n[3];                     /* cells: 1 to 2097120, 65535 and 2^31 - 1; n[0] * n[2] below 2^31 */
    double length[2];                /* of a box in x and y; positive */
    int periodic[2];                 /* of a box: whether its sides in x and y are periodic */
    double height;                   /* of the domain; positive */
    const double *faces;             /* n[2] + 1 numbers that increase from 0 to height; NULL: layers of equal height */
    double omega;                    /* w, 0 or more */
    double lambda;                   /* l, 0 or more */
    /* Factors of alpha, beta and xi: n[0] * n[1] numbers across, n[2] upwards. NULL: 1, of xi 0. alpha and beta are
     * positive. */
    const double *alpha_across, *alpha_up, *beta_across, *beta_up, *xi_up;
};

/* How a problem is solved. */
typedef enum starfish_atmosphere_method {
    STARFISH_ATMOSPHERE_AUTO,      /* MULTIGRID */
    STARFISH_ATMOSPHERE_MULTIGRID, /* V cycles: lines upwards smooth, grids are coarser across */
    STARFISH_ATMOSPHERE_CG,        /* conjugate gradients; with xi_up, whose matrix is not symmetric, BiCGStab */
    STARFISH_ATMOSPHERE_METHODS    /* how many there are */
} starfish_atmosphere_method;

/* Preconditioner of conjugate gradients or BiCGStab. */
typedef enum starfish_atmosphere_preconditioner {
    STARFISH_ATMOSPHERE_PRECONDITIONER_AUTO,      /* LINES */
    STARFISH_ATMOSPHERE_PRECONDITIONER_NONE,      /* no preconditioner */
    STARFISH_ATMOSPHERE_PRECONDITIONER_LINES,     /* each column solved by itself: "line-z" */
    STARFISH_ATMOSPHERE_PRECONDITIONER_MULTIGRID, /* a cycle of multigrid */
    STARFISH_ATMOSPHERE_PRECONDITIONERS           /* how many there are */
} starfish_atmosphere_preconditioner;

/* How a plan is made and solves. */
struct starfish_atmosphere_options {
    size_t size;                       /* sizeof(struct starfish_atmosphere_options); the initialiser sets it */
    starfish_atmosphere_method method; /* how the problem is solved */
    starfish_atmosphere_preconditioner preconditioner; /* of method CG */
    starfish_precision precision;                      /* of right-hand sides and solutions */
    int mixed;                                         /* F64: cycles and preconditioners in f32, residuals in f64 */
    int levels;        /* grids at most; 0: 5, more where the coarsest would be hard to solve */
    int coarse_sweeps; /* smoothing sweeps that solve the coarsest grid; 0: 2, or as many of Chebyshev's as it takes */
    int smoothing_steps; /* before the coarse grid's correction, and as many after it */
    int red_black;       /* lines in two colours (SOR) instead of all at once */
    double damping;      /* of lines; 0: 2/3, in two colours 1 */
    double tolerance;    /* 0: 1e-10 (F64), 1e-6 (F32) */
    int max_iterations;  /* 1 or more */
    int fixed;           /* exactly max_iterations iterations, without residuals: for measurements */
    size_t slabs;        /* runs of rows of columns, or boxes, at most 16; 0: chosen from the workers; of a sphere 6,
                            its panels */
    size_t boxes;        /* parts beside one another in x, which divide `slabs`: each is a box of columns with memory of
                            its own; 0: runs of rows, or what suits the ranks */
};
/* Initialiser: every option's default. */
#define STARFISH_ATMOSPHERE_OPTIONS_DEFAULTS                                                                           \
    {                                                                                                                  \
        .size = sizeof(struct starfish_atmosphere_options), .method = STARFISH_ATMOSPHERE_AUTO,                        \
        .preconditioner = STARFISH_ATMOSPHERE_PRECONDITIONER_AUTO, .precision = STARFISH_F64, .mixed = 0, .levels = 0, \
        .coarse_sweeps = 0, .smoothing_steps = 1, .red_black = 0, .damping = 0, .tolerance = 0,                        \
        .max_iterations = 10000, .fixed = 0, .slabs = 0, .boxes = 0                                                    \
    }

/* A plan for starfish/solve.h. Right-hand sides and solutions are n[0] * n[1] * n[2] reals of options.precision, which
 * may not overlap; there is no boundary data. Of results, residuals are Euclidean, each equation times its volume, NaN
 * with `fixed`; iterations are cycles or steps of conjugate gradients, of BiCGStab preconditioned products, two a step;
 * where the status is NUMERICAL the solution is the last one.
 *
 * `options` may be NULL. The caller owns *plan; destroy it before its context. Errors: ARGUMENT (names the member),
 * NUMERICAL (entries beyond the precision), MEMORY. */
STARFISH_API starfish_status starfish_atmosphere_plan_create(starfish_context *context,
                                                             const struct starfish_atmosphere_problem *problem,
                                                             const struct starfish_atmosphere_options *options,
                                                             starfish_plan **plan);

/* How good a solution is. Norms are Euclidean, each equation times its volume. */
struct starfish_atmosphere_check {
    double residual;       /* max |f - A u| / max |f|, equations as they are written above */
    double euclidean;      /* ||f - A u|| / ||f|| */
    double bound;          /* 100 eps || |A| |u| || / ||f||, eps of the plan's precision */
    double residual_scale; /* residual is at most this number times euclidean */
};
/* Computes how good a solution is, in f64 and row by row, from arrays of the plan's precision in host memory. Errors:
 * ARGUMENT, MEMORY. */
STARFISH_API starfish_status starfish_atmosphere_check(const starfish_plan *plan, const void *rhs, const void *solution,
                                                       struct starfish_atmosphere_check *check);

#ifdef __cplusplus
}
#endif

#endif
