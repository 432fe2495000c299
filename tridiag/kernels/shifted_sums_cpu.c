/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Weighted sums of shifted solves, on the CPU.
 *
 * Bound by arithmetic, where a group has more than a few roots: per unknown and root one division and about ten other
 * operations, and one for every input and output. A recurrence waits for its divisions, so four vectors' worth of
 * unknowns are worked on side by side, which hides that: where lanes are few, neighbouring roots of one lane, else up
 * to four roots of some lanes. Rows are combined, eliminated and summed while they are at hand. What groups with few
 * roots take is mostly for moving their inputs and outputs, which are then as many as the solutions. Measured, one core
 * of an AMD EPYC, f64, n = 511, ns per unknown and root, three inputs and two outputs or five and three: one lane, 511
 * roots of one group 0.9 and 1.1; groups of 31 1.4 and 1.9, of 7 1.6 and 1.8, of 3 1.8 and 2.1, of one (one input and
 * two outputs, or three and one) 2.3 and 2.2. 64 lanes, 511 roots 0.8 and 0.9; groups of 31 0.9 and 1.1, of 7 1.4
 * and 1.8, of 3 2.1 and 3. Chains (tridiag_chain_cpu.c) take 1.1 per step, but twice the steps, one after the other.
 * Source: Gallopoulos and Saad 1989 for the sums, line_block.h for the solves. */
#include "tridiag/kernels/sums_block.h"

/* ---- Lanes side by side ------------------------------------------------------------------------------------------ */

/* A group's vectors that are there, and their numbers in the group. */
struct group_vectors {
    size_t inputs, outputs;
    int input[INPUTS], output[OUTPUTS];
    const scalar *in[INPUTS];
    scalar *out[OUTPUTS];
};

/* `lines` cache lines of lanes, the last lanes of which need not be there, in rows `pitch` scalars apart. */
struct lane_block {
    size_t group, lines, first_lane, lanes;
    size_t inputs, outputs, pitch;
    const scalar *in[INPUTS];
    scalar *out[OUTPUTS];
};

struct lane_weights {
    real in[LINES][INPUTS], out[LINES][OUTPUTS];
};

static struct group_vectors vectors_of_group(const struct starfish_shifted_sums *a, size_t group)
{
    struct group_vectors v = {.inputs = 0};
    for (int i = 0; i < a->inputs; i++) {
        const scalar *in = input_of(a, group, i);
        if (!in)
            continue;
        v.input[v.inputs] = i;
        v.in[v.inputs++] = in;
    }
    for (int o = 0; o < a->outputs; o++) {
        scalar *out = output_of(a, group, o);
        if (!out)
            continue;
        v.output[v.outputs] = o;
        v.out[v.outputs++] = out;
    }
    return v;
}

/* One row of right-hand sides, roots one after the other. */
STARFISH_TRIDIAG_INLINE void combine_lanes(const struct lane_block *b, const struct lane_weights *w, size_t k,
                                           size_t roots, size_t lines, size_t inputs, scalar *restrict rhs)
{
#define WEIGHT(i) w->in[q][i]
#define VALUE(i) b->in[i][k * b->pitch + l]
    for (size_t q = 0; q < roots; q++) {
#pragma omp simd
        for (size_t l = 0; l < lines * LINE; l++)
            rhs[q * lines * LINE + l] = WEIGHTED(inputs, WEIGHT, VALUE);
    }
#undef WEIGHT
#undef VALUE
}

STARFISH_TRIDIAG_INLINE void add_lanes(const struct lane_block *b, const struct lane_weights *w, size_t k, size_t roots,
                                       size_t lines, int begins, const scalar *restrict z)
{
    for (size_t o = 0; o < b->outputs; o++) {
        scalar *restrict out = b->out[o] + k * b->pitch;
#pragma omp simd
        for (size_t l = 0; l < lines * LINE; l++) {
            scalar sum = w->out[0][o] * z[l];
            for (size_t q = 1; q < roots; q++)
                sum += w->out[q][o] * z[q * lines * LINE + l];
            out[l] = begins ? sum : out[l] + sum;
        }
    }
}

STARFISH_TRIDIAG_INLINE void sum_rows(const struct line_block *block, const struct lane_block *b,
                                      const struct lane_weights *w, size_t roots, size_t lines, size_t inputs,
                                      int begins, ptrdiff_t pinned)
{
    const size_t width = roots * lines * LINE;
    begin_rows(block, width);
    for (size_t k = 0; k < block->n; k++) {
        combine_lanes(b, w, k, roots, lines, inputs, line_block_row(block));
        take_row(block, width, k, line_block_row(block), pinned);
    }
    for (size_t k = block->n; k-- > 0;)
        add_lanes(b, w, k, roots, lines, begins, solution_row(block, width, k));
}

STARFISH_TRIDIAG_INLINE void sum_rows_of(const struct line_block *block, const struct lane_block *b,
                                         const struct lane_weights *w, size_t roots, size_t lines, int begins,
                                         ptrdiff_t pinned)
{
    const size_t inputs = padded_inputs(b->inputs);
    if (inputs == 1)
        sum_rows(block, b, w, roots, lines, 1, begins, pinned);
    else if (inputs == 3)
        sum_rows(block, b, w, roots, lines, 3, begins, pinned);
    else
        sum_rows(block, b, w, roots, lines, INPUTS, begins, pinned);
}

/* Most groups have many roots, and those of whole trees one or three more than a multiple of four. */
STARFISH_TRIDIAG_CLONES
static void sum_some_roots(const struct line_block *block, const struct lane_block *b, const struct lane_weights *w,
                           size_t roots, int begins, ptrdiff_t pinned)
{
    if (roots == LINES && b->lines == 1)
        sum_rows_of(block, b, w, LINES, 1, begins, pinned);
    else if (roots == 3 && b->lines == 1)
        sum_rows_of(block, b, w, 3, 1, begins, pinned);
    else if (roots == 1 && b->lines == LINES)
        sum_rows_of(block, b, w, 1, LINES, begins, pinned);
    else
        sum_rows_of(block, b, w, roots, b->lines, begins, pinned);
}

/* Weights and shifts of roots root .. root + roots - 1; lanes beyond the last have the shift of the first. */
static void set_roots(const struct starfish_shifted_sums *a, const struct line_block *block, const struct lane_block *b,
                      const struct group_vectors *v, size_t root, size_t roots, struct lane_weights *w)
{
    const size_t width = b->lines * LINE;
    memset(w, 0, sizeof *w);
    for (size_t q = 0; q < roots; q++) {
        const real *in = (const real *)a->input_weight + (root + q) * (size_t)a->inputs;
        const real *out = (const real *)a->output_weight + (root + q) * (size_t)a->outputs;
        for (size_t i = 0; i < v->inputs; i++)
            w->in[q][i] = in[v->input[i]];
        for (size_t o = 0; o < v->outputs; o++)
            w->out[q][o] = out[v->output[o]];
        for (size_t l = 0; l < width; l++)
            set_shift(a, block, q * width + l, b->first_lane + (l < b->lanes ? l : 0), root + q);
    }
}

/* As many roots at a time as fill a block of lines. */
static void sum_lane_block(const struct starfish_shifted_sums *a, const struct line_block *block,
                           const struct lane_block *b, const struct group_vectors *v)
{
    const size_t first = (size_t)a->first_root[b->group], end = (size_t)a->first_root[b->group + 1];
    struct lane_weights weights;
    for (size_t root = first, roots; root < end; root += roots) {
        roots = starfish_tridiag_smaller(LINES / b->lines, end - root);
        const ptrdiff_t after = a->pinned_root - (ptrdiff_t)root;
        const int is_pinned = b->first_lane == 0 && a->pinned_root >= (int)root && after < (ptrdiff_t)roots;
        set_roots(a, block, b, v, root, roots, &weights);
        sum_some_roots(block, b, &weights, roots, root == first, is_pinned ? after * (ptrdiff_t)(b->lines * LINE) : -1);
    }
}

/* Rows that are a power of two apart share a few places in the caches. So vectors that are passed over again and again
 * are copied to `memory`: rows of `lines` cache lines, zeros beyond the last lane, then those of the next lanes. */
STARFISH_TRIDIAG_CLONES
static void pack(const scalar *from, size_t apart, size_t n, size_t lanes, size_t width, scalar *to)
{
    for (size_t k = 0; k < n; k++)
        for (size_t l = 0; l < lanes; l += width) {
            const size_t count = starfish_tridiag_smaller(width, lanes - l);
            line_copy_row(to + n * l + k * width, from + k * apart + l, count);
            if (count < width)
                memset(to + n * l + k * width + count, 0, (width - count) * sizeof(scalar));
        }
}

STARFISH_TRIDIAG_CLONES
static void unpack(const scalar *from, size_t apart, size_t n, size_t lanes, size_t width, scalar *to)
{
    for (size_t k = 0; k < n; k++)
        for (size_t l = 0; l < lanes; l += width)
            line_copy_row(to + k * apart + l, from + n * l + k * width, starfish_tridiag_smaller(width, lanes - l));
}

/* `lanes` lanes from first_lane on, at most LINES cache lines, by way of copies. */
static void sum_packed(const struct starfish_shifted_sums *a, const struct line_block *block, struct lane_block *b,
                       const struct group_vectors *v, size_t first_lane, size_t lanes)
{
    const size_t n = a->line.n, vector = n * LINES * LINE, width = b->lines * LINE;
    scalar *memory = line_block_end(block);
    for (size_t i = 0; i < v->inputs; i++)
        pack(v->in[i] + first_lane, a->lanes, n, lanes, width, memory + i * vector);
    if (v->inputs == 0)
        memset(memory, 0, vector * sizeof(scalar));
    b->pitch = width;
    for (size_t l = 0; l < lanes; l += width) {
        b->first_lane = first_lane + l;
        b->lanes = starfish_tridiag_smaller(width, lanes - l);
        for (size_t i = 0; i < INPUTS; i++)
            b->in[i] = memory + (i < v->inputs ? i : 0) * vector + n * l;
        for (size_t o = 0; o < v->outputs; o++)
            b->out[o] = memory + (INPUTS + o) * vector + n * l;
        sum_lane_block(a, block, b, v);
    }
    for (size_t o = 0; o < v->outputs; o++)
        unpack(memory + (INPUTS + o) * vector, a->lanes, n, lanes, width, v->out[o] + first_lane);
}

/* The same without copies, for a single root. */
static void sum_direct(const struct starfish_shifted_sums *a, const struct line_block *block, struct lane_block *b,
                       const struct group_vectors *v, size_t first_lane)
{
    b->pitch = a->lanes;
    b->first_lane = first_lane;
    b->lanes = LINES * LINE;
    for (size_t i = 0; i < INPUTS; i++)
        b->in[i] = v->in[i < v->inputs ? i : 0] + first_lane;
    for (size_t o = 0; o < v->outputs; o++)
        b->out[o] = v->out[o] + first_lane;
    sum_lane_block(a, block, b, v);
}

static void sum_group(const struct starfish_shifted_sums *a, const struct line_block *block, size_t group)
{
    const size_t roots = (size_t)(a->first_root[group + 1] - a->first_root[group]);
    const struct group_vectors v = vectors_of_group(a, group);
    struct lane_block b = {.group = group,
                           .lines = roots == 1   ? LINES
                                    : roots == 2 ? LINES / 2
                                                 : 1,
                           .inputs = v.inputs,
                           .outputs = v.outputs};
    for (size_t lane = a->first_lane, lanes; lane < lanes_end(a); lane += lanes) {
        lanes = starfish_tridiag_smaller(LINES * LINE, lanes_end(a) - lane);
        if (roots == 1 && lanes == LINES * LINE && v.inputs > 0)
            sum_direct(a, block, &b, &v, lane);
        else
            sum_packed(a, block, &b, &v, lane, lanes);
    }
}

static void sums_of_many_lanes(const struct starfish_shifted_sums *a)
{
    const struct line_block block = line_block_create(&a->line, LINES * LINE, 0, a->workspace);
    for (size_t g = 0; g < a->groups; g++)
        sum_group(a, &block, g);
}

/* Of each kind of numbers. */
void REAL_NAME(starfish_sums_of_roots)(const struct starfish_shifted_sums *arguments);
void REAL_NAME(starfish_sums_of_roots_complex_vectors)(const struct starfish_shifted_sums *arguments);
void REAL_NAME(starfish_sums_of_roots_complex_lines)(const struct starfish_shifted_sums *arguments);

void NUMBER_NAME(starfish_sums_of_roots)(const struct starfish_shifted_sums *arguments)
{
    if (arguments->lanes < STARFISH_TRIDIAG_FEW_LANES)
        NUMBER_NAME(starfish_sums_of_few_lanes)(arguments);
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
