/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A run of a subcommand that solves: reads a problem, solves it, checks the solution, writes files and prints. */
#include "apps/plans/solve.h"

#include "apps/mpi.h"
#include "apps/workers.h"
#include "base/c_locale.h"
#include "base/fingerprint.h"
#include "base/real.h"
#include "bench/clock.h"
#include "scheduler/lab/policies/policies.h"
#include "scheduler/runtime/context.h"
#include "scheduler/runtime/ranks.h"
#include "solver/solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *solve_output_name(const struct solve_run *run)
{
    return run->options.out ? run->options.out : run->solver.problem.solution;
}

/* ---- solve ------------------------------------------------------------------------------------------------------- */

static starfish_status make_context(struct solve_run *run)
{
    struct starfish_context_options options = run->options.context;
    if (options.policy)
        STARFISH_TRY(starfish_policy_check("--policy", options.policy));
    STARFISH_TRY(workers_read(run->options.workers, &options));
    if (run->solver.problem.row->dimensions == 2 || run->solver.problem.plans->one_team)
        workers_as_one_team(&options);
    return run->solver.transport
               ? starfish_context_create_ranked(&run->solver.context, &options, run->solver.transport, "")
               : starfish_context_create(&run->solver.context, &options);
}

/* `number`: of the solve in StarPU's traces. */
static starfish_status submit(struct solve_run *run, size_t number, void *solution, starfish_job **job)
{
    starfish_iteration_begin(number);
    starfish_status status = problem_submit(&run->solver, solution, job);
    starfish_iteration_end();
    return status;
}

static void add_busy(struct solve_run *run, double sign)
{
    for (size_t w = 0; w < starfish_context_workers(run->solver.context); ++w)
        run->busy[w] += sign * starfish_context_busy_seconds(run->solver.context, w);
}

static starfish_status solve_repeatedly(struct solve_run *run)
{
    int show = isatty(STDERR_FILENO) && !run->options.json && !run->options.quiet && problem_rank(&run->solver) == 0;
    for (size_t i = 0; i < run->solver.options.repeat; ++i) {
        starfish_job *job;
        add_busy(run, -1);
        STARFISH_TRY(submit(run, i, run->solver.solution.data, &job));
        const starfish_status status = solve_wait(&run->solver, job, i + 1, show);
        add_busy(run, 1);
        run->seconds[i] = run->solver.result.info.seconds;
        run->solves = i + 1;
        STARFISH_TRY(status);
    }
    return STARFISH_SUCCESS;
}

/* The same solves as a stream: the next is submitted before the last is waited for, so that copies and work of
 * successive solves overlap. Two solutions take turns. */
static starfish_status solve_stream(struct solve_run *run)
{
    enum { IN_FLIGHT = 2 };
    starfish_job *job[IN_FLIGHT] = {NULL};
    const struct problem_result result = run->solver.result; /* what is told is of the solves before */
    void *const solution[IN_FLIGHT] = {run->solver.solution.data, run->solver.second_solution.data};
    starfish_status status = STARFISH_SUCCESS;
    run->solver.checks = 0;
    const double start = clock_now();
    for (size_t i = 0; i < run->solver.options.repeat + IN_FLIGHT; ++i) {
        const size_t slot = i % IN_FLIGHT;
        if (job[slot]) {
            const starfish_status waited = problem_wait(&run->solver, job[slot]);
            job[slot] = NULL;
            status = status == STARFISH_SUCCESS ? waited : status;
        }
        if (status == STARFISH_SUCCESS && i < run->solver.options.repeat)
            status = submit(run, run->solver.options.repeat + i, solution[slot], &job[slot]);
    }
    run->solver.result = result;
    run->stream_seconds = (clock_now() - start) / (double)run->solver.options.repeat;
    return status;
}

/* Pinned memory is copied to and from GPUs at full speed, and while they compute. */
static starfish_status solve_pinned(struct solve_run *run)
{
    void *const memory[] = {run->solver.problem.rhs.array.data, run->solver.solution.data,
                            run->solver.second_solution.data};
    const size_t count = run->solver.problem.plans->has_rhs ? 0 : run->solver.options.repeat > 1 ? 3 : 2;
    size_t bytes = starfish_array_count(&run->solver.solution) * starfish_real_size(run->solver.precision), pinned = 0;
    starfish_status status = STARFISH_SUCCESS;
    while (status == STARFISH_SUCCESS && pinned < count) {
        status = starfish_pin(run->solver.context, memory[pinned], bytes);
        pinned += status == STARFISH_SUCCESS;
    }
    STARFISH_THEN(status, solve_repeatedly(run));
    if (status == STARFISH_SUCCESS && run->solver.options.repeat > 1)
        status = solve_stream(run);
    while (pinned-- > 0)
        starfish_unpin(run->solver.context, memory[pinned], bytes);
    return status;
}

/* ---- the stages ------------------------------------------------------------------------------------------------- */

static starfish_status check_options(struct solve_run *run)
{
    struct starfish_context_options workers = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    STARFISH_TRY(workers_read(run->options.workers, &workers));
    run->seconds = malloc(run->solver.options.repeat * sizeof *run->seconds);
    STARFISH_FAIL_IF(!run->seconds, STARFISH_ERROR_MEMORY, "--repeat: no memory for %zu times",
                     run->solver.options.repeat);
    run->busy = calloc(STARPU_NMAXWORKERS, sizeof *run->busy);
    STARFISH_FAIL_IF(!run->busy, STARFISH_ERROR_MEMORY, "out of memory for the times of workers");
    return STARFISH_SUCCESS;
}

static void print(const struct solve_run *run)
{
    if (run->options.json)
        run->front->print_json(run);
    else if (!run->options.quiet)
        run->front->print_table(run);
}

/* What the ranks' files say of which functions are called, and by all ranks. */
static void walk_files(const void *data, struct starfish_alike *alike)
{
    const struct solve_run *run = data;
    const struct starfish_read_problem *problem = &run->solver.problem;
    uint64_t kind = STARFISH_FINGERPRINT;
    starfish_fingerprint_bytes(&kind, problem->row->name, strlen(problem->row->name));
    const struct {
        const char *name;
        uint64_t value;
    } key[] = {{"\"kind\" of the problem", kind},
               {"\"exact\" of the problem", problem->exact.given != 0},
               {"\"solution\" of the problem", solve_output_name(run) != NULL}};
    for (size_t i = 0; i < sizeof key / sizeof key[0]; i++)
        starfish_alike_add(alike, &(struct starfish_alike_name){.text = key[i].name}, 1 + key[i].value);
}

static starfish_status agree_on_files(struct solve_run *run)
{
    return starfish_transport_agree_on(run->solver.transport, STARFISH_SUCCESS, walk_files, run);
}

starfish_status solve_read_plane(struct solve_run *run, size_t dimensions)
{
    const struct starfish_problem_row *row = run->solver.problem.row;
    const char *text = run->options.plane;
    if (!text)
        return STARFISH_SUCCESS;
    STARFISH_FAIL_IF(!run->options.plot, STARFISH_ERROR_ARGUMENT, "--plane: goes with --plot");
    STARFISH_FAIL_IF(dimensions < 3, STARFISH_ERROR_ARGUMENT, "--plane: the problem has two dimensions");
    char *end = NULL;
    const size_t length = strcspn(text, "=");
    int d = 0;
    while (d < 3 && (strncmp(starfish_problem_direction(row, (size_t)d), text, length) != 0 ||
                     starfish_problem_direction(row, (size_t)d)[length]))
        ++d;
    const int is_named = d < 3 && text[length] == '=';
    const char *value = text + length + is_named;
    const int is_largest = is_named && strcmp(value, "max") == 0;
    const double coordinate = is_named && !is_largest ? starfish_read_real(value, &end) : (double)NAN;
    STARFISH_FAIL_IF(!is_named || (end && (end == value || *end || !isfinite(coordinate))), STARFISH_ERROR_ARGUMENT,
                     "--plane: '%s' is not like %s=0.3 or %s=max", text, starfish_problem_direction(row, 2),
                     starfish_problem_direction(row, 1));
    run->plane = (struct solve_plane){coordinate, d};
    return STARFISH_SUCCESS;
}

/* Ranks agree after every stage: where one has failed, no other goes on. */
#define AGREE(stage) STARFISH_TRY(starfish_transport_agree(run->solver.transport, stage))
static starfish_status run_stages(struct solve_run *run)
{
    AGREE(check_options(run));
    AGREE(problem_read(&run->solver));
    AGREE(agree_on_files(run));
    AGREE(run->front->check_outputs(run));
    AGREE(problem_prepare(&run->solver));
    AGREE(make_context(run));
    AGREE(problem_make_plan(&run->solver, 1));
    AGREE(solve_pinned(run));
    AGREE(problem_check_result(&run->solver));
    AGREE(run->front->write_outputs(run));
    return STARFISH_SUCCESS;
}

static starfish_status run_solve(void *data)
{
    struct solve_run *run = data;
    const starfish_status status = run_stages(run);
    if (problem_rank(&run->solver) > 0)
        return status;
    if (status == STARFISH_SUCCESS)
        print(run);
    if (status == STARFISH_ERROR_NUMERICAL && run->solver.result.status && run->options.json) {
        /* A method that says how it failed: then the object is not of the error alone. */
        run->front->print_json(run);
        run->options.json = 0;
    }
    return status;
}

int solve_main(struct solve_run *run, const struct command_line *line, int argc, char **argv)
{
    const int exit_status = mpi_run(line, argc, argv, &run->options.mpi, &run->solver.transport, run_solve, run);
    problem_release(&run->solver);
    mpi_close(run->solver.transport);
    free(run->seconds);
    free(run->busy);
    return exit_status;
}
