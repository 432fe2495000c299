/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A kind of plans as small as one can be: u'' + lambda u = f on many lines of equal cells, each line for itself. It
 * shows what a new kind needs (docs/developers.md), and tests that it needs no more. */
#ifndef STARFISH_TESTS_HELMHOLTZ1D_H
#define STARFISH_TESTS_HELMHOLTZ1D_H

#include <starfish/starfish.h>

struct starfish_helmholtz1d_problem {
    size_t size; /* sizeof(struct starfish_helmholtz1d_problem), or 0: that of the first release */
    size_t n[2]; /* cells of a line, lines */
    double length;
    double lambda;        /* 0 or less */
    starfish_end ends[2]; /* both PERIODIC, or each DIRICHLET or NEUMANN, of zero */
};

typedef enum starfish_helmholtz1d_method {
    STARFISH_HELMHOLTZ1D_THOMAS, /* a batch of tridiagonal lines */
    STARFISH_HELMHOLTZ1D_JACOBI, /* damped steps */
    STARFISH_HELMHOLTZ1D_METHODS
} starfish_helmholtz1d_method;

struct starfish_helmholtz1d_options {
    size_t size;
    starfish_helmholtz1d_method method;
    starfish_precision precision;
    starfish_algorithm algorithm; /* thomas */
    int max_iterations;           /* jacobi */
    double tolerance;             /* jacobi: max |f - A u| / max |f|; 0: 1e-10, in f32 1e-6 */
    size_t slabs;                 /* runs of lines; 0: chosen from the workers */
    int fixed;                    /* jacobi: exactly max_iterations steps */
};
#define STARFISH_HELMHOLTZ1D_OPTIONS_DEFAULTS                                                                          \
    {                                                                                                                  \
        .size = sizeof(struct starfish_helmholtz1d_options), .method = STARFISH_HELMHOLTZ1D_THOMAS,                    \
        .precision = STARFISH_F64, .algorithm = STARFISH_ALGORITHM_AUTO, .max_iterations = 10000, .tolerance = 0,      \
        .slabs = 0, .fixed = 0                                                                                         \
    }

/* Right-hand sides and solutions: n[1] lines of n[0] reals, one behind the other, in host memory; not the same array.
 * Errors: ARGUMENT, SINGULAR, MEMORY, RUNTIME. */
starfish_status starfish_helmholtz1d_plan_create(starfish_context *context,
                                                 const struct starfish_helmholtz1d_problem *problem,
                                                 const struct starfish_helmholtz1d_options *options,
                                                 starfish_plan **plan);

#endif
