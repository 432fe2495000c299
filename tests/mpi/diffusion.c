/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Diffusion on several ranks against one process: the same random problem in both, whose answers and numbers of
 * iterations must be the same whatever the number of ranks is. Run by mpiexec. */
#include "diffusion/options.h"
#include "tests/mpi/together.h"

#include <math.h>

enum { MOST_CELLS = 96 * 90 * 40 };

/* How it is solved, and who works: all ranks, or the first one for all. */
static const struct test_case {
    const char *name;
    size_t dimensions, n[3];
    starfish_end end[2]; /* of all directions */
    struct starfish_diffusion_options options;
    int on_all;
} cases[] = {
#define OPTIONS(preconditioner_, deflation_)                                                                           \
    .options.method = STARFISH_DIFFUSION_CG, .options.preconditioner = STARFISH_PRECONDITIONER_##preconditioner_,      \
    .options.deflation = STARFISH_DEFLATION_##deflation_
    {"multigrid", 3, {24, 18, 44}, {STARFISH_NEUMANN, STARFISH_NEUMANN}, .on_all = 1},
    {"multigrid, long rows", 3, {96, 90, 40}, {STARFISH_NEUMANN, STARFISH_NEUMANN}, .on_all = 1},
    {"multigrid, thin", 3, {24, 20, 100}, {STARFISH_NEUMANN, STARFISH_DIRICHLET}, .on_all = 1}, /* ranks lack planes */
    {"multigrid in f32", 3, {24, 18, 44}, {STARFISH_DIRICHLET, STARFISH_NEUMANN}, .options.mixed = 1, .on_all = 1},
    {"multigrid, periodic", 3, {20, 17, 40}, {STARFISH_PERIODIC, STARFISH_PERIODIC}, .on_all = 1},
    {"multigrid, 2D", 2, {50, 47}, {STARFISH_DIRICHLET, STARFISH_DIRICHLET}, .on_all = 1},
    {"jacobi", 3, {24, 18, 44}, {STARFISH_PERIODIC, STARFISH_PERIODIC}, OPTIONS(JACOBI, BLOCKS), .on_all = 1},
    {"ip", 3, {24, 18, 44}, {STARFISH_NEUMANN, STARFISH_DIRICHLET}, OPTIONS(IP, REGIONS), .on_all = 1},
    {"ip, dropped",
     2,
     {50, 47},
     {STARFISH_PERIODIC, STARFISH_PERIODIC},
     OPTIONS(IP, BLOCKS),
     .options.reserved = {[STARFISH_DIFFUSION_DROPPED_FILL] = 1, [STARFISH_DIFFUSION_MATRIX_FREE] = 1},
     .on_all = 1},
    {"multigrid, deflated",
     2,
     {50, 47},
     {STARFISH_NEUMANN, STARFISH_NEUMANN},
     OPTIONS(MULTIGRID, REGIONS),
     .on_all = 1},
    {"block-ic",
     2,
     {50, 47},
     {STARFISH_NEUMANN, STARFISH_NEUMANN},
     OPTIONS(BLOCK_IC, BLOCKS),
     .options.block = 50,
     .on_all = 1},
    {"block-ic of seven rows",
     2,
     {50, 47},
     {STARFISH_NEUMANN, STARFISH_NEUMANN},
     OPTIONS(BLOCK_IC, NONE),
     .options.block = 350},
    {"line-z", 3, {24, 18, 44}, {STARFISH_DIRICHLET, STARFISH_NEUMANN}, OPTIONS(LINE_Z, NONE)},
};

/* A problem, and its solution by one process. */
struct test_problem {
    struct starfish_diffusion_problem problem;
    struct starfish_diffusion_options options;
    struct starfish_boundary boundary;
    size_t cells, plane, planes;
    double k[MOST_CELLS], rhs[MOST_CELLS], face[MOST_CELLS], expected[MOST_CELLS];
    long long region[MOST_CELLS];
    struct starfish_result info;
};

/* Coefficients that jump by factors of 50 between boxes of cells. */
static void fill(const struct test_case *given, struct test_problem *p)
{
    const struct starfish_diffusion_options defaults = STARFISH_DIFFUSION_OPTIONS_DEFAULTS;

    memset(p, 0, sizeof *p);
    p->info.size = sizeof p->info;
    p->options = given->options;
    p->options.size = sizeof p->options;
    p->options.precision = STARFISH_F64;
    p->options.max_iterations = defaults.max_iterations;
    p->options.tolerance = 1e-6; /* steps between ranks take their time; answers are those of as many steps */
    p->problem = (struct starfish_diffusion_problem){
        .dimensions = given->dimensions, .coefficient = p->k, .regions = p->region, .mean = STARFISH_MEAN_HARMONIC};
    p->cells = p->plane = 1;
    for (size_t d = 0; d < given->dimensions; d++) {
        p->problem.n[d] = given->n[d];
        p->problem.length[d] = 1;
        memcpy(p->problem.ends[d], given->end, sizeof given->end);
        p->plane = p->cells;
        p->cells *= given->n[d];
    }
    p->planes = p->cells / p->plane;
    for (size_t i = 0; i < p->cells; i++) {
        p->region[i] = (long long)(i % given->n[0] / 7 + i / p->plane / 9) % 3;
        p->k[i] = (p->region[i] == 1 ? 50 : 1) * (1 + 0.1 * real());
        p->rhs[i] = real();
        p->face[i] = real();
    }
    if (given->end[0] == STARFISH_PERIODIC)
        return;
    p->boundary.array[0][0] = p->face; /* one value for each row of x */
    p->boundary.constant[given->dimensions - 1][1] = 0.5;
}

static void solve_alone(struct test_problem *p)
{
    starfish_plan *plan;

    CHECK_OK(starfish_diffusion_plan_create(alone, &p->problem, &p->options, &plan));
    CHECK_OK(starfish_plan_solve(plan, &p->boundary, p->rhs, p->expected, &p->info));
    starfish_plan_destroy(plan);
}

static void compare(const struct test_case *given, const struct test_problem *p, size_t first, size_t count,
                    const double *u)
{
    /* in f32 a factor that is rounded to the other side changes the seventh digit of a correction */
    const double bound = given->options.mixed ? 1e-9 : 1e-11;
    double largest = 0;

    for (size_t i = 0; i < p->cells; i++)
        largest = fmax(largest, fabs(p->expected[i]));
    for (size_t i = 0; i < count; i++)
        CHECK(fabs(u[i] - p->expected[first + i]) <= bound * largest, "%s: cell %zu is %.17g, not %.17g", given->name,
              first + i, u[i], p->expected[first + i]);
}

static void solve_together(const struct test_case *given, struct test_problem *p)
{
    struct starfish_diffusion_problem own = p->problem;
    struct starfish_boundary boundary = p->boundary;
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    struct starfish_about about = STARFISH_ABOUT_DEFAULTS;
    starfish_plan *plan;
    starfish_job *job;
    size_t first, planes;

    CHECK_OK(starfish_mpi_planes(together, p->planes, rank, &first, &planes));
    const size_t begin = first * p->plane, count = planes * p->plane;
    own.coefficient += begin;
    own.regions += begin;
    if (boundary.array[0][0])
        boundary.array[0][0] = p->face + begin / p->problem.n[0];
    double *u = malloc(count * sizeof *u), *rhs = part_of(p->rhs, begin * sizeof *rhs, count * sizeof *rhs);
    CHECK_OK(starfish_diffusion_plan_create(together, &own, &p->options, &plan));
    CHECK_OK(starfish_plan_about(plan, &about));
    const int one_for_all = strstr(about.reason, "solved by the first rank") != NULL;
    CHECK(one_for_all == (ranks > 1 && !given->on_all), "%s: %s", given->name, about.reason);
    CHECK_OK(starfish_plan_submit(plan, &boundary, rhs, u, &job));
    CHECK_OK(starfish_job_finish(job, &info));
    compare(given, p, begin, count, u);
    CHECK(info.iterations == p->info.iterations, "%s: %d iterations, not %d", given->name, info.iterations,
          p->info.iterations);
    CHECK(fabs(info.pertrb - p->info.pertrb) <= 1e-11 * (1 + fabs(p->info.pertrb)), "%s: pertrb is %.17g, not %.17g",
          given->name, info.pertrb, p->info.pertrb);
    starfish_plan_destroy(plan);
    free(rhs);
    free(u);
}

/* What is wrong on one rank is wrong on all, with one message, and they go on. */
static void check_errors(struct test_problem *p)
{
    struct starfish_diffusion_options few = p->options;
    struct starfish_diffusion_problem own = p->problem;
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    starfish_plan *plan;
    size_t first, planes;
    double u[1];

    CHECK_OK(starfish_mpi_planes(together, p->planes, rank, &first, &planes));
    own.coefficient += first * p->plane;
    own.regions += first * p->plane;
    p->k[p->cells - 1] *= -1;
    CHECK(starfish_diffusion_plan_create(together, &own, &p->options, &plan) == STARFISH_ERROR_ARGUMENT &&
              strstr(starfish_error_message(), "must be positive"),
          "%s", starfish_error_message());
    p->k[p->cells - 1] *= -1;
    few.max_iterations = 1;
    CHECK_OK(starfish_diffusion_plan_create(together, &own, &few, &plan));
    CHECK(starfish_plan_solve(plan, NULL, rank == ranks - 1 ? NULL : p->rhs, u, NULL) == STARFISH_ERROR_ARGUMENT &&
              strstr(starfish_error_message(), "rhs is NULL"),
          "%s", starfish_error_message());
    for (int turn = 0; turn < 2; turn++)
        CHECK(starfish_plan_solve(plan, NULL, p->rhs + first * p->plane, p->expected, &info) ==
                      STARFISH_ERROR_NUMERICAL &&
                  info.outcome == STARFISH_NOT_CONVERGED,
              "%s", starfish_error_message());
    starfish_plan_destroy(plan);
}

int main(int argc, char **argv)
{
    struct test_problem *p = malloc(sizeof *p);

    begin(&argc, &argv);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        fill(&cases[c], p);
        solve_alone(p);
        solve_together(&cases[c], p);
    }
    fill(&cases[0], p);
    check_errors(p);
    end();
    free(p);
    if (rank == 0)
        printf("%d ranks: %zu problems\n", ranks, sizeof cases / sizeof cases[0]);
    return 0;
}
