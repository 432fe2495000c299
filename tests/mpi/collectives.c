/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Collective calls of MPI in the creation of a plan and in a solve, by family: no more than are recorded here. In
 * these calls ranks wait for each other. Iterations make some in every step, so a solve that takes more steps than were
 * recorded may make more calls. Run by mpiexec on two ranks; with an argument the program prints the counts. */
#include <starfish/mpi.h>
#include <starfish/starfish.h>
#include <stddef.h>

#include "tests/mpi/check.h"

enum { N = 24, PLANES = 48, CELLS = N * N * PLANES };
struct count {
    int gathers, broadcasts, steps;
};
static struct count counted;
static starfish_context *together;

/* MPI's profiling interface: the library's calls come here. */
int MPI_Allgather(const void *own, int count, MPI_Datatype type, void *all, int counts, MPI_Datatype types,
                  MPI_Comm communicator)
{
    counted.gathers++;
    return PMPI_Allgather(own, count, type, all, counts, types, communicator);
}

int MPI_Bcast(void *data, int count, MPI_Datatype type, int from, MPI_Comm communicator)
{
    counted.broadcasts++;
    return PMPI_Bcast(data, count, type, from, communicator);
}

struct family {
    const char *name;
    starfish_status (*create)(const struct family *family, void **plan);
    starfish_status (*solve)(void *plan, const double *rhs, double *solution);
    void (*destroy)(void *plan);
    int method;
    struct count most[2]; /* in the creation of a plan, and in a solve: gathers, broadcasts, steps */
};

static starfish_status create_poisson(const struct family *f, void **plan)
{
    const struct starfish_axis side = {
        .n = N, .length = 1, .ends = {STARFISH_DIRICHLET, STARFISH_NEUMANN}, .grid = STARFISH_CELL};
    struct starfish_poisson_problem problem = {.axis = {side, side, side}, .lambda = 0};
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    starfish_plan *made = NULL;
    problem.axis[2].n = PLANES;
    options.method = (starfish_method)f->method;
    options.check_residual = 1;
    const starfish_status status = starfish_poisson_plan_create(together, &problem, &options, &made);
    *plan = made;
    return status;
}

static starfish_status solve_poisson(void *plan, const double *rhs, double *solution)
{
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    const starfish_status status = starfish_plan_solve(plan, NULL, rhs, solution, &info);
    counted.steps = info.iterations;
    return status;
}

static void destroy_poisson(void *plan)
{
    starfish_plan_destroy(plan);
}

static starfish_status create_diffusion(const struct family *f, void **plan)
{
    static double k[CELLS];
    const struct starfish_diffusion_problem problem = {
        .dimensions = 3, .n = {N, N, PLANES}, .length = {1, 1, 1}, .coefficient = k, .mean = STARFISH_MEAN_HARMONIC};
    struct starfish_diffusion_options options = STARFISH_DIFFUSION_OPTIONS_DEFAULTS;
    starfish_plan *made = NULL;
    for (size_t i = 0; i < CELLS; i++)
        k[i] = i % 7 ? 1 : 50;
    options.method = f->method ? STARFISH_DIFFUSION_CG : STARFISH_DIFFUSION_MULTIGRID;
    options.preconditioner = (starfish_diffusion_preconditioner)f->method;
    const starfish_status status = starfish_diffusion_plan_create(together, &problem, &options, &made);
    *plan = made;
    return status;
}

static starfish_status solve_diffusion(void *plan, const double *rhs, double *solution)
{
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    const starfish_status status = starfish_plan_solve(plan, NULL, rhs, solution, &info);
    counted.steps = info.iterations;
    return status;
}

static void destroy_diffusion(void *plan)
{
    starfish_plan_destroy(plan);
}

static starfish_status create_atmosphere(const struct family *f, void **plan)
{
    const struct starfish_atmosphere_problem problem = {
        .geometry = STARFISH_FLAT_BOX, .n = {N, PLANES, N}, .length = {1, 1}, .height = 0.1, .omega = 0.1, .lambda = 1};
    struct starfish_atmosphere_options options = STARFISH_ATMOSPHERE_OPTIONS_DEFAULTS;
    starfish_plan *made = NULL;
    options.method = (starfish_atmosphere_method)f->method;
    const starfish_status status = starfish_atmosphere_plan_create(together, &problem, &options, &made);
    *plan = made;
    return status;
}

static starfish_status solve_atmosphere(void *plan, const double *rhs, double *solution)
{
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    const starfish_status status = starfish_plan_solve(plan, NULL, rhs, solution, &info);
    counted.steps = info.iterations;
    return status;
}

static void destroy_atmosphere(void *plan)
{
    starfish_plan_destroy(plan);
}

/* One square, refined; `method` is the number of refinements. */
static starfish_status create_fem(const struct family *f, void **plan)
{
    static const double point[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    static const int cell[] = {0, -1, 1, -1, -1, -1, 2, -1, 3};
    static const struct starfish_fem_mark left = {0, 1, {0, 1, 1}};
    const struct starfish_fem_mesh mesh = {2, 4, point, 1, cell, 1, &left, NULL};
    const struct starfish_fem_dirichlet zero = {.group = 1};
    const struct starfish_fem_problem problem = {
        .mesh = &mesh, .refinements = (size_t)f->method, .rhs = 1, .dirichlets = 1, .dirichlet = &zero};
    struct starfish_fem_options options = STARFISH_FEM_OPTIONS_DEFAULTS;
    starfish_plan *made = NULL;
    const starfish_status status = starfish_fem_plan_create(together, &problem, &options, &made);
    *plan = made;
    return status;
}

static starfish_status solve_fem(void *plan, const double *rhs, double *solution)
{
    struct starfish_result result = STARFISH_RESULT_DEFAULTS;
    (void)rhs;
    const starfish_status status = starfish_plan_solve(plan, NULL, NULL, solution, &result);
    counted.steps = result.iterations;
    return status;
}

static void destroy_fem(void *plan)
{
    starfish_plan_destroy(plan);
}

#define POISSON create_poisson, solve_poisson, destroy_poisson
#define DIFFUSION create_diffusion, solve_diffusion, destroy_diffusion
#define ATMOSPHERE create_atmosphere, solve_atmosphere, destroy_atmosphere
#define FEM create_fem, solve_fem, destroy_fem
static const struct family families[] = {
    {"poisson, auto: the first rank's choice", POISSON, STARFISH_METHOD_AUTO, {{9, 1, 0}, {6, 0, 0}}},
    {"poisson, slab", POISSON, STARFISH_METHOD_SLAB, {{9, 0, 0}, {6, 0, 0}}},
    {"poisson, blktri", POISSON, STARFISH_METHOD_BLKTRI, {{5, 0, 0}, {6, 0, 0}}},
    {"poisson, multigrid", POISSON, STARFISH_METHOD_MULTIGRID, {{7, 0, 0}, {7, 11, 10}}},
    {"diffusion, multigrid", DIFFUSION, 0, {{84, 44, 0}, {25, 9, 8}}},
    {"diffusion, jacobi", DIFFUSION, STARFISH_PRECONDITIONER_JACOBI, {{100, 50, 0}, {25, 54, 53}}},
    {"diffusion, line-z: the first rank solves", DIFFUSION, STARFISH_PRECONDITIONER_LINE_Z, {{12, 1, 0}, {5, 1, 42}}},
    {"atmosphere, multigrid", ATMOSPHERE, STARFISH_ATMOSPHERE_MULTIGRID, {{5, 0, 0}, {42, 17, 17}}},
    {"atmosphere, cg", ATMOSPHERE, STARFISH_ATMOSPHERE_CG, {{5, 0, 0}, {6, 82, 81}}},
    {"fem, small", FEM, 4, {{9, 0, 0}, {4, 0, 5}}},
    {"fem, on all ranks", FEM, 8, {{15, 2, 0}, {10, 12, 5}}},
};

static int allowed(int calls, const struct count *most)
{
    return counted.steps > most->steps && most->steps > 0 ? calls * counted.steps / most->steps + 1 : calls;
}

static void check(const struct family *f, int call, const char *name, int print)
{
    const struct count *most = &f->most[call];
    if (print && rank == 0)
        printf("%s, %s: {%d, %d, %d}\n", f->name, name, counted.gathers, counted.broadcasts, counted.steps);
    CHECK(print || (counted.gathers <= allowed(most->gathers, most) &&
                    counted.broadcasts <= allowed(most->broadcasts, most)),
          "%s, %s: %d gathers and %d broadcasts in %d steps, at most %d and %d in %d are recorded", f->name, name,
          counted.gathers, counted.broadcasts, counted.steps, most->gathers, most->broadcasts, most->steps);
    counted = (struct count){0, 0, 0};
}

static void try_family(const struct family *f, int print)
{
    static double rhs[CELLS], solution[2 * CELLS]; /* of fem, all nodes */
    void *plan;
    for (size_t i = 0; i < CELLS; i++)
        rhs[i] = (double)(i % 11) - 5;
    counted = (struct count){0, 0, 0};
    CHECK_OK(f->create(f, &plan));
    check(f, 0, "a plan", print);
    for (int turn = 0; turn < 2; turn++) { /* the second solve makes nothing any more */
        CHECK_OK(f->solve(plan, rhs, solution));
        check(f, 1, "a solve", print);
    }
    f->destroy(plan);
}

int main(int argc, char **argv)
{
    struct starfish_context_options workers = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    int level;
    workers.cpu_workers = 1; /* parts that workers have might agree too */
    workers.gpu_workers = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    CHECK_OK(starfish_mpi_context_create(&together, MPI_COMM_WORLD, &workers));
    CHECK_OK(starfish_mpi_rank(together, &rank, &ranks));
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        try_family(&families[i], argc > 1);
    starfish_context_destroy(together);
    MPI_Finalize();
    return 0;
}
