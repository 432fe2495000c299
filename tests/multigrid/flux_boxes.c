/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Boxes for tests of 3D multigrid: problems, the operator written down naively, solutions. */
#include "tests/multigrid/flux_boxes.h"

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

starfish_context *test_box_context;
const struct test_memory *test_box_memory;
struct starfish_multigrid_options test_box_chosen = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
struct starfish_about test_box_about = STARFISH_ABOUT_DEFAULTS;

/* ---- Problems ---------------------------------------------------------------------------------------------------- */

static const starfish_end pairs[ENDS][2] = {{STARFISH_DIRICHLET, STARFISH_DIRICHLET},
                                            {STARFISH_DIRICHLET, STARFISH_NEUMANN},
                                            {STARFISH_NEUMANN, STARFISH_DIRICHLET},
                                            {STARFISH_NEUMANN, STARFISH_NEUMANN},
                                            {STARFISH_PERIODIC, STARFISH_PERIODIC}};

void test_box_make(struct test_box *box, starfish_grid grid, const size_t n[3], const enum test_ends ends[3],
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

void test_box_make_cube(struct test_box *box, size_t n, enum test_ends ends)
{
    test_box_make(box, STARFISH_NODE, (const size_t[]){n, n, n}, (const enum test_ends[]){ends, ends, ends}, NULL);
}

void test_box_free(struct test_box *box)
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
    const double *diffusion = p->coefficient[d];

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

double test_box_apply(const struct starfish_stencil_problem *p, const double *u, size_t e)
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

double test_box_volume(const struct starfish_stencil_problem *p, size_t e)
{
    return volume_width(p, 0, e % p->n[0]) * volume_width(p, 1, e / p->n[0] % p->n[1]) *
           volume_width(p, 2, e / p->n[0] / p->n[1]);
}

double *test_box_random(size_t count, unsigned seed)
{
    double *values = calloc(count, sizeof *values);

    for (size_t e = 0; e < count; e++)
        values[e] = test_real_random(&seed);
    return values;
}

/* ---- Solving ----------------------------------------------------------------------------------------------------- */

starfish_status test_box_solve_with(starfish_plan *plan, size_t count, const struct starfish_multigrid_options *options,
                                    const double *f, double *u, struct starfish_result *info)
{
    const size_t size = starfish_real_size(options->precision);
    void *host = malloc(2 * count * size);
    char *second = (char *)host + count * size;

    for (size_t e = 0; e < count; e++) {
        test_real_put(host, options->precision, e, f[e]);
        test_real_put(second, options->precision, e, u[e]);
    }
    const void *rhs = test_box_memory->upload(host, count * size);
    void *solution = test_box_memory->upload(options->initial_guess ? second : NULL, count * size);
    const starfish_status status = starfish_plan_solve(plan, NULL, rhs, solution, info);

    ASSERT_OK(starfish_multigrid_plan_options(plan, &test_box_chosen));
    ASSERT_OK(starfish_plan_about(plan, &test_box_about));
    test_box_memory->download(host, solution, count * size);
    for (size_t e = 0; e < count; e++)
        u[e] = test_real_get(host, options->precision, e);
    test_box_memory->release();
    free(host);
    return status;
}

starfish_status test_box_solve(const struct test_box *box, const struct starfish_multigrid_options *options,
                               const double *f, double *u, struct starfish_result *info)
{
    starfish_plan *plan;

    ASSERT_OK(starfish_stencil_plan_create(test_box_context, &box->problem, options, &plan));
    const starfish_status status = test_box_solve_with(plan, box->count, options, f, u, info);
    starfish_plan_destroy(plan);
    return status;
}

double test_box_recover(const struct test_box *box, const struct starfish_multigrid_options *options,
                        struct starfish_result *info)
{
    double *u = test_box_random(box->count, 7), *f = malloc(box->count * sizeof *f);
    double *v = calloc(box->count, sizeof *v);

    for (size_t e = 0; e < box->count; e++)
        f[e] = test_box_apply(&box->problem, u, e);
    const starfish_status status = test_box_solve(box, options, f, v, info);
    if (status != STARFISH_SUCCESS)
        fail_msg("%zu x %zu x %zu: %s", box->problem.n[0], box->problem.n[1], box->problem.n[2],
                 starfish_error_message());
    const double error = test_difference(STARFISH_F64, u, v, box->count);
    free(u);
    free(f);
    free(v);
    return error;
}

const starfish_smoother test_box_smoothers[TEST_BOX_SMOOTHERS] = {
    STARFISH_SMOOTHER_AUTO,         STARFISH_SMOOTHER_ADI,       STARFISH_SMOOTHER_LINE_X,
    STARFISH_SMOOTHER_LINE_Y,       STARFISH_SMOOTHER_LINE_Z,    STARFISH_SMOOTHER_JACOBI,
    STARFISH_SMOOTHER_GAUSS_SEIDEL, STARFISH_SMOOTHER_CHEBYSHEV, STARFISH_SMOOTHER_PLANE};

struct starfish_multigrid_options test_box_options(starfish_smoother smoother, int steps, double tolerance)
{
    struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;

    options.smoother = smoother;
    options.before = options.after = steps;
    options.tolerance = tolerance;
    options.max_iterations = 300;
    return options;
}

void test_box_scale(struct test_box *box, const double scale[3])
{
    for (int d = 0; d < 3; d++)
        for (size_t i = 0; i < box->problem.n[d]; i++)
            box->width[d][i] *= scale[d];
}
