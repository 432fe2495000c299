/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bench/peers.h: the FFTW peers solve the problem that starfish solves, for all ends and grids; copies take time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/real.h"
#include "bench/peers.h"
#include "tests/common/check.h"
#include "tests/common/group.h"
#include "tests/common/reals.h"

#include <starfish/starfish.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static starfish_context *context;

typedef int (*peer)(const struct peer_problem *problem, const void *f, void *u, int repeat, double *seconds);
static const struct {
    const char *name;
    peer solve[2];
} peers[] = {{"slab", {peer_fftw_slab_f32, peer_fftw_slab_f64}}, {"naive", {peer_fftw_naive_f32, peer_fftw_naive_f64}}};
enum { PEERS = sizeof peers / sizeof peers[0] };

static const double tolerance[] = {[STARFISH_F32] = 2e-5, [STARFISH_F64] = 1e-12};

/* Low and high end. */
static const starfish_end ends[][2] = {
    {STARFISH_PERIODIC, STARFISH_PERIODIC}, {STARFISH_DIRICHLET, STARFISH_DIRICHLET},
    {STARFISH_NEUMANN, STARFISH_NEUMANN},   {STARFISH_DIRICHLET, STARFISH_NEUMANN},
    {STARFISH_NEUMANN, STARFISH_DIRICHLET},
};
enum { ENDS = sizeof ends / sizeof ends[0] };

/* The second is wider than a block of lines, odd everywhere. */
static const size_t sizes[][3] = {{8, 6, 5}, {67, 3, 9}, {2, 5, 2}, {1, 2, 3}};
enum { SIZES = sizeof sizes / sizeof sizes[0], MOST = 67 * 3 * 9 };

static double get(const void *array, starfish_precision precision, size_t i)
{
    return precision == STARFISH_F32 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

static void set(void *array, starfish_precision precision, size_t i, double value)
{
    if (precision == STARFISH_F32)
        ((float *)array)[i] = (float)value;
    else
        ((double *)array)[i] = value;
}

static size_t count_of(const struct peer_problem *p)
{
    return p->n[0] * p->n[1] * p->n[2];
}

static int is_singular(const struct peer_problem *p)
{
    return p->y[0] != STARFISH_DIRICHLET && p->y[1] != STARFISH_DIRICHLET && p->z[0] == STARFISH_NEUMANN &&
           p->z[1] == STARFISH_NEUMANN;
}

/* Random; without its mean where the problem is singular, so that there is a solution. */
static void make_rhs(const struct peer_problem *p, starfish_precision precision, void *f)
{
    const size_t count = count_of(p);
    double mean = 0;
    for (size_t i = 0; i < count; i++) {
        set(f, precision, i, (double)rand() / RAND_MAX - 0.5);
        mean += get(f, precision, i) / (double)count;
    }
    for (size_t i = 0; i < count && is_singular(p); i++)
        set(f, precision, i, get(f, precision, i) - mean);
}

static void solve_ours(const struct peer_problem *p, starfish_precision precision, const void *f, void *u)
{
    const struct starfish_poisson_problem problem = {
        .axis = {{.n = p->n[0], .length = 1},
                 {.n = p->n[1], .length = 1, .ends = {p->y[0], p->y[1]}, .grid = p->grid},
                 {.n = p->n[2], .length = 1, .ends = {p->z[0], p->z[1]}, .grid = p->grid}},
        .lambda = 0};
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    starfish_plan *plan;
    options.precision = precision;
    ASSERT_OK(starfish_poisson_plan_create(context, &problem, &options, &plan));
    ASSERT_OK(starfish_plan_solve(plan, NULL, f, u, NULL));
    starfish_plan_destroy(plan);
}

/* max |u - v| / max |u|, up to a constant in singular problems. */
static double difference(const struct peer_problem *p, starfish_precision precision, const void *u, const void *v)
{
    double worst = 0, largest = 0;
    const double shift = is_singular(p) ? get(u, precision, 0) - get(v, precision, 0) : 0;
    for (size_t i = 0; i < count_of(p); i++) {
        const double error = fabs(get(u, precision, i) - get(v, precision, i) - shift);
        worst = test_worst(worst, error);
        largest = fmax(largest, fabs(get(u, precision, i)));
    }
    return worst / largest;
}

static void compare(const struct peer_problem *p, starfish_precision precision)
{
    _Alignas(64) static double f[MOST], ours[MOST], theirs[MOST];
    make_rhs(p, precision, f);
    solve_ours(p, precision, f, ours);
    for (int i = 0; i < PEERS; i++) {
        double seconds[2] = {-1, -1};
        memset(theirs, 0xff, sizeof theirs); /* NaN */
        assert_int_equal(peers[i].solve[precision](p, f, theirs, 2, seconds), 1);
        const double error = difference(p, precision, ours, theirs);
        if (!(error < tolerance[precision]))
            fail_msg("%s, %zu x %zu x %zu, grid %d, y %d %d, z %d %d, precision %d: differs by %g", peers[i].name,
                     p->n[0], p->n[1], p->n[2], (int)p->grid, (int)p->y[0], (int)p->y[1], (int)p->z[0], (int)p->z[1],
                     (int)precision, error);
        assert_true(seconds[0] > 0 && seconds[1] > 0);
    }
}

static void fftw_peers_solve_what_we_solve(void **state)
{
    (void)state;
    for (size_t size = 0; size < SIZES; size++)
        for (size_t y = 0; y < ENDS; y++)
            for (size_t z = 1; z < ENDS; z++)
                for (int grid = STARFISH_NODE; grid <= STARFISH_CELL; grid++) {
                    const struct peer_problem p = {{sizes[size][0], sizes[size][1], sizes[size][2]},
                                                   {ends[y][0], ends[y][1]},
                                                   {ends[z][0], ends[z][1]},
                                                   (starfish_grid)grid};
                    /* The mean that must vanish is weighted on node grids: that is not the peers' business. */
                    if (grid == STARFISH_NODE && is_singular(&p))
                        continue;
                    compare(&p, STARFISH_F32);
                    compare(&p, STARFISH_F64);
                }
}

/* All periodic, with a mean that both remove. */
static void fftw_in_3d_solves_what_we_solve(void **state)
{
    static int (*const solve[])(const size_t n[3], const void *f, void *u, int repeat,
                                double *seconds) = {peer_fftw_periodic_f32, peer_fftw_periodic_f64};
    (void)state;
    for (size_t size = 0; size < SIZES; size++)
        for (starfish_precision precision = STARFISH_F32; precision <= STARFISH_F64; precision++) {
            const struct peer_problem p = {.n = {sizes[size][0], sizes[size][1], sizes[size][2]}};
            _Alignas(64) static double f[MOST], ours[MOST], theirs[MOST];
            double seconds[2] = {-1, -1};
            for (size_t i = 0; i < count_of(&p); i++)
                set(f, precision, i, (double)rand() / RAND_MAX);
            solve_ours(&p, precision, f, ours);
            if (!solve[precision](p.n, f, theirs, 2, seconds))
                skip(); /* FFTW has no threads here */
            assert_true(seconds[0] > 0 && seconds[1] > 0);
            const double error = difference(&p, precision, ours, theirs);
            if (!(error < tolerance[precision]))
                fail_msg("%zu x %zu x %zu: differs by %g", p.n[0], p.n[1], p.n[2], error);
        }
}

static void a_periodic_z_is_refused(void **state)
{
    const struct peer_problem p = {{4, 4, 4}, {STARFISH_PERIODIC}, {STARFISH_PERIODIC}, STARFISH_CELL};
    _Alignas(64) double f[64] = {0}, u[64];
    double seconds;
    (void)state;
    for (int i = 0; i < PEERS; i++)
        assert_int_equal(peers[i].solve[STARFISH_F64](&p, f, u, 1, &seconds), 0);
}

static void passes_over_memory_take_time(void **state)
{
    double seconds[3] = {-1, -1, -1};
    (void)state;
    assert_true(peer_cores() >= 1);
    assert_int_equal(peer_stream_passes(1000003, 3, seconds), 1);
    for (int r = 0; r < 3; r++)
        assert_true(seconds[r] > 0);
    assert_int_equal(peer_stream_passes(SIZE_MAX / 2, 1, seconds), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fftw_peers_solve_what_we_solve),
        cmocka_unit_test(fftw_in_3d_solves_what_we_solve),
        cmocka_unit_test(a_periodic_z_is_refused),
        cmocka_unit_test(passes_over_memory_take_time),
    };
    return TEST_GROUP("peers", tests, &context, 0, -1, 0);
}
