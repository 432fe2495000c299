/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random finite element problems on small meshes: rings and shells, and boxes of one cell on, distorted, bent by
 * second-order nodes, with random cells taken out, so that there are holes and several components; with one group, with
 * two, and singular. Each is solved by some random combinations of smoother, numbering, format, cycle, steps,
 * precision, pattern and parts, whose solutions are compared with that of conjugate gradients with a V cycle of
 * Jacobi's. Half of them are submitted as jobs.
 *
 *     fem_campaign [--seed S] [--count N] [--only K] [--workers cpu:N,gpu:M] [--verbose] */
#include "tests/campaign/arguments.h"
#include "tests/common/context.h"
#include "tests/common/reals.h"
#include "tests/fem/meshes.h"

#include <starfish/fem.h>

#include <math.h>
#include <string.h>

enum { COMBINATIONS = 4 };

struct drawn {
    struct test_mesh mesh;
    struct starfish_fem_problem problem;
    struct starfish_fem_dirichlet dirichlet[2];
    int d, n;
};

static int draw(unsigned *seed, int count)
{
    return (int)floor((test_real_random(seed) + 1) / 2 * count);
}

static void draw_box(unsigned *seed, struct drawn *p)
{
    const double distortion = 0.3 * draw(seed, 3) / 2.0;

    p->n = p->d == 2 ? 1 + draw(seed, 9) : 1 + draw(seed, 3);
    test_box(&p->mesh, p->d, p->n, p->d == 2 ? distortion : distortion / 2);
    if (draw(seed, 2))
        test_mesh_thin(&p->mesh, 0.15 * (1 + draw(seed, 4)), seed);
    if (p->d == 2 && draw(seed, 2))
        test_mesh_bend(&p->mesh, distortion > 0.2 ? 0.04 : 0.08);
    for (size_t m = 0; m < p->mesh.mesh.marks; m++) /* the low end of x is a group of its own */
        if (p->mesh.mark[m].place[0] == 0)
            p->mesh.mark[m].group = TEST_HOLE;
}

/* Cells may have been taken out until a group has no mark left, which is an error. */
static int has_group(const struct drawn *p, int group)
{
    for (size_t m = 0; m < p->mesh.mesh.marks; m++)
        if (p->mesh.mark[m].group == group)
            return 1;
    return 0;
}

static void draw_problem(unsigned *seed, struct drawn *p)
{
    *p = (struct drawn){.d = 2 + (draw(seed, 4) == 0)};
    if (draw(seed, 6) > 0)
        draw_box(seed, p);
    else if (p->d == 2)
        test_ring(&p->mesh);
    else
        test_shell(&p->mesh);
    p->problem = (struct starfish_fem_problem){.mesh = &p->mesh.mesh,
                                               .refinements = draw(seed, p->d == 2 ? 3 : 2),
                                               .element = (starfish_fem_element)draw(seed, STARFISH_FEM_ELEMENTS),
                                               .source = test_source,
                                               .source_data = &p->d,
                                               .dirichlets = (size_t)draw(seed, 3),
                                               .dirichlet = p->dirichlet};
    for (int g = 0; g < 2; g++)
        p->dirichlet[g] = (struct starfish_fem_dirichlet){
            .group = g ? TEST_OUTSIDE : TEST_HOLE, .value = 0.5, .function = g ? test_exact : NULL, .data = &p->d};
    for (size_t g = 0; g < p->problem.dirichlets; g++)
        if (!has_group(p, p->dirichlet[g].group))
            p->problem.dirichlets = g;
}

static struct starfish_fem_options draw_options(unsigned *seed)
{
    struct starfish_fem_options o = STARFISH_FEM_OPTIONS_DEFAULTS;

    o.smoother = (starfish_fem_smoother)draw(seed, STARFISH_FEM_SMOOTHERS);
    o.numbering = (starfish_fem_numbering)draw(seed, STARFISH_FEM_NUMBERINGS);
    o.format = (starfish_sparse_format)draw(seed, STARFISH_SPARSE_FORMATS);
    o.cycle = (starfish_cycle_shape)draw(seed, STARFISH_CYCLE_W + 1);
    o.smoothing_steps = draw(seed, 5);
    o.mixed = draw(seed, 4) == 0;
    o.seed = (size_t)draw(seed, 1000);
    o.pattern_power = 1 + (draw(seed, 8) == 0);
    o.slabs = draw(seed, 8) == 0 ? 2 : 0;
    if (draw(seed, 6) == 0) {
        o.precision = STARFISH_F32;
        o.mixed = 0;
        o.tolerance = 1e-4;
    }
    return o;
}

static void widen(double *u, size_t count)
{
    for (size_t n = count; n-- > 0;)
        u[n] = (double)((const float *)(const void *)u)[n];
}

/* u at all nodes, which it counts; NULL after a failure. */
static double *solve(starfish_context *context, const struct drawn *p, const struct starfish_fem_options *options,
                     int as_job, struct starfish_result *result, size_t *nodes)
{
    starfish_plan *plan;
    starfish_job *job;

    *result = (struct starfish_result)STARFISH_RESULT_DEFAULTS;

    if (starfish_fem_plan_create(context, &p->problem, options, &plan) != STARFISH_SUCCESS)
        return NULL;
    *nodes = starfish_fem_nodes(plan);
    double *u = calloc(*nodes, sizeof *u);
    starfish_status status = STARFISH_ERROR_RUNTIME;
    if (as_job) {
        status = starfish_plan_submit(plan, NULL, NULL, u, &job);
        status = status == STARFISH_SUCCESS ? starfish_job_finish(job, result) : status;
    } else {
        status = starfish_plan_solve(plan, NULL, NULL, u, result);
    }
    if (options->precision == STARFISH_F32)
        widen(u, *nodes);
    starfish_plan_destroy(plan);
    if (status == STARFISH_SUCCESS)
        return u;
    free(u);
    return NULL;
}

static double difference(const double *u, const double *wanted, size_t nodes)
{
    double worst = 0, largest = 1e-3;

    for (size_t n = 0; n < nodes; n++) {
        worst = fabs(u[n] - wanted[n]) <= worst ? worst : fabs(u[n] - wanted[n]);
        largest = fmax(largest, fabs(wanted[n]));
    }
    return worst / largest;
}

/* Rounding errors of f32 may forbid the tolerance, of which a solve that stops at 1e-2 tells. */
static int is_good_in_f32(double apart, const struct starfish_result *result)
{
    return apart < 0.1 || (isinf(apart) && result->residual <= 1e-2);
}

static int try_one(starfish_context *context, uint64_t seed, uint64_t k, int verbose)
{
    unsigned state = (unsigned)(seed * 2654435761u + k * 40503u + 17);
    struct starfish_fem_options reference = STARFISH_FEM_OPTIONS_DEFAULTS;
    struct starfish_result result = STARFISH_RESULT_DEFAULTS;
    struct drawn p;
    size_t nodes;
    int failed = 0;

    for (int i = 0; i < 4; i++)
        test_real_random(&state);
    draw_problem(&state, &p);
    reference.smoother = STARFISH_FEM_JACOBI;
    reference.cycle = STARFISH_CYCLE_V;
    reference.krylov = STARFISH_KRYLOV_CG;
    double *wanted = solve(context, &p, &reference, 0, &result, &nodes);
    failed += !wanted;
    if (failed)
        printf("%llu: the reference failed: %s\n", (unsigned long long)k, starfish_error_message());
    for (int c = 0; c < COMBINATIONS && wanted; c++) {
        const struct starfish_fem_options o = draw_options(&state);
        double *u = solve(context, &p, &o, c % 2, &result, &nodes);
        const double apart = u ? difference(u, wanted, nodes) : (double)INFINITY;
        const int good = o.precision == STARFISH_F32 ? is_good_in_f32(apart, &result) : apart < 1e-6;
        failed += !good;
        if (!good || verbose)
            printf("%llu: %dD, %d cells across, %zu in all, %d refinements, element %d, %zu groups; smoother %d, "
                   "numbering %d, "
                   "format %d, cycle %d, %d steps, power %d, %d parts, precision %d, mixed %d: %d cycles, %.1e "
                   "apart%s%s\n",
                   (unsigned long long)k, p.d, p.n, p.mesh.mesh.cells, p.problem.refinements, (int)p.problem.element,
                   p.problem.dirichlets, (int)o.smoother, (int)o.numbering, (int)o.format, (int)o.cycle,
                   o.smoothing_steps, o.pattern_power, o.slabs, (int)o.precision, o.mixed, result.iterations, apart,
                   u ? "" : ": ", u ? "" : starfish_error_message());
        free(u);
    }
    free(wanted);
    test_mesh_free(&p.mesh);
    return failed;
}

int main(int argc, char **argv)
{
    struct campaign_arguments a = CAMPAIGN_ARGUMENTS_DEFAULTS;
    int failed = 0;

    for (int i = 1; i < argc;) {
        const int words = campaign_argument(&a, argv[i], i + 1 < argc ? argv[i + 1] : "");
        if (words == 0) {
            fprintf(stderr, "%s: unknown argument or bad value\n", argv[i]);
            return 2;
        }
        i += words;
    }
    starfish_context *context = test_context(a.gpus, a.cpus, 0);
    if (!context)
        return a.gpus > 0 ? 77 : 1;
    for (uint64_t k = a.first; k < a.first + a.count; k++)
        failed += try_one(context, a.seed, k, a.verbose);
    starfish_context_destroy(context);
    printf("%llu problems, %d solves failed\n", (unsigned long long)a.count, failed);
    return failed > 0;
}
