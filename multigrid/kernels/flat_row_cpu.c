/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pieces of rows of a flat domain: the matrix in one layer, vectorised along x. */
#include "multigrid/kernels/flat_row.h"

#include "base/clones.h"

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

/* The values of a layer at the piece's columns, from one before to one after; `line` where some are not there. */
static const real *around(const struct starfish_flat_matrix *m, const struct flat_piece *piece, const real *layer,
                          real *line)
{
    if (piece->i0 > 0 && piece->i0 + piece->count < m->n[0])
        return layer + piece->i0 - 1;
    take_line(m, piece, layer, line);
    return line;
}

/* out -= what the corners couple with a row beside; u: the row itself, as lines. */
STARFISH_CLONES static void subtract_corners(const struct flat_piece *p, int north, real d, const real *u,
                                             const real *beside, real *out)
{
    const real *const west = p->corner[north][0], *const east = p->corner[north][1];
    const size_t count = p->count;

#pragma GCC ivdep
    for (size_t i = 0; i < count; i++)
        out[i] -= d * (west[i] * (u[i + 1] - beside[i]) + east[i] * (u[i + 1] - beside[i + 2]));
}

/* Lines of one layer: of the piece, and of what is beside it in the four directions, each at the piece's first column
 * but for `here`, which is one before it; and the layer's four numbers. */
struct layer {
    const real *here, *south, *north, *under, *over, *f;
    real a, b, c, d;
};

STARFISH_CLONES static void compute_layer(const struct flat_piece *p, const struct layer *l, real *out)
{
    const real *const here = l->here, *const south = l->south, *const north = l->north;
    const real *const under = l->under, *const over = l->over, *const f = l->f;
    const real a = l->a, b = l->b, c = l->c, d = l->d;
    const size_t count = p->count;

#pragma GCC ivdep
    for (size_t i = 0; i < count; i++) {
        const real u = here[i + 1];
        const real upwards = b * (u - under[i]) + c * (u - over[i]);
        const real across = p->left[i] * (u - here[i]) + p->right[i] * (u - here[i + 2]) + p->low[i] * (u - south[i]) +
                            p->high[i] * (u - north[i]);
        out[i] = f[i] - p->mass[i] * a * u - p->lift[i] * upwards - d * across;
    }
}

void REAL_NAME(starfish_flat_piece_residual)(const struct starfish_flat_matrix *m, const struct flat_piece *p,
                                             const struct flat_rows *rows, size_t k, const real *f, real *out)
{
    static const real zeros[FLAT_PIECE] = {0};
    const size_t nx = m->n[0], start = nx * k + p->i0;
    real line[2][FLAT_PIECE + 2];

    if (!rows->here) {
        if (f)
            memcpy(out, f + p->i0, p->count * sizeof(real));
        else
            memset(out, 0, p->count * sizeof(real));
        return;
    }
    const struct layer layer = {.here = around(m, p, rows->here + nx * k, line[0]),
                                .south = rows->below ? rows->below + start : zeros,
                                .north = rows->above ? rows->above + start : zeros,
                                .under = rows->here + start - (k > 0 ? nx : 0),
                                .over = rows->here + start + (k + 1 < m->n[2] ? nx : 0),
                                .f = f ? f + p->i0 : zeros,
                                .a = ((const real *)m->a)[k],
                                .b = ((const real *)m->b)[k],
                                .c = ((const real *)m->c)[k],
                                .d = ((const real *)m->d)[k]};
    compute_layer(p, &layer, out);
    if (m->corner && rows->below)
        subtract_corners(p, 0, layer.d, layer.here, around(m, p, rows->below + nx * k, line[1]), out);
    if (m->corner && rows->above)
        subtract_corners(p, 1, layer.d, layer.here, around(m, p, rows->above + nx * k, line[1]), out);
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
