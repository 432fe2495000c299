/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random diffusion problems with contrasts up to a million, solved by every method, preconditioner and deflation, in
 * f64, f32 and mixed precision, beside a dense direct solve. What is called solved must be: its residual by the
 * operator written down naively is within the bounds that the interface states, and its distance from the direct
 * solution within what that residual and the least eigenvalue allow. In f64 and mixed precision all must be solved but
 * by `none` and `jacobi` without deflation. CAMPAIGN_PROBLEMS and CAMPAIGN_SEED in the environment: another campaign.
 */
#include "tests/diffusion/diffusion_cases.h"

#include "tests/common/context.h"
#include "tests/common/reals.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct choice {
    starfish_diffusion_method method;
    starfish_diffusion_preconditioner by;
    starfish_deflation deflation;
    size_t vectors, block;
    int precision; /* 0: f32, 1: f64, 2: mixed */
};

static unsigned seed = 11;

static unsigned draw(unsigned below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

static struct choice draw_choice(void)
{
    return (struct choice){.method = (starfish_diffusion_method)draw(STARFISH_DIFFUSION_METHODS),
                           .by = (starfish_diffusion_preconditioner)draw(STARFISH_PRECONDITIONERS),
                           .deflation = (starfish_deflation)draw(STARFISH_DEFLATIONS),
                           .vectors = draw(12),
                           .block = draw(3) == 0 ? 1 + draw(60) : 0,
                           .precision = (int)draw(5) % 3};
}

static struct starfish_diffusion_options options_of(const struct choice *c)
{
    struct starfish_diffusion_options o = STARFISH_DIFFUSION_OPTIONS_DEFAULTS;

    o.method = c->method;
    if (c->method == STARFISH_DIFFUSION_CG) {
        o.preconditioner = c->by;
        o.block = c->block;
    }
    if (c->method != STARFISH_DIFFUSION_AUTO) {
        o.deflation = c->deflation;
        o.vectors = c->vectors;
    }
    o.precision = c->precision == 0 ? STARFISH_F32 : STARFISH_F64;
    o.mixed = c->precision == 2;
    o.max_iterations = 20000;
    return o;
}

static int may_fail(const struct choice *c)
{
    const int plain = c->by == STARFISH_PRECONDITIONER_NONE || c->by == STARFISH_PRECONDITIONER_JACOBI;

    return c->precision == 0 ||
           (c->method == STARFISH_DIFFUSION_CG && plain && c->deflation == STARFISH_DEFLATION_NONE);
}

/* ---- The direct solve -------------------------------------------------------------------------------------------- */

/* The matrix of -div(k grad u) - lambda u by its columns, and from its eigenvectors the solution of least norm; *least:
 * the smallest eigenvalue that is not the constants'. */
static void solve_directly(const struct test_diffusion *t, double pertrb, double *u, double *least)
{
    const size_t n = t->cells;
    double *a = malloc(n * n * sizeof *a), *w = malloc(n * sizeof *w), *f = malloc(n * sizeof *f);

    for (size_t c = 0; c < n; c++) {
        memset(u, 0, n * sizeof *u);
        u[c] = 1;
        for (size_t r = 0; r < n; r++)
            a[c * n + r] = -test_diffusion_value(t, u, r);
    }
    for (size_t r = 0; r < n; r++)
        f[r] = -test_diffusion_rhs(t, r) + pertrb;
    LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'L', (lapack_int)n, a, (lapack_int)n, w);
    memset(u, 0, n * sizeof *u);
    *least = HUGE_VAL;
    for (size_t m = 0; m < n; m++) {
        double product = 0;
        if (m == 0 && test_diffusion_singular(t))
            continue;
        for (size_t r = 0; r < n; r++)
            product += a[m * n + r] * f[r];
        for (size_t r = 0; r < n; r++)
            u[r] += product / w[m] * a[m * n + r];
        *least = fmin(*least, fabs(w[m]));
    }
    free(a);
    free(w);
    free(f);
}

/* ---- One problem ------------------------------------------------------------------------------------------------- */

static starfish_status solve(starfish_context *context, const struct test_diffusion *t,
                             const struct starfish_diffusion_options *options, double *u, struct starfish_result *info)
{
    void *reals[2] = {malloc(t->cells * sizeof(double)), calloc(t->cells, sizeof(double))};
    starfish_plan *plan;

    *info = (struct starfish_result)STARFISH_RESULT_DEFAULTS;
    for (size_t e = 0; e < t->cells; e++)
        test_real_put(reals[0], options->precision, e, t->f[e]);
    starfish_status status = starfish_diffusion_plan_create(context, &t->problem, options, &plan);
    if (status == STARFISH_SUCCESS) {
        status = starfish_plan_solve(plan, &t->boundary, reals[0], reals[1], info);
        starfish_plan_destroy(plan);
    }
    for (size_t e = 0; e < t->cells; e++)
        u[e] = test_real_get(reals[1], options->precision, e);
    free(reals[0]);
    free(reals[1]);
    return status;
}

static double norm(const double *u, const double *v, size_t n)
{
    double sum = 0;

    for (size_t e = 0; e < n; e++)
        sum += (u[e] - (v ? v[e] : 0)) * (u[e] - (v ? v[e] : 0));
    return sqrt(sum);
}

static int judge(const struct test_diffusion *t, const struct choice *c, starfish_status status, const double *u,
                 const struct starfish_result *info)
{
    const double epsilon = c->precision == 0 ? (double)FLT_EPSILON : DBL_EPSILON;
    const double bound = 300 * epsilon * test_diffusion_magnitude(t, u, info->pertrb);
    const double residual = test_diffusion_residual(t, u, info->pertrb);
    const double allowed = 1.01 * fmax(info->tolerance, bound) + 10 * epsilon;
    double *direct, least;

    if (status != STARFISH_SUCCESS)
        return status == STARFISH_ERROR_NUMERICAL && may_fail(c);
    if (!(residual <= allowed) || info->tolerance > 1e-3)
        return 0;
    direct = malloc(t->cells * sizeof *direct);
    solve_directly(t, info->pertrb, direct, &least);
    const double there = test_diffusion_residual(t, direct, info->pertrb);
    const double rhs = test_diffusion_rhs_norm(t, info->pertrb);
    const int near = norm(u, direct, t->cells) <=
                     1.01 * (residual + there) * rhs / least + 1e3 * epsilon * norm(direct, NULL, t->cells);
    free(direct);
    return near;
}

static int run(starfish_context *context, int number)
{
    static const double contrasts[] = {1, 10, 1e3, 1e6};
    const size_t dimensions = 2 + draw(2);
    const double contrast = contrasts[draw(4)];
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    struct test_diffusion t;

    test_random(&t, dimensions, contrast, &seed);
    const struct choice c = draw_choice();
    struct starfish_diffusion_options options = options_of(&c);
    if (draw(3) == 0)
        options.slabs = 1 + draw(3);
    double *u = malloc(t.cells * sizeof *u);
    const starfish_status status = solve(context, &t, &options, u, &info);
    const int good = judge(&t, &c, status, u, &info);
    if (!good)
        fprintf(
            stderr,
            "problem %d: %zu x %zu x %zu, contrast %g, lambda %g, method %d, preconditioner %d, deflation %d, "
            "precision %d: status %d, %d iterations (%d rescued), residual %g (naive %g), tolerance %g, bound %g: %s\n",
            number, t.problem.n[0], t.problem.n[1], dimensions == 3 ? t.problem.n[2] : 1, contrast, t.problem.lambda,
            (int)c.method, (int)c.by, (int)c.deflation, c.precision, (int)status, info.iterations, info.fallback,
            info.residual, test_diffusion_residual(&t, u, info.pertrb), info.tolerance, info.rounding,
            status == STARFISH_SUCCESS ? "" : starfish_error_message());
    free(u);
    test_diffusion_free(&t);
    return !good;
}

int main(void)
{
    const char *wanted = getenv("CAMPAIGN_PROBLEMS"), *other = getenv("CAMPAIGN_SEED");
    const int problems = wanted ? atoi(wanted) : 60;
    starfish_context *context = test_context(0, 1, 0);
    int failed = !context;

    seed = other ? (unsigned)atoi(other) : seed;
    for (int p = 0; p < problems && context; p++)
        failed += run(context, p);
    starfish_context_destroy(context);
    return failed != 0;
}
