/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Peer: FFTW's all-periodic spectral solve on all cores, as its manual would have it: a threaded plan of the real
 * transform in 3D, out of place forward and back, and a division between the two that the same threads share. Arrays
 * are in large pages, first touched by the threads that work on them. Plans are measured, for some seconds at
 * most; where a plan that is not measured turns out to be faster, as when that time was too short, it is the peer.
 * Compiled for f32 and f64. Bound by memory: each transform passes over the field at least twice. */
#include "base/pages.h"
#include "base/real.h"
#include "bench/clock.h"
#include "bench/peers.h"

#include <fftw3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef STARFISH_FFTW_THREADS

enum { SECONDS_TO_PLAN = 4 }; /* each; FFTW_MEASURE alone may take minutes */

struct solver {
    size_t n[3], half;
    REAL_FFTW(complex) * modes;
    real *values, *eigenvalue[3];
    REAL_FFTW(plan) forward, backward;
};

static void release(struct solver *s)
{
    REAL_FFTW(destroy_plan)(s->forward);
    REAL_FFTW(destroy_plan)(s->backward);
    free(s->modes);
    free(s->values);
    for (int axis = 0; axis < 3; axis++)
        free(s->eigenvalue[axis]);
}

static int set_eigenvalues(struct solver *s, int axis)
{
    const size_t n = s->n[axis];
    s->eigenvalue[axis] = calloc(n, sizeof(real));
    for (size_t k = 0; k < n && s->eigenvalue[axis]; k++) {
        const double sine = sin(3.14159265358979323846 * (double)k / (double)n) * (double)n;
        s->eigenvalue[axis][k] = (real)(-4 * sine * sine);
    }
    return s->eigenvalue[axis] != NULL;
}

/* Pages are where their first user is: each thread takes a run of planes. */
static void fill(const struct solver *s, const real *f)
{
    const size_t plane = s->n[0] * s->n[1];
#pragma omp parallel for num_threads(peer_cores()) schedule(static)
    for (size_t k = 0; k < s->n[2]; k++)
        for (size_t i = k * plane; i < (k + 1) * plane; i++)
            s->values[i] = f ? f[i] : (real)(i % 101) - 50;
}

static void clear_modes(const struct solver *s)
{
    const size_t plane = s->half * s->n[1];
#pragma omp parallel for num_threads(peer_cores()) schedule(static)
    for (size_t k = 0; k < s->n[2]; k++)
        memset(s->modes + k * plane, 0, plane * sizeof *s->modes);
}

static int make_plans(struct solver *s, unsigned effort)
{
    const int nx = (int)s->n[0], ny = (int)s->n[1], nz = (int)s->n[2];
    REAL_FFTW(plan_with_nthreads)(peer_cores());
    REAL_FFTW(set_timelimit)(SECONDS_TO_PLAN);
    s->forward = REAL_FFTW(plan_dft_r2c_3d)(nz, ny, nx, s->values, s->modes, effort | FFTW_DESTROY_INPUT);
    s->backward = REAL_FFTW(plan_dft_c2r_3d)(nz, ny, nx, s->modes, s->values, effort | FFTW_DESTROY_INPUT);
    REAL_FFTW(set_timelimit)(FFTW_NO_TIMELIMIT);
    REAL_FFTW(plan_with_nthreads)(1); /* of others in this process */
    return s->forward && s->backward;
}

static int prepare(struct solver *s, const size_t n[3])
{
    *s = (struct solver){.n = {n[0], n[1], n[2]}, .half = n[0] / 2 + 1};
    s->values = starfish_pages_alloc(n[0] * n[1] * n[2] * sizeof *s->values);
    s->modes = starfish_pages_alloc(s->half * n[1] * n[2] * sizeof *s->modes);
    for (int axis = 0; axis < 3; axis++)
        if (!set_eigenvalues(s, axis))
            return 0;
    if (!s->values || !s->modes || !REAL_FFTW(init_threads)())
        return 0;
    fill(s, NULL);
    clear_modes(s);
    return make_plans(s, FFTW_MEASURE);
}

static void divide(const struct solver *s)
{
    const real count = (real)s->n[0] * (real)s->n[1] * (real)s->n[2];
#pragma omp parallel for num_threads(peer_cores()) collapse(2) schedule(static)
    for (size_t k = 0; k < s->n[2]; k++)
        for (size_t j = 0; j < s->n[1]; j++) {
            real *row = (real *)(s->modes + s->half * (j + s->n[1] * k));
            const real others = s->eigenvalue[1][j] + s->eigenvalue[2][k];
            for (size_t i = 0; i < s->half; i++) {
                const real sum = s->eigenvalue[0][i] + others, factor = sum == 0 ? 0 : 1 / (sum * count);
                row[2 * i] *= factor;
                row[2 * i + 1] *= factor;
            }
        }
}

static double time_solve(const struct solver *s, const real *f)
{
    fill(s, f);
    const double start = clock_now();
    REAL_FFTW(execute)(s->forward);
    divide(s);
    REAL_FFTW(execute)(s->backward);
    return clock_now() - start;
}

/* The second of two, with the plans that there are. */
static double try_plans(const struct solver *s)
{
    time_solve(s, NULL);
    return time_solve(s, NULL);
}

static int choose_plans(struct solver *s)
{
    struct solver other = *s;
    if (!make_plans(&other, FFTW_ESTIMATE))
        return 0;
    struct solver *slower = try_plans(s) <= try_plans(&other) ? &other : s;
    REAL_FFTW(destroy_plan)(slower->forward);
    REAL_FFTW(destroy_plan)(slower->backward);
    if (slower == s)
        *s = other;
    return 1;
}

int REAL_NAME(peer_fftw_periodic)(const size_t n[3], const void *f, void *u, int repeat, double *seconds)
{
    struct solver s;
    const int ran = prepare(&s, n) && choose_plans(&s);
    for (int r = 0; r < repeat && ran; r++)
        seconds[r] = time_solve(&s, f);
    if (ran && u)
        memcpy(u, s.values, n[0] * n[1] * n[2] * sizeof(real));
    release(&s);
    return ran;
}

#else

int REAL_NAME(peer_fftw_periodic)(const size_t n[3], const void *f, void *u, int repeat, double *seconds)
{
    (void)n, (void)f, (void)u, (void)repeat, (void)seconds;
    return 0;
}

#endif
