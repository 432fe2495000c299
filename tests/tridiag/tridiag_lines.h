/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines of the tests of tridiag.h: random numbers, operators, the reference, and how far from it a solution may be. */
#ifndef STARFISH_TESTS_TRIDIAG_LINES_H
#define STARFISH_TESTS_TRIDIAG_LINES_H

#include "tridiag/kernels/tridiag.h"
#include "tridiag/kernels/tridiag_ref.h"
#include <starfish/types.h>

#define STABILITY 4.0

/* Where kernels run. Memory has guard zones on both sides, which release checks. */
struct test_device {
    const char *name;
    void *(*upload)(const void *contents, size_t bytes); /* contents NULL: filled with NaN */
    void (*download)(void *to, const void *from, size_t bytes);
    void (*release)(void); /* all that was uploaded */
    size_t (*chain_workspace)(size_t n, size_t lanes, size_t vectors, int periodic, size_t real_size);
    void (*chain)(starfish_precision precision, const struct starfish_tridiag_chain *arguments);
};
extern const struct test_device test_cpu, test_cpu_windows; /* the second one does chains by windows of lanes */

enum test_operator {
    TEST_POISSON,   /* Dirichlet ends, unit spacing */
    TEST_STRETCHED, /* Dirichlet ends, spacings growing geometrically to 100 times the first */
    TEST_RANDOM,    /* diagonally dominant, entries of both signs */
    TEST_NEUMANN,   /* row sums zero: singular without a shift */
    TEST_OPERATORS
};

double uniform(double low, double high);
double rounded(starfish_precision precision, double value);
double epsilon(starfish_precision precision);

/* Of `count` doubles that are reals of that precision; zeros, or between the two numbers. */
double *new_array(size_t count);
double *random_array(starfish_precision precision, size_t count, double low, double high);

/* Doubles to the device, as reals, and back. */
void *upload_reals(const struct test_device *device, starfish_precision precision, const double *values, size_t count);
void download_reals(const struct test_device *device, starfish_precision precision, double *values, const void *from,
                    size_t count);

struct coefficients {
    size_t n;
    int periodic;
    double *lower, *diag, *upper;
};

struct coefficients new_coefficients(starfish_precision precision, enum test_operator operator, size_t n, int periodic);
void free_coefficients(struct coefficients *line);
struct starfish_tridiag_operator upload_operator(const struct test_device *device, starfish_precision precision,
                                                 const struct coefficients *line);
struct starfish_tridiag_ref_line reference_line(const struct coefficients *line, double shift, int pinned);

double largest(const long double *x, size_t n);

/* Bounds of the maximum norms of A = T + shift I and of its inverse. */
struct norms {
    double matrix, inverse;
};

struct norms bound_norms(const struct coefficients *line, double shift, int pinned);

/* Element k of the line is at found[k * stride]. Returns the error in units of the bound; infinite for NaN. */
double relative_to_bound(const double *found, size_t stride, const long double *expected, size_t n, double bound);

/* Largest error seen so far in units of the bound, printed by the programs at their end. */
double test_worst_error(void);

#endif
