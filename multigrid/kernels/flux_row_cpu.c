/* Applies the seven-point matrix (flux.h) row by row on the CPU: residual, product and Jacobi step. Bound by memory: a
 * row of u, of f and of the result move once each, 3 words per unknown, while the rows beside come from the cache. The
 * first and the last unknown of a row, and rows at the ends of the domain, take a slower path. */
#include "multigrid/kernels/flux_row.h"

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

void REAL_NAME(starfish_flux_row)(const struct starfish_flux_matrix *matrix, size_t j, ptrdiff_t plane,
                                  struct flux_row *row)
{
    const struct starfish_flux_axis *axis = matrix->axis;
    const size_t k = flux_plane(axis[2].n, plane);

    row->nx = axis[0].n;
    row->stored = 0;
    if (matrix->face[0])
        row->stored = FLUX_STORED | (matrix->rest ? FLUX_REST : 0) | (matrix->face[1] ? FLUX_ROWS : 0) |
                      (matrix->face[2] ? FLUX_PLANES : 0);
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

/* form(r, stored, ...) with the usual forms as constants, so that what a matrix does not have costs nothing. */
enum { FLUX_SOLID = FLUX_STORED | FLUX_ROWS | FLUX_PLANES, FLUX_FLAT = FLUX_STORED | FLUX_PLANES };
#define FLUX_BY_FORM(stored, form, ...)                                                                                \
    do {                                                                                                               \
        if ((stored) == 0)                                                                                             \
            form(r, 0, __VA_ARGS__);                                                                                   \
        else if ((stored) == FLUX_SOLID)                                                                               \
            form(r, FLUX_SOLID, __VA_ARGS__);                                                                          \
        else if ((stored) == (FLUX_SOLID | FLUX_REST))                                                                 \
            form(r, FLUX_SOLID | FLUX_REST, __VA_ARGS__);                                                              \
        else if ((stored) == FLUX_FLAT)                                                                                \
            form(r, FLUX_FLAT, __VA_ARGS__);                                                                           \
        else                                                                                                           \
            form(r, stored, __VA_ARGS__);                                                                              \
    } while (0)

/* The couplings of unknown i, and the rest. Members and not an array of sides, which would leave the registers. */
struct couplings {
    int form; /* of the matrix */
    real west, east, south, north, below, above, rest;
};

/* `face` is where the coupling to the east is stored. */
STARFISH_ALWAYS_INLINE struct couplings couplings_at(const struct flux_row *r, int stored, size_t i, size_t face)
{
    if (stored)
        return (struct couplings){.form = stored,
                                  .west = r->x_face[i],
                                  .east = r->x_face[face],
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
                                           const struct flux_values *v, size_t i, size_t west, size_t east)
{
    const real u = v->middle[i];
    const real x = c->west * (u - r->keep_x * v->middle[west]) + c->east * (u - r->keep_x * v->middle[east]);
    const real y = c->form & FLUX_ROWS ? c->south * (u - r->keep_y * v->side[FLUX_SOUTH][i]) +
                                             c->north * (u - r->keep_y * v->side[FLUX_NORTH][i])
                                       : 0;
    const real z = c->form & FLUX_PLANES ? c->below * (u - r->keep_z * v->side[FLUX_BELOW][i]) +
                                               c->above * (u - r->keep_z * v->side[FLUX_ABOVE][i])
                                         : 0;

    return (x + y) + (z + c->rest * u);
}

/* Of tensor form, with what does not depend on x taken out. */
STARFISH_ALWAYS_INLINE real tensor_product(const struct flux_row *r, const struct flux_values *v, size_t i, size_t west,
                                           size_t east)
{
    const real u = v->middle[i];
    const real x = r->x_coupling[i] * (u - r->keep_x * v->middle[west]) +
                   r->x_coupling[i + 1] * (u - r->keep_x * v->middle[east]) + r->x_extra[i] * u;
    const real y =
        r->side[FLUX_SOUTH] * (u - v->side[FLUX_SOUTH][i]) + r->side[FLUX_NORTH] * (u - v->side[FLUX_NORTH][i]);
    const real z =
        r->side[FLUX_BELOW] * (u - v->side[FLUX_BELOW][i]) + r->side[FLUX_ABOVE] * (u - v->side[FLUX_ABOVE][i]);

    return r->across * x + r->x_weight[i] * ((y + z) + r->rest * u);
}

STARFISH_ALWAYS_INLINE real product(const struct flux_row *r, int stored, const struct couplings *c,
                                    const struct flux_values *v, size_t i, size_t west, size_t east)
{
    return stored ? stored_product(r, c, v, i, west, east) : tensor_product(r, v, i, west, east);
}

STARFISH_ALWAYS_INLINE real diagonal(const struct couplings *c)
{
    return ((c->west + c->east) + (c->south + c->north)) + ((c->below + c->above) + c->rest);
}

/* Unknown i with its neighbours in x. */
STARFISH_ALWAYS_INLINE real residual_at(const struct flux_row *r, int stored, const struct flux_values *v,
                                        const real *f, size_t i, size_t west, size_t east, size_t face)
{
    const struct couplings c = couplings_at(r, stored, i, face);

    return (f ? f[i] : 0) - product(r, stored, &c, v, i, west, east);
}

/* f and what the neighbours pull, over the diagonal: fewer operations than by differences, and rounding errors of those
 * of the value itself. */
STARFISH_ALWAYS_INLINE real stored_pull(const struct flux_row *r, const struct couplings *c,
                                        const struct flux_values *v, real f, size_t i, size_t west, size_t east)
{
    const real x = c->west * v->middle[west] + c->east * v->middle[east];
    const real y = c->form & FLUX_ROWS ? c->south * v->side[FLUX_SOUTH][i] + c->north * v->side[FLUX_NORTH][i] : 0;
    const real z = c->form & FLUX_PLANES ? c->below * v->side[FLUX_BELOW][i] + c->above * v->side[FLUX_ABOVE][i] : 0;

    return (f + r->keep_x * x + (r->keep_y * y + r->keep_z * z)) / diagonal(c);
}

STARFISH_ALWAYS_INLINE real tensor_pull(const struct flux_row *r, const struct flux_values *v, real f, size_t i,
                                        size_t west, size_t east)
{
    const real low = r->x_coupling[i], high = r->x_coupling[i + 1], weight = r->x_weight[i];
    const real x = low * v->middle[west] + high * v->middle[east];
    const real sides = (r->side[FLUX_SOUTH] * v->side[FLUX_SOUTH][i] + r->side[FLUX_NORTH] * v->side[FLUX_NORTH][i]) +
                       (r->side[FLUX_BELOW] * v->side[FLUX_BELOW][i] + r->side[FLUX_ABOVE] * v->side[FLUX_ABOVE][i]);
    const real of_row =
        (r->side[FLUX_SOUTH] + r->side[FLUX_NORTH]) + (r->side[FLUX_BELOW] + r->side[FLUX_ABOVE]) + r->rest;

    return (f + (r->keep_x * r->across * x + weight * sides)) /
           (r->across * ((low + high) + r->x_extra[i]) + weight * of_row);
}

STARFISH_ALWAYS_INLINE real relaxed_at(const struct flux_row *r, int stored, const struct flux_values *v, const real *f,
                                       real damping, size_t i, size_t west, size_t east, size_t face)
{
    const struct couplings c = couplings_at(r, stored, i, face);
    const real target = stored ? stored_pull(r, &c, v, f[i], i, west, east) : tensor_pull(r, v, f[i], i, west, east);

    return v->middle[i] + damping * (target - v->middle[i]);
}

/* The neighbours of the first and the last unknown. */
struct ends {
    size_t last, below_first, above_last;
};

STARFISH_ALWAYS_INLINE struct ends ends_of(const struct flux_row *r)
{
    const size_t last = r->nx - 1;

    return (struct ends){last, r->periodic ? last : 0, r->periodic ? 0 : last};
}

/* ---- Relaxation -------------------------------------------------------------------------------------------------- */

STARFISH_ALWAYS_INLINE void relax_between(const struct flux_row *row, int stored, const struct flux_values *values,
                                          const real *f, real damping, int parity, real *out)
{
    const struct flux_row r = *row;
    const struct flux_values v = *values;
    const size_t last = r.nx - 1;

    if (parity == FLUX_ALL) {
#pragma omp simd
        for (size_t i = 1; i < last; i++)
            out[i] = relaxed_at(&r, stored, &v, f, damping, i, i - 1, i + 1, i + 1);
        return;
    }
    /* all are computed, which vectorises, and those of the other parity kept as they were */
#pragma omp simd
    for (size_t i = 1; i < last; i++) {
        const real relaxed = relaxed_at(&r, stored, &v, f, damping, i, i - 1, i + 1, i + 1);
        out[i] = (i & 1) == (size_t)parity ? relaxed : v.middle[i];
    }
}

STARFISH_ALWAYS_INLINE void relax_form(const struct flux_row *r, int stored, const struct flux_values *v, const real *f,
                                       real damping, int parity, real *out)
{
    const struct ends e = ends_of(r);
    real first = v->middle[0], last = v->middle[e.last];

    /* both before either is written: across the ends of an odd periodic row they are of one colour */
    if (parity != 1)
        first = relaxed_at(r, stored, v, f, damping, 0, e.below_first, r->nx > 1 ? 1 : 0, r->nx > 1 ? 1 : 0);
    if (parity == FLUX_ALL || (e.last & 1) == (size_t)parity)
        last = relaxed_at(r, stored, v, f, damping, e.last, r->nx > 1 ? e.last - 1 : 0, e.above_last, 0);
    relax_between(r, stored, v, f, damping, parity, out);
    out[0] = first;
    if (e.last > 0)
        out[e.last] = last;
}

STARFISH_CLONES
static void relax(const struct flux_row *r, const struct flux_values *v, const real *f, real damping, int parity,
                  real *out)
{
    FLUX_BY_FORM(r->stored, relax_form, v, f, damping, parity, out);
}

void REAL_NAME(starfish_flux_row_relax)(const struct flux_row *row, const struct flux_values *values, const real *f,
                                        real damping, int parity, real *out)
{
    relax(row, values, f, damping, parity, out);
}

STARFISH_ALWAYS_INLINE void relax_zero_form(const struct flux_row *row, int stored, const real *restrict f,
                                            real damping, int parity, real *restrict out)
{
    const struct flux_row r = *row;
    const size_t last = r.nx - 1;

#pragma omp simd
    for (size_t i = 0; i < last; i++) {
        const struct couplings c = couplings_at(&r, stored, i, i + 1);
        const real relaxed = damping * f[i] / diagonal(&c);
        out[i] = parity == FLUX_ALL || (i & 1) == (size_t)parity ? relaxed : 0;
    }
    const struct couplings c = couplings_at(&r, stored, last, 0);
    out[last] = parity == FLUX_ALL || (last & 1) == (size_t)parity ? damping * f[last] / diagonal(&c) : 0;
}

STARFISH_CLONES
static void relax_zero(const struct flux_row *r, const real *f, real damping, int parity, real *out)
{
    FLUX_BY_FORM(r->stored, relax_zero_form, f, damping, parity, out);
}

void REAL_NAME(starfish_flux_row_relax_zero)(const struct flux_row *row, const real *f, real damping, int parity,
                                             real *restrict out)
{
    relax_zero(row, f, damping, parity, out);
}

/* ---- Residual ---------------------------------------------------------------------------------------------------- */

/* f may be out. */
STARFISH_ALWAYS_INLINE void residual_form(const struct flux_row *row, int stored, const struct flux_values *values,
                                          const real *f, real *out)
{
    const struct flux_row r = *row;
    const struct flux_values v = *values;
    const struct ends e = ends_of(&r);

    out[0] = residual_at(&r, stored, &v, f, 0, e.below_first, r.nx > 1 ? 1 : 0, r.nx > 1 ? 1 : 0);
    if (f) {
#pragma omp simd
        for (size_t i = 1; i < e.last; i++)
            out[i] = residual_at(&r, stored, &v, f, i, i - 1, i + 1, i + 1);
    } else {
#pragma omp simd
        for (size_t i = 1; i < e.last; i++)
            out[i] = residual_at(&r, stored, &v, NULL, i, i - 1, i + 1, i + 1);
    }
    if (e.last > 0)
        out[e.last] = residual_at(&r, stored, &v, f, e.last, e.last - 1, e.above_last, 0);
}

STARFISH_CLONES
static void residual(const struct flux_row *r, const struct flux_values *v, const real *f, real *out)
{
    FLUX_BY_FORM(r->stored, residual_form, v, f, out);
}

void REAL_NAME(starfish_flux_row_residual)(const struct flux_row *row, const struct flux_values *values, const real *f,
                                           real *out)
{
    residual(row, values, f, out);
}

STARFISH_CLONES
static double squares(const real *values, size_t count)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < count; i++)
        sum += (double)values[i] * (double)values[i];
    return sum;
}

double REAL_NAME(starfish_flux_row_squares)(const real *values, size_t count)
{
    return squares(values, count);
}

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

STARFISH_ALWAYS_INLINE void system_at(const struct flux_row *r, int stored, const struct flux_values *v, const real *f,
                                      int direction, size_t i, size_t west, size_t east, size_t face,
                                      const struct flux_system *out, size_t to)
{
    const struct couplings c = couplings_at(r, stored, i, face);

    out->lower[to] = -(direction == 0 ? c.west : direction == 1 ? c.south : c.below);
    out->upper[to] = -(direction == 0 ? c.east : direction == 1 ? c.north : c.above);
    out->diag[to] = diagonal(&c);
    out->rhs[to] = f[i] - product(r, stored, &c, v, i, west, east);
}

STARFISH_ALWAYS_INLINE void system_form(const struct flux_row *row, int stored, const struct flux_values *values,
                                        const real *f, int direction, size_t x0, size_t x1,
                                        const struct flux_system *to)
{
    const struct flux_row r = *row;
    const struct flux_values v = *values;
    const struct flux_system out = *to;
    const struct ends e = ends_of(&r);
    const size_t first = x0 > 0 ? x0 : 1, last = x1 < r.nx ? x1 : e.last;

    if (x0 == 0)
        system_at(&r, stored, &v, f, direction, 0, e.below_first, r.nx > 1 ? 1 : 0, r.nx > 1 ? 1 : 0, &out, 0);
#pragma omp simd
    for (size_t i = first; i < last; i++)
        system_at(&r, stored, &v, f, direction, i, i - 1, i + 1, i + 1, &out, i - x0);
    if (x1 == r.nx && r.nx > 1)
        system_at(&r, stored, &v, f, direction, e.last, e.last - 1, e.above_last, 0, &out, e.last - x0);
}

STARFISH_CLONES
static void line_system(const struct flux_row *r, const struct flux_values *v, const real *f, int direction, size_t x0,
                        size_t x1, const struct flux_system *out)
{
    if (r->stored && direction == 0)
        system_form(r, r->stored, v, f, 0, x0, x1, out);
    else if (r->stored && direction == 1)
        system_form(r, r->stored, v, f, 1, x0, x1, out);
    else if (r->stored)
        system_form(r, r->stored, v, f, 2, x0, x1, out);
    else if (direction == 0)
        system_form(r, 0, v, f, 0, x0, x1, out);
    else if (direction == 1)
        system_form(r, 0, v, f, 1, x0, x1, out);
    else
        system_form(r, 0, v, f, 2, x0, x1, out);
}

void REAL_NAME(starfish_flux_row_system)(const struct flux_row *row, const struct flux_values *values, const real *f,
                                         int direction, size_t x0, size_t count, const struct flux_system *out)
{
    line_system(row, values, f, direction, x0, x0 + count, out);
}

/* ---- Prolongation ------------------------------------------------------------------------------------------------ */

/* The coarse unknowns of a fine one. */
struct pair {
    ptrdiff_t index[2];
    real weight[2];
};

/* The index of a coarse unknown -1 .. coarse of those next to the fine ones of the grid itself; `turn` is -1 and 1 for
 * fine ones that are ghosts. */
static ptrdiff_t coarse_index(const struct starfish_flux_transfer *t, ptrdiff_t index, ptrdiff_t turn)
{
    const ptrdiff_t n = (ptrdiff_t)t->coarse;

    if (t->ghosts)
        return index + turn * n;
    if (index < 0)
        return t->periodic ? n - 1 : 0;
    return index < n ? index : t->periodic ? 0 : n - 1;
}

static struct pair pair_of(const struct starfish_flux_transfer *t, ptrdiff_t place)
{
    const size_t i = flux_plane(t->fine, place);
    const ptrdiff_t turn = place < 0 ? -1 : (size_t)place >= t->fine;
    const ptrdiff_t upper = t->fine == t->coarse ? (ptrdiff_t)i : ((ptrdiff_t)i + 1) / 2;

    if (t->fine == t->coarse) {
        const ptrdiff_t same = coarse_index(t, upper, turn);
        return (struct pair){{same, same}, {1, 0}};
    }
    return (struct pair){{coarse_index(t, upper - 1, turn), coarse_index(t, upper, turn)},
                         {((const real *)t->lower)[i], ((const real *)t->upper)[i]}};
}

/* c[I] = the four coarse rows combined. */
STARFISH_ALWAYS_INLINE void combine(const real *const row[4], const real weight[4], size_t count, real *restrict c)
{
    const real *row0 = row[0], *row1 = row[1], *row2 = row[2], *row3 = row[3];
    const real w0 = weight[0], w1 = weight[1], w2 = weight[2], w3 = weight[3];

#pragma omp simd
    for (size_t I = 0; I < count; I++)
        c[I] = (w0 * row0[I] + w1 * row1[I]) + (w2 * row2[I] + w3 * row3[I]);
}

/* out = u + what lies between c[-1], at the lower neighbour of fine unknown 0, and the last. */
STARFISH_ALWAYS_INLINE void expand(const struct starfish_flux_transfer *x, const real *c, const real *u, int zero,
                                   real *out)
{
    const real *lower = x->lower, *upper = x->upper, *before = c - 1;

#pragma omp simd
    for (size_t I = 0; I < x->fine / 2; I++) {
        const real even = lower[2 * I] * before[I] + upper[2 * I] * before[I + 1];
        const real odd = lower[2 * I + 1] * before[I + 1] + upper[2 * I + 1] * before[I + 2];
        out[2 * I] = zero ? even : u[2 * I] + even;
        out[2 * I + 1] = zero ? odd : u[2 * I + 1] + odd;
    }
    if (x->fine % 2 != 0) {
        const size_t i = x->fine - 1;
        const real value = lower[i] * before[i / 2] + upper[i] * before[i / 2 + 1];
        out[i] = zero ? value : u[i] + value;
    }
}

STARFISH_ALWAYS_INLINE void add(const real *c, const real *u, size_t count, real *out)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++)
        out[i] = u[i] + c[i];
}

STARFISH_CLONES
static void prolong(const struct starfish_flux_transfer *x, const real *const row[4], const real weight[4],
                    const real *u, real *c, real *out)
{
    combine(row, weight, x->coarse, c);
    if (x->fine == x->coarse) {
        if (u)
            add(c, u, x->fine, out);
        else
            memcpy(out, c, x->fine * sizeof(real));
        return;
    }
    c[-1] = x->periodic ? c[x->coarse - 1] : 0;
    c[x->coarse] = x->periodic ? c[0] : 0;
    if (u)
        expand(x, c, u, 0, out);
    else
        expand(x, c, u, 1, out);
}

void REAL_NAME(starfish_flux_row_prolong)(const struct starfish_flux_transfer *transfer, const void *coarse,
                                          const real *u, size_t j, ptrdiff_t k, real *combined, real *out)
{
    const struct pair y = pair_of(&transfer[1], (ptrdiff_t)j), z = pair_of(&transfer[2], k);
    const ptrdiff_t nx = (ptrdiff_t)transfer[0].coarse, ny = (ptrdiff_t)transfer[1].coarse;
    const real *row[4];
    real weight[4];

    for (int r = 0; r < 4; r++) {
        row[r] = (const real *)coarse + nx * (y.index[r % 2] + ny * z.index[r / 2]);
        weight[r] = y.weight[r % 2] * z.weight[r / 2];
    }
    prolong(&transfer[0], row, weight, u, combined, out);
}
