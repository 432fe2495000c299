/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cuts rows of unknowns into pieces that fit into the nearest cache, and copies each piece between its two neighbouring
 * values. One loop then handles the whole piece, first and last unknown included. In short rows, separate code for the
 * ends would take as long as the rest. In precision `real` (base/real.h). */
#ifndef STARFISH_BASE_ROW_PIECE_H
#define STARFISH_BASE_ROW_PIECE_H

#include "base/real.h"

#include <string.h>

/* Values begin at a cache line: compilers would do elements up to one on their own. */
enum { ROW_PIECE = 512, ROW_PIECE_LINE = 64, ROW_PIECE_BEFORE = ROW_PIECE_LINE / sizeof(real) };
struct row_piece_room {
    _Alignas(ROW_PIECE_LINE) real value[ROW_PIECE_BEFORE + ROW_PIECE + 1];
};

static inline int row_piece_count(size_t x0, size_t end)
{
    return end - x0 < ROW_PIECE ? (int)(end - x0) : ROW_PIECE;
}

/* Unknowns x0 .. x0 + count-1 of a row of nx, the result; its elements -1 and count are beside them, beyond an open end
 * the row's own first and last. first: the row's first value, which may have been changed meanwhile. */
static inline const real *row_piece(const real *row, size_t nx, int periodic, real first, size_t x0, int count,
                                    struct row_piece_room *room)
{
    real *const value = room->value + ROW_PIECE_BEFORE;
    const size_t x1 = x0 + (size_t)count;

    value[-1] = x0 > 0 ? row[x0 - 1] : periodic ? row[nx - 1] : first;
    memcpy(value, row + x0, (size_t)count * sizeof(real));
    value[count] = x1 < nx ? row[x1] : periodic ? first : row[nx - 1];
    return value;
}

#endif
