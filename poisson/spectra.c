/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The eigenvalues of all directions. Those of a matrix take the time of LAPACK, and are computed once per plan. */
#include "poisson/spectra.h"

#include "blktri/kernels/reduction.h"
#include "fft/kernels/definite.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Without values, by Gershgorin's circles around the diagonal: the ends of the interval that their real parts cover.
 * Where couplings have one sign, one of the ends is a row's sum, which is known without rounding errors. */
static void find_bounds(const struct starfish_direction *d, const double *ascending, double real[2])
{
    if (ascending) {
        real[0] = ascending[0];
        real[1] = ascending[d->n - 1];
        return;
    }
    real[0] = HUGE_VAL;
    real[1] = -HUGE_VAL;
    for (size_t k = 0; k < d->n; k++) {
        const double couplings = d->imaginary ? HUGE_VAL : fabs(d->lower[k]) + fabs(d->upper[k]);
        real[0] = fmin(real[0], d->signs & STARFISH_SIGN_OPPOSITE ? d->sum[k] : d->diag[k] - couplings);
        real[1] = fmax(real[1], d->signs & STARFISH_SIGN_LAPLACIAN ? d->sum[k] : d->diag[k] + couplings);
    }
}

static int ascending(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* Returns 1 if all rows are coupled, with the signs that definite.h requires. */
static int is_definite(const struct starfish_direction *d)
{
    for (size_t k = 0; k + 1 < d->n; k++)
        if (d->upper[k] == 0 || d->lower[k + 1] == 0)
            return 0;
    return d->signs != 0 && !d->periodic;
}

static starfish_status definite_spectrum(const struct starfish_direction *d, double *values)
{
    const double sign = d->signs & STARFISH_SIGN_LAPLACIAN ? -1 : 1;
    double *sizes = malloc(3 * d->n * sizeof *sizes);
    STARFISH_FAIL_IF(!sizes, STARFISH_ERROR_MEMORY, "out of memory for %zu eigenvalues", d->n);
    for (size_t k = 0; k < d->n; k++) {
        sizes[k] = fabs(d->lower[k]);
        sizes[d->n + k] = fabs(d->upper[k]);
        sizes[2 * d->n + k] = fabs(d->sum[k]);
    }
    const starfish_status status = starfish_definite_eigenvalues(d->n, sizes, sizes + d->n, sizes + 2 * d->n, values);
    for (size_t k = 0; k < d->n; k++)
        values[k] *= sign;
    qsort(values, d->n, sizeof *values, ascending);
    free(sizes);
    return status;
}

static double largest_entry(const struct starfish_direction *d)
{
    double largest = 0;
    for (size_t k = 0; k < d->n; k++)
        largest = fmax(largest, fmax(fabs(d->diag[k]), fmax(fabs(d->lower[k]), fabs(d->upper[k]))));
    return largest;
}

starfish_status starfish_direction_spectrum(const struct starfish_direction *d, double *values, double *error,
                                            int *known)
{
    *known = 1;
    *error = 0;
    if (d->has_transform) {
        memcpy(values, d->eigenvalue, d->n * sizeof *values);
        qsort(values, d->n, sizeof *values, ascending);
        return STARFISH_SUCCESS;
    }
    if (d->imaginary || starfish_check_symmetrizable("", d->lower, d->upper, d->n, d->periodic) != STARFISH_SUCCESS) {
        *known = 0;
        return STARFISH_SUCCESS;
    }
    if (is_definite(d) && definite_spectrum(d, values) == STARFISH_SUCCESS)
        return STARFISH_SUCCESS;
    *error = 16 * DBL_EPSILON * largest_entry(d);
    return d->periodic ? starfish_periodic_roots(d->lower, d->diag, d->upper, d->n, values)
                       : starfish_tridiagonal_roots(d->lower, d->diag, d->upper, 0, d->n - 1, values);
}

starfish_status starfish_spectra_find(struct starfish_spectra *spectra, const struct starfish_direction *direction,
                                      enum starfish_modes_of_x modes)
{
    memset(spectra, 0, sizeof *spectra);
    spectra->value[0] = malloc((direction[0].n + direction[1].n + direction[2].n) * sizeof *spectra->value[0]);
    STARFISH_FAIL_IF(!spectra->value[0], STARFISH_ERROR_MEMORY, "out of memory for eigenvalues");
    spectra->looked_for = spectra->known = 1;
    for (int d = 0; d < 3; d++) {
        double error = 0;
        int real = 0;
        if (d > 0)
            spectra->value[d] = spectra->value[d - 1] + direction[d - 1].n;
        spectra->n[d] = direction[d].n;
        STARFISH_TRY(starfish_direction_spectrum(&direction[d], spectra->value[d], &error, &real));
        find_bounds(&direction[d], real ? spectra->value[d] : NULL, spectra->real[d]);
        spectra->known &= real;
        spectra->error += error;
    }
    if (modes != STARFISH_ALL_MODES)
        spectra->n[0] = 1;
    if (modes == STARFISH_FIRST_MODE) { /* weights do not change a zero, and no sign */
        spectra->value[0][0] = 0;
        spectra->real[0][0] = -HUGE_VAL;
        spectra->real[0][1] = 0;
        spectra->known &= direction[0].constant_null;
    }
    return STARFISH_SUCCESS;
}

void starfish_spectra_destroy(struct starfish_spectra *spectra)
{
    free(spectra->value[0]);
    memset(spectra, 0, sizeof *spectra);
}

size_t starfish_first_not_below(const double *ascending, size_t n, double least)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (ascending[middle] < least)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
