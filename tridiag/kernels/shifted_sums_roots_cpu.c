/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Weighted sums of shifted solves on the CPU, where lanes are few: roots side by side, of one group or of several. What
 * bounds it, and what it takes, is said in shifted_sums_cpu.c. */
#include "tridiag/kernels/sums_block.h"

enum { TILE = 32, FULL = 3 * ROOTS / 4 };

/* ---- Roots side by side ------------------------------------------------------------------------------------------ */

/* Slots first .. first + count - 1 of a block have roots of one group. Its vectors that are there, in one lane; inputs
 * are padded with any. */
struct run {
    size_t group, first, count;
    size_t inputs, outputs;
    const scalar *in[INPUTS];
    scalar *out[OUTPUTS];
};

/* A block of roots in one lane, and the weights of its slots on their own group's vectors that are there. */
struct slots {
    size_t n, lanes; /* n rows, `lanes` scalars apart in every vector */
    size_t width;    /* those after have no roots, and weights of zero */
    size_t runs;
    struct run run[ROOTS];
    real in[INPUTS][ROOTS], out[OUTPUTS][ROOTS];
    ptrdiff_t pinned; /* slot, or -1 */
};

static void set_run(const struct starfish_shifted_sums *a, size_t root, size_t lane, struct slots *slots,
                    struct run *run)
{
    for (int i = 0; i < a->inputs; i++) {
        const scalar *in = input_of(a, run->group, i);
        const real *weight = (const real *)a->input_weight + i;
        if (!in)
            continue;
        for (size_t s = run->first; s < run->first + run->count; s++)
            slots->in[run->inputs][s] = weight[(root + s) * (size_t)a->inputs];
        run->in[run->inputs++] = in + lane;
    }
    for (int o = 0; o < a->outputs; o++) {
        scalar *out = output_of(a, run->group, o);
        const real *weight = (const real *)a->output_weight + o;
        if (!out)
            continue;
        for (size_t s = run->first; s < run->first + run->count; s++)
            slots->out[run->outputs][s] = weight[(root + s) * (size_t)a->outputs];
        run->out[run->outputs++] = out + lane;
    }
    for (size_t i = run->inputs; i < INPUTS; i++)
        run->in[i] = run->inputs > 0 ? run->in[0] : (const scalar *)a->input + lane;
}

/* Slots of roots from `root` on; `group` is that of the first, and becomes that of the one after the last. One group's
 * that almost fill a block have it for themselves. */
static void set_slots(const struct starfish_shifted_sums *a, size_t root, size_t lane, size_t *group,
                      struct slots *slots)
{
    memset(slots, 0, sizeof *slots);
    slots->n = a->line.n;
    slots->lanes = a->lanes;
    slots->pinned = -1;
    for (size_t s = 0; s < ROOTS && *group < a->groups && !(slots->runs == 1 && s >= FULL); slots->width = s) {
        struct run *run = &slots->run[slots->runs++];
        const size_t left = (size_t)a->first_root[*group + 1] - (root + s);
        run->group = *group;
        run->first = s;
        run->count = starfish_tridiag_smaller(left, ROOTS - s);
        set_run(a, root, lane, slots, run);
        *group += run->count == left;
        s += run->count;
    }
    if (lane == 0 && a->pinned_root >= (int)root && a->pinned_root < (int)(root + slots->width))
        slots->pinned = a->pinned_root - (ptrdiff_t)root;
}

/* One group's roots in all slots: rows are combined, eliminated and summed while they are at hand. Every slot has sums
 * of its own, so that nothing is added across slots before the last of such blocks. */
STARFISH_TRIDIAG_INLINE void combine_roots(const struct slots *slots, size_t inputs, size_t k, scalar *restrict rhs)
{
    scalar value[INPUTS] = {0};
    for (size_t i = 0; i < inputs; i++)
        value[i] = slots->run[0].in[i][k * slots->lanes];
#define WEIGHT(i) slots->in[i][s]
#define VALUE(i) value[i]
#pragma omp simd
    for (size_t s = 0; s < ROOTS; s++)
        rhs[s] = WEIGHTED(inputs, WEIGHT, VALUE);
#undef WEIGHT
#undef VALUE
}

STARFISH_TRIDIAG_INLINE void add_roots(const scalar *restrict z, const real *restrict weight, int begins,
                                       scalar *restrict sum)
{
    if (begins) {
#pragma omp simd
        for (size_t s = 0; s < ROOTS; s++)
            sum[s] = weight[s] * z[s];
    } else {
#pragma omp simd
        for (size_t s = 0; s < ROOTS; s++)
            sum[s] += weight[s] * z[s];
    }
}

STARFISH_TRIDIAG_INLINE void sum_one_group(const struct line_block *block, const struct slots *slots, size_t inputs,
                                           int begins, scalar *sums)
{
    for (size_t k = 0; k < block->n; k++) {
        combine_roots(slots, inputs, k, line_block_row(block));
        take_row(block, ROOTS, k, line_block_row(block), slots->pinned);
    }
    for (size_t k = block->n; k-- > 0;) {
        const scalar *z = solution_row(block, ROOTS, k);
        for (size_t o = 0; o < slots->run[0].outputs; o++)
            add_roots(z, slots->out[o], begins, sums + (o * block->n + k) * ROOTS);
    }
}

/* In pairs, the same on every instruction set. */
STARFISH_TRIDIAG_INLINE void add_across(const struct slots *slots, scalar *sums)
{
    for (size_t o = 0; o < slots->run[0].outputs; o++)
        for (size_t k = 0; k < slots->n; k++) {
            scalar *sum = sums + (o * slots->n + k) * ROOTS;
            for (size_t half = ROOTS / 2; half > 0; half /= 2)
                for (size_t s = 0; s < half; s++)
                    sum[s] += sum[s + half];
            slots->run[0].out[o][k * slots->lanes] += sum[0];
        }
}

STARFISH_TRIDIAG_CLONES
static void sum_group_roots(const struct line_block *block, const struct slots *slots, int begins, int ends,
                            scalar *sums)
{
    const size_t inputs = padded_inputs(slots->run[0].inputs);
    begin_rows(block, ROOTS);
    if (inputs == 1)
        sum_one_group(block, slots, 1, begins, sums);
    else if (inputs == 3)
        sum_one_group(block, slots, 3, begins, sums);
    else
        sum_one_group(block, slots, INPUTS, begins, sums);
    if (ends)
        add_across(slots, sums);
}

/* Roots of several groups: what is the same for all slots of a group is little, so a slot's rows are side by side
 * instead, TILE of them at a time. */
STARFISH_TRIDIAG_INLINE void combine_tile(const struct slots *slots, const struct run *run, size_t inputs, size_t first,
                                          size_t rows, size_t apart, scalar tile[ROOTS][TILE])
{
    for (size_t s = run->first; s < run->first + run->count; s++) {
#define WEIGHT(i) slots->in[i][s]
#define VALUE(i) run->in[i][(first + j) * apart]
#pragma omp simd
        for (size_t j = 0; j < rows; j++)
            tile[s][j] = WEIGHTED(inputs, WEIGHT, VALUE);
#undef WEIGHT
#undef VALUE
    }
}

STARFISH_TRIDIAG_INLINE void add_tile(const struct slots *slots, const struct run *run, size_t first, size_t rows,
                                      size_t apart, scalar tile[ROOTS][TILE])
{
    for (size_t o = 0; o < run->outputs; o++) {
        scalar sum[TILE] = {0};
        for (size_t s = run->first; s < run->first + run->count; s++) {
            const real weight = slots->out[o][s];
#pragma omp simd
            for (size_t j = 0; j < rows; j++)
                sum[j] += weight * tile[s][j];
        }
        for (size_t j = 0; j < rows; j++)
            run->out[o][(first + j) * apart] += sum[j];
    }
}

STARFISH_TRIDIAG_INLINE void fill_tile(const struct line_block *block, const struct slots *slots, size_t first,
                                       size_t rows, size_t apart)
{
    scalar tile[ROOTS][TILE];
    memset(tile + slots->width, 0, (ROOTS - slots->width) * sizeof tile[0]);
    for (size_t r = 0; r < slots->runs; r++) {
        const struct run *run = &slots->run[r];
        const size_t inputs = padded_inputs(run->inputs);
        if (inputs == 1)
            combine_tile(slots, run, 1, first, rows, apart, tile);
        else if (inputs == 3)
            combine_tile(slots, run, 3, first, rows, apart, tile);
        else
            combine_tile(slots, run, INPUTS, first, rows, apart, tile);
    }
    for (size_t j = 0; j < rows; j++)
        for (size_t s = 0; s < ROOTS; s++)
            block->x[(first + j) * block->pitch + s] = tile[s][j];
}

STARFISH_TRIDIAG_INLINE void drain_tile(const struct line_block *block, const struct slots *slots, size_t first,
                                        size_t rows, size_t apart)
{
    scalar tile[ROOTS][TILE];
    for (size_t j = 0; j < rows; j++) {
        const scalar *z = first + j + 1 < block->n ? block->d + (first + j) * block->pitch : block->last;
        for (size_t s = 0; s < ROOTS; s++)
            tile[s][j] = z[s];
    }
    for (size_t r = 0; r < slots->runs; r++)
        add_tile(slots, &slots->run[r], first, rows, apart, tile);
}

STARFISH_TRIDIAG_INLINE void sum_tiles(const struct line_block *block, const struct slots *slots, size_t apart)
{
    const size_t n = block->n, tiled = n / TILE * TILE;
    for (size_t k = 0; k < tiled; k += TILE)
        fill_tile(block, slots, k, TILE, apart);
    if (tiled < n)
        fill_tile(block, slots, tiled, n - tiled, apart);
    begin_rows(block, ROOTS);
    for (size_t k = 0; k < n; k++)
        take_row(block, ROOTS, k, block->x + k * block->pitch, slots->pinned);
    for (size_t k = n; k-- > 0;)
        solution_row(block, ROOTS, k);
    for (size_t k = 0; k < tiled; k += TILE)
        drain_tile(block, slots, k, TILE, apart);
    if (tiled < n)
        drain_tile(block, slots, tiled, n - tiled, apart);
}

STARFISH_TRIDIAG_CLONES
static void sum_several_groups(const struct line_block *block, const struct slots *slots)
{
    if (slots->lanes == 1)
        sum_tiles(block, slots, 1);
    else
        sum_tiles(block, slots, slots->lanes);
}

static void sum_lane(const struct starfish_shifted_sums *a, const struct line_block *block, size_t lane, scalar *sums)
{
    const size_t end = (size_t)a->first_root[a->groups];
    struct slots slots;
    size_t group = 0;
    for (size_t root = (size_t)a->first_root[0]; root < end; root += slots.width) {
        set_slots(a, root, lane, &group, &slots);
        for (size_t s = 0; s < ROOTS; s++)
            set_shift(a, block, s, lane, root + (s < slots.width ? s : 0));
        if (slots.runs == 1 && slots.width >= FULL) {
            const size_t first = (size_t)a->first_root[slots.run[0].group];
            const size_t after = (size_t)a->first_root[slots.run[0].group + 1];
            sum_group_roots(block, &slots, root<first + ROOTS, root + slots.width + FULL> after, sums);
        } else {
            sum_several_groups(block, &slots);
        }
    }
}

void NUMBER_NAME(starfish_sums_of_few_lanes)(const struct starfish_shifted_sums *a)
{
    const struct line_block block = line_block_create(&a->line, ROOTS, 1, a->workspace);
    clear_outputs(a);
    for (size_t lane = a->first_lane; lane < lanes_end(a); lane++)
        sum_lane(a, &block, lane, line_block_end(&block));
}
