/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conjugate gradients with every option, on a dense operator and on cells, step by step against the textbook's on dense
 * matrices, and solutions against elimination. */
#include "krylov/cg.h"
#include "krylov/cells_operator.h"
#include "tests/common/check.h"
#include "tests/common/group.h"
#include "tests/common/reals.h"
#include "tests/krylov/cells_problem.h"
#include "tests/krylov/dense.h"

#include <starfish/starfish.h>

#include <lapacke.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static starfish_context *context; /* of one core, so that several steps may be one task */

enum { N = TEST_CELLS, VECTORS = 9, SUMS = 3 };

/* Options, and whether matrix and preconditioner are those of cells. */
struct way {
    const char *name;
    int cells, recurrence, fused, deflated, product_with_az;
    int wide; /* the iteration in f32, the solution in f64 */
};
static const struct way ways[] = {{.name = "flexible"},
                                  {.name = "fused", .fused = 1},
                                  {.name = "recurrence", .recurrence = 1},
                                  {.name = "recurrence, deflated", .recurrence = 1, .deflated = 1},
                                  {.name = "recurrence, cells", .cells = 1, .recurrence = 1},
                                  {.name = "deflated, cells", .cells = 1, .recurrence = 1, .deflated = 1},
                                  {"by a product with A, cells", 1, 1, 0, 1, 1, 0},
                                  {"wide, cells", 1, 1, 0, 1, 0, 1},
                                  {.name = "several steps", .cells = 1, .recurrence = 1, .fused = 1},
                                  {"several steps, deflated", 1, 1, 1, 1, 0, 0},
                                  {"several steps, wide", 1, 1, 1, 1, 0, 1}};
enum { WAYS = sizeof ways / sizeof ways[0] };

/* ---- The textbook ------------------------------------------------------------------------------------------------ */

static double product(const double *u, const double *v)
{
    double sum = 0;

    for (int i = 0; i < N; i++)
        sum += u[i] * v[i];
    return sum;
}

/* u += factor * matrix v. */
static void add(double *u, double factor, const double *matrix, const double *v)
{
    double image[N];

    test_dense_multiply(&(struct test_dense){N, matrix}, factor, v, image);
    for (int i = 0; i < N; i++)
        u[i] += image[i];
}

/* So many steps, from x on. */
static void textbook(const struct test_cells *t, int deflated, const double *b, int steps, double *x)
{
    double r[N], p[N] = {0}, rz = 0;

    memcpy(r, b, sizeof r);
    add(r, -1, t->matrix, x);
    if (deflated)
        add(x, 1, t->coarse, r);
    for (int s = 0; s < steps; s++) {
        double z[N] = {0}, q[N] = {0}, rest[N];
        memcpy(r, b, sizeof r);
        add(r, -1, t->matrix, x);
        add(z, 1, t->inverse, r);
        memcpy(rest, r, sizeof rest);
        add(rest, -1, t->matrix, z);
        if (deflated)
            add(z, 1, t->coarse, rest);
        const double beta = s > 0 ? product(r, z) / rz : 0;
        rz = product(r, z);
        for (int i = 0; i < N; i++)
            p[i] = z[i] + beta * p[i];
        add(q, 1, t->matrix, p);
        const double alpha = rz / product(p, q);
        for (int i = 0; i < N; i++)
            x[i] += alpha * p[i];
    }
}

/* ---- A dense operator that combines, and dense preconditioners --------------------------------------------------- */

static double factor_of(const struct starfish_factor *factor)
{
    if (!factor->state)
        return factor->number;
    assert_int_equal(starpu_data_acquire(factor->state, STARPU_R), 0);
    const double value = factor->number * ((const double *)starpu_data_get_local_ptr(factor->state))[factor->scalar];
    starpu_data_release(factor->state);
    return value;
}

static starfish_status combine(const void *self, const struct starfish_operator_step *s)
{
    const struct test_dense *a = self;
    double v[N] = {0}, correction[N], left[N] = {0};

    if (s->u)
        test_dense_get(s->u, v);
    if (s->correction) {
        const double factor = factor_of(&s->factor);
        test_dense_get(s->correction, correction);
        for (int i = 0; i < N; i++)
            v[i] += factor * correction[i];
    }
    assert_true(!s->v || (s->v != s->u && s->v != s->correction)); /* tasks read the rows beside what they write */
    if (s->v)
        test_dense_put(s->v, v);
    if (s->f)
        test_dense_get(s->f, left);
    add(left, -1, a->matrix, v);
    if (s->result)
        test_dense_put(s->result, left);
    if (s->sums)
        test_dense_sum(s->sums, product(s->energy ? v : left, left));
    return STARFISH_SUCCESS;
}

static starfish_status apply_and_sum(void *self, const struct starfish_vector *r, const struct starfish_vector *z,
                                     const struct starfish_sums *rz)
{
    const struct test_cells *t = self;
    double x[N], y[N] = {0};

    test_dense_get(r, x);
    add(y, 1, t->inverse, x);
    test_dense_put(z, y);
    if (rz)
        test_dense_sum(rz, product(x, y));
    return STARFISH_SUCCESS;
}

static starfish_status apply(void *self, int number, const struct starfish_vector *r, const struct starfish_vector *z,
                             int most, int *cycles)
{
    (void)number, (void)most;
    *cycles = 1;
    return apply_and_sum(self, r, z, NULL);
}

/* Three times as much in every other step. */
static starfish_status apply_by_turns(void *self, int number, const struct starfish_vector *r,
                                      const struct starfish_vector *z, int most, int *cycles)
{
    double x[N];

    ASSERT_OK(apply(self, number, r, z, most, cycles));
    test_dense_get(z, x);
    for (int i = 0; i < N; i++)
        x[i] *= number % 2 ? 3 : 1;
    test_dense_put(z, x);
    return STARFISH_SUCCESS;
}

/* ---- Solves ------------------------------------------------------------------------------------------------------ */

struct run {
    const struct way *way;
    struct test_cells *problem;
    enum starfish_cell_preconditioner by;
    struct starfish_stopping stopping;
    int by_turns;
    const double *b;
    double *x; /* the guess, and then the solution */
};

/* What is made for one. */
struct made {
    struct starfish_progress progress;
    struct starfish_algebra algebra;
    struct starfish_space space;
    struct starfish_scalars scalars;
    struct starfish_sums sums[SUMS];
    struct starfish_vector v[VECTORS];
    struct starfish_coefficient_table matrix, table;
    struct starfish_cell_operator op;
    struct starfish_cells_deflation deflation;
    struct starfish_replays replays;
    struct test_dense dense;
    struct starfish_cells_matrix cells;
};

static void make_cells(struct made *m, const struct run *run, starfish_precision precision)
{
    const struct starfish_halo_window window = starfish_halo_window_whole(TEST_CELLS_Z);
    const struct starfish_cell_matrix matrix = {.n = {TEST_CELLS_X, TEST_CELLS_Y, TEST_CELLS_Z},
                                                .stored = run->problem->stored};
    const struct starfish_cells_table_spec table = {
        run->by, &matrix, &m->space, &window, TEST_CELLS_X, precision,
    };
    const struct starfish_deflation_spec deflation = {.space = &m->space,
                                                      .window = &window,
                                                      .precision = precision,
                                                      .op = &m->op,
                                                      .matrix = &matrix,
                                                      .domain = run->problem->domain,
                                                      .domains = TEST_DOMAINS,
                                                      .form = STARFISH_COARSE_BY_BAND};

    ASSERT_OK(starfish_coefficient_table_reals(&m->matrix, precision, run->problem->stored, 4 * N));
    ASSERT_OK(starfish_cells_table(&table, &m->table));
    m->op = (struct starfish_cell_operator){.matrix = matrix, .stored = 1, .table = m->matrix.handle};
    if (run->way->deflated)
        ASSERT_OK(starfish_deflation_create(&m->deflation, &deflation));
    starfish_replays_create(&m->replays, context);
    m->cells = (struct starfish_cells_matrix){
        .algebra = &m->algebra,
        .half = &m->v[5],
        .steps = {
            .op = &m->op, .by = run->by, .block = TEST_CELLS_X, .table = m->table.handle, .replays = &m->replays}};
}

/* In one part where several steps are one task, else in three, of which blocks and lines begin anew at each. */
static void make(struct made *m, const struct run *run)
{
    static const size_t n[2] = {TEST_CELLS_X * TEST_CELLS_Y, TEST_CELLS_Z};
    static size_t three[] = {0, 1, 4, TEST_CELLS_Z}, one[] = {0, TEST_CELLS_Z};
    const starfish_precision precision = run->way->wide ? STARFISH_F32 : STARFISH_F64;
    const int whole = (run->way->recurrence && run->way->fused) || run->by == STARFISH_CELLS_BY_LINES;
    const struct starfish_runs runs = {.parts = whole ? 1 : 3, .first = whole ? one : three};

    memset(m, 0, sizeof *m);
    starfish_progress_init(&m->progress, context);
    m->algebra = (struct starfish_algebra){&m->progress, 0, 0};
    m->dense = (struct test_dense){N, run->problem->matrix};
    ASSERT_OK(starfish_space_runs(&m->space, context, n, &runs));
    for (int i = 0; i < SUMS; i++)
        ASSERT_OK(starfish_sums_create(&m->sums[i], runs.parts));
    for (int i = 0; i < VECTORS; i++)
        ASSERT_OK(starfish_vector_create(&m->v[i], &m->space, i < 2 ? STARFISH_F64 : precision));
    ASSERT_OK(starfish_scalars_create(&m->scalars, &m->space, 0));
    make_cells(m, run, precision);
}

static void destroy(struct made *m)
{
    ASSERT_OK(starfish_progress_wait(&m->progress));
    starfish_deflation_destroy(&m->deflation);
    starfish_replays_destroy(&m->replays);
    starfish_coefficient_table_destroy(&m->matrix);
    starfish_coefficient_table_destroy(&m->table);
    for (int i = 0; i < VECTORS; i++)
        starfish_vector_destroy(&m->v[i]);
    for (int i = 0; i < SUMS; i++)
        starfish_sums_destroy(&m->sums[i]);
    starfish_scalars_destroy(&m->scalars);
    starfish_space_destroy(&m->space);
    starfish_progress_destroy(&m->progress);
}

static struct starfish_cg method(struct made *m, const struct run *run)
{
    const struct way *way = run->way;
    const struct starfish_preconditioner other = {run->problem, run->by_turns ? apply_by_turns : apply,
                                                  way->fused && run->by == STARFISH_CELLS_BY_BLOCKS ? apply_and_sum
                                                                                                    : NULL};
    const int by_cells = way->cells && run->by != STARFISH_CELLS_BY_ANOTHER;

    return (struct starfish_cg){
        .algebra = &m->algebra,
        .scalars = &m->scalars,
        .matrix = way->cells ? starfish_cells_operator(&m->cells)
                             : (struct starfish_linear_operator){&m->dense, test_dense_residual, NULL, NULL, combine},
        .preconditioner = by_cells ? starfish_cells_preconditioner(&m->cells) : other,
        .recurrence = way->recurrence,
        .fused = way->fused,
        .deflation = way->deflated ? &m->deflation : NULL,
        .product_with_az = way->product_with_az,
        .several = &m->cells.steps,
        .b = &m->v[8],
        .x = {&m->v[0], &m->v[1]},
        .r = &m->v[2],
        .z = &m->v[3],
        .p = {&m->v[4], way->recurrence ? &m->v[4] : &m->v[6]},
        .q = &m->v[5],
        .unscale = 0.25,
        .norm = &m->sums[0],
        .pq = &m->sums[1],
        .rz = &m->sums[2]};
}

/* The recurrence solves for 4 b, and a quarter of that is added to x. */
static starfish_status solve(const struct run *run, struct starfish_iteration_report *report)
{
    struct starfish_stopping stopping = run->stopping;
    double scaled[N];
    static struct made m;

    make(&m, run);
    struct starfish_cg cg = method(&m, run);
    const struct starfish_iteration iteration = starfish_cg_iteration(&cg, STARFISH_KRYLOV_RING);
    if (run->way->recurrence || stopping.from_guess)
        test_dense_put(cg.x[0], run->x);
    for (int i = 0; i < N; i++)
        scaled[i] = 4 * run->b[i];
    test_dense_put(run->way->recurrence ? cg.r : cg.b, run->way->recurrence ? scaled : run->b);
    stopping.outer = 0.25;
    *report = (struct starfish_iteration_report){.most_count = 0};
    assert_int_equal(iteration.steps != NULL, run->way->recurrence && run->way->fused);
    const starfish_status status = starfish_iterate(&iteration, &stopping, report);
    ASSERT_OK(starfish_cg_end(&cg));
    test_dense_get(cg.x[0], run->x);
    destroy(&m);
    return status;
}

/* ---- Cases ------------------------------------------------------------------------------------------------------- */

static void assert_near(const struct run *run, int steps, const double *expected, double tolerance)
{
    for (int i = 0; i < N; i++)
        if (!(fabs(run->x[i] - expected[i]) <= tolerance))
            fail_msg("%s, preconditioner %d, %d steps: %.17g instead of %.17g at %d", run->way->name, (int)run->by,
                     steps, run->x[i], expected[i], i);
}

/* Preconditioners of a way: of the dense operator all are alike; several steps have none that the test applies. */
static int has(const struct way *way, enum starfish_cell_preconditioner by)
{
    return by != STARFISH_CELLS_BY_ANOTHER || !(way->recurrence && way->fused);
}

static void fill(double *b, unsigned seed)
{
    for (int i = 0; i < N; i++)
        b[i] = test_real_random(&seed);
}

static void steps_are_the_textbooks(void **state)
{
    static struct test_cells problem;
    (void)state;

    for (int w = 0; w < WAYS; w++)
        for (int by = 0; by <= STARFISH_CELLS_BY_ANOTHER; by++)
            for (int steps = 1; steps <= 5 && has(&ways[w], (enum starfish_cell_preconditioner)by); steps += 1 + by % 2)
                for (int guess = 0; guess < (ways[w].recurrence ? 1 : 2); guess++) {
                    double b[N], x[N], expected[N] = {0};
                    struct starfish_iteration_report report;
                    const struct run run = {.way = &ways[w],
                                            .problem = &problem,
                                            .by = (enum starfish_cell_preconditioner)by,
                                            .stopping = {.most = steps, .from_guess = guess},
                                            .b = b,
                                            .x = x};
                    test_cells_make(&problem, run.by);
                    fill(b, 3);
                    fill(x, 4);
                    for (int i = 0; i < N; i++)
                        expected[i] = x[i] = guess ? x[i] : 0;
                    textbook(&problem, ways[w].deflated, b, steps, expected);
                    ASSERT_OK(solve(&run, &report));
                    assert_int_equal(report.cycles, steps);
                    assert_near(&run, steps, expected, ways[w].wide ? 2e-5 : 1e-11);
                }
}

static void eliminate(const struct test_cells *t, const double *b, double *x)
{
    static double matrix[N * N];
    lapack_int pivots[N];

    memcpy(matrix, t->matrix, sizeof matrix);
    memcpy(x, b, N * sizeof *x);
    assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, N, 1, matrix, N, pivots, x, 1), 0);
}

/* Watched to a tolerance; the fewest steps of all are those of lines with deflation. */
static void systems_are_solved(void **state)
{
    static struct test_cells problem;
    (void)state;

    for (int w = 0; w < WAYS; w++)
        for (int by = 0; by <= STARFISH_CELLS_BY_ANOTHER; by++) {
            double b[N], x[N] = {0}, expected[N];
            struct starfish_iteration_report report;
            const struct run run = {.way = &ways[w],
                                    .problem = &problem,
                                    .by = (enum starfish_cell_preconditioner)by,
                                    .stopping = {.tolerance = ways[w].wide ? 1e-6 : 1e-12, .most = 100, .patience = 30},
                                    .b = b,
                                    .x = x};
            if (!has(&ways[w], run.by))
                continue;
            test_cells_make(&problem, run.by);
            fill(b, 3);
            eliminate(&problem, b, expected);
            ASSERT_OK(solve(&run, &report));
            assert_near(&run, report.cycles, expected, ways[w].wide ? 1e-5 : 1e-10);
            assert_true(report.cycles > 5 && report.cycles <= 2 * N);
        }
}

/* Only the flexible one converges if the preconditioner changes. */
static void preconditioners_may_change(void **state)
{
    static struct test_cells problem;
    double b[N], x[N] = {0}, expected[N];
    struct starfish_iteration_report report;
    const struct run run = {.way = &ways[0],
                            .problem = &problem,
                            .by = STARFISH_CELLS_BY_LINES,
                            .by_turns = 1,
                            .stopping = {.tolerance = 1e-12, .most = 100},
                            .b = b,
                            .x = x};
    (void)state;

    test_cells_make(&problem, run.by);
    fill(b, 5);
    eliminate(&problem, b, expected);
    ASSERT_OK(solve(&run, &report));
    assert_near(&run, report.cycles, expected, 1e-10);
}

/* -A has no positive energy: no direction leads on. */
static void matrices_that_are_not_definite_are_refused(void **state)
{
    static struct test_cells problem;
    (void)state;

    for (int w = 0; w < WAYS; w++) {
        double b[N], x[N] = {0};
        struct starfish_iteration_report report;
        const struct run run = {.way = &ways[w],
                                .problem = &problem,
                                .by = STARFISH_CELLS_BY_NOTHING,
                                .stopping = {.tolerance = 1e-6, .most = 100},
                                .b = b,
                                .x = x};
        if (ways[w].deflated)
            continue;
        test_cells_make(&problem, run.by);
        for (int i = 0; i < N * N; i++)
            problem.matrix[i] = -problem.matrix[i];
        for (int i = 0; i < 4 * N; i++)
            problem.stored[i] = -problem.stored[i];
        fill(b, 3);
        ASSERT_FAILS(solve(&run, &report), STARFISH_ERROR_NUMERICAL, "stopped falling");
        assert_near(&run, report.cycles, (double[N]){0}, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_are_the_textbooks), cmocka_unit_test(systems_are_solved),
                                       cmocka_unit_test(preconditioners_may_change),
                                       cmocka_unit_test(matrices_that_are_not_definite_are_refused)};

    return TEST_GROUP("cg", tests, &context, 0, 1, 1);
}
