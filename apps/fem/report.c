/* The results of a finite element solve: a table for people, or one JSON object. */
#include "apps/command.h"
#include "apps/fem/fem.h"
#include "apps/table.h"
#include "fem/options.h"

static void add_files(struct table *table, const struct fem_run *run)
{
    const struct {
        const char *name, *file;
    } files[] = {{"solution", run->options.out},
                 {"points", run->options.points},
                 {"VTK", run->options.vtk},
                 {"picture", run->options.plot}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i)
        if (files[i].file) {
            table_row(table);
            table_cell(table, "%s", files[i].name);
            table_cell(table, "%s", files[i].file);
        }
}

/* Rounding errors keep the residual above the tolerance, and allow no less. */
static int is_excused(const struct starfish_result *result)
{
    return result->tolerance == result->rounding;
}

static void add(struct table *table, const char *name)
{
    table_row(table);
    table_cell(table, "%s", name);
}

void fem_print_table(const struct fem_run *run)
{
    struct table table = {.alignment = TABLE_LEFT};
    const struct starfish_result *result = &run->result;
    const struct starfish_fem_matrices *matrices = &run->matrices;
    const struct starfish_fem_options *o = &run->options.library;
    add(&table, "mesh");
    table_cell(&table, "%s, %zu cells, refined %zu time%s", run->path, run->gmsh.mesh.cells, run->options.levels,
               run->options.levels == 1 ? "" : "s");
    add(&table, "elements");
    table_cell(&table, "%s, %zu unknowns, %zu entries", starfish_fem_element_names[run->options.element],
               run->about.unknowns, matrices->nonzeros);
    add(&table, "smoother");
    table_cell(&table, "%s, %zu entries, made in %.4f s", starfish_fem_smoother_names[o->smoother],
               matrices->smoother_nonzeros, matrices->smoother_seconds);
    add(&table, "numbering");
    table_cell(&table, "%s", starfish_fem_numbering_names[o->numbering]);
    add(&table, "workers");
    table_cell(&table, "%zu cpu, %zu gpu", starfish_context_workers_of(run->context, STARFISH_CPU),
               starfish_context_workers_of(run->context, STARFISH_GPU));
    if (run->transport) {
        add(&table, "ranks");
        table_cell(&table, "%d; workers and times are of the first one", run->transport->ranks);
    }
    add(&table, "iterations");
    table_cell(&table,
               result->accelerated > 0 ? "%d cycles, %d of them in conjugate gradients or BiCGStab" : "%d cycles",
               result->iterations, result->accelerated);
    add(&table, "residual");
    table_cell(&table, is_excused(result) ? "%.3e, where rounding errors may be %.3e" : "%.3e", result->residual,
               result->tolerance);
    if (result->pertrb != 0) {
        add(&table, "pertrb");
        table_cell(&table, "%.6g, the mean taken off f where no u is given", result->pertrb);
    }
    add(&table, "setup");
    table_cell(&table, "%.4f s", run->about.seconds);
    add(&table, "solve");
    table_cell(&table, "%.4f s", result->seconds);
    add_files(&table, run);
    table_print(&table);
}

void fem_print_json(const struct fem_run *run)
{
    const struct starfish_result *result = &run->result;
    const struct starfish_fem_matrices *matrices = &run->matrices;
    const struct starfish_fem_options *o = &run->options.library;
    json_t *object = json_object();
    json_object_set_new(object, "status", json_string(run->status));
    json_object_set_new(object, "element", json_string(starfish_fem_element_names[run->options.element]));
    json_object_set_new(object, "smoother", json_string(starfish_fem_smoother_names[o->smoother]));
    json_object_set_new(object, "numbering", json_string(starfish_fem_numbering_names[o->numbering]));
    json_object_set_new(object, "unknowns", json_integer((json_int_t)run->about.unknowns));
    json_object_set_new(object, "nonzeros", json_integer((json_int_t)matrices->nonzeros));
    json_object_set_new(object, "smoother_nonzeros", json_integer((json_int_t)matrices->smoother_nonzeros));
    json_object_set_new(object, "levels", json_integer(run->about.levels));
    json_object_set_new(object, "iterations", json_integer(result->iterations));
    json_object_set_new(object, "preconditioned", json_integer(result->accelerated));
    json_object_set_new(object, "residual", command_json_real(result->residual));
    if (is_excused(result))
        json_object_set_new(object, "tolerated", command_json_real(result->tolerance));
    json_object_set_new(object, "pertrb", command_json_real(result->pertrb));
    json_object_set_new(object, "seconds", command_json_real(result->seconds));
    json_object_set_new(object, "setup_seconds", command_json_real(run->about.seconds));
    json_object_set_new(object, "smoother_seconds", command_json_real(matrices->smoother_seconds));
    if (run->transport)
        json_object_set_new(object, "ranks", json_integer(run->transport->ranks));
    command_print_json(object);
}
