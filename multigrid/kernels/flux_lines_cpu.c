/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Smoothing by lines on the CPU: Thomas' algorithm on as many lines side by side as the cache holds.
 *
 * Lines in y and z lie side by side in x: a row of the strip is a piece of a row of the grid, whose entries and
 * residual are computed and eliminated at once. Lines in x are turned, a few rows of the grid at a time. A cyclic line
 * is solved by Sherman and Morrison's formula, as in tridiag/kernels/batch.h: with the diagonal entries at its ends
 * changed, once for the residual and once for the border. */
#include "multigrid/kernels/flux_lines.h"
#include "multigrid/kernels/flux_row.h"

#include <stdint.h>
#include <string.h>

/* Rows of `pitch` reals; those of unknown i of the lines are i * pitch into upper, rhs and border, and i * kept into
 * lower and diag. */
struct strip {
    const struct starfish_flux_lines *a;
    size_t n, width, pitch, kept;
    int cyclic;
    real *lower, *diag, *upper, *rhs, *border;
    real *first_lower, *first_diag, *factor; /* one row each */
    real *zeros, *row[4];                    /* rows of the grid */
};

static struct strip make_strip(const struct starfish_flux_lines *a)
{
    const struct starfish_flux_axis *along = &a->matrix.axis[a->direction];
    const size_t nx = a->matrix.axis[0].n, pitch = starfish_flux_lines_pitch(a, sizeof(real));
    struct strip s = {.a = a, .n = along->n, .pitch = pitch, .kept = a->direction == 0 ? pitch : 0};
    real *next = (real *)(((uintptr_t)a->work + 63) / 64 * 64); // NOLINT(performance-no-int-to-ptr)
    real **const loose[] = {&s.first_lower, &s.first_diag, &s.factor},
                 **const long_rows[] = {&s.upper, &s.rhs, &s.border};

    s.cyclic = along->periodic && along->n > 1;
    for (size_t r = 0; r < sizeof loose / sizeof loose[0]; r++, next += pitch)
        *loose[r] = next;
    for (size_t r = 0; r < sizeof long_rows / sizeof long_rows[0]; r++, next += s.n * pitch)
        *long_rows[r] = next;
    s.lower = next;
    s.diag = next + (s.kept > 0 ? s.n * pitch : pitch);
    s.zeros = s.diag + (s.kept > 0 ? s.n * pitch : pitch);
    for (size_t r = 0; r < 4; r++)
        s.row[r] = s.zeros + (r + 1) * nx;
    memset(s.zeros, 0, nx * sizeof(real));
    return s;
}

/* ---- Elimination ------------------------------------------------------------------------------------------------- */

/* In place: upper becomes upper / pivot, rhs what of it is eliminated. The rows before a line's first one are any: its
 * lower is 0. */
STARFISH_CLONES
static void eliminate(const real *restrict lower, const real *restrict diag, const real *upper_before,
                      const real *rhs_before, size_t width, real *upper, real *rhs)
{
#pragma omp simd
    for (size_t l = 0; l < width; l++) {
        const real scale = 1 / (diag[l] - lower[l] * upper_before[l]);
        upper[l] *= scale;
        rhs[l] = (rhs[l] - lower[l] * rhs_before[l]) * scale;
    }
}

STARFISH_CLONES
static void eliminate_cyclic(const real *restrict lower, const real *restrict diag, const real *upper_before,
                             const real *rhs_before, const real *border_before, size_t width, real *upper, real *rhs,
                             real *border)
{
#pragma omp simd
    for (size_t l = 0; l < width; l++) {
        const real scale = 1 / (diag[l] - lower[l] * upper_before[l]);
        upper[l] *= scale;
        rhs[l] = (rhs[l] - lower[l] * rhs_before[l]) * scale;
        border[l] = (border[l] - lower[l] * border_before[l]) * scale;
    }
}

/* The ends of cyclic lines: what the formula takes from the matrix, and the border's right-hand side. */
STARFISH_CLONES
static void open_first_row(size_t width, real *restrict lower, real *restrict diag, real *restrict border,
                           real *restrict first_lower, real *restrict first_diag)
{
#pragma omp simd
    for (size_t l = 0; l < width; l++) {
        first_lower[l] = lower[l];
        first_diag[l] = diag[l];
        border[l] = -diag[l];
        lower[l] = 0;
        diag[l] *= 2;
    }
}

STARFISH_CLONES
static void open_last_row(size_t width, real *restrict upper, real *restrict diag, real *restrict border,
                          const real *restrict first_lower, const real *restrict first_diag)
{
#pragma omp simd
    for (size_t l = 0; l < width; l++) {
        diag[l] += first_lower[l] * upper[l] / first_diag[l];
        border[l] += upper[l];
        upper[l] = 0;
    }
}

/* Row i of the lines, whose entries are there. */
static void eliminate_row(const struct strip *s, size_t i)
{
    const size_t here = i * s->pitch, before = i > 0 ? here - s->pitch : here, kept = i * s->kept;

    if (!s->cyclic) {
        eliminate(s->lower + kept, s->diag + kept, s->upper + before, s->rhs + before, s->width, s->upper + here,
                  s->rhs + here);
        return;
    }
    memset(s->border + here, 0, s->width * sizeof(real));
    if (i == 0)
        open_first_row(s->width, s->lower + kept, s->diag + kept, s->border, s->first_lower, s->first_diag);
    if (i + 1 == s->n)
        open_last_row(s->width, s->upper + here, s->diag + kept, s->border + here, s->first_lower, s->first_diag);
    eliminate_cyclic(s->lower + kept, s->diag + kept, s->upper + before, s->rhs + before, s->border + before, s->width,
                     s->upper + here, s->rhs + here, s->border + here);
}

/* x = y - factor * border, factor = (v^T y) / (1 + v^T border), v = (1, 0 .. 0, -first_lower / first_diag). */
STARFISH_CLONES
static void find_factors(const struct strip *s)
{
    const real *restrict y = s->rhs, *restrict z = s->border, *restrict lower = s->first_lower,
                         *restrict diag = s->first_diag;
    const real *restrict y_last = y + (s->n - 1) * s->pitch, *restrict z_last = z + (s->n - 1) * s->pitch;
    real *restrict factor = s->factor;

#pragma omp simd
    for (size_t l = 0; l < s->width; l++) {
        const real last = -lower[l] / diag[l];
        factor[l] = (y[l] + last * y_last[l]) / (1 + (z[l] + last * z_last[l]));
    }
}

/* x -= upper * x of the next row, and so on: out -= a * b. */
STARFISH_CLONES
static void subtract(const real *restrict a, const real *restrict b, size_t width, real *restrict out)
{
#pragma omp simd
    for (size_t l = 0; l < width; l++)
        out[l] -= a[l] * b[l];
}

/* The solution comes to stand in rhs. */
static void substitute(const struct strip *s)
{
    for (size_t i = s->n - 1; i-- > 0;) {
        const size_t here = i * s->pitch, next = here + s->pitch;
        subtract(s->upper + here, s->rhs + next, s->width, s->rhs + here);
        if (s->cyclic)
            subtract(s->upper + here, s->border + next, s->width, s->border + here);
    }
    if (!s->cyclic)
        return;
    find_factors(s);
    for (size_t i = 0; i < s->n; i++)
        subtract(s->factor, s->border + i * s->pitch, s->width, s->rhs + i * s->pitch);
}

/* ---- Rows of the grid -------------------------------------------------------------------------------------------- */

static void find_system(const struct strip *s, size_t j, size_t k, size_t x0, size_t count,
                        const struct flux_system *out)
{
    const struct starfish_flux_lines *a = s->a;
    const size_t nx = a->matrix.axis[0].n, start = nx * (j + a->matrix.axis[1].n * k);
    struct flux_row row;
    struct flux_values values = {s->zeros, {s->zeros, s->zeros, s->zeros, s->zeros}};

    REAL_NAME(starfish_flux_row)(&a->matrix, j, (ptrdiff_t)k, &row);
    if (a->u)
        values = REAL_NAME(starfish_flux_values)(&a->matrix, a->u, j, (ptrdiff_t)k);
    REAL_NAME(starfish_flux_row_system)(&row, &values, (const real *)a->f + start, a->direction, x0, count, out);
}

/* v = u + damping * step, at every unknown, or (parity 0, 1) at every other one and v = u between; step moves on by
 * `pitch`. */
STARFISH_CLONES
static void advance(const real *u, const real *restrict step, size_t pitch, real damping, int parity, size_t count,
                    real *v)
{
    if (parity == FLUX_ALL) {
#pragma omp simd
        for (size_t i = 0; i < count; i++)
            v[i] = u[i] + damping * step[i * pitch];
        return;
    }
#pragma omp simd
    for (size_t i = 0; i < count; i++) {
        const real advanced = u[i] + damping * step[i * pitch];
        v[i] = (i & 1) == (size_t)parity ? advanced : u[i];
    }
}

static void advance_row(const struct strip *s, size_t j, size_t k, size_t x0, size_t count, const real *step,
                        size_t pitch, int parity)
{
    const size_t start = x0 + s->a->matrix.axis[0].n * (j + s->a->matrix.axis[1].n * k);
    const real *u = s->a->u ? (const real *)s->a->u + start : s->zeros;

    advance(u, step, pitch, (real)s->a->damping, parity, count, (real *)s->a->v + start);
}

/* ---- Lines in y and z -------------------------------------------------------------------------------------------- */

/* Lines of columns x0 .. x0 + width - 1 in plane or row `other`. */
static void smooth_strip(const struct strip *s, size_t x0, size_t other)
{
    const int in_y = s->a->direction == 1;
    const int parity = s->a->which == STARFISH_FLUX_ALL_LINES
                           ? FLUX_ALL
                           : (int)((x0 + other + (s->a->which == STARFISH_FLUX_ODD_LINES)) % 2);

    for (size_t i = 0; i < s->n; i++) {
        const struct flux_system row = {s->lower, s->diag, s->upper + i * s->pitch, s->rhs + i * s->pitch};
        find_system(s, in_y ? i : other, in_y ? other : i, x0, s->width, &row);
        eliminate_row(s, i);
    }
    substitute(s);
    for (size_t i = 0; i < s->n; i++)
        advance_row(s, in_y ? i : other, in_y ? other : i, x0, s->width, s->rhs + i * s->pitch, 1, parity);
}

static void smooth_strips(const struct starfish_flux_lines *a)
{
    const struct starfish_flux_part *at = &a->at;
    const size_t nx = a->matrix.axis[0].n, widest = starfish_flux_lines_width(a, sizeof(real));
    const size_t first = a->direction == 1 ? at->z0 : at->y0, end = a->direction == 1 ? at->z1 : at->y1;
    struct strip s = make_strip(a);

    for (size_t other = first; other < end; other++)
        for (size_t x = 0; x < nx; x += s.width) {
            s.width = nx - x < widest ? nx - x : widest;
            smooth_strip(&s, x, other);
        }
}

/* ---- Lines in x -------------------------------------------------------------------------------------------------- */

/* Lane `lane` of the strip from rows of the grid. */
static void turn(const struct strip *s, size_t lane)
{
    real *const to[] = {s->lower, s->diag, s->upper, s->rhs};

    for (int array = 0; array < 4; array++)
        for (size_t i = 0; i < s->n; i++)
            to[array][i * s->pitch + lane] = s->row[array][i];
}

/* Rows that wait until a strip is full. */
struct queue {
    size_t count, j[128 / sizeof(real)], k[128 / sizeof(real)];
};

static void smooth_queue(struct strip *s, struct queue *queue)
{
    const struct flux_system row = {s->row[0], s->row[1], s->row[2], s->row[3]};

    s->width = queue->count;
    for (size_t l = 0; l < queue->count; l++) {
        find_system(s, queue->j[l], queue->k[l], 0, s->n, &row);
        turn(s, l);
    }
    for (size_t i = 0; i < s->n; i++)
        eliminate_row(s, i);
    if (queue->count > 0)
        substitute(s);
    for (size_t l = 0; l < queue->count; l++)
        advance_row(s, queue->j[l], queue->k[l], 0, s->n, s->rhs + l, s->pitch, FLUX_ALL);
    queue->count = 0;
}

/* A line of the other colour stays as it is. */
static void keep_row(const struct strip *s, size_t j, size_t k)
{
    const size_t nx = s->n, start = nx * (j + s->a->matrix.axis[1].n * k);
    const real *u = s->a->u ? (const real *)s->a->u + start : s->zeros;

    memmove((real *)s->a->v + start, u, nx * sizeof(real));
}

static void smooth_x(const struct starfish_flux_lines *a)
{
    const struct starfish_flux_part *at = &a->at;
    struct strip s = make_strip(a);
    struct queue queue = {0};

    for (size_t k = at->z0; k < at->z1; k++)
        for (size_t j = at->y0; j < at->y1; j++) {
            if (a->which != STARFISH_FLUX_ALL_LINES && (j + k) % 2 != (a->which == STARFISH_FLUX_ODD_LINES)) {
                keep_row(&s, j, k);
                continue;
            }
            queue.j[queue.count] = j;
            queue.k[queue.count++] = k;
            if (queue.count == sizeof queue.j / sizeof queue.j[0])
                smooth_queue(&s, &queue);
        }
    smooth_queue(&s, &queue);
}

void REAL_NAME(starfish_flux_lines_cpu)(const struct starfish_flux_lines *a)
{
    (a->direction == 0 ? smooth_x : smooth_strips)(a);
}
