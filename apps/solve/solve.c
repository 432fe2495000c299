/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish solve: solves what a problem file describes. The run is apps/plans/solve.h's; this file gives it outputs and
 * reports. */
#include "apps/solve/solve.h"

#include "apps/command.h"
#include "apps/names.h"
#include "apps/pictures/canvas.h"
#include "apps/workers.h"
#include "scheduler/lab/policies/policies.h"
#include "scheduler/runtime/options.h"
#include "solver/kinds.h"

#include <math.h>

int command_solve(int argc, char **argv)
{
    static const struct solve_front front = {solve_check_outputs, solve_write_outputs, solve_print_table,
                                             solve_print_json};
    struct solve_run run = {.front = &front,
                            .options = {.workers = "all", .context = STARFISH_CONTEXT_OPTIONS_DEFAULTS},
                            .plane = {NAN, 1},
                            .solver = {.options = {.precision = STARFISH_F64, .repeat = 1}, .error = NAN}};
    struct solve_options *given = &run.options;
    struct problem_options *problem = &run.solver.options;
    static struct option_entry whole[OPTION_MOST];
    const struct option_entry options[] = {
        {"", OPTION_WORDS, &problem->words, .kinds = starfish_kinds},
        {"--precision", OPTION_MEMBER, &problem->precision, "P", .table = &names_table},
        {"--rhs", OPTION_TEXT, &problem->rhs, "F", .help = "right-hand side instead of the problem's"},
        {"--out", OPTION_TEXT, &given->out, "F", .help = "solution, .npy or FILE.h5:/NAME, instead of the problem's"},
        {"--workers", OPTION_TEXT, &given->workers, "W", .help = WORKERS_WORDS, .may_differ = "each rank has its own"},
        {"--mpi", OPTION_FLAG, &given->mpi,
         .help = "on all ranks that mpiexec has started, each with planes of its own"},
        {"--policy", OPTION_MEMBER, &given->context, "P", .table = &starfish_context_option_table,
         .list = starfish_policy_list, .may_differ = "each rank schedules its own tasks"},
        {"--repeat", OPTION_COUNT, &problem->repeat, "N", .help = "solve N times, report the median; and as a stream"},
        {"--vtk", OPTION_TEXT, &given->vtk, "F",
         .help = "also write the solution as .vti or .vtr, in coordinates with angles as .vts"},
        {"--plot", OPTION_TEXT, &given->plot, "F",
         .help = "also draw a slice of the solution, in a .png, .svg or .pdf"},
        {"--plane", OPTION_TEXT, &given->plane, "D=P",
         .help = "slice across a direction, as z=0.3: its coordinate, or max, where |u| is largest; without, y=max"},
        PICTURE_OPTIONS,
        {"--json", OPTION_FLAG, &given->json, .help = "one JSON object on standard output",
         .may_differ = "rank 0 prints"},
        {"--quiet", OPTION_FLAG, &given->quiet, .help = "no table and no progress", .may_differ = "rank 0 prints"},
        {.name = NULL},
    };
    const struct command_line line = {
        .usage = "solve PROBLEM.json [OPTION ...]",
        .summary = "Solve the problem that a problem file describes.",
        .options = options_expand(options, whole),
        .operands = &problem->path,
        .operand_count = 1,
        .json = &given->json,
    };
    return solve_main(&run, &line, argc, argv);
}
