/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Batches of planes of a whole field, eliminated and substituted by runs of lanes whose state is in the first-level
 * cache. Bound by the two divisions per unknown where planes are in cache. */
#include "tridiag/kernels/slab_sweep.h"

#include "base/clones.h"
#include "base/past_caches.h"
#include "base/real.h"
#include "tridiag/kernels/slab_shifts.h"

enum { WIDEST = 64, LINE = 64 / (int)sizeof(real) };

/* Some lanes on their way. `multiplier`: upper over pivot of the row before, or, of row sums, its g (slab_lines.h). */
struct run {
    size_t first, width;
    real shift[WIDEST], multiplier[WIDEST], unknown[WIDEST];
    real border[STARFISH_SLAB_BORDERS][WIDEST];
};

/* What the compiler is to know of a kernel. */
struct kind {
    int row_sums, periodic;
};

/* Row k's entries. `coupled`: lower, but of the first row, before which nothing is but the separator. */
struct row {
    real lower, coupled, diag, upper;
};

STARFISH_ALWAYS_INLINE struct row row_of(const struct starfish_slab_sweep *a, struct kind kind, size_t k)
{
    const real lower = ((const real *)a->lines.lower)[k], diag = ((const real *)a->lines.diag)[k];
    const int known_before = k == 0 && kind.row_sums && !kind.periodic;
    return (struct row){lower, k > 0 ? lower : 0, known_before ? diag - lower : diag,
                        ((const real *)a->lines.upper)[k]};
}

/* One row of one lane: its multiplier and the separator's column become those of this row. */
struct pivot {
    real inverse, multiplier; /* upper over pivot, whatever is kept */
};

STARFISH_ALWAYS_INLINE struct pivot eliminate(struct row row, struct kind kind, real shift, real *kept, real *column)
{
    const real sum = row.diag + shift - row.coupled * *kept;
    const real outside = kind.periodic ? row.lower * *column : 0;
    const real inverse = 1 / (kind.row_sums ? sum - row.upper + outside : sum);
    const real multiplier = row.upper * inverse;
    *kept = kind.row_sums ? sum * inverse : multiplier;
    if (kind.periodic)
        *column = -row.lower * *column * inverse;
    return (struct pivot){inverse, multiplier};
}

static void set_run(const struct starfish_slab_sweep *a, size_t first, struct run *run)
{
    const size_t left = a->lines.inner * a->lines.outer - first;
    run->first = first;
    run->width = left < WIDEST ? left : WIDEST;
    slab_shifts_set(&a->lines, first, run->width, a->lines.rows - 1, run->shift);
}

STARFISH_ALWAYS_INLINE void copy(real *restrict to, const real *restrict from, size_t width)
{
#pragma omp simd
    for (size_t l = 0; l < width; l++)
        to[l] = from[l];
}

static void set_row(real *row, real value)
{
    for (size_t l = 0; l < WIDEST; l++)
        row[l] = value;
}

static void fetch(const real *row, size_t width)
{
    for (size_t l = 0; l < width; l += LINE)
        __builtin_prefetch(row + l, 0);
}

/* ---- Up ---------------------------------------------------------------------------------------------------------- */

/* Before the first row. */
static void begin(const struct starfish_slab_sweep *a, struct run *run)
{
    const real *lower = a->lines.lower, *diag = a->lines.diag, *upper = a->lines.upper;
    const size_t last = a->lines.rows - 1;
    const real itself = last == 0 && !a->lines.row_sums ? lower[0] + upper[0] : 0; /* its own neighbour on both sides */
    set_row(run->unknown, 0);
    set_row(run->multiplier, 0);
    set_row(run->border[STARFISH_SLAB_COLUMN], -1);
    set_row(run->border[STARFISH_SLAB_CORNER], upper[last]);
    set_row(run->border[STARFISH_SLAB_LAST], 0);
    for (size_t l = 0; l < run->width; l++)
        run->border[STARFISH_SLAB_LAST_DIAG][l] = diag[last] + itself + run->shift[l];
}

static void load_state(const struct starfish_slab_sweep *a, struct run *run)
{
    const size_t first = run->first;
    copy(run->unknown, (const real *)a->unknown + first, run->width);
    copy(run->multiplier, (const real *)a->multiplier + first, run->width);
    for (int b = 0; b < STARFISH_SLAB_BORDERS && a->periodic; b++)
        copy(run->border[b], (const real *)a->border[b] + first, run->width);
}

static void store_state(const struct starfish_slab_sweep *a, const struct run *run)
{
    const size_t first = run->first;
    copy((real *)a->unknown + first, run->unknown, run->width);
    copy((real *)a->multiplier + first, run->multiplier, run->width);
    for (int b = 0; b < STARFISH_SLAB_BORDERS && a->periodic; b++)
        copy((real *)a->border[b] + first, run->border[b], run->width);
}

/* A row that is not a separator; next_is_last: its entry of the separator's row is joined by that row's lower one. */
STARFISH_ALWAYS_INLINE void eliminate_row(struct row row, struct kind kind, struct run *run, const real *restrict rhs,
                                          size_t width, int next_is_last)
{
    real *column = run->border[STARFISH_SLAB_COLUMN], *corner = run->border[STARFISH_SLAB_CORNER];
    real *last_diag = run->border[STARFISH_SLAB_LAST_DIAG], *last_rhs = run->border[STARFISH_SLAB_LAST];
    if (!kind.periodic || next_is_last) {
#pragma omp simd
        for (size_t l = 0; l < width; l++) {
            const struct pivot pivot = eliminate(row, kind, run->shift[l], &run->multiplier[l], &column[l]);
            run->unknown[l] = pivot.inverse * (rhs[l] - row.coupled * run->unknown[l]);
        }
        return;
    }
#pragma omp simd
    for (size_t l = 0; l < width; l++) {
        const struct pivot pivot = eliminate(row, kind, run->shift[l], &run->multiplier[l], &column[l]);
        run->unknown[l] = pivot.inverse * (rhs[l] - row.coupled * run->unknown[l]);
        last_diag[l] -= corner[l] * (kind.row_sums ? run->multiplier[l] : column[l]);
        last_rhs[l] -= corner[l] * run->unknown[l];
        corner[l] *= -pivot.multiplier;
    }
}

/* The last row of a periodic line. */
STARFISH_ALWAYS_INLINE void solve_separator(const struct starfish_slab_sweep *a, struct kind kind, struct run *run,
                                            const real *restrict rhs, size_t width)
{
    const real lower = ((const real *)a->lines.lower)[a->lines.rows - 1];
    const int coupled = a->lines.rows > 1;
#pragma omp simd
    for (size_t l = 0; l < width; l++) {
        const real entry = coupled ? lower + run->border[STARFISH_SLAB_CORNER][l] : 0;
        const real column = kind.row_sums ? 0 : run->border[STARFISH_SLAB_COLUMN][l];
        const real pivot = run->border[STARFISH_SLAB_LAST_DIAG][l] - entry * (run->multiplier[l] + column);
        run->unknown[l] = (rhs[l] + run->border[STARFISH_SLAB_LAST][l] - entry * run->unknown[l]) / pivot;
    }
}

static void pin(const struct starfish_slab_sweep *a, struct run *run)
{
    if (a->pinned_lane >= 0 && (size_t)a->pinned_lane >= run->first && (size_t)a->pinned_lane - run->first < run->width)
        run->unknown[(size_t)a->pinned_lane - run->first] = 0;
}

STARFISH_ALWAYS_INLINE void eliminate_run(const struct starfish_slab_sweep *a, struct kind kind, struct run *run,
                                          size_t width)
{
    for (size_t r = 0; r < a->rows; r++) {
        const size_t k = a->first + r;
        const real *rhs = (const real *)a->data + r * a->lines.plane + run->first;
        slab_shifts_of_row(&a->lines, run->first, width, k, run->shift);
        if (kind.periodic && k + 1 == a->lines.rows)
            solve_separator(a, kind, run, rhs, width);
        else
            eliminate_row(row_of(a, kind, k), kind, run, rhs, width, k + 2 >= a->lines.rows);
        if (k + 1 == a->lines.rows)
            pin(a, run);
        starfish_store_past_caches((real *)a->eliminated[r] + run->first, run->unknown, width * sizeof(real));
    }
}

STARFISH_CLONES
static void eliminate_lanes(const struct starfish_slab_sweep *a, struct run *run)
{
    const struct kind any = {a->lines.row_sums, a->periodic}, diagonals = {0, 0}, sums = {1, 0};
    const struct kind periodic_diagonals = {0, 1}, periodic_sums = {1, 1};
    if (run->width < WIDEST)
        eliminate_run(a, any, run, run->width);
    else if (a->periodic && a->lines.row_sums)
        eliminate_run(a, periodic_sums, run, WIDEST);
    else if (a->periodic)
        eliminate_run(a, periodic_diagonals, run, WIDEST);
    else if (a->lines.row_sums)
        eliminate_run(a, sums, run, WIDEST);
    else
        eliminate_run(a, diagonals, run, WIDEST);
}

void REAL_NAME(starfish_slab_sweep_up)(const struct starfish_slab_sweep *a)
{
    struct run run;
    for (size_t first = 0; first < a->lines.inner * a->lines.outer; first += WIDEST) {
        set_run(a, first, &run);
        if (a->first > 0)
            load_state(a, &run);
        else
            begin(a, &run);
        copy((real *)a->checkpoint + first, run.multiplier, run.width);
        if (a->periodic)
            copy((real *)a->border_checkpoint + first, run.border[STARFISH_SLAB_COLUMN], run.width);
        eliminate_lanes(a, &run);
        store_state(a, &run);
    }
    starfish_past_caches_done();
}

/* ---- Down -------------------------------------------------------------------------------------------------------- */

/* Runs that are substituted together: memory gives whole pages of a plane faster than parts of them. */
enum { RUNS = 8 };

typedef real rows_of_run[STARFISH_SLAB_SWEEP_ROWS][WIDEST];

/* Upper over pivot of every row of the batch, where the unknowns will be; and the separator's column. The last row has
 * none, and its pivot may be zero. */
STARFISH_ALWAYS_INLINE void eliminate_again(const struct starfish_slab_sweep *a, struct kind kind, struct run *run,
                                            size_t width, rows_of_run column)
{
    for (size_t r = 0; r < a->rows; r++) {
        const struct row row = row_of(a, kind, a->first + r);
        real *restrict of_row = (real *)a->data + r * a->lines.plane + run->first, *restrict kept = column[r];
        if (a->first + r + 1 == a->lines.rows) {
            for (size_t l = 0; l < width; l++)
                of_row[l] = 0;
            set_row(kept, 0);
            return;
        }
        slab_shifts_of_row(&a->lines, run->first, width, a->first + r, run->shift);
#pragma omp simd
        for (size_t l = 0; l < width; l++) {
            of_row[l] = eliminate(row, kind, run->shift[l], &run->multiplier[l], &run->border[STARFISH_SLAB_COLUMN][l])
                            .multiplier;
            if (kind.periodic)
                kept[l] = run->border[STARFISH_SLAB_COLUMN][l];
        }
    }
}

/* Of lines that are not periodic: `lanes` lanes of row r, whose unknowns are in `unknown` up to the row behind. */
STARFISH_CLONES
static void substitute_row(const real *restrict eliminated, real *restrict out, real *restrict unknown, size_t lanes)
{
#pragma omp simd
    for (size_t l = 0; l < lanes; l++) {
        unknown[l] = eliminated[l] - out[l] * unknown[l];
        out[l] = unknown[l];
    }
}

STARFISH_ALWAYS_INLINE void substitute_periodic(const struct starfish_slab_sweep *a, struct kind kind, struct run *run,
                                                size_t width)
{
    rows_of_run column;
    real *restrict separator = run->border[STARFISH_SLAB_LAST];
    eliminate_again(a, kind, run, width, column);
    for (size_t r = a->rows; r-- > 0;) {
        const real *restrict eliminated = (const real *)a->eliminated[r] + run->first;
        real *restrict out = (real *)a->data + r * a->lines.plane + run->first;
        if (kind.periodic && a->first + r + 1 == a->lines.rows)
            copy(separator, eliminated, width);
        fetch(eliminated + WIDEST, width);
#pragma omp simd
        for (size_t l = 0; l < width; l++) {
            const real others = out[l] * run->unknown[l] + (kind.periodic ? column[r][l] * separator[l] : 0);
            run->unknown[l] = eliminated[l] - others;
            out[l] = run->unknown[l];
        }
    }
}

/* Periodic lines, and the multipliers of others. */
STARFISH_CLONES
static void substitute_lanes(const struct starfish_slab_sweep *a, struct run *run)
{
    const struct kind periodic_any = {a->lines.row_sums, 1}, any = {a->lines.row_sums, 0}, diagonals = {0, 0},
                      sums = {1, 0};
    const struct kind periodic_diagonals = {0, 1}, periodic_sums = {1, 1};
    rows_of_run none;
    if (run->width < WIDEST && a->periodic)
        substitute_periodic(a, periodic_any, run, run->width);
    else if (run->width < WIDEST)
        eliminate_again(a, any, run, run->width, none);
    else if (a->periodic && a->lines.row_sums)
        substitute_periodic(a, periodic_sums, run, WIDEST);
    else if (a->periodic)
        substitute_periodic(a, periodic_diagonals, run, WIDEST);
    else if (a->lines.row_sums)
        eliminate_again(a, sums, run, WIDEST, none);
    else
        eliminate_again(a, diagonals, run, WIDEST, none);
}

/* Runs from lane `first` to `end`, whose multipliers stand where the unknowns will. */
static void substitute_runs(const struct starfish_slab_sweep *a, size_t first, size_t end)
{
    real *const unknown = (real *)a->unknown + first;
    const size_t lanes = end - first;
    if (a->first + a->rows >= a->lines.rows)
        for (size_t l = 0; l < lanes; l++)
            unknown[l] = 0;
    for (size_t r = a->rows; r-- > 0;)
        substitute_row((const real *)a->eliminated[r] + first, (real *)a->data + r * a->lines.plane + first, unknown,
                       lanes);
}

/* Eliminated rows come from memory while the multipliers are computed again, which is arithmetic. */
static void fetch_eliminated(const struct starfish_slab_sweep *a, const struct run *run)
{
    enum { SECOND_LEVEL = 2 };
    for (size_t r = a->rows; r-- > 0;)
        for (size_t l = 0; l < run->width; l += LINE)
            __builtin_prefetch((const real *)a->eliminated[r] + run->first + l, 0, SECOND_LEVEL);
}

static void down_of_run(const struct starfish_slab_sweep *a, size_t first)
{
    struct run run;
    set_run(a, first, &run);
    fetch_eliminated(a, &run);
    if (a->periodic && a->first + a->rows < a->lines.rows)
        load_state(a, &run);
    else
        set_row(run.unknown, 0);
    copy(run.multiplier, (const real *)a->checkpoint + first, run.width);
    if (a->periodic)
        copy(run.border[STARFISH_SLAB_COLUMN], (const real *)a->border_checkpoint + first, run.width);
    substitute_lanes(a, &run);
    if (a->periodic)
        store_state(a, &run);
}

void REAL_NAME(starfish_slab_sweep_down)(const struct starfish_slab_sweep *a)
{
    const size_t lanes = a->lines.inner * a->lines.outer;
    for (size_t first = 0; first < lanes; first += RUNS * WIDEST) {
        const size_t end = lanes - first < RUNS * WIDEST ? lanes : first + RUNS * WIDEST;
        for (size_t run = first; run < end; run += WIDEST)
            down_of_run(a, run);
        if (!a->periodic)
            substitute_runs(a, first, end);
    }
}
