/* Residual of the seven-point operator on the CPU: row by row along x, bound by reading u and the right-hand side. */
#include "stencil/kernels/stencil.h"

#include "base/real.h"

#include <math.h>

/* The rows next to row (j,k), in y and in z; absent ones are the row itself with coefficient zero. */
struct neighbours {
    const real *south, *north, *below, *above;
    real south_weight, north_weight, below_weight, above_weight, centre;
    real south_imaginary, north_imaginary, centre_imaginary; /* of a complex y */
};

static void neighbour(const real *inside, const real *wrapped, const real *row, real weight, const real **pointer,
                      real *pointer_weight)
{
    const real *other = inside ? inside : wrapped;
    *pointer = other ? other : row;
    *pointer_weight = other ? weight : 0;
}

static struct neighbours find(const struct starfish_residual *a, size_t j, size_t k)
{
    const size_t nx = a->n[0], ny = a->n[1], plane = nx * ny;
    const real *u = a->u, *row = u + j * nx + k * plane, *first = row - j * nx, *last = first + (ny - 1) * nx;
    const size_t pair = a->complex_y ? 2 * j : j;
    const real *ly = (const real *)a->axis[1].lower + pair, *dy = (const real *)a->axis[1].diag + pair;
    const real *uy = (const real *)a->axis[1].upper + pair;
    const real *lz = a->axis[2].lower, *dz = a->axis[2].diag, *uz = a->axis[2].upper;
    const real *outer_below = a->below, *outer_above = a->above;
    const size_t z = a->first_plane + k;
    struct neighbours n = {.south_imaginary = 0};
    neighbour(j > 0 ? row - nx : NULL, a->axis[1].periodic ? last : NULL, row, *ly, &n.south, &n.south_weight);
    neighbour(j + 1 < ny ? row + nx : NULL, a->axis[1].periodic ? first : NULL, row, *uy, &n.north, &n.north_weight);
    neighbour(k > 0 ? row - plane : NULL, outer_below ? outer_below + j * nx : NULL, row, lz[z], &n.below,
              &n.below_weight);
    neighbour(k + 1 < a->n[2] ? row + plane : NULL, outer_above ? outer_above + j * nx : NULL, row, uz[z], &n.above,
              &n.above_weight);
    n.centre = *dy + dz[z] + (real)a->lambda;
    if (a->complex_y) {
        n.south_imaginary = j > 0 || a->axis[1].periodic ? ly[1] : 0;
        n.north_imaginary = j + 1 < ny || a->axis[1].periodic ? uy[1] : 0;
        n.centre_imaginary = dy[1];
    }
    return n;
}

/* What the other part of the neighbours adds to part i of A u. */
static real cross(const struct neighbours *n, const real *u, size_t i)
{
    const real sum =
        n->south_imaginary * n->south[1 - i] + n->north_imaginary * n->north[1 - i] + n->centre_imaginary * u[1 - i];
    return i == 0 ? -sum : sum;
}

static real larger(real maximum, real value)
{
    value = REAL_FABS(value);
    return value > maximum ? value : value == value ? maximum : (real)INFINITY;
}

static void residual_row(const struct starfish_residual *a, size_t j, size_t k, const real offset[2], real maximum[2])
{
    const size_t nx = a->n[0];
    const real *u = (const real *)a->u + (j + k * a->n[1]) * nx, *f = (const real *)a->rhs + (j + k * a->n[1]) * nx;
    const real *lx = a->axis[0].lower, *dx = a->axis[0].diag, *ux = a->axis[0].upper;
    const int wrap = a->axis[0].periodic;
    const struct neighbours n = find(a, j, k);
    real *result = a->result ? (real *)a->result + (j + k * a->n[1]) * nx : NULL;
    for (size_t i = 0; i < nx; i++) {
        real west = i > 0 ? u[i - 1] : wrap ? u[nx - 1] : 0;
        real east = i + 1 < nx ? u[i + 1] : wrap ? u[0] : 0;
        real au = lx[i] * west + (dx[i] + n.centre) * u[i] + ux[i] * east + n.south_weight * n.south[i] +
                  n.north_weight * n.north[i] + n.below_weight * n.below[i] + n.above_weight * n.above[i];
        const real taken = offset[a->complex_pairs && i > 0];
        if (a->complex_y)
            au += cross(&n, u, i);
        maximum[0] = larger(maximum[0], au - (f[i] - taken));
        maximum[1] = larger(maximum[1], f[i]);
        if (result)
            result[i] = (f[i] - taken) - au;
    }
}

void REAL_NAME(starfish_residual_cpu)(const struct starfish_residual *a)
{
    real maximum[2] = {0, 0};
    const real offset[2] = {a->offset ? (real)a->offset[0] : 0, a->offset && a->complex_pairs ? (real)a->offset[1] : 0};
    for (size_t k = 0; k < a->n[2]; k++)
        for (size_t j = 0; j < a->n[1]; j++)
            residual_row(a, j, k, offset, maximum);
    if (a->maximum) {
        a->maximum[0] = (double)maximum[0];
        a->maximum[1] = (double)maximum[1];
    }
}
