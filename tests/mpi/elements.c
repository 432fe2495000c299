/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finite elements in a context on ranks, as a user's program has them: of a grid with so many unknowns that ranks share
 * its matrices, against one process; with the solution on all ranks, and on the first one alone. Run by mpiexec. */
#include <math.h>
#include <starfish/mpi.h>
#include <starfish/starfish.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { SIDE = 8, LINE = SIDE + 1, REFINEMENTS = 6 }; /* 512 x 512 cells */

/* A square with u = 0 on its left side. */
struct square {
    double point[3 * LINE * LINE];
    int cell[9 * SIDE * SIDE];
    struct starfish_fem_mark mark[SIDE];
    struct starfish_fem_mesh mesh;
    struct starfish_fem_dirichlet left;
    struct starfish_fem_problem problem;
};

static void make_square(struct square *s)
{
    memset(s, 0, sizeof *s);
    memset(s->cell, -1, sizeof s->cell);
    for (int j = 0; j < LINE; j++)
        for (int i = 0; i < LINE; i++) {
            s->point[3 * (i + LINE * j)] = i + (i % SIDE && j % SIDE ? 0.2 * sin(i * j) : 0);
            s->point[3 * (i + LINE * j) + 1] = j;
        }
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++)
            for (int corner = 0; corner < 4; corner++)
                s->cell[9 * (i + SIDE * j) + corner % 2 * 2 + corner / 2 * 6] =
                    i + corner % 2 + LINE * (j + corner / 2);
    for (int j = 0; j < SIDE; j++)
        s->mark[j] = (struct starfish_fem_mark){(size_t)(SIDE * j), 1, {0, 1, 1}};
    s->mesh = (struct starfish_fem_mesh){2, LINE * LINE, s->point, SIDE * SIDE, s->cell, SIDE, s->mark, NULL};
    s->left = (struct starfish_fem_dirichlet){.group = 1};
    s->problem = (struct starfish_fem_problem){
        .mesh = &s->mesh, .refinements = REFINEMENTS, .rhs = 1, .dirichlets = 1, .dirichlet = &s->left};
}

static double *solve(starfish_context *context, const struct square *square, const struct starfish_fem_options *options,
                     int wanted, struct starfish_result *result, size_t *nonzeros)
{
    starfish_plan *plan;
    starfish_job *job;
    struct starfish_fem_matrices matrices = STARFISH_FEM_MATRICES_DEFAULTS;
    CHECK_OK(starfish_fem_plan_create(context, &square->problem, options, &plan));
    double *u = wanted ? calloc(starfish_fem_nodes(plan), sizeof *u) : NULL;
    CHECK_OK(starfish_plan_submit(plan, NULL, NULL, u, &job));
    CHECK_OK(starfish_job_finish(job, result));
    CHECK_OK(starfish_fem_matrices(plan, &matrices));
    *nonzeros = matrices.nonzeros;
    starfish_plan_destroy(plan);
    return u;
}

static size_t nodes(void)
{
    const size_t line = ((size_t)SIDE << REFINEMENTS) + 1;
    return line * line;
}

static void compare(const double *got, const double *wanted)
{
    double size = 0;
    for (size_t i = 0; i < nodes(); i++)
        size = fmax(size, fabs(wanted[i]));
    for (size_t i = 0; i < nodes(); i++)
        CHECK(fabs(got[i] - wanted[i]) <= 1e-11 * size, "node %zu is %.17g, not %.17g", i, got[i], wanted[i]);
}

/* That of the first rank is what one process finds, and others' is the first one's. */
static void check(starfish_context *together, starfish_context *alone, const struct square *square,
                  starfish_fem_smoother smoother)
{
    struct starfish_fem_options options = STARFISH_FEM_OPTIONS_DEFAULTS;
    struct starfish_result all = STARFISH_RESULT_DEFAULTS, one = STARFISH_RESULT_DEFAULTS;
    size_t nonzeros[2];
    const int on_all = smoother == STARFISH_FEM_SPAI;
    options.smoother = smoother;
    options.numbering = STARFISH_FEM_XYZ;
    options.tolerance = 1e-6;
    double *u = solve(together, square, &options, rank == 0 || on_all, &all, &nonzeros[0]);
    double *first = calloc(nodes(), sizeof *first);
    if (rank == 0) {
        double *wanted = solve(alone, square, &options, 1, &one, &nonzeros[1]);
        CHECK(all.iterations == one.iterations && nonzeros[0] == nonzeros[1], "%d iterations, one process %d",
              all.iterations, one.iterations);
        compare(u, wanted);
        memcpy(first, u, nodes() * sizeof *first);
        free(wanted);
    }
    MPI_Bcast(first, (int)nodes(), MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (u)
        compare(u, first);
    free(first);
    free(u);
}

int main(int argc, char **argv)
{
    struct starfish_context_options workers = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    static struct square square;
    starfish_context *together, *alone;
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    workers.gpu_workers = 0;
    CHECK_OK(starfish_mpi_context_create(&together, MPI_COMM_WORLD, &workers));
    CHECK_OK(starfish_mpi_rank(together, &rank, &ranks));
    CHECK_OK(starfish_context_create(&alone, &workers));
    make_square(&square);
    check(together, alone, &square, STARFISH_FEM_SPAI);
    check(together, alone, &square, STARFISH_FEM_FSAI);
    starfish_context_destroy(alone);
    starfish_context_destroy(together);
    MPI_Finalize();
    return 0;
}
