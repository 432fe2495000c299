/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finite elements on a context. Errors are compared with those of an exact solution, counts with each other. */
#include "tests/fem/fem_cases.h"

#include "fem/space.h"
#include "tests/fem/meshes.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- A solve ----------------------------------------------------------------------------------------------------- */

struct run {
    struct starfish_fem_problem problem;
    struct starfish_fem_dirichlet dirichlet[2];
    struct starfish_fem_curve curve;
    struct starfish_fem_options options;
    int d;
    size_t unknowns;
    struct starfish_result result;
    double error;
    double *middle; /* what `source` gets instead of d; NULL: d */
};

/* -Laplace u = f, u = exact on both groups. */
static struct run exact_run(const struct test_mesh *mesh, int refinements, starfish_fem_element element)
{
    const struct starfish_fem_options defaults = STARFISH_FEM_OPTIONS_DEFAULTS;
    struct run run = {.options = defaults, .result = STARFISH_RESULT_DEFAULTS, .d = mesh->mesh.dimensions};

    run.problem = (struct starfish_fem_problem){
        .mesh = &mesh->mesh, .refinements = refinements, .element = element, .source = test_source, .dirichlets = 2};
    for (int i = 0; i < 2; i++)
        run.dirichlet[i] =
            (struct starfish_fem_dirichlet){.group = i ? TEST_HOLE : TEST_OUTSIDE, .function = test_exact};
    run.curve = (struct starfish_fem_curve){TEST_HOLE, {0.5, 0.5, 0.5}, 0.2};
    return run;
}

static int solve(starfish_context *context, struct run *run)
{
    starfish_plan *plan;

    run->problem.dirichlet = run->dirichlet;
    run->problem.curve = &run->curve;
    run->problem.source_data = run->middle ? (void *)run->middle : &run->d;
    run->dirichlet[0].data = run->dirichlet[1].data = &run->d;
    if (starfish_fem_plan_create(context, &run->problem, &run->options, &plan) != STARFISH_SUCCESS)
        return 0;
    struct starfish_about about = STARFISH_ABOUT_DEFAULTS;
    const size_t nodes = starfish_fem_nodes(plan);
    const int tells = starfish_plan_about(plan, &about) == STARFISH_SUCCESS;
    run->unknowns = about.unknowns;
    double *u = calloc(nodes, sizeof *u);
    const int solved = starfish_plan_solve(plan, NULL, NULL, u, &run->result) == STARFISH_SUCCESS;
    for (size_t n = nodes; run->options.precision == STARFISH_F32 && n-- > 0;)
        u[n] = (double)((float *)(void *)u)[n];
    const int known = starfish_fem_error(plan, u, test_exact, &run->d, &run->error) == STARFISH_SUCCESS;
    free(u);
    starfish_plan_destroy(plan);
    return tells && solved && known;
}

static int check(int good, const char *what, const struct run *run)
{
    if (!good)
        fprintf(stderr, "%s: failed; %d levels, %zu unknowns, %d iterations, residual %.2e, error %.4e (%s)\n", what,
                run->problem.refinements + 1, run->unknowns, run->result.iterations, run->result.residual, run->error,
                starfish_error_message());
    return !good;
}

static int small(void)
{
    return getenv("STARFISH_TEST_SMALL") != NULL;
}

/* ---- Errors ------------------------------------------------------------------------------------------------------ */

/* An error at the first refinement, and by which power of 2 it falls. */
struct order {
    void (*make)(struct test_mesh *mesh);
    const char *name;
    starfish_fem_element element;
    int refinements, curved;
    double error, order;
};

static int check_order(starfish_context *context, const struct order *o)
{
    struct test_mesh mesh;
    double last = 0;
    int failed = 0;

    o->make(&mesh);
    for (int l = 0; l <= o->refinements - small(); l++) {
        struct run run = exact_run(&mesh, l, o->element);
        run.problem.curves = o->curved;
        run.options.tolerance = 1e-11;
        failed += check(solve(context, &run) && (l > 0 || fabs(run.error / o->error - 1) < 2e-3), o->name, &run);
        failed += check(l == 0 || fabs(log2(last / run.error) - o->order) < 0.2, o->name, &run);
        last = run.error;
    }
    test_mesh_free(&mesh);
    return failed;
}

int test_fem_orders(starfish_context *context)
{
    static const struct order orders[] = {
        {test_ring, "ring, Q1", STARFISH_FEM_Q1, 3, 0, 7.0853e-3, 2},
        {test_ring, "ring, Q2", STARFISH_FEM_Q2, 2, 0, 1.2871e-4, 3},
        {test_ring, "curved ring, Q1", STARFISH_FEM_Q1, 3, 1, 7.1033e-3, 2},
        {test_ring, "curved ring, Q2", STARFISH_FEM_Q2, 2, 1, 1.2891e-4, 3},
        {test_shell, "shell, Q1", STARFISH_FEM_Q1, 2, 0, 8.8114e-2, 2},
        {test_shell, "curved shell, Q2", STARFISH_FEM_Q2, 1, 1, 3.5919e-3, 3},
    };
    int failed = 0;

    for (size_t o = 0; o < sizeof orders / sizeof orders[0]; o++)
        failed += check_order(context, &orders[o]);
    return failed;
}

/* ---- Counts ------------------------------------------------------------------------------------------------------ */

static int iterations_of(starfish_context *context, const struct test_mesh *mesh, starfish_fem_smoother smoother,
                         starfish_fem_numbering numbering)
{
    struct run run = exact_run(mesh, small() ? 1 : 2, STARFISH_FEM_Q1);

    run.options.smoother = smoother;
    run.options.numbering = numbering;
    run.options.smoothing_steps = 2;
    return solve(context, &run) ? run.result.iterations : -1;
}

/* Neither Jacobi nor SPAI know of the order of unknowns; and SPAI is the stronger. */
int test_fem_counts(starfish_context *context)
{
    struct test_mesh mesh;
    int failed = 0, count[2] = {0, 0};

    test_ring(&mesh);
    for (int smoother = STARFISH_FEM_JACOBI; smoother <= STARFISH_FEM_SPAI; smoother++)
        for (int numbering = 0; numbering < STARFISH_FEM_NUMBERINGS; numbering++) {
            const int here =
                iterations_of(context, &mesh, (starfish_fem_smoother)smoother, (starfish_fem_numbering)numbering);
            count[smoother] = numbering == 0 ? here : count[smoother];
            failed += here < 1 || here != count[smoother];
        }
    failed += 2 * count[STARFISH_FEM_SPAI] > count[STARFISH_FEM_JACOBI];
    if (failed)
        fprintf(stderr, "counts: failed; Jacobi %d, SPAI %d\n", count[0], count[1]);
    test_mesh_free(&mesh);
    return failed;
}

/* Parts with owners of their own take as many cycles, also in mixed precision. */
static int check_parts(starfish_context *context, const struct test_mesh *mesh, starfish_fem_element element,
                       starfish_fem_numbering numbering, int mixed)
{
    struct run whole = exact_run(mesh, small() ? 2 : 3, element);
    int failed = 0;

    whole.options.numbering = numbering;
    whole.options.mixed = mixed;
    whole.options.slabs = 1;
    const int solved = solve(context, &whole);
    for (int parts = 2; parts <= 4; parts++) {
        struct run run = whole;
        run.options.slabs = parts;
        const int same = solve(context, &run) && run.result.iterations == whole.result.iterations;
        failed += check(solved && same && fabs(run.error / whole.error - 1) < (mixed ? 1e-6 : 1e-9), "parts", &run);
    }
    return failed;
}

int test_fem_parts(starfish_context *context)
{
    struct test_mesh mesh;
    int failed = 0;

    test_ring(&mesh);
    failed += check_parts(context, &mesh, STARFISH_FEM_Q1, STARFISH_FEM_XYZ, 1);
    failed += check_parts(context, &mesh, STARFISH_FEM_Q1, STARFISH_FEM_RANDOM, 0);
    failed += check_parts(context, &mesh, STARFISH_FEM_Q2, STARFISH_FEM_HIERARCHICAL, 0);
    test_mesh_free(&mesh);
    return failed;
}

/* ---- Combinations ------------------------------------------------------------------------------------------------ */

static int check_combinations(starfish_context *context, const struct test_mesh *mesh, int refinements,
                              starfish_fem_element element, int some)
{
    double wanted = 0;
    int failed = 0, number = 0;

    for (int s = 0; s < STARFISH_FEM_SMOOTHERS; s++)
        for (int n = 0; n < STARFISH_FEM_NUMBERINGS; n++)
            for (int f = STARFISH_SPARSE_CSR; f < STARFISH_SPARSE_FORMATS; f++)
                for (int c = STARFISH_CYCLE_V; c <= STARFISH_CYCLE_W; c++) {
                    struct run run = exact_run(mesh, refinements, element);
                    char what[112];
                    if (number++ % some != 0)
                        continue;
                    run.options.smoother = (starfish_fem_smoother)s;
                    run.options.numbering = (starfish_fem_numbering)n;
                    run.options.format = (starfish_sparse_format)f;
                    run.options.cycle = (starfish_cycle_shape)c;
                    run.problem.dirichlets = mesh->mesh.marks > 0 ? 1 : 0;
                    snprintf(what, sizeof what, "smoother %d, numbering %d, format %d, cycle %d", s, n, f, c);
                    const int solved = solve(context, &run);
                    wanted = number == 1 ? run.error : wanted;
                    failed += check(solved && fabs(run.error / wanted - 1) < 1e-5, what, &run);
                }
    return failed;
}

int test_fem_combinations(starfish_context *context)
{
    const int some = small() ? 7 : 1;
    struct test_mesh mesh;
    int failed = 0;

    for (int element = 0; element < STARFISH_FEM_ELEMENTS; element++) {
        test_box(&mesh, 2, 4, 0.3);
        failed += check_combinations(context, &mesh, 1, (starfish_fem_element)element, some);
        test_mesh_free(&mesh);
        test_box(&mesh, 3, 2, 0.2);
        failed += check_combinations(context, &mesh, 1, (starfish_fem_element)element, 7 * some);
        test_mesh_free(&mesh);
    }
    return failed;
}

/* ---- Edges ------------------------------------------------------------------------------------------------------- */

/* -Laplace u = f without any given node: f loses its mean, u is the exact one's up to a constant only if du/dn = 0, so
 * that only the residual is looked at. */
static int check_singular(starfish_context *context, const struct test_mesh *mesh, starfish_fem_smoother smoother)
{
    struct run run = exact_run(mesh, 1, STARFISH_FEM_Q1);

    run.problem.dirichlets = 0;
    run.options.smoother = smoother;
    const int solved = solve(context, &run);
    int failed = check(solved && run.result.residual <= 1e-10, "singular", &run);
    run.problem.source = NULL;
    run.problem.rhs = 3;
    const int constant = solve(context, &run);
    failed += check(constant && run.result.iterations == 0 && fabs(run.result.pertrb - 3) < 1e-12, "constant f", &run);
    return failed;
}

/* W cycles in f32 leave the coarsest grid right-hand sides whose sum is a rounding error, again and again. */
static int check_singular_mixed(starfish_context *context)
{
    struct test_mesh mesh;
    int failed = 0;

    test_box(&mesh, 2, 7, 0.15);
    for (int s = 0; s < STARFISH_FEM_SMOOTHERS; s++) {
        struct run run = exact_run(&mesh, 2, STARFISH_FEM_Q2);
        run.problem.dirichlets = 0;
        run.options.smoother = (starfish_fem_smoother)s;
        run.options.mixed = 1;
        run.options.cycle = STARFISH_CYCLE_W;
        run.options.smoothing_steps = 2;
        failed += check(solve(context, &run) && run.result.iterations <= 60, "singular, W cycles, mixed", &run);
    }
    test_mesh_free(&mesh);
    return failed;
}

static double half_of(void *data, const double point[3])
{
    return (point[0] > *(const double *)data) + 1;
}

/* Two rows of cells without what was between them: where only the one at the low end of x has given nodes, the other is
 * singular by itself. f is 1 on the one and 2 on the other, and the mean that is taken off is the other's. */
static int check_two_components(starfish_context *context, int dirichlets)
{
    struct test_mesh mesh;
    double middle = 0.5;
    int failed = 0;

    test_box(&mesh, 2, 3, 0);
    test_mesh_keep(&mesh, (const unsigned char[]){1, 0, 1, 1, 0, 1, 1, 0, 1});
    for (size_t m = 0; m < mesh.mesh.marks; m++)
        if (mesh.mark[m].place[0] == 0 && mesh.point[3 * mesh.cell[9 * mesh.mark[m].cell]] == 0)
            mesh.mark[m].group = TEST_HOLE;
    struct run run = exact_run(&mesh, 2, STARFISH_FEM_Q1);
    run.dirichlet[0] = run.dirichlet[1];
    run.problem.dirichlets = (size_t)dirichlets;
    run.problem.source = half_of;
    run.middle = &middle;
    failed += check(solve(context, &run) && run.result.residual <= 1e-10 && fabs(run.result.pertrb - 2) < 1e-12 &&
                        (run.result.iterations == 0) == (dirichlets == 0),
                    "two components", &run);
    test_mesh_free(&mesh);
    return failed;
}

static int check_precision(starfish_context *context, const struct test_mesh *mesh, starfish_precision precision,
                           double tolerance)
{
    struct run run = exact_run(mesh, 2, STARFISH_FEM_Q1), in_f64 = run;

    run.problem.dirichlets = in_f64.problem.dirichlets = 1;
    run.options.precision = precision;
    run.options.mixed = precision == STARFISH_F64;
    run.options.tolerance = tolerance;
    const int both = solve(context, &run) & solve(context, &in_f64);
    return check(both && fabs(run.error / in_f64.error - 1) < (precision == STARFISH_F32 ? 0.1 : 1e-6), "precision",
                 &run);
}

/* || |A| |u| || / || f || once refined, u at the nodes. Not a number where the matrix cannot be made. */
static double product_of_absolutes(const struct starfish_fem_problem *problem, const float *u)
{
    struct starfish_refined coarse = {.d = 0}, fine = {.d = 0};
    struct starfish_fem_space space = {.nodes = 0};
    struct starfish_csr a = {.rows = 0};
    double *load = NULL, product = 0, square = 0;

    if (starfish_refined_begin(problem, &coarse) != STARFISH_SUCCESS ||
        starfish_refined_next(problem, &coarse, &fine) != STARFISH_SUCCESS ||
        starfish_fem_space_create(problem, &fine, &space) != STARFISH_SUCCESS ||
        !(load = calloc(space.unknowns, sizeof *load)) ||
        starfish_fem_assemble(problem, &space, NULL, &(struct starfish_fem_sums){&a, load, NULL}) != STARFISH_SUCCESS)
        product = (double)NAN;
    for (size_t n = 0; a.start && n < space.nodes; n++) {
        double row = 0;
        for (size_t m = 0; space.unknown[n] >= 0 && m < space.nodes; m++) {
            const int e =
                space.unknown[m] < 0 ? -1 : starfish_csr_find(&a, (size_t)space.unknown[n], (size_t)space.unknown[m]);
            row += e < 0 ? 0 : fabs(a.value[e] * (double)u[m]);
        }
        product += row * row;
    }
    for (size_t i = 0; a.start && i < space.unknowns; i++)
        square += load[i] * load[i];
    free(load);
    starfish_csr_destroy(&a);
    starfish_fem_space_destroy(&space);
    starfish_refined_destroy(&fine);
    starfish_refined_destroy(&coarse);
    return sqrt(product / square);
}

/* Where rounding errors keep f32 from its tolerance, what they may be is found row by row, whatever the numbering. */
static int check_rounding(starfish_context *context, const struct test_mesh *mesh)
{
    struct run run = exact_run(mesh, 1, STARFISH_FEM_Q2);
    starfish_plan *plan;
    double bound = 0;

    run.options.precision = STARFISH_F32;
    run.options.numbering = STARFISH_FEM_RANDOM;
    run.options.tolerance = 1e-12;
    run.problem.dirichlet = run.dirichlet;
    run.problem.dirichlets = 1;
    run.problem.source_data = run.dirichlet[0].data = &run.d;
    if (starfish_fem_plan_create(context, &run.problem, &run.options, &plan) != STARFISH_SUCCESS)
        return check(0, "rounding: no plan", &run);
    float *u = calloc(starfish_fem_nodes(plan), sizeof *u);
    const int solved = starfish_plan_solve(plan, NULL, NULL, u, &run.result) == STARFISH_SUCCESS;
    if (solved)
        bound = 100 * (double)FLT_EPSILON * product_of_absolutes(&run.problem, u);
    free(u);
    starfish_plan_destroy(plan);
    return check(solved && run.result.outcome == STARFISH_SOLVED && run.result.residual > 1e-12 &&
                     fabs(run.result.tolerance / bound - 1) < 1e-9,
                 "rounding", &run);
}

/* Whatever cycles precondition, the solution is that of cycles alone, and the count no larger. */
static int check_accelerations(starfish_context *context, const struct test_mesh *mesh, starfish_fem_smoother smoother)
{
    struct run alone = exact_run(mesh, 2, STARFISH_FEM_Q2);
    int failed = 0;

    alone.problem.dirichlets = 1;
    alone.options.smoother = smoother;
    alone.options.smoothing_steps = 2;
    for (int krylov = STARFISH_KRYLOV_CG; krylov <= STARFISH_KRYLOV_BICGSTAB; krylov++) {
        struct run run = alone;
        run.options.krylov = (starfish_krylov)krylov;
        alone.options.krylov = STARFISH_KRYLOV_NONE;
        const int both = solve(context, &run) & solve(context, &alone);
        failed += check(both && fabs(run.error / alone.error - 1) < 1e-6 &&
                            run.result.iterations <= alone.result.iterations + 1 &&
                            run.result.accelerated == run.result.iterations,
                        krylov == STARFISH_KRYLOV_CG ? "conjugate gradients" : "BiCGStab", &run);
    }
    return failed;
}

/* Exactly as many cycles as are asked for, whose residual nobody looks at; where any method may be taken, cycles alone.
 */
static int check_fixed(starfish_context *context, const struct test_mesh *mesh, starfish_krylov krylov)
{
    struct run run = exact_run(mesh, 2, STARFISH_FEM_Q1);

    run.problem.dirichlets = 1;
    run.options.krylov = krylov;
    run.options.fixed = 1;
    run.options.max_iterations = 70;
    return check(solve(context, &run) && run.result.iterations == 70 && isnan(run.result.residual) &&
                     run.result.accelerated == (krylov > STARFISH_KRYLOV_NONE ? 70 : 0),
                 "a fixed number of cycles", &run);
}

int test_fem_edges(starfish_context *context)
{
    struct test_mesh mesh;
    int failed = 0;

    test_box(&mesh, 2, 3, 0.2);
    for (int s = 0; s < STARFISH_FEM_SMOOTHERS; s++)
        failed += check_accelerations(context, &mesh, (starfish_fem_smoother)s);
    for (int s = 0; s < STARFISH_FEM_SMOOTHERS; s++)
        failed += check_singular(context, &mesh, (starfish_fem_smoother)s);
    failed += check_singular_mixed(context);
    for (int krylov = 0; krylov < STARFISH_KRYLOVS; krylov++)
        failed += check_fixed(context, &mesh, (starfish_krylov)krylov);
    for (int dirichlets = 0; dirichlets < 2; dirichlets++)
        failed += check_two_components(context, dirichlets);
    failed += check_precision(context, &mesh, STARFISH_F32, 1e-5);
    failed += check_precision(context, &mesh, STARFISH_F64, 1e-10);
    failed += check_rounding(context, &mesh);
    test_mesh_free(&mesh);
    test_box(&mesh, 2, 1, 0);
    for (int l = 0; l < 2; l++) { /* no unknown, and one */
        struct run run = exact_run(&mesh, l, STARFISH_FEM_Q1);
        run.problem.dirichlets = 1;
        failed += check(solve(context, &run) && run.unknowns == (size_t)l, "few unknowns", &run);
    }
    test_mesh_free(&mesh);
    return failed;
}
