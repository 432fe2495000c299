/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Batches of tridiagonal systems (lines): A_l x = d for l = 0 .. lines-1, A_l of n rows
 *     lower[k] x(k-1) + (diag[k] + shift) x(k) + upper[k] x(k+1) = d(k),
 * on every worker of a context. A plan holds everything that does not depend on the right-hand sides.
 *
 * The cores of a team share each piece of the lines that their worker gets. Where a context has GPUs and cores and all
 * arrays of a large batch are in host memory, a plan finds from its first solves that do not overlap how many pieces
 * each kind of worker should take: two by the GPUs alone, two by the cores alone, then shares.
 *
 * No pivoting unless asked for: stable when every matrix is diagonally dominant by rows or columns, symmetric positive
 * or negative definite, or an M-matrix; elimination then grows no entry (Higham, Accuracy and Stability of Numerical
 * Algorithms, 9.6). For anything else take STARFISH_ALGORITHM_PIVOTED, or set `check`, which refuses what the chosen
 * algorithm does not solve. PIVOTED has a backward error of rounding for every regular matrix, also of periodic lines.
 *
 * Thread-safety: a plan may be used from several threads at once, on different right-hand sides. */
#ifndef STARFISH_TRIDIAG_PUBLIC_H
#define STARFISH_TRIDIAG_PUBLIC_H

#include <starfish/solve.h>
#include <starfish/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How one line is solved. */
typedef enum starfish_algorithm {
    STARFISH_ALGORITHM_AUTO,       /* by measured crossovers */
    STARFISH_ALGORITHM_THOMAS,     /* elimination from the top, one line per thread or SIMD lane */
    STARFISH_ALGORITHM_TILED,      /* Thomas on pieces of a line in registers, cyclic reduction of what joins them */
    STARFISH_ALGORITHM_CR,         /* cyclic reduction, even and odd rows stored apart (Goeddeke, Strzodka 2011) */
    STARFISH_ALGORITHM_PCR,        /* parallel cyclic reduction (Hockney, Jesshope 1981) */
    STARFISH_ALGORITHM_CR_PCR,     /* cyclic reduction down to few rows, those by PCR (Zhang, Cohen, Owens 2010) */
    STARFISH_ALGORITHM_PCR_THOMAS, /* PCR down to many short lines, those by Thomas */
    STARFISH_ALGORITHM_PIVOTED,    /* elimination with row interchanges, for any regular matrix */
    STARFISH_ALGORITHMS            /* how many there are */
} starfish_algorithm;

/* Where things are, in elements: element k of line l at k * row + l * line. Contiguous lines: {1, n}; interleaved:
 * {lines, 1}; any other strides below 2^32 that keep all elements apart will do. line = 0 is for coefficients that all
 * lines share. Strides in directions of one element (row where n is 1, line where lines is 1) are ignored. */
struct starfish_layout {
    size_t row;  /* from one element of a line to the next */
    size_t line; /* from one line to the next */
};

/* A batch of lines: coefficients, and where right-hand sides and solutions lie. */
struct starfish_tridiag_problem {
    size_t size;     /* sizeof(struct starfish_tridiag_problem), or 0: that of the first release */
    size_t n;        /* unknowns of a line, 1 .. 2^26 */
    size_t lines;    /* 1 .. 2^22 */
    size_t rhs;      /* right-hand sides per line, 1 .. 65535 */
    int complex_rhs; /* right-hand sides and solutions are pairs (real part, imaginary part); coefficients are real */
    int periodic;    /* lower[0] couples to x(n-1), upper[n-1] to x(0); otherwise both are ignored */
    /* Reals of the plan's precision in host or CUDA device memory (recognised), aligned to themselves. They are read in
     * every solve, so they must outlive the plan and may change only before starfish_tridiag_plan_update. */
    const void *lower, *diag, *upper;
    struct starfish_layout coefficients; /* of lower, diag and upper alike */
    const void *shift;                   /* one real per line, added to diag; NULL: none */
    struct starfish_layout vectors;      /* of right-hand sides and solutions, in reals or complex pairs */
    size_t rhs_stride; /* from one right-hand side of a line to the next: below 2^32, and any that keeps all elements
                          apart, also between rows or lines; ignored when rhs is 1 */
};

/* How a plan is made and solves. */
struct starfish_tridiag_options {
    /* sizeof(struct starfish_tridiag_options); the initialiser sets it. A smaller one, of a program that was
     * compiled with an older header, is accepted: members that it does not have take their defaults. */
    size_t size;
    starfish_precision precision; /* of coefficients, right-hand sides and solutions */
    starfish_algorithm algorithm; /* AUTO: chosen from sizes and workers */
    size_t slabs;                 /* tasks that the lines are cut into; 0: chosen from the workers */
    int keep_factors; /* THOMAS only: keep the factorisation in the plan, two reals per unknown of every different
                         matrix; solves then need no division */
    int check;        /* refuse matrices, when the plan is made and updated, that the algorithm may not solve up to
                         rounding errors times the condition (starfish_tridiag_plan_growth); not with PIVOTED */
};
/* Initialiser: every option's default. */
#define STARFISH_TRIDIAG_OPTIONS_DEFAULTS                                                                              \
    {                                                                                                                  \
        .size = sizeof(struct starfish_tridiag_options), .precision = STARFISH_F64,                                    \
        .algorithm = STARFISH_ALGORITHM_AUTO, .slabs = 0, .keep_factors = 0, .check = 0                                \
    }

/* A plan for starfish/solve.h, whose arrays are laid out as problem.vectors says; rhs and solution may be the same, and
 * there is no boundary data. A matrix that breaks down gives a solution that is not finite.
 *
 * `options` may be NULL. The caller owns *plan; destroy it before its context.
 * Errors: ARGUMENT (names the member), UNSUPPORTED (the algorithm cannot do this size on these workers), SINGULAR
 * (`check`: names a line with a pivot that is zero or has no reciprocal), NUMERICAL (`check`: names the line of the
 * largest growth), MEMORY, RUNTIME. */
STARFISH_API starfish_status starfish_tridiag_plan_create(starfish_context *context,
                                                          const struct starfish_tridiag_problem *problem,
                                                          const struct starfish_tridiag_options *options,
                                                          starfish_plan **plan);
/* After the coefficients or shifts have changed where they lie: checks and factorises again. No job may be running.
 * Errors: as of the creation. */
STARFISH_API starfish_status starfish_tridiag_plan_update(starfish_plan *plan);
/* By how much the algorithm may enlarge rounding errors, at worst over all lines, and the line; NaN unless `check`,
 * which refuses more than 16. It is the largest pivot over the largest entry in elimination from the top where that is
 * what the algorithm does, or where every order of elimination is stable: for matrices that are dominant by rows or
 * columns, definite, M-matrices, or other H-matrices. For other matrices it is the largest backward error of trial
 * solves, in units of rounding, with CR, PCR, their hybrids and on periodic lines. On GPUs AUTO and TILED eliminate in
 * an order that depends on the batch, and other matrices are refused. */
STARFISH_API double starfish_tridiag_plan_growth(const starfish_plan *plan, size_t *line);

#ifdef __cplusplus
}
#endif

#endif
