/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tail of small grids, of both grid kinds: a cycle is what calling the kind's functions level by level gives, on
 * one core, on several together and on a device, and cycles solve. */
#include "tests/multigrid/tail_cases.h"

#include "multigrid/kernels/tail.h"
#include "tests/common/reals.h"
#include "tests/multigrid/kind_grids.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct test_kind_case cases[] = {
    {{2, 2, 0}, TEST_TENSOR, {0}, 0},        {{2, 14, 0}, TEST_STORED, {0}, 0},
    {{23, 18, 0}, TEST_TENSOR, {0}, 0},      {{19, 24, 0}, TEST_STORED, {1}, 0},
    {{16, 17, 0}, TEST_DIAGONALS, {1}, 0},   {{21, 16, 0}, TEST_F16, {0}, 0},
    {{1, 1, 1}, TEST_TENSOR, {0}, 0},        {{1, 1, 17}, TEST_TENSOR, {0}, 0},
    {{7, 5, 1}, TEST_STORED, {0, 1, 0}, 0},  {{9, 6, 11}, TEST_TENSOR, {0}, 0},
    {{8, 9, 5}, TEST_STORED, {1, 0, 1}, 0},  {{7, 8, 9}, TEST_TENSOR, {1, 1, 1}, 0},
    {{11, 9, 3}, TEST_TENSOR, {0, 0, 1}, 1}, {{7, 9, 5}, TEST_FLAT, {1, 1, 0}, 0},
    {{5, 6, 7}, TEST_SKEW, {0, 0, 0}, 0},    {{13, 14, 12}, TEST_JUMPS, {0}, 0}};
enum { CASES = sizeof cases / sizeof cases[0], WORK_ALIGNMENT = 256 };

/* Of Q1 elements as tensor products, whose coarse grids are one kernel on a device: square and long ones, Neumann ends,
 * and grids above the first that fit a block. */
static const struct test_kind_case device_cases[] = {
    {{2, 2, 0}, TEST_TENSOR, {0}, 0},   {{3, 9, 0}, TEST_TENSOR, {1}, 0},    {{23, 18, 0}, TEST_TENSOR, {0}, 0},
    {{32, 31, 0}, TEST_TENSOR, {1}, 0}, {{64, 5, 0}, TEST_TENSOR, {0}, 0},   {{63, 64, 0}, TEST_TENSOR, {0}, 0},
    {{96, 80, 0}, TEST_TENSOR, {1}, 0}, {{128, 128, 0}, TEST_TENSOR, {0}, 0}};

/* ---- By hand ----------------------------------------------------------------------------------------------------- */

/* Arrays of a level, each of its own. */
struct hand {
    const struct starfish_tail *tail;
    void *const *table;
    struct starfish_place place;
    void *u[STARFISH_GRID_MOST_LEVELS], *other[STARFISH_GRID_MOST_LEVELS], *f[STARFISH_GRID_MOST_LEVELS];
    int visits; /* of the coarser grid: 1 for V, 2 for W */
};

static struct starfish_grid_step step_on(const struct hand *h, int level)
{
    const int last = level + 1 == h->tail->levels;

    return (struct starfish_grid_step){.shape = h->tail->shape[level],
                                       .coarse_shape = last ? NULL : h->tail->shape[level + 1],
                                       .table = h->table[level],
                                       .coarse_table = last ? NULL : h->table[level + 1],
                                       .at = starfish_grid_whole(h->tail->kind, h->tail->shape[level]),
                                       .u = h->u[level],
                                       .f = h->f[level]};
}

static void smooth(struct hand *h, int level, int steps, int after, int zero)
{
    const struct starfish_tail *tail = h->tail;
    int sweep[STARFISH_GRID_MOST_SWEEPS];
    const int sweeps = starfish_grid_sweeps(tail->kind, &tail->smoothing, tail->shape[level],
                                            after && tail->smoothing.symmetric, sweep);

    for (int i = 0; i < steps * sweeps; i++) {
        struct starfish_grid_step step = step_on(h, level);
        step.sweep = sweep[i % sweeps];
        step.damping = starfish_grid_step_damping(tail->kind, &tail->smoothing, tail->shape[level], i / sweeps, steps);
        step.u = zero && i == 0 ? NULL : h->u[level];
        step.result = h->other[level];
        assert_int_equal(tail->kind->compute[STARFISH_GRID_SMOOTH](&h->place, &step), 0);
        h->other[level] = h->u[level];
        h->u[level] = step.result;
    }
}

static void visit(struct hand *h, int level, int zero)
{
    const struct starfish_tail *tail = h->tail;
    const struct starfish_grid_kind *kind = tail->kind;
    struct starfish_grid_step step = step_on(h, level);

    if (level + 1 == tail->levels) {
        step.zero = zero;
        step.result = h->u[level];
        assert_int_equal(kind->solve(&h->place, &tail->smoothing, &step), 0);
        return;
    }
    smooth(h, level, tail->smoothing.before, 0, zero);
    step.u = h->u[level];
    step.result = h->f[level + 1];
    step.at = starfish_grid_whole(kind, step.coarse_shape);
    assert_int_equal(kind->compute[STARFISH_GRID_RESTRICT](&h->place, &step), 0);
    for (int i = 0; i < (level + 2 == tail->levels ? 1 : h->visits); i++)
        visit(h, level + 1, i == 0);
    step.coarse = h->u[level + 1];
    step.result = h->u[level];
    step.at = starfish_grid_whole(kind, step.shape);
    assert_int_equal(kind->compute[STARFISH_GRID_PROLONG](&h->place, &step), 0);
    smooth(h, level, tail->smoothing.after, 1, 0);
}

/* u after a cycle. */
static void *cycle_by_hand(const struct test_kind_grids *g, const void *f, const void *u, int visits, int zero)
{
    const struct starfish_tail *tail = &g->tail;
    const size_t size = starfish_real_size(tail->precision), count = test_kind_unknowns(g, 0);
    struct hand h = {.tail = tail, .table = g->table, .place = {.precision = tail->precision}, .visits = visits};
    size_t work =
        starfish_grid_solve_work(tail->kind, &tail->smoothing, tail->shape[tail->levels - 1], tail->precision, 0);

    int level = 0;
    do { /* there is one level at least */
        const size_t bytes = test_kind_unknowns(g, level) * size;
        const size_t more = starfish_grid_work(tail->kind, &tail->smoothing, tail->shape[level], tail->precision, 0);
        work = more > work ? more : work;
        h.u[level] = test_kind_work(bytes);
        h.other[level] = test_kind_work(bytes);
        h.f[level] = test_kind_work(bytes);
    } while (++level < tail->levels);
    h.place.work = test_kind_work(work);
    memcpy(h.f[0], f, count * size);
    if (!zero)
        memcpy(h.u[0], u, count * size);
    visit(&h, 0, zero);
    test_kind_release(h.place.work, work);
    for (int l = 0; l < tail->levels; l++) {
        test_kind_release(h.other[l], test_kind_unknowns(g, l) * size);
        test_kind_release(h.f[l], test_kind_unknowns(g, l) * size);
        if (l > 0)
            test_kind_release(h.u[l], test_kind_unknowns(g, l) * size);
    }
    return h.u[0];
}

/* ---- Comparison -------------------------------------------------------------------------------------------------- */

static void run_tail(const struct test_kind_grids *g, const void *f, void *u, starfish_cycle_shape shape, int zero)
{
    const size_t work = starfish_tail_work(&g->tail, 0);
    const struct starfish_place place = {.precision = g->tail.precision, .work = test_kind_work(work)};
    struct starfish_tail_arrays arrays = {.f = f, .u = u};

    assert_int_equal(work % 256, 0);
    for (int l = 0; l < g->tail.levels; l++)
        arrays.table[l] = g->table[l];
    assert_int_equal(starfish_tail_run(&place, &g->tail, &arrays, shape, zero), 0);
    test_kind_release(place.work, work);
}

/* On a device, whose kernels follow one another. */
static const struct test_memory *device;

static void run_on_device(const struct test_kind_grids *g, const void *f, void *u, starfish_cycle_shape shape, int zero)
{
    const size_t work = starfish_tail_work(&g->tail, 1), size = starfish_real_size(g->tail.precision);
    const size_t bytes = test_kind_unknowns(g, 0) * size;
    const struct starfish_place place = {
        .precision = g->tail.precision, .gpu = 1, .work = device->upload(NULL, work + WORK_ALIGNMENT)};
    struct starfish_place aligned = place;
    struct starfish_tail_arrays arrays = {.f = device->upload(f, bytes), .u = device->upload(u, bytes)};

    aligned.work = (void *)(((uintptr_t)place.work + WORK_ALIGNMENT - 1) / WORK_ALIGNMENT * WORK_ALIGNMENT);
    for (int l = 0; l < g->tail.levels; l++)
        arrays.table[l] = device->upload(g->table[l], starfish_q1_table_size(&g->q1[l]) * size);
    assert_int_equal(starfish_tail_run(&aligned, &g->tail, &arrays, shape, zero), 0);
    device->download(u, arrays.u, bytes);
    device->release();
}

/* One of the cores that run it together. */
enum { CORES = 3 };
struct part {
    const struct test_kind_grids *g;
    struct starfish_tail_arrays arrays;
    struct starfish_tail_core core;
    starfish_cycle_shape shape;
    int zero, error;
};

static void *run_part(void *data)
{
    struct part *part = data;
    const size_t work = starfish_tail_own_work(&part->g->tail, 0);
    const struct starfish_place place = {.precision = part->g->tail.precision, .work = test_kind_work(work)};

    part->arrays.core = &part->core;
    part->error = starfish_tail_run(&place, &part->g->tail, &part->arrays, part->shape, part->zero);
    test_kind_release(place.work, work);
    return NULL;
}

/* Grids of one unknown are shared, too. */
static void run_together(const struct test_kind_grids *g, const void *f, void *u, starfish_cycle_shape shape, int zero)
{
    const size_t shared = starfish_tail_shared_work(&g->tail);
    struct starfish_barrier *barrier = starfish_barrier_create(CORES);
    void *const memory = test_kind_work(shared);
    struct part part[CORES];
    pthread_t thread[CORES];

    assert_non_null(barrier);
    assert_int_equal(shared + starfish_tail_own_work(&g->tail, 0), starfish_tail_work(&g->tail, 0));
    for (size_t c = 0; c < CORES; c++) {
        part[c] = (struct part){
            .g = g, .arrays = {.f = f, .u = u}, .core = {c, CORES, 1, barrier, memory}, .shape = shape, .zero = zero};
        for (int l = 0; l < g->tail.levels; l++)
            part[c].arrays.table[l] = g->table[l];
        if (c > 0)
            assert_int_equal(pthread_create(&thread[c], NULL, run_part, &part[c]), 0);
    }
    run_part(&part[0]);
    for (size_t c = 0; c < CORES; c++) {
        if (c > 0)
            pthread_join(thread[c], NULL);
        assert_int_equal(part[c].error, 0);
    }
    test_kind_release(memory, shared);
    starfish_barrier_destroy(barrier);
}

static void compare(const struct test_kind_grids *g, starfish_cycle_shape shape, int zero, int together)
{
    const size_t count = test_kind_unknowns(g, 0), size = starfish_real_size(g->tail.precision);
    const double tolerance = 2000 * test_real_epsilon(g->tail.precision);
    unsigned seed = 5;
    void *f = test_reals(g->tail.precision, count, &seed), *u = test_reals(g->tail.precision, count, &seed);
    void *expected = cycle_by_hand(g, f, u, shape == STARFISH_CYCLE_W ? 2 : 1, zero);
    double most = 0;

    if (zero)
        memset(u, 0xff, count * size);
    (device ? run_on_device : together ? run_together : run_tail)(g, f, u, shape, zero);
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(test_real_get(expected, g->tail.precision, i)));
    for (size_t i = 0; i < count; i++) {
        const double got = test_real_get(u, g->tail.precision, i);
        const double wanted = test_real_get(expected, g->tail.precision, i);
        if (!(fabs(got - wanted) <= tolerance * most))
            fail_msg("%s, smoother %d, shape %d, zero %d, together %d: unknown %zu is %.17g, not %.17g",
                     g->tail.kind->name, (int)g->tail.smoothing.smoother, (int)shape, zero, together, i, got, wanted);
    }
    test_kind_release(expected, count * size);
    free(f);
    free(u);
}

static void for_each_smoother(void (*check)(struct test_kind_grids *g, const struct test_kind_case *what))
{
    for (int i = 0; i < 2 * CASES; i++) {
        static struct test_kind_grids g;
        test_kind_grids_make(&g, &cases[i / 2], i % 2 ? STARFISH_F64 : STARFISH_F32);
        for (int smoother = STARFISH_SMOOTHER_ADI; smoother < STARFISH_SMOOTHERS; smoother++) {
            g.tail.smoothing = test_kind_smoothing((starfish_smoother)smoother);
            if (test_kind_smooths(&g, (starfish_smoother)smoother))
                check(&g, &cases[i / 2]);
        }
        test_kind_grids_free(&g);
    }
}

static void check_cycles(struct test_kind_grids *g, const struct test_kind_case *what)
{
    (void)what;
    for (int way = 0; way < 8; way++) {
        g->tail.smoothing.symmetric = way / 4;
        compare(g, way % 2 ? STARFISH_CYCLE_W : STARFISH_CYCLE_V, way / 2 % 2, 0);
    }
}

/* V, of each pair of unlike sweeps. */
static void check_cores(struct test_kind_grids *g, const struct test_kind_case *what)
{
    (void)what;
    for (int zero = 0; zero < 2; zero++) {
        g->tail.smoothing.symmetric = zero;
        compare(g, STARFISH_CYCLE_V, zero, 1);
    }
}

static void cores_share_cycles(void **state)
{
    (void)state;
    for_each_smoother(check_cores);
}

static void cycles_are_those_by_hand(void **state)
{
    (void)state;
    for_each_smoother(check_cycles);
}

/* ---- Solutions --------------------------------------------------------------------------------------------------- */

/* The Euclidean norm of f - A u over that of f. */
static double relative_residual(const struct test_kind_grids *g, const void *f, const void *u)
{
    const struct starfish_tail *tail = &g->tail;
    const size_t work = starfish_grid_work(tail->kind, &tail->smoothing, tail->shape[0], tail->precision, 0);
    const struct starfish_place place = {.precision = tail->precision, .work = test_kind_work(work)};
    static double sums[2][STARFISH_SUMS];
    double norm[2] = {0, 0};

    for (int with_u = 0; with_u < 2; with_u++) {
        const struct starfish_grid_step step = {.shape = tail->shape[0],
                                                .table = g->table[0],
                                                .at = starfish_grid_whole(tail->kind, tail->shape[0]),
                                                .u = with_u ? u : NULL,
                                                .f = f,
                                                .sums = sums[with_u]};
        assert_int_equal(tail->kind->compute[STARFISH_GRID_RESIDUAL](&place, &step), 0);
        for (int i = 0; i < STARFISH_SUMS; i++)
            norm[with_u] += sums[with_u][i];
    }
    test_kind_release(place.work, work);
    return sqrt(norm[1] / norm[0]);
}

/* Lines along one direction alone do not smooth in the others, and grids that stay fine in z want lines there. */
static int converges(const struct test_kind_grids *g, const struct test_kind_case *what)
{
    const starfish_smoother smoother = g->tail.smoothing.smoother;

    return smoother != STARFISH_SMOOTHER_LINE_X && smoother != STARFISH_SMOOTHER_LINE_Y &&
           smoother != STARFISH_SMOOTHER_LINE_Z && (!what->only_plane || smoother == STARFISH_SMOOTHER_ADI);
}

static void check_solution(struct test_kind_grids *g, const struct test_kind_case *what)
{
    const size_t count = test_kind_unknowns(g, 0);
    const double reached = g->tail.precision == STARFISH_F64 ? 1e-11 : 1e-5;
    unsigned seed = 9;
    void *f = test_reals(g->tail.precision, count, &seed), *u = test_reals(g->tail.precision, count, &seed);

    for (int shape = STARFISH_CYCLE_V; converges(g, what) && shape <= STARFISH_CYCLE_FMG; shape++) {
        for (int cycle = 0; cycle < 40; cycle++)
            run_tail(g, f, u, (starfish_cycle_shape)shape, cycle == 0);
        const double residual = relative_residual(g, f, u);
        if (!(residual <= reached))
            fail_msg("%s %zux%zux%zu, smoother %d, shape %d: %g", g->tail.kind->name, what->n[0], what->n[1],
                     what->n[2], (int)g->tail.smoothing.smoother, shape, residual);
    }
    free(f);
    free(u);
}

static void cycles_solve(void **state)
{
    (void)state;
    for_each_smoother(check_solution);
}

/* The coarsest grid by conjugate gradients, which start from zero or from what is there. */
static void iterations_solve_the_coarsest_grid(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * CASES; i++)
        for (int solver = STARFISH_COARSE_CG_JACOBI; solver <= STARFISH_COARSE_CG_ADI; solver++) {
            static struct test_kind_grids g;
            if (cases[i / 2].n[2] > 0)
                continue;
            test_kind_grids_make(&g, &cases[i / 2], i % 2 ? STARFISH_F64 : STARFISH_F32);
            g.tail.smoothing = test_kind_smoothing(STARFISH_SMOOTHER_ADI);
            g.tail.smoothing.coarse.solver = (starfish_coarse_solver)solver;
            check_solution(&g, &cases[i / 2]);
            test_kind_grids_free(&g);
        }
}

/* V cycles smoothed by points, of all counts of steps that one kernel does, and one more. */
static void device_cycles_are_those_by_hand(void **state)
{
    (void)state;
    static const starfish_smoother smoothers[] = {STARFISH_SMOOTHER_JACOBI, STARFISH_SMOOTHER_CHEBYSHEV};
    enum { DEVICE_CASES = sizeof device_cases / sizeof device_cases[0], MOST_STEPS = 9 };
    for (int i = 0; i < 2 * DEVICE_CASES; i++) {
        static struct test_kind_grids g;
        test_kind_grids_make(&g, &device_cases[i / 2], i % 2 ? STARFISH_F64 : STARFISH_F32);
        for (int way = 0; way < 2 * MOST_STEPS; way++) {
            g.tail.smoothing = test_kind_smoothing(smoothers[way % 2]);
            g.tail.smoothing.before = 1 + way / 2;
            g.tail.smoothing.after = (i + way / 2) % (MOST_STEPS + 1);
            compare(&g, STARFISH_CYCLE_V, way % 3 > 0, 0);
        }
        test_kind_grids_free(&g);
    }
}

int test_tail(const struct test_memory *memory)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cycles_are_those_by_hand), cmocka_unit_test(cores_share_cycles),
                                       cmocka_unit_test(cycles_solve),
                                       cmocka_unit_test(iterations_solve_the_coarsest_grid)};
    const struct CMUnitTest on_device[] = {cmocka_unit_test(device_cycles_are_those_by_hand)};

    device = memory;
    return memory ? cmocka_run_group_tests_name("tail on a device", on_device, NULL, NULL)
                  : cmocka_run_group_tests_name("tail", tests, NULL, NULL);
}
