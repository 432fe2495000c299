/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies between FISHPACK's arrays, whose first index is fastest, and fields of solves, whose z is slowest. */
#include "fishpack/field.h"

#include <string.h>

struct starfish_plane starfish_plane_of(const struct starfish_direct *direct, const struct starfish_direct_way *way,
                                        int z)
{
    struct starfish_plane plane = {.at = way->field, .parts = direct->parts};
    plane.n[z] = direct->z.n;
    plane.n[1 - z] = direct->x.n;
    plane.stride[z] = way->z;
    plane.stride[1 - z] = way->x;
    return plane;
}

/* One column of the grid after the other. */
static void copy_columns(const struct starfish_plane *plane, double *grid, size_t row, int back)
{
    const size_t count = plane->parts * plane->n[0];
    for (size_t j = 0; j < plane->n[1]; j++) {
        double *const inside = starfish_plane_number(plane, 0, j), *const outside = grid + plane->parts * row * j;
        memcpy(back ? outside : inside, back ? inside : outside, count * sizeof *grid);
    }
}

/* By tiles, since one of the two is read or written across its rows. Rows that are a power of two apart share the lines
 * of a cache, of which each set has eight or more. */
static void transpose(const struct starfish_plane *plane, double *grid, size_t row, int back)
{
    enum { ROWS = 8, COLUMNS = 64 };
    const size_t parts = plane->parts, *n = plane->n;
    for (size_t j0 = 0; j0 < n[1]; j0 += COLUMNS)
        for (size_t i0 = 0; i0 < n[0]; i0 += ROWS) {
            const size_t i1 = i0 + ROWS < n[0] ? i0 + ROWS : n[0];
            for (size_t j = j0; j < n[1] && j < j0 + COLUMNS; j++)
                for (size_t i = i0; i < i1; i++) {
                    double *const inside = starfish_plane_number(plane, i, j);
                    double *const outside = grid + parts * (i + row * j);
                    for (size_t p = 0; p < parts; p++)
                        *(back ? outside + p : inside + p) = back ? inside[p] : outside[p];
                }
        }
}

static void copy(const struct starfish_plane *plane, double *grid, size_t row, int back)
{
    (plane->stride[0] == 1 ? copy_columns : transpose)(plane, grid, row, back);
}

void starfish_plane_take(const struct starfish_plane *plane, const struct starfish_call_array *grid,
                         const size_t first[2])
{
    copy(plane, grid->at + plane->parts * (first[0] + grid->row * first[1]), grid->row, 0);
}

void starfish_plane_give(const struct starfish_plane *plane, const struct starfish_call_array *grid,
                         const size_t first[2])
{
    copy(plane, grid->at + plane->parts * (first[0] + grid->row * first[1]), grid->row, 1);
}

void starfish_plane_add(const struct starfish_plane *plane, double shift)
{
    const size_t all = plane->n[0] * plane->n[1];
    for (size_t e = 0; shift != 0 && e < all; e++)
        plane->at[plane->parts * e] += shift;
}

double starfish_plane_mean(const struct starfish_plane *plane, const double *const weight[2])
{
    double mean = 0;
    for (size_t i = 0; i < plane->n[0]; i++) {
        double of_row = 0;
        for (size_t j = 0; j < plane->n[1]; j++)
            of_row += weight[1][j] * *starfish_plane_number(plane, i, j);
        mean += weight[0][i] * of_row;
    }
    return mean;
}
