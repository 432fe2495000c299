/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flat domains written down from their definitions: volumes, faces and couplings by the geometry's formulas, without
 * the library's tables. */
#include "tests/atmosphere/oracle.h"

#include <math.h>

static const double quarter = 0.785398163397448309616;

static double face_height(const struct starfish_atmosphere_problem *p, size_t k)
{
    return p->faces ? p->faces[k] : p->height / (double)p->n[2] * (double)k;
}

static double middle(const struct starfish_atmosphere_problem *p, size_t k)
{
    return (face_height(p, k) + face_height(p, k + 1)) / 2;
}

static double profile(const double *values, size_t index)
{
    return values ? values[index] : 1;
}

/* ---- The surface of the panel, by vectors ------------------------------------------------------------------------ */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The point of the sphere at two angles, and its derivatives. */
static void sphere(const double angle[2], double point[3], double along[2][3])
{
    const double v[3] = {1, tan(angle[0]), tan(angle[1])}, length = sqrt(dot(v, v));

    for (int c = 0; c < 3; c++)
        point[c] = v[c] / length;
    for (int d = 0; d < 2; d++) {
        const double slope = 1 / (cos(angle[d]) * cos(angle[d])); /* of v[d + 1] */
        for (int c = 0; c < 3; c++)
            along[d][c] = ((c == d + 1 ? slope : 0) - point[c] * point[d + 1] * slope) / length;
    }
}

/* sqrt(g) g^de. */
static double metric(const double angle[2], int d, int e)
{
    double point[3], along[2][3];

    sphere(angle, point, along);
    const double a = dot(along[0], along[0]), b = dot(along[0], along[1]), c = dot(along[1], along[1]);
    const double root = sqrt(a * c - b * b), inverse[2][2] = {{c, -b}, {-b, a}};
    return inverse[d][e] / root;
}

static int is_sphere(const struct starfish_atmosphere_problem *p)
{
    return p->geometry == STARFISH_SPHERE;
}

/* Columns in direction d, of a sphere those of a panel. */
static ptrdiff_t columns(const struct starfish_atmosphere_problem *p, int d)
{
    return (ptrdiff_t)p->n[is_sphere(p) ? 0 : d];
}

static double angle_at(const struct starfish_atmosphere_problem *p, int d, double cells)
{
    return -quarter + 2 * quarter * cells / (double)columns(p, d);
}

/* Of each panel the middle, and where its two angles grow. */
static const double frames[6][3][3] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},   {{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}},
                                       {{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}}, {{0, -1, 0}, {1, 0, 0}, {0, 0, 1}},
                                       {{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}},  {{0, 0, -1}, {0, 1, 0}, {1, 0, 0}}};

/* Into a panel's own system of coordinates, or out of it. */
static void turn(int panel, const double from[3], double to[3], int out)
{
    for (int c = 0; c < 3; c++) {
        to[c] = 0;
        for (int e = 0; e < 3; e++)
            to[c] += out ? from[e] * frames[panel][e][c] : from[e] * frames[panel][c][e];
    }
}

/* The angle at corner `b` between the great circles to a and c. */
static double inner_angle(const double a[3], const double b[3], const double c[3])
{
    double to_a[3], to_c[3];

    for (int i = 0; i < 3; i++) {
        to_a[i] = a[i] - dot(a, b) * b[i];
        to_c[i] = c[i] - dot(c, b) * b[i];
    }
    return acos(dot(to_a, to_c) / sqrt(dot(to_a, to_a) * dot(to_c, to_c)));
}

/* Girard: the sum of the angles of the quadrilateral less 2 pi. */
static double panel_area(const struct starfish_atmosphere_problem *p, size_t i, size_t j)
{
    double corner[4][3], along[2][3], sum = -8 * quarter;

    for (int c = 0; c < 4; c++) {
        const double angle[2] = {angle_at(p, 0, (double)i + (c == 1 || c == 2)), angle_at(p, 1, (double)j + (c > 1))};
        sphere(angle, corner[c], along);
    }
    for (int c = 0; c < 4; c++)
        sum += inner_angle(corner[(c + 3) % 4], corner[c], corner[(c + 1) % 4]);
    return sum;
}

/* ---- Fluxes ------------------------------------------------------------------------------------------------------ */

struct field {
    const struct starfish_atmosphere_problem *p;
    const double *u;
    int panel; /* of a sphere, which the columns (i,j) are counted in */
};

/* Of a sphere, the number of column (i,j), which may be beyond one side: then the panel is looked for that has the
 * middle of the side's face, too. */
static size_t on_sphere(const struct field *f, ptrdiff_t i, ptrdiff_t j)
{
    const ptrdiff_t n = columns(f->p, 0), at[2] = {i, j};
    double angle[2], point[3], own[3], along[2][3];
    int panel = 0, inside = 1;

    for (int d = 0; d < 2; d++) {
        angle[d] = angle_at(f->p, d, (double)at[d] + 0.5);
        inside &= at[d] >= 0 && at[d] < n;
        angle[d] = fmax(-quarter, fmin(quarter, angle[d]));
    }
    sphere(angle, own, along);
    turn(f->panel, own, point, 1);
    for (; panel < 6; panel++) {
        turn(panel, point, own, 0);
        if ((panel == f->panel) == inside && own[0] > 0 && fmax(fabs(own[1]), fabs(own[2])) < own[0] * (1 + 1e-9))
            break;
    }
    ptrdiff_t there[2];
    for (int d = 0; d < 2; d++) {
        there[d] = (ptrdiff_t)floor((atan(own[d + 1] / own[0]) + quarter) / (2 * quarter) * (double)n);
        there[d] = there[d] < 0 ? 0 : there[d] >= n ? n - 1 : there[d];
    }
    return (size_t)(there[0] + n * (there[1] + n * panel));
}

/* Of a cell or of a ghost beyond a side, where u is that inside with the other sign. */
static double value(const struct field *f, ptrdiff_t i, ptrdiff_t j, size_t k)
{
    const ptrdiff_t nx = (ptrdiff_t)f->p->n[0], ny = (ptrdiff_t)f->p->n[1];
    double sign = 1;

    if (is_sphere(f->p))
        return f->u[on_sphere(f, i, j) + (size_t)(nx * ny) * k];
    if (f->p->periodic[0])
        i = (i % nx + nx) % nx;
    if (f->p->periodic[1])
        j = (j % ny + ny) % ny;
    if (i < 0 || i >= nx) {
        sign = -sign;
        i = i < 0 ? 0 : nx - 1;
    }
    if (j < 0 || j >= ny) {
        sign = -sign;
        j = j < 0 ? 0 : ny - 1;
    }
    return sign * f->u[(size_t)(i + nx * (j + ny * (ptrdiff_t)k))];
}

static double alpha(const struct field *f, ptrdiff_t i, ptrdiff_t j)
{
    const ptrdiff_t nx = (ptrdiff_t)f->p->n[0], ny = (ptrdiff_t)f->p->n[1];

    if (is_sphere(f->p))
        return profile(f->p->alpha_across, on_sphere(f, i, j));
    i = f->p->periodic[0] ? (i + nx) % nx : i < 0 ? 0 : i >= nx ? nx - 1 : i;
    j = f->p->periodic[1] ? (j + ny) % ny : j < 0 ? 0 : j >= ny ? ny - 1 : j;
    return profile(f->p->alpha_across, (size_t)(i + nx * j));
}

static double alpha_around(const struct field *f, ptrdiff_t i, ptrdiff_t j)
{
    return (alpha(f, i, j) + alpha(f, i - 1, j) + alpha(f, i, j - 1) + alpha(f, i - 1, j - 1)) / 4;
}

static int is_on_side(const struct field *f, ptrdiff_t place, int d)
{
    return place <= 0 || place >= columns(f->p, d);
}

/* What a corner at (i,j), in cells, takes off the coupling of the four faces that meet there; its sign says which
 * diagonal has it. */
static double corner(const struct field *f, ptrdiff_t i, ptrdiff_t j)
{
    const double angle[2] = {angle_at(f->p, 0, (double)i), angle_at(f->p, 1, (double)j)};

    if (f->p->geometry == STARFISH_FLAT_BOX || is_on_side(f, i, 0) || is_on_side(f, j, 1))
        return 0;
    return metric(angle, 0, 1) * alpha_around(f, i, j);
}

/* And off that of a face in direction d alone: at an edge between panels the metric along it is that without a flux
 * through the edge. */
static double taken_at(const struct field *f, ptrdiff_t i, ptrdiff_t j, int d)
{
    const double angle[2] = {angle_at(f->p, 0, (double)i), angle_at(f->p, 1, (double)j)};
    const ptrdiff_t at[2] = {i, j};

    if (!is_sphere(f->p) || !is_on_side(f, at[1 - d], 1 - d) || is_on_side(f, at[d], d))
        return fabs(corner(f, i, j));
    return (metric(angle, d, d) - 1 / metric(angle, 1 - d, 1 - d)) * alpha_around(f, i, j);
}

/* The flux through the face between cell (i,j) and the one below in direction d, out of the former. */
static double flux(const struct field *f, ptrdiff_t i, ptrdiff_t j, size_t k, int d)
{
    const struct starfish_atmosphere_problem *p = f->p;
    const ptrdiff_t x = i - (d == 0), y = j - (d == 1);
    const double here = alpha(f, i, j), there = alpha(f, x, y), mean = 2 * here * there / (here + there);
    const double difference = value(f, i, j, k) - value(f, x, y, k);
    const double angle[2] = {angle_at(p, 0, (double)i + (d == 0 ? 0 : 0.5)),
                             angle_at(p, 1, (double)j + (d == 1 ? 0 : 0.5))};
    const double taken = (taken_at(f, i, j, d) + taken_at(f, i + (d == 1), j + (d == 0), d)) / 2;
    const ptrdiff_t place = d == 0 ? i : j;
    const int side = !is_sphere(p) && !p->periodic[d] && (place == 0 || place == (ptrdiff_t)p->n[d]);

    if (p->geometry == STARFISH_FLAT_BOX)
        return mean * difference * p->length[1 - d] / (double)p->n[1 - d] / (p->length[d] / (double)p->n[d]);
    /* on a side u has no derivative along it, and the ghost has the difference to zero twice */
    return (mean * metric(angle, d, d) * (double)columns(p, d) / (double)columns(p, 1 - d) -
            (side ? taken / 2 : taken)) *
           difference;
}

/* All that flows out of a cell across, per height. */
static double across(const struct field *f, ptrdiff_t i, ptrdiff_t j, size_t k)
{
    double sum = flux(f, i, j, k, 0) + flux(f, i, j, k, 1);

    sum -= flux(f, i + 1, j, k, 0) + flux(f, i, j + 1, k, 1);
    for (int side = 0; side < 4; side++) {
        const int east = side % 2, north = side / 2;
        const double q = corner(f, i + east, j + north);
        if ((q > 0) == (east == north))
            sum += fabs(q) * (value(f, i, j, k) - value(f, i + 2 * east - 1, j + 2 * north - 1, k));
    }
    return sum;
}

/* r^-2 d_r (r^2 alpha d_r u) + xi d_r u of a column, without what is across. */
static double upwards(const struct field *f, ptrdiff_t i, ptrdiff_t j, size_t k, double volume)
{
    const struct starfish_atmosphere_problem *p = f->p;
    const double u = value(f, i, j, k);
    double sum = 0;

    for (int up = 0; up < 2; up++) {
        const size_t other = up ? k + 1 : k - 1, face = k + (size_t)up;
        if (face == 0 || face == p->n[2])
            continue;
        const double z = face_height(p, face), r = p->geometry == STARFISH_FLAT_BOX ? 1 : 1 + z;
        const double mine = fabs(z - middle(p, k)), others = fabs(z - middle(p, other));
        sum += r * r * (value(f, i, j, other) - u) /
               (mine / profile(p->alpha_up, k) + others / profile(p->alpha_up, other)) / volume;
    }
    if (p->xi_up && p->n[2] > 1) {
        const size_t low = k > 0 ? k - 1 : 0, high = k + 1 < p->n[2] ? k + 1 : k;
        sum += p->xi_up[k] * (value(f, i, j, high) - value(f, i, j, low)) / (middle(p, high) - middle(p, low));
    }
    return sum;
}

static double row(const struct field *f, size_t i, size_t j, size_t k)
{
    const struct starfish_atmosphere_problem *p = f->p;
    const int panel = p->geometry != STARFISH_FLAT_BOX;
    const double z0 = face_height(p, k), z1 = face_height(p, k + 1), w2 = p->omega * p->omega;
    const double volume = panel ? (pow(1 + z1, 3) - pow(1 + z0, 3)) / 3 : z1 - z0;
    const double area = panel ? panel_area(p, i, j) : p->length[0] / (double)p->n[0] * p->length[1] / (double)p->n[1];
    const ptrdiff_t x = (ptrdiff_t)i, y = (ptrdiff_t)j;
    const size_t column = i + p->n[0] * (j + p->n[0] * (size_t)f->panel);

    return w2 * profile(p->alpha_up, k) * across(f, x, y, k) * (z1 - z0) / (volume * area) -
           w2 * p->lambda * p->lambda * profile(p->alpha_across, column) * upwards(f, x, y, k, volume) +
           profile(p->beta_across, column) * profile(p->beta_up, k) * value(f, x, y, k);
}

void test_atmosphere_apply(const struct starfish_atmosphere_problem *p, const double *u, double *f)
{
    const size_t rows = (size_t)columns(p, 1);

    for (size_t k = 0; k < p->n[2]; k++)
        for (size_t j = 0; j < p->n[1]; j++)
            for (size_t i = 0; i < p->n[0]; i++) {
                const struct field field = {p, u, (int)(j / rows)};
                f[i + p->n[0] * (j + p->n[1] * k)] = row(&field, i, j % rows, k);
            }
}

void test_atmosphere_place(const struct starfish_atmosphere_problem *p, const size_t cell[3], double place[4])
{
    const size_t rows = (size_t)columns(p, 1);
    const double angle[2] = {angle_at(p, 0, (double)cell[0] + 0.5), angle_at(p, 1, (double)(cell[1] % rows) + 0.5)};
    double along[2][3], point[3];

    place[3] = middle(p, cell[2]);
    if (p->geometry != STARFISH_FLAT_BOX) {
        sphere(angle, point, along);
        turn((int)(cell[1] / rows), point, place, 1); /* panel 0's own system is that of space */
        return;
    }
    for (int d = 0; d < 2; d++)
        place[d] = p->length[d] * ((double)cell[d] + 0.5) / (double)p->n[d];
    place[2] = place[3];
}
