/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The panels of a sphere as one grid with ghosts, and apart again. Places are in half columns (flat_sphere.h). Once per
 * plan and grid; bound by copying some numbers per column. */
#include "multigrid/flat.h"

#include "multigrid/kernels/flat_sphere.h"

/* A grid of panels one behind the other in y, each n columns wide; `alone`: with all its faces and corners of its own,
 * else a panel's last ones are the first of the next. */
struct sheet {
    const struct starfish_flat_grid *grid;
    size_t n;
    int alone;
};

/* The number at a place of a panel, in the array of what is there: columns, faces or corners. */
static size_t index_at(const struct sheet *sheet, int panel, const ptrdiff_t place[2])
{
    const size_t x = (size_t)place[0], y = (size_t)place[1];
    const size_t wide = sheet->n + (x % 2 == 0), high = sheet->n + (sheet->alone && y % 2 == 0);

    return x / 2 + wide * (y / 2 + high * (size_t)panel);
}

static void copy_at(const struct sheet *from, int panel, const ptrdiff_t place[2], const struct sheet *to, int to_panel,
                    const ptrdiff_t to_place[2])
{
    const struct starfish_flat_grid *a = from->grid, *b = to->grid;
    const size_t i = index_at(from, panel, place), o = index_at(to, to_panel, to_place);

    if (to_place[0] % 2 != 0 && to_place[1] % 2 != 0) {
        b->mass[o] = a->mass[i];
        b->lift[o] = a->lift[i];
    } else if (to_place[0] % 2 == 0 && to_place[1] % 2 == 0) {
        if (b->corner)
            b->corner[o] = a->corner[i];
    } else { /* beyond an edge faces in x may be the neighbour's faces in y */
        b->face[to_place[0] % 2 != 0][o] = a->face[place[0] % 2 != 0][i];
    }
}

/* What a ghost of a panel has; its corners have nothing, as they couple columns of the neighbour alone. */
static void pad_at(const struct sheet *from, const struct sheet *to, int panel, const ptrdiff_t place[2])
{
    const ptrdiff_t rim = (ptrdiff_t)(to->n - from->n), end = 2 * (ptrdiff_t)to->n; /* of both sides: half columns */
    ptrdiff_t there[2] = {place[0] - rim, place[1] - rim};
    int other = panel;
    const int is_column = place[0] % 2 != 0 && place[1] % 2 != 0, is_corner = place[0] % 2 == 0 && place[1] % 2 == 0;

    if (place[0] == 0 || place[1] == 0 || place[0] == end || place[1] == end)
        return;
    const int found = starfish_sphere_find(from->n, &other, there);
    if (is_column && !found)
        to->grid->mass[index_at(to, panel, place)] = 1; /* so that it can be solved for */
    if (found && (other == panel || !is_corner))
        copy_at(from, other, there, to, panel, place);
}

starfish_status starfish_flat_panels_pad(const struct starfish_flat_grid *grid, size_t rim,
                                         struct starfish_flat_grid *padded)
{
    const size_t n = grid->n[0] + 2 * rim, size[2] = {n, STARFISH_PANELS * n};

    STARFISH_TRY(starfish_flat_grid_allocate(padded, grid, size, 0));
    const struct sheet from = {grid, grid->n[0], 1}, to = {padded, n, 0};
    for (int panel = 0; panel < STARFISH_PANELS; panel++)
        for (ptrdiff_t y = 0; y <= 2 * (ptrdiff_t)n; y++)
            for (ptrdiff_t x = 0; x <= 2 * (ptrdiff_t)n; x++)
                pad_at(&from, &to, panel, (const ptrdiff_t[]){x, y});
    return STARFISH_SUCCESS;
}

starfish_status starfish_flat_panels_strip(const struct starfish_flat_grid *padded, size_t rim,
                                           struct starfish_flat_grid *grid)
{
    const size_t n = padded->n[0] - 2 * rim, size[2] = {n, STARFISH_PANELS * n};
    const ptrdiff_t shift = 2 * (ptrdiff_t)rim, end = 2 * (ptrdiff_t)n;

    STARFISH_TRY(starfish_flat_grid_allocate(grid, padded, size, 1));
    const struct sheet from = {padded, padded->n[0], 0}, to = {grid, n, 1};
    for (int panel = 0; panel < STARFISH_PANELS; panel++)
        for (ptrdiff_t y = 0; y <= end; y++)
            for (ptrdiff_t x = 0; x <= end; x++)
                copy_at(&from, panel, (const ptrdiff_t[]){x + shift, y + shift}, &to, panel, (const ptrdiff_t[]){x, y});
    return STARFISH_SUCCESS;
}
