/* Tiles of a 2D array. */
#include "codelets/tiles.h"

#include "base/pages.h"
#include "base/real.h"
#include "scheduler/field.h"

#include <stdlib.h>
#include <string.h>

static void cut(struct starfish_tiles *tiles, starfish_precision precision, const size_t n[2],
                const struct starfish_tiling *tiling)
{
    memset(tiles, 0, sizeof *tiles);
    tiles->precision = precision;
    for (int d = 0; d < 2; d++) {
        tiles->n[d] = n[d];
        const size_t grain = d == 0 ? tiling->grain : 1, grains = n[d] / grain;
        tiles->parts[d] = tiling->parts[d] < grains ? tiling->parts[d] : grains;
        starfish_divide(grains, tiles->parts[d], tiles->first[d]);
        for (size_t p = 0; p <= tiles->parts[d]; p++)
            tiles->first[d][p] *= grain;
    }
}

static void make_known(struct starfish_tiles *tiles, int node, void *memory)
{
    const size_t size = starfish_real_size(tiles->precision), *n = tiles->n;

    for (size_t y = 0; y < tiles->parts[1]; y++)
        for (size_t x = 0; x < tiles->parts[0]; x++) {
            const size_t x0 = tiles->first[0][x], y0 = tiles->first[1][y];
            const size_t width = tiles->first[0][x + 1] - x0, height = tiles->first[1][y + 1] - y0;
            const uintptr_t address = memory ? (uintptr_t)memory + (x0 + y0 * n[0]) * size : 0;
            starpu_data_handle_t *handle = &tiles->handle[x + y * tiles->parts[0]];
            starpu_block_data_register(handle, node, address, (uint32_t)n[0], (uint32_t)(n[0] * n[1]), (uint32_t)width,
                                       (uint32_t)height, 1, size);
            starpu_data_set_coordinates(*handle, 2, (int)x, (int)y);
        }
}

void starfish_tiles_over(struct starfish_tiles *tiles, starfish_precision precision, const size_t n[2],
                         const struct starfish_tiling *tiling, int node, void *memory)
{
    cut(tiles, precision, n, tiling);
    make_known(tiles, node, memory);
}

starfish_status starfish_tiles_create(struct starfish_tiles *tiles, starfish_precision precision, const size_t n[2],
                                      const struct starfish_tiling *tiling, int on_host)
{
    const size_t bytes = n[0] * n[1] * starfish_real_size(precision);
    void *memory = NULL;

    if (on_host || tiling->parts[0] * tiling->parts[1] > 1) {
        memory = starfish_pages_alloc(bytes);
        if (!memory)
            return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a grid of %zu x %zu", n[0], n[1]);
    }
    cut(tiles, precision, n, tiling);
    make_known(tiles, memory ? STARPU_MAIN_RAM : -1, memory);
    tiles->memory = memory;
    return STARFISH_SUCCESS;
}

void starfish_tiles_destroy(struct starfish_tiles *tiles)
{
    for (size_t t = 0; t < tiles->parts[0] * tiles->parts[1]; t++)
        if (tiles->handle[t]) {
            /* values that nobody wants need not be brought home, and may not even be there */
            if (starpu_data_get_home_node(tiles->handle[t]) < 0)
                starpu_data_unregister_no_coherency(tiles->handle[t]);
            else
                starpu_data_unregister(tiles->handle[t]);
        }
    free(tiles->memory);
    memset(tiles, 0, sizeof *tiles);
}

struct starfish_rectangle starfish_tiles_rectangle(const struct starfish_tiles *tiles, const size_t first[2],
                                                   const size_t last[2])
{
    return (struct starfish_rectangle){tiles->first[0][first[0]], tiles->first[0][last[0]], tiles->first[1][first[1]],
                                       tiles->first[1][last[1]]};
}

struct starfish_tile_access starfish_tiles_attach(struct starfish_task *task, const struct starfish_tiles *tiles,
                                                  struct starfish_rectangle at, enum starpu_data_access_mode mode)
{
    struct starfish_tile_access access = {.buffer = -1};

    for (size_t y = 0; y < tiles->parts[1]; y++)
        for (size_t x = 0; x < tiles->parts[0]; x++) {
            const size_t x0 = tiles->first[0][x], y0 = tiles->first[1][y];
            if (x0 >= at.x1 || tiles->first[0][x + 1] <= at.x0 || y0 >= at.y1 || tiles->first[1][y + 1] <= at.y0)
                continue;
            if (access.buffer < 0)
                access = (struct starfish_tile_access){task->count, x0 + y0 * tiles->n[0]};
            starfish_task_data(task, tiles->handle[x + y * tiles->parts[0]], mode);
        }
    return access;
}

void *starfish_tiles_here(void *buffers[], struct starfish_tile_access access, starfish_precision precision)
{
    if (access.buffer < 0)
        return NULL;
    return (char *)STARPU_BLOCK_GET_PTR(buffers[access.buffer]) - access.offset * starfish_real_size(precision);
}
