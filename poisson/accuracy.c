/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loss of accuracy in block cyclic reduction.
 *
 * Elimination along y (along z where that weighs the part in x) uses shifts. If y is a layer much thinner than the
 * other directions, these are below the rounding errors of y's diagonals. Errors grow by the ratio of y's largest row
 * to the smallest eigenvalue of the whole operator. On a uniform grid of n rows that is about 0.4 n^2, which is
 * harmless. Partial fractions also need a z that a mild scaling makes symmetric; otherwise the product form with its
 * chains. Bound by the eigenvalues, O(n^2). */
#include "poisson/accuracy.h"

#include "base/c_locale.h"
#include "base/precision.h"
#include "blktri/plan.h"
#include "poisson/null_space.h"
#include "poisson/spectra.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ORDINARY 100.0    /* times n^2: rows that no grid of similar spacings has */
#define ORDINARY_FEW 16.0 /* the same of few rows, and for the fewest of them */
#define ORDINARY_LEAST 1e3
#define FEW_ROWS 64      /* whose basis is cheaper than cyclic reduction in any case, */
#define FEW_LOST 500     /* so that nothing needs to be lost */
#define MOST_LOST 1e-2   /* of a solution, by that estimate, whatever n */
#define NOTHING_LEFT 0.1 /* of a solution whose rows are not ordinary */

/* The two eigenvalues nearest to zero of a direction that has none of both signs. */
struct nearest {
    double first, second;
};

static starfish_status find_nearest(const struct starfish_direction *d, struct nearest *nearest)
{
    double *values = malloc(d->n * sizeof *values), error;
    int known;
    STARFISH_FAIL_IF(!values, STARFISH_ERROR_MEMORY, "out of memory for %zu eigenvalues", d->n);
    const starfish_status status = starfish_direction_spectrum(d, values, &error, &known);
    *nearest = (struct nearest){INFINITY, INFINITY};
    for (size_t k = 0; k < d->n && status == STARFISH_SUCCESS && known; k++) {
        const double size = fabs(values[k]);
        nearest->second = fmin(nearest->second, fmax(nearest->first, size));
        nearest->first = fmin(nearest->first, size);
    }
    free(values);
    return status;
}

/* Of a semidefinite operator, the smallest eigenvalue but for the zero of a singular problem, which rounding errors may
 * make another small number; infinite where it is not known. */
static double smallest_eigenvalue(const struct starfish_poisson_plan *plan)
{
    double first = fabs(plan->lambda), second = INFINITY;
    for (int a = starfish_poisson_is_complex(plan) ? 1 : 0; a < 3; a++) {
        struct nearest nearest;
        if (find_nearest(&plan->direction[a], &nearest) != STARFISH_SUCCESS)
            return INFINITY;
        first += nearest.first;
        second = fmin(second, nearest.second);
    }
    return plan->singular ? second : first;
}

double starfish_row_size(const struct starfish_direction *d, size_t k)
{
    const double *const real[] = {d->lower, d->diag, d->upper};
    double size = 0;
    for (size_t part = 0; part < 3; part++)
        size += d->imaginary ? hypot(real[part][k], d->imaginary[part * d->n + k]) : fabs(real[part][k]);
    return size;
}

double starfish_largest_row(const struct starfish_direction *d)
{
    double largest = 0;
    for (size_t k = 0; k < d->n; k++)
        largest = fmax(largest, starfish_row_size(d, k));
    return largest;
}

double starfish_ordinary_rows(double n)
{
    return n > FEW_ROWS ? ORDINARY * n * n : fmax(ORDINARY_LEAST, ORDINARY_FEW * n * n);
}

/* What errors grow by that are of the rounding of an axis's rows. */
static double amplification(const struct starfish_poisson_plan *plan, int axis)
{
    if (!starfish_is_semidefinite(plan->direction, plan->lambda))
        return 1;
    return starfish_largest_row(&plan->direction[axis]) / smallest_eigenvalue(plan);
}

int starfish_blktri_loses_digits(const struct starfish_poisson_plan *plan, char *text, size_t size)
{
    const double n = (double)plan->n[1];
    if (!starfish_blktri_fractions_suit(&plan->direction[2])) {
        snprintf(text, size, "%s is too far from symmetric for partial fractions", plan->name[2]);
        return 1;
    }
    /* Roots of z are found from its diagonals, which a few rows show most. */
    const int few = plan->n[1] <= FEW_ROWS && plan->n[2] <= FEW_ROWS;
    const double lost = fmax(amplification(plan, 1), few ? amplification(plan, 2) : 0);
    if (n > FEW_ROWS && lost <= fmin(ORDINARY * n * n, MOST_LOST / starfish_epsilon(plan->options.precision)))
        return 0;
    if (n <= FEW_ROWS && lost <= FEW_LOST)
        return 0;
    starfish_print(text, size, "cyclic reduction loses digits: its rows are %.2g times the smallest eigenvalue", lost);
    return 1;
}

starfish_status starfish_blktri_check_digits(const struct starfish_poisson_plan *plan)
{
    const int lines = starfish_spectral_line_axis(plan->direction);
    const double n = (double)plan->n[lines], lost = amplification(plan, lines);
    return STARFISH_OR_FAIL(
        lost <= ORDINARY * n * n || lost * starfish_epsilon(plan->options.precision) <= NOTHING_LEFT,
        STARFISH_ERROR_UNSUPPORTED,
        "cyclic reduction would lose all digits: rows of %s are %.2g times the smallest eigenvalue of "
        "the problem; method slab does not",
        plan->name[lines], lost);
}
