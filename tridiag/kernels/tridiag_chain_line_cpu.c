/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chains of shifted solves on the CPU, of a vector by itself: its chunks run side by side (chunked_line.h).
 *
 * The operator and the vector are put into lanes once, stay there for all steps, and are in the first two levels of
 * cache: 8 numbers of an unknown are read and 4 written in each step. On one Zen 5 core, n = 511: 0.84 ns per unknown
 * and step in f64, 1.0 in f32, where a vector row by row takes 11. */
#include "tridiag/kernels/tridiag_chain_line.h"

#include "tridiag/kernels/blocking.h"
#include "tridiag/kernels/chunked_line.h"

#include <stdint.h>
#include <string.h>

struct arrays {
    real *lower, *diag, *upper, *c, *d, *e, *x; /* rows of all chunks */
};

enum { ARRAYS = sizeof(struct arrays) / sizeof(real *) };

size_t REAL_NAME(starfish_chain_of_a_line_workspace)(size_t n)
{
    const struct chunked_line line = chunked_line_of(n, 0);
    return ARRAYS * line.rows * CHUNKED_LANES * sizeof(real) + STARFISH_TRIDIAG_CACHE_LINE;
}

int REAL_NAME(starfish_chain_of_a_line_pays)(const struct starfish_tridiag_chain *arguments, size_t side_by_side)
{
    /* Of short lines the joints cost as much as the rows, so that as many vectors side by side are as fast. */
    enum { SHORT = 16 * CHUNKED_LANES, AS_FAST = 6 };
    return arguments->method != STARFISH_TRIDIAG_THOMAS && arguments->line.n >= CHUNKED_FEWEST &&
           (arguments->line.n >= SHORT - CHUNKED_LANES || side_by_side < AS_FAST);
}

static struct arrays divide(const struct chunked_line *line, void *workspace)
{
    const size_t reals = line->rows * CHUNKED_LANES;
    const uintptr_t excess = (uintptr_t)workspace % STARFISH_TRIDIAG_CACHE_LINE;
    real *first = (real *)(void *)((char *)workspace + (excess ? STARFISH_TRIDIAG_CACHE_LINE - excess : 0));
    return (struct arrays){first,
                           first + reals,
                           first + 2 * reals,
                           first + 3 * reals,
                           first + 4 * reals,
                           first + 5 * reals,
                           first + 6 * reals};
}

/* Into lanes; rows that a short chunk does not have are `none`. */
static void spread(const struct chunked_line *line, const real *in, real scale, real none, real *out)
{
    for (size_t l = 0; l < CHUNKED_LANES; l++)
        for (size_t k = 0; k < line->rows; k++)
            out[k * CHUNKED_LANES + l] =
                k == 0 && l >= line->longest ? none : scale * in[chunked_line_place(line, l, k)];
}

static void collect(const struct chunked_line *line, const real *in, real *out)
{
    for (size_t l = 0; l < CHUNKED_LANES; l++)
        for (size_t k = l < line->longest ? 0 : 1; k < line->rows; k++)
            out[chunked_line_place(line, l, k)] = in[k * CHUNKED_LANES + l];
}

/* x <- keep x + gain w */
STARFISH_ALWAYS_INLINE void update(real *restrict x, const real *restrict w, real keep, real gain)
{
#pragma omp simd
    for (size_t l = 0; l < CHUNKED_LANES; l++)
        x[l] = keep * x[l] + gain * w[l];
}

static struct chunked_row row_of(const struct arrays *arrays, size_t k, real shift)
{
    const size_t at = k * CHUNKED_LANES;
    return (struct chunked_row){.lower = arrays->lower + at,
                                .diag = arrays->diag + at,
                                .upper = arrays->upper + at,
                                .rhs = arrays->x + at,
                                .shift = shift,
                                .c = arrays->c + at,
                                .d = arrays->d + at,
                                .e = arrays->e + at};
}

STARFISH_CLONES
static void step(const struct chunked_line *line, const struct arrays *arrays, real shift, real keep, real gain)
{
    const size_t last = line->rows - 1;
    const struct chunked_row separators = row_of(arrays, last, shift);
    struct chunked_row row = row_of(arrays, 0, shift);
    struct chunked_state state;
    real w[CHUNKED_LANES], left[CHUNKED_LANES];
    chunked_line_begin(line, separators.upper, &state);
    chunked_line_first(line, &row, &state);
    for (size_t k = 1; k < last; k++) {
        row = row_of(arrays, k, shift);
        chunked_line_eliminate(&row, &state);
    }
    chunked_line_join(line, &separators, &state, w);
    chunked_line_lefts(line, w, left);
    update(arrays->x + last * CHUNKED_LANES, w, keep, gain);
    for (size_t k = last; k-- > 0;) {
        const size_t at = k * CHUNKED_LANES;
        chunked_line_substitute(arrays->c + at, arrays->d + at, arrays->e + at, left, w);
        update(arrays->x + at, w, keep, gain);
    }
}

void REAL_NAME(starfish_chain_of_a_line)(const struct starfish_tridiag_chain *a, size_t first, size_t count)
{
    struct chunked_line line = chunked_line_of(a->line.n, a->line.periodic);
    const struct arrays arrays = divide(&line, a->workspace);
    const real all = (real)a->shift + (a->shift_lane ? *(const real *)a->shift_lane : 0);
    spread(&line, a->line.lower, 1, 0, arrays.lower);
    spread(&line, a->line.diag, 1, 1, arrays.diag);
    spread(&line, a->line.upper, 1, 0, arrays.upper);
    if (!line.periodic)
        arrays.lower[0] = 0;
    for (size_t v = first; v < first + count; v++) {
        const real *in = (const real *)a->input + (size_t)a->input_row[v] * line.n;
        spread(&line, in, a->scale ? ((const real *)a->scale)[v] : 1, 0, arrays.x);
        for (int q = a->first_step[v]; q < a->first_step[v] + a->steps[v]; q++) {
            line.pinned = q == a->pinned_step;
            step(&line, &arrays, all + ((const real *)a->mu)[q], ((const real *)a->keep)[q],
                 ((const real *)a->gain)[q]);
        }
        collect(&line, arrays.x, (real *)a->output + v * line.n);
    }
}
