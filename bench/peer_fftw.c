/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Peers on the cores: solvers one would write around FFTW, compiled for f32 and f64.
 *
 * A mode (i, j) of the transforms in x and y leaves one tridiagonal system along z, with the same off-diagonals for all
 * modes and the diagonal shifted by the mode's eigenvalues. */
#include "base/real.h"
#include "bench/clock.h"
#include "bench/peer_axis.h"
#include "bench/peers.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Lines that Thomas solves side by side: their factors stay in a core's cache. */
enum { LANES = 64 };
enum { ALIGNMENT = 64 };

static const starfish_end periodic[2] = {STARFISH_PERIODIC, STARFISH_PERIODIC};

/* What both solvers need: eigenvalues of x and y, and the rows of z. */
struct solver {
    struct peer_axis x, y, z;
    real *shift_x, *shift_y;
    real *lower, *diag, *upper;
    real scale;   /* of the transforms, forward then backward */
    real tiny;    /* a last pivot below this is the singular mode's */
    real *factor; /* work space of Thomas */
    real *line;
    REAL_FFTW(plan) forward[2], backward[2]; /* naive: of x and of y; slab: the first, of planes */
};

static void release(struct solver *s)
{
    for (int i = 0; i < 2; i++) {
        REAL_FFTW(destroy_plan)(s->forward[i]);
        REAL_FFTW(destroy_plan)(s->backward[i]);
    }
    free(s->shift_x);
    free(s->factor);
    REAL_FFTW(free)(s->line);
}

/* Everything but the plans; 0 without memory, and for what these solvers cannot do. */
static int prepare(struct solver *s, const struct peer_problem *p, size_t factors, size_t line)
{
    memset(s, 0, sizeof *s);
    if (p->z[0] == STARFISH_PERIODIC)
        return 0;
    s->x = peer_axis_of(p->n[0], periodic, p->grid);
    s->y = peer_axis_of(p->n[1], p->y, p->grid);
    s->z = peer_axis_of(p->n[2], p->z, p->grid);
    s->shift_x = malloc((p->n[0] + p->n[1] + 3 * p->n[2]) * sizeof(real));
    s->factor = malloc(factors * sizeof(real));
    s->line = REAL_FFTW(malloc)(line * sizeof(real));
    if (!s->shift_x || !s->factor || !s->line)
        return 0;
    s->shift_y = s->shift_x + p->n[0];
    s->lower = s->shift_y + p->n[1];
    s->diag = s->lower + p->n[2];
    s->upper = s->diag + p->n[2];
    for (size_t i = 0; i < p->n[0]; i++)
        s->shift_x[i] = (real)peer_axis_eigenvalue(&s->x, i);
    for (size_t j = 0; j < p->n[1]; j++)
        s->shift_y[j] = (real)peer_axis_eigenvalue(&s->y, j);
    for (size_t k = 0; k < p->n[2]; k++) {
        double row[3];
        peer_axis_row(&s->z, p->z, p->grid, k, row);
        s->lower[k] = (real)row[0];
        s->diag[k] = (real)row[1];
        s->upper[k] = (real)row[2];
    }
    s->scale = (real)(1 / (s->x.scale * s->y.scale));
    s->tiny = (real)(s->z.m * s->z.m * (sizeof(real) == sizeof(float) ? 1e-5 : 1e-12));
    return 1;
}

/* ---- the plain slab method ---- */

/* Thomas on `lanes` neighbouring lines of the row `shift_y`, in place. scratch: 2 * (nz + 1) * LANES, of the calling
 * thread: factors and half-solved lines, so that the field is read once and written once.
 * The singular mode, known up to a constant, has a last pivot of rounding only: its last unknown is set to 0. */
static void solve_lines(const struct solver *s, real *u, size_t stride, const real *shift_x, real shift_y, size_t lanes,
                        real *scratch)
{
    const size_t n = s->z.n;
    real *factor = scratch, *half = scratch + (n + 1) * LANES;
    for (size_t i = 0; i < lanes; i++)
        factor[i] = half[i] = 0;
    for (size_t k = 0; k < n; k++, factor += LANES, half += LANES) {
        const real *row = u + k * stride;
        const real lower = s->lower[k], diag = s->diag[k] + shift_y, upper = s->upper[k], scale = s->scale;
        const real tiny = k + 1 == n ? s->tiny : 0;
#pragma omp simd
        for (size_t i = 0; i < lanes; i++) {
            const real pivot = diag + shift_x[i] - lower * factor[i];
            const real inverse = REAL_FABS(pivot) > tiny ? 1 / pivot : 0;
            factor[LANES + i] = upper * inverse;
            half[LANES + i] = (scale * row[i] - lower * half[i]) * inverse;
        }
    }
    for (size_t k = n; k-- > 0; factor -= LANES, half -= LANES) {
        real *row = u + k * stride;
        const real *below = k + 1 < n ? row + stride : half; /* of the last row: any numbers, its factor is 0 */
#pragma omp simd
        for (size_t i = 0; i < lanes; i++)
            row[i] = half[i] - factor[i] * below[i];
    }
}

/* Share `t` of `shares` of the blocks of lines. */
static void solve_share(const struct solver *s, real *u, size_t t, size_t shares)
{
    const size_t nx = s->x.n, blocks = (nx + LANES - 1) / LANES, all = s->y.n * blocks;
    real *scratch = s->factor + t * 2 * (s->z.n + 1) * LANES;
    for (size_t b = all * t / shares; b < all * (t + 1) / shares; b++) {
        const size_t j = b / blocks, first = b % blocks * LANES, rest = nx - first;
        solve_lines(s, u + first + nx * j, nx * s->y.n, s->shift_x + first, s->shift_y[j], rest < LANES ? rest : LANES,
                    scratch);
    }
}

static void solve_slab(const struct solver *s, const real *f, real *u, int cores)
{
    const size_t nz = s->z.n, plane = s->x.n * s->y.n, shares = (size_t)cores;
    /* FFTW takes a pointer that is not const even where it preserves the input. */
    real *input = (real *)(uintptr_t)f;
#pragma omp parallel for num_threads(cores) schedule(static)
    for (size_t k = 0; k < nz; k++)
        REAL_FFTW(execute_r2r)(s->forward[0], input + k * plane, u + k * plane);
#pragma omp parallel for num_threads(cores) schedule(static)
    for (size_t t = 0; t < shares; t++)
        solve_share(s, u, t, shares);
#pragma omp parallel for num_threads(cores) schedule(static)
    for (size_t k = 0; k < nz; k++)
        REAL_FFTW(execute_r2r)(s->backward[0], u + k * plane, u + k * plane);
}

/* Plans made on a plane of our own serve every plane that is as well aligned. */
static int plan_planes(struct solver *s)
{
    const size_t plane = s->x.n * s->y.n;
    const unsigned flags = FFTW_MEASURE | (plane * sizeof(real) % ALIGNMENT ? FFTW_UNALIGNED : 0);
    const int nx = (int)s->x.n, ny = (int)s->y.n;
    real *other = s->line + (plane * sizeof(real) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT / sizeof(real);
    s->forward[0] =
        REAL_FFTW(plan_r2r_2d)(ny, nx, s->line, other, s->y.forward, s->x.forward, flags | FFTW_PRESERVE_INPUT);
    s->backward[0] = REAL_FFTW(plan_r2r_2d)(ny, nx, s->line, s->line, s->y.backward, s->x.backward, flags);
    return s->forward[0] && s->backward[0];
}

int REAL_NAME(peer_fftw_slab)(const struct peer_problem *problem, const void *f, void *u, int repeat, double *seconds)
{
    struct solver s;
    const int cores = peer_cores();
    const size_t plane = problem->n[0] * problem->n[1];
    int ran =
        prepare(&s, problem, (size_t)cores * 2 * (problem->n[2] + 1) * LANES, 2 * plane + ALIGNMENT) && plan_planes(&s);
    for (int r = -1; r < repeat && ran; r++) { /* once for the threads and the pages */
        const double start = clock_now();
        solve_slab(&s, f, u, cores);
        if (r >= 0)
            seconds[r] = clock_now() - start;
    }
    release(&s);
    return ran;
}

/* ---- one line after the other ---- */

/* Transform all lines of `length` numbers `stride` apart that begin at u, u + step, ... */
static void transform_lines(REAL_FFTW(plan) plan, real *line, real *u, size_t length, size_t stride, size_t lines,
                            size_t step)
{
    for (size_t l = 0; l < lines; l++, u += step) {
        for (size_t i = 0; i < length; i++)
            line[i] = u[i * stride];
        REAL_FFTW(execute)(plan);
        for (size_t i = 0; i < length; i++)
            u[i * stride] = line[i];
    }
}

/* Thomas on one line, in place. */
static void solve_line(const struct solver *s, real *u, size_t stride, real shift)
{
    const size_t n = s->z.n;
    real factor = 0, before = 0;
    for (size_t k = 0; k < n; k++) {
        const real pivot = s->diag[k] + shift - s->lower[k] * factor;
        const int singular = k + 1 == n && REAL_FABS(pivot) <= s->tiny;
        factor = s->factor[k] = singular ? 0 : s->upper[k] / pivot;
        before = u[k * stride] = singular ? 0 : (s->scale * u[k * stride] - s->lower[k] * before) / pivot;
    }
    for (size_t k = n - 1; k-- > 0;)
        u[k * stride] -= s->factor[k] * u[(k + 1) * stride];
}

static void solve_naive(const struct solver *s, const real *f, real *u)
{
    const size_t nx = s->x.n, ny = s->y.n, nz = s->z.n, plane = nx * ny;
    memcpy(u, f, plane * nz * sizeof(real));
    transform_lines(s->forward[0], s->line, u, nx, 1, ny * nz, nx);
    for (size_t k = 0; k < nz; k++)
        transform_lines(s->forward[1], s->line, u + k * plane, ny, nx, nx, 1);
    for (size_t j = 0; j < ny; j++)
        for (size_t i = 0; i < nx; i++)
            solve_line(s, u + i + nx * j, plane, s->shift_x[i] + s->shift_y[j]);
    for (size_t k = 0; k < nz; k++)
        transform_lines(s->backward[1], s->line, u + k * plane, ny, nx, nx, 1);
    transform_lines(s->backward[0], s->line, u, nx, 1, ny * nz, nx);
}

static int plan_lines(struct solver *s)
{
    const struct peer_axis *axes[2] = {&s->x, &s->y};
    for (int i = 0; i < 2; i++) {
        const int n = (int)axes[i]->n;
        s->forward[i] = REAL_FFTW(plan_r2r_1d)(n, s->line, s->line, axes[i]->forward, FFTW_ESTIMATE);
        s->backward[i] = REAL_FFTW(plan_r2r_1d)(n, s->line, s->line, axes[i]->backward, FFTW_ESTIMATE);
    }
    return s->forward[0] && s->forward[1] && s->backward[0] && s->backward[1];
}

int REAL_NAME(peer_fftw_naive)(const struct peer_problem *problem, const void *f, void *u, int repeat, double *seconds)
{
    struct solver s;
    const size_t longest = problem->n[0] > problem->n[1] ? problem->n[0] : problem->n[1];
    int ran = prepare(&s, problem, problem->n[2], longest) && plan_lines(&s);
    for (int r = 0; r < repeat && ran; r++) {
        const double start = clock_now();
        solve_naive(&s, f, u);
        seconds[r] = clock_now() - start;
    }
    release(&s);
    return ran;
}
