/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Diffusion with discontinuous coefficients: div(k grad u) + lambda u = f on a box in two or three dimensions, as in
 * the pressure equation of two-phase flow. Conjugate gradients with deflation follow Gupta, Vuik, Lemmens, report
 * 10-20, Delft Institute of Applied Mathematics, 2010, and Tang, Nabben, Vuik, Erlangga, J. Sci. Comput. 39 (2009),
 * 340-370.
 *
 * The grid has cells of equal size, h = length / n, with unknowns at their centres. Cell (i,j,k) of n[0] x n[1] x n[2]
 * is element i + n[0] * (j + n[1] * k) of an array. The coefficient of a face is the harmonic or the arithmetic mean of
 * those of its two cells. The arithmetic mean conserves mass across interfaces as the paper's stencil does. At a face
 * with Dirichlet data g, the cell's own k applies and the neighbour is 2 g - u. With Neumann data g, the flux along the
 * axis is k g.
 *
 * Singular problems (no Dirichlet end, lambda = 0): the mean of f, boundary data included, is removed and reported as
 * `pertrb`. The solution has mean zero.
 *
 * Convergence: ||f - A u|| <= tolerance ||f|| in the Euclidean norm, f with boundary data and without pertrb, for the
 * residual computed anew. If rounding errors prevent this, the tolerance is replaced by 100 eps || |A| |u| || / ||f||,
 * if that is at most 1e-3. A solution that misses both is not reported as solved.
 *
 * Several ranks (starfish/mpi.h) create a plan together, with the same n and options. Each rank passes its own planes
 * of `coefficient` and `regions`, and in solves its own planes of rhs, solution and boundary data. starfish_mpi_planes
 * distributes the planes of the last direction.
 *
 * Thread-safety: a plan may be used from several threads; its solves run one after another. On several ranks, one
 * thread per rank calls all functions that create plans or solve, in the same order on all ranks. */
#ifndef STARFISH_DIFFUSION_H
#define STARFISH_DIFFUSION_H

#include <starfish/context.h>
#include <starfish/poisson.h>
#include <starfish/solve.h>
#include <starfish/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Coefficient of a face, from the coefficients a and b of its two cells. */
typedef enum starfish_mean {
    STARFISH_MEAN_HARMONIC,  /* 2 / (1/a + 1/b) */
    STARFISH_MEAN_ARITHMETIC /* (a + b) / 2 */
} starfish_mean;

/* div(k grad u) + lambda u = f. Arrays are read during plan creation only. */
struct starfish_diffusion_problem {
    size_t size;                 /* sizeof(struct starfish_diffusion_problem), or 0: that of the first release */
    size_t dimensions;           /* 2 or 3; a missing direction has n = 1, and its other members are ignored */
    size_t n[3];                 /* cells in x, y, z; less than 2^31 in all */
    double length[3];            /* lengths of the box; positive */
    starfish_end ends[3][2];     /* [direction][low, high] */
    double lambda;               /* any finite number */
    starfish_mean mean;          /* mean that gives the coefficients of faces */
    const double *coefficient;   /* k of each cell, positive; NULL: constant_coefficient everywhere */
    double constant_coefficient; /* positive; used if `coefficient` is NULL */
    const long long *regions;    /* region number of each cell, for deflation by regions; numbers may have gaps; NULL:
                                 none */
};

/* Method of a plan. */
typedef enum starfish_diffusion_method {
    STARFISH_DIFFUSION_AUTO,      /* MULTIGRID; CG if deflation or another preconditioner is set */
    STARFISH_DIFFUSION_MULTIGRID, /* conjugate gradients preconditioned by a multigrid cycle */
    STARFISH_DIFFUSION_CG,        /* conjugate gradients with the preconditioner and deflation of the options */
    STARFISH_DIFFUSION_METHODS    /* how many there are */
} starfish_diffusion_method;

/* Preconditioner of conjugate gradients. */
typedef enum starfish_diffusion_preconditioner {
    STARFISH_PRECONDITIONER_AUTO,      /* MULTIGRID with method MULTIGRID, IP with CG */
    STARFISH_PRECONDITIONER_NONE,      /* plain conjugate gradients */
    STARFISH_PRECONDITIONER_JACOBI,    /* the inverse of the diagonal */
    STARFISH_PRECONDITIONER_IP,        /* incomplete Poisson: a truncated Neumann series (Ament, Knittel, Weiskopf,
                                         Strasser, Euromicro PDP 2010) */
    STARFISH_PRECONDITIONER_BLOCK_IC,  /* incomplete Cholesky without fill, on blocks of consecutive unknowns */
    STARFISH_PRECONDITIONER_LINE_Z,    /* tridiagonal systems along the last direction */
    STARFISH_PRECONDITIONER_MULTIGRID, /* a cycle of multigrid */
    STARFISH_PRECONDITIONERS           /* how many there are */
} starfish_diffusion_preconditioner;

/* Deflation vectors of conjugate gradients. */
typedef enum starfish_deflation {
    STARFISH_DEFLATION_AUTO,    /* NONE with a multigrid cycle as preconditioner; else REGIONS if given, else BLOCKS */
    STARFISH_DEFLATION_NONE,    /* no deflation */
    STARFISH_DEFLATION_STRIPES, /* vectors constant on runs of consecutive unknowns */
    STARFISH_DEFLATION_BLOCKS,  /* vectors constant on boxes of cells */
    STARFISH_DEFLATION_REGIONS, /* vectors constant on the problem's regions */
    STARFISH_DEFLATIONS         /* how many there are */
} starfish_deflation;

/* Options of a plan. */
struct starfish_diffusion_options {
    size_t size;                      /* sizeof(struct starfish_diffusion_options); the initialiser sets it */
    starfish_diffusion_method method; /* method of the plan */
    starfish_diffusion_preconditioner preconditioner; /* with method MULTIGRID only AUTO or MULTIGRID */
    starfish_deflation deflation;                     /* sets of cells on which deflation vectors are constant */
    starfish_precision precision;                     /* precision of right-hand sides and solutions */
    int mixed;                                        /* F64: mixed precision, iterations in f32 and residuals in f64 */
    /* Number of stripes, or of blocks per direction; 0: 64 stripes, 8 blocks. The last ones are smaller if the number
     * does not divide the grid; there are at most as many as unknowns. ARGUMENT if the factor (or inverse) of E would
     * take more than 512 MiB. */
    size_t vectors;
    double tolerance;   /* relative residual at convergence; 0: 1e-10 (F64), 1e-6 (F32) */
    int max_iterations; /* maximum number of iterations; 1 or more */
    /* Run exactly max_iterations iterations without residuals, for measurements. */
    int fixed;
    size_t block;    /* block-ic: unknowns per block; 0: four rows of n[0], in 3D four planes */
    size_t slabs;    /* number of runs of rows, in 3D of planes, at most 16; 0: chosen from the workers */
    int reserved[6]; /* zero; set only by starfish_diffusion_option_set */
};
/* Initialiser: every option's default. */
#define STARFISH_DIFFUSION_OPTIONS_DEFAULTS                                                                            \
    {                                                                                                                  \
        .size = sizeof(struct starfish_diffusion_options), .method = STARFISH_DIFFUSION_AUTO,                          \
        .preconditioner = STARFISH_PRECONDITIONER_AUTO, .deflation = STARFISH_DEFLATION_AUTO,                          \
        .precision = STARFISH_F64, .mixed = 0, .vectors = 0, .tolerance = 0, .max_iterations = 10000, .fixed = 0,      \
        .block = 0, .slabs = 0, .reserved = {                                                                          \
            0                                                                                                          \
        }                                                                                                              \
    }

/* Sets an option by its name. This may be a member, or one of the following options for reproducing measurements of the
 * paper, which have no member. They are not stable: a later version may remove them and return an error.
 *
 *   dropped_fill     off, on: ip: only the entries that the matrix has, in one pass
 *   matrix_free      off, on: couplings are computed from k wherever they are needed, instead of stored as diagonals
 *   coarse           how the small matrix E = Z' A Z of the deflation is inverted. band: Cholesky factors of a banded
 *                    matrix, by one core; dense: the inverse, times a vector, as in the paper; halves: the inverse of
 *                    the factor in nested dissection order, sparse, and its transpose; auto: halves where there are
 *                    GPUs, else band
 *   product_with_az  off, on: deflation: A Z is not stored; each step has one more product with A
 *   separate_tasks   off, on: every operation of a step is a task. Otherwise, where one GPU has all the unknowns, some
 *                    steps are one task, which launches fused kernels, all at once as a CUDA graph
 *   dirichlet_nodes  off, on: Dirichlet data are given at nodes a whole width beyond the first and the last unknown,
 *                    instead of half a width: the matrix has 4, or 6, everywhere on the diagonal
 *
 * Set `options` by the initialiser first; `value` is a name or a number as text. Thread-safe for different structs.
 * Errors: ARGUMENT (names the option; *options is unchanged). */
STARFISH_API starfish_status starfish_diffusion_option_set(struct starfish_diffusion_options *options, const char *name,
                                                           const char *value);

/* Creates a plan. `options` may be NULL. The caller owns *plan; destroy it before its context.
 *
 * Solves (starfish/solve.h): rhs and solution are n[0] * n[1] * n[2] reals of options.precision in host or CUDA device
 * memory (detected), and must not overlap. Boundary data have the form of separable problems; they are in host memory
 * and are copied. Norms of results are Euclidean. `fallback` counts final multigrid iterations if the requested method
 * did not converge. The plan's `reason` lists the components of conjugate gradients. Errors: ARGUMENT (names the
 * member, and the first cell whose coefficient is not positive), UNSUPPORTED, NUMERICAL (the matrix of the deflation
 * vectors is not positive definite in this precision), MEMORY, RUNTIME. */
STARFISH_API starfish_status starfish_diffusion_plan_create(starfish_context *context,
                                                            const struct starfish_diffusion_problem *problem,
                                                            const struct starfish_diffusion_options *options,
                                                            starfish_plan **plan);

#ifdef __cplusplus
}
#endif

#endif
