/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prolongation of a row on the CPU: two by two coarse rows combined, and what lies between their unknowns; of pairs of
 * cells a copy of one coarse row. Bound by memory: reads u once and writes the result once, 2 words per unknown, while
 * coarse rows come from the cache. */
#include "multigrid/kernels/flux_row.h"

#include <string.h>

/* The coarse unknowns of a fine one. */
struct pair {
    ptrdiff_t index[2];
    real weight[2];
};

/* The index of a coarse unknown -1 .. coarse of those next to the fine ones of the grid itself; `turn` is -1 and 1 for
 * fine ones that are ghosts. */
static ptrdiff_t coarse_index(const struct starfish_flux_transfer *t, ptrdiff_t index, ptrdiff_t turn)
{
    const ptrdiff_t n = (ptrdiff_t)t->coarse;

    if (t->ghosts)
        return index + turn * n;
    if (index < 0)
        return t->periodic ? n - 1 : 0;
    return index < n ? index : t->periodic ? 0 : n - 1;
}

static struct pair pair_of(const struct starfish_flux_transfer *t, ptrdiff_t place)
{
    const size_t i = flux_plane(t->fine, place);
    const ptrdiff_t turn = place < 0 ? -1 : (size_t)place >= t->fine;
    const ptrdiff_t upper = t->fine == t->coarse ? (ptrdiff_t)i : ((ptrdiff_t)i + 1) / 2;

    if (t->fine == t->coarse) {
        const ptrdiff_t same = coarse_index(t, upper, turn);
        return (struct pair){{same, same}, {1, 0}};
    }
    return (struct pair){{coarse_index(t, upper - 1, turn), coarse_index(t, upper, turn)},
                         {((const real *)t->lower)[i], ((const real *)t->upper)[i]}};
}

/* c[I] = the four coarse rows combined. */
STARFISH_ALWAYS_INLINE void combine(const real *const row[4], const real weight[4], size_t count, real *restrict c)
{
    const real *row0 = row[0], *row1 = row[1], *row2 = row[2], *row3 = row[3];
    const real w0 = weight[0], w1 = weight[1], w2 = weight[2], w3 = weight[3];

#pragma omp simd
    for (size_t I = 0; I < count; I++)
        c[I] = (w0 * row0[I] + w1 * row1[I]) + (w2 * row2[I] + w3 * row3[I]);
}

/* out = u + what lies between c[-1], at the lower neighbour of fine unknown 0, and the last. */
STARFISH_ALWAYS_INLINE void expand(const struct starfish_flux_transfer *x, const real *c, const real *u, int zero,
                                   real *out)
{
    const real *lower = x->lower, *upper = x->upper, *before = c - 1;

#pragma omp simd
    for (size_t I = 0; I < x->fine / 2; I++) {
        const real even = lower[2 * I] * before[I] + upper[2 * I] * before[I + 1];
        const real odd = lower[2 * I + 1] * before[I + 1] + upper[2 * I + 1] * before[I + 2];
        out[2 * I] = zero ? even : u[2 * I] + even;
        out[2 * I + 1] = zero ? odd : u[2 * I + 1] + odd;
    }
    if (x->fine % 2 != 0) {
        const size_t i = x->fine - 1;
        const real value = lower[i] * before[i / 2] + upper[i] * before[i / 2 + 1];
        out[i] = zero ? value : u[i] + value;
    }
}

STARFISH_ALWAYS_INLINE void add(const real *c, const real *u, size_t count, real *out)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++)
        out[i] = u[i] + c[i];
}

STARFISH_CLONES
static void prolong(const struct starfish_flux_transfer *x, const real *const row[4], const real weight[4],
                    const real *u, real *c, real *out)
{
    combine(row, weight, x->coarse, c);
    if (x->fine == x->coarse) {
        if (u)
            add(c, u, x->fine, out);
        else
            memcpy(out, c, x->fine * sizeof(real));
        return;
    }
    c[-1] = x->periodic ? c[x->coarse - 1] : 0;
    c[x->coarse] = x->periodic ? c[0] : 0;
    if (u)
        expand(x, c, u, 0, out);
    else
        expand(x, c, u, 1, out);
}

/* out = u + the coarse unknown of each pair; u == NULL is zero. */
STARFISH_CLONES
static void spread(const real *c, const real *u, size_t fine, real *out)
{
    const size_t pairs = fine / 2;

    if (u) {
#pragma omp simd
        for (size_t I = 0; I < pairs; I++) {
            out[2 * I] = u[2 * I] + c[I];
            out[2 * I + 1] = u[2 * I + 1] + c[I];
        }
    } else {
#pragma omp simd
        for (size_t I = 0; I < pairs; I++)
            out[2 * I] = out[2 * I + 1] = c[I];
    }
    if (fine % 2 != 0)
        out[fine - 1] = u ? u[fine - 1] + c[pairs] : c[pairs];
}

/* Is every direction that becomes coarser made of pairs, and the row one of the grid itself? Then one coarse row is all
 * of it. */
static int is_of_pairs(const struct starfish_flux_transfer *t, ptrdiff_t k)
{
    for (int d = 0; d < 3; d++)
        if (!t[d].pairs && t[d].fine != t[d].coarse)
            return 0;
    return t[0].fine != t[0].coarse && k >= 0 && (size_t)k < t[2].fine;
}

static size_t pair_at(const struct starfish_flux_transfer *t, size_t fine)
{
    return t->fine == t->coarse ? fine : fine / 2;
}

void REAL_NAME(starfish_flux_row_prolong)(const struct starfish_flux_transfer *transfer, const void *coarse,
                                          const real *u, size_t j, ptrdiff_t k, real *combined, real *out)
{
    if (is_of_pairs(transfer, k)) {
        const size_t at = pair_at(&transfer[1], j) + transfer[1].coarse * pair_at(&transfer[2], (size_t)k);
        spread((const real *)coarse + transfer[0].coarse * at, u, transfer[0].fine, out);
        return;
    }
    const struct pair y = pair_of(&transfer[1], (ptrdiff_t)j), z = pair_of(&transfer[2], k);
    const ptrdiff_t nx = (ptrdiff_t)transfer[0].coarse, ny = (ptrdiff_t)transfer[1].coarse;
    const real *row[4];
    real weight[4];

    for (int r = 0; r < 4; r++) {
        row[r] = (const real *)coarse + nx * (y.index[r % 2] + ny * z.index[r / 2]);
        weight[r] = y.weight[r % 2] * z.weight[r / 2];
    }
    prolong(&transfer[0], row, weight, u, combined, out);
}
