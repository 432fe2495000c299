/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Residual of the seven-point operator on the CPU: row by row along x, bound by reading u and the right-hand side. All
 * sums are in f64 (stencil.h). The inner rows of x are one loop without branches; the two ends, and complex numbers,
 * take their neighbours one by one. */
#include "stencil/kernels/stencil.h"

#include "base/clones.h"
#include "base/real.h"

#include <math.h>
#include <string.h>

enum { SOUTH, NORTH, BELOW, ABOVE, BESIDE };

/* The rows next to row (j,k), in y and in z; absent ones are the row itself with coefficient zero. */
struct neighbours {
    const real *row[BESIDE];
    double weight[BESIDE], centre, sum; /* centre: what y, z and lambda have on the diagonal; sum: of their rows */
    double south_imaginary, north_imaginary, centre_imaginary; /* of a complex y */
    double weight_x, unscaled;                                 /* unscaled: 1 / scale_y */
    double point, mean;                                        /* a point's coupling, else 0, to a mean */
};

static void set_neighbour(struct neighbours *n, int which, const real *there, double weight, const real *row)
{
    n->row[which] = there ? there : row;
    n->weight[which] = there ? weight : 0;
}

/* The mean of a row by the left null vector of X, in which the end nodes of a Neumann grid count half. */
static double mean_of(const struct starfish_stencil_axis *x, const real *row, size_t n)
{
    const double end = x->periodic || n == 1 ? 1 : x->lower[1] / x->upper[0];
    double sum = end * (double)row[0] + (n > 1 ? end * (double)row[n - 1] : 0);
    for (size_t i = 1; i + 1 < n; i++)
        sum += (double)row[i];
    return sum / (n > 1 ? 2 * end + (double)(n - 2) : 1);
}

/* A point at an end of z is coupled to the mean of the plane beside it. */
static void meet_mean(const struct starfish_residual *a, size_t z, struct neighbours *n)
{
    const int side = z == 0 ? ABOVE : BELOW;
    n->point = n->weight[side];
    n->mean = mean_of(&a->axis[0], n->row[side], a->n[0]);
    n->weight[side] = 0;
}

static struct neighbours find(const struct starfish_residual *a, size_t j, size_t k)
{
    const size_t nx = a->n[0], ny = a->n[1], plane = nx * ny, y = a->complex_y ? 2 * j : j, z = a->first_plane + k;
    const struct starfish_stencil_axis *ay = &a->axis[1], *az = &a->axis[2];
    const real *row = (const real *)a->u + j * nx + k * plane, *first = row - j * nx, *last = first + (ny - 1) * nx;
    const real *below = a->below ? (const real *)a->below + j * nx : NULL;
    const real *above = a->above ? (const real *)a->above + j * nx : NULL;
    const int has_south = j > 0 || ay->periodic, has_north = j + 1 < ny || ay->periodic;
    struct neighbours n = {.centre = ay->diag[y] + az->diag[z] + a->lambda, .sum = ay->sum[y] + az->sum[z] + a->lambda};
    n.weight_x = a->weight_x ? a->weight_x[z] : 1;
    n.unscaled = a->scale_y ? 1 / a->scale_y[j] : 1;
    set_neighbour(&n, SOUTH, j > 0 ? row - nx : has_south ? last : NULL, ay->lower[y], row);
    set_neighbour(&n, NORTH, j + 1 < ny ? row + nx : has_north ? first : NULL, ay->upper[y], row);
    set_neighbour(&n, BELOW, k > 0 ? row - plane : below, az->lower[z], row);
    set_neighbour(&n, ABOVE, k + 1 < a->n[2] ? row + plane : above, az->upper[z], row);
    if (a->complex_y) {
        n.south_imaginary = has_south ? ay->lower[y + 1] : 0;
        n.north_imaginary = has_north ? ay->upper[y + 1] : 0;
        n.centre_imaginary = ay->diag[y + 1];
    }
    if (n.weight_x == 0)
        meet_mean(a, z, &n);
    return n;
}

/* What x couples element i to. Beyond an end that is not periodic it is the element itself, with coefficient zero. */
struct beside_in_row {
    double west, east, lower, upper;
};

/* Row i of A times u is `product`, of |A| times |u| it is `size`. */
struct row_product {
    double product, size;
};

STARFISH_ALWAYS_INLINE struct row_product multiply(const struct neighbours *n, const struct starfish_stencil_axis *x,
                                                   size_t i, double here, struct beside_in_row b)
{
    const double lower = n->weight_x * b.lower, upper = n->weight_x * b.upper;
    const double west = lower * b.west, east = upper * b.east, centre = n->weight_x * x->diag[i] + n->centre;
    struct row_product p = {lower * (b.west - here) + upper * (b.east - here) +
                                (n->weight_x * x->sum[i] + n->sum) * here,
                            fabs(west) + fabs(east) + fabs(centre * here)};
    for (int side = 0; side < BESIDE; side++) {
        const double there = n->row[side][i];
        p.product += n->weight[side] * (there - here);
        p.size += fabs(n->weight[side] * there);
    }
    return p;
}

/* What the other part of complex neighbours adds. */
static void add_other_part(const struct neighbours *n, const real *u, size_t i, struct row_product *p)
{
    const double south = n->south_imaginary * (double)n->row[SOUTH][1 - i];
    const double north = n->north_imaginary * (double)n->row[NORTH][1 - i];
    const double centre = n->centre_imaginary * (double)u[1 - i], sum = south + north + centre;
    p->product += i == 0 ? -sum : sum;
    p->size += fabs(south) + fabs(north) + fabs(centre);
}

/* Largest values so far. A comparison passes over what is NaN: `bad` of residuals and of the right-hand side stays 0
 * until a value is not finite. */
struct maxima {
    double residual, rhs, size, solution, bad, bad_rhs;
};

STARFISH_ALWAYS_INLINE double larger(double a, double b)
{
    return a > b ? a : b;
}

STARFISH_ALWAYS_INLINE void count(struct maxima *m, double residual, double f, double size, double here)
{
    m->residual = larger(fabs(residual), m->residual);
    m->rhs = larger(fabs(f), m->rhs);
    m->size = larger(size + fabs(f), m->size);
    m->solution = larger(fabs(here), m->solution);
    m->bad += 0 * residual;
    m->bad_rhs += 0 * f;
}

/* Row (j,k) of the slab. */
struct line {
    const real *u, *f;
    real *result; /* or NULL */
    struct neighbours beside;
    size_t j, k;
};

static double right_side(const struct starfish_residual *a, const struct line *line, size_t i)
{
    real f = line->f[i];
    if (a->boundary)
        REAL_NAME(starfish_boundary_element_cpu)
    (a->boundary, (const size_t[]){i, line->j, a->first_plane + line->k}, &f);
    return f;
}

/* What dense derivatives add to elements first .. first + count - 1 of a row: products, and sizes. */
enum { BLOCK = 128 };
struct dense_block {
    double product[BLOCK], size[BLOCK];
};

STARFISH_CLONES static void add_dense(const double *entry, double u, double factor, size_t count,
                                      struct dense_block *block)
{
    for (size_t e = 0; e < count; e++) {
        const double term = factor * entry[e] * u;
        block->product[e] += term;
        block->size[e] += fabs(term);
    }
}

STARFISH_CLONES static void add_dense_row(double entry, const real *u, size_t count, struct dense_block *block)
{
    for (size_t e = 0; e < count; e++) {
        const double term = entry * (double)u[e];
        block->product[e] += term;
        block->size[e] += fabs(term);
    }
}

static void find_dense(const struct starfish_residual *a, const struct line *line, size_t first, size_t count,
                       struct dense_block *block)
{
    const size_t nx = a->n[0], ny = a->n[1];
    const real *plane = line->u - line->j * nx;
    memset(block, 0, sizeof *block);
    for (size_t l = 0; a->dense[0] && l < nx; l++)
        add_dense(a->dense[0] + l * nx + first, (double)line->u[l], line->beside.weight_x, count, block);
    for (size_t l = 0; a->dense[1] && l < ny; l++)
        add_dense_row(a->dense[1][l * ny + line->j], plane + l * nx + first, count, block);
}

/* An end, an element beside boundary data, or a complex number. `dense`: of the element, or NULL. */
static void slow_element(const struct starfish_residual *a, const struct line *line, size_t i,
                         const struct row_product *dense, struct maxima *m)
{
    const struct starfish_stencil_axis *x = &a->axis[0];
    const size_t nx = a->n[0];
    const real *u = line->u;
    const int has_west = i > 0 || x->periodic, has_east = i + 1 < nx || x->periodic;
    const double here = u[i], f = right_side(a, line, i), offset = a->offset ? a->offset[a->complex_pairs && i > 0] : 0;
    const struct beside_in_row beside = {has_west ? (double)u[i > 0 ? i - 1 : nx - 1] : here,
                                         has_east ? (double)u[i + 1 < nx ? i + 1 : 0] : here,
                                         has_west ? x->lower[i] : 0, has_east ? x->upper[i] : 0};
    struct row_product p = multiply(&line->beside, x, i, here, beside);
    if (a->complex_y)
        add_other_part(&line->beside, u, i, &p);
    p.product += line->beside.point * (line->beside.mean - here);
    p.size += fabs(line->beside.point * line->beside.mean);
    p.product += dense ? dense->product : 0;
    p.size += dense ? dense->size : 0;
    const double unscaled = line->beside.unscaled, residual = (f - offset) - unscaled * p.product;
    count(m, residual, f, unscaled * p.size, here);
    if (line->result)
        line->result[i] = (real)residual;
}

/* Elements 1 .. nx - 2 of real numbers: maxima in locals, which the compiler keeps in lanes. */
STARFISH_CLONES static void inner_elements(const struct starfish_residual *a, const struct line *line, struct maxima *m)
{
    const struct starfish_stencil_axis x = a->axis[0];
    const struct neighbours n = line->beside;
    const real *u = line->u, *f = line->f;
    real *const result = line->result;
    const double offset = a->offset ? a->offset[0] : 0, unscaled = n.unscaled;
    double residual = m->residual, rhs = m->rhs, size = m->size, solution = m->solution, bad = m->bad,
           bad_rhs = m->bad_rhs;
#pragma omp simd reduction(max : residual, rhs, size, solution) reduction(+ : bad, bad_rhs)
    for (size_t i = 1; i < a->n[0] - 1; i++) {
        const double here = u[i], right = f[i];
        const struct row_product p =
            multiply(&n, &x, i, here, (struct beside_in_row){u[i - 1], u[i + 1], x.lower[i], x.upper[i]});
        const double difference = (right - offset) - unscaled * p.product;
        residual = larger(fabs(difference), residual);
        rhs = larger(fabs(right), rhs);
        size = larger(unscaled * p.size + fabs(right), size);
        solution = larger(fabs(here), solution);
        bad += 0 * difference;
        bad_rhs += 0 * right;
        if (result)
            result[i] = (real)difference;
    }
    *m = (struct maxima){residual, rhs, size, solution, bad, bad_rhs};
}

/* Whether boundary data in y or z may lie beside it. */
static int is_at_face(const struct starfish_residual *a, size_t j, size_t k)
{
    const size_t z = a->first_plane + k;
    return j == 0 || j + 1 == a->n[1] || z == 0 || z + 1 == a->planes;
}

static void dense_row(const struct starfish_residual *a, const struct line *line, struct maxima *m)
{
    struct dense_block block;
    for (size_t first = 0; first < a->n[0]; first += BLOCK) {
        const size_t left = a->n[0] - first, count = left < BLOCK ? left : BLOCK;
        find_dense(a, line, first, count, &block);
        for (size_t e = 0; e < count; e++)
            slow_element(a, line, first + e, &(struct row_product){block.product[e], block.size[e]}, m);
    }
}

static void residual_row(const struct starfish_residual *a, size_t j, size_t k, struct maxima *m)
{
    const size_t nx = a->n[0], at = (j + k * a->n[1]) * nx;
    const struct line line = {(const real *)a->u + at,
                              (const real *)a->rhs + at,
                              a->result ? (real *)a->result + at : NULL,
                              find(a, j, k),
                              j,
                              k};
    if (a->dense[0] || a->dense[1]) {
        dense_row(a, &line, m);
        return;
    }
    const int slow = (a->boundary && is_at_face(a, j, k)) || line.beside.point != 0;
    slow_element(a, &line, 0, NULL, m);
    for (size_t i = 1; slow && i + 1 < nx; i++)
        slow_element(a, &line, i, NULL, m);
    if (nx > 2 && !slow)
        inner_elements(a, &line, m);
    if (nx > 1)
        slow_element(a, &line, nx - 1, NULL, m);
}

void REAL_NAME(starfish_residual_cpu)(const struct starfish_residual *a)
{
    struct maxima m = {.residual = 0};
    for (size_t k = 0; k < a->n[2]; k++)
        for (size_t j = 0; j < a->n[1]; j++)
            residual_row(a, j, k, &m);
    if (!a->maximum)
        return;
    a->maximum[STARFISH_MAXIMUM_RESIDUAL] = m.bad == 0 ? m.residual : (double)INFINITY;
    a->maximum[STARFISH_MAXIMUM_RHS] = m.bad_rhs == 0 ? m.rhs : (double)INFINITY;
    a->maximum[STARFISH_MAXIMUM_SIZE] = m.bad == 0 ? m.size : (double)INFINITY;
    a->maximum[STARFISH_MAXIMUM_SOLUTION] = m.solution;
}
