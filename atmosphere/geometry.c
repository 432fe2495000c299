/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The finite volumes of a flat box, of a panel of the gnomonic cubed sphere, and of all six.
 *
 * Equations are integrated over cells. With angles x and y, X = tan x, Y = tan y and p^2 = 1 + X^2 + Y^2, the metric of
 * the panel's surface is g = ((1+X^2)^2 (1+Y^2), -XY (1+X^2)(1+Y^2); ., (1+X^2)(1+Y^2)^2) / p^4, so that
 *     sqrt(g) g^xx = (1 + Y^2) / p,   sqrt(g) g^yy = (1 + X^2) / p,   sqrt(g) g^xy = X Y / p,
 * and the area below a corner is atan(X Y / p) (Ronchi, Iacono, Paolucci, J. Comput. Phys. 124 (1996), 93-114). In the
 * shell the area of a cell at radius r is r^2 times that at 1, and so across it r cancels: fluxes across have the
 * height of a layer, fluxes upwards r^2 at its faces, volumes the integral of r^2.
 *
 * At an edge between panels the lines that cross it bend. What flows through the edge is the same on both sides, and so
 * is u along it, and with g^nn of the direction through the edge and g^tt of that along it,
 *     sqrt(g) (g^nn u_n^2 + 2 g^nt u_n u_t + g^tt u_t^2)
 *         = flux^2 / (sqrt(g) g^nn) + sqrt(g) (g^tt - g^nt^2 / g^nn) u_t^2
 * on either side, where the flux is sqrt(g) g^nn times the mean of the u_n of both sides: the difference of the two
 * columns. So nothing is coupled across corners there, and what is along the edge is less by the last term. At a
 * corner of the cube three columns meet in equal angles, and their three faces are all there is. */
#include "atmosphere/geometry.h"

#include "multigrid/kernels/flat_sphere.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static const double quarter = 0.78539816339744830962; /* pi / 4 */

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

static starfish_status check_number(const char *name, double value, int positive)
{
    return STARFISH_OR_FAIL(isfinite(value) && (positive ? value > 0 : value >= 0), STARFISH_ERROR_ARGUMENT,
                            "problem.%s is %g, must be %s", name, value, positive ? "positive" : "0 or more");
}

static starfish_status check_profile(const char *name, const double *values, size_t count, int any)
{
    for (size_t i = 0; values && i < count; i++)
        STARFISH_REFUSE_IF(!isfinite(values[i]) || (!any && !(values[i] > 0)), "problem.%s[%zu] is %g, must be %s",
                           name, i, values[i], any ? "finite" : "positive");
    return STARFISH_SUCCESS;
}

static starfish_status check_faces(const struct starfish_atmosphere_problem *p)
{
    const double *z = p->faces;

    if (!z)
        return STARFISH_SUCCESS;
    STARFISH_REFUSE_IF(z[0] != 0 || !(fabs(z[p->n[2]] - p->height) <= 1e-12 * p->height),
                       "problem.faces are from %g to %g, must be from 0 to height = %g", z[0], z[p->n[2]], p->height);
    for (size_t k = 0; k < p->n[2]; k++)
        STARFISH_REFUSE_IF(!(z[k + 1] > z[k]), "problem.faces[%zu] is %g after %g, must increase", k + 1, z[k + 1],
                           z[k]);
    return STARFISH_SUCCESS;
}

/* What kernels count with 32 bits: cells of a row of columns, and the blocks of a GPU, of 32 columns in x and of a row
 * each in y. So there are fewer than 2^47 cells, and no product of these numbers overflows. */
static starfish_status check_counts(const struct starfish_atmosphere_problem *p)
{
    enum { MOST_BLOCKS = 65535, COLUMNS_OF_BLOCK = 32 };
    static const size_t most[3] = {(size_t)MOST_BLOCKS * COLUMNS_OF_BLOCK, MOST_BLOCKS, INT32_MAX};

    for (int d = 0; d < 3; d++)
        STARFISH_REFUSE_IF(p->n[d] < 1 || p->n[d] > most[d], "problem.n[%d] is %zu, must be 1 to %zu", d, p->n[d],
                           most[d]);
    STARFISH_REFUSE_IF(p->n[0] * p->n[2] > INT32_MAX,
                       "problem.n[0] * n[2], the cells of a row of columns, is %zu, must be below 2^31",
                       p->n[0] * p->n[2]);
    STARFISH_REFUSE_IF(p->geometry == STARFISH_SPHERE &&
                           (p->n[1] % STARFISH_PANELS != 0 || p->n[1] / STARFISH_PANELS != p->n[0]),
                       "problem.n[1] is %zu, of a sphere it must be 6 problem.n[0], the rows of six panels", p->n[1]);
    return STARFISH_SUCCESS;
}

/* Of a box: norms square a cell's volume, and entries of the matrix are (omega / width)^2. */
static starfish_status check_sizes(const struct starfish_atmosphere_problem *p)
{
    const double most = 1e140, width[] = {p->length[0] / (double)p->n[0], p->length[1] / (double)p->n[1]};
    const double volume = width[0] * width[1] * (p->height / (double)p->n[2]);

    STARFISH_REFUSE_IF(!(volume >= 1 / most && volume <= most),
                       "problem.length and height: the volume of a cell is %g, must be from 1e-140 to 1e140", volume);
    for (int d = 0; d < 2; d++)
        STARFISH_REFUSE_IF(!(p->omega / width[d] <= most),
                           "problem.omega is %g, must be at most 1e140 times a cell's width, length[%d] / n = %g",
                           p->omega, d, width[d]);
    return STARFISH_SUCCESS;
}

starfish_status starfish_atmosphere_check_problem(const struct starfish_atmosphere_problem *p)
{
    STARFISH_REFUSE_IF(p->geometry < 0 || p->geometry >= STARFISH_FLAT_GEOMETRIES, "problem.geometry is %d",
                       (int)p->geometry);
    STARFISH_TRY(check_counts(p));
    const size_t columns = p->n[0] * p->n[1];
    for (int d = 0; d < 2 && p->geometry == STARFISH_FLAT_BOX; d++)
        STARFISH_TRY(check_number(d == 0 ? "length[0]" : "length[1]", p->length[d], 1));
    STARFISH_REFUSE_IF(p->geometry != STARFISH_FLAT_BOX && (p->periodic[0] || p->periodic[1]),
                       "problem.periodic: the sides of a panel are not periodic");
    STARFISH_TRY(check_number("height", p->height, 1));
    STARFISH_TRY(check_number("omega", p->omega, 0));
    STARFISH_TRY(check_number("lambda", p->lambda, 0));
    if (p->geometry == STARFISH_FLAT_BOX)
        STARFISH_TRY(check_sizes(p));
    STARFISH_TRY(check_faces(p));
    STARFISH_TRY(check_profile("alpha_across", p->alpha_across, columns, 0));
    STARFISH_TRY(check_profile("alpha_up", p->alpha_up, p->n[2], 0));
    STARFISH_TRY(check_profile("beta_across", p->beta_across, columns, 0));
    STARFISH_TRY(check_profile("beta_up", p->beta_up, p->n[2], 0));
    return check_profile("xi_up", p->xi_up, p->n[2], 1);
}

/* ---- Columns ----------------------------------------------------------------------------------------------------- */

/* The arrays while they are filled. */
struct arrays {
    double *mass, *lift, *face_x, *face_y, *corner, *column, *a, *b, *c, *d, *layer;
};

/* The box, or a panel: n[0] x n[1] columns, its pieces of the arrays, and the number of its first column. */
struct sheet {
    const struct starfish_atmosphere_problem *p;
    size_t n[2], first;
    int panel;
    struct arrays to;
};

static int sheets_of(const struct starfish_atmosphere_problem *p)
{
    return p->geometry == STARFISH_SPHERE ? STARFISH_PANELS : 1;
}

static struct sheet sheet_of(const struct starfish_atmosphere_problem *p, int panel, const struct arrays *all)
{
    const size_t nx = p->n[0], ny = p->n[1] / (size_t)sheets_of(p), before = (size_t)panel;
    struct sheet sheet = {p, {nx, ny}, nx * ny * before, panel, *all};

    sheet.to.mass += sheet.first;
    sheet.to.lift += sheet.first;
    sheet.to.column += sheet.first;
    sheet.to.face_x += (nx + 1) * ny * before;
    sheet.to.face_y += nx * (ny + 1) * before;
    sheet.to.corner = all->corner ? all->corner + (nx + 1) * (ny + 1) * before : NULL;
    return sheet;
}

static double profile(const double *values, size_t index)
{
    return values ? values[index] : 1;
}

/* Two halves of a face in series. */
static double harmonic(double a, double b)
{
    return 2 * a * b / (a + b);
}

/* The number of column (i,j), also one beyond a side: at a periodic end, or on the neighbour's panel; where there is
 * nothing beyond, that of the column on the side. */
static size_t column_at(const struct sheet *s, ptrdiff_t i, ptrdiff_t j)
{
    const ptrdiff_t n[2] = {(ptrdiff_t)s->n[0], (ptrdiff_t)s->n[1]};
    ptrdiff_t at[2] = {i, j};
    int panel = s->panel;

    if (s->p->geometry == STARFISH_SPHERE && starfish_sphere_find_column(s->n[0], &panel, at))
        return (size_t)(at[0] + n[0] * (at[1] + n[1] * panel));
    for (int d = 0; d < 2; d++) {
        if (at[d] < 0)
            at[d] = s->p->periodic[d] ? n[d] - 1 : 0;
        if (at[d] == n[d])
            at[d] = s->p->periodic[d] ? 0 : n[d] - 1;
    }
    return s->first + (size_t)(at[0] + n[0] * at[1]);
}

/* alpha of the face below column (i,j) in direction d, which beyond the sides is that of the column there. */
static double alpha_between(const struct sheet *s, ptrdiff_t i, ptrdiff_t j, int d)
{
    const double *alpha = s->p->alpha_across;

    return alpha ? harmonic(alpha[column_at(s, i - (d == 0), j - (d == 1))], alpha[column_at(s, i, j)]) : 1;
}

/* Position i, in cells from the low end, as the tangent of its angle. */
static double tangent(const struct sheet *s, int d, double i)
{
    return tan(quarter * (2 * i / (double)s->n[d] - 1));
}

static double root(double X, double Y)
{
    return sqrt(1 + X * X + Y * Y);
}

/* The solid angle between the middle of the panel and a corner. */
static double angle(double X, double Y)
{
    return atan2(X * Y, root(X, Y));
}

static double area(const struct sheet *s, size_t i, size_t j)
{
    if (s->p->geometry == STARFISH_FLAT_BOX)
        return s->p->length[0] / (double)s->n[0] * (s->p->length[1] / (double)s->n[1]);
    const double X0 = tangent(s, 0, (double)i), X1 = tangent(s, 0, (double)i + 1);
    const double Y0 = tangent(s, 1, (double)j), Y1 = tangent(s, 1, (double)j + 1);
    return angle(X1, Y1) - angle(X0, Y1) - angle(X1, Y0) + angle(X0, Y0);
}

/* The coupling across a face in direction d, that at position `place` of its middle; alpha is apart. */
static double coupling(const struct sheet *s, int d, const double place[2])
{
    if (s->p->geometry == STARFISH_FLAT_BOX) {
        const double h[2] = {s->p->length[0] / (double)s->n[0], s->p->length[1] / (double)s->n[1]};
        return h[1 - d] / h[d];
    }
    const double T[2] = {tangent(s, 0, place[0]), tangent(s, 1, place[1])};
    const double aspect = (double)s->n[d] / (double)s->n[1 - d];
    return (1 + T[1 - d] * T[1 - d]) / root(T[0], T[1]) * aspect;
}

static void fill_face(const struct sheet *s, size_t i, size_t j, int d, double *face)
{
    const size_t at[2] = {i, j};
    const double place[2] = {(double)i + (d == 0 ? 0 : 0.5), (double)j + (d == 1 ? 0 : 0.5)};
    const int outer = (at[d] == 0 || at[d] == s->n[d]) && s->p->geometry != STARFISH_SPHERE;

    *face = coupling(s, d, place) * alpha_between(s, (ptrdiff_t)i, (ptrdiff_t)j, d);
    if (outer && s->p->periodic[d])
        *face = s->n[d] == 1 ? 0 : *face;
    else if (outer)
        *face *= 2; /* half the distance */
}

/* Is a corner of columns on a side of its panel, in direction d? */
static int is_on_side(const struct sheet *s, size_t i, size_t j, int d)
{
    const size_t at = d == 0 ? i : j;

    return at == 0 || at == s->n[d];
}

/* The mean of the four columns around. */
static double alpha_around(const struct sheet *s, size_t i, size_t j)
{
    const double *alpha = s->p->alpha_across;
    const ptrdiff_t x = (ptrdiff_t)i, y = (ptrdiff_t)j;

    return alpha ? (alpha[column_at(s, x, y)] + alpha[column_at(s, x - 1, y)] + alpha[column_at(s, x, y - 1)] +
                    alpha[column_at(s, x - 1, y - 1)]) /
                       4
                 : 1;
}

/* Inner corners; on the sides of a panel that is alone u is constant along them. */
static double corner_of(const struct sheet *s, size_t i, size_t j)
{
    const double X = tangent(s, 0, (double)i), Y = tangent(s, 1, (double)j);

    if (is_on_side(s, i, j, 0) || is_on_side(s, i, j, 1))
        return 0;
    return X * Y / root(X, Y) * alpha_around(s, i, j);
}

/* What the corner (i,j) takes off the two faces in direction d that meet there, half of it each. 2 u_x u_y = (u_x +
 * u_y)^2 - u_x^2 - u_y^2 where a corner is positive, else u_x^2 + u_y^2 - (u_x - u_y)^2: what it couples along the
 * diagonal it takes off the faces. All couplings stay positive, since 1 + Y^2 > |X Y| on the panel. At an edge of a
 * sphere it is g^nt^2 / g^nn of the direction along the edge. */
static double taken_by(const struct sheet *s, size_t i, size_t j, int d)
{
    const int across = 1 - d;

    if (s->p->geometry != STARFISH_SPHERE || !is_on_side(s, i, j, across) || is_on_side(s, i, j, d))
        return fabs(s->to.corner[i + (s->n[0] + 1) * j]);
    const double T[2] = {tangent(s, 0, (double)i), tangent(s, 1, (double)j)};
    return T[0] * T[0] * T[1] * T[1] / (root(T[0], T[1]) * (1 + T[d] * T[d])) * alpha_around(s, i, j);
}

static void turn_corners(const struct sheet *s)
{
    const size_t nx = s->n[0], ny = s->n[1];

    for (size_t j = 0; j < ny; j++)
        for (size_t i = 0; i <= nx; i++)
            s->to.face_x[i + (nx + 1) * j] -= 0.5 * (taken_by(s, i, j, 0) + taken_by(s, i, j + 1, 0));
    for (size_t j = 0; j <= ny; j++)
        for (size_t i = 0; i < nx; i++)
            s->to.face_y[i + nx * j] -= 0.5 * (taken_by(s, i, j, 1) + taken_by(s, i + 1, j, 1));
}

static void fill_sheet(const struct sheet *s)
{
    const size_t nx = s->n[0], ny = s->n[1];

    for (size_t j = 0; j < ny; j++)
        for (size_t i = 0; i < nx; i++) {
            const size_t e = i + nx * j;
            s->to.column[e] = area(s, i, j);
            s->to.mass[e] = s->to.column[e] * profile(s->p->beta_across, s->first + e);
            s->to.lift[e] = s->to.column[e] * profile(s->p->alpha_across, s->first + e);
        }
    for (size_t j = 0; j < ny; j++)
        for (size_t i = 0; i <= nx; i++)
            fill_face(s, i, j, 0, &s->to.face_x[i + (nx + 1) * j]);
    for (size_t j = 0; j <= ny; j++)
        for (size_t i = 0; i < nx; i++)
            fill_face(s, i, j, 1, &s->to.face_y[i + nx * j]);
    for (size_t j = 0; j <= ny && s->to.corner; j++)
        for (size_t i = 0; i <= nx; i++)
            s->to.corner[i + (nx + 1) * j] = corner_of(s, i, j);
    if (s->to.corner)
        turn_corners(s);
}

/* ---- Layers ------------------------------------------------------------------------------------------------------ */

static double height_of(const struct starfish_atmosphere_problem *p, size_t k)
{
    return p->faces ? p->faces[k] : p->height * (double)k / (double)p->n[2];
}

/* r^2 at a height, and its integral up to there, less that of the layer's lower face to keep digits. */
static double square(const struct starfish_atmosphere_problem *p, double z)
{
    return p->geometry == STARFISH_FLAT_BOX ? 1 : (1 + z) * (1 + z);
}

static double volume(const struct starfish_atmosphere_problem *p, double z0, double z1)
{
    const double a = 1 + z0, b = 1 + z1;

    return p->geometry == STARFISH_FLAT_BOX ? z1 - z0 : (z1 - z0) * (a * a + a * b + b * b) / 3;
}

/* The conductance of the face between layers k - 1 and k: from centre to centre, alpha in series. */
static double conductance(const struct starfish_atmosphere_problem *p, size_t k)
{
    const double z0 = height_of(p, k - 1), z = height_of(p, k), z1 = height_of(p, k + 1);
    const double below = 0.5 * (z - z0) / profile(p->alpha_up, k - 1), above = 0.5 * (z1 - z) / profile(p->alpha_up, k);

    return square(p, z) / (below + above);
}

/* l^2 xi d_r u by central differences over the centres beside; one-sided at the ends, beyond which u is as inside. */
static void add_drift(const struct starfish_atmosphere_problem *p, size_t k, double factor, const struct arrays *to)
{
    const size_t n = p->n[2], low = k > 0 ? k - 1 : k, high = k + 1 < n ? k + 1 : k;
    const double from = 0.5 * (height_of(p, low) + height_of(p, low + 1));
    const double until = 0.5 * (height_of(p, high) + height_of(p, high + 1));

    if (low == high)
        return;
    const double drift = factor * p->xi_up[k] * to->layer[k] / (until - from);
    to->b[k] -= low < k ? drift : 0;
    to->c[k] += high > k ? drift : 0;
}

static void fill_layers(const struct starfish_atmosphere_problem *p, const struct arrays *to)
{
    const double w2 = p->omega * p->omega, up = w2 * p->lambda * p->lambda;
    const size_t n = p->n[2];

    for (size_t k = 0; k < n; k++) {
        const double z0 = height_of(p, k), z1 = height_of(p, k + 1);
        to->layer[k] = volume(p, z0, z1);
        to->a[k] = to->layer[k] * profile(p->beta_up, k);
        to->d[k] = w2 * (z1 - z0) * profile(p->alpha_up, k);
        to->b[k] = k > 0 ? up * conductance(p, k) : 0;
        to->c[k] = k + 1 < n ? up * conductance(p, k + 1) : 0;
        if (p->xi_up)
            add_drift(p, k, up, to);
    }
}

/* ---- All --------------------------------------------------------------------------------------------------------- */

static starfish_status allocate(struct starfish_flat_volumes *volumes, const struct starfish_atmosphere_problem *p,
                                struct arrays *to)
{
    const size_t nx = p->n[0], ny = p->n[1], nz = p->n[2], columns = nx * ny;
    const size_t rows = ny + (size_t)sheets_of(p); /* of faces in y, and of corners */
    const size_t corners = p->geometry == STARFISH_FLAT_BOX ? 0 : (nx + 1) * rows;
    double **const array[] = {&to->mass, &to->lift, &to->column, &to->face_x, &to->face_y, &to->corner,
                              &to->a,    &to->b,    &to->c,      &to->d,      &to->layer};
    const size_t size[] = {columns, columns, columns, (nx + 1) * ny, nx * rows, corners, nz, nz, nz, nz, nz};
    size_t total = 0;

    for (size_t i = 0; i < sizeof size / sizeof size[0]; i++)
        total += size[i];
    volumes->memory = calloc(total, sizeof(double));
    STARFISH_FAIL_IF(!volumes->memory, STARFISH_ERROR_MEMORY, "out of memory for %zu columns", columns);
    double *next = volumes->memory;
    for (size_t i = 0; i < sizeof size / sizeof size[0]; i++) {
        *array[i] = size[i] > 0 ? next : NULL;
        next += size[i];
    }
    return STARFISH_SUCCESS;
}

starfish_status starfish_flat_volumes_create(struct starfish_flat_volumes *volumes,
                                             const struct starfish_atmosphere_problem *p)
{
    struct arrays to;

    *volumes = (struct starfish_flat_volumes){.memory = NULL};
    STARFISH_TRY(starfish_atmosphere_check_problem(p));
    STARFISH_TRY(allocate(volumes, p, &to));
    for (int panel = 0; panel < sheets_of(p); panel++) {
        const struct sheet sheet = sheet_of(p, panel, &to);
        fill_sheet(&sheet);
    }
    fill_layers(p, &to);
    volumes->matrix = (struct starfish_flat_problem){.n = {p->n[0], p->n[1], p->n[2]},
                                                     .periodic = {p->periodic[0], p->periodic[1]},
                                                     .sphere = p->geometry == STARFISH_SPHERE,
                                                     .mass = to.mass,
                                                     .lift = to.lift,
                                                     .face_x = to.face_x,
                                                     .face_y = to.face_y,
                                                     .corner = to.corner,
                                                     .a = to.a,
                                                     .b = to.b,
                                                     .c = to.c,
                                                     .d = to.d,
                                                     .column = to.column,
                                                     .layer = to.layer};
    return STARFISH_SUCCESS;
}

void starfish_flat_volumes_destroy(struct starfish_flat_volumes *volumes)
{
    free(volumes->memory);
    volumes->memory = NULL;
}
