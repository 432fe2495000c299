/* 3D multigrid on a context. The oracle is the finite-volume operator, written down face by face from widths and
 * coefficients. */
#include "tests/multigrid/flux_solve_cases.h"

#include "base/real.h"
#include "tests/common/check.h"
#include "tests/common/reals.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static starfish_context *context;
static const struct test_memory *memory;
static int few; /* a part of the cases will do */

/* ---- Problems ---------------------------------------------------------------------------------------------------- */

struct box {
    struct starfish_stencil_problem problem;
    double *width[3], *diffusion[3];
    size_t count;
};

enum ends { DD, DN, ND, NN, PERIODIC, ENDS };
static const starfish_end pairs[ENDS][2] = {{STARFISH_DIRICHLET, STARFISH_DIRICHLET},
                                            {STARFISH_DIRICHLET, STARFISH_NEUMANN},
                                            {STARFISH_NEUMANN, STARFISH_DIRICHLET},
                                            {STARFISH_NEUMANN, STARFISH_NEUMANN},
                                            {STARFISH_PERIODIC, STARFISH_PERIODIC}};

/* Equal widths, of 1 / n; stretch: the largest over the smallest, in a geometric row. */
static void make_box(struct box *box, starfish_grid grid, const size_t n[3], const enum ends ends[3],
                     const double stretch[3])
{
    memset(box, 0, sizeof *box);
    box->problem.grid = grid;
    box->count = n[0] * n[1] * n[2];
    for (int d = 0; d < 3; d++) {
        box->problem.n[d] = n[d];
        memcpy(box->problem.ends[d], pairs[ends[d]], sizeof pairs[0]);
        box->problem.width[d] = box->width[d] = malloc((n[d] + 1) * sizeof(double));
        for (size_t i = 0; i <= n[d]; i++)
            box->width[d][i] = pow(stretch ? stretch[d] : 1, n[d] > 1 ? (double)i / (double)n[d] : 0) / (double)n[d];
    }
}

static void make_cube(struct box *box, size_t n, enum ends ends)
{
    make_box(box, STARFISH_NODE, (const size_t[]){n, n, n}, (const enum ends[]){ends, ends, ends}, NULL);
}

static void free_box(struct box *box)
{
    for (int d = 0; d < 3; d++) {
        free(box->width[d]);
        free(box->diffusion[d]);
    }
}

/* ---- The operator, naively --------------------------------------------------------------------------------------- */

/* Distance from unknown i of direction d to the next in the sense of `up`, 0 where there is only a Neumann end; and the
 * width of its control volume. */
static double half_width(const struct starfish_stencil_problem *p, int d, size_t i, int up)
{
    const size_t n = p->n[d], low = p->ends[d][0] == STARFISH_DIRICHLET;
    const int outside = up ? i + 1 == n : i == 0;

    if (p->grid == STARFISH_CELL)
        return p->width[d][i] / 2;
    if (outside && p->ends[d][up] == STARFISH_NEUMANN)
        return 0;
    if (outside && p->ends[d][up] == STARFISH_PERIODIC)
        return p->width[d][n - 1] / 2;
    return p->width[d][up ? i + low : i + low - 1] / 2;
}

static double volume_width(const struct starfish_stencil_problem *p, int d, size_t i)
{
    return half_width(p, d, i, 0) + half_width(p, d, i, 1);
}

struct face {
    double conductance; /* for a unit of area */
    int outside;        /* the value beyond is 0 */
    size_t neighbour;
};

static struct face face_of(const struct starfish_stencil_problem *p, int d, const size_t index[3], int up)
{
    const size_t i = index[d], n = p->n[d], stride = d == 0 ? 1 : d == 1 ? p->n[0] : p->n[0] * p->n[1];
    const size_t self = index[0] + p->n[0] * (index[1] + p->n[1] * index[2]);
    const int end = up ? i + 1 == n : i == 0;
    const starfish_end kind = p->ends[d][up];
    struct face face = {.outside = end && kind == STARFISH_DIRICHLET};
    const size_t next = up ? (end ? 0 : i + 1) : (end ? n - 1 : i - 1);
    const double *diffusion = p->diffusion[d];

    face.neighbour = self + (next - i) * stride;
    if (end && (kind == STARFISH_NEUMANN || (kind == STARFISH_PERIODIC && n == 1)))
        return face;
    double resistance = half_width(p, d, i, up) / (diffusion ? diffusion[self] : 1);
    if (!face.outside)
        resistance += half_width(p, d, next, !up) / (diffusion ? diffusion[face.neighbour] : 1);
    else if (p->grid == STARFISH_NODE)
        resistance *= 2; /* up to the node at the end */
    face.conductance = 1 / resistance;
    return face;
}

static double apply_at(const struct starfish_stencil_problem *p, const double *u, size_t e)
{
    const size_t index[3] = {e % p->n[0], e / p->n[0] % p->n[1], e / p->n[0] / p->n[1]};
    double width[3], sum;

    for (int d = 0; d < 3; d++)
        width[d] = volume_width(p, d, index[d]);
    sum = p->reaction * width[0] * width[1] * width[2] * u[e];
    for (int d = 0; d < 3; d++)
        for (int up = 0; up < 2; up++) {
            const struct face face = face_of(p, d, index, up);
            const double area = width[(d + 1) % 3] * width[(d + 2) % 3];
            sum += area * face.conductance * (u[e] - (face.outside ? 0 : u[face.neighbour]));
        }
    return sum;
}

static double volume_at(const struct starfish_stencil_problem *p, size_t e)
{
    return volume_width(p, 0, e % p->n[0]) * volume_width(p, 1, e / p->n[0] % p->n[1]) *
           volume_width(p, 2, e / p->n[0] / p->n[1]);
}

static double *random_values(size_t count, unsigned seed)
{
    double *values = calloc(count, sizeof *values);

    for (size_t e = 0; e < count; e++)
        values[e] = test_real_random(&seed);
    return values;
}

/* ---- Solving ----------------------------------------------------------------------------------------------------- */

static starfish_status solve_with(starfish_multigrid_plan *plan, size_t count,
                                  const struct starfish_multigrid_options *options, const double *f, double *u,
                                  struct starfish_multigrid_info *info)
{
    const size_t size = starfish_real_size(options->precision);
    void *host = malloc(2 * count * size);
    char *second = (char *)host + count * size;

    for (size_t e = 0; e < count; e++) {
        test_real_put(host, options->precision, e, f[e]);
        test_real_put(second, options->precision, e, u[e]);
    }
    const void *rhs = memory->upload(host, count * size);
    void *solution = memory->upload(options->initial_guess ? second : NULL, count * size);
    const starfish_status status = starfish_multigrid_solve(plan, rhs, solution, info);
    memory->download(host, solution, count * size);
    for (size_t e = 0; e < count; e++)
        u[e] = test_real_get(host, options->precision, e);
    memory->release();
    free(host);
    return status;
}

static starfish_status solve(const struct box *box, const struct starfish_multigrid_options *options, const double *f,
                             double *u, struct starfish_multigrid_info *info)
{
    starfish_multigrid_plan *plan;

    ASSERT_OK(starfish_stencil_plan_create(context, &box->problem, options, &plan));
    const starfish_status status = solve_with(plan, box->count, options, f, u, info);
    starfish_multigrid_plan_destroy(plan);
    return status;
}

static double largest_difference(const double *a, const double *b, size_t count)
{
    double most = 0;
    for (size_t e = 0; e < count; e++)
        if (!(fabs(a[e] - b[e]) <= most))
            most = fabs(a[e] - b[e]);
    return most;
}

/* Random u, f = A u, solved back: the error over the largest u, which is 1. */
static double recover(const struct box *box, const struct starfish_multigrid_options *options,
                      struct starfish_multigrid_info *info)
{
    double *u = random_values(box->count, 7), *f = malloc(box->count * sizeof *f);
    double *v = calloc(box->count, sizeof *v);

    for (size_t e = 0; e < box->count; e++)
        f[e] = apply_at(&box->problem, u, e);
    const starfish_status status = solve(box, options, f, v, info);
    if (status != STARFISH_SUCCESS)
        fail_msg("%zu x %zu x %zu: %s", box->problem.n[0], box->problem.n[1], box->problem.n[2],
                 starfish_error_message());
    const double error = largest_difference(u, v, box->count);
    free(u);
    free(f);
    free(v);
    return error;
}

static const starfish_smoother smoothers[] = {
    STARFISH_SMOOTHER_AUTO,         STARFISH_SMOOTHER_ADI,       STARFISH_SMOOTHER_LINE_X,
    STARFISH_SMOOTHER_LINE_Y,       STARFISH_SMOOTHER_LINE_Z,    STARFISH_SMOOTHER_JACOBI,
    STARFISH_SMOOTHER_GAUSS_SEIDEL, STARFISH_SMOOTHER_CHEBYSHEV, STARFISH_SMOOTHER_PLANE};
enum { SMOOTHERS = sizeof smoothers / sizeof smoothers[0] };

static struct starfish_multigrid_options with(starfish_smoother smoother, int steps, double tolerance)
{
    struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;

    options.smoother = smoother;
    options.before = options.after = steps;
    options.tolerance = tolerance;
    options.most_cycles = 300;
    return options;
}

/* ---- Every kind of problem --------------------------------------------------------------------------------------- */

/* Ends of all pairs on both grids, sizes even and odd, small and 1, uniform and stretched; with a reaction, so that
 * none is singular. */
static void every_problem_is_solved(void **state)
{
    (void)state;
    static const size_t sizes[][3] = {{9, 12, 7}, {16, 5, 11}, {1, 14, 9}, {13, 1, 1}, {2, 3, 20}, {1, 1, 1}};
    static const double stretch[][3] = {{1, 1, 1}, {1, 30, 1}, {10, 0.1, 20}};

    for (int c = 0; c < ENDS * ENDS * ENDS; c += few ? 7 : 1)
        for (int cell = 0; cell < 2; cell++) {
            const enum ends ends[3] = {(enum ends)(c % ENDS), (enum ends)(c / ENDS % ENDS),
                                       (enum ends)(c / ENDS / ENDS)};
            const size_t *n = sizes[(size_t)c % (cell ? 6 : 2)];
            struct starfish_multigrid_options options = with(smoothers[c % SMOOTHERS], 1 + c % 2, 1e-11);
            struct box box;
            make_box(&box, cell ? STARFISH_CELL : STARFISH_NODE, n, ends, stretch[c / 2 % 3]);
            box.problem.reaction = 40;
            options.inner = c % 3 == 1 ? STARFISH_F32 : STARFISH_F64;
            options.conjugate_gradients = c % 4 == 2;
            const double error = recover(&box, &options, NULL);
            if (!(error < 1e-7))
                fail_msg("case %d, grid %d, smoother %d: error %g", c, cell, (int)options.smoother, error);
            free_box(&box);
        }
}

/* Coefficients that jump by a factor of 1000 at planes, the same in all directions or not, and random ones. */
static void fill_diffusion(struct box *box, int kind)
{
    const size_t *n = box->problem.n;
    unsigned seed = 3;

    for (int d = 0; d < 3; d++) {
        box->problem.diffusion[d] = box->diffusion[d] = malloc(box->count * sizeof(double));
        for (size_t e = 0; e < box->count; e++) {
            const int inside = e % n[0] > n[0] / 2 && e / n[0] % n[1] > n[1] / 3 && e / n[0] / n[1] < n[2] / 2;
            box->diffusion[d][e] = kind == 0   ? (inside ? 1000 : 1)
                                   : kind == 1 ? pow(10, test_real_random(&seed))
                                               : (d == 2 ? 1e-3 : 1);
        }
    }
}

static void variable_coefficients_are_solved(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++)
        for (int s = 0; s < SMOOTHERS; s++)
            for (int cg = 0; cg < 2; cg++) {
                struct starfish_multigrid_options options = with(smoothers[s], 2, 1e-10);
                struct starfish_multigrid_info info;
                struct box box;
                make_box(&box, STARFISH_CELL, (const size_t[]){20, 17, 24},
                         (const enum ends[]){DD, kind == 1 ? PERIODIC : DN, NN}, NULL);
                fill_diffusion(&box, kind);
                options.conjugate_gradients = cg;
                options.inner = s % 2 ? STARFISH_F32 : STARFISH_F64;
                const double error = recover(&box, &options, &info);
                if (!(error < 1e-5) || (cg && !(info.cycles < 80)))
                    fail_msg("coefficients %d, smoother %d, cg %d: error %g after %d cycles", kind, (int)smoothers[s],
                             cg, error, info.cycles);
                free_box(&box);
            }
}

/* Coefficients of 1 that are stored make no other matrix than those that are not. */
static void stored_and_tensor_form_agree(void **state)
{
    (void)state;
    const size_t n[3] = {19, 24, 18};
    struct starfish_multigrid_options options = with(STARFISH_SMOOTHER_GAUSS_SEIDEL, 1, 0);
    double *one = malloc(n[0] * n[1] * n[2] * sizeof *one);
    struct box box;

    options.most_cycles = 3;
    make_box(&box, STARFISH_CELL, n, (const enum ends[]){DN, PERIODIC, DD}, (const double[]){3, 1, 2});
    box.problem.reaction = 0.5;
    double *f = random_values(box.count, 4), *u = calloc(box.count, sizeof *u), *v = calloc(box.count, sizeof *v);
    ASSERT_OK(solve(&box, &options, f, u, NULL));
    for (size_t e = 0; e < box.count; e++)
        one[e] = 1;
    box.problem.diffusion[1] = one;
    ASSERT_OK(solve(&box, &options, f, v, NULL));
    double most = 0;
    for (size_t e = 0; e < box.count; e++)
        most = fmax(most, fabs(u[e]));
    assert_true(largest_difference(u, v, box.count) < 1e-11 * most);
    free(one);
    free(f);
    free(u);
    free(v);
    free_box(&box);
}

/* f of any mean: that is taken off and told, and the solution has mean zero, whether f is given as integrals or as
 * values. */
static void singular_problems_are_solved(void **state)
{
    (void)state;
    for (int c = 0; c < 16; c++) {
        const double factor = c % 4 < 2 ? 0 : c % 4 == 2 ? 1 : -2.5;
        const enum ends ends[3] = {c % 2 ? PERIODIC : NN, NN, c / 4 % 2 ? PERIODIC : NN};
        struct starfish_multigrid_options options = with(STARFISH_SMOOTHER_AUTO, 1, 1e-11);
        struct starfish_multigrid_info info;
        struct box box;
        make_box(&box, c / 8 ? STARFISH_CELL : STARFISH_NODE, (const size_t[]){17, 12, 9}, ends,
                 (const double[]){1, 2, 1});
        box.problem.rhs_factor = factor;
        options.conjugate_gradients = c % 3 == 0;
        options.inner = c % 5 == 0 ? STARFISH_F32 : STARFISH_F64;
        double *u = random_values(box.count, 7), *f = malloc(box.count * sizeof *f), mean = 0, all = 0;
        double *v = calloc(box.count, sizeof *v);
        for (size_t e = 0; e < box.count; e++) {
            mean += volume_at(&box.problem, e) * u[e];
            all += volume_at(&box.problem, e);
        }
        for (size_t e = 0; e < box.count; e++)
            u[e] -= mean / all;
        for (size_t e = 0; e < box.count; e++) {
            const double volume = volume_at(&box.problem, e), integral = apply_at(&box.problem, u, e);
            f[e] = factor == 0 ? integral + 0.75 * volume : integral / volume / factor + 0.75;
        }
        ASSERT_OK(solve(&box, &options, f, v, &info));
        const double error = largest_difference(u, v, box.count);
        if (!(error < 1e-8) || !(fabs(info.removed - 0.75) < 1e-9))
            fail_msg("case %d: error %g, removed %g", c, error, info.removed);
        free(u);
        free(f);
        free(v);
        free_box(&box);
    }
}

/* What is left of a right-hand side that is nothing but its mean is rounding errors, which no cycle can make smaller.
 */
static void nothing_is_left_of_a_constant(void **state)
{
    (void)state;
    for (int c = 0; c < 8; c++) {
        struct starfish_multigrid_options options = with(STARFISH_SMOOTHER_AUTO, 1, 1e-10);
        struct starfish_multigrid_info info;
        struct box box;
        make_box(&box, STARFISH_CELL, (const size_t[]){11, 12, 9}, (const enum ends[]){NN, PERIODIC, NN},
                 (const double[]){3, 1, 2});
        box.problem.rhs_factor = -1;
        options.conjugate_gradients = c % 2;
        options.inner = c / 2 % 2 ? STARFISH_F32 : STARFISH_F64;
        options.precision = c / 4 ? options.inner : STARFISH_F64;
        double *f = malloc(box.count * sizeof *f), *u = calloc(box.count, sizeof *u), most = 0;
        for (size_t e = 0; e < box.count; e++)
            f[e] = 2.3;
        ASSERT_OK(solve(&box, &options, f, u, &info));
        for (size_t e = 0; e < box.count; e++)
            most = fmax(most, fabs(u[e]));
        if (!(most < (options.precision == STARFISH_F32 ? 1e-4 : 1e-13)) || !(fabs(info.removed - 2.3) < 1e-6))
            fail_msg("case %d: the largest value is %g, removed %g", c, most, info.removed);
        free(f);
        free(u);
        free_box(&box);
    }
}

static void scale_widths(struct box *box, const double scale[3])
{
    for (int d = 0; d < 3; d++)
        for (size_t i = 0; i < box->problem.n[d]; i++)
            box->width[d][i] *= scale[d];
}

/* ---- How fast ---------------------------------------------------------------------------------------------------- */

/* Factors of V cycles on the cube with Dirichlet ends, as they were when the solver was written, and a little more. */
static void factors_are_as_stored(void **state)
{
    (void)state;
    static const struct {
        starfish_smoother smoother;
        int steps, gradients;
        double most;
    } cases[] = {{STARFISH_SMOOTHER_GAUSS_SEIDEL, 1, 0, 0.09}, {STARFISH_SMOOTHER_GAUSS_SEIDEL, 2, 0, 0.045},
                 {STARFISH_SMOOTHER_GAUSS_SEIDEL, 1, 1, 0.16}, {STARFISH_SMOOTHER_JACOBI, 1, 0, 0.47},
                 {STARFISH_SMOOTHER_CHEBYSHEV, 2, 0, 0.2},     {STARFISH_SMOOTHER_CHEBYSHEV, 2, 1, 0.09},
                 {STARFISH_SMOOTHER_LINE_X, 1, 0, 0.47},       {STARFISH_SMOOTHER_ADI, 1, 0, 0.12}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (size_t n = 31; n <= 63; n = 2 * n + 1) {
            struct starfish_multigrid_options options = with(cases[c].smoother, cases[c].steps, 1e-9);
            struct starfish_multigrid_info info;
            struct box box;
            make_cube(&box, n, DD);
            options.conjugate_gradients = cases[c].gradients;
            assert_true(recover(&box, &options, &info) < 1e-5);
            if (!(info.factor < cases[c].most))
                fail_msg("smoother %d, %d steps, cg %d, %zu^3: factor %.3f", (int)cases[c].smoother, cases[c].steps,
                         cases[c].gradients, n, info.factor);
            free_box(&box);
        }
}

/* Cells a thousand times as long as wide in one direction or in two; and widths that differ by 1000 along a direction.
 */
static void anisotropy_does_no_harm(void **state)
{
    (void)state;
    static const struct {
        double scale[3], stretch[3];
        starfish_smoother smoother, chosen;
        int most;
    } cases[] = {{{1, 1, 0.001}, {1, 1, 1}, STARFISH_SMOOTHER_AUTO, STARFISH_SMOOTHER_GAUSS_SEIDEL, 13},
                 {{1, 1, 1000}, {1, 1, 1}, STARFISH_SMOOTHER_AUTO, STARFISH_SMOOTHER_GAUSS_SEIDEL, 13},
                 {{1, 30, 1000}, {1, 1, 1}, STARFISH_SMOOTHER_AUTO, STARFISH_SMOOTHER_GAUSS_SEIDEL, 13},
                 {{1, 1, 0.01}, {1, 1, 1}, STARFISH_SMOOTHER_LINE_Z, STARFISH_SMOOTHER_LINE_Z, 16},
                 {{1, 1, 1}, {1, 1, 1000}, STARFISH_SMOOTHER_AUTO, STARFISH_SMOOTHER_LINE_Z, 16},
                 {{1, 1, 1}, {1, 1000, 1}, STARFISH_SMOOTHER_AUTO, STARFISH_SMOOTHER_LINE_Y, 16},
                 {{1, 1, 1}, {1000, 1, 1}, STARFISH_SMOOTHER_AUTO, STARFISH_SMOOTHER_LINE_X, 16},
                 {{1, 1, 1}, {10, 10, 10}, STARFISH_SMOOTHER_AUTO, STARFISH_SMOOTHER_ADI, 21}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct starfish_multigrid_options options = with(cases[c].smoother, 2, 1e-9);
        struct starfish_multigrid_info info;
        struct box box;
        make_box(&box, STARFISH_CELL, (const size_t[]){31, 32, 33}, (const enum ends[]){DD, DN, DD}, cases[c].stretch);
        scale_widths(&box, cases[c].scale);
        recover(&box, &options, &info);
        assert_int_equal(info.smoother, cases[c].chosen);
        if (!(info.cycles <= cases[c].most))
            fail_msg("case %zu: %d cycles", c, info.cycles);
        free_box(&box);
    }
}

/* ---- Planes ------------------------------------------------------------------------------------------------------ */

/* Planes that are lines and hardly coupled to each other: a sweep solves them exactly, which one cycle of damping 1
 * shows. */
static void planes_of_one_line_are_solved(void **state)
{
    (void)state;
    for (int along = 0; along < 3; along++)
        for (int across = 0; across < 3; across++) {
            if (along == across)
                continue;
            for (int ends = 0; ends < ENDS; ends++) {
                struct starfish_multigrid_options options = with(STARFISH_SMOOTHER_PLANE, 1, 0);
                size_t n[3] = {1, 1, 1};
                double scale[3] = {1, 1, 1}, width[3] = {1, 1, 1};
                enum ends all[3] = {NN, NN, NN};
                struct box box;
                n[along] = 41;
                n[across] = 7;
                scale[across] = 1e7;
                width[along] = 5;
                all[along] = (enum ends)ends;
                make_box(&box, STARFISH_CELL, n, all, width);
                scale_widths(&box, scale);
                box.problem.reaction = 3;
                options.damping = 1;
                options.most_cycles = 1;
                const double error = recover(&box, &options, NULL);
                if (!(error < 1e-9))
                    fail_msg("along %d, across %d, ends %d: error %g", along, across, ends, error);
                free_box(&box);
            }
        }
}

/* Factors as they were when it was written, and a little more. Planes hardly coupled are as good as alone: what is left
 * is the factor of the cycle in them, twice. */
static void plane_factors_are_as_stored(void **state)
{
    (void)state;
    static const struct {
        size_t n[3];
        double scale[3], stretch[3];
        int steps, gradients;
        double damping, most;
    } cases[] = {{{32, 32, 32}, {1, 1, 1}, {1, 1, 1}, 1, 0, 0, 0.035},
                 {{32, 32, 32}, {1, 1, 1}, {1, 1000, 1000}, 1, 0, 0, 0.004},
                 {{31, 32, 33}, {1, 1, 1}, {1000, 1, 1000}, 1, 0, 0, 0.005},
                 {{33, 31, 32}, {1, 1, 1}, {1000, 1000, 1}, 1, 0, 0, 0.004},
                 {{32, 32, 32}, {1, 1, 1}, {1000, 1000, 1000}, 1, 0, 0, 0.006},
                 {{32, 32, 32}, {1, 1, 1}, {1, 1000, 1000}, 1, 1, 0, 0.005},
                 {{32, 32, 32}, {1, 1, 0.001}, {1, 1, 1}, 1, 0, 0, 0.0002},
                 {{32, 32, 32}, {1, 30, 1000}, {1, 1, 1}, 1, 0, 0, 0.0002},
                 {{8, 32, 32}, {1e5, 1, 1}, {1, 1, 1}, 1, 0, 1, 0.003},
                 {{32, 8, 32}, {1, 1e5, 1}, {1, 1, 1}, 1, 0, 1, 0.003},
                 {{32, 32, 8}, {1, 1, 1e5}, {1, 1, 1}, 1, 0, 1, 0.003}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct starfish_multigrid_options options = with(STARFISH_SMOOTHER_PLANE, cases[c].steps, 1e-9);
        struct starfish_multigrid_info info;
        struct box box;
        make_box(&box, STARFISH_CELL, cases[c].n, (const enum ends[]){DD, DN, DD}, cases[c].stretch);
        scale_widths(&box, cases[c].scale);
        options.conjugate_gradients = cases[c].gradients;
        options.damping = cases[c].damping;
        recover(&box, &options, &info);
        assert_int_equal(info.smoother, STARFISH_SMOOTHER_PLANE);
        if (!(info.factor < cases[c].most))
            fail_msg("case %zu: factor %.4f", c, info.factor);
        free_box(&box);
    }
}

/* The number of cycles does not grow with the grid. */
static void cycles_do_not_grow(void **state)
{
    (void)state;
    int before = 0;
    for (size_t n = 15; n <= 95; n = 2 * n + 1) {
        const struct starfish_multigrid_options options = with(STARFISH_SMOOTHER_AUTO, 1, 1e-8);
        struct starfish_multigrid_info info;
        struct box box;
        make_cube(&box, n, DD);
        recover(&box, &options, &info);
        assert_true(before == 0 || info.cycles <= before + 1);
        before = info.cycles;
        free_box(&box);
    }
    assert_true(before <= 9);
}

/* ---- Options ----------------------------------------------------------------------------------------------------- */

static void every_option_solves(void **state)
{
    (void)state;
    static const struct {
        int before, after, levels, guess;
        size_t blocks, tail;
        double digits;
    } variants[] = {{2, 1, 0, 0, 3, 100, 0}, {1, 0, 0, 0, 1, 1, 0},    {0, 2, 3, 1, 16, 90, 0},
                    {3, 2, 0, 0, 2, 1, 2},   {1, 1, 0, 1, 4, 5000, 1}, {2, 2, 0, 0, 0, 100000, 0}};
    struct box box;
    make_box(&box, STARFISH_NODE, (const size_t[]){14, 11, 17}, (const enum ends[]){DD, ND, PERIODIC}, NULL);
    for (int shape = STARFISH_CYCLE_V; shape <= STARFISH_CYCLE_FMG; shape++)
        for (int s = shape % 2; s < SMOOTHERS; s += 2) /* half of them with each shape */
            for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++) {
                struct starfish_multigrid_options options = with(smoothers[s], 1, 1e-10);
                options.shape = (starfish_cycle_shape)shape;
                options.before = variants[v].before;
                options.after = variants[v].after;
                options.levels = variants[v].levels;
                options.initial_guess = variants[v].guess;
                options.blocks = variants[v].blocks;
                options.tail = variants[v].tail;
                options.inner_digits = variants[v].digits;
                options.inner = v % 2 ? STARFISH_F32 : STARFISH_F64;
                options.conjugate_gradients =
                    options.before == options.after && (shape == STARFISH_CYCLE_V || shape == STARFISH_CYCLE_W);
                const double error = recover(&box, &options, NULL);
                if (!(error < 1e-7))
                    fail_msg("shape %d, smoother %d, variant %zu: error %g", shape, (int)smoothers[s], v, error);
            }
    free_box(&box);
}

/* Tasks of slabs do what one task of all does, and one task for small grids what tasks of each do: bit by bit, but for
 * lines in z, which are solved in groups. */
static void cuts_and_tails_change_nothing(void **state)
{
    (void)state;
    static const struct {
        size_t blocks, tail;
    } ways[] = {{1, 1}, {2, 1}, {7, 1}, {16, 1}, {3, 500}, {5, 100000}};
    struct box box;
    make_box(&box, STARFISH_NODE, (const size_t[]){21, 18, 23}, (const enum ends[]){DN, PERIODIC, PERIODIC}, NULL);
    double *f = random_values(box.count, 5), *first = calloc(box.count, sizeof *first);
    double *other = calloc(box.count, sizeof *other);
    for (int s = 0; s < SMOOTHERS; s++)
        for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
            struct starfish_multigrid_options options = with(smoothers[s], 2, 0);
            const int mixed = s % 2;
            options.inner = mixed ? STARFISH_F32 : STARFISH_F64;
            options.most_cycles = 3;
            options.blocks = ways[w].blocks;
            options.tail = ways[w].tail;
            ASSERT_OK(solve(&box, &options, f, w == 0 ? first : other, NULL));
            double most = 0;
            for (size_t e = 0; e < box.count; e++)
                most = fmax(most, fabs(first[e]));
            const double difference = w == 0 ? 0 : largest_difference(first, other, box.count);
            if (!(difference <= (mixed ? 1e-5 : 1e-12) * most))
                fail_msg("smoother %d, blocks %zu, tail %zu: %g", (int)smoothers[s], ways[w].blocks, ways[w].tail,
                         difference / most);
        }
    free(f);
    free(first);
    free(other);
    free_box(&box);
}

/* Single precision: the difference form keeps digits where entries of the matrix would lose them. */
static void single_precision_solves(void **state)
{
    (void)state;
    struct starfish_multigrid_options options = with(STARFISH_SMOOTHER_AUTO, 2, 1e-5);
    struct box box;
    make_cube(&box, 31, DD);
    options.precision = options.inner = STARFISH_F32;
    const double error = recover(&box, &options, NULL);
    if (!(error < 1e-2))
        fail_msg("error %g", error);
    free_box(&box);
}

static void lines_may_be_given(void **state)
{
    (void)state;
    const double coupling[6] = {0, 2, 1, 3, 1, 0}, extra[5] = {1, 0, 0, 0, 2}, weight[5] = {1, 2, 1, 1, 3};
    const struct starfish_multigrid_options options = with(STARFISH_SMOOTHER_AUTO, 2, 1e-12);
    const struct starfish_stencil_problem problem = {.n = {5, 1, 1},
                                                     .ends = {{STARFISH_NEUMANN, STARFISH_NEUMANN},
                                                              {STARFISH_NEUMANN, STARFISH_NEUMANN},
                                                              {STARFISH_NEUMANN, STARFISH_NEUMANN}},
                                                     .line = {{coupling, extra, weight}},
                                                     .reaction = 0.5};
    const struct box box = {.problem = problem, .count = 5};
    double u[5] = {1, -2, 3, 0.5, 1}, f[5], v[5];
    for (int i = 0; i < 5; i++)
        f[i] = (coupling[i] + coupling[i + 1] + extra[i] + 0.5 * weight[i]) * u[i] -
               (i > 0 ? coupling[i] * u[i - 1] : 0) - (i < 4 ? coupling[i + 1] * u[i + 1] : 0);
    ASSERT_OK(solve(&box, &options, f, v, NULL));
    assert_true(largest_difference(u, v, 5) < 1e-10);
}

/* ---- Refusals ---------------------------------------------------------------------------------------------------- */

#define REFUSED(status, part)                                                                                          \
    do {                                                                                                               \
        starfish_multigrid_plan *refused_plan = (starfish_multigrid_plan *)&box;                                       \
        ASSERT_FAILS(starfish_stencil_plan_create(context, &p, &o, &refused_plan), status, part);                      \
        assert_null(refused_plan);                                                                                     \
        p = box.problem;                                                                                               \
        o = usual;                                                                                                     \
    } while (0)

static void bad_arguments_are_named(void **state)
{
    (void)state;
    static const struct starfish_multigrid_options usual = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    const double negative[20] = {1, -1}, asymmetric[20] = {1};
    struct starfish_multigrid_options o = usual;
    struct box box;
    make_box(&box, STARFISH_CELL, (const size_t[]){6, 5, 4}, (const enum ends[]){DD, DD, DD}, NULL);
    struct starfish_stencil_problem p = box.problem;
    starfish_multigrid_plan *plan;

    ASSERT_FAILS(starfish_stencil_plan_create(NULL, &p, &o, &plan), STARFISH_ERROR_ARGUMENT, "context");
    ASSERT_FAILS(starfish_stencil_plan_create(context, NULL, &o, &plan), STARFISH_ERROR_ARGUMENT, "problem");
    ASSERT_FAILS(starfish_stencil_plan_create(context, &p, &o, NULL), STARFISH_ERROR_ARGUMENT, "plan");
    p.n[1] = 0;
    REFUSED(STARFISH_ERROR_ARGUMENT, "n[1]");
    p.n[0] = p.n[1] = p.n[2] = 1 << 16;
    REFUSED(STARFISH_ERROR_ARGUMENT, "unknowns");
    p.grid = (starfish_grid)2;
    REFUSED(STARFISH_ERROR_ARGUMENT, "grid");
    p.reaction = -1;
    REFUSED(STARFISH_ERROR_ARGUMENT, "reaction");
    p.rhs_factor = (double)NAN;
    REFUSED(STARFISH_ERROR_ARGUMENT, "rhs_factor");
    p.ends[2][1] = (starfish_end)3;
    REFUSED(STARFISH_ERROR_ARGUMENT, "ends[2][1]");
    p.ends[2][1] = STARFISH_PERIODIC;
    REFUSED(STARFISH_ERROR_ARGUMENT, "ends[2]");
    p.width[1] = NULL;
    REFUSED(STARFISH_ERROR_ARGUMENT, "width[1]");
    p.width[0] = negative;
    REFUSED(STARFISH_ERROR_ARGUMENT, "width[0][1]");
    p.diffusion[2] = negative;
    REFUSED(STARFISH_ERROR_ARGUMENT, "diffusion[2][1]");
    p.grid = STARFISH_NODE;
    p.diffusion[2] = box.width[0];
    REFUSED(STARFISH_ERROR_UNSUPPORTED, "diffusion needs widths of cells");
    p.line[0].coupling = asymmetric;
    REFUSED(STARFISH_ERROR_ARGUMENT, "both given");
    p.width[0] = NULL;
    p.line[0] = (struct starfish_stencil_line){asymmetric, NULL, box.width[0]};
    REFUSED(STARFISH_ERROR_ARGUMENT, "line[0].coupling");
    p.width[0] = NULL;
    p.line[0] = (struct starfish_stencil_line){asymmetric, NULL, NULL};
    REFUSED(STARFISH_ERROR_ARGUMENT, "line.weight[0] is NULL");
    o.size = 1;
    REFUSED(STARFISH_ERROR_ARGUMENT, "size");
    o.smoother = STARFISH_SMOOTHERS;
    REFUSED(STARFISH_ERROR_ARGUMENT, "smoother");
    o.conjugate_gradients = 1;
    o.before = 3;
    REFUSED(STARFISH_ERROR_ARGUMENT, "must be the same");
    p.n[0] = 1;
    p.grid = STARFISH_NODE;
    p.ends[0][0] = p.ends[0][1] = STARFISH_NEUMANN;
    REFUSED(STARFISH_ERROR_ARGUMENT, "has no width");
    free_box(&box);
    make_cube(&box, 20, DD);
    p = box.problem;
    o.levels = 1;
    REFUSED(STARFISH_ERROR_ARGUMENT, "coarsest");
    free_box(&box);
}

int test_flux_solves(starfish_context *given, const struct test_memory *given_memory, int small)
{
    const struct CMUnitTest large[] = {
        cmocka_unit_test(variable_coefficients_are_solved),
        cmocka_unit_test(anisotropy_does_no_harm),
        cmocka_unit_test(every_option_solves),
        cmocka_unit_test(factors_are_as_stored),
        cmocka_unit_test(cycles_do_not_grow),
        cmocka_unit_test(plane_factors_are_as_stored),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_problem_is_solved),
        cmocka_unit_test(stored_and_tensor_form_agree),
        cmocka_unit_test(singular_problems_are_solved),
        cmocka_unit_test(nothing_is_left_of_a_constant),
        cmocka_unit_test(cuts_and_tails_change_nothing),
        cmocka_unit_test(single_precision_solves),
        cmocka_unit_test(lines_may_be_given),
        cmocka_unit_test(planes_of_one_line_are_solved),
        cmocka_unit_test(bad_arguments_are_named),
    };

    context = given;
    memory = given_memory;
    few = small;
    const int failed = cmocka_run_group_tests_name("3D solves", tests, NULL, NULL);
    return failed + (small ? 0 : cmocka_run_group_tests_name("large 3D solves", large, NULL, NULL));
}
