/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Passes of the seven-point kernels on cores: the same as sweep by sweep, by one core and by several together. */
#include "multigrid/kernels/flux_pass.h"
#include "tests/common/reals.h"
#include "tests/multigrid/flux_grid.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct test_flux_device device = {.memory = &test_host_memory};

static void (*const smooth[])(const struct starfish_flux_smooth *) = {starfish_flux_smooth_cpu_f32,
                                                                      starfish_flux_smooth_cpu_f64};
static void (*const restrict_residual[])(const struct starfish_flux_restrict *) = {starfish_flux_restrict_cpu_f32,
                                                                                   starfish_flux_restrict_cpu_f64};
static void (*const pass[])(const struct starfish_flux_pass *) = {starfish_flux_pass_cpu_f32,
                                                                  starfish_flux_pass_cpu_f64};

/* The kernels sweep by sweep. Returns where the solution is: `v` or `other`. */
static void *sweep_by_sweep(const struct test_flux_grid *g, const struct starfish_flux_pass *a, void *v, void *other)
{
    struct starfish_flux_smooth s = {
        .matrix = a->matrix, .at = test_flux_part(g->n, 0), .order = a->order, .damping = a->damping, .f = a->f};

    memcpy(s.transfer, a->transfer, sizeof s.transfer);
    s.work = test_flux_work(g);
    for (int i = 0; i < a->sweeps; i++) {
        s.u = i == 0 && a->zero ? NULL : v;
        s.coarse = i == 0 ? a->correction : NULL;
        s.v = other;
        smooth[g->precision](&s);
        other = v;
        v = s.v;
    }
    return v;
}

static void *restricted(const struct test_flux_grid *g, const struct starfish_flux_pass *a, const void *v)
{
    struct starfish_flux_restrict r = {.matrix = a->matrix,
                                       .at = test_flux_part(g->coarse_n, 0),
                                       .u = v,
                                       .f = a->f,
                                       .coarse = test_flux_upload(g, g->coarse, g->coarse_count),
                                       .work = test_flux_work(g)};

    memcpy(r.transfer, a->transfer, sizeof r.transfer);
    restrict_residual[g->precision](&r);
    return r.coarse;
}

/* ---- Cores ------------------------------------------------------------------------------------------------------- */

enum { MOST_PARTS = 3 };
struct part {
    const struct test_flux_grid *g;
    struct starfish_flux_pass pass;
};

static void *run_part(void *data)
{
    const struct part *part = data;

    pass[part->g->precision](&part->pass);
    return NULL;
}

/* Sums are of each part. */
static void run(const struct test_flux_grid *g, const struct starfish_flux_pass *a, size_t parts, double *sum)
{
    struct starfish_barrier *barrier = starfish_barrier_create(parts);
    struct part part[MOST_PARTS] = {{g, *a}};
    pthread_t thread[MOST_PARTS];

    assert_non_null(barrier);
    for (size_t i = 0; i < parts; i++) {
        part[i] = (struct part){g, *a};
        part[i].pass.sum = sum ? &sum[i] : NULL;
        part[i].pass.work = test_flux_work(g);
        part[i].pass.part = i;
        part[i].pass.parts = parts;
        part[i].pass.barrier = barrier;
    }
    for (size_t i = 1; i < parts; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, run_part, &part[i]), 0);
    run_part(&part[0]);
    for (size_t i = 1; i < parts; i++)
        pthread_join(thread[i], NULL);
    starfish_barrier_destroy(barrier);
}

/* ---- Comparison -------------------------------------------------------------------------------------------------- */

static void assert_equal_reals(const struct test_flux_grid *g, const void *got, const void *expected, size_t count)
{
    for (size_t e = 0; e < count; e++) {
        const double a = test_real_get(got, g->precision, e), b = test_real_get(expected, g->precision, e);
        if (!(fabs(a - b) <= 16 * test_real_epsilon(g->precision) * (1 + fabs(b))))
            fail_msg("%zux%zux%zu, f%d: element %zu is %.17g, not %.17g", g->n[0], g->n[1], g->n[2],
                     g->precision == STARFISH_F64 ? 64 : 32, e, a, b);
    }
}

static double product(const struct test_flux_grid *g, const void *u, const void *v)
{
    double sum = 0;

    for (size_t e = 0; e < g->count; e++)
        sum += test_real_get(u, g->precision, e) * test_real_get(v, g->precision, e);
    return sum;
}

static void compare(const struct test_flux_grid *g, const struct starfish_flux_pass *wanted, size_t parts)
{
    struct starfish_flux_pass a = *wanted;
    double sum[MOST_PARTS] = {0}, all = 0;

    a.v = a.zero ? test_flux_result(g) : test_flux_upload(g, g->u, g->count);
    void *const expected = sweep_by_sweep(g, &a, test_flux_upload(g, g->u, g->count), test_flux_result(g));
    run(g, &a, parts, sum);
    assert_equal_reals(g, a.v, expected, g->count);
    if (a.coarse)
        assert_equal_reals(g, a.coarse, restricted(g, &a, expected), g->coarse_count);
    for (size_t i = 0; i < parts; i++)
        all += sum[i];
    const double of_all = product(g, a.f, expected);
    if (!(fabs(all - of_all) <= 1e-5 * ((double)g->count + fabs(of_all))))
        fail_msg("inner product %.17g, not %.17g", all, of_all);
}

static int is_of_pairs(const struct test_flux_grid *g)
{
    for (int d = 0; d < 3; d++)
        if (g->transfer[d].fine != g->transfer[d].coarse && !g->transfer[d].pairs)
            return 0;
    return 1;
}

/* One, two and three sweeps in both orders, from zero, from what is there, and with a correction. */
static void check(struct test_flux_grid *g, int thirds)
{
    const size_t size = starfish_real_size(g->precision);

    for (int way = 0; way < 18 && !thirds; way++) {
        struct starfish_flux_pass a = {.matrix = g->matrix,
                                       .order = way & 1 ? STARFISH_FLUX_ODD_FIRST : STARFISH_FLUX_EVEN_FIRST,
                                       .sweeps = 1 + way / 6,
                                       .zero = way / 2 % 3 == 0,
                                       .damping = g->damping,
                                       .f = g->device_f,
                                       .correction = way / 2 % 3 == 2 ? g->device_coarse : NULL};
        memcpy(a.transfer, g->transfer, sizeof a.transfer);
        const size_t least = starfish_flux_pass_planes(a.sweeps, a.correction != NULL, is_of_pairs(g));
        for (size_t parts = 1; parts <= MOST_PARTS && (parts == 1 || g->n[2] / 2 / parts * 2 >= least); parts += 2) {
            a.coarse = is_of_pairs(g) ? g->device->memory->upload(NULL, g->coarse_count * size) : NULL;
            compare(g, &a, parts);
        }
    }
}

/* Open in y and z. Of those that cores do together, the first two have as few planes a core as a correction and one or
 * two sweeps must have; the large ones are done in strips. */
static const struct test_flux_shape shared[] = {
    {{13, 6, 12}, "ooo", "u--"}, {{13, 6, 24}, "ooo", "u--"}, {{9, 1, 36}, "poo", "b-b"}, {{5, 6, 49}, "ooo", "bbb"}};
static const struct test_flux_shape shapes[] = {
    {{1, 1, 1}, "ooo", "---"},   {{1, 1, 1}, "ooo", "bbb"},     {{2, 2, 2}, "ooo", "bbb"},
    {{1, 7, 3}, "ooo", "-bb"},   {{5, 1, 6}, "poo", "b-b"},     {{7, 7, 7}, "ooo", "ddd"},
    {{9, 8, 7}, "ooo", "bbb"},   {{8, 9, 1}, "poo", "bb-"},     {{33, 10, 6}, "ooo", "bbb"},
    {{67, 13, 5}, "ooo", "bbb"}, {{10, 11, 12}, "ooO", "bb-"},  {{12, 9, 8}, "oOo", "u-u"},
    {{61, 30, 9}, "poo", "ubb"}, {{2080, 50, 2}, "ooo", "bbb"}, {{301, 40, 24}, "ooo", "bbb"}};

#ifdef __SANITIZE_THREAD__
enum { IS_SLOW = 1 }; /* minutes for a large grid */
#else
enum { IS_SLOW = 0 };
#endif

/* The thread sanitizer runs this test, since no core may read a plane that another one writes. */
static void cores_pass_over_a_grid_together(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof shared / sizeof shared[0]; s++)
        test_flux_shape(&device, &shared[s], check);
}

static void passes_are_sweeps_one_by_one(void **state)
{
    (void)state;
    if (IS_SLOW)
        skip();
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        test_flux_shape(&device, &shapes[s], check);
}

/* Neighbours alone wait for each other: nobody is more than a call ahead of them, and each sees what they wrote. */
enum { CALLS = 2000 };
struct walker {
    struct starfish_barrier *barrier;
    size_t self;
    int *written; /* by each thread and call */
    int wrong;
};

static void *walk(void *data)
{
    struct walker *w = data;

    for (int call = 0; call < CALLS; call++) {
        w->written[w->self * CALLS + (size_t)call] = call + 1;
        starfish_barrier_wait_beside(w->barrier, w->self, MOST_PARTS);
        for (size_t other = w->self > 0 ? w->self - 1 : 0; other < MOST_PARTS && other <= w->self + 1; other++)
            w->wrong += w->written[other * CALLS + (size_t)call] != call + 1;
    }
    return NULL;
}

static void neighbours_wait_for_each_other(void **state)
{
    struct starfish_barrier *barrier = starfish_barrier_create(MOST_PARTS);
    int *written = calloc(MOST_PARTS * CALLS, sizeof *written);
    struct walker walker[MOST_PARTS];
    pthread_t thread[MOST_PARTS];

    (void)state;
    assert_non_null(barrier);
    assert_non_null(written);
    for (size_t i = 0; i < MOST_PARTS; i++) {
        walker[i] = (struct walker){barrier, i, written, 0};
        assert_int_equal(pthread_create(&thread[i], NULL, walk, &walker[i]), 0);
    }
    for (size_t i = 0; i < MOST_PARTS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(walker[i].wrong, 0);
    }
    free(written);
    starfish_barrier_destroy(barrier);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cores_pass_over_a_grid_together),
        cmocka_unit_test(neighbours_wait_for_each_other),
        cmocka_unit_test(passes_are_sweeps_one_by_one),
    };

    return cmocka_run_group_tests_name("passes", tests, NULL, NULL);
}
