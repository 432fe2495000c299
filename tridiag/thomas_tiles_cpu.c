/* Thomas along the last direction of tiles, on the CPU.
 *
 * Floor: the tiles are read once and written once, 2 reals per unknown. One core does not reach that: at n = 256 a
 * Zen 4 core moves 14 GB/s (periodic lines 9) where a pass in place moves 50, bound by its second-level cache and its
 * dozen operations per unknown; a socket's memory is full when a handful of cores work. The eliminated rows of a
 * block of lanes go to the workspace, which stays in the second-level cache, and not back into the tile: rows of a
 * tile are often a large power of two apart, so few of them can be cached at once. One division per unknown. Source:
 * Thomas 1949; line_block.h for periodic and pinned lines. */
#include "tridiag/line_block.h"

/* How many rows ahead the tile is fetched. */
enum { ROWS_AHEAD = 4 };

/* Row k; *t is a tile near it and becomes the tile that holds it. */
static inline real *tile_row(const struct starfish_thomas_tiles *arguments, int *t, size_t k)
{
    while (k >= arguments->first[*t + 1])
        ++*t;
    while (k < arguments->first[*t])
        --*t;
    return (real *)arguments->tile[*t] + (k - arguments->first[*t]) * arguments->inner * arguments->outer;
}

STARFISH_TRIDIAG_CLONES
static void forward(const struct starfish_thomas_tiles *arguments, const struct line_block *block, size_t first_lane,
                    size_t width)
{
    int t = 0, t_ahead = 0;

    line_block_begin(block, width);
    for (size_t k = 0; k + 1 < block->n; k++) {
        if (k + ROWS_AHEAD < block->n)
            line_prefetch_row(tile_row(arguments, &t_ahead, k + ROWS_AHEAD) + first_lane, width);
        line_block_eliminate(block, width, k, tile_row(arguments, &t, k) + first_lane);
    }
    line_block_last(block, width, tile_row(arguments, &t, block->n - 1) + first_lane);
}

STARFISH_TRIDIAG_CLONES
static void backward(const struct starfish_thomas_tiles *arguments, const struct line_block *block, size_t first_lane,
                     size_t width)
{
    const real *below = block->last;
    int t = arguments->tiles - 1, t_ahead = t;

    line_copy_row(tile_row(arguments, &t, block->n - 1) + first_lane, block->last, width);
    for (size_t k = block->n - 1; k-- > 0;) {
        if (k >= ROWS_AHEAD)
            line_prefetch_row(tile_row(arguments, &t_ahead, k - ROWS_AHEAD) + first_lane, width);
        line_block_substitute(block, width, k, below);
        below = block->d + k * block->pitch;
        line_copy_row(tile_row(arguments, &t, k) + first_lane, below, width);
    }
}

void REAL_NAME(starfish_thomas_tiles_cpu)(const struct starfish_thomas_tiles *arguments)
{
    size_t lanes = arguments->inner * arguments->outer;
    size_t arrays = arguments->line.periodic ? 3 : 2;
    size_t widest = starfish_tridiag_block_lanes(arguments->line.n, lanes, arrays, sizeof(real));
    struct line_block block = line_block_create(&arguments->line, widest, 0, arguments->workspace);

    for (size_t lane = 0; lane < lanes; lane += widest) {
        size_t width = starfish_tridiag_smaller(widest, lanes - lane);
        line_shifts(arguments->shift_inner, arguments->inner, arguments->shift_outer, arguments->shift, lane, width,
                    block.shift);
        forward(arguments, &block, lane, width);
        line_pin(arguments->pinned_lane, lane, width, block.last);
        backward(arguments, &block, lane, width);
    }
}
