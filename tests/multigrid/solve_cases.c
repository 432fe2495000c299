/* Q1 multigrid on a context: problems of every kind against elimination, options, iteration, use. */
#include "tests/multigrid/solve_cases.h"
#include "tests/multigrid/solve_problems.h"

#include "codelets/q1.h"
#include "multigrid/q1.h"
#include "tests/common/check.h"
#include "tests/common/reals.h"

#include <lapacke.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Against elimination ----------------------------------------------------------------------------------------- */

/* By LAPACK's banded Cholesky factorisation of the assembled matrix. */
static void solve_banded(const struct test_q1_mesh *mesh, double *solution)
{
    struct starfish_q1_grid grid;
    const size_t nx = mesh->n[0], n = mesh->count, band = nx + 1, rows = band + 1;
    const size_t ahead[5] = {0, 1, nx - 1, nx, nx + 1};
    double *table = calloc(starfish_band_table_start(nx, mesh->n[1], 5), sizeof *table);
    double *matrix = calloc(rows * n, sizeof *matrix);

    ASSERT_OK(starfish_q1_grid_create(&grid, &mesh->problem));
    starfish_q1_assemble(&grid, table);
    const struct starfish_band_matrix bands = starfish_band_table_point(nx, mesh->n[1], table, sizeof *table);
    for (size_t i = 0; i < n; i++)
        matrix[i * rows] = starfish_band_diagonal(&bands, i);
    for (size_t b = 1; b < 5; b++)
        for (size_t i = 0; i < n; i++)
            if (i + ahead[b] < n)
                matrix[ahead[b] + i * rows] += table[starfish_band_table_start(nx, mesh->n[1], b) + i];
    memcpy(solution, mesh->load, n * sizeof *solution);
    assert_int_equal(LAPACKE_dpbsv(LAPACK_COL_MAJOR, 'L', (lapack_int)n, (lapack_int)band, 1, matrix, (lapack_int)rows,
                                   solution, (lapack_int)n),
                     0);
    free(table);
    free(matrix);
    starfish_q1_grid_destroy(&grid);
}

/* Widths and coefficients that vary by `spread`, and random loads. */
static void make_random(struct test_q1_mesh *mesh, size_t nx, size_t ny, int neumann, double spread, int variable)
{
    unsigned seed = (unsigned)(nx + 7 * ny);

    test_q1_problem(mesh, nx, ny, neumann);
    for (int d = 0; d < 2; d++)
        for (size_t e = 0; e < mesh->problem.elements[d]; e++)
            mesh->width[d][e] = pow(spread, 0.5 * test_real_random(&seed));
    for (int d = 0; d < 2 && variable; d++) {
        mesh->problem.diffusion[d] = mesh->diffusion[d] = malloc(nx * ny * sizeof(double));
        for (size_t e = 0; e < nx * ny; e++)
            mesh->diffusion[d][e] = (d ? 20 : 1) * pow(10, 0.5 * test_real_random(&seed));
    }
    mesh->problem.reaction = neumann == 15 ? 1e-3 : 0;
    for (size_t i = 0; i < mesh->count; i++)
        mesh->load[i] = test_real_random(&seed);
}

static double largest_difference(const double *a, const double *b, size_t n)
{
    double difference = 0, largest = 0;

    for (size_t i = 0; i < n; i++) {
        difference = fmax(difference, isfinite(a[i]) ? fabs(a[i] - b[i]) : (double)INFINITY);
        largest = fmax(largest, fabs(b[i]));
    }
    return difference / largest;
}

/* Solutions of the same arithmetic: equal, unless some tasks may run on cores or on a GPU as it comes, which round
 * differently. */
static void assert_same(const double *a, const double *b, size_t n, double rounding)
{
    const int either = starfish_context_workers_of(test_q1_context, STARFISH_CPU) > 0 &&
                       starfish_context_workers_of(test_q1_context, STARFISH_GPU) > 0;
    const double difference = largest_difference(a, b, n);

    if (!(difference <= (either ? rounding : 0)))
        fail_msg("solutions differ by %.3g", difference);
}

static void check_against_elimination(const struct test_q1_mesh *mesh, const struct starfish_multigrid_options *options,
                                      double tolerance)
{
    struct starfish_multigrid_info info;
    double *solution = calloc(mesh->count, sizeof *solution), *by_elimination = calloc(mesh->count, sizeof *solution);

    ASSERT_OK(test_q1_solve(mesh, options, solution, &info));
    solve_banded(mesh, by_elimination);
    const double difference = largest_difference(solution, by_elimination, mesh->count);
    if (!(difference <= tolerance))
        fail_msg("%zu x %zu unknowns: off by %.3g after %d cycles", mesh->n[0], mesh->n[1], difference, info.cycles);
    free(solution);
    free(by_elimination);
}

/* Sizes that are no powers of two, every set of ends, variable coefficients. */
static void every_problem_is_solved(void **state)
{
    (void)state;
    static const size_t sizes[][2] = {{2, 2}, {3, 2}, {5, 40}, {37, 3}, {33, 50}, {64, 21}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int neumann = 0; neumann < 16; neumann++) {
            struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
            struct test_q1_mesh mesh;
            make_random(&mesh, sizes[s][0], sizes[s][1], neumann, 10, neumann % 2);
            options.tolerance = 1e-10;
            options.inner = neumann % 3 == 2 ? STARFISH_F32 : STARFISH_F64;
            options.tail = neumann % 2 ? 50 : 0;
            check_against_elimination(&mesh, &options, 1e-6);
            test_q1_free(&mesh);
        }
}

/* All ways of walking, cutting and smoothing lead to the same solution. */
static void every_option_solves(void **state)
{
    (void)state;
    struct test_q1_mesh mesh;
    make_random(&mesh, 34, 43, 6, 1.5, 0);
    for (int shape = STARFISH_CYCLE_V; shape <= STARFISH_CYCLE_FMG; shape++)
        for (int smoother = STARFISH_SMOOTHER_AUTO; smoother <= STARFISH_SMOOTHER_CHEBYSHEV; smoother++)
            for (int variant = 0; variant < 6; variant++) {
                static const struct {
                    int before, after, levels, guess;
                    size_t blocks, tail;
                    double digits;
                } variants[] = {{2, 1, 0, 0, 3, 100, 0}, {1, 0, 0, 0, 1, 1, 0},    {0, 2, 3, 1, 16, 90, 0},
                                {3, 2, 0, 0, 2, 1, 2},   {1, 1, 0, 1, 4, 5000, 1}, {2, 2, 0, 0, 0, 100000, 0}};
                struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
                options.shape = (starfish_cycle_shape)shape;
                options.smoother = (starfish_smoother)smoother;
                options.before = variants[variant].before;
                options.after = variants[variant].after;
                options.levels = variants[variant].levels;
                options.initial_guess = variants[variant].guess;
                options.blocks = variants[variant].blocks;
                options.tail = variants[variant].tail;
                options.inner_digits = variants[variant].digits;
                options.inner = variant % 2 ? STARFISH_F32 : STARFISH_F64;
                options.stored_diagonal = variant % 3 == 0;
                if (options.inner == STARFISH_F32 && !options.stored_diagonal &&
                    smoother != STARFISH_SMOOTHER_GAUSS_SEIDEL)
                    options.storage = variant == 1 ? STARFISH_STORAGE_F16 : STARFISH_STORAGE_BF16;
                options.tolerance = 1e-9;
                options.most_cycles = 200;
                check_against_elimination(&mesh, &options, 1e-6);
            }
    test_q1_free(&mesh);
}

/* Tasks of parts of a grid do what one task of all of it does: bit by bit, but for lines, which are solved in groups.
 */
static void cuts_change_nothing(void **state)
{
    (void)state;
    static const size_t blocks[] = {2, 7, 16};
    struct test_q1_mesh mesh;
    make_random(&mesh, 90, 75, 9, 2, 1);
    double *whole = calloc(mesh.count, sizeof *whole), *cut = calloc(mesh.count, sizeof *cut);
    for (int smoother = STARFISH_SMOOTHER_ADI; smoother <= STARFISH_SMOOTHER_CHEBYSHEV; smoother++)
        for (int mixed = 0; mixed < 2; mixed++)
            for (size_t b = 0; b < sizeof blocks / sizeof blocks[0]; b++) {
                struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
                options.smoother = (starfish_smoother)smoother;
                options.inner = mixed ? STARFISH_F32 : STARFISH_F64;
                options.tolerance = 0;
                options.most_cycles = 4;
                options.tail = 100;
                options.blocks = 1;
                ASSERT_OK(test_q1_solve(&mesh, &options, whole, NULL));
                options.blocks = blocks[b];
                ASSERT_OK(test_q1_solve(&mesh, &options, cut, NULL));
                const double rounding = mixed ? 1e-5 : 1e-12;
                if (smoother > STARFISH_SMOOTHER_LINE_Y)
                    assert_same(cut, whole, mesh.count, rounding);
                else
                    assert_true(largest_difference(cut, whole, mesh.count) <= rounding);
            }
    free(whole);
    free(cut);
    test_q1_free(&mesh);
}

/* ---- Chebyshev --------------------------------------------------------------------------------------------------- */

/* The product of 1 - w lambda over the first `count` of `steps` steps. */
static double polynomial(double part, double high, int steps, int count, double lambda)
{
    const struct starfish_smoothing smoothing = {.smoother = STARFISH_SMOOTHER_CHEBYSHEV, .damping = part};
    double product = 1;

    for (int i = 0; i < count; i++)
        product *= 1 - starfish_grid_damping(&smoothing, high, i, steps) * lambda;
    return product;
}

/* Of all polynomials that are 1 at 0 the one that is smallest on the interval, where it is at most 1 / T(x), T(x) =
 * cosh(m acosh x). */
static void chebyshev_steps_make_the_polynomial(void **state)
{
    (void)state;
    enum { POINTS = 4000 };
    const double part = 0.4, high = 1.7, expected_at = (1 + part) / (1 - part);
    for (int steps = 1; steps <= 12; steps++) {
        double largest = 0;
        for (int p = 0; p <= POINTS; p++) {
            const double lambda = high * (part + (1 - part) * p / POINTS);
            largest = fmax(largest, fabs(polynomial(part, high, steps, steps, lambda)));
        }
        assert_true(fabs(largest * cosh(steps * acosh(expected_at)) - 1) <= 1e-9);
    }
    /* no eigenvector grows on the way, however many steps: rounding errors do not */
    for (int pairs = 1; pairs <= 50; pairs++)
        for (int p = 0; p <= 100; p++)
            assert_true(fabs(polynomial(part, high, 100, 2 * pairs, high * p / 100)) <= 1 + 1e-12);
}

/* With as many steps as Jacobi a cycle reduces the residual at least as much, in every precision, tail or not. In
 * single precision cycles are counted only: they end before their factor settles. */
static void chebyshev_is_no_worse_than_jacobi(void **state)
{
    (void)state;
    static const starfish_precision precisions[][2] = {
        {STARFISH_F64, STARFISH_F64}, {STARFISH_F64, STARFISH_F32}, {STARFISH_F32, STARFISH_F32}};
    for (int p = 0; p < 3; p++)
        for (int steps = 1; steps <= 4; steps++)
            for (int tail = 0; tail < 2; tail++) {
                struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
                struct starfish_multigrid_info jacobi, chebyshev;
                options.precision = precisions[p][0];
                options.inner = precisions[p][1];
                options.inner_cycles = 1;
                options.before = options.after = steps;
                options.tail = tail ? 100000 : 1;
                options.blocks = 3;
                options.tolerance = p == 2 ? 1e-3 : 1e-8; /* single precision ends at 1e-4 */
                options.smoother = STARFISH_SMOOTHER_JACOBI;
                test_q1_error_of("U1", 6, &options, &jacobi);
                options.smoother = STARFISH_SMOOTHER_CHEBYSHEV;
                test_q1_error_of("U1", 6, &options, &chebyshev);
                assert_int_equal(chebyshev.smoother, STARFISH_SMOOTHER_CHEBYSHEV);
                if (!(chebyshev.residual <= options.tolerance && chebyshev.cycles <= jacobi.cycles &&
                      (p == 2 || chebyshev.factor <= jacobi.factor)))
                    fail_msg("%d steps: %d cycles by %.4f, Jacobi %d by %.4f", steps, chebyshev.cycles,
                             chebyshev.factor, jacobi.cycles, jacobi.factor);
            }
}

/* One task for small grids does what tasks of each do, also where dampings differ from step to step and grid to grid.
 */
static void tails_change_nothing(void **state)
{
    (void)state;
    static const size_t tails[] = {1, 300, 100000};
    struct test_q1_mesh mesh;
    make_random(&mesh, 61, 47, 6, 2, 1);
    double *first = calloc(mesh.count, sizeof *first), *other = calloc(mesh.count, sizeof *other);
    for (int smoother = STARFISH_SMOOTHER_JACOBI; smoother <= STARFISH_SMOOTHER_CHEBYSHEV; smoother++)
        for (int mixed = 0; mixed < 2; mixed++)
            for (size_t t = 0; t < sizeof tails / sizeof tails[0]; t++) {
                struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
                options.smoother = (starfish_smoother)smoother;
                options.inner = mixed ? STARFISH_F32 : STARFISH_F64;
                options.before = 3;
                options.tolerance = 0;
                options.most_cycles = 3;
                options.tail = tails[t];
                ASSERT_OK(test_q1_solve(&mesh, &options, t == 0 ? first : other, NULL));
                if (t > 0)
                    assert_same(other, first, mesh.count, mixed ? 1e-5 : 1e-12);
            }
    free(first);
    free(other);
    test_q1_free(&mesh);
}

/* ---- Conjugate gradients ----------------------------------------------------------------------------------------- */

/* Where cycles alone are slow; the error is as small. Mixed precision with one cycle in f32 for each step. */
static void conjugate_gradients_take_fewer_cycles(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int fewer;
    } cases[] = {{"A4", 3}, {"A5", 4}, {"U1", 1}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (int variant = 0; variant < 4; variant++) {
            struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
            struct starfish_multigrid_info alone, info;
            options.smoother = STARFISH_SMOOTHER_ADI;
            options.inner = variant % 2 ? STARFISH_F32 : STARFISH_F64;
            options.inner_cycles = 1;
            options.tail = variant / 2 ? 1 : 0;
            const double error = test_q1_error_of(cases[c].name, 7, &options, &alone);
            options.conjugate_gradients = 1;
            test_q1_assert_error(cases[c].name, 7, test_q1_error_of(cases[c].name, 7, &options, &info), error, 1e-4);
            assert_int_equal(info.count, info.cycles + 1);
            assert_int_equal(info.defects, variant % 2 ? info.cycles : 0);
            if (!(info.residual <= 1e-8 && info.cycles <= alone.cycles - cases[c].fewer))
                fail_msg("%s: %d cycles instead of %d", cases[c].name, info.cycles, alone.cycles);
        }
}

/* Every symmetric cycle, cut in every way, against elimination. */
static void conjugate_gradients_solve(void **state)
{
    (void)state;
    static const starfish_smoother smoothers[] = {STARFISH_SMOOTHER_AUTO,   STARFISH_SMOOTHER_ADI,
                                                  STARFISH_SMOOTHER_LINE_X, STARFISH_SMOOTHER_LINE_Y,
                                                  STARFISH_SMOOTHER_JACOBI, STARFISH_SMOOTHER_CHEBYSHEV};
    static const struct {
        int steps, levels, guess;
        size_t blocks, tail;
        double digits;
    } variants[] = {
        {2, 0, 0, 3, 100, 0}, {1, 0, 0, 1, 1, 0}, {1, 3, 1, 16, 90, 0}, {3, 0, 0, 2, 1, 2}, {1, 0, 1, 4, 5000, 1}};
    struct test_q1_mesh mesh;
    make_random(&mesh, 34, 43, 6, 1.5, 0);
    for (int w = 0; w < 2; w++)
        for (size_t s = 0; s < sizeof smoothers / sizeof smoothers[0]; s++)
            for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++) {
                struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
                options.conjugate_gradients = 1;
                options.shape = w ? STARFISH_CYCLE_W : STARFISH_CYCLE_V;
                options.smoother = smoothers[s];
                options.before = options.after = variants[v].steps;
                options.levels = variants[v].levels;
                options.initial_guess = variants[v].guess;
                options.blocks = variants[v].blocks;
                options.tail = variants[v].tail;
                options.inner_digits = variants[v].digits;
                options.inner = v % 2 ? STARFISH_F32 : STARFISH_F64;
                options.tolerance = 1e-9;
                check_against_elimination(&mesh, &options, 1e-6);
            }
    test_q1_free(&mesh);
}

/* ---- Iteration --------------------------------------------------------------------------------------------------- */

static void history_tells_every_residual(void **state)
{
    (void)state;
    struct test_q1_mesh mesh;
    struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    struct starfish_multigrid_info info;
    double norm = 0;
    test_q1_named(&mesh, "A2", 6);
    double *solution = calloc(mesh.count, sizeof *solution);
    ASSERT_OK(test_q1_solve(&mesh, &options, solution, &info));
    for (size_t i = 0; i < mesh.count; i++)
        norm += mesh.load[i] * mesh.load[i];
    assert_true(fabs(info.rhs_norm / sqrt(norm) - 1) < 1e-13);
    assert_int_equal(info.count, info.cycles + 1);
    assert_true(info.history[0] == 1 && info.history[info.count - 1] == info.residual && info.residual <= 1e-8);
    assert_true(info.history[info.count - 2] > 1e-8);
    assert_true(fabs(pow(info.factor, info.cycles) / info.residual - 1) < 1e-10);
    assert_int_equal(info.levels, 6);
    assert_true(info.seconds > 0 && info.worker[0].tasks + info.worker[1].tasks > 0);

    /* from there on nothing is to be done, and a looser end is found sooner */
    starfish_multigrid_plan *plan;
    options.initial_guess = 1;
    ASSERT_OK(starfish_q1_plan_create(test_q1_context, &mesh.problem, &options, &plan));
    ASSERT_OK(test_q1_solve_with(plan, &mesh, STARFISH_F64, 1, solution, &info));
    assert_int_equal(info.cycles, 0);
    assert_true(isnan(info.factor) && info.count == 1);
    starfish_multigrid_plan_destroy(plan);
    options.initial_guess = 0;
    options.tolerance = 0;
    options.absolute = 1e-3 * sqrt(norm);
    ASSERT_OK(test_q1_solve(&mesh, &options, solution, &info));
    assert_true(info.cycles < 4 && info.residual <= 1e-3);
    free(solution);
    test_q1_free(&mesh);
}

/* Without a tolerance cycles are counted, and no residual is computed. */
static void cycles_can_be_counted(void **state)
{
    (void)state;
    struct test_q1_mesh mesh;
    test_q1_named(&mesh, "U1", 6);
    double *solution = calloc(mesh.count, sizeof *solution), *other = calloc(mesh.count, sizeof *solution);
    for (int variant = 0; variant < 4; variant++) {
        const int mixed = variant % 2;
        struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
        struct starfish_multigrid_info info, counted;
        options.inner = mixed ? STARFISH_F32 : STARFISH_F64;
        options.conjugate_gradients = variant / 2;
        ASSERT_OK(test_q1_solve(&mesh, &options, solution, &info));
        options.tolerance = 0;
        options.most_cycles = info.cycles;
        ASSERT_OK(test_q1_solve(&mesh, &options, other, &counted));
        assert_int_equal(counted.cycles, info.cycles);
        assert_int_equal(counted.count, 0);
        assert_true(isnan(counted.residual) && isnan(counted.factor));
        assert_same(solution, other, mesh.count, mixed ? 1e-5 : 1e-12);
    }
    free(solution);
    free(other);
    test_q1_free(&mesh);
}

static void zero_gives_zero(void **state)
{
    (void)state;
    struct test_q1_mesh mesh;
    test_q1_problem(&mesh, 40, 30, 1);
    for (int d = 0; d < 2; d++)
        for (size_t e = 0; e < mesh.problem.elements[d]; e++)
            mesh.width[d][e] = 0.1;
    memset(mesh.load, 0, mesh.count * sizeof *mesh.load);
    double *solution = calloc(mesh.count, sizeof *solution);
    for (int variant = 0; variant < 4; variant++) {
        struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
        struct starfish_multigrid_info info;
        options.inner = variant % 2 ? STARFISH_F32 : STARFISH_F64;
        options.conjugate_gradients = variant / 2;
        for (size_t i = 0; i < mesh.count; i++)
            solution[i] = 1;
        ASSERT_OK(test_q1_solve(&mesh, &options, solution, &info));
        for (size_t i = 0; i < mesh.count; i++)
            assert_true(solution[i] == 0);
    }
    free(solution);
    test_q1_free(&mesh);
}

static void what_cannot_be_solved_is_told(void **state)
{
    (void)state;
    struct test_q1_mesh mesh;
    struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    struct starfish_multigrid_info info;
    test_q1_named(&mesh, "U1", 5);
    double *solution = calloc(mesh.count, sizeof *solution);
    /* rounding errors have the last word long before 1e-30 */
    options.tolerance = 1e-30;
    ASSERT_FAILS(test_q1_solve(&mesh, &options, solution, &info), STARFISH_ERROR_NUMERICAL, "stopped falling");
    assert_true(info.residual < 1e-12 && info.cycles < 60);
    /* a damping far too large diverges */
    options.tolerance = 1e-8;
    options.damping = 10;
    assert_int_equal(test_q1_solve(&mesh, &options, solution, &info), STARFISH_ERROR_NUMERICAL);
    assert_true(info.cycles <= 12);
    options.damping = 0;
    mesh.load[17] = (double)NAN;
    ASSERT_FAILS(test_q1_solve(&mesh, &options, solution, &info), STARFISH_ERROR_NUMERICAL, "rhs is not finite");
    assert_int_equal(info.cycles, 0);
    free(solution);
    test_q1_free(&mesh);
}

/* ---- Use --------------------------------------------------------------------------------------------------------- */

struct job {
    starfish_multigrid_plan *plan;
    const struct test_q1_mesh *mesh;
    double factor, *load, *solution;
    starfish_status status;
};

static void *run_job(void *data)
{
    struct job *job = data;

    for (size_t i = 0; i < job->mesh->count; i++)
        job->load[i] = job->factor * job->mesh->load[i];
    job->status = starfish_multigrid_solve(job->plan, job->load, job->solution, NULL);
    return NULL;
}

/* Multiples by powers of two of one load have the same multiples as solutions, bit by bit. */
static void threads_share_a_plan(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    struct job jobs[THREADS];
    pthread_t threads[THREADS];
    struct test_q1_mesh mesh;
    starfish_multigrid_plan *plan;
    options.tail = 200;
    options.blocks = 3;
    test_q1_named(&mesh, "A1", 6);
    ASSERT_OK(starfish_q1_plan_create(test_q1_context, &mesh.problem, &options, &plan));
    for (int t = 0; t < THREADS; t++) {
        jobs[t] = (struct job){.plan = plan, .mesh = &mesh, .factor = ldexp(1, 3 * t)};
        jobs[t].load = malloc(mesh.count * sizeof(double));
        jobs[t].solution = malloc(mesh.count * sizeof(double));
        assert_int_equal(pthread_create(&threads[t], NULL, run_job, &jobs[t]), 0);
    }
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    for (int t = 0; t < THREADS; t++) {
        assert_int_equal(jobs[t].status, STARFISH_SUCCESS);
        for (size_t i = 0; i < mesh.count; i++)
            jobs[t].solution[i] /= jobs[t].factor;
        assert_same(jobs[t].solution, jobs[0].solution, mesh.count, 1e-12);
    }
    for (int t = 0; t < THREADS; t++) {
        free(jobs[t].load);
        free(jobs[t].solution);
    }
    starfish_multigrid_plan_destroy(plan);
    test_q1_free(&mesh);
}

/* Create must fail with a message that says `part`. */
#define REFUSED(expected_status, part)                                                                                 \
    do {                                                                                                               \
        ASSERT_FAILS(starfish_q1_plan_create(test_q1_context, &p, &o, &plan), expected_status, part);                  \
        assert_null(plan);                                                                                             \
        p = mesh.problem;                                                                                              \
        o = defaults;                                                                                                  \
    } while (0)

static void bad_arguments_are_named(void **state)
{
    (void)state;
    const struct starfish_multigrid_options defaults = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    struct starfish_multigrid_options o = defaults;
    starfish_multigrid_plan *plan;
    struct test_q1_mesh mesh;
    test_q1_named(&mesh, "U1", 7);
    struct starfish_q1_problem p = mesh.problem;
    double bad[128];
    memcpy(bad, mesh.width[0], sizeof bad);
    bad[5] = 0;
    ASSERT_FAILS(starfish_q1_plan_create(NULL, &p, &o, &plan), STARFISH_ERROR_ARGUMENT, "context");
    ASSERT_FAILS(starfish_q1_plan_create(test_q1_context, NULL, &o, &plan), STARFISH_ERROR_ARGUMENT, "problem");
    ASSERT_FAILS(starfish_q1_plan_create(test_q1_context, &p, &o, NULL), STARFISH_ERROR_ARGUMENT, "plan");
    p.elements[1] = 0;
    REFUSED(STARFISH_ERROR_ARGUMENT, "elements[1]");
    p.elements[0] = 1;
    REFUSED(STARFISH_ERROR_ARGUMENT, "unknowns");
    p.width[1] = NULL;
    REFUSED(STARFISH_ERROR_ARGUMENT, "width[1]");
    p.width[0] = bad;
    REFUSED(STARFISH_ERROR_ARGUMENT, "width[0][5]");
    p.diffusion[0] = bad;
    p.elements[0] = 64;
    p.elements[1] = 2;
    REFUSED(STARFISH_ERROR_ARGUMENT, "diffusion[0][5]");
    p.ends[0][1] = STARFISH_PERIODIC;
    REFUSED(STARFISH_ERROR_ARGUMENT, "ends[0][1]");
    p.reaction = -1;
    REFUSED(STARFISH_ERROR_ARGUMENT, "reaction");
    p.ends[0][0] = p.ends[0][1] = p.ends[1][0] = p.ends[1][1] = STARFISH_NEUMANN;
    REFUSED(STARFISH_ERROR_SINGULAR, "constant");
    o.size = 1;
    REFUSED(STARFISH_ERROR_ARGUMENT, "size");
    o.precision = STARFISH_F32;
    REFUSED(STARFISH_ERROR_ARGUMENT, "inner");
    o.smoother = STARFISH_SMOOTHERS;
    REFUSED(STARFISH_ERROR_ARGUMENT, "smoother");
    o.smoother = STARFISH_SMOOTHER_LINE_Z;
    REFUSED(STARFISH_ERROR_ARGUMENT, "three dimensions");
    o.smoother = STARFISH_SMOOTHER_PLANE;
    REFUSED(STARFISH_ERROR_ARGUMENT, "three dimensions");
    o.shape = (starfish_cycle_shape)4;
    REFUSED(STARFISH_ERROR_ARGUMENT, "shape");
    o.damping = -1;
    REFUSED(STARFISH_ERROR_ARGUMENT, "damping");
    o.smoother = STARFISH_SMOOTHER_CHEBYSHEV;
    o.damping = 1;
    REFUSED(STARFISH_ERROR_ARGUMENT, "below 1");
    o.before = o.after = 0;
    REFUSED(STARFISH_ERROR_ARGUMENT, "before");
    o.tolerance = -1;
    REFUSED(STARFISH_ERROR_ARGUMENT, "tolerance");
    o.most_cycles = 0;
    REFUSED(STARFISH_ERROR_ARGUMENT, "most_cycles");
    o.inner_cycles = 0;
    REFUSED(STARFISH_ERROR_ARGUMENT, "inner_cycles");
    o.levels = 2;
    REFUSED(STARFISH_ERROR_ARGUMENT, "coarsest");
    o.blocks = 17;
    REFUSED(STARFISH_ERROR_ARGUMENT, "blocks");
    o.storage = (starfish_storage)3;
    o.inner = STARFISH_F32;
    REFUSED(STARFISH_ERROR_ARGUMENT, "storage");
    o.storage = STARFISH_STORAGE_F16;
    REFUSED(STARFISH_ERROR_ARGUMENT, "storage");
    o.storage = STARFISH_STORAGE_BF16;
    o.inner = STARFISH_F32;
    o.smoother = STARFISH_SMOOTHER_GAUSS_SEIDEL;
    REFUSED(STARFISH_ERROR_ARGUMENT, "storage");
    o.storage = STARFISH_STORAGE_BF16;
    o.inner = STARFISH_F32;
    o.stored_diagonal = 1;
    REFUSED(STARFISH_ERROR_ARGUMENT, "storage");
    o.conjugate_gradients = 1;
    o.before = 3;
    REFUSED(STARFISH_ERROR_ARGUMENT, "must be the same");
    o.conjugate_gradients = 1;
    o.shape = STARFISH_CYCLE_F;
    REFUSED(STARFISH_ERROR_ARGUMENT, "shape");
    o.conjugate_gradients = 1;
    o.smoother = STARFISH_SMOOTHER_GAUSS_SEIDEL;
    REFUSED(STARFISH_ERROR_ARGUMENT, "smoother");
    ASSERT_OK(starfish_q1_plan_create(test_q1_context, &p, NULL, &plan));
    ASSERT_FAILS(starfish_multigrid_solve(NULL, bad, bad, NULL), STARFISH_ERROR_ARGUMENT, "plan");
    ASSERT_FAILS(starfish_multigrid_solve(plan, NULL, bad, NULL), STARFISH_ERROR_ARGUMENT, "rhs");
    ASSERT_FAILS(starfish_multigrid_solve(plan, bad, NULL, NULL), STARFISH_ERROR_ARGUMENT, "solution");
    ASSERT_FAILS(starfish_multigrid_solve(plan, bad, bad, NULL), STARFISH_ERROR_ARGUMENT, "same");
    starfish_multigrid_plan_destroy(plan);
    starfish_multigrid_plan_destroy(NULL);
    test_q1_free(&mesh);
}

/* Widths whose matrix single precision cannot hold. */
static void entries_beyond_the_precision_are_refused(void **state)
{
    (void)state;
    struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    struct test_q1_mesh mesh;
    starfish_multigrid_plan *plan;
    test_q1_named(&mesh, "U1", 4);
    mesh.width[0][3] = 1e-45;
    options.inner = STARFISH_F32;
    ASSERT_FAILS(starfish_q1_plan_create(test_q1_context, &mesh.problem, &options, &plan), STARFISH_ERROR_NUMERICAL,
                 "beyond the precision");
    test_q1_free(&mesh);
    test_q1_named(&mesh, "A5", 7);
    options.storage = STARFISH_STORAGE_F16;
    ASSERT_FAILS(starfish_q1_plan_create(test_q1_context, &mesh.problem, &options, &plan), STARFISH_ERROR_NUMERICAL,
                 "16 bits");
    test_q1_free(&mesh);
}

int test_multigrid_solves(starfish_context *given, const struct test_memory *given_memory)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_problem_is_solved),
        cmocka_unit_test(every_option_solves),
        cmocka_unit_test(cuts_change_nothing),
        cmocka_unit_test(tails_change_nothing),
        cmocka_unit_test(chebyshev_steps_make_the_polynomial),
        cmocka_unit_test(chebyshev_is_no_worse_than_jacobi),
        cmocka_unit_test(conjugate_gradients_take_fewer_cycles),
        cmocka_unit_test(conjugate_gradients_solve),
        cmocka_unit_test(history_tells_every_residual),
        cmocka_unit_test(cycles_can_be_counted),
        cmocka_unit_test(zero_gives_zero),
        cmocka_unit_test(what_cannot_be_solved_is_told),
        cmocka_unit_test(threads_share_a_plan),
        cmocka_unit_test(bad_arguments_are_named),
        cmocka_unit_test(entries_beyond_the_precision_are_refused),
    };

    test_q1_context = given;
    test_q1_memory = given_memory;
    return cmocka_run_group_tests_name("solves", tests, NULL, NULL);
}
