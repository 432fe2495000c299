/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Line smoother and residual of flat domains on the CPU.
 *
 * A row of columns is smoothed in pieces of FLAT_PIECE columns, by Thomas's elimination in all of them at once: the
 * factors and right-hand sides of a piece stay in the cache between the way up and the way down, so that 3 words per
 * unknown move. Where nearly all columns of a piece are of one type (flat_factors.h), its factors are known. Results of
 * large grids are stored past the caches, which would read them first otherwise. A coarse correction is added on the
 * way, into a ring of three rows. */
#include "multigrid/kernels/flat_row.h"

#include "base/clones.h"
#include "base/past_caches.h"
#include "multigrid/kernels/flat_factors.h"

#include <string.h>

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

/* u of layer k is value[k] + factor[k] * u of layer k + 1. */
struct lines {
    real *factor, *value;
};

/* Layer k on the way up: what f - A u has there becomes y. */
STARFISH_CLONES static void eliminate_layer(const struct starfish_flat_matrix *m, const struct flat_piece *p, size_t k,
                                            const struct lines *lines)
{
    static const real zeros[FLAT_PIECE] = {0};
    const real a = ((const real *)m->a)[k], b = ((const real *)m->b)[k];
    const real c = ((const real *)m->c)[k], d = ((const real *)m->d)[k];
    real *const factor = lines->factor + FLAT_PIECE * k, *const value = lines->value + FLAT_PIECE * k;
    const real *const factor_below = k > 0 ? factor - FLAT_PIECE : zeros;
    const real *const value_below = k > 0 ? value - FLAT_PIECE : zeros;
    const size_t count = p->count;

#pragma GCC ivdep
    for (size_t i = 0; i < count; i++) {
        const real below = p->lift[i] * b, above = p->lift[i] * c;
        const real diagonal = p->mass[i] * a + below + above + d * p->faces[i];
        const real inverse = 1 / (diagonal - below * factor_below[i]);
        value[i] = (value[i] + below * value_below[i]) * inverse;
        factor[i] = above * inverse;
    }
}

/* ---- Lines of a type (flat_factors.h) ---------------------------------------------------------------------------- */

enum { MOST_OTHERS = 4, MOST_LAYERS = STARFISH_FLAT_RUN * STARFISH_FLAT_MOST_RUNS };

/* A piece whose columns are of one type, but for some others, which are solved one by one. */
struct typed {
    const real *factors; /* of the type, three a layer; NULL: columns are eliminated one by one */
    size_t others, other[MOST_OTHERS];
    const real *other_factors[MOST_OTHERS];
    real other_value[MOST_OTHERS][MOST_LAYERS];
};

static const real *factors_of(const struct starfish_flat_matrix *m, size_t type)
{
    const size_t nz = m->n[2];

    return (const real *)m->factors + type * starfish_flat_factors_size(nz) +
           starfish_flat_factors_of_runs(starfish_flat_runs(nz));
}

static void look_at_types(const struct starfish_flat_matrix *m, const struct flat_piece *p, struct typed *typed)
{
    typed->factors = NULL;
    typed->others = 0;
    if (m->types == 0)
        return;
    const real *const type = (const real *)m->type + p->i0 + m->n[0] * p->j, usual = type[p->count / 2];
    for (size_t i = 0; i < p->count; i++) {
        if (type[i] == usual)
            continue;
        if (typed->others == MOST_OTHERS)
            return;
        typed->other[typed->others] = i;
        typed->other_factors[typed->others++] = factors_of(m, (size_t)type[i]);
    }
    typed->factors = factors_of(m, (size_t)usual);
}

STARFISH_CLONES static void scale_layer(size_t count, real pivot, real below, const real *value_below, real *value)
{
#pragma GCC ivdep
    for (size_t i = 0; i < count; i++)
        value[i] = pivot * value[i] + below * value_below[i];
}

/* Layer k on the way up. */
static void advance_typed(struct typed *typed, const struct flat_piece *p, size_t k, real *value)
{
    static const real zeros[FLAT_PIECE] = {0};
    const real *const f = typed->factors + 3 * k;

    for (size_t o = 0; o < typed->others; o++) {
        const real *const own = typed->other_factors[o] + 3 * k, rest = k > 0 ? typed->other_value[o][k - 1] : 0;
        typed->other_value[o][k] = own[0] * value[typed->other[o]] + own[1] * rest;
    }
    scale_layer(p->count, f[0], f[1], k > 0 ? value - FLAT_PIECE : zeros, value);
}

/* value = u of layer k, where above is that of layer k + 1: */
STARFISH_CLONES static void substitute(size_t count, const real *factor, const real *above, real *value)
{
#pragma GCC ivdep
    for (size_t i = 0; i < count; i++)
        value[i] += factor[i] * above[i];
}

/* with one factor for all columns, */
STARFISH_CLONES static void substitute_typed(size_t count, real factor, const real *above, real *value)
{
#pragma GCC ivdep
    for (size_t i = 0; i < count; i++)
        value[i] += factor * above[i];
}

/* and the others'. */
static void return_typed(struct typed *typed, const struct flat_piece *p, size_t k, size_t nz, real *value)
{
    if (k + 1 < nz)
        substitute_typed(p->count, typed->factors[3 * k + 2], value + FLAT_PIECE, value);
    for (size_t o = 0; o < typed->others; o++) {
        real *const own = typed->other_value[o];
        if (k + 1 < nz)
            own[k] += typed->other_factors[o][3 * k + 2] * own[k + 1];
        value[typed->other[o]] = own[k];
    }
}

/* ---- Results ----------------------------------------------------------------------------------------------------- */

STARFISH_CLONES static double dot(const real *u, const real *v, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += (double)u[i] * (double)v[i]; /* NOLINT(clang-analyzer-core.*): sums are of arrays that are there */
    return sum;
}

/* Of the columns of a piece that count. */
static double own_dot(const struct starfish_flat_matrix *m, const struct flat_piece *p, const real *u, const real *v)
{
    const size_t end = p->i0 + p->count, last = m->own[1] > 0 && m->own[1] < end ? m->own[1] : end;
    const size_t first = m->own[0] > p->i0 ? m->own[0] : p->i0;

    return first < last ? dot(u + (first - p->i0), v + (first - p->i0), last - first) : 0;
}

/* Arrays that no cache keeps until they are read again. */
enum { BEYOND_CACHES = 32 << 20 };
static int is_beyond_caches(const struct starfish_flat_matrix *m)
{
    return m->n[0] * m->n[1] * m->n[2] * sizeof(real) > BEYOND_CACHES;
}

static void store_line(void *to, const void *line, size_t bytes, int past_caches)
{
    /* NOLINTBEGIN(clang-analyzer-core.*): there is a line, in work space */
    if (past_caches)
        starfish_store_past_caches(to, line, bytes);
    else
        memcpy(to, line, bytes);
    /* NOLINTEND(clang-analyzer-core.*) */
}

/* ---- The smoother ------------------------------------------------------------------------------------------------ */

STARFISH_ALWAYS_INLINE int is_smoothed(enum starfish_flat_columns columns, size_t i, size_t j)
{
    return columns == STARFISH_FLAT_ALL || (i + j) % 2 == (columns == STARFISH_FLAT_ODD);
}

/* v = u + damping * value in one layer, or, given a colour, in its columns; u NULL: zero. */
STARFISH_CLONES static void damp_layer(const struct starfish_flat_smooth *a, const struct flat_piece *p, const real *u,
                                       const real *value, real *v)
{
    const real damping = (real)a->damping;
    const size_t count = p->count;

    /* NOLINTBEGIN(clang-analyzer-core.*): values are in work space */
    if (a->columns == STARFISH_FLAT_ALL && u) {
#pragma GCC ivdep
        for (size_t i = 0; i < count; i++)
            v[i] = u[i] + damping * value[i];
    } else if (a->columns == STARFISH_FLAT_ALL) {
#pragma GCC ivdep
        for (size_t i = 0; i < count; i++)
            v[i] = damping * value[i];
    } else {
        for (size_t i = 0; i < count; i++)
            v[i] = (u ? u[i] : 0) + (is_smoothed(a->columns, p->i0 + i, p->j) ? damping * value[i] : 0);
    }
    /* NOLINTEND(clang-analyzer-core.*) */
}

/* The way up: layer by layer what f - A u has there is eliminated while it is in the nearest cache. */
static void go_up(const struct starfish_flat_smooth *a, const struct flat_piece *p, const struct flat_rows *rows,
                  const struct lines *lines, struct typed *typed)
{
    const struct starfish_flat_matrix *m = &a->matrix;

    look_at_types(m, p, typed);
    for (size_t k = 0; k < m->n[2]; k++) {
        real *const value = lines->value + FLAT_PIECE * k;
        REAL_NAME(starfish_flat_piece_residual)
        (m, p, rows, k, (const real *)a->f + m->n[0] * (k + m->n[2] * p->j), value);
        if (typed->factors)
            advance_typed(typed, p, k, value);
        else
            eliminate_layer(m, p, k, lines);
    }
}

/* The way down, which stores v; its inner product with f where sums are wanted. */
static double go_down(const struct starfish_flat_smooth *a, const struct flat_piece *p, const real *u,
                      const struct lines *lines, struct typed *typed)
{
    const struct starfish_flat_matrix *m = &a->matrix;
    const size_t nz = m->n[2];
    const int past = is_beyond_caches(m);
    real line[FLAT_PIECE];
    double sum = 0;

    for (size_t k = nz; k-- > 0;) {
        const size_t at = m->n[0] * (k + nz * p->j) + p->i0;
        real *const value = lines->value + FLAT_PIECE * k;
        if (typed->factors)
            return_typed(typed, p, k, nz, value);
        else if (k + 1 < nz)
            substitute(p->count, lines->factor + FLAT_PIECE * k, value + FLAT_PIECE, value);
        damp_layer(a, p, u ? u + m->n[0] * k + p->i0 : NULL, value, line);
        store_line((real *)a->v + at, line, p->count * sizeof(real), past);
        if (a->sums)
            sum += own_dot(m, p, (const real *)a->f + at, line);
    }
    return sum;
}

static double smooth_row(const struct starfish_flat_smooth *a, size_t j, const struct flat_rows *rows,
                         const struct lines *lines)
{
    const struct starfish_flat_matrix *m = &a->matrix;
    struct flat_piece piece;
    struct typed typed;
    double sum = 0;

    for (size_t i0 = 0; i0 < m->n[0]; i0 += FLAT_PIECE) {
        REAL_NAME(starfish_flat_piece)(m, i0, j, &piece);
        go_up(a, &piece, rows, lines, &typed);
        sum += go_down(a, &piece, rows->here, lines, &typed);
    }
    return sum;
}

/* ---- Rows that are made on the way ------------------------------------------------------------------------------- */

/* Rows of w, each made when it is first needed, in a ring of three. */
struct ring {
    const struct starfish_flat_matrix *matrix;
    real *rows;
    void (*make)(const void *self, size_t row, real *to);
    const void *self;
};

/* Row j + step, in its place of the ring; NULL: there is none. */
static const real *make_row(const struct ring *ring, size_t j, int step)
{
    const struct starfish_flat_matrix *m = ring->matrix;
    const size_t slot = (j + (size_t)(1 + step)) % FLAT_RING;
    real *const to = ring->rows + m->n[0] * m->n[2] * slot;
    size_t row = j + (size_t)step;

    if ((step < 0 && j == 0) || (step > 0 && j + 1 == m->n[1])) {
        if (!m->periodic[1])
            return NULL;
        row = step < 0 ? m->n[1] - 1 : 0;
    }
    ring->make(ring->self, row, to);
    return to;
}

static struct flat_rows first_rows(const struct ring *ring, size_t y0)
{
    return (struct flat_rows){make_row(ring, y0, 0), make_row(ring, y0, -1), make_row(ring, y0, 1)};
}

static struct flat_rows next_rows(const struct ring *ring, const struct flat_rows *rows, size_t j)
{
    return (struct flat_rows){rows->above, rows->here, make_row(ring, j, 1)};
}

/* Rows of an array as it is. */
static struct flat_rows rows_of(const struct starfish_flat_matrix *m, const void *u, size_t j)
{
    return (struct flat_rows){REAL_NAME(starfish_flat_row)(m, u, j, 0), REAL_NAME(starfish_flat_row)(m, u, j, -1),
                              REAL_NAME(starfish_flat_row)(m, u, j, 1)};
}

static void store_sum(double sum, double *sums, size_t count)
{
    if (!sums)
        return;
    memset(sums, 0, (count > 0 ? count : STARFISH_SUMS) * sizeof *sums);
    sums[0] = sum;
}

/* ---- Sweeps ------------------------------------------------------------------------------------------------------ */

struct correcting {
    const struct starfish_flat_smooth *smooth;
    real *line;
};

static void correct_row(const void *self, size_t row, real *to)
{
    const struct correcting *c = self;
    const struct starfish_flat_smooth *a = c->smooth;
    const size_t size = a->matrix.n[0] * a->matrix.n[2];

    REAL_NAME(starfish_flat_prolong_row)
    (a->transfer, a->matrix.n[2], row, a->coarse, a->u ? (const real *)a->u + size * row : NULL, to, c->line);
}

void REAL_NAME(starfish_flat_smooth_cpu)(const struct starfish_flat_smooth *a)
{
    const struct starfish_flat_matrix *m = &a->matrix;
    const size_t size = FLAT_PIECE * m->n[2];
    const struct lines lines = {a->work, (real *)a->work + size};
    real *const line = (real *)a->work + 2 * size;
    const struct correcting correcting = {a, line};
    const struct ring ring = {m, line + starfish_flat_line(m), correct_row, &correcting};
    struct flat_rows rows = {NULL, NULL, NULL};
    double sum = 0;

    for (size_t j = a->y0; j < a->y1; j++) {
        rows = !a->coarse ? rows_of(m, a->u, j) : j == a->y0 ? first_rows(&ring, j) : next_rows(&ring, &rows, j);
        sum += smooth_row(a, j, &rows, &lines);
    }
    starfish_past_caches_done();
    store_sum(sum, a->sums, a->sum_count);
}

/* ---- The residual ------------------------------------------------------------------------------------------------ */

struct combining {
    const struct starfish_flat_residual *residual;
    real factor;
};

STARFISH_CLONES static void combine(size_t count, const real *u, real factor, const real *correction, real *to)
{
    /* NOLINTBEGIN(clang-analyzer-core.*): rows are combined where there is a correction */
    if (u)
        for (size_t e = 0; e < count; e++)
            to[e] = u[e] + factor * correction[e];
    else
        for (size_t e = 0; e < count; e++)
            to[e] = factor * correction[e];
    /* NOLINTEND(clang-analyzer-core.*) */
}

STARFISH_CLONES static void combine_lower(size_t count, const real *u, real factor, const float *correction, real *to)
{
    /* NOLINTBEGIN(clang-analyzer-core.*): as above */
    for (size_t e = 0; e < count; e++)
        to[e] = (u ? u[e] : 0) + factor * (real)correction[e];
    /* NOLINTEND(clang-analyzer-core.*) */
}

static void combine_row(const void *self, size_t row, real *to)
{
    const struct combining *c = self;
    const struct starfish_flat_residual *a = c->residual;
    const size_t size = a->matrix.n[0] * a->matrix.n[2];
    const real *const u = a->u ? (const real *)a->u + size * row : NULL;

    if (a->lower)
        combine_lower(size, u, c->factor, (const float *)a->correction + size * row, to);
    else
        combine(size, u, c->factor, (const real *)a->correction + size * row, to);
}

STARFISH_CLONES static void round_piece(size_t count, real scale, const real *line, float *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (float)(scale * line[i]);
}

/* Stores a piece of the result from element `start` on; scale: where it is `lower`. */
static void store_piece(const struct starfish_flat_residual *a, real scale, const real *line, size_t start,
                        size_t count)
{
    const int past = is_beyond_caches(&a->matrix);
    float lower[FLAT_PIECE];

    if (a->lower) {
        round_piece(count, scale, line, lower);
        store_line((float *)a->result + start, lower, count * sizeof(float), past);
    } else {
        store_line((real *)a->result + start, line, count * sizeof(real), past);
    }
}

static double residual_row(const struct starfish_flat_residual *a, real scale, size_t j, const struct flat_rows *rows,
                           real *line)
{
    const struct starfish_flat_matrix *m = &a->matrix;
    struct flat_piece piece;
    double sum = 0;

    for (size_t i0 = 0; i0 < m->n[0]; i0 += FLAT_PIECE) {
        REAL_NAME(starfish_flat_piece)(m, i0, j, &piece);
        for (size_t k = 0; k < m->n[2]; k++) {
            const size_t layer = m->n[0] * k, start = layer + m->n[0] * m->n[2] * j;
            REAL_NAME(starfish_flat_piece_residual)
            (m, &piece, rows, k, a->f ? (const real *)a->f + start : NULL, line);
            if (a->result)
                store_piece(a, scale, line, start + i0, piece.count);
            if (a->sums && (rows->here || !a->energy))
                sum += own_dot(m, &piece, a->energy ? rows->here + layer + i0 : line, line);
        }
    }
    return sum;
}

/* Without a factor w is u, whatever the correction. */
void REAL_NAME(starfish_flat_residual_cpu)(const struct starfish_flat_residual *a)
{
    const struct starfish_flat_matrix *m = &a->matrix;
    const size_t size = m->n[0] * m->n[2];
    const double factor = a->factor * (a->scalar ? *a->scalar : 1);
    const int combines = a->correction && factor != 0;
    const real scale = a->lower ? (real)(1 / factor) : 1;
    const struct combining combining = {a, (real)factor};
    real *const line = a->work;
    const struct ring ring = {m, line + starfish_flat_line(m), combine_row, &combining};
    struct flat_rows rows = {NULL, NULL, NULL};
    double sum = 0;

    for (size_t j = a->y0; j < a->y1; j++) {
        rows = !combines ? rows_of(m, a->u, j) : j == a->y0 ? first_rows(&ring, j) : next_rows(&ring, &rows, j);
        sum += residual_row(a, scale, j, &rows, line);
        if (a->v && rows.here)
            store_line((real *)a->v + size * j, rows.here, size * sizeof(real), is_beyond_caches(m));
        else if (a->v)
            memset((real *)a->v + size * j, 0, size * sizeof(real));
    }
    starfish_past_caches_done();
    store_sum(sum, a->sums, a->sum_count);
}
