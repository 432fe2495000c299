/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What every transform of transform.h knows without a plan: its name, its scale and the eigenvalues it produces.
 *
 * All kinds diagonalise the second difference with eigenvalue -(2/h sin(theta/2))^2 and
 *     theta/2 = pi (2 k + shift) / (4 (n + extra)),   k = 0 .. n-1,
 * so a kind is two small integers (Swarztrauber 1977, table 1; Strang, "The discrete cosine transform", SIAM Rev. 41
 * (1999)). FFTW's logical size, hence the scale, is 2 (n + extra). The periodic kind has theta/2 = pi k/n. */
#include "fft/kernels/transform.h"

#include <math.h>

struct kind {
    const char *name;
    int shift;
    int extra;
};

static const struct kind kinds[STARFISH_TRANSFORM_KINDS] = {
    [STARFISH_TRANSFORM_PERIODIC] = {"periodic", 0, 0}, [STARFISH_TRANSFORM_DD_NODE] = {"dd_node", 2, 1},
    [STARFISH_TRANSFORM_NN_NODE] = {"nn_node", 0, -1},  [STARFISH_TRANSFORM_DN_NODE] = {"dn_node", 1, 0},
    [STARFISH_TRANSFORM_ND_NODE] = {"nd_node", 1, 0},   [STARFISH_TRANSFORM_DD_CELL] = {"dd_cell", 2, 0},
    [STARFISH_TRANSFORM_NN_CELL] = {"nn_cell", 0, 0},   [STARFISH_TRANSFORM_DN_CELL] = {"dn_cell", 1, 0},
    [STARFISH_TRANSFORM_ND_CELL] = {"nd_cell", 1, 0},   [STARFISH_TRANSFORM_IDENTITY] = {"identity", 0, 0},
};

static size_t extended_size(enum starfish_transform_kind kind, size_t n)
{
    return n + (size_t)kinds[kind].extra;
}

const char *starfish_transform_name(enum starfish_transform_kind kind)
{
    return (unsigned)kind < STARFISH_TRANSFORM_KINDS ? kinds[kind].name : "unknown transform";
}

double starfish_transform_scale(enum starfish_transform_kind kind, size_t n)
{
    if (kind == STARFISH_TRANSFORM_IDENTITY)
        return 1;
    if (kind == STARFISH_TRANSFORM_PERIODIC)
        return (double)n;
    return 2 * (double)extended_size(kind, n);
}

/* theta/2 = pi numerator / denominator with exact integers, in [0, pi/2], where sin loses nothing. */
static double eigenvalue_of(size_t numerator, size_t denominator, double h, int spectral)
{
    const long double pi = 3.141592653589793238462643383279502884L;
    if (numerator == 0)
        return 0;
    const long double angle = pi * (long double)numerator / (long double)denominator;
    const long double root = 2 / (long double)h * (spectral ? angle : sinl(angle));
    return (double)(-root * root);
}

static void find_eigenvalues(enum starfish_transform_kind kind, size_t n, double h, int spectral, double *eigenvalue)
{
    for (size_t k = 0; k < n; k++) {
        if (kind == STARFISH_TRANSFORM_IDENTITY)
            eigenvalue[k] = 0;
        else if (kind == STARFISH_TRANSFORM_PERIODIC)
            eigenvalue[k] = eigenvalue_of(k < n - k ? k : n - k, n, h, spectral);
        else
            eigenvalue[k] = eigenvalue_of(2 * k + (size_t)kinds[kind].shift, 4 * extended_size(kind, n), h, spectral);
    }
}

void starfish_transform_eigenvalues(enum starfish_transform_kind kind, size_t n, double h, double *eigenvalue)
{
    find_eigenvalues(kind, n, h, 0, eigenvalue);
}

void starfish_transform_spectral_eigenvalues(enum starfish_transform_kind kind, size_t n, double h, double *eigenvalue)
{
    find_eigenvalues(kind, n, h, 1, eigenvalue);
}
