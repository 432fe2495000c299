/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The systems of the slabs' separators, on the CPU: every array is read once, and rhs is read and written twice.
 *
 * A row of the system is a slab. Blocks of lanes are eliminated side by side, as line_block.h does it, where all lanes
 * have the same coefficients but for a shift; here every lane has its own. The last separator is kept apart: for
 * s < slabs - 1
 *     v(s) + c(s) v(s+1) + e(s) v(last) = d(s),   e only for periodic lines,
 * with d in place of rhs. Of row sums `diag` is what a row sums to, and g(s) = 1 + c(s) + e(s) comes without a
 * subtraction. */
#include "tridiag/kernels/line_block.h"
#include "tridiag/kernels/slab_lines.h"

enum { WIDEST = STARFISH_TRIDIAG_REDUCED_LANES };

/* A block of lanes, from `lane` on. c and e have a row of `width` per slab. */
struct reduction {
    const struct starfish_slab_reduced *of;
    size_t lane, width;
    real *c, *e;
    real g[WIDEST];                                               /* of the row above */
    real lower[WIDEST], diag[WIDEST], upper[WIDEST], rhs[WIDEST]; /* the row being eliminated */
    real corner[WIDEST], last_diag[WIDEST], last_rhs[WIDEST]; /* the last row so far, and its entry in this column */
    real last[WIDEST];                                        /* its unknown */
};

static inline const real *lanes_of(const struct reduction *r, const void *array)
{
    return (const real *)array + r->lane;
}

static inline real *separators_of(const struct reduction *r, int s)
{
    return (real *)r->of->rhs[s] + r->lane;
}

/* Row s, with what the slab after says of its head. */
STARFISH_TRIDIAG_INLINE void load_row(struct reduction *r, int s)
{
    const struct starfish_slab_reduced *of = r->of;
    int next = s + 1 < of->slabs ? s + 1 : 0, coupled = s + 1 < of->slabs || of->periodic,
        above = s > 0 || of->periodic;
    const real *restrict lower = lanes_of(r, of->lower[s]), *restrict diag = lanes_of(r, of->diag[s]);
    const real *restrict head = lanes_of(r, of->head[next]), *restrict own = lanes_of(r, of->head_own[next]);
    const real *restrict before = lanes_of(r, of->head_before[next]), *restrict rhs = separators_of(r, s);
    real upper = coupled ? ((const real *)of->upper)[s] : 0;

#pragma omp simd
    for (size_t l = 0; l < r->width; l++) {
        r->lower[l] = above ? lower[l] : 0;
        r->diag[l] = diag[l];
        r->upper[l] = 0;
        r->rhs[l] = rhs[l];
    }
    if (!coupled)
        return;
#pragma omp simd
    for (size_t l = 0; l < r->width; l++) {
        r->diag[l] -= upper * before[l]; /* row sums: of the head's */
        r->upper[l] = -upper * own[l];
        r->rhs[l] -= upper * head[l];
    }
}

STARFISH_TRIDIAG_INLINE void begin(struct reduction *r)
{
    load_row(r, r->of->slabs - 1);
#pragma omp simd
    for (size_t l = 0; l < r->width; l++) {
        r->corner[l] = r->upper[l];
        r->last_diag[l] = r->diag[l];
        r->last_rhs[l] = r->rhs[l];
    }
}

STARFISH_TRIDIAG_INLINE void eliminate(struct reduction *r, int s)
{
    size_t width = r->width, row = (size_t)s * width, above = s > 0 ? row - width : 0;
    real *restrict c = r->c + row, *restrict e = r->e + row, *restrict d = separators_of(r, s);
    const real *restrict c_above = r->c + above, *restrict e_above = r->e + above;
    const real *restrict d_above = separators_of(r, s > 0 ? s - 1 : 0);

    load_row(r, s);
#pragma omp simd
    for (size_t l = 0; l < width; l++) {
        /* Entries in this column and, of periodic lines, in the last one. */
        real border = r->of->periodic ? r->lower[l] * (s > 0 ? -e_above[l] : 1) : 0;
        real sum = r->diag[l] - (s > 0 ? r->lower[l] * r->g[l] : 0);
        real entry = r->of->row_sums ? sum - r->upper[l] - border : r->diag[l] - (s > 0 ? r->lower[l] * c_above[l] : 0);
        real pivot = 1 / entry;
        c[l] = r->upper[l] * pivot;
        d[l] = (r->rhs[l] - (s > 0 ? r->lower[l] * d_above[l] : 0)) * pivot;
        if (r->of->periodic)
            e[l] = border * pivot;
        r->g[l] = sum * pivot;
    }
    if (!r->of->periodic || s + 2 == r->of->slabs)
        return;
#pragma omp simd
    for (size_t l = 0; l < width; l++) {
        r->last_diag[l] -= r->corner[l] * (r->of->row_sums ? r->g[l] : e[l]);
        r->last_rhs[l] -= r->corner[l] * d[l];
        r->corner[l] = -r->corner[l] * c[l];
    }
}

/* The last separator, with slab `above` the last but one. */
STARFISH_TRIDIAG_INLINE void solve_last(struct reduction *r)
{
    int above = r->of->slabs - 2;
    const real *restrict c = r->c + (size_t)(above > 0 ? above : 0) * r->width;
    const real *restrict e = r->e + (size_t)(above > 0 ? above : 0) * r->width;
    const real *restrict d = separators_of(r, above > 0 ? above : 0);

    load_row(r, above + 1);
#pragma omp simd
    for (size_t l = 0; l < r->width; l++) {
        real entry = r->lower[l] + r->corner[l];
        real left = r->of->row_sums ? r->g[l] : c[l] + (r->of->periodic ? e[l] : 0);
        if (above < 0)
            r->last[l] = r->last_rhs[l] / (r->last_diag[l] + (r->of->row_sums ? 0 : entry));
        else
            r->last[l] = (r->last_rhs[l] - entry * d[l]) / (r->last_diag[l] - entry * left);
    }
}

STARFISH_TRIDIAG_INLINE void substitute(struct reduction *r, int s)
{
    const real *restrict c = r->c + (size_t)s * r->width, *restrict e = r->e + (size_t)s * r->width;
    const real *restrict below = separators_of(r, s + 1);
    real *restrict d = separators_of(r, s);

#pragma omp simd
    for (size_t l = 0; l < r->width; l++)
        d[l] -= c[l] * below[l] + (r->of->periodic ? e[l] * r->last[l] : 0);
}

STARFISH_TRIDIAG_CLONES
static void reduce(struct reduction *r)
{
    int last = r->of->slabs - 1;

    begin(r);
    for (int s = 0; s < last; s++)
        eliminate(r, s);
    solve_last(r);
    line_pin(r->of->pinned_lane, r->lane, r->width, r->last);
    line_copy_row(separators_of(r, last), r->last, r->width);
    for (int s = last; s-- > 0;)
        substitute(r, s);
}

void REAL_NAME(starfish_slab_reduced_cpu)(const struct starfish_slab_reduced *arguments)
{
    struct reduction r = {.of = arguments, .c = arguments->workspace};

    for (r.lane = 0; r.lane < arguments->lanes; r.lane += WIDEST) {
        r.width = starfish_tridiag_smaller(WIDEST, arguments->lanes - r.lane);
        r.e = arguments->periodic ? r.c + (size_t)arguments->slabs * r.width : r.c;
        reduce(&r);
    }
}
