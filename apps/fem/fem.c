/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish fem: reads a mesh, solves on its refinements, writes files and prints the results. */
#include "apps/fem/fem.h"
#include "apps/command.h"
#include "apps/names.h"
#include "apps/pictures/canvas.h"
#include "apps/workers.h"
#include "fem/options.h"

#include <float.h>
#include <math.h>

static const struct starfish_option rows[] = {
    {.flag = "--levels",
     .type = STARFISH_OPTION_SIZE,
     .default_value = 3,
     .most = STARFISH_FEM_MOST_REFINEMENTS,
     .text = "times that the mesh is refined"},
    {.flag = "--rhs",
     .type = STARFISH_OPTION_REAL,
     .default_value = 1,
     .least = -DBL_MAX,
     .most = DBL_MAX,
     .text = "f of -Laplace u = f"},
};
static const struct starfish_option_table own_table = NAMES_TABLE(rows);

int command_fem(int argc, char **argv)
{
    static const struct solve_front front = {fem_check_outputs, fem_write_outputs, fem_print_table, fem_print_json};
    struct starfish_fem_options library = STARFISH_FEM_OPTIONS_DEFAULTS;
    struct fem_run run = {.solve = {.front = &front,
                                    .options = {.workers = "all", .context = STARFISH_CONTEXT_OPTIONS_DEFAULTS},
                                    .solver = {.options = {.precision = STARFISH_F64, .repeat = 1}, .error = NAN}},
                          .elements = {.rhs = 1, .levels = 3}};
    struct solve_options *o = &run.solve.options;
    struct elements_options *e = &run.elements;
    struct problem_options *problem = &run.solve.solver.options;
    problem->elements = e;
    problem->library = &library;
    const struct option_entry options[] = {
        {"--element", OPTION_MEMBER, &e->element, "E", .table = &elements_table},
        {"--levels", OPTION_MEMBER, &e->levels, "L", .table = &own_table},
        {"--rhs", OPTION_MEMBER, &e->rhs, "F", .table = &own_table},
        {"--dirichlet", OPTION_TEXTS, &e->dirichlet, "G=U",
         .help = "u on a physical group, by its name or number; again for others, of which the later one counts"},
        {"--curved", OPTION_TEXTS, &e->curved, "G=C",
         .help = "a group on circle:x,y,r or sphere:x,y,z,r; again for others"},
        {"--smoother", OPTION_MEMBER, &library, "S", .table = &starfish_fem_option_table},
        {"--numbering", OPTION_MEMBER, &library, "N", .table = &starfish_fem_option_table},
        {"--format", OPTION_MEMBER, &library, "F", .table = &starfish_fem_option_table},
        {"--cycle", OPTION_MEMBER, &library, "C", .table = &starfish_fem_option_table},
        {"--smoothing-steps", OPTION_POSITIVE, &library, "N", .table = &starfish_fem_option_table},
        {"--tolerance", OPTION_MEMBER, &library, "T", .table = &starfish_fem_option_table},
        {"--max-iterations", OPTION_MEMBER, &library, "N", .table = &starfish_fem_option_table},
        {"--precision", OPTION_MEMBER, &problem->precision, "P", .table = &names_table},
        {"--workers", OPTION_TEXT, &o->workers, "W", .help = WORKERS_WORDS, .may_differ = "each rank has its own"},
        {"--out", OPTION_TEXT, &o->out, "F", .help = "u at all nodes, .npy or FILE.h5:/NAME"},
        {"--points", OPTION_TEXT, &run.points, "F", .help = "the nodes' coordinates, likewise"},
        {"--vtk", OPTION_TEXT, &o->vtk, "F.vtu", .help = "also write mesh and solution as .vtu"},
        {"--plot", OPTION_TEXT, &o->plot, "F",
         .help = "also draw the solution, of a solid a slice, in a .png, .svg or .pdf"},
        {"--plane", OPTION_TEXT, &o->plane, "D=P",
         .help = "slice across x, y or z: its coordinate, or max, where |u| is largest; without, the middle across z"},
        PICTURE_OPTIONS,
        {"--mpi", OPTION_FLAG, &o->mpi, .help = "on all ranks that mpiexec has started, each with unknowns of its own"},
        {"--json", OPTION_FLAG, &o->json, .help = "one JSON object on standard output", .may_differ = "rank 0 prints"},
        {.name = NULL},
    };
    const struct command_line line = {
        .usage = "fem MESH.msh [OPTION ...]",
        .summary = "Solve -Laplace u = f on an unstructured mesh of Gmsh's by finite elements and multigrid.",
        .options = options,
        .operands = &problem->path,
        .operand_count = 1,
        .json = &o->json,
    };
    return solve_main(&run.solve, &line, argc, argv);
}
