/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Smoothing on the CPU: correction, first colour and second colour of a red-black step in one pass over memory.
 *
 * Stages follow each other a plane apart, in place in v: plane k is corrected (w = u + P coarse) while the first colour
 * of plane k - 1 and the second one of plane k - 2 are relaxed, so that planes are in the cache until they are done.
 * Planes that are too large are done in strips of rows: each stage of a strip begins and ends one row before the stage
 * that it follows, and no row is done twice. In place is right because unknowns of a colour read only the other one.
 * Where that does not hold, or the row beside has not come to that stage, that is beyond the part and across the ends
 * of a periodic direction, the row is computed from u again. Cores that sweep parts of one array together need not do
 * that: they leave out the second colour of rows beside other parts, wait for each other, and do it then, every other
 * row first: loops read whole rows, also values that they do not use, and no core may be writing these. */
#include "multigrid/kernels/flux_row.h"

enum { CACHED_BYTES = 512 * 1024, CACHED_ARRAYS = 8, FEWEST_ROWS = 8 };
/* Rows of the work space: values of a row and its sides before the first colour, its sides after that, and combined
 * coarse rows. */
enum { BEFORE, BEFORE_SIDE, AFTER_SIDE = BEFORE_SIDE + FLUX_SIDES, COMBINED = AFTER_SIDE + FLUX_SIDES, ROWS_USED };
_Static_assert((int)ROWS_USED <= (int)STARFISH_FLUX_WORK_ROWS, "rows of work space");

struct sweep {
    const struct starfish_flux_smooth *a;
    size_t nx, ny;
    real damping;
};

static ptrdiff_t offset(const struct sweep *s, size_t j, ptrdiff_t k)
{
    return (ptrdiff_t)s->nx * ((ptrdiff_t)j + (ptrdiff_t)s->ny * k);
}

static real *result_row(const struct sweep *s, size_t j, ptrdiff_t k)
{
    return (real *)s->a->v + offset(s, j, k);
}

static const real *rhs_row(const struct sweep *s, size_t j, ptrdiff_t k)
{
    return (const real *)s->a->f + offset(s, j, k);
}

static void correct_row(const struct sweep *s, size_t j, ptrdiff_t k, real *out)
{
    const real *u = s->a->u ? (const real *)s->a->u + offset(s, j, k) : NULL;

    flux_prefetch_after(u, s->nx);
    REAL_NAME(starfish_flux_row_prolong)
    (s->a->transfer, s->a->coarse, u, j, k, flux_work_row(s->a->work, s->nx, COMBINED), out);
}

/* w of a row: u itself, or corrected into row `buffer` of the work space. */
static const real *row_before(const struct sweep *s, size_t j, ptrdiff_t k, int buffer)
{
    real *out = flux_work_row(s->a->work, s->nx, (size_t)buffer);

    if (!s->a->coarse)
        return (const real *)s->a->u + offset(s, j, k);
    correct_row(s, j, k, out);
    return out;
}

/* Unknowns i of row (j,k) that have a colour. */
static int parity_of(const struct sweep *s, int colour, size_t j, ptrdiff_t k)
{
    return colour == FLUX_ALL ? FLUX_ALL : (int)((j + flux_plane(s->a->matrix.axis[2].n, k) + (size_t)colour) % 2);
}

/* out = row (j,k) after `colour` is relaxed, from u alone. */
static void relax_from_start(const struct sweep *s, size_t j, ptrdiff_t k, int colour, real *out)
{
    struct flux_row row;
    const int parity = parity_of(s, colour, j, k);
    struct flux_values values;

    REAL_NAME(starfish_flux_row)(&s->a->matrix, j, k, &row);
    flux_prefetch_after(rhs_row(s, j, k), s->nx);
    if (!s->a->u && !s->a->coarse) {
        REAL_NAME(starfish_flux_row_relax_zero)(&row, rhs_row(s, j, k), s->damping, parity, out);
        return;
    }
    values.middle = row_before(s, j, k, BEFORE);
    for (int side = 0; side < FLUX_SIDES; side++) {
        const struct flux_neighbour at = REAL_NAME(starfish_flux_neighbour)(s->a->matrix.axis, j, k, side);
        values.side[side] = at.missing ? values.middle : row_before(s, at.j, at.k, BEFORE_SIDE + side);
    }
    flux_prefetch_after(values.side[FLUX_ABOVE], s->nx);
    REAL_NAME(starfish_flux_row_relax)(&row, &values, rhs_row(s, j, k), s->damping, parity, out);
}

static int is_in_part(const struct starfish_flux_part *at, const struct flux_neighbour *place)
{
    return !place->wrapped && place->j >= at->y0 && place->j < at->y1 && place->k >= (ptrdiff_t)at->z0 &&
           place->k < (ptrdiff_t)at->z1;
}

/* A colour of a row of v, in place. `first`: sides are read as they were before any colour, else as they are after the
 * first one. */
static void relax_in_place(const struct sweep *s, size_t j, ptrdiff_t k, int colour, int first)
{
    struct flux_row row;
    real *v = result_row(s, j, k);
    struct flux_values values = {.middle = v};

    REAL_NAME(starfish_flux_row)(&s->a->matrix, j, k, &row);
    if (first)
        flux_prefetch_after(rhs_row(s, j, k), s->nx);
    for (int side = 0; side < FLUX_SIDES; side++) {
        const struct flux_neighbour at = REAL_NAME(starfish_flux_neighbour)(s->a->matrix.axis, j, k, side);
        const int buffer = AFTER_SIDE + side;
        real *again = flux_work_row(s->a->work, s->nx, (size_t)buffer);
        if (at.missing)
            values.side[side] = v;
        else if (is_in_part(&s->a->at, &at) || (!first && s->a->phase && !at.wrapped))
            values.side[side] = result_row(s, at.j, at.k);
        else if (first)
            values.side[side] = row_before(s, at.j, at.k, BEFORE_SIDE + side);
        else {
            relax_from_start(s, at.j, at.k, 1 - colour, again);
            values.side[side] = again;
        }
    }
    REAL_NAME(starfish_flux_row_relax)
    (&row, &values, rhs_row(s, j, k), s->damping, parity_of(s, colour, j, k), v);
}

/* ---- Stages ------------------------------------------------------------------------------------------------------ */

static void correct_stage(const struct sweep *s, size_t j, ptrdiff_t k)
{
    if (s->a->coarse)
        correct_row(s, j, k, result_row(s, j, k));
}

static int first_colour(const struct sweep *s)
{
    return s->a->order == STARFISH_FLUX_ODD_FIRST;
}

static void first_stage(const struct sweep *s, size_t j, ptrdiff_t k)
{
    if (s->a->coarse)
        relax_in_place(s, j, k, first_colour(s), 1);
    else
        relax_from_start(s, j, k, first_colour(s), result_row(s, j, k));
}

/* Does a row read one that is another part's? */
static int is_at_edge(const struct sweep *s, size_t j, ptrdiff_t k)
{
    const struct starfish_flux_part *at = &s->a->at;
    const size_t nz = s->a->matrix.axis[2].n, z = (size_t)k;

    return (j == at->y0 && j > 0) || (j + 1 == at->y1 && j + 1 < s->ny) || (z == at->z0 && z > 0) ||
           (z + 1 == at->z1 && z + 1 < nz);
}

static void second_stage(const struct sweep *s, size_t j, ptrdiff_t k)
{
    if (s->a->phase != STARFISH_FLUX_BEGIN || !is_at_edge(s, j, k))
        relax_in_place(s, j, k, 1 - first_colour(s), 0);
}

static void (*const stages[])(const struct sweep *s, size_t j, ptrdiff_t k) = {correct_stage, first_stage,
                                                                               second_stage};
enum { STAGES = sizeof stages / sizeof stages[0] };

/* A strip's row `edge` in a stage that lies behind: those at the ends of the part are there for all. */
static size_t behind(const struct starfish_flux_part *at, size_t edge, size_t stage)
{
    return edge <= at->y0 + stage && edge < at->y1 ? at->y0 : edge < at->y1 ? edge - stage : at->y1;
}

static void sweep_strip(const struct sweep *s, size_t y0, size_t y1)
{
    const struct starfish_flux_part *at = &s->a->at;

    for (size_t step = at->z0; step < at->z1 + STAGES - 1; step++)
        for (size_t stage = 0; stage < STAGES; stage++)
            if (step >= at->z0 + stage && step - stage < at->z1)
                for (size_t j = behind(at, y0, stage); j < behind(at, y1, stage); j++)
                    stages[stage](s, j, (ptrdiff_t)(step - stage));
}

static size_t strip_rows(const struct sweep *s)
{
    const size_t rows = CACHED_BYTES / (CACHED_ARRAYS * s->nx * sizeof(real));

    return rows > FEWEST_ROWS ? rows : FEWEST_ROWS;
}

/* The second colour of the rows that were left out, of even or odd number. */
static void sweep_edges(const struct sweep *s, size_t odd)
{
    const struct starfish_flux_part *at = &s->a->at;

    for (size_t k = at->z0; k < at->z1; k++)
        for (size_t j = at->y0 + (at->y0 + k + odd) % 2; j < at->y1; j += 2)
            if (is_at_edge(s, j, (ptrdiff_t)k))
                second_stage(s, j, (ptrdiff_t)k);
}

static void sweep_colours(const struct sweep *s)
{
    const size_t rows = strip_rows(s), end = s->a->at.y1;

    for (size_t y = s->a->at.y0; y < end; y += rows)
        sweep_strip(s, y, end - y > rows ? y + rows : end);
}

static void sweep_at_once(const struct sweep *s)
{
    const struct starfish_flux_part *at = &s->a->at;

    for (size_t k = at->z0; k < at->z1; k++)
        for (size_t j = at->y0; j < at->y1; j++)
            relax_from_start(s, j, (ptrdiff_t)k, FLUX_ALL, result_row(s, j, (ptrdiff_t)k));
}

void REAL_NAME(starfish_flux_smooth_cpu)(const struct starfish_flux_smooth *a)
{
    const struct sweep sweep = {a, a->matrix.axis[0].n, a->matrix.axis[1].n, (real)a->damping};

    if (a->order == STARFISH_FLUX_AT_ONCE)
        sweep_at_once(&sweep);
    else if (a->phase == STARFISH_FLUX_END_EVEN || a->phase == STARFISH_FLUX_END_ODD)
        sweep_edges(&sweep, a->phase == STARFISH_FLUX_END_ODD);
    else
        sweep_colours(&sweep);
}
