/* Line smoother and residual of flat domains on the CPU.
 *
 * A row of columns is smoothed in pieces of FLAT_PIECE columns, by Thomas's elimination in all of them at once: the
 * factors and right-hand sides of a piece stay in the cache between the way up and the way down, so that 3 words per
 * unknown move. A coarse correction is added on the way, into a ring of three rows. */
#include "multigrid/kernels/flat_row.h"

#include <string.h>

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

/* u of layer k is value[k] + factor[k] * u of layer k + 1. */
struct lines {
    real *factor, *value;
};

static void eliminate_layer(const struct starfish_flat_matrix *m, const struct flat_piece *p, size_t k,
                            const struct lines *lines)
{
    static const real zeros[FLAT_PIECE] = {0};
    const real a = ((const real *)m->a)[k], b = ((const real *)m->b)[k];
    const real c = ((const real *)m->c)[k], d = ((const real *)m->d)[k];
    real *const factor = lines->factor + FLAT_PIECE * k, *const value = lines->value + FLAT_PIECE * k;
    const real *const factor_below = k > 0 ? factor - FLAT_PIECE : zeros;
    const real *const value_below = k > 0 ? value - FLAT_PIECE : zeros;

    for (size_t i = 0; i < p->count; i++) {
        const real below = p->lift[i] * b, above = p->lift[i] * c;
        const real diagonal = p->mass[i] * a + below + above + d * p->faces[i];
        const real inverse = 1 / (diagonal - below * factor_below[i]);
        value[i] = (value[i] + below * value_below[i]) * inverse;
        factor[i] = above * inverse;
    }
}

/* M^-1 of what is in lines->value. */
static void solve_piece(const struct starfish_flat_matrix *m, const struct flat_piece *p, const struct lines *lines)
{
    for (size_t k = 0; k < m->n[2]; k++)
        eliminate_layer(m, p, k, lines);
    for (size_t k = m->n[2] - 1; k-- > 0;) {
        real *const value = lines->value + FLAT_PIECE * k, *const factor = lines->factor + FLAT_PIECE * k;
        for (size_t i = 0; i < p->count; i++)
            value[i] += factor[i] * value[i + FLAT_PIECE];
    }
}

/* ---- The smoother ------------------------------------------------------------------------------------------------ */

static int is_smoothed(enum starfish_flat_columns columns, size_t i, size_t j)
{
    return columns == STARFISH_FLAT_ALL || (i + j) % 2 == (columns == STARFISH_FLAT_ODD);
}

static void write_piece(const struct starfish_flat_smooth *a, const struct flat_piece *p, const real *u,
                        const struct lines *lines)
{
    const real damping = (real)a->damping;
    const size_t nx = a->matrix.n[0];

    for (size_t k = 0; k < a->matrix.n[2]; k++) {
        const real *const before = u ? u + nx * k + p->i0 : NULL, *const value = lines->value + FLAT_PIECE * k;
        real *const v = (real *)a->v + nx * (k + a->matrix.n[2] * p->j) + p->i0;
        /* NOLINTBEGIN(clang-analyzer-core.NullDereference): the contract asks for work space. */
        if (a->columns == STARFISH_FLAT_ALL)
            for (size_t i = 0; i < p->count; i++)
                v[i] = (before ? before[i] : 0) + damping * value[i];
        else
            for (size_t i = 0; i < p->count; i++)
                v[i] = (before ? before[i] : 0) + (is_smoothed(a->columns, p->i0 + i, p->j) ? damping * value[i] : 0);
        /* NOLINTEND(clang-analyzer-core.NullDereference) */
    }
}

static void smooth_row(const struct starfish_flat_smooth *a, size_t j, const struct flat_rows *rows,
                       const struct lines *lines)
{
    const struct starfish_flat_matrix *m = &a->matrix;
    struct flat_piece piece;

    for (size_t i0 = 0; i0 < m->n[0]; i0 += FLAT_PIECE) {
        REAL_NAME(starfish_flat_piece)(m, i0, j, &piece);
        for (size_t k = 0; k < m->n[2]; k++)
            REAL_NAME(starfish_flat_piece_residual)
        (m, &piece, rows, k, (const real *)a->f + m->n[0] * (k + m->n[2] * j), lines->value + FLAT_PIECE * k);
        solve_piece(m, &piece, lines);
        write_piece(a, &piece, rows->here, lines);
    }
}

/* Row j + step of u + P coarse, in its place of the ring; NULL: there is none. */
static const real *corrected(const struct starfish_flat_smooth *a, real *ring, size_t j, int step, real *line)
{
    const struct starfish_flat_matrix *m = &a->matrix;
    const size_t size = m->n[0] * m->n[2], slot = (j + (size_t)(1 + step)) % FLAT_RING;
    size_t row = j + (size_t)step;

    if ((step < 0 && j == 0) || (step > 0 && j + 1 == m->n[1])) {
        if (!m->periodic[1])
            return NULL;
        row = step < 0 ? m->n[1] - 1 : 0;
    }
    REAL_NAME(starfish_flat_prolong_row)
    (a->transfer, m->n[2], row, a->coarse, a->u ? (const real *)a->u + size * row : NULL, ring + size * slot, line);
    return ring + size * slot;
}

static void smooth_corrected(const struct starfish_flat_smooth *a, const struct lines *lines, real *line, real *ring)
{
    struct flat_rows rows = {corrected(a, ring, a->y0, 0, line), corrected(a, ring, a->y0, -1, line), NULL};

    for (size_t j = a->y0; j < a->y1; j++) {
        rows.above = corrected(a, ring, j, 1, line);
        smooth_row(a, j, &rows, lines);
        rows.below = rows.here;
        rows.here = rows.above;
    }
}

void REAL_NAME(starfish_flat_smooth_cpu)(const struct starfish_flat_smooth *a)
{
    const struct starfish_flat_matrix *m = &a->matrix;
    const size_t size = FLAT_PIECE * m->n[2];
    const struct lines lines = {a->work, (real *)a->work + size};
    real *const line = (real *)a->work + 2 * size;

    if (a->y0 >= a->y1)
        return;
    if (a->coarse) {
        smooth_corrected(a, &lines, line, line + starfish_flat_line(m));
        return;
    }
    for (size_t j = a->y0; j < a->y1; j++) {
        const struct flat_rows rows = {REAL_NAME(starfish_flat_row)(m, a->u, j, 0),
                                       REAL_NAME(starfish_flat_row)(m, a->u, j, -1),
                                       REAL_NAME(starfish_flat_row)(m, a->u, j, 1)};
        smooth_row(a, j, &rows, &lines);
    }
}

/* ---- The residual ------------------------------------------------------------------------------------------------ */

static double residual_row(const struct starfish_flat_residual *a, size_t j, real *line)
{
    const struct starfish_flat_matrix *m = &a->matrix;
    const struct flat_rows rows = {REAL_NAME(starfish_flat_row)(m, a->u, j, 0),
                                   REAL_NAME(starfish_flat_row)(m, a->u, j, -1),
                                   REAL_NAME(starfish_flat_row)(m, a->u, j, 1)};
    struct flat_piece piece;
    double sum = 0;

    for (size_t i0 = 0; i0 < m->n[0]; i0 += FLAT_PIECE) {
        REAL_NAME(starfish_flat_piece)(m, i0, j, &piece);
        for (size_t k = 0; k < m->n[2]; k++) {
            const size_t start = m->n[0] * (k + m->n[2] * j);
            REAL_NAME(starfish_flat_piece_residual)
            (m, &piece, &rows, k, a->f ? (const real *)a->f + start : NULL, line);
            if (a->result)
                memcpy((real *)a->result + start + i0, line, piece.count * sizeof(real));
            for (size_t i = 0; a->sums && i < piece.count; i++)
                sum += (double)line[i] * (double)line[i];
        }
    }
    return sum;
}

void REAL_NAME(starfish_flat_residual_cpu)(const struct starfish_flat_residual *a)
{
    double sum = 0;

    for (size_t j = a->y0; j < a->y1; j++)
        sum += residual_row(a, j, a->work);
    if (!a->sums)
        return;
    memset(a->sums, 0, STARFISH_SUMS * sizeof *a->sums);
    a->sums[0] = sum;
}
