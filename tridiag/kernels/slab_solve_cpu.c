/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The unknowns of a slab, on the CPU.
 *
 * Floor: the planes are read once and written once, 2 reals per unknown. One core does not reach that: at n = 256 a
 * Zen 4 core moves 14 GB/s (periodic lines 9) where a pass in place moves 50, bound by its second-level cache and its
 * dozen operations per unknown; a socket's memory is full when a handful of cores work. The eliminated rows of a
 * block of lanes go to the workspace, which stays in the second-level cache, and not back into the planes: these are
 * often a large power of two apart, so few of them can be cached at once. One division per unknown. Known neighbours go
 * into the right-hand sides of the first and the last row. Source: Thomas 1949; line_block.h for periodic and pinned
 * lines. */
#include "tridiag/kernels/line_block.h"
#include "tridiag/kernels/slab_shifts.h"

/* How many rows ahead the slab is fetched. */
enum { ROWS_AHEAD = 4 };

/* The planes as a block of lanes sees them. `before` and `own` are of these lanes, or NULL. */
struct view {
    const struct starfish_slab_lines *lines;
    size_t first; /* lane */
    const real *data;
    real *out;
    size_t lanes;
    const real *before, *own;
    real first_lower, last_upper;
};

/* Right-hand side of row k of n; `room` for a row. */
STARFISH_TRIDIAG_INLINE const real *right_hand_side(const struct view *view, size_t n, size_t k, size_t width,
                                                    real *restrict room)
{
    const real *restrict rhs = view->data + k * view->lanes, *restrict before = k == 0 ? view->before : NULL;
    const real *restrict own = k + 1 == n ? view->own : NULL;

    if (!before && !own)
        return rhs;
#pragma omp simd
    for (size_t l = 0; l < width; l++)
        room[l] = rhs[l] - (before ? view->first_lower * before[l] : 0) - (own ? view->last_upper * own[l] : 0);
    return room;
}

STARFISH_TRIDIAG_CLONES
static void forward(const struct view *view, const struct line_block *block, size_t width)
{
    slab_shifts_set(view->lines, view->first, width, block->n - 1, block->shift);
    line_block_begin(block, width);
    for (size_t k = 0; k + 1 < block->n; k++) {
        if (k + ROWS_AHEAD < block->n)
            line_prefetch_row(view->data + (k + ROWS_AHEAD) * view->lanes, width);
        slab_shifts_of_row(view->lines, view->first, width, k, block->shift);
        if (block->row_sums)
            line_block_eliminate_sums(block, width, k, right_hand_side(view, block->n, k, width, block->keep));
        else
            line_block_eliminate(block, width, k, right_hand_side(view, block->n, k, width, block->keep));
    }
    line_block_last(block, width, right_hand_side(view, block->n, block->n - 1, width, block->keep));
}

STARFISH_TRIDIAG_CLONES
static void backward(const struct view *view, const struct line_block *block, size_t width)
{
    const real *below = block->last;

    line_copy_row(view->out + (block->n - 1) * view->lanes, block->last, width);
    for (size_t k = block->n - 1; k-- > 0;) {
        if (k >= ROWS_AHEAD)
            line_prefetch_row(view->out + (k - ROWS_AHEAD) * view->lanes, width);
        line_block_substitute(block, width, k, below);
        below = block->d + k * block->pitch;
        line_copy_row(view->out + k * view->lanes, below, width);
    }
}

static const real *part_lanes(const void *const *parts, int part, size_t lane_of_part)
{
    return parts[0] ? (const real *)parts[part] + lane_of_part : NULL;
}

/* `width` lanes of a part, from the part's lane `at` on, of a problem that begins `start` reals behind the first. */
static void solve_lanes(const struct starfish_slab_solve *arguments, struct line_block *block, int part, size_t at,
                        size_t width, size_t start)
{
    const struct starfish_slab_lines *lines = &arguments->lines;
    size_t lane = lines->inner * lines->first_outer[part] + at, lanes = lines->plane, n = block->n;
    struct view view = {.lines = lines,
                        .first = lane,
                        .data = (const real *)arguments->data + start + lane,
                        .out = (real *)arguments->out + start + lane,
                        .lanes = lanes,
                        .before = part_lanes(arguments->before, part, at),
                        .own = part_lanes(arguments->own, part, at),
                        .first_lower = ((const real *)lines->lower)[0],
                        .last_upper = n > 0 ? ((const real *)lines->upper)[n - 1] : 0};

    if (n > 0) {
        forward(&view, block, width);
        if (!view.own)
            line_pin(arguments->pinned_lane, lane, width, block->last);
        backward(&view, block, width);
    }
    if (view.own)
        line_copy_row(view.out + n * lanes, view.own, width);
}

static size_t arrays_of(int periodic)
{
    return periodic ? 3 : 2;
}

void REAL_NAME(starfish_slab_solve_cpu)(const struct starfish_slab_solve *arguments)
{
    const struct starfish_slab_lines *lines = &arguments->lines;
    size_t n = lines->rows - (arguments->own[0] != NULL), lanes = lines->inner * lines->outer;
    int periodic = arguments->periodic && !arguments->own[0];
    size_t widest = starfish_tridiag_block_lanes(lines->rows, lanes, arrays_of(periodic), sizeof(real));
    struct starfish_tridiag_operator line = {
        .n = n, .periodic = periodic, .lower = lines->lower, .diag = lines->diag, .upper = lines->upper};
    struct line_block block = line_block_create(&line, widest, 0, arguments->workspace);
    block.row_sums = lines->row_sums;

    for (int part = 0; part < lines->parts; part++) {
        size_t of_part = lines->inner * (lines->first_outer[part + 1] - lines->first_outer[part]);
        for (size_t at = 0; at < of_part; at += widest)
            for (size_t p = 0; p < starfish_slab_problems(arguments); p++)
                solve_lanes(arguments, &block, part, at, starfish_tridiag_smaller(widest, of_part - at),
                            p * arguments->distance);
    }
}
