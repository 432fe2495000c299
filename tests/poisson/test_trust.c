/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is called solved is right: hard problems of every method and precision against a dense solve in extended
 * precision; and what is said of how good a solution is. */
#include "poisson/plan.h"
#include "tests/common/about.h"
#include "tests/common/check.h"
#include "tests/common/group.h"
#include "tests/common/reals.h"
#include "tests/poisson/oracle.h"

#include <starfish/starfish.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <string.h>

static starfish_context *context;

enum { MOST = 128 }; /* unknowns */

static const double caps[] = {[STARFISH_F32] = 1e-2, [STARFISH_F64] = 1e-3};

/* ---- The dense oracle -------------------------------------------------------------------------------------------- */

/* A u = f with partial pivoting; the matrix column by column from the operator applied to unit vectors. */
static void dense_solve(const struct starfish_poisson_problem *p, const double *f, double *u)
{
    static long double a[MOST][MOST + 1];
    const size_t n = test_unknowns(p);
    for (size_t j = 0; j < n; j++) {
        double unit[MOST] = {0}, column[MOST] = {0};
        unit[j] = 1;
        test_apply(p, NULL, unit, column);
        for (size_t i = 0; i < n; i++)
            a[i][j] = column[i];
    }
    for (size_t i = 0; i < n; i++)
        a[i][n] = f[i];
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; i++)
            pivot = fabsl(a[i][k]) > fabsl(a[pivot][k]) ? i : pivot;
        for (size_t j = k; j <= n; j++) {
            const long double swapped = a[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = swapped;
        }
        for (size_t i = k + 1; i < n; i++) {
            const long double factor = a[i][k] / a[k][k];
            for (size_t j = k; j <= n; j++)
                a[i][j] -= factor * a[k][j];
        }
    }
    for (size_t i = n; i-- > 0;) {
        long double sum = a[i][n];
        for (size_t j = i + 1; j < n; j++)
            sum -= a[i][j] * (long double)u[j];
        u[i] = (double)(sum / a[i][i]);
    }
}

/* ---- Solving ----------------------------------------------------------------------------------------------------- */

struct outcome {
    starfish_status status;
    double error; /* over the largest value */
    struct starfish_result info;
};

/* The data in the plan's precision are what the oracle solves with. Plans that cannot be made are refused. */
static struct outcome solve(const struct starfish_poisson_problem *p, const struct starfish_poisson_options *options,
                            const double *f)
{
    struct outcome o = {.error = NAN, .info = STARFISH_RESULT_DEFAULTS};
    const size_t n = test_unknowns(p);
    double rhs[MOST], solution[MOST], wanted[MOST] = {0}, rounded[MOST] = {0}, largest = 0, error = 0;
    starfish_plan *plan;
    starfish_job *job;
    o.status = starfish_poisson_plan_create(context, p, options, &plan);
    if (o.status != STARFISH_SUCCESS)
        return o;
    for (size_t i = 0; i < n; i++) {
        test_real_put(rhs, options->precision, i, f[i]);
        rounded[i] = test_real_get(rhs, options->precision, i);
    }
    dense_solve(p, rounded, wanted);
    ASSERT_OK(starfish_plan_submit(plan, NULL, rhs, solution, &job));
    o.status = starfish_job_finish(job, &o.info);
    for (size_t i = 0; i < n; i++) {
        const double difference = fabs(test_real_get(solution, options->precision, i) - wanted[i]);
        largest = fmax(largest, fabs(wanted[i]));
        error = test_worst(error, difference);
    }
    o.error = largest > 0 ? error / largest : error;
    starfish_plan_destroy(plan);
    return o;
}

/* The bound is kept where the solve succeeded, and never above its cap. */
static void check_bound(const struct outcome *o, starfish_precision precision)
{
    if (o->status == STARFISH_ERROR_UNSUPPORTED) /* the plan is refused, and nothing solved */
        return;
    const double least = precision == STARFISH_F32 ? 1e-3 : 1e-8;
    assert_true(o->info.residual_bound >= least && o->info.residual_bound <= caps[precision]);
    if (o->status != STARFISH_SUCCESS)
        return;
    assert_true(o->info.residual_max <= o->info.residual_bound);
}

static struct starfish_poisson_options options_of(int method, int precision)
{
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    options.method = (starfish_method)method;
    options.precision = (starfish_precision)precision;
    options.check_residual = 1;
    return options;
}

/* By every method in both precisions: right within `tolerance` of the precision, or refused. Returns how many are right
 * of those that `must` has a bit for. */
static int solve_by_all(const char *name, const struct starfish_poisson_problem *p, const double *f,
                        const double tolerance[2], unsigned must)
{
    int right = 0;
    for (int method = STARFISH_METHOD_AUTO; method <= STARFISH_METHOD_MULTIGRID; method++)
        for (int precision = STARFISH_F32; precision <= STARFISH_F64; precision++) {
            const struct starfish_poisson_options options = options_of(method, precision);
            const struct outcome o = solve(p, &options, f);
            check_bound(&o, options.precision);
            if (o.status == STARFISH_SUCCESS && !(o.error <= tolerance[precision]))
                fail_msg("%s, method %d, precision %d: called solved with an error of %g, residual %g", name, method,
                         precision, o.error, o.info.residual_max);
            right += o.status == STARFISH_SUCCESS && must >> (2 * method + precision) & 1;
        }
    return right;
}

static unsigned bit(int method, int precision)
{
    return 1u << (2 * method + precision);
}

/* ---- Hard problems ----------------------------------------------------------------------------------------------- */

static struct starfish_poisson_problem box(const char *const axis[3], const size_t n[3], const double length[3],
                                           double lambda)
{
    struct starfish_poisson_problem p = {.lambda = lambda};
    for (int d = 0; d < 3; d++)
        p.axis[d] = test_axis(axis[d], n[d], 0, length[d]);
    return p;
}

/* A layer whose solution does not depend on z, which f32 has digits for. Methods whose elimination is as good as the
 * problem solve it; refinement brings their residual down to that of a rounded solution, as it is computed in f64. */
static void thin_layers_are_right_or_refused(void **state)
{
    (void)state;
    static const double heights[] = {1e-2, 1e-3, 1e-4, 1e-6};
    static const char *const axes[3] = {"dd node", "dd node", "nn cell"};
    for (size_t h = 0; h < sizeof heights / sizeof heights[0]; h++) {
        const struct starfish_poisson_problem p =
            box(axes, (const size_t[]){4, 4, 8}, (const double[]){1, 1, heights[h]}, 0);
        const unsigned must = bit(STARFISH_METHOD_BLKTRI, STARFISH_F32) | bit(STARFISH_METHOD_BLKTRI, STARFISH_F64) |
                              bit(STARFISH_METHOD_MULTIGRID, STARFISH_F64);
        double f[MOST];
        for (size_t i = 0; i < MOST; i++)
            f[i] = 1 + cos((double)(i % 16));
        assert_int_equal(solve_by_all("thin layer", &p, f, (const double[]){1e-5, 1e-9}, must), 3);
    }
}

/* Rows of a stretched grid sum to exactly nothing, which residuals know too: refinement keeps the digits of slab, which
 * eliminates with row sums, and brings them to the others. (The dense oracle rounds diagonals.) */
static void stretched_layers_keep_their_digits(void **state)
{
    (void)state;
    static const double x[] = {0,         4.46e-3,   6.04e-3,     6.0415e-3,   7.2e-3,
                               7.2221e-3, 7.2223e-3, 7.222502e-3, 7.222504e-3, 1.97e-2};
    struct starfish_poisson_problem p = box((const char *const[]){"nn cell", "dn cell", "nd node"},
                                            (const size_t[]){2, 3, 9}, (const double[]){620, 268, 1}, 4);
    p.axis[2] = (struct starfish_axis){.n = 9,
                                       .kind = STARFISH_STRETCHED,
                                       .grid = STARFISH_NODE,
                                       .ends = {STARFISH_DIRICHLET, STARFISH_NEUMANN},
                                       .coordinates = x,
                                       .coordinate_count = 10};
    double f[MOST], wanted[MOST] = {0}, u[MOST] = {0}, largest = 0;
    for (size_t i = 0; i < MOST; i++)
        f[i] = 1 + cos((double)i);
    for (int method = STARFISH_METHOD_SLAB; method <= STARFISH_METHOD_BLKTRI_PRODUCT; method++)
        for (int turn = 0; turn < 3; turn++) {
            const int first = method == STARFISH_METHOD_SLAB && turn == 0;
            struct starfish_poisson_options options = options_of(method, STARFISH_F64);
            starfish_plan *plan;
            double error = 0;
            options.refinements = first ? 0 : turn == 0 ? -1 : turn;
            ASSERT_OK(starfish_poisson_plan_create(context, &p, &options, &plan));
            ASSERT_OK(starfish_plan_solve(plan, NULL, f, first ? wanted : u, NULL));
            for (size_t i = 0; i < test_unknowns(&p); i++) {
                largest = fmax(largest, fabs(wanted[i]));
                error = first ? 0 : test_worst(error, fabs(u[i] - wanted[i]));
            }
            if (!(error <= 1e3 * DBL_EPSILON * largest))
                fail_msg("method %d, refinements %d: error %g", method, options.refinements, error / largest);
            starfish_plan_destroy(plan);
        }
}

/* Slab leaves the last equation of a singular line out: not where its row has next to no weight in the mean. */
static void means_keep_their_digits(void **state)
{
    (void)state;
    enum { N = 4 };
    const double lower[N] = {0, 2, 3, 5}, upper[N] = {1e-2, 1, 1e-8, 0};
    double diag[N];
    struct starfish_poisson_problem p = box((const char *const[]){"periodic", "nn cell", "nn cell"},
                                            (const size_t[]){2, 3, N}, (const double[]){1, 1, 1}, 0);
    for (int k = 0; k < N; k++)
        diag[k] = -lower[k] - upper[k];
    p.axis[2] =
        (struct starfish_axis){.kind = STARFISH_TRIDIAGONAL, .n = N, .lower = lower, .diag = diag, .upper = upper};
    struct starfish_poisson_options options = options_of(STARFISH_METHOD_SLAB, STARFISH_F64);
    starfish_plan *plan;
    assert_int_equal(starfish_poisson_plan_create(context, &p, &options, &plan), STARFISH_ERROR_UNSUPPORTED);
    assert_non_null(strstr(starfish_error_message(), "axis z"));
    options.method = STARFISH_METHOD_AUTO;
    ASSERT_OK(starfish_poisson_plan_create(context, &p, &options, &plan));
    assert_string_equal(test_about(plan).method, "blktri");
    starfish_plan_destroy(plan);
}

/* Lengths whose squares the precision holds, but not the products of a matrix's entries, which the product form
 * needs. */
static void boxes_of_any_size_are_solved_or_refused(void **state)
{
    (void)state;
    static const struct {
        starfish_precision precision;
        int power;
    } sizes[] = {{STARFISH_F64, -500}, {STARFISH_F64, -300}, {STARFISH_F64, 300}, {STARFISH_F64, 500},
                 {STARFISH_F32, -55},  {STARFISH_F32, -40},  {STARFISH_F32, 40},  {STARFISH_F32, 55}};
    static const char *const axes[2][3] = {{"periodic", "nn cell", "dn cell"}, {"nn cell", "dd node", "periodic"}};
    double f[MOST];
    for (size_t i = 0; i < MOST; i++)
        f[i] = 1 + cos((double)i);
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof sizes[0]; i++) {
        const double length = ldexp(1, sizes[i / 2].power);
        const struct starfish_poisson_problem p =
            box(axes[i % 2], (const size_t[]){4, 5, 6}, (const double[]){length, 2 * length, length}, 0);
        for (int method = STARFISH_METHOD_AUTO; method <= STARFISH_METHOD_MULTIGRID; method++) {
            const struct starfish_poisson_options options = options_of(method, (int)sizes[i / 2].precision);
            const struct outcome o = solve(&p, &options, f);
            if (method == STARFISH_METHOD_BLKTRI_PRODUCT)
                ASSERT_FAILS(o.status, STARFISH_ERROR_ARGUMENT, "of its matrix is");
            else if (o.status != STARFISH_SUCCESS || !(o.error <= 1e2 * test_real_epsilon(options.precision)))
                fail_msg("2^%d, method %d: error %g, %s", sizes[i / 2].power, method, o.error,
                         starfish_error_message());
        }
    }
}

/* One periodic row in a direction couples it to itself: nothing of it is left, in the residual as in the problem. */
static void one_periodic_row_leaves_no_noise(void **state)
{
    (void)state;
    static const char *const axes[3][3] = {
        {"periodic", "dd cell", "dn cell"}, {"dd cell", "periodic", "dn cell"}, {"dd cell", "dn cell", "periodic"}};
    static const size_t n[3][3] = {{1, 11, 10}, {11, 1, 10}, {11, 10, 1}};
    for (int which = 0; which < 3; which++)
        for (int refinements = 0; refinements <= 2; refinements++)
            for (int method = STARFISH_METHOD_SLAB; method <= STARFISH_METHOD_MULTIGRID; method++) {
                double length[3] = {1, 1.5, 2}, f[MOST];
                length[which] = 1e-3;
                const struct starfish_poisson_problem p = box(axes[which], n[which], length, 0);
                struct starfish_poisson_options options = options_of(method, STARFISH_F32);
                unsigned seed = 5;
                options.refinements = refinements;
                for (size_t i = 0; i < MOST; i++)
                    f[i] = test_real_random(&seed);
                const struct outcome o = solve(&p, &options, f);
                if (o.status != STARFISH_SUCCESS || !(o.error <= 2e-5))
                    fail_msg("one row in direction %d, method %d, refinements %d: status %d, error %g, residual %g",
                             which, method, refinements, (int)o.status, o.error, o.info.residual_max);
            }
}

/* Steps that do not help are taken back: a refined solution is as good as one that is not, or it is refused. */
static void refinement_never_makes_it_worse(void **state)
{
    (void)state;
    static const double lengths[] = {1e-6, 1e-3, 1, 1e2, 1e5};
    static const char *const ends[] = {"dd node", "nn cell", "periodic", "dn cell"};
    unsigned seed = 21;
    int solved = 0;
    for (int round = 0; round < 25; round++) {
        const char *axes[3];
        double length[3], f[MOST];
        for (int d = 0; d < 3; d++) {
            axes[d] = ends[(unsigned)((test_real_random(&seed) + 1) * 2) % 4];
            length[d] = lengths[(unsigned)((test_real_random(&seed) + 1) * 2.5) % 5];
        }
        const struct starfish_poisson_problem p = box(axes, (const size_t[]){4, 5, 6}, length, -1e-3);
        for (size_t i = 0; i < MOST; i++)
            f[i] = test_real_random(&seed);
        for (int method = STARFISH_METHOD_SLAB; method <= STARFISH_METHOD_BLKTRI_PRODUCT; method++) {
            struct starfish_poisson_options options = options_of(method, STARFISH_F32);
            options.refinements = 0;
            const struct outcome plain = solve(&p, &options, f);
            options.refinements = 2;
            const struct outcome refined = solve(&p, &options, f);
            if (refined.status != STARFISH_SUCCESS)
                continue;
            solved++;
            if (!(refined.error <= 1e-3) ||
                (plain.status == STARFISH_SUCCESS && refined.error > 2 * plain.error + 1e-6))
                fail_msg("round %d, method %d: error %g, refined %g, correction %g", round, method, plain.error,
                         refined.error, refined.info.correction);
        }
    }
    assert_true(solved >= 10);
}

/* A right-hand side that is nothing beside the boundary data is no measure of the residual; lambda sits between two
 * modes, where eliminations lose digits. */
static void boundary_data_count_in_the_bound(void **state)
{
    (void)state;
    enum { N = 50 };
    static const char *const axes[3] = {"periodic", "periodic", "dd node"};
    const struct starfish_poisson_problem p =
        box(axes, (const size_t[]){1, 1, N}, (const double[]){1, 1, 1}, 5202.0000000000055);
    const struct starfish_boundary boundary = {.constant = {[2] = {300, 1}}};
    double zero[N] = {0}, moved[N], f[N], wanted[N];
    test_apply(&p, &boundary, zero, moved);
    for (int i = 0; i < N; i++)
        moved[i] = 1e-30 - moved[i];
    dense_solve(&p, moved, wanted);
    for (int method = STARFISH_METHOD_AUTO; method <= STARFISH_METHOD_BLKTRI_PRODUCT; method++)
        for (int precision = STARFISH_F32; precision <= STARFISH_F64; precision++) {
            const struct starfish_poisson_options options = options_of(method, precision);
            struct starfish_result info = STARFISH_RESULT_DEFAULTS;
            starfish_plan *plan;
            starfish_job *job;
            double solution[N], error = 0, largest = 0;
            ASSERT_OK(starfish_poisson_plan_create(context, &p, &options, &plan));
            for (size_t i = 0; i < N; i++)
                test_real_put(f, options.precision, i, 1e-30);
            ASSERT_OK(starfish_plan_submit(plan, &boundary, f, solution, &job));
            const starfish_status status = starfish_job_finish(job, &info);
            assert_true(info.residual_bound <= caps[precision]);
            for (size_t i = 0; i < N; i++) {
                error = test_worst(error, fabs(test_real_get(solution, options.precision, i) - wanted[i]));
                largest = fmax(largest, fabs(wanted[i]));
            }
            if (status == STARFISH_SUCCESS && !(error <= 1e-3 * largest))
                fail_msg("method %d, precision %d: called solved with an error of %g", method, precision,
                         error / largest);
            starfish_plan_destroy(plan);
        }
}

/* Rows that differ by many orders of magnitude: the product form loses digits, and gets them back. */
static void scaled_rows_are_right_or_refused(void **state)
{
    (void)state;
    enum { N = 8 };
    for (int range = 2; range <= 10; range += 4) {
        double lower[N], diag[N], upper[N], f[MOST];
        unsigned seed = 9;
        struct starfish_poisson_problem p = box((const char *const[]){"periodic", "dd node", "dd node"},
                                                (const size_t[]){3, N, 5}, (const double[]){1, 1, 1}, 0);
        for (int k = 0; k < N; k++) {
            const double scale = pow(10, range * test_real_random(&seed));
            lower[k] = upper[k] = scale;
            diag[k] = -2.5 * scale;
        }
        p.axis[1] =
            (struct starfish_axis){.kind = STARFISH_TRIDIAGONAL, .n = N, .lower = lower, .diag = diag, .upper = upper};
        for (size_t i = 0; i < MOST; i++)
            f[i] = test_real_random(&seed);
        solve_by_all("scaled rows", &p, f, (const double[]){1e-3, 1e-9}, 0);
    }
}

/* ---- Ordinary ones ----------------------------------------------------------------------------------------------- */

/* They are solved without a step of refinement, and what is known of them is told, to programs of any age. */
static void ordinary_problems_are_not_refined(void **state)
{
    (void)state;
    static const char *const axes[][3] = {{"periodic", "dd node", "nn cell"}, {"dn cell", "nd node", "dd cell"}};
    for (size_t a = 0; a < sizeof axes / sizeof axes[0]; a++) {
        const struct starfish_poisson_problem p =
            box(axes[a], (const size_t[]){4, 5, 6}, (const double[]){1, 2, 1.5}, 0);
        double f[MOST];
        unsigned seed = 3;
        for (size_t i = 0; i < MOST; i++)
            f[i] = test_real_random(&seed);
        for (int method = STARFISH_METHOD_AUTO; method <= STARFISH_METHOD_MULTIGRID; method++)
            for (int precision = STARFISH_F32; precision <= STARFISH_F64; precision++) {
                const struct starfish_poisson_options options = options_of(method, precision);
                const struct outcome o = solve(&p, &options, f);
                assert_int_equal(o.status, STARFISH_SUCCESS);
                assert_true(o.error <= 1e3 * test_real_epsilon(options.precision) || o.error <= 1e-9);
                assert_true(o.info.refinements == 0 && isnan(o.info.correction));
                check_bound(&o, options.precision);
            }
    }
}

/* Nor are grids of sizes that time is spent on, uniform or mildly stretched; a plan knows before the first solve. */
static void ordinary_plans_have_no_refinement(void **state)
{
    (void)state;
    enum { LONGEST = 128 };
    static const struct {
        const char *axis[3];
        size_t n[3];
        double length[3], stretched; /* of y: the largest spacing over the smallest; 0: uniform */
    } rows[] = {
        {{"dd node", "dd node", "dd node"}, {32, 32, 32}, {1, 1, 1}, 0},
        {{"nn cell", "dd node", "nn cell"}, {32, 32, 32}, {1, 1, 1}, 0},
        {{"periodic", "periodic", "dn cell"}, {64, 64, 64}, {1, 1, 1}, 0},
        {{"nn cell", "nn cell", "nn cell"}, {64, 48, 32}, {1, 1, 1}, 0},
        {{"dd node", "dd node", "dd node"}, {128, 64, 32}, {4, 2, 1}, 0},
        {{"dd node", "dd cell", "dd node"}, {32, 128, 128}, {1, 1, 1}, 5},
        {{"periodic", "nn cell", "dn cell"}, {32, 128, 128}, {1, 1, 1}, 5},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct starfish_poisson_problem p = box(rows[r].axis, rows[r].n, rows[r].length, 0);
        struct starfish_axis *const y = &p.axis[1];
        double faces[LONGEST + 1];
        const double steep = acosh(sqrt(fmax(rows[r].stretched, 1)));
        for (size_t k = 0; k <= y->n && steep > 0; k++)
            faces[k] = (1 + tanh(steep * (2.0 * (double)k / (double)y->n - 1)) / tanh(steep)) / 2;
        if (steep > 0) {
            y->kind = STARFISH_STRETCHED;
            y->coordinates = faces;
            y->coordinate_count = y->n + 1;
        }
        for (int method = STARFISH_METHOD_AUTO; method <= STARFISH_METHOD_BLKTRI_PRODUCT; method++)
            for (int precision = STARFISH_F32; precision <= STARFISH_F64; precision++) {
                const struct starfish_poisson_options options = options_of(method, precision);
                starfish_plan *plan;
                ASSERT_OK(starfish_poisson_plan_create(context, &p, &options, &plan));
                const int steps = ((struct starfish_poisson_plan *)plan)->refinements;
                if (steps != 0)
                    fail_msg("row %zu, method %d, precision %d: %d steps", r, method, precision, steps);
                starfish_plan_destroy(plan);
            }
    }
}

/* ---- Data that are none ------------------------------------------------------------------------------------------ */

static void what_is_not_finite_is_named(void **state)
{
    (void)state;
    enum { NX = 4, NY = 5, NZ = 6, COUNT = NX * NY * NZ };
    static const char *const axes[3] = {"dd node", "dd node", "dd cell"};
    const struct starfish_poisson_problem p = box(axes, (const size_t[]){NX, NY, NZ}, (const double[]){1, 1, 1}, 0);
    for (int variant = 0; variant < 24; variant++) {
        struct starfish_poisson_options options = options_of(1 + variant % 4, variant / 4 % 2);
        const int what = variant / 8; /* right-hand side, array, constant */
        const double bad = variant % 3 ? NAN : INFINITY;
        double rhs[COUNT], u[COUNT], face[NX * NZ];
        struct starfish_boundary boundary = {.array = {[1] = {NULL, face}}};
        starfish_plan *plan;
        options.check_data = 1;
        options.slabs = 2;
        for (size_t i = 0; i < COUNT; i++)
            test_real_put(rhs, options.precision, i, 1);
        for (size_t i = 0; i < NX * NZ; i++)
            test_real_put(face, options.precision, i, 1);
        ASSERT_OK(starfish_poisson_plan_create(context, &p, &options, &plan));
        ASSERT_OK(starfish_plan_solve(plan, &boundary, rhs, u, NULL));
        if (what == 0) {
            test_real_put(rhs, options.precision, COUNT - 1, bad);
            test_real_put(rhs, options.precision, 2 + NX * (3 + NY * 1), bad);
        } else if (what == 1) {
            test_real_put(face, options.precision, 7, bad);
        } else {
            boundary.constant[2][0] = bad;
        }
        static const char *const messages[] = {"rhs is not finite at (2, 3, 1)",
                                               "boundary.array[1][1] is not finite at 7",
                                               "boundary.constant[2][0] is not finite"};
        ASSERT_FAILS(starfish_plan_solve(plan, &boundary, rhs, u, NULL), STARFISH_ERROR_ARGUMENT, messages[what]);
        starfish_plan_destroy(plan);
    }
}

/* A coefficient that f32 has no value for would be infinite, or couple nothing. */
static void what_f32_does_not_hold_is_named(void **state)
{
    (void)state;
    enum { N = 5 };
    static const struct {
        double lower, diag, upper, lambda;
        const char *message;
    } cases[] = {
        {1, -3, 1, 0, NULL},
        {1e-50, -3, 1, 0, "axis y: lower[1] of its matrix is 1e-50"},
        {1, -3e60, 1, 0, "axis y: diag[0] of its matrix is -3e+60"},
        {1, -3, 1e-44, 0, "axis y: upper[0] of its matrix is 1e-44"},
        {1, -3, 1, -1e-60, "lambda is -1e-60"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (int precision = STARFISH_F32; precision <= STARFISH_F64; precision++) {
            double lower[N], diag[N], upper[N];
            struct starfish_poisson_problem p =
                box((const char *const[]){"periodic", "dd node", "dd node"}, (const size_t[]){4, N, 6},
                    (const double[]){1, 1, 1}, cases[c].lambda);
            const struct starfish_poisson_options options = options_of(STARFISH_METHOD_AUTO, precision);
            starfish_plan *plan = NULL;
            for (int k = 0; k < N; k++) {
                lower[k] = cases[c].lower;
                diag[k] = cases[c].diag;
                upper[k] = cases[c].upper;
            }
            p.axis[1] = (struct starfish_axis){
                .kind = STARFISH_TRIDIAGONAL, .n = N, .lower = lower, .diag = diag, .upper = upper};
            if (precision == STARFISH_F32 && cases[c].message)
                ASSERT_FAILS(starfish_poisson_plan_create(context, &p, &options, &plan), STARFISH_ERROR_ARGUMENT,
                             cases[c].message);
            else
                ASSERT_OK(starfish_poisson_plan_create(context, &p, &options, &plan));
            starfish_plan_destroy(plan);
        }
}

static void boundary_constants_fit_into_f32(void **state)
{
    (void)state;
    static const double constants[] = {1e-50, -1e40};
    static const char *const messages[] = {"boundary.constant[2][1] is 1e-50", "boundary.constant[2][1] is -1e+40"};
    static const char *const axes[3] = {"periodic", "dd node", "dd cell"};
    const struct starfish_poisson_problem p = box(axes, (const size_t[]){4, 5, 6}, (const double[]){1, 1, 1}, 0);
    for (int c = 0; c < 4; c++) {
        const struct starfish_poisson_options options = options_of(STARFISH_METHOD_AUTO, c % 2);
        const struct starfish_boundary boundary = {.constant = {[2] = {0, constants[c / 2]}}};
        double rhs[MOST] = {0}, u[MOST];
        starfish_plan *plan;
        ASSERT_OK(starfish_poisson_plan_create(context, &p, &options, &plan));
        if (options.precision == STARFISH_F32)
            ASSERT_FAILS(starfish_plan_solve(plan, &boundary, rhs, u, NULL), STARFISH_ERROR_ARGUMENT, messages[c / 2]);
        else
            ASSERT_OK(starfish_plan_solve(plan, &boundary, rhs, u, NULL));
        starfish_plan_destroy(plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thin_layers_are_right_or_refused),  cmocka_unit_test(stretched_layers_keep_their_digits),
        cmocka_unit_test(means_keep_their_digits),           cmocka_unit_test(boxes_of_any_size_are_solved_or_refused),
        cmocka_unit_test(one_periodic_row_leaves_no_noise),  cmocka_unit_test(refinement_never_makes_it_worse),
        cmocka_unit_test(boundary_data_count_in_the_bound),  cmocka_unit_test(scaled_rows_are_right_or_refused),
        cmocka_unit_test(ordinary_problems_are_not_refined), cmocka_unit_test(ordinary_plans_have_no_refinement),
        cmocka_unit_test(what_is_not_finite_is_named),       cmocka_unit_test(what_f32_does_not_hold_is_named),
        cmocka_unit_test(boundary_constants_fit_into_f32),
    };
    return TEST_GROUP("trust", tests, &context, 0, -1, 0);
}
