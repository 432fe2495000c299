/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chains of shifted solves, on the CPU.
 *
 * Bound by arithmetic: a block of slots (a slot is one lane of one vector) is fetched once, stays in the second-level
 * cache while all its steps run, and is written once; per unknown and step there is one division and about ten other
 * operations. Slots are the lanes of one vector, or, when a vector has a single lane, neighbouring vectors with
 * equally many steps, which then are interleaved. On a Zen 4 core, f64, n = 511: 1.1 ns per unknown and step (periodic
 * 1.7) with 16 slots, 13 (17) for a slot alone, which waits for one division after the other; real
 * vectors are therefore cut (tridiag_chain_line.h).
 * Source: Swarztrauber 1974 for the chains, line_block.h for the solves. */
#include "tridiag/kernels/line_block.h"
#include "tridiag/kernels/tridiag_chain_line.h"
#include <string.h>

/* What runs side by side: slot s is lane lane + s * lane_step of vector vector + s * vector_step. */
struct slots {
    size_t vector, lane, vector_step, lane_step;
};

static const scalar *input_vector(const struct starfish_tridiag_chain *arguments, size_t vector)
{
    return (const scalar *)arguments->input +
           (size_t)arguments->input_row[vector] * arguments->line.n * arguments->lanes;
}

static scalar *output_vector(const struct starfish_tridiag_chain *arguments, size_t vector)
{
    return (scalar *)arguments->output + vector * arguments->line.n * arguments->lanes;
}

static real input_scale(const struct starfish_tridiag_chain *arguments, size_t vector)
{
    return arguments->scale ? ((const real *)arguments->scale)[vector] : 1;
}

static void gather(const struct starfish_tridiag_chain *arguments, const struct line_block *block, struct slots slots,
                   size_t width)
{
    const real *shift_lane = arguments->shift_lane;

    for (size_t s = 0; s < width; s++) {
        size_t lane = slots.lane + s * slots.lane_step;
        block->lane_shift[s] = (real)arguments->shift + (shift_lane ? shift_lane[lane] : 0);
    }
    if (slots.lane_step) {
        const scalar *in = input_vector(arguments, slots.vector) + slots.lane;
        real scale = input_scale(arguments, slots.vector);
        for (size_t k = 0; k < block->n; k++)
            for (size_t s = 0; s < width; s++)
                block->x[k * block->pitch + s] = scale * in[k * arguments->lanes + s];
        return;
    }
    for (size_t s = 0; s < width; s++) {
        const scalar *in = input_vector(arguments, slots.vector + s);
        real scale = input_scale(arguments, slots.vector + s);
        for (size_t k = 0; k < block->n; k++)
            block->x[k * block->pitch + s] = scale * in[k];
    }
}

static void scatter(const struct starfish_tridiag_chain *arguments, const struct line_block *block, struct slots slots,
                    size_t width)
{
    if (slots.lane_step) {
        scalar *out = output_vector(arguments, slots.vector) + slots.lane;
        for (size_t k = 0; k < block->n; k++)
            memcpy(out + k * arguments->lanes, block->x + k * block->pitch, width * sizeof(scalar));
        return;
    }
    for (size_t s = 0; s < width; s++) {
        scalar *out = output_vector(arguments, slots.vector + s);
        for (size_t k = 0; k < block->n; k++)
            out[k] = block->x[k * block->pitch + s];
    }
}

/* Coefficients of the step-th step of every slot. */
static inline void set_step(const struct starfish_tridiag_chain *arguments, const struct line_block *block,
                            struct slots slots, size_t width, int step)
{
    for (size_t s = 0; s < width; s++) {
        int q = arguments->first_step[slots.vector + s * slots.vector_step] + step;
        block->shift[s] = block->lane_shift[s] + ((const real *)arguments->mu)[q];
        block->keep[s] = ((const real *)arguments->keep)[q];
        block->gain[s] = ((const real *)arguments->gain)[q];
    }
}

static inline void pin(const struct starfish_tridiag_chain *arguments, const struct line_block *block,
                       struct slots slots, size_t width, int step)
{
    if (arguments->pinned_step < 0)
        return;
    for (size_t s = 0; s < width; s++) {
        size_t vector = slots.vector + s * slots.vector_step;
        if (slots.lane + s * slots.lane_step == 0 && arguments->first_step[vector] + step == arguments->pinned_step)
            block->last[s] = 0;
    }
}

/* x(k) <- keep x(k) + gain w(k) */
STARFISH_TRIDIAG_INLINE void update_row(const struct line_block *block, size_t width, size_t k,
                                        const scalar *restrict w)
{
    const real *restrict keep = block->keep, *restrict gain = block->gain;
    scalar *restrict x = block->x + k * block->pitch;

#pragma omp simd
    for (size_t s = 0; s < width; s++)
        x[s] = keep[s] * x[s] + gain[s] * w[s];
}

STARFISH_TRIDIAG_INLINE void run_steps_of_width(const struct starfish_tridiag_chain *arguments,
                                                const struct line_block *block, struct slots slots, size_t width,
                                                int steps)
{
    size_t n = block->n;

    for (int step = 0; step < steps; step++) {
        const scalar *below = block->last;
        set_step(arguments, block, slots, width, step);
        line_block_begin(block, width);
        for (size_t k = 0; k + 1 < n; k++)
            line_block_eliminate(block, width, k, block->x + k * block->pitch);
        line_block_last(block, width, block->x + (n - 1) * block->pitch);
        pin(arguments, block, slots, width, step);
        update_row(block, width, n - 1, below);
        for (size_t k = n - 1; k-- > 0;) {
            line_block_substitute(block, width, k, below);
            below = block->d + k * block->pitch;
            update_row(block, width, k, below);
        }
    }
}

/* The commonest small widths become straight-line code. */
STARFISH_TRIDIAG_CLONES
static void run_steps(const struct starfish_tridiag_chain *arguments, const struct line_block *block,
                      struct slots slots, size_t width, int steps)
{
    if (width == 1)
        run_steps_of_width(arguments, block, slots, 1, steps);
    else if (width == STARFISH_TRIDIAG_SIDE_BY_SIDE)
        run_steps_of_width(arguments, block, slots, STARFISH_TRIDIAG_SIDE_BY_SIDE, steps);
    else
        run_steps_of_width(arguments, block, slots, width, steps);
}

/* How many vectors from `vector` on have as many steps as it, at most `most`. */
static size_t equal_steps(const struct starfish_tridiag_chain *arguments, size_t vector, size_t most)
{
    size_t end = vector + starfish_tridiag_smaller(most, arguments->vectors - vector), v = vector + 1;

    while (v < end && arguments->steps[v] == arguments->steps[vector])
        v++;
    return v - vector;
}

static void run_slots(const struct starfish_tridiag_chain *arguments, const struct line_block *block,
                      struct slots slots, size_t width)
{
    gather(arguments, block, slots, width);
    run_steps(arguments, block, slots, width, arguments->steps[slots.vector]);
    scatter(arguments, block, slots, width);
}

static void chain_of_single_lanes(const struct starfish_tridiag_chain *arguments)
{
    size_t widest = starfish_tridiag_smaller(arguments->vectors, STARFISH_TRIDIAG_SIDE_BY_SIDE), width;
    struct line_block block = line_block_create(&arguments->line, widest, 1, arguments->workspace);

    for (size_t v = 0; v < arguments->vectors; v += width) {
        struct slots slots = {.vector = v, .vector_step = 1};
        width = equal_steps(arguments, v, widest);
#ifdef STARFISH_REAL_NUMBERS
        if (REAL_NAME(starfish_chain_of_a_line_pays)(arguments, width)) {
            REAL_NAME(starfish_chain_of_a_line)(arguments, v, width);
            continue;
        }
#endif
        run_slots(arguments, &block, slots, width);
    }
}

static void chain_of_many_lanes(const struct starfish_tridiag_chain *arguments)
{
    size_t n = arguments->line.n, lanes = arguments->lanes, arrays = arguments->line.periodic ? 4 : 3;
    size_t widest = starfish_tridiag_block_lanes(n, lanes, arrays, sizeof(scalar));
    size_t end = starfish_tridiag_lanes_end(lanes, arguments->first_lane, arguments->lane_count);
    struct line_block block = line_block_create(&arguments->line, widest, 1, arguments->workspace);

    for (size_t v = 0; v < arguments->vectors; v++) {
        for (size_t lane = arguments->first_lane; lane < end; lane += widest) {
            struct slots slots = {.vector = v, .lane = lane, .lane_step = 1};
            run_slots(arguments, &block, slots, starfish_tridiag_smaller(widest, end - lane));
        }
    }
}

/* Of each kind of numbers. */
void REAL_NAME(starfish_chain_of_steps)(const struct starfish_tridiag_chain *arguments);
void REAL_NAME(starfish_chain_of_steps_complex_vectors)(const struct starfish_tridiag_chain *arguments);
void REAL_NAME(starfish_chain_of_steps_complex_lines)(const struct starfish_tridiag_chain *arguments);

void NUMBER_NAME(starfish_chain_of_steps)(const struct starfish_tridiag_chain *arguments)
{
    if (arguments->lanes > 1)
        chain_of_many_lanes(arguments);
    else
        chain_of_single_lanes(arguments);
}

#ifdef STARFISH_REAL_NUMBERS
void REAL_NAME(starfish_tridiag_chain_cpu)(const struct starfish_tridiag_chain *arguments)
{
    static void (*const kernels[STARFISH_TRIDIAG_NUMBERS])(const struct starfish_tridiag_chain *) = {
        [STARFISH_TRIDIAG_REAL] = REAL_NAME(starfish_chain_of_steps),
        [STARFISH_TRIDIAG_COMPLEX_VECTORS] = REAL_NAME(starfish_chain_of_steps_complex_vectors),
        [STARFISH_TRIDIAG_COMPLEX_LINES] = REAL_NAME(starfish_chain_of_steps_complex_lines)};

    kernels[arguments->line.numbers](arguments);
}
#endif
