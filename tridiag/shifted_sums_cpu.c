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

enum {
    INPUTS = STARFISH_SHIFTED_SUMS_INPUTS,
    OUTPUTS = STARFISH_SHIFTED_SUMS_OUTPUTS,
    ROOTS = STARFISH_TRIDIAG_SIDE_BY_SIDE,
    LINE = STARFISH_TRIDIAG_CACHE_LINE / sizeof(real),
    LINES = STARFISH_TRIDIAG_SUMMED_LINES
};

static const real *input_of(const struct starfish_shifted_sums *a, size_t group, int i)
{
    const int row = a->input_row[group * (size_t)a->inputs + (size_t)i];
    return row < 0 ? NULL : (const real *)a->input + (size_t)row * a->line.n * a->lanes;
}

static real *output_of(const struct starfish_shifted_sums *a, size_t group, int o)
{
    const int row = a->output_row[group * (size_t)a->outputs + (size_t)o];
    return row < 0 ? NULL : (real *)a->output + (size_t)row * a->line.n * a->lanes;
}

static real lane_shift(const struct starfish_shifted_sums *a, size_t lane)
{
    return (real)a->shift + (a->shift_lane ? ((const real *)a->shift_lane)[lane] : 0);
}

static size_t lanes_end(const struct starfish_shifted_sums *a)
{
    return starfish_tridiag_lanes_end(a->lanes, a->first_lane, a->lane_count);
}

/* ---- Rows of a block ----------------------------------------------------------------------------------------------- */

/* A row of solutions, once the rows below it are known. */
STARFISH_TRIDIAG_INLINE const real *solution_row(const struct line_block *block, size_t width, size_t k)
{
    if (k + 1 == block->n)
        return block->last;
    line_block_substitute(block, width, k, k + 2 == block->n ? block->last : block->d + (k + 1) * block->pitch);
    return block->d + k * block->pitch;
}

/* The last row is not eliminated, but solved; `pinned` is the slot that is then set to zero, or -1. */
STARFISH_TRIDIAG_INLINE void take_row(const struct line_block *block, size_t width, size_t k, const real *rhs,
                                      ptrdiff_t pinned)
{
    if (k + 1 < block->n) {
        line_block_eliminate(block, width, k, rhs);
        return;
    }
    line_block_last(block, width, rhs);
    if (pinned >= 0)
        block->last[pinned] = 0;
}

/* Kernels are made for one, three and all inputs; others are padded with weights of zero. */
static size_t padded_inputs(size_t inputs)
{
    return inputs <= 1 ? 1 : inputs <= 3 ? 3 : (size_t)INPUTS;
}

/* ---- Roots side by side ------------------------------------------------------------------------------------------- */

/* Slots first .. first + count - 1 of a block have roots of one group: its first if it begins there, its last if it ends. */
struct run {
    size_t group, first, count;
    int begins, ends;
};

/* The vectors of a run that are there, in one lane, and their weights in every slot, zero in those of others. */
struct run_vectors {
    size_t inputs, outputs;
    const real *in[INPUTS];
    real *out[OUTPUTS];
    real in_weight[INPUTS][ROOTS], out_weight[OUTPUTS][ROOTS];
};

static void find_vectors(const struct starfish_shifted_sums *a, const struct run *run, size_t root, size_t lane,
                         struct run_vectors *v)
{
    const real *in_weight = (const real *)a->input_weight + root * (size_t)a->inputs;
    const real *out_weight = (const real *)a->output_weight + root * (size_t)a->outputs;
    memset(v, 0, sizeof *v);
    for (int i = 0; i < a->inputs; i++) {
        const real *in = input_of(a, run->group, i);
        if (!in)
            continue;
        for (size_t s = 0; s < run->count; s++)
            v->in_weight[v->inputs][run->first + s] = in_weight[s * (size_t)a->inputs + (size_t)i];
        v->in[v->inputs++] = in + lane;
    }
    for (int o = 0; o < a->outputs; o++) {
        real *out = output_of(a, run->group, o);
        if (!out)
            continue;
        for (size_t s = 0; s < run->count; s++)
            v->out_weight[v->outputs][run->first + s] = out_weight[s * (size_t)a->outputs + (size_t)o];
        v->out[v->outputs++] = out + lane;
    }
    for (size_t i = v->inputs; i < INPUTS; i++) /* have weight zero */
        v->in[i] = v->inputs > 0 ? v->in[0] : a->input;
}

/* One row of right-hand sides: the weights of a slot, times what is the same for all slots. */
STARFISH_TRIDIAG_INLINE void combine_roots(real *restrict x, const struct run_vectors *v, size_t at, size_t first,
                                           size_t slots, size_t inputs)
{
    real value[INPUTS];
    for (size_t i = 0; i < inputs; i++)
        value[i] = v->in[i][at];
#pragma omp simd
    for (size_t s = 0; s < slots; s++) {
        real sum = v->in_weight[0][first + s] * value[0];
        for (size_t i = 1; i < inputs; i++)
            sum += v->in_weight[i][first + s] * value[i];
        x[s] = sum;
    }
}

/* Weighted solutions of a row, into sums of their own for every slot: added across slots only when the group ends. */
STARFISH_TRIDIAG_INLINE void add_slots(const real *restrict z, const real *restrict weight, int begins,
                                       real *restrict sum)
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

/* In pairs, the same on every instruction set. */
STARFISH_TRIDIAG_INLINE void finish_sums(size_t n, size_t lanes, real *sum, real *restrict out)
{
    for (size_t k = 0; k < n; k++, sum += ROOTS) {
        for (size_t half = ROOTS / 2; half > 0; half /= 2)
            for (size_t s = 0; s < half; s++)
                sum[s] += sum[s + half];
        out[k * lanes] = sum[0];
    }
}

/* Of slots all in one group: a row's right-hand sides, elimination, sums while it is at hand. */
STARFISH_TRIDIAG_INLINE void sum_one_run(const struct starfish_shifted_sums *a, const struct line_block *block,
                                         const struct run *run, const struct run_vectors *v, size_t inputs,
                                         real *sums, ptrdiff_t pinned)
{
    for (size_t k = 0; k < block->n; k++) {
        combine_roots(block->x, v, k * a->lanes, 0, ROOTS, inputs);
        take_row(block, ROOTS, k, block->x, pinned);
    }
    for (size_t k = block->n; k-- > 0;) {
        const real *z = solution_row(block, ROOTS, k);
        for (size_t o = 0; o < v->outputs; o++)
            add_slots(z, v->out_weight[o], run->begins, sums + (o * block->n + k) * ROOTS);
    }
}

STARFISH_TRIDIAG_INLINE void fill_run(const struct starfish_shifted_sums *a, const struct line_block *block,
                                      const struct run *run, const struct run_vectors *v, size_t slots, size_t inputs)
{
    for (size_t k = 0; k < block->n; k++)
        combine_roots(block->x + k * block->pitch + run->first, v, k * a->lanes, run->first, slots, inputs);
}

/* A run that is all of its group has no sums but here. */
STARFISH_TRIDIAG_INLINE void drain_whole_run(const struct starfish_shifted_sums *a, const struct line_block *block,
                                             const struct run *run, const struct run_vectors *v)
{
    for (size_t o = 0; o < v->outputs; o++)
        for (size_t k = 0; k < block->n; k++) {
            const real *z = (k + 1 < block->n ? block->d + k * block->pitch : block->last) + run->first;
            real sum = 0;
            for (size_t s = 0; s < run->count; s++)
                sum += v->out_weight[o][run->first + s] * z[s];
            v->out[o][k * a->lanes] = sum;
        }
}

STARFISH_TRIDIAG_INLINE void drain_run(const struct line_block *block, const struct run *run,
                                       const struct run_vectors *v, real *sums)
{
    for (size_t o = 0; o < v->outputs; o++)
        for (size_t k = 0; k < block->n; k++)
            add_slots(k + 1 < block->n ? block->d + k * block->pitch : block->last, v->out_weight[o], run->begins,
                      sums + (o * block->n + k) * ROOTS);
}

STARFISH_TRIDIAG_CLONES
static void sum_single(const struct starfish_shifted_sums *a, const struct line_block *block, const struct run *run,
                       size_t root, size_t lane, real *sums, ptrdiff_t pinned)
{
    struct run_vectors v;
    find_vectors(a, run, root, lane, &v);
    line_block_begin(block, ROOTS);
    if (padded_inputs(v.inputs) == 1)
        sum_one_run(a, block, run, &v, 1, sums, pinned);
    else if (padded_inputs(v.inputs) == 3)
        sum_one_run(a, block, run, &v, 3, sums, pinned);
    else
        sum_one_run(a, block, run, &v, INPUTS, sums, pinned);
    for (size_t o = 0; o < v.outputs && run->ends; o++)
        finish_sums(block->n, a->lanes, sums + o * block->n * ROOTS, v.out[o]);
}

STARFISH_TRIDIAG_INLINE void fill_run_of(const struct starfish_shifted_sums *a, const struct line_block *block,
                                         const struct run *run, const struct run_vectors *v, size_t slots)
{
    if (padded_inputs(v->inputs) == 1)
        fill_run(a, block, run, v, slots, 1);
    else if (padded_inputs(v->inputs) == 3)
        fill_run(a, block, run, v, slots, 3);
    else
        fill_run(a, block, run, v, slots, INPUTS);
}

STARFISH_TRIDIAG_CLONES
static void sum_several(const struct starfish_shifted_sums *a, const struct line_block *block, const struct run *run,
                        size_t runs, size_t root, size_t lane, real *sums, ptrdiff_t pinned)
{
    struct run_vectors v[ROOTS];
    for (size_t r = 0; r < runs; r++) {
        find_vectors(a, &run[r], root + run[r].first, lane, &v[r]);
        if (run[r].count == 1)
            fill_run_of(a, block, &run[r], &v[r], 1);
        else
            fill_run_of(a, block, &run[r], &v[r], run[r].count);
    }
    line_block_begin(block, ROOTS);
    for (size_t k = 0; k < block->n; k++)
        take_row(block, ROOTS, k, block->x + k * block->pitch, pinned);
    for (size_t k = block->n; k-- > 0;)
        solution_row(block, ROOTS, k);
    for (size_t r = 0; r < runs; r++) {
        if (run[r].begins && run[r].ends) {
            drain_whole_run(a, block, &run[r], &v[r]);
            continue;
        }
        drain_run(block, &run[r], &v[r], sums);
        for (size_t o = 0; o < v[r].outputs && run[r].ends; o++)
            finish_sums(block->n, a->lanes, sums + o * block->n * ROOTS, v[r].out[o]);
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
        run[runs] = (struct run){*group, s, count, root + s == (size_t)a->first_root[*group], count == left};
        *group += count == left;
        s += count;
    }
    return runs;
}

/* The last slots may have no roots: they solve with the first, whatever is on their right. */
static void set_shifts(const struct starfish_shifted_sums *a, const struct line_block *block, size_t root, size_t width,
                       size_t lane)
{
    for (size_t s = 0; s < ROOTS; s++)
        block->shift[s] = lane_shift(a, lane) + ((const real *)a->mu)[root + (s < width ? s : 0)];
    for (size_t k = 0; k < block->n && width < ROOTS; k++)
        memset(block->x + k * block->pitch, 0, ROOTS * sizeof(real));
}

static void sum_lane(const struct starfish_shifted_sums *a, const struct line_block *block, size_t lane, real *sums)
{
    const size_t end = (size_t)a->first_root[a->groups];
    struct run run[ROOTS];
    size_t group = 0;
    for (size_t root = (size_t)a->first_root[0], width; root < end; root += width) {
        width = starfish_tridiag_smaller(ROOTS, end - root);
        const size_t runs = find_runs(a, root, width, &group, run);
        const ptrdiff_t pinned = lane == 0 && a->pinned_root >= (int)root && a->pinned_root < (int)(root + width)
                                     ? a->pinned_root - (ptrdiff_t)root
                                     : -1;
        set_shifts(a, block, root, width, lane);
        if (runs == 1)
            sum_single(a, block, run, root, lane, sums, pinned);
        else
            sum_several(a, block, run, runs, root, lane, sums, pinned);
    }
}

static void sums_of_few_lanes(const struct starfish_shifted_sums *a)
{
    const struct line_block block = line_block_create(&a->line, ROOTS, 1, a->workspace);
    for (size_t lane = a->first_lane; lane < lanes_end(a); lane++)
        sum_lane(a, &block, lane, line_block_end(&block));
}

/* ---- Lanes side by side -------------------------------------------------------------------------------------------- */

/* A group's vectors on some neighbouring lanes, copied side by side: rows of `lines` cache lines, zeros beyond the last
 * lane. Distances of a power of two between rows would make them share a few places in the caches. */
struct packed {
    size_t lines, first_lane, lanes;
    size_t inputs, outputs;
    const real *from[INPUTS];
    real *to[OUTPUTS];
    int input[INPUTS], output[OUTPUTS]; /* their numbers in the group */
    real *in[INPUTS], *out[OUTPUTS];
};

/* What `roots` roots need at a time. */
struct lane_weights {
    real in[LINES][INPUTS], out[LINES][OUTPUTS];
};

static void find_packed(const struct starfish_shifted_sums *a, size_t group, real *memory, struct packed *p)
{
    const size_t vector = a->line.n * LINES * LINE;
    p->inputs = p->outputs = 0;
    for (int i = 0; i < a->inputs; i++) {
        const real *from = input_of(a, group, i);
        if (!from)
            continue;
        p->input[p->inputs] = i;
        p->from[p->inputs++] = from;
    }
    for (int o = 0; o < a->outputs; o++) {
        real *to = output_of(a, group, o);
        if (!to)
            continue;
        p->output[p->outputs] = o;
        p->to[p->outputs++] = to;
    }
    for (size_t i = 0; i < INPUTS; i++)
        p->in[i] = memory + (i < p->inputs ? i : 0) * vector;
    for (size_t o = 0; o < OUTPUTS; o++)
        p->out[o] = memory + (INPUTS + o) * vector;
}

static void pack(const struct starfish_shifted_sums *a, const struct packed *p)
{
    const size_t width = p->lines * LINE;
    for (size_t i = 0; i < p->inputs; i++)
        for (size_t k = 0; k < a->line.n; k++) {
            real *to = p->in[i] + k * width;
            line_copy_row(to, p->from[i] + k * a->lanes + p->first_lane, p->lanes);
            memset(to + p->lanes, 0, (width - p->lanes) * sizeof(real));
        }
    if (p->inputs == 0)
        memset(p->in[0], 0, a->line.n * width * sizeof(real));
}

static void unpack(const struct starfish_shifted_sums *a, const struct packed *p)
{
    for (size_t o = 0; o < p->outputs; o++)
        for (size_t k = 0; k < a->line.n; k++)
            line_copy_row(p->to[o] + k * a->lanes + p->first_lane, p->out[o] + k * p->lines * LINE, p->lanes);
}

/* One row of right-hand sides, roots one after the other. */
STARFISH_TRIDIAG_INLINE void combine_lanes(const struct packed *p, const struct lane_weights *w, size_t k, size_t roots,
                                           size_t lines, size_t inputs, real *restrict rhs)
{
    for (size_t q = 0; q < roots; q++) {
#pragma omp simd
        for (size_t l = 0; l < lines * LINE; l++) {
            real sum = w->in[q][0] * p->in[0][k * lines * LINE + l];
            for (size_t i = 1; i < inputs; i++)
                sum += w->in[q][i] * p->in[i][k * lines * LINE + l];
            rhs[q * lines * LINE + l] = sum;
        }
    }
}

STARFISH_TRIDIAG_INLINE void add_lanes(const struct packed *p, const struct lane_weights *w, size_t k, size_t roots,
                                       size_t lines, int begins, const real *restrict z)
{
    for (size_t o = 0; o < p->outputs; o++) {
        real *restrict out = p->out[o] + k * lines * LINE;
#pragma omp simd
        for (size_t l = 0; l < lines * LINE; l++) {
            real sum = w->out[0][o] * z[l];
            for (size_t q = 1; q < roots; q++)
                sum += w->out[q][o] * z[q * lines * LINE + l];
            out[l] = begins ? sum : out[l] + sum;
        }
    }
}

STARFISH_TRIDIAG_INLINE void sum_rows(const struct line_block *block, const struct packed *p,
                                      const struct lane_weights *w, size_t roots, size_t lines, size_t inputs,
                                      int begins, ptrdiff_t pinned)
{
    const size_t width = roots * lines * LINE;
    line_block_begin(block, width);
    for (size_t k = 0; k < block->n; k++) {
        combine_lanes(p, w, k, roots, lines, inputs, block->keep);
        take_row(block, width, k, block->keep, pinned);
    }
    for (size_t k = block->n; k-- > 0;)
        add_lanes(p, w, k, roots, lines, begins, solution_row(block, width, k));
}

STARFISH_TRIDIAG_INLINE void sum_rows_of(const struct line_block *block, const struct packed *p,
                                         const struct lane_weights *w, size_t roots, size_t lines, int begins,
                                         ptrdiff_t pinned)
{
    if (padded_inputs(p->inputs) == 1)
        sum_rows(block, p, w, roots, lines, 1, begins, pinned);
    else if (padded_inputs(p->inputs) == 3)
        sum_rows(block, p, w, roots, lines, 3, begins, pinned);
    else
        sum_rows(block, p, w, roots, lines, INPUTS, begins, pinned);
}

/* Most groups have many roots, and those of whole trees one or three more than a multiple of four. */
STARFISH_TRIDIAG_CLONES
static void sum_packed(const struct line_block *block, const struct packed *p, const struct lane_weights *w,
                       size_t roots, int begins, ptrdiff_t pinned)
{
    if (roots == LINES && p->lines == 1)
        sum_rows_of(block, p, w, LINES, 1, begins, pinned);
    else if (roots == 3 && p->lines == 1)
        sum_rows_of(block, p, w, 3, 1, begins, pinned);
    else if (roots == 1 && p->lines == LINES)
        sum_rows_of(block, p, w, 1, LINES, begins, pinned);
    else
        sum_rows_of(block, p, w, roots, p->lines, begins, pinned);
}

/* Weights and shifts of roots root .. root + roots - 1; lanes beyond the last have the shift of the first. */
static void set_roots(const struct starfish_shifted_sums *a, const struct line_block *block, const struct packed *p,
                      size_t root, size_t roots, struct lane_weights *w)
{
    const size_t width = p->lines * LINE;
    memset(w, 0, sizeof *w);
    for (size_t q = 0; q < roots; q++) {
        const real *in = (const real *)a->input_weight + (root + q) * (size_t)a->inputs;
        const real *out = (const real *)a->output_weight + (root + q) * (size_t)a->outputs;
        for (size_t i = 0; i < p->inputs; i++)
            w->in[q][i] = in[p->input[i]];
        for (size_t o = 0; o < p->outputs; o++)
            w->out[q][o] = out[p->output[o]];
        for (size_t l = 0; l < width; l++)
            block->shift[q * width + l] =
                lane_shift(a, p->first_lane + (l < p->lanes ? l : 0)) + ((const real *)a->mu)[root + q];
    }
}

static void sum_group(const struct starfish_shifted_sums *a, const struct line_block *block, const struct packed *p,
                      size_t group)
{
    const size_t first = (size_t)a->first_root[group], end = (size_t)a->first_root[group + 1];
    struct lane_weights weights;
    for (size_t root = first, roots; root < end; root += roots) {
        roots = starfish_tridiag_smaller(LINES / p->lines, end - root);
        const ptrdiff_t after = a->pinned_root - (ptrdiff_t)root;
        const ptrdiff_t pinned = p->first_lane == 0 && a->pinned_root >= (int)root && after < (ptrdiff_t)roots
                                     ? after * (ptrdiff_t)(p->lines * LINE)
                                     : -1;
        set_roots(a, block, p, root, roots, &weights);
        sum_packed(block, p, &weights, roots, root == first, pinned);
    }
}

/* So many cache lines of lanes are taken at a time that with as many roots as there are they fill a block. */
static size_t lines_of_group(const struct starfish_shifted_sums *a, size_t group)
{
    const size_t roots = (size_t)(a->first_root[group + 1] - a->first_root[group]);
    return roots == 1 ? LINES : roots == 2 ? LINES / 2 : 1;
}

static void sums_of_many_lanes(const struct starfish_shifted_sums *a)
{
    const struct line_block block = line_block_create(&a->line, LINES * LINE, 0, a->workspace);
    for (size_t g = 0; g < a->groups; g++) {
        struct packed packed;
        find_packed(a, g, line_block_end(&block), &packed);
        for (size_t lane = a->first_lane; lane < lanes_end(a); lane += packed.lanes) {
            const size_t left = (lanes_end(a) - lane + LINE - 1) / LINE;
            packed.lines = starfish_tridiag_smaller(lines_of_group(a, g), left);
            packed.first_lane = lane;
            packed.lanes = starfish_tridiag_smaller(packed.lines * LINE, lanes_end(a) - lane);
            pack(a, &packed);
            sum_group(a, &block, &packed, g);
            unpack(a, &packed);
        }
    }
}

void REAL_NAME(starfish_shifted_sums_cpu)(const struct starfish_shifted_sums *arguments)
{
    if (arguments->lanes < STARFISH_TRIDIAG_FEW_LANES)
        sums_of_few_lanes(arguments);
    else
        sums_of_many_lanes(arguments);
}

void REAL_NAME(starfish_shifted_sums_add_cpu)(size_t count, const void *in, void *out)
{
    const real *restrict from = in;
    real *restrict to = out;
#pragma omp simd
    for (size_t i = 0; i < count; i++)
        to[i] += from[i];
}
