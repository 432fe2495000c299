/* Line smoother and residual of flat domains on the CPU.
 *
 * A row of columns is smoothed in pieces of FLAT_PIECE columns, by Thomas's elimination in all of them at once: the
 * factors and right-hand sides of a piece stay in the cache between the way up and the way down, so that 3 words per
 * unknown move. Results of large grids are stored past the caches, which would read them first otherwise. A coarse
 * correction is added on the way, into a ring of three rows. */
#include "multigrid/kernels/flat_row.h"

#include "base/clones.h"
#include "base/past_caches.h"

#include <string.h>

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

/* u of layer k is value[k] + factor[k] * u of layer k + 1. */
struct lines {
    real *factor, *value;
};

STARFISH_ALWAYS_INLINE void eliminate_layer(const struct starfish_flat_matrix *m, const struct flat_piece *p, size_t k,
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

/* M^-1 of what is in lines->value. */
STARFISH_CLONES static void solve_piece(const struct starfish_flat_matrix *m, const struct flat_piece *p,
                                        const struct lines *lines)
{
    const size_t count = p->count;

    for (size_t k = 0; k < m->n[2]; k++)
        eliminate_layer(m, p, k, lines);
    for (size_t k = m->n[2] - 1; k-- > 0;) {
        real *const value = lines->value + FLAT_PIECE * k, *const factor = lines->factor + FLAT_PIECE * k;
#pragma GCC ivdep
        for (size_t i = 0; i < count; i++)
            value[i] += factor[i] * value[i + FLAT_PIECE];
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

/* Arrays that no cache keeps until they are read again. */
enum { BEYOND_CACHES = 32 << 20 };
static int is_beyond_caches(const struct starfish_flat_matrix *m)
{
    return m->n[0] * m->n[1] * m->n[2] * sizeof(real) > BEYOND_CACHES;
}

static void store_line(real *to, const real *line, size_t count, int past_caches)
{
    /* NOLINTBEGIN(clang-analyzer-core.*): there is a line, in work space */
    if (past_caches)
        starfish_store_past_caches(to, line, count * sizeof(real));
    else
        memcpy(to, line, count * sizeof(real));
    /* NOLINTEND(clang-analyzer-core.*) */
}

/* ---- The smoother ------------------------------------------------------------------------------------------------ */

STARFISH_ALWAYS_INLINE int is_smoothed(enum starfish_flat_columns columns, size_t i, size_t j)
{
    return columns == STARFISH_FLAT_ALL || (i + j) % 2 == (columns == STARFISH_FLAT_ODD);
}

/* value becomes v = u + damping * value in one layer, or where a colour is asked for in its columns; u NULL: zero. */
STARFISH_CLONES static void damp_layer(const struct starfish_flat_smooth *a, const struct flat_piece *p, const real *u,
                                       real *value)
{
    const real damping = (real)a->damping;
    const size_t count = p->count;

    /* NOLINTBEGIN(clang-analyzer-core.*): values are in work space */
    if (a->columns == STARFISH_FLAT_ALL && u) {
#pragma GCC ivdep
        for (size_t i = 0; i < count; i++)
            value[i] = u[i] + damping * value[i];
    } else {
        for (size_t i = 0; i < count; i++)
            value[i] = (u ? u[i] : 0) + (is_smoothed(a->columns, p->i0 + i, p->j) ? damping * value[i] : 0);
    }
    /* NOLINTEND(clang-analyzer-core.*) */
}

/* Stores v; its inner product with f where sums are wanted. */
static double write_piece(const struct starfish_flat_smooth *a, const struct flat_piece *p, const real *u,
                          const struct lines *lines)
{
    const struct starfish_flat_matrix *m = &a->matrix;
    const int past = is_beyond_caches(m);
    double sum = 0;

    for (size_t k = 0; k < m->n[2]; k++) {
        const size_t at = m->n[0] * (k + m->n[2] * p->j) + p->i0;
        real *const value = lines->value + FLAT_PIECE * k;
        damp_layer(a, p, u ? u + m->n[0] * k + p->i0 : NULL, value);
        store_line((real *)a->v + at, value, p->count, past);
        if (a->sums)
            sum += dot((const real *)a->f + at, value, p->count);
    }
    return sum;
}

static double smooth_row(const struct starfish_flat_smooth *a, size_t j, const struct flat_rows *rows,
                         const struct lines *lines)
{
    const struct starfish_flat_matrix *m = &a->matrix;
    struct flat_piece piece;
    double sum = 0;

    for (size_t i0 = 0; i0 < m->n[0]; i0 += FLAT_PIECE) {
        REAL_NAME(starfish_flat_piece)(m, i0, j, &piece);
        for (size_t k = 0; k < m->n[2]; k++)
            REAL_NAME(starfish_flat_piece_residual)
        (m, &piece, rows, k, (const real *)a->f + m->n[0] * (k + m->n[2] * j), lines->value + FLAT_PIECE * k);
        solve_piece(m, &piece, lines);
        sum += write_piece(a, &piece, rows->here, lines);
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

static void combine_row(const void *self, size_t row, real *to)
{
    const struct combining *c = self;
    const struct starfish_flat_residual *a = c->residual;
    const size_t size = a->matrix.n[0] * a->matrix.n[2];

    combine(size, a->u ? (const real *)a->u + size * row : NULL, c->factor, (const real *)a->correction + size * row,
            to);
}

static double residual_row(const struct starfish_flat_residual *a, size_t j, const struct flat_rows *rows, real *line)
{
    const struct starfish_flat_matrix *m = &a->matrix;
    const int past = is_beyond_caches(m);
    struct flat_piece piece;
    double sum = 0;

    for (size_t i0 = 0; i0 < m->n[0]; i0 += FLAT_PIECE) {
        REAL_NAME(starfish_flat_piece)(m, i0, j, &piece);
        for (size_t k = 0; k < m->n[2]; k++) {
            const size_t layer = m->n[0] * k, start = layer + m->n[0] * m->n[2] * j;
            REAL_NAME(starfish_flat_piece_residual)
            (m, &piece, rows, k, a->f ? (const real *)a->f + start : NULL, line);
            if (a->result)
                store_line((real *)a->result + start + i0, line, piece.count, past);
            if (a->sums && (rows->here || !a->energy))
                sum += dot(a->energy ? rows->here + layer + i0 : line, line, piece.count);
        }
    }
    return sum;
}

/* Without a factor w is u, whatever the correction. */
void REAL_NAME(starfish_flat_residual_cpu)(const struct starfish_flat_residual *a)
{
    const struct starfish_flat_matrix *m = &a->matrix;
    const size_t size = m->n[0] * m->n[2];
    const double factor = a->correction ? a->factor * (a->scalar ? *a->scalar : 1) : 0;
    const struct combining combining = {a, (real)factor};
    real *const line = a->work;
    const struct ring ring = {m, line + starfish_flat_line(m), combine_row, &combining};
    struct flat_rows rows = {NULL, NULL, NULL};
    double sum = 0;

    for (size_t j = a->y0; j < a->y1; j++) {
        rows = factor == 0 ? rows_of(m, a->u, j) : j == a->y0 ? first_rows(&ring, j) : next_rows(&ring, &rows, j);
        sum += residual_row(a, j, &rows, line);
        if (a->v && rows.here)
            store_line((real *)a->v + size * j, rows.here, size, is_beyond_caches(m));
        else if (a->v)
            memset((real *)a->v + size * j, 0, size * sizeof(real));
    }
    starfish_past_caches_done();
    store_sum(sum, a->sums, a->sum_count);
}
