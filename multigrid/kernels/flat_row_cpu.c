/* Pieces of rows of a flat domain: the matrix in one layer, vectorised along x. */
#include "multigrid/kernels/flat_row.h"

#include <string.h>

static void take_corners(const struct starfish_flat_matrix *m, struct flat_piece *piece)
{
    for (size_t north = 0; north < 2; north++)
        for (size_t east = 0; east < 2; east++) {
            const real *const corner = (const real *)m->corner + piece->i0 + east + (m->n[0] + 1) * (piece->j + north);
            const real sign = east == north ? 1 : -1;
            for (size_t i = 0; i < piece->count; i++) {
                const real coupling = sign * corner[i] > 0 ? sign * corner[i] : 0;
                piece->corner[north][east][i] = coupling;
                piece->faces[i] += coupling;
            }
        }
}

void REAL_NAME(starfish_flat_piece)(const struct starfish_flat_matrix *m, size_t i0, size_t j, struct flat_piece *piece)
{
    const size_t nx = m->n[0], column = i0 + nx * j;
    const real *face_x = (const real *)m->face_x + i0 + (nx + 1) * j, *face_y = (const real *)m->face_y + column;

    piece->i0 = i0;
    piece->j = j;
    piece->count = nx - i0 < FLAT_PIECE ? nx - i0 : FLAT_PIECE;
    for (size_t i = 0; i < piece->count; i++) {
        piece->mass[i] = ((const real *)m->mass)[column + i];
        piece->lift[i] = ((const real *)m->lift)[column + i];
        piece->left[i] = face_x[i];
        piece->right[i] = face_x[i + 1];
        piece->low[i] = face_y[i];
        piece->high[i] = face_y[i + nx];
        piece->faces[i] = piece->left[i] + piece->right[i] + piece->low[i] + piece->high[i];
    }
    if (m->corner)
        take_corners(m, piece);
}

/* Values of a layer with one more on both sides, at line[1]. */
static void take_line(const struct starfish_flat_matrix *m, const struct flat_piece *piece, const real *layer,
                      real *line)
{
    const size_t nx = m->n[0], i0 = piece->i0, end = i0 + piece->count;

    line[0] = i0 > 0 ? layer[i0 - 1] : m->periodic[0] ? layer[nx - 1] : 0;
    memcpy(line + 1, layer + i0, piece->count * sizeof(real));
    line[piece->count + 1] = end < nx ? layer[end] : m->periodic[0] ? layer[0] : 0;
}

/* out -= what the corners couple with a row beside; u: the row itself, as lines. */
static void subtract_corners(const struct starfish_flat_matrix *m, const struct flat_piece *p, int north, real d,
                             const real *u, const real *beside, real *out)
{
    real line[FLAT_PIECE + 2];

    take_line(m, p, beside, line);
    for (size_t i = 0; i < p->count; i++)
        out[i] -=
            d * (p->corner[north][0][i] * (u[i + 1] - line[i]) + p->corner[north][1][i] * (u[i + 1] - line[i + 2]));
}

/* The layer of a row beside, or zeros. */
static const real *beside(const real *row, size_t offset, const real *zeros)
{
    return row ? row + offset : zeros;
}

void REAL_NAME(starfish_flat_piece_residual)(const struct starfish_flat_matrix *m, const struct flat_piece *p,
                                             const struct flat_rows *rows, size_t k, const real *f, real *out)
{
    static const real zeros[FLAT_PIECE] = {0};
    const size_t nx = m->n[0], start = nx * k + p->i0, count = p->count;
    const real a = ((const real *)m->a)[k], b = ((const real *)m->b)[k];
    const real c = ((const real *)m->c)[k], d = ((const real *)m->d)[k];
    real line[FLAT_PIECE + 2];

    if (!rows->here) {
        for (size_t i = 0; i < count; i++)
            out[i] = f ? f[p->i0 + i] : 0;
        return;
    }
    const real *south = beside(rows->below, start, zeros), *north = beside(rows->above, start, zeros);
    const real *under = rows->here + start - (k > 0 ? nx : 0), *over = rows->here + start + (k + 1 < m->n[2] ? nx : 0);
    const real *rhs = beside(f, p->i0, zeros);
    take_line(m, p, rows->here + nx * k, line);
#pragma GCC ivdep
    for (size_t i = 0; i < count; i++) {
        const real u = line[i + 1];
        const real upwards = b * (u - under[i]) + c * (u - over[i]);
        const real across = p->left[i] * (u - line[i]) + p->right[i] * (u - line[i + 2]) + p->low[i] * (u - south[i]) +
                            p->high[i] * (u - north[i]);
        out[i] = rhs[i] - p->mass[i] * a * u - p->lift[i] * upwards - d * across;
    }
    if (m->corner && rows->below)
        subtract_corners(m, p, 0, d, line, rows->below + nx * k, out);
    if (m->corner && rows->above)
        subtract_corners(m, p, 1, d, line, rows->above + nx * k, out);
}

const real *REAL_NAME(starfish_flat_row)(const struct starfish_flat_matrix *m, const void *array, size_t j, int step)
{
    const size_t ny = m->n[1], size = m->n[0] * m->n[2];

    if (!array)
        return NULL;
    if (step < 0 && j == 0)
        return m->periodic[1] ? (const real *)array + size * (ny - 1) : NULL;
    if (step > 0 && j + 1 == ny)
        return m->periodic[1] ? array : NULL;
    return (const real *)array + (ptrdiff_t)size * ((ptrdiff_t)j + step);
}
