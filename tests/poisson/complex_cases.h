/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between the files of the tests of problems in complex numbers: random problems and their matrices. */
#ifndef STARFISH_TESTS_COMPLEX_CASES_H
#define STARFISH_TESTS_COMPLEX_CASES_H

#include <starfish/starfish.h>

#include <complex.h>

typedef double _Complex number;
/* <complex.h> has it in single precision. */
#undef I
#define I ((number)_Complex_I)

/* x as pairs, whose imaginary parts are zero unless complex_line; the flag is passed on to the library only then. */
struct problem {
    struct starfish_axis x, y;
    number *lower, *diag, *upper;
    int complex_line;
    double lambda;
};

/* What the tests run on. */
extern starfish_context *complex_context;

number *complex_random(size_t count, unsigned *seed);
/* Imaginary parts leave rows dominant. */
struct problem complex_problem(size_t nx, int periodic_x, size_t ny, int periodic_y, int complex_line, unsigned *seed);
void complex_free_problem(struct problem *p);
size_t complex_unknowns(const struct problem *p);
starfish_status complex_plan(const struct problem *p, const struct starfish_poisson_options *options,
                             starfish_plan **plan);
/* f = A u */
void complex_apply(const struct problem *p, const number *u, number *f);
/* In the max norm; infinite where it is no number. */
double complex_difference(const number *a, const number *b, size_t count);

/* The tests of complex_fishpack.c. */
void cblktri_recovers_random_fields(void **state);
void solves_fishpacks_example(void **state);
void cblktri_says_fishpacks_numbers(void **state);
void a_handle_serves_both_kinds(void **state);
void threads_solve_at_once(void **state);

#endif
