/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Batches of tridiagonal systems (lines): A_l x = d for l = 0 .. lines-1, A_l of n rows
 *     lower[k] x(k-1) + (diag[k] + shift) x(k) + upper[k] x(k+1) = d(k),
 * on every worker of a context. A plan holds everything that does not depend on the right-hand sides.
 *
 * A CPU worker of several cores divides each piece of the lines among them. If a context has GPUs and cores, and all
 * arrays of a large batch are in host memory, the plan measures its first solves that do not overlap. Two run on the
 * GPUs alone and two on the cores alone; later solves are shared in proportion.
 *
 * Only STARFISH_ALGORITHM_PIVOTED pivots. The other algorithms are stable if every matrix is diagonally dominant by
 * rows or columns, symmetric positive or negative definite, or an M-matrix: elimination then grows no entry (Higham,
 * Accuracy and Stability of Numerical Algorithms, 9.6). For other matrices use PIVOTED, or set `check`, which rejects
 * matrices that the chosen algorithm cannot solve. PIVOTED has a backward error at the level of rounding for every
 * regular matrix, periodic lines included.
 *
 * Thread-safety: a plan may be used from several threads at once, on different right-hand sides. */
#ifndef STARFISH_TRIDIAG_PUBLIC_H
#define STARFISH_TRIDIAG_PUBLIC_H

#include <starfish/solve.h>
#include <starfish/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Algorithm that solves one line. */
typedef enum starfish_algorithm {
    STARFISH_ALGORITHM_AUTO,       /* chosen by measured crossovers */
    STARFISH_ALGORITHM_THOMAS,     /* elimination from the first row, one line per thread or SIMD lane */
    STARFISH_ALGORITHM_TILED,      /* Thomas on pieces of a line in registers, cyclic reduction of the system that joins
                                      them */
    STARFISH_ALGORITHM_CR,         /* cyclic reduction, even and odd rows stored separately (Goeddeke, Strzodka 2011) */
    STARFISH_ALGORITHM_PCR,        /* parallel cyclic reduction (Hockney, Jesshope 1981) */
    STARFISH_ALGORITHM_CR_PCR,     /* cyclic reduction down to few rows, then PCR (Zhang, Cohen, Owens 2010) */
    STARFISH_ALGORITHM_PCR_THOMAS, /* PCR down to many short lines, then Thomas */
    STARFISH_ALGORITHM_PIVOTED,    /* elimination with row interchanges, for any regular matrix */
    STARFISH_ALGORITHMS            /* how many there are */
} starfish_algorithm;

/* Strides of an array, in elements: element k of line l is at k * row + l * line. Contiguous lines: {1, n}; interleaved
 * lines: {lines, 1}. All strides below 2^32 that keep elements distinct are valid. line = 0: all lines share the
 * coefficients. The stride of a direction of one element is ignored (row if n is 1, line if lines is 1). */
struct starfish_layout {
    size_t row;  /* from one element of a line to the next */
    size_t line; /* from one line to the next */
};

/* A batch of lines: coefficients, and the layout of right-hand sides and solutions. */
struct starfish_tridiag_problem {
    size_t size;     /* sizeof(struct starfish_tridiag_problem), or 0: that of the first release */
    size_t n;        /* unknowns per line, 1 .. 2^26 */
    size_t lines;    /* number of lines, 1 .. 2^22 */
    size_t rhs;      /* right-hand sides per line, 1 .. 65535 */
    int complex_rhs; /* right-hand sides and solutions are pairs (real part, imaginary part); coefficients are real */
    int periodic;    /* lower[0] couples to x(n-1), upper[n-1] to x(0); otherwise both are ignored */
    /* Reals of the plan's precision in host or CUDA device memory (detected), aligned to their size. Every solve reads
     * them, so they must outlive the plan. Call starfish_tridiag_plan_update after changing them. */
    const void *lower, *diag, *upper;
    struct starfish_layout coefficients; /* layout of each of lower, diag and upper */
    const void *shift;                   /* one real per line, added to diag; NULL: none */
    struct starfish_layout vectors;      /* layout of right-hand sides and solutions, in reals or complex pairs */
    size_t rhs_stride; /* stride between the right-hand sides of a line: below 2^32; any that keeps elements distinct,
                          also smaller than those of rows or lines; ignored if rhs is 1 */
};

/* Options of a plan. */
struct starfish_tridiag_options {
    /* sizeof(struct starfish_tridiag_options); the initialiser sets it. A smaller size, from a program compiled with an
     * older header, is accepted: the missing members take their defaults. */
    size_t size;
    starfish_precision precision; /* precision of coefficients, right-hand sides and solutions */
    starfish_algorithm algorithm; /* AUTO: chosen from sizes and workers */
    size_t slabs;                 /* number of tasks that the lines are divided into; 0: chosen from the workers */
    int keep_factors; /* THOMAS only: keep the factorisation in the plan, two reals per unknown of each distinct matrix;
                         solves then need no division */
    int check;        /* when the plan is created or updated, reject matrices for which the algorithm may not be stable
                         (starfish_tridiag_plan_growth); not with PIVOTED */
};
/* Initialiser: every option's default. */
#define STARFISH_TRIDIAG_OPTIONS_DEFAULTS                                                                              \
    {                                                                                                                  \
        .size = sizeof(struct starfish_tridiag_options), .precision = STARFISH_F64,                                    \
        .algorithm = STARFISH_ALGORITHM_AUTO, .slabs = 0, .keep_factors = 0, .check = 0                                \
    }

/* Creates a plan for starfish/solve.h. problem.vectors is the layout of rhs and solution, which may be the same array;
 * there is no boundary data. If elimination breaks down, the solution is not finite.
 *
 * `options` may be NULL. The caller owns *plan; destroy it before its context.
 * Errors: ARGUMENT (names the member), UNSUPPORTED (the algorithm cannot do this size on these workers), SINGULAR
 * (`check`: names a line with a pivot that is zero or has no reciprocal), NUMERICAL (`check`: names the line of the
 * largest growth), MEMORY, RUNTIME. */
STARFISH_API starfish_status starfish_tridiag_plan_create(starfish_context *context,
                                                          const struct starfish_tridiag_problem *problem,
                                                          const struct starfish_tridiag_options *options,
                                                          starfish_plan **plan);
/* Checks and factorises again after the coefficients or shifts have changed in place. No job may be running. Errors:
 * those of the plan's creation. */
STARFISH_API starfish_status starfish_tridiag_plan_update(starfish_plan *plan);
/* Returns the factor by which the algorithm may amplify rounding errors, the maximum over all lines, and sets *line to
 * that line. NaN without `check`, which rejects factors above 16. The factor is the largest pivot over the largest
 * entry in elimination from the first row, if the algorithm eliminates so or every order of elimination is stable. That
 * holds for matrices that are dominant by rows or columns, definite, M-matrices, or other H-matrices. For other
 * matrices, with CR, PCR, their hybrids and on periodic lines, it is the largest backward error of trial solves, in
 * units of rounding. On GPUs, AUTO and TILED eliminate in an order that depends on the batch, so other matrices are
 * rejected. */
STARFISH_API double starfish_tridiag_plan_growth(const starfish_plan *plan, size_t *line);

#ifdef __cplusplus
}
#endif

#endif
