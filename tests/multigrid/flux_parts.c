/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sweeps of the seven-point kernels on cores, a part of the grid each, in phases: the same as by one core. The thread
 * sanitizer runs this test, since no core may read a row that another one writes. */
#include "base/barrier.h"
#include "tests/multigrid/flux_grid.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PARTS = 3 };

static const struct test_flux_device device = {.memory = &test_host_memory};

static void (*const smooth[])(const struct starfish_flux_smooth *) = {starfish_flux_smooth_cpu_f32,
                                                                      starfish_flux_smooth_cpu_f64};

struct sweeper {
    starfish_precision precision;
    struct starfish_flux_smooth smooth;
    struct starfish_barrier *barrier;
    size_t self;
};

static void *sweep_part(void *data)
{
    struct sweeper *s = data;

    for (s->smooth.phase = STARFISH_FLUX_BEGIN; s->smooth.phase <= STARFISH_FLUX_END_ODD; s->smooth.phase++) {
        smooth[s->precision](&s->smooth);
        starfish_barrier_wait(s->barrier, s->self, PARTS);
    }
    return NULL;
}

/* By parts of rows or of planes, each a thread's. */
static void sweep_together(const struct test_flux_grid *g, const struct starfish_flux_smooth *whole, int by_planes)
{
    struct starfish_barrier *barrier = starfish_barrier_create(PARTS);
    struct sweeper sweeper[PARTS];
    pthread_t thread[PARTS];

    assert_non_null(barrier);
    for (size_t i = 0; i < PARTS; i++) {
        sweeper[i] = (struct sweeper){g->precision, *whole, barrier, i};
        struct starfish_flux_part *const at = &sweeper[i].smooth.at;
        sweeper[i].smooth.work = test_flux_work(g);
        *(by_planes ? &at->z0 : &at->y0) = g->n[by_planes ? 2 : 1] * i / PARTS;
        *(by_planes ? &at->z1 : &at->y1) = g->n[by_planes ? 2 : 1] * (i + 1) / PARTS;
        assert_int_equal(pthread_create(&thread[i], NULL, sweep_part, &sweeper[i]), 0);
    }
    for (size_t i = 0; i < PARTS; i++)
        pthread_join(thread[i], NULL);
    starfish_barrier_destroy(barrier);
}

/* Both orders, with a correction and without. */
static void check(struct test_flux_grid *g, int thirds)
{
    for (int way = 0; way < 8 && !thirds; way++) {
        struct starfish_flux_smooth s = {.matrix = g->matrix,
                                         .at = test_flux_part(g->n, 0),
                                         .order = way & 1 ? STARFISH_FLUX_ODD_FIRST : STARFISH_FLUX_EVEN_FIRST,
                                         .damping = g->damping,
                                         .u = g->device_u,
                                         .f = g->device_f,
                                         .coarse = way & 2 ? g->device_coarse : NULL,
                                         .v = test_flux_result(g),
                                         .work = test_flux_work(g)};
        memcpy(s.transfer, g->transfer, sizeof s.transfer);
        smooth[g->precision](&s);
        double *const expected = test_flux_download(g, s.v, g->count);
        s.v = test_flux_result(g);
        sweep_together(g, &s, way >> 2);
        g->at = s.at;
        test_flux_compare(g, g->n, s.v, expected, NULL, 64);
        free(expected);
    }
}

static void parts_are_swept_together(void **state)
{
    static const struct test_flux_shape shapes[] = {{{1, 7, 3}, "ooo", "-bb"},
                                                    {{7, 7, 7}, "ooo", "ddd"},
                                                    {{33, 10, 6}, "ooo", "bbb"},
                                                    {{8, 6, 10}, "opp", "bbb"},
                                                    {{10, 11, 12}, "ooO", "bb-"}};

    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        test_flux_shape(&device, &shapes[s], check);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_are_swept_together)};

    return cmocka_run_group_tests_name("parts", tests, NULL, NULL);
}
