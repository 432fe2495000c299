/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The results of a finite element solve: a table for people, or one JSON object. */
#include "apps/command.h"
#include "apps/fem/fem.h"
#include "apps/table.h"
#include "fem/options.h"

static void add_files(struct table *table, const struct solve_run *run)
{
    const struct {
        const char *name, *file;
    } files[] = {{"solution", run->options.out},
                 {"points", ((const struct fem_run *)run)->points},
                 {"VTK", run->options.vtk},
                 {"picture", run->options.plot}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i)
        if (files[i].file)
            table_line(table, "%s\t%s", files[i].name, files[i].file);
}

/* Rounding errors keep the residual above the tolerance, and allow no less. */
static int is_excused(const struct starfish_result *result)
{
    return result->tolerance == result->rounding;
}

static struct starfish_fem_matrices matrices_of(const struct solve_run *run)
{
    struct starfish_fem_matrices matrices = STARFISH_FEM_MATRICES_DEFAULTS;
    (void)starfish_fem_matrices(run->solver.plan, &matrices);
    return matrices;
}

void fem_print_table(const struct solve_run *run)
{
    struct table table = {.alignment = TABLE_LEFT};
    const struct starfish_result *result = &run->solver.result.info;
    const struct starfish_fem_matrices matrices = matrices_of(run);
    const struct starfish_fem_problem *problem = run->solver.problem.data;
    const struct starfish_fem_options *o = run->solver.library;
    table_line(&table, "mesh\t%s, %zu cells, refined %d time%s", run->solver.problem.path, problem->mesh->cells,
               problem->refinements, problem->refinements == 1 ? "" : "s");
    table_line(&table, "elements\t%s, %zu unknowns, %zu entries", starfish_fem_element_names[problem->element],
               run->solver.about.unknowns, matrices.nonzeros);
    table_line(&table, "smoother\t%s, %zu entries, made in %.4f s", starfish_fem_smoother_names[o->smoother],
               matrices.smoother_nonzeros, matrices.smoother_seconds);
    table_line(&table, "numbering\t%s", starfish_fem_numbering_names[o->numbering]);
    table_line(&table, "workers\t%zu cpu, %zu gpu", starfish_context_workers_of(run->solver.context, STARFISH_CPU),
               starfish_context_workers_of(run->solver.context, STARFISH_GPU));
    if (run->solver.transport)
        table_line(&table, "ranks\t%d; workers and times are of the first one", problem_ranks(&run->solver));
    table_line(&table,
               result->accelerated > 0 ? "iterations\t%d cycles, %d of them in conjugate gradients or BiCGStab"
                                       : "iterations\t%d cycles",
               result->iterations, result->accelerated);
    table_line(&table, is_excused(result) ? "residual\t%.3e, where rounding errors may be %.3e" : "residual\t%.3e",
               result->residual, result->tolerance);
    if (result->pertrb != 0)
        table_line(&table, "pertrb\t%.6g, the mean taken off f where no u is given", result->pertrb);
    table_line(&table, "setup\t%.4f s", run->solver.about.seconds);
    table_line(&table, "solve\t%.4f s", result->seconds);
    add_files(&table, run);
    table_print(&table);
}

void fem_print_json(const struct solve_run *run)
{
    const struct starfish_result *result = &run->solver.result.info;
    const struct starfish_fem_matrices matrices = matrices_of(run);
    const struct starfish_fem_problem *problem = run->solver.problem.data;
    const struct starfish_fem_options *o = run->solver.library;
    json_t *object = json_object();
    command_keys(
        object, KEY("status", run->solver.result.status), KEY("element", starfish_fem_element_names[problem->element]),
        KEY("smoother", starfish_fem_smoother_names[o->smoother]),
        KEY("numbering", starfish_fem_numbering_names[o->numbering]), KEY("unknowns", run->solver.about.unknowns),
        KEY("nonzeros", matrices.nonzeros), KEY("smoother_nonzeros", matrices.smoother_nonzeros),
        KEY("levels", run->solver.about.levels), KEY("iterations", result->iterations),
        KEY("preconditioned", result->accelerated), KEY("residual", result->residual));
    if (is_excused(result))
        command_keys(object, KEY("tolerated", result->tolerance));
    command_keys(object, KEY("pertrb", result->pertrb), KEY("seconds", result->seconds),
                 KEY("setup_seconds", run->solver.about.seconds), KEY("smoother_seconds", matrices.smoother_seconds));
    if (run->solver.transport)
        command_keys(object, KEY("ranks", problem_ranks(&run->solver)));
    command_print_json(object);
}
