/* starfish fem: reads a mesh, solves on its refinements, writes files and prints the results. */
#include "apps/fem/fem.h"

#include "apps/command.h"
#include "apps/mpi.h"
#include "apps/names.h"
#include "apps/pictures/canvas.h"
#include "apps/workers.h"
#include "fem/options.h"
#include "scheduler/ranks.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct starfish_option rows[] = {
    NAMES_FIRST("--element", starfish_fem_element_names, STARFISH_FEM_ELEMENTS,
                "bilinear or biquadratic, in 3D trilinear or triquadratic"),
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

static starfish_status make_context(struct fem_run *run)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    STARFISH_TRY(workers_read(run->options.workers, &options));
    workers_as_one_team(&options);
    return run->transport ? starfish_context_create_ranked(&run->context, &options, run->transport, "")
                          : starfish_context_create(&run->context, &options);
}

static starfish_status make_plan(struct fem_run *run)
{
    return fem_make_plan(run, run->context);
}

static starfish_status prepare(struct fem_run *run)
{
    struct starfish_context_options workers = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    STARFISH_TRY(workers_read(run->options.workers, &workers));
    fem_set_precision(&run->options, run->options.precision);
    return fem_is_first(run) ? fem_check_outputs(run) : STARFISH_SUCCESS;
}

static starfish_status write_outputs(struct fem_run *run)
{
    return fem_is_first(run) ? fem_write_outputs(run) : STARFISH_SUCCESS;
}

/* Ranks agree after every stage: where one has failed, no other goes on. */
static starfish_status run_fem(void *data)
{
    static starfish_status (*const stages[])(struct fem_run * run) = {prepare,   fem_read,  make_context,
                                                                      make_plan, fem_solve, write_outputs};
    struct fem_run *run = data;
    for (size_t s = 0; s < sizeof stages / sizeof stages[0]; s++)
        STARFISH_TRY(starfish_transport_agree(run->transport, stages[s](run)));
    if (!fem_is_first(run))
        return STARFISH_SUCCESS;
    if (run->options.json)
        fem_print_json(run);
    else
        fem_print_table(run);
    return STARFISH_SUCCESS;
}

/* A solve that has not reached its tolerance still tells how far it came. */
static starfish_status run_and_tell(void *data)
{
    struct fem_run *run = data;
    char message[1024];
    const starfish_status status = run_fem(run);
    if (status != STARFISH_ERROR_NUMERICAL || !run->status || !fem_is_first(run))
        return status;
    snprintf(message, sizeof message, "%s", starfish_error_message());
    if (run->options.json)
        fem_print_json(run);
    run->options.json = 0; /* it has been printed */
    return starfish_fail(status, "%s", message);
}

static void release(struct fem_run *run)
{
    fem_destroy_plan(run);
    starfish_context_destroy(run->context);
    starfish_array_free(&run->points);
    fem_forget(run);
    free(run);
}

int command_fem(int argc, char **argv)
{
    const struct starfish_fem_options defaults = STARFISH_FEM_OPTIONS_DEFAULTS;
    struct fem_run *run = calloc(1, sizeof *run);
    if (!run)
        return command_fail(starfish_fail(STARFISH_ERROR_MEMORY, "out of memory"), 0);
    struct fem_options *o = &run->options;
    *o = (struct fem_options){.library = defaults, .precision = STARFISH_F64, .rhs = 1, .levels = 3, .workers = "all"};
    const struct option_entry options[] = {
        {"--element", OPTION_MEMBER, &o->element, "E", .table = &own_table},
        {"--levels", OPTION_MEMBER, &o->levels, "L", .table = &own_table},
        {"--rhs", OPTION_MEMBER, &o->rhs, "F", .table = &own_table},
        {"--dirichlet", OPTION_TEXTS, &o->dirichlet, "G=U",
         .help = "u on a physical group, by its name or number; again for others, of which the later one counts"},
        {"--curved", OPTION_TEXTS, &o->curved, "G=C",
         .help = "a group on circle:x,y,r or sphere:x,y,z,r; again for others"},
        {"--smoother", OPTION_MEMBER, &o->library, "S", .table = &starfish_fem_option_table},
        {"--numbering", OPTION_MEMBER, &o->library, "N", .table = &starfish_fem_option_table},
        {"--format", OPTION_MEMBER, &o->library, "F", .table = &starfish_fem_option_table},
        {"--cycle", OPTION_MEMBER, &o->library, "C", .table = &starfish_fem_option_table},
        {"--smoothing-steps", OPTION_POSITIVE, &o->library, "N", .table = &starfish_fem_option_table},
        {"--tolerance", OPTION_MEMBER, &o->library, "T", .table = &starfish_fem_option_table},
        {"--max-iterations", OPTION_MEMBER, &o->library, "N", .table = &starfish_fem_option_table},
        {"--precision", OPTION_MEMBER, &o->precision, "P", .table = &names_table},
        {"--workers", OPTION_TEXT, &o->workers, "W", .help = WORKERS_WORDS, .may_differ = "each rank has its own"},
        {"--out", OPTION_TEXT, &o->out, "F", .help = "u at all nodes, .npy or FILE.h5:/NAME"},
        {"--points", OPTION_TEXT, &o->points, "F", .help = "the nodes' coordinates, likewise"},
        {"--vtk", OPTION_TEXT, &o->vtk, "F.vtu", .help = "also write mesh and solution as .vtu"},
        {"--plot", OPTION_TEXT, &o->plot, "F",
         .help = "also draw the solution, of a solid its middle plane, in a .png, .svg or .pdf"},
        PICTURE_OPTIONS,
        {"--mpi", OPTION_FLAG, &o->mpi, .help = "on all ranks that mpiexec has started, each with unknowns of its own"},
        {"--json", OPTION_FLAG, &o->json, .help = "one JSON object on standard output", .may_differ = "rank 0 prints"},
        {.name = NULL},
    };
    const struct command_line line = {
        .usage = "fem MESH.msh [OPTION ...]",
        .summary = "Solve -Laplace u = f on an unstructured mesh of Gmsh's by finite elements and multigrid.",
        .options = options,
        .operands = &run->path,
        .operand_count = 1,
        .json = &o->json,
    };
    const int exit_status = mpi_run(&line, argc, argv, &o->mpi, &run->transport, run_and_tell, run);
    const struct starfish_transport *transport = run->transport;
    release(run);
    mpi_close(transport);
    return exit_status;
}
