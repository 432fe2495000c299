/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tridiagonal operators of every kind that a change of basis serves, for its tests on both devices. */
#ifndef STARFISH_TESTS_BASIS_CASES_H
#define STARFISH_TESTS_BASIS_CASES_H

#include "fft/kernels/basis.h"
#include "tests/common/reals.h"

enum { BASIS_MOST = 700 };

struct basis_case {
    const char *name;
    int periodic, reflected;
    double end;   /* what is added to the diagonal of the first and last row, times their outward coupling: 0 Neumann */
    double ratio; /* of the largest to the smallest spacing */
    double sign;  /* of the operator: -1 makes couplings negative */
};

static const struct basis_case basis_cases[] = {
    {"uniform, Dirichlet", 0, 1, -1, 1, 1},
    {"uniform, Neumann", 0, 1, 0, 1, 1},
    {"stretched, Dirichlet", 0, 0, -1, 4, 1},
    {"stretched, Neumann", 0, 0, 0, 4, 1},
    {"mirrored", 0, 1, -1, 4, 1},
    {"mirrored, Neumann", 0, 1, 0, 4, 1},
    {"negative couplings", 0, 0, -1, 4, -1},
    {"periodic, uniform", 1, 1, 0, 1, 1},
    {"periodic, stretched", 1, 0, 0, 4, 1},
    {"periodic, mirrored", 1, 1, 0, 4, 1},
};
enum { BASIS_CASES = sizeof basis_cases / sizeof basis_cases[0] };

static const size_t basis_sizes[] = {1, 2, 3, 4, 5, 8, 13, 32, 33, 64, 97};
enum { BASIS_SIZES = sizeof basis_sizes / sizeof basis_sizes[0] };

struct basis_rows {
    size_t n;
    double lower[BASIS_MOST], diag[BASIS_MOST], upper[BASIS_MOST];
};

/* Cell-centred differences on cells of random width 1 .. ratio: rows sum to zero but for the ends. */
static inline struct starfish_basis_operator basis_operator(const struct basis_case *c, size_t n,
                                                            struct basis_rows *rows)
{
    double width[BASIS_MOST];
    unsigned seed = 7;
    for (size_t k = 0; k < n; k++)
        width[k] = 1 + (c->ratio - 1) * (0.5 + 0.5 * test_real_random(&seed));
    for (size_t k = 0; c->reflected && k < n / 2; k++)
        width[n - 1 - k] = width[k];
    rows->n = n;
    for (size_t k = 0; k < n; k++) {
        const double before = width[(k + n - 1) % n], after = width[(k + 1) % n];
        rows->lower[k] = c->sign * 2 / (width[k] * (before + width[k]));
        rows->upper[k] = c->sign * 2 / (width[k] * (width[k] + after));
        rows->diag[k] = -(rows->lower[k] + rows->upper[k]);
    }
    if (!c->periodic) {
        rows->diag[0] += rows->lower[0] * (1 + c->end);
        rows->diag[n - 1] += rows->upper[n - 1] * (1 + c->end);
        rows->lower[0] = rows->upper[n - 1] = 0;
    }
    return (struct starfish_basis_operator){n,           c->periodic,          rows->lower, rows->diag,
                                            rows->upper, STARFISH_BASIS_EXACT, NULL,        NULL};
}

/* About fifty roundings; the operators' entries are of the order of 1, and so is the scaling D. */
static inline double basis_tolerance(starfish_precision precision)
{
    return precision == STARFISH_F32 ? 5e-5 : 1e-13;
}

#endif
