/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The papers' test problem by Q1 multigrid: meshes and loads, options by number, repeated solves with their times and
 * errors, and the least words that a solve moves. */
#include "apps/plans/multigrid_run.h"

#include "apps/recorded/simulate.h"
#include "base/precision.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* ---- The problem ------------------------------------------------------------------------------------------------- */

static double exact(void *data, const struct starfish_q1_point *p)
{
    (void)data;
    return p->low[0] * p->high[0] * p->low[1] * p->high[1];
}

/* -Laplace(u0) */
static double source(void *data, const struct starfish_q1_point *p)
{
    (void)data;
    return 2 * p->low[1] * p->high[1] + 2 * p->low[0] * p->high[0];
}

starfish_status multigrid_mesh_create(const char *name, int level, struct multigrid_mesh *mesh)
{
    struct starfish_q1_refinement refinement = {.level = level};

    memset(mesh, 0, sizeof *mesh);
    STARFISH_TRY(starfish_q1_named(name, &refinement));
    STARFISH_FAIL_IF(level < 1 || level > MULTIGRID_MOST_LEVEL, STARFISH_ERROR_ARGUMENT,
                     "--level: is %d, must be 1 .. %d", level, MULTIGRID_MOST_LEVEL);
    for (int d = 0; d < 2; d++) {
        mesh->problem.elements[d] = (size_t)1 << level;
        mesh->problem.width[d] = mesh->width[d] = malloc(mesh->problem.elements[d] * sizeof(double));
        mesh->problem.ends[d][0] = mesh->problem.ends[d][1] = STARFISH_DIRICHLET;
    }
    starfish_q1_unknowns(&mesh->problem, mesh->n);
    mesh->count = mesh->n[0] * mesh->n[1];
    mesh->load = malloc((SIMULATED ? 1 : mesh->count) * sizeof(double));
    STARFISH_FAIL_IF(!mesh->width[0] || !mesh->width[1] || !mesh->load, STARFISH_ERROR_MEMORY,
                     "out of memory for a mesh of level %d", level);
    STARFISH_TRY(starfish_q1_refine(&refinement, mesh->width[0], mesh->width[1]));
    if (SIMULATED)
        return STARFISH_SUCCESS;
    return starfish_q1_load(&mesh->problem, source, NULL, mesh->load);
}

void multigrid_mesh_free(struct multigrid_mesh *mesh)
{
    free(mesh->width[0]);
    free(mesh->width[1]);
    free(mesh->load);
}

void multigrid_set_precision(struct starfish_multigrid_options *options, size_t precision)
{
    options->precision = precision == STARFISH_F32 ? STARFISH_F32 : STARFISH_F64;
    options->mixed = precision == STARFISH_PRECISION_MIXED;
}

size_t multigrid_q1_steps(size_t smoother, size_t steps)
{
    const size_t wanted = steps > 0 ? steps : 2;

    return smoother <= STARFISH_SMOOTHER_ADI || smoother == STARFISH_SMOOTHER_ZEBRA ? wanted : 2 * wanted;
}

void multigrid_set_work(struct starfish_multigrid_options *options, size_t steps, size_t cycles)
{
    options->before = options->after = options->smoothing_steps > 0 ? options->smoothing_steps : (int)steps;
    if (options->krylov != STARFISH_KRYLOV_NONE)
        options->inner_cycles = 1;
    if (cycles > 0) {
        options->tolerance = 0;
        options->max_iterations = (int)cycles;
    }
}

/* Of a smoothing step, with so many words of the matrix. */
static double words_of_step(const struct starfish_multigrid_options *options, double matrix)
{
    const double sweep = 3 + matrix;

    if (options->smoother == STARFISH_SMOOTHER_GAUSS_SEIDEL)
        return 10;
    if (options->smoother == STARFISH_SMOOTHER_ZEBRA)
        return 11 + 3 * matrix;
    return options->smoother == STARFISH_SMOOTHER_ADI ? 2 * sweep : sweep; /* in two directions, or in one */
}

double multigrid_words(const struct repeated *times)
{
    const struct starfish_multigrid_options *options = &times->chosen;
    const struct starfish_result *result = &times->result;
    const double stored = options->storage ? 2.5 : 5; /* entries in 16 bits beside row sums in f32 */
    const double matrix = options->matrix == STARFISH_MATRIX_TENSOR ? 0 : stored; /* words of it per unknown */
    const double smoothing = words_of_step(options, matrix) * (options->before + options->after);
    const double transfers = 2.25 + matrix + 2.25; /* the residual and its restriction, the prolongation */
    const double inner = options->mixed ? 0.5 : 1; /* f32 words are half as long */
    const int corrections = result->corrections > 0 ? result->corrections : result->iterations;
    const int gradients = options->krylov == STARFISH_KRYLOV_CG ? corrections : 0;

    return result->iterations * (smoothing + transfers) * inner * 4 / 3 + (2 + matrix) * result->count +
           24.0 * gradients;
}

/* ---- Running ----------------------------------------------------------------------------------------------------- */

starfish_status multigrid_repeat(const struct repeats *what, starfish_plan *plan, struct repeated *times)
{
    times->chosen = (struct starfish_multigrid_options)STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    starfish_status status = starfish_multigrid_plan_options(plan, &times->chosen);
    STARFISH_THEN(status, repeat_solves(what, plan, times));
    starfish_plan_destroy(plan);
    return status;
}

static starfish_status find_error(const void *problem, starfish_precision precision, const void *solution,
                                  double *error)
{
    const struct multigrid_mesh *mesh = problem;
    double *values = malloc(mesh->count * sizeof *values);

    STARFISH_FAIL_IF(!values, STARFISH_ERROR_MEMORY, "out of memory for a solution");
    for (size_t i = 0; i < mesh->count; i++)
        values[i] = starfish_element(solution, precision, i);
    const starfish_status status = starfish_q1_error(&mesh->problem, exact, NULL, values, error);
    free(values);
    return status;
}

starfish_status multigrid_run(const struct multigrid_mesh *mesh, const struct starfish_multigrid_options *options,
                              struct repeats what, struct repeated *times)
{
    starfish_plan *plan;

    what.arrays.precision = options->precision;
    what.arrays.count = mesh->count;
    what.load = mesh->load;
    what.find_error = find_error;
    what.data = mesh;
    STARFISH_TRY(starfish_q1_plan_create(what.arrays.context, &mesh->problem, options, &plan));
    return multigrid_repeat(&what, plan, times);
}
