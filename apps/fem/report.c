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
            table_line(table, files[i].name, "%s", files[i].file);
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
    table_line(&table, "mesh", "%s, %zu cells, refined %d time%s", run->solver.problem.path, problem->mesh->cells,
               problem->refinements, problem->refinements == 1 ? "" : "s");
    table_line(&table, "elements", "%s, %zu unknowns, %zu entries", starfish_fem_element_names[problem->element],
               run->solver.about.unknowns, matrices.nonzeros);
    table_line(&table, "smoother", "%s, %zu entries, made in %.4f s", starfish_fem_smoother_names[o->smoother],
               matrices.smoother_nonzeros, matrices.smoother_seconds);
    table_line(&table, "numbering", "%s", starfish_fem_numbering_names[o->numbering]);
    table_line(&table, "workers", "%zu cpu, %zu gpu", starfish_context_workers_of(run->solver.context, STARFISH_CPU),
               starfish_context_workers_of(run->solver.context, STARFISH_GPU));
    if (run->solver.transport) {
        table_line(&table, "ranks", "%d; workers and times are of the first one", problem_ranks(&run->solver));
    }
    table_line(&table, "iterations",
               result->accelerated > 0 ? "%d cycles, %d of them in conjugate gradients or BiCGStab" : "%d cycles",
               result->iterations, result->accelerated);
    table_line(&table, "residual", is_excused(result) ? "%.3e, where rounding errors may be %.3e" : "%.3e",
               result->residual, result->tolerance);
    if (result->pertrb != 0)
        table_line(&table, "pertrb", "%.6g, the mean taken off f where no u is given", result->pertrb);
    table_line(&table, "setup", "%.4f s", run->solver.about.seconds);
    table_line(&table, "solve", "%.4f s", result->seconds);
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
    json_object_set_new(object, "status", json_string(run->solver.result.status));
    json_object_set_new(object, "element", json_string(starfish_fem_element_names[problem->element]));
    json_object_set_new(object, "smoother", json_string(starfish_fem_smoother_names[o->smoother]));
    json_object_set_new(object, "numbering", json_string(starfish_fem_numbering_names[o->numbering]));
    json_object_set_new(object, "unknowns", json_integer((json_int_t)run->solver.about.unknowns));
    json_object_set_new(object, "nonzeros", json_integer((json_int_t)matrices.nonzeros));
    json_object_set_new(object, "smoother_nonzeros", json_integer((json_int_t)matrices.smoother_nonzeros));
    json_object_set_new(object, "levels", json_integer(run->solver.about.levels));
    json_object_set_new(object, "iterations", json_integer(result->iterations));
    json_object_set_new(object, "preconditioned", json_integer(result->accelerated));
    json_object_set_new(object, "residual", command_json_real(result->residual));
    if (is_excused(result))
        json_object_set_new(object, "tolerated", command_json_real(result->tolerance));
    json_object_set_new(object, "pertrb", command_json_real(result->pertrb));
    json_object_set_new(object, "seconds", command_json_real(result->seconds));
    json_object_set_new(object, "setup_seconds", command_json_real(run->solver.about.seconds));
    json_object_set_new(object, "smoother_seconds", command_json_real(matrices.smoother_seconds));
    if (run->solver.transport)
        json_object_set_new(object, "ranks", json_integer(problem_ranks(&run->solver)));
    command_print_json(object);
}
