/* Weighted sums of shifted solves, on the CPU.
 *
 * Bound by arithmetic: per unknown and root one division and about ten other operations, all in the second-level cache.
 * What runs side by side is the lanes of one root, or, where lanes are few, neighbouring roots of one lane, of one group
 * or of several; so the divisions of a recurrence, each of which waits for the one before, overlap.
 * Measured, one core of an AMD EPYC, f64, n = 511, ns per unknown and root: one lane, 511 roots of one group 1.5 (three
 * inputs, one output) to 2.0 (one input, two outputs), periodic 2.4; groups of 3 roots 2.8 to 3.5; groups of one 3.9 to
 * 6.5, where a slot's inputs and outputs are scalar (working on a few rows at a time does not help); 128 lanes 1.3 to
 * 1.4, periodic 2.0. Chains (tridiag_chain_cpu.c) take 1.1 per step, but twice the steps, one after the other.
 * Source: Gallopoulos and Saad 1989 for the sums, line_block.h for the solves. */
#include "tridiag/line_block.h"
#include "tridiag/shifted_sums.h"

#include <string.h>

enum { ROOTS = STARFISH_TRIDIAG_SIDE_BY_SIDE };

static const scalar *input_of(const struct starfish_shifted_sums *a, size_t group, int i)
{
    const int row = a->input_row[group * (size_t)a->inputs + (size_t)i];
    return row < 0 ? NULL : (const scalar *)a->input + (size_t)row * a->line.n * a->lanes;
}

static scalar *output_of(const struct starfish_shifted_sums *a, size_t group, int o)
{
    const int row = a->output_row[group * (size_t)a->outputs + (size_t)o];
    return row < 0 ? NULL : (scalar *)a->output + (size_t)row * a->line.n * a->lanes;
}

static real lane_shift(const struct starfish_shifted_sums *a, size_t lane)
{
    return (real)a->shift + (a->shift_lane ? ((const real *)a->shift_lane)[lane] : 0);
}

static size_t lanes_end(const struct starfish_shifted_sums *a)
{
    return starfish_tridiag_lanes_end(a->lanes, a->first_lane, a->lane_count);
}

/* Sums begin as zero. */
static void clear_outputs(const struct starfish_shifted_sums *a)
{
    const size_t width = lanes_end(a) - a->first_lane, whole = width == a->lanes;
    for (size_t g = 0; g < a->groups; g++)
        for (int o = 0; o < a->outputs; o++) {
            scalar *out = output_of(a, g, o);
            for (size_t k = 0; out && k < (whole ? 1 : a->line.n); k++)
                memset(out + a->first_lane + k * a->lanes, 0, (whole ? a->line.n : 1) * width * sizeof(scalar));
        }
}

/* ---- Solving a block whose right-hand sides lie in block->x ------------------------------------------------------- */

STARFISH_TRIDIAG_INLINE void solve_of_width(const struct line_block *block, size_t width, ptrdiff_t pinned)
{
    const size_t n = block->n;
    line_block_begin(block, width);
    for (size_t k = 0; k + 1 < n; k++)
        line_block_eliminate(block, width, k, block->x + k * block->pitch);
    line_block_last(block, width, block->x + (n - 1) * block->pitch);
    if (pinned >= 0)
        block->last[pinned] = 0;
    const scalar *below = block->last;
    for (size_t k = n - 1; k-- > 0;) {
        line_block_substitute(block, width, k, below);
        below = block->d + k * block->pitch;
    }
}

/* ---- Roots side by side ------------------------------------------------------------------------------------------- */

/* Slots first .. first + count - 1 of a block have roots of one group. */
struct run {
    size_t group, first, count;
};

/* Right-hand sides of a run: the weights of a slot, times what is the same for all slots. */
STARFISH_TRIDIAG_INLINE void combine(scalar *restrict x, size_t pitch, size_t n, size_t lanes, size_t slots,
                                     const scalar *const in[STARFISH_SHIFTED_SUMS_INPUTS],
                                     const real weight[STARFISH_SHIFTED_SUMS_INPUTS][ROOTS])
{
    for (size_t k = 0; k < n; k++) {
        const scalar value[3] = {in[0][k * lanes], in[1][k * lanes], in[2][k * lanes]};
#pragma omp simd
        for (size_t s = 0; s < slots; s++)
            x[k * pitch + s] = weight[0][s] * value[0] + weight[1][s] * value[1] + weight[2][s] * value[2];
    }
}

/* Add the weighted solutions of a full block up in pairs, the same on every instruction set. */
STARFISH_TRIDIAG_INLINE void add_up(const struct line_block *block, size_t lanes, const real weight[ROOTS],
                                    scalar *restrict out)
{
    for (size_t k = 0; k < block->n; k++) {
        const scalar *z = k + 1 < block->n ? block->d + k * block->pitch : block->last;
        scalar product[ROOTS];
#pragma omp simd
        for (size_t s = 0; s < ROOTS; s++)
            product[s] = weight[s] * z[s];
        for (size_t half = ROOTS / 2; half > 0; half /= 2)
            for (size_t s = 0; s < half; s++)
                product[s] += product[s + half];
        out[k * lanes] += product[0];
    }
}

STARFISH_TRIDIAG_INLINE void add_up_few(const struct line_block *block, size_t lanes, const struct run *run,
                                        const real weight[ROOTS], scalar *restrict out)
{
    for (size_t k = 0; k < block->n; k++) {
        const scalar *z = (k + 1 < block->n ? block->d + k * block->pitch : block->last) + run->first;
        scalar sum = 0;
        for (size_t s = 0; s < run->count; s++)
            sum += weight[s] * z[s];
        out[k * lanes] += sum;
    }
}

STARFISH_TRIDIAG_INLINE void fill_run(const struct starfish_shifted_sums *a, const struct line_block *block,
                                      const struct run *run, size_t root, size_t lane)
{
    real weight[STARFISH_SHIFTED_SUMS_INPUTS][ROOTS] = {{0}};
    const scalar *in[STARFISH_SHIFTED_SUMS_INPUTS] = {NULL};
    size_t used = 0;
    for (int i = 0; i < a->inputs; i++) {
        const scalar *vector = input_of(a, run->group, i);
        if (!vector)
            continue;
        for (size_t s = 0; s < run->count; s++)
            weight[used][s] = ((const real *)a->input_weight)[(root + s) * (size_t)a->inputs + (size_t)i];
        in[used++] = vector + lane;
    }
    for (size_t i = used; i < STARFISH_SHIFTED_SUMS_INPUTS; i++) /* has weight zero */
        in[i] = in[0];
    scalar *x = block->x + run->first;
    if (used == 0)
        for (size_t k = 0; k < block->n; k++)
            memset(x + k * block->pitch, 0, run->count * sizeof(scalar));
    else if (run->count == ROOTS)
        combine(x, block->pitch, block->n, a->lanes, ROOTS, in, weight);
    else if (run->count == 1)
        combine(x, block->pitch, block->n, a->lanes, 1, in, weight);
    else
        combine(x, block->pitch, block->n, a->lanes, run->count, in, weight);
}

STARFISH_TRIDIAG_INLINE void drain_run(const struct starfish_shifted_sums *a, const struct line_block *block,
                                       const struct run *run, size_t root, size_t lane)
{
    for (int o = 0; o < a->outputs; o++) {
        real weight[ROOTS];
        scalar *out = output_of(a, run->group, o);
        if (!out)
            continue;
        for (size_t s = 0; s < run->count; s++)
            weight[s] = ((const real *)a->output_weight)[(root + s) * (size_t)a->outputs + (size_t)o];
        if (run->count == ROOTS)
            add_up(block, a->lanes, weight, out + lane);
        else
            add_up_few(block, a->lanes, run, weight, out + lane);
    }
}

/* Cut the slots with roots root .. root + width - 1 into runs; `group` is that of the first, and becomes that of the one
 * after the last. */
static size_t find_runs(const struct starfish_shifted_sums *a, size_t root, size_t width, size_t *group,
                        struct run run[ROOTS])
{
    size_t runs = 0;
    for (size_t s = 0; s < width; runs++) {
        const size_t left = (size_t)a->first_root[*group + 1] - (root + s);
        const size_t count = starfish_tridiag_smaller(left, width - s);
        run[runs] = (struct run){*group, s, count};
        *group += count == left;
        s += count;
    }
    return runs;
}

STARFISH_TRIDIAG_CLONES
static void sum_roots(const struct starfish_shifted_sums *a, const struct line_block *block, size_t root, size_t width,
                      size_t lane, const struct run *run, size_t runs)
{
    ptrdiff_t pinned = -1;
    for (size_t s = 0; s < width; s++)
        block->shift[s] = lane_shift(a, lane) + ((const real *)a->mu)[root + s];
    if (lane == 0 && a->pinned_root >= (int)root && a->pinned_root < (int)(root + width))
        pinned = a->pinned_root - (ptrdiff_t)root;
    for (size_t r = 0; r < runs; r++)
        fill_run(a, block, &run[r], root + run[r].first, lane);
    if (width == ROOTS)
        solve_of_width(block, ROOTS, pinned);
    else
        solve_of_width(block, width, pinned);
    for (size_t r = 0; r < runs; r++)
        drain_run(a, block, &run[r], root + run[r].first, lane);
}

static void sums_of_few_lanes(const struct starfish_shifted_sums *a)
{
    const struct line_block block = line_block_create(&a->line, ROOTS, 1, a->workspace);
    const size_t end = (size_t)a->first_root[a->groups];
    struct run run[ROOTS];
    size_t group = 0;
    for (size_t root = (size_t)a->first_root[0], width; root < end; root += width) {
        width = starfish_tridiag_smaller(ROOTS, end - root);
        const size_t runs = find_runs(a, root, width, &group, run);
        for (size_t lane = a->first_lane; lane < lanes_end(a); lane++)
            sum_roots(a, &block, root, width, lane, run, runs);
    }
}

/* ---- Lanes side by side -------------------------------------------------------------------------------------------- */

/* Right-hand sides of one root on a block of lanes. */
STARFISH_TRIDIAG_INLINE void combine_lanes(const struct line_block *block, size_t width, size_t lanes, const scalar *in,
                                           real weight, int first)
{
    for (size_t k = 0; k < block->n; k++) {
        const scalar *restrict from = in + k * lanes;
        scalar *restrict x = block->x + k * block->pitch;
        if (first) {
#pragma omp simd
            for (size_t l = 0; l < width; l++)
                x[l] = weight * from[l];
        } else {
#pragma omp simd
            for (size_t l = 0; l < width; l++)
                x[l] += weight * from[l];
        }
    }
}

STARFISH_TRIDIAG_INLINE void add_lanes(const struct line_block *block, size_t width, size_t lanes, real weight,
                                       scalar *out)
{
    for (size_t k = 0; k < block->n; k++) {
        const scalar *restrict z = k + 1 < block->n ? block->d + k * block->pitch : block->last;
        scalar *restrict to = out + k * lanes;
#pragma omp simd
        for (size_t l = 0; l < width; l++)
            to[l] += weight * z[l];
    }
}

STARFISH_TRIDIAG_CLONES
static void sum_lanes(const struct starfish_shifted_sums *a, const struct line_block *block, size_t group, size_t root,
                      size_t lane, size_t width)
{
    const real *mu = a->mu, *in_weight = (const real *)a->input_weight + root * (size_t)a->inputs;
    const real *out_weight = (const real *)a->output_weight + root * (size_t)a->outputs;
    int first = 1;
    for (size_t l = 0; l < width; l++)
        block->shift[l] = lane_shift(a, lane + l) + mu[root];
    for (int i = 0; i < a->inputs; i++) {
        const scalar *in = input_of(a, group, i);
        if (in) {
            combine_lanes(block, width, a->lanes, in + lane, in_weight[i], first);
            first = 0;
        }
    }
    if (first)
        memset(block->x, 0, block->n * block->pitch * sizeof(scalar));
    solve_of_width(block, width, lane == 0 && a->pinned_root == (int)root ? 0 : -1);
    for (int o = 0; o < a->outputs; o++) {
        scalar *out = output_of(a, group, o);
        if (out)
            add_lanes(block, width, a->lanes, out_weight[o], out + lane);
    }
}

static void sums_of_many_lanes(const struct starfish_shifted_sums *a)
{
    const size_t arrays = a->line.periodic ? 4 : 3;
    const size_t widest = starfish_tridiag_block_lanes(a->line.n, a->lanes, arrays, sizeof(scalar));
    const struct line_block block = line_block_create(&a->line, widest, 1, a->workspace);
    for (size_t g = 0; g < a->groups; g++)
        for (size_t lane = a->first_lane; lane < lanes_end(a); lane += widest)
            for (size_t root = (size_t)a->first_root[g]; root < (size_t)a->first_root[g + 1]; root++)
                sum_lanes(a, &block, g, root, lane, starfish_tridiag_smaller(widest, lanes_end(a) - lane));
}

/* Of each kind of numbers. */
void REAL_NAME(starfish_sums_of_roots)(const struct starfish_shifted_sums *arguments);
void REAL_NAME(starfish_sums_of_roots_complex_vectors)(const struct starfish_shifted_sums *arguments);
void REAL_NAME(starfish_sums_of_roots_complex_lines)(const struct starfish_shifted_sums *arguments);

void NUMBER_NAME(starfish_sums_of_roots)(const struct starfish_shifted_sums *arguments)
{
    clear_outputs(arguments);
    if (arguments->lanes < STARFISH_TRIDIAG_FEW_LANES)
        sums_of_few_lanes(arguments);
    else
        sums_of_many_lanes(arguments);
}

#ifdef STARFISH_REAL_NUMBERS
void REAL_NAME(starfish_shifted_sums_cpu)(const struct starfish_shifted_sums *arguments)
{
    static void (*const kernels[STARFISH_TRIDIAG_NUMBERS])(const struct starfish_shifted_sums *) = {
        [STARFISH_TRIDIAG_REAL] = REAL_NAME(starfish_sums_of_roots),
        [STARFISH_TRIDIAG_COMPLEX_VECTORS] = REAL_NAME(starfish_sums_of_roots_complex_vectors),
        [STARFISH_TRIDIAG_COMPLEX_LINES] = REAL_NAME(starfish_sums_of_roots_complex_lines)};

    kernels[arguments->line.numbers](arguments);
}

void REAL_NAME(starfish_shifted_sums_add_cpu)(size_t count, const void *in, void *out)
{
    const real *restrict from = in;
    real *restrict to = out;
#pragma omp simd
    for (size_t i = 0; i < count; i++)
        to[i] += from[i];
}
#endif
