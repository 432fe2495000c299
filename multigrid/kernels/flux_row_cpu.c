/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Applies the seven-point matrix (flux.h) row by row on the CPU: residual, product and Jacobi step. Bound by memory: a
 * row of u, of f and of the result move once each, 3 words per unknown, while the rows beside come from the cache.
 *
 * Rows are short, 128 unknowns are 8 registers, so that what is done once a row counts: a loop does all of its unknowns
 * (base/row_piece.h). */
#include "multigrid/kernels/flux_row.h"

#include "base/row_piece.h"

#include <string.h>

/* ---- Where rows lie ---------------------------------------------------------------------------------------------- */

/* Index of the neighbour in the next row or plane. *missing is set where the neighbour lies outside, and the index is
 * then that of the row itself; *wrapped is set where a periodic end was crossed. */
static ptrdiff_t beside(const struct starfish_flux_axis *axis, ptrdiff_t index, int above, int *missing, int *wrapped)
{
    const ptrdiff_t last = (ptrdiff_t)axis->n - 1;
    const int at_end = index == (above ? last : 0);

    *missing = at_end && (!axis->periodic || axis->n == 1);
    *wrapped = at_end && !*missing;
    if (*missing)
        return index;
    if (*wrapped && !axis->ghosts)
        return above ? 0 : last;
    return above ? index + 1 : index - 1;
}

struct flux_neighbour REAL_NAME(starfish_flux_neighbour)(const struct starfish_flux_axis *axis, size_t j, ptrdiff_t k,
                                                         int side)
{
    struct flux_neighbour place = {j, k, 0, 0};
    const int above = side == FLUX_NORTH || side == FLUX_ABOVE;

    if (side == FLUX_SOUTH || side == FLUX_NORTH)
        place.j = (size_t)beside(&axis[1], (ptrdiff_t)j, above, &place.missing, &place.wrapped);
    else
        place.k = beside(&axis[2], k, above, &place.missing, &place.wrapped);
    return place;
}

struct flux_values REAL_NAME(starfish_flux_values)(const struct starfish_flux_matrix *matrix, const void *u, size_t j,
                                                   ptrdiff_t k)
{
    const ptrdiff_t nx = (ptrdiff_t)matrix->axis[0].n, ny = (ptrdiff_t)matrix->axis[1].n;
    struct flux_values values = {.middle = (const real *)u + nx * ((ptrdiff_t)j + ny * k)};

    for (int side = 0; side < FLUX_SIDES; side++) {
        const struct flux_neighbour at = REAL_NAME(starfish_flux_neighbour)(matrix->axis, j, k, side);
        values.side[side] = (const real *)u + nx * ((ptrdiff_t)at.j + ny * at.k);
    }
    return values;
}

static real at(const void *array, size_t index)
{
    return ((const real *)array)[index];
}

static void set_tensor(struct flux_row *row, const struct starfish_flux_matrix *matrix, size_t j, size_t k)
{
    const struct starfish_flux_axis *x = &matrix->axis[0], *y = &matrix->axis[1], *z = &matrix->axis[2];
    const real wy = at(y->weight, j), wz = at(z->weight, k);

    row->across = wy * wz;
    row->side[FLUX_SOUTH] = at(y->coupling, j) * wz;
    row->side[FLUX_NORTH] = at(y->coupling, j + 1) * wz;
    row->side[FLUX_BELOW] = wy * at(z->coupling, k);
    row->side[FLUX_ABOVE] = wy * at(z->coupling, k + 1);
    row->rest = at(y->extra, j) * wz + wy * at(z->extra, k) + (real)matrix->lambda * (wy * wz);
    for (int side = 0; side < FLUX_SIDES; side++)
        if (matrix->axis[side < FLUX_BELOW ? 1 : 2].decoupled) {
            row->rest += row->side[side];
            row->side[side] = 0;
        }
    row->x_coupling = x->coupling;
    row->x_extra = x->extra;
    row->x_weight = x->weight;
}

/* Faces above the last unknown are those below the first one, in open directions too: there both are 0. */
static void set_stored(struct flux_row *row, const struct starfish_flux_matrix *matrix, size_t j, size_t k)
{
    const size_t nx = matrix->axis[0].n, ny = matrix->axis[1].n, nz = matrix->axis[2].n;
    const size_t here = nx * (j + ny * k), north = nx * ((j + 1 < ny ? j + 1 : 0) + ny * k),
                 above = nx * (j + ny * (k + 1 < nz ? k + 1 : 0));

    row->x_face = (const real *)matrix->face[0] + here;
    row->side_face[FLUX_SOUTH] = matrix->face[1] ? (const real *)matrix->face[1] + here : NULL;
    row->side_face[FLUX_NORTH] = matrix->face[1] ? (const real *)matrix->face[1] + north : NULL;
    row->side_face[FLUX_BELOW] = matrix->face[2] ? (const real *)matrix->face[2] + here : NULL;
    row->side_face[FLUX_ABOVE] = matrix->face[2] ? (const real *)matrix->face[2] + above : NULL;
    row->rest_of = matrix->rest ? (const real *)matrix->rest + here : NULL;
}

static enum flux_form form_of(int stored)
{
    switch (stored) {
    case 0:
        return FLUX_TENSOR_FORM;
    case FLUX_SOLID:
        return FLUX_SOLID_FORM;
    case FLUX_SOLID | FLUX_REST:
        return FLUX_SOLID_REST_FORM;
    case FLUX_FLAT:
        return FLUX_FLAT_FORM;
    default:
        return FLUX_OTHER_FORM;
    }
}

void REAL_NAME(starfish_flux_row)(const struct starfish_flux_matrix *matrix, size_t j, ptrdiff_t plane,
                                  struct flux_row *row)
{
    const struct starfish_flux_axis *axis = matrix->axis;
    const size_t k = flux_plane(axis[2].n, plane);

    row->nx = axis[0].n;
    row->is_last = j + 1 == axis[1].n && k + 1 == axis[2].n;
    row->stored = 0;
    if (matrix->face[0])
        row->stored = FLUX_STORED | (matrix->rest ? FLUX_REST : 0) | (matrix->face[1] ? FLUX_ROWS : 0) |
                      (matrix->face[2] ? FLUX_PLANES : 0);
    row->form = form_of(row->stored);
    row->periodic = axis[0].periodic;
    row->keep_x = axis[0].decoupled ? 0 : 1;
    row->keep_y = axis[1].decoupled ? 0 : 1;
    row->keep_z = axis[2].decoupled ? 0 : 1;
    if (row->stored)
        set_stored(row, matrix, j, k);
    else
        set_tensor(row, matrix, j, k);
}

/* ---- Products ---------------------------------------------------------------------------------------------------- */

/* The couplings of unknown i, and the rest. Members and not an array of sides, which would leave the registers. */
struct couplings {
    int form; /* of the matrix */
    real west, east, south, north, below, above, rest;
};

STARFISH_ALWAYS_INLINE struct couplings couplings_at(const struct flux_row *r, int stored, ptrdiff_t i)
{
    if (stored)
        return (struct couplings){.form = stored,
                                  .west = r->x_face[i],
                                  .east = r->x_face[i + 1],
                                  .south = stored & FLUX_ROWS ? r->side_face[FLUX_SOUTH][i] : 0,
                                  .north = stored & FLUX_ROWS ? r->side_face[FLUX_NORTH][i] : 0,
                                  .below = stored & FLUX_PLANES ? r->side_face[FLUX_BELOW][i] : 0,
                                  .above = stored & FLUX_PLANES ? r->side_face[FLUX_ABOVE][i] : 0,
                                  .rest = stored & FLUX_REST ? r->rest_of[i] : 0};
    const real weight = r->x_weight[i];
    return (struct couplings){.west = r->across * r->x_coupling[i],
                              .east = r->across * r->x_coupling[i + 1],
                              .south = weight * r->side[FLUX_SOUTH],
                              .north = weight * r->side[FLUX_NORTH],
                              .below = weight * r->side[FLUX_BELOW],
                              .above = weight * r->side[FLUX_ABOVE],
                              .rest = r->across * r->x_extra[i] + weight * r->rest};
}

/* A u at an unknown, of stored form. */
STARFISH_ALWAYS_INLINE real stored_product(const struct flux_row *r, const struct couplings *c,
                                           const struct flux_values *v, ptrdiff_t i)
{
    const real u = v->middle[i];
    const real x = c->west * (u - r->keep_x * v->middle[i - 1]) + c->east * (u - r->keep_x * v->middle[i + 1]);
    const real y = c->form & FLUX_ROWS ? c->south * (u - r->keep_y * v->side[FLUX_SOUTH][i]) +
                                             c->north * (u - r->keep_y * v->side[FLUX_NORTH][i])
                                       : 0;
    const real z = c->form & FLUX_PLANES ? c->below * (u - r->keep_z * v->side[FLUX_BELOW][i]) +
                                               c->above * (u - r->keep_z * v->side[FLUX_ABOVE][i])
                                         : 0;

    return (x + y) + (z + c->rest * u);
}

/* Of tensor form, with what does not depend on x taken out. */
STARFISH_ALWAYS_INLINE real tensor_product(const struct flux_row *r, const struct flux_values *v, ptrdiff_t i)
{
    const real u = v->middle[i];
    const real x = r->x_coupling[i] * (u - r->keep_x * v->middle[i - 1]) +
                   r->x_coupling[i + 1] * (u - r->keep_x * v->middle[i + 1]) + r->x_extra[i] * u;
    const real y =
        r->side[FLUX_SOUTH] * (u - v->side[FLUX_SOUTH][i]) + r->side[FLUX_NORTH] * (u - v->side[FLUX_NORTH][i]);
    const real z =
        r->side[FLUX_BELOW] * (u - v->side[FLUX_BELOW][i]) + r->side[FLUX_ABOVE] * (u - v->side[FLUX_ABOVE][i]);

    return r->across * x + r->x_weight[i] * ((y + z) + r->rest * u);
}

STARFISH_ALWAYS_INLINE real product(const struct flux_row *r, int stored, const struct couplings *c,
                                    const struct flux_values *v, ptrdiff_t i)
{
    return stored ? stored_product(r, c, v, i) : tensor_product(r, v, i);
}

STARFISH_ALWAYS_INLINE real diagonal(const struct couplings *c)
{
    return ((c->west + c->east) + (c->south + c->north)) + ((c->below + c->above) + c->rest);
}

STARFISH_ALWAYS_INLINE real residual_at(const struct flux_row *r, int stored, const struct flux_values *v,
                                        const real *f, ptrdiff_t i)
{
    const struct couplings c = couplings_at(r, stored, i);

    return (f ? f[i] : 0) - product(r, stored, &c, v, i);
}

/* f and what the neighbours pull, over the diagonal: fewer operations than by differences, and rounding errors of those
 * of the value itself. */
STARFISH_ALWAYS_INLINE real stored_pull(const struct flux_row *r, const struct couplings *c,
                                        const struct flux_values *v, real f, ptrdiff_t i)
{
    const real x = c->west * v->middle[i - 1] + c->east * v->middle[i + 1];
    const real y = c->form & FLUX_ROWS ? c->south * v->side[FLUX_SOUTH][i] + c->north * v->side[FLUX_NORTH][i] : 0;
    const real z = c->form & FLUX_PLANES ? c->below * v->side[FLUX_BELOW][i] + c->above * v->side[FLUX_ABOVE][i] : 0;

    return (f + r->keep_x * x + (r->keep_y * y + r->keep_z * z)) / diagonal(c);
}

STARFISH_ALWAYS_INLINE real tensor_pull(const struct flux_row *r, const struct flux_values *v, real f, ptrdiff_t i)
{
    const real low = r->x_coupling[i], high = r->x_coupling[i + 1], weight = r->x_weight[i];
    const real x = low * v->middle[i - 1] + high * v->middle[i + 1];
    const real sides = (r->side[FLUX_SOUTH] * v->side[FLUX_SOUTH][i] + r->side[FLUX_NORTH] * v->side[FLUX_NORTH][i]) +
                       (r->side[FLUX_BELOW] * v->side[FLUX_BELOW][i] + r->side[FLUX_ABOVE] * v->side[FLUX_ABOVE][i]);
    const real of_row =
        (r->side[FLUX_SOUTH] + r->side[FLUX_NORTH]) + (r->side[FLUX_BELOW] + r->side[FLUX_ABOVE]) + r->rest;

    return (f + (r->keep_x * r->across * x + weight * sides)) /
           (r->across * ((low + high) + r->x_extra[i]) + weight * of_row);
}

STARFISH_ALWAYS_INLINE real relaxed_at(const struct flux_row *r, int stored, const struct flux_values *v, const real *f,
                                       real damping, ptrdiff_t i)
{
    const struct couplings c = couplings_at(r, stored, i);
    const real target = stored ? stored_pull(r, &c, v, f[i], i) : tensor_pull(r, v, f[i], i);

    return v->middle[i] + damping * (target - v->middle[i]);
}

/* ---- Pieces ------------------------------------------------------------------------------------------------------ */

/* At most ROW_PIECE unknowns of a row, all of which one loop does: x0 .. x0 + count-1. `face` is the coupling to the
 * west of the first, with one more behind the last, `middle` its value with one more on both sides; f, which may be
 * missing, and `out` begin at the first. */
struct piece {
    const struct flux_row *row;
    const struct flux_values *values;
    size_t x0;
    int count, parity;
    real damping;
    const real *face, *middle, *f;
    real *out;
    struct flux_system to; /* of lines alone, begins at the first of all pieces; out is its rhs */
};

/* The row and its values, whose arrays begin where the piece does. */
STARFISH_ALWAYS_INLINE struct flux_row row_of(const struct piece *p, int stored)
{
    struct flux_row row = *p->row;

    if (!stored) {
        row.x_coupling += p->x0;
        row.x_extra += p->x0;
        row.x_weight += p->x0;
        return row;
    }
    row.x_face = p->face;
    if (stored & FLUX_REST)
        row.rest_of += p->x0;
    for (int side = 0; side < FLUX_SIDES; side++)
        if (stored & (side < FLUX_BELOW ? FLUX_ROWS : FLUX_PLANES))
            row.side_face[side] += p->x0;
    return row;
}

STARFISH_ALWAYS_INLINE struct flux_values values_of(const struct piece *p)
{
    struct flux_values values = {.middle = p->middle};

    for (int side = 0; side < FLUX_SIDES; side++)
        values.side[side] = p->values->side[side] + p->x0;
    return values;
}

/* name_by_form: functions that call loop(stored, piece), each with a usual form as a constant, so that what a matrix
 * does not have costs nothing. Not one function for all forms: what does not change in any of their loops would be
 * computed before it, for every row. */
#define FLUX_BY_FORM(name, loop)                                                                                       \
    STARFISH_CLONES static void name##_tensor(const struct piece *p)                                                   \
    {                                                                                                                  \
        loop(0, p);                                                                                                    \
    }                                                                                                                  \
    STARFISH_CLONES static void name##_solid(const struct piece *p)                                                    \
    {                                                                                                                  \
        loop(FLUX_SOLID, p);                                                                                           \
    }                                                                                                                  \
    STARFISH_CLONES static void name##_solid_rest(const struct piece *p)                                               \
    {                                                                                                                  \
        loop(FLUX_SOLID | FLUX_REST, p);                                                                               \
    }                                                                                                                  \
    STARFISH_CLONES static void name##_flat(const struct piece *p)                                                     \
    {                                                                                                                  \
        loop(FLUX_FLAT, p);                                                                                            \
    }                                                                                                                  \
    STARFISH_CLONES static void name##_other(const struct piece *p)                                                    \
    {                                                                                                                  \
        loop(p->row->stored, p);                                                                                       \
    }                                                                                                                  \
    static void (*const name##_by_form[FLUX_FORMS])(const struct piece *) = {                                          \
        name##_tensor, name##_solid, name##_solid_rest, name##_flat, name##_other}

/* The coupling above the last unknown is the one below the first; behind a row that is not the last of the grid the
 * next one begins, with a 0 where the direction is open. */
static const real *cut_face(const struct piece *p, struct row_piece_room *room)
{
    const struct flux_row *r = p->row;

    if (p->x0 + (size_t)p->count < r->nx || !(r->periodic || r->is_last))
        return r->x_face + p->x0;
    return row_piece(r->x_face, r->nx, 1, r->x_face[0], p->x0, p->count, room);
}

/* Assigned one by one: clearing it would take as long as a short row. */
static inline void begin(struct piece *p, const struct flux_row *row, const struct flux_values *values, const real *f,
                         real *out)
{
    p->row = row;
    p->values = values;
    p->x0 = 0;
    p->f = f;
    p->out = out;
}

/* Unknowns from x0 to `end` of a row, of which the piece has x0, row, values, and what begins at the first of them. */
static void by_pieces(void (*const by_form[FLUX_FORMS])(const struct piece *), struct piece *p, size_t end)
{
    const struct flux_row *r = p->row;
    const real first = p->values ? p->values->middle[0] : 0;
    struct row_piece_room face, middle;

    for (;;) {
        p->count = row_piece_count(p->x0, end);
        if (r->stored)
            p->face = cut_face(p, &face);
        if (p->values)
            p->middle = row_piece(p->values->middle, r->nx, r->periodic, first, p->x0, p->count, &middle);
        by_form[r->form](p);
        if (end - p->x0 <= ROW_PIECE)
            return;
        p->x0 += ROW_PIECE;
        p->f = p->f ? p->f + ROW_PIECE : NULL;
        p->out += ROW_PIECE;
    }
}

/* ---- Relaxation -------------------------------------------------------------------------------------------------- */

STARFISH_ALWAYS_INLINE void relax_piece(int stored, const struct piece *p)
{
    const struct flux_row r = row_of(p, stored);
    const struct flux_values v = values_of(p);
    const real *f = p->f, damping = p->damping;
    const int count = p->count;
    real *out = p->out;

#pragma omp simd
    for (int i = 0; i < count; i++)
        out[i] = relaxed_at(&r, stored, &v, f, damping, i);
}
FLUX_BY_FORM(relax, relax_piece);

/* All are computed, which vectorises, and those of the other parity kept as they were. */
STARFISH_ALWAYS_INLINE void relax_colour_piece(int stored, const struct piece *p)
{
    const struct flux_row r = row_of(p, stored);
    const struct flux_values v = values_of(p);
    const real *f = p->f, damping = p->damping;
    const int count = p->count, parity = p->parity;
    real *out = p->out;

#pragma omp simd
    for (int i = 0; i < count; i++) {
        const real relaxed = relaxed_at(&r, stored, &v, f, damping, i);
        out[i] = (i & 1) == parity ? relaxed : v.middle[i];
    }
}
FLUX_BY_FORM(relax_colour, relax_colour_piece);

void REAL_NAME(starfish_flux_row_relax)(const struct flux_row *row, const struct flux_values *values, const real *f,
                                        real damping, int parity, real *out)
{
    struct piece p;

    begin(&p, row, values, f, out);
    p.damping = damping;
    p.parity = parity;
    by_pieces(parity == FLUX_ALL ? relax_by_form : relax_colour_by_form, &p, row->nx);
}

STARFISH_ALWAYS_INLINE void relax_zero_piece(int stored, const struct piece *p)
{
    const struct flux_row r = row_of(p, stored);
    const real *restrict f = p->f, damping = p->damping;
    const int count = p->count, parity = p->parity;
    real *restrict out = p->out;

#pragma omp simd
    for (int i = 0; i < count; i++) {
        const struct couplings c = couplings_at(&r, stored, i);
        const real relaxed = damping * f[i] / diagonal(&c);
        out[i] = parity == FLUX_ALL || (i & 1) == parity ? relaxed : 0;
    }
}
FLUX_BY_FORM(relax_zero, relax_zero_piece);

void REAL_NAME(starfish_flux_row_relax_zero)(const struct flux_row *row, const real *f, real damping, int parity,
                                             real *restrict out)
{
    struct piece p;

    begin(&p, row, NULL, f, out);
    p.damping = damping;
    p.parity = parity;
    by_pieces(relax_zero_by_form, &p, row->nx);
}

/* ---- Residual ---------------------------------------------------------------------------------------------------- */

/* f may be out. */
STARFISH_ALWAYS_INLINE void residual_piece(int stored, const struct piece *p)
{
    const struct flux_row r = row_of(p, stored);
    const struct flux_values v = values_of(p);
    const real *f = p->f;
    const int count = p->count;
    real *out = p->out;

    if (f) {
#pragma omp simd
        for (int i = 0; i < count; i++)
            out[i] = residual_at(&r, stored, &v, f, i);
    } else {
#pragma omp simd
        for (int i = 0; i < count; i++)
            out[i] = residual_at(&r, stored, &v, NULL, i);
    }
}
FLUX_BY_FORM(residual, residual_piece);

void REAL_NAME(starfish_flux_row_residual)(const struct flux_row *row, const struct flux_values *values, const real *f,
                                           real *out)
{
    struct piece p;

    begin(&p, row, values, f, out);
    by_pieces(residual_by_form, &p, row->nx);
}

STARFISH_CLONES
static double inner_product(const real *u, const real *v, size_t count)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < count; i++)
        sum += (double)u[i] * (double)v[i];
    return sum;
}

double REAL_NAME(starfish_flux_row_product)(const real *u, const real *v, size_t count)
{
    return inner_product(u, v, count);
}

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

STARFISH_ALWAYS_INLINE void system_piece(int stored, int direction, const struct piece *p)
{
    const struct flux_row r = row_of(p, stored);
    const struct flux_values v = values_of(p);
    const real *f = p->f;
    const ptrdiff_t done = p->out - p->to.rhs; /* in pieces before */
    real *lower = p->to.lower + done, *diag = p->to.diag + done, *upper = p->to.upper + done, *rhs = p->out;
    const int count = p->count;

#pragma omp simd
    for (int i = 0; i < count; i++) {
        const struct couplings c = couplings_at(&r, stored, i);
        lower[i] = -(direction == 0 ? c.west : direction == 1 ? c.south : c.below);
        upper[i] = -(direction == 0 ? c.east : direction == 1 ? c.north : c.above);
        diag[i] = diagonal(&c);
        rhs[i] = f[i] - product(&r, stored, &c, &v, i);
    }
}
#define SYSTEM_X(stored, p) system_piece(stored, 0, p)
#define SYSTEM_Y(stored, p) system_piece(stored, 1, p)
#define SYSTEM_Z(stored, p) system_piece(stored, 2, p)
FLUX_BY_FORM(system_x, SYSTEM_X);
FLUX_BY_FORM(system_y, SYSTEM_Y);
FLUX_BY_FORM(system_z, SYSTEM_Z);

void REAL_NAME(starfish_flux_row_system)(const struct flux_row *row, const struct flux_values *values, const real *f,
                                         int direction, size_t x0, size_t count, const struct flux_system *out)
{
    struct piece p;

    begin(&p, row, values, f + x0, out->rhs);
    p.to = *out;
    p.x0 = x0;
    by_pieces(direction == 0 ? system_x_by_form : direction == 1 ? system_y_by_form : system_z_by_form, &p, x0 + count);
}
