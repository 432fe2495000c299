/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shares of GPUs and cores (share.h): the times of levels, from models or from a trial, and the choice by them. The
 * trial solves for zeros on a few modes; the choice is arithmetic on at most 34 levels. */
#include "blktri/share.h"

#include "base/sizes.h"
#include "scheduler/runtime/balance.h"
#include "scheduler/runtime/field.h"
#include "scheduler/runtime/machine.h"
#include "scheduler/runtime/team.h"
#include "tridiag/kernels/constant_line.h"

#include <math.h>
#include <stdlib.h>

enum {
    TRIAL_BYTES = 256 << 20, /* of a field at most: enough modes to occupy a GPU */
    MODES_PER_CORE = 4,      /* that a core solves side by side */
    TIMES = 2,               /* of the trial; the first one is for warming up */
};
/* Cores must promise so much: a short trial is less certain than a whole solve, and copies hide a part of the GPU's
 * levels (tasks/spectral.h). */
static const double worth_of_cores = 1.15;
/* A solve's copies take bandwidth of main memory, which the trial of the cores had for itself. */
static const double beside_copies = 1.25;

/* ---- The choice -------------------------------------------------------------------------------------------------- */

static int are_known(const struct starfish_blktri_pace *pace)
{
    for (size_t l = 0; l < pace->levels; l++)
        if (isnan(pace->seconds[l]))
            return 0;
    return 1;
}

/* Of some levels, for modes that the workers of the kind share; infinite where that is not known. A level with few rows
 * leaves a GPU partly idle, so that more modes than it was timed with may take no longer; at most, they are solved at
 * the best rate of any level. */
static double seconds_of(const struct starfish_blktri_pace *pace, size_t first, size_t end, size_t modes)
{
    const double each = ceil((double)modes / (double)pace->workers) / (double)pace->modes;
    double best = 0, seconds = 0;
    if (first < end && !are_known(pace))
        return (double)INFINITY;
    for (size_t l = 0; l < pace->levels; l++)
        best = fmax(best, pace->work[l] / pace->seconds[l]);
    for (size_t l = first; l < end && modes > 0; l++)
        seconds += pace->hides_latency && each > 1 ? fmax(pace->seconds[l], pace->work[l] * each / best)
                                                   : pace->seconds[l] * each;
    return seconds;
}

static struct starfish_blktri_share share_modes(const struct starfish_blktri_pace pace[STARFISH_WORKER_KINDS],
                                                size_t modes)
{
    const struct starfish_blktri_pace *cores = &pace[STARFISH_CPU], *gpus = &pace[STARFISH_GPU];
    const double gpus_alone = seconds_of(gpus, 0, gpus->levels, modes);
    const double cores_alone = seconds_of(cores, 0, cores->levels, modes);
    struct starfish_blktri_share best = {.where = STARFISH_ON_GPUS, .split = -1};
    double least = gpus_alone;
    if (cores_alone < least) {
        best.where = STARFISH_ON_CORES;
        least = cores_alone;
    }
    const double alone = least;
    for (size_t m = cores->workers; m > 0 && m < modes; m += cores->workers) {
        const double both =
            fmax(beside_copies * seconds_of(cores, 0, cores->levels, m), seconds_of(gpus, 0, gpus->levels, modes - m));
        if (both < least && worth_of_cores * both + STARFISH_LEAST_GAIN < alone) {
            least = both;
            best = (struct starfish_blktri_share){0, m, -1};
        }
    }
    return best;
}

static struct starfish_blktri_share share_levels(const struct starfish_blktri_pace pace[STARFISH_WORKER_KINDS],
                                                 double exchange_seconds)
{
    const struct starfish_blktri_pace *cores = &pace[STARFISH_CPU], *gpus = &pace[STARFISH_GPU];
    const size_t levels = gpus->levels;
    const double of_cores = seconds_of(cores, 0, levels, 1), of_gpus = seconds_of(gpus, 0, levels, 1);
    const double alone = fmin(of_cores, of_gpus);
    size_t split = of_cores < of_gpus ? levels : 0;
    double least = alone;
    for (size_t s = 1; s < levels; s++) {
        const double both = seconds_of(cores, 0, s, 1) + seconds_of(gpus, s, levels, 1) + 2 * exchange_seconds;
        if (both < least && worth_of_cores * both + STARFISH_LEAST_GAIN < alone) {
            least = both;
            split = s;
        }
    }
    if (split > 0 && split < levels)
        return (struct starfish_blktri_share){0, 0, (int)split};
    return (struct starfish_blktri_share){split > 0 ? STARFISH_ON_CORES : STARFISH_ON_GPUS, 0, -1};
}

struct starfish_blktri_share starfish_blktri_share_by(const struct starfish_blktri_pace pace[STARFISH_WORKER_KINDS],
                                                      size_t modes, double exchange_seconds)
{
    return modes > 1 ? share_modes(pace, modes) : share_levels(pace, exchange_seconds);
}

/* ---- Models and trial -------------------------------------------------------------------------------------------- */

/* Modes of x that are one after the other; complex numbers have two parts. */
static size_t modes_of(const struct starfish_spectral_problem *p)
{
    return p->direction[0].n / starfish_tridiag_parts(p->numbers);
}

static void fill_work(const struct starfish_spectral *s, struct starfish_blktri_pace *pace)
{
    pace->levels = s->levels;
    for (size_t l = 0; l < s->levels; l++) {
        const struct starfish_level_chains *chains = &s->level[l].chains;
        pace->work[l] =
            (double)(chains->reduce.total + chains->influence.total + chains->solve.total + 2 * s->level[l].sums.roots);
    }
}

static void release(struct starfish_spectral *s)
{
    starfish_spectral_destroy(s);
    free(s);
}

/* A spectral problem on the first `modes` modes of x: a slab, and a block for each of `workers` workers. */
static starfish_status create(struct starfish_spectral **result, struct starfish_context *context,
                              const struct starfish_spectral_problem *problem, size_t modes, size_t workers,
                              uint32_t where)
{
    struct starfish_direction direction[3] = {problem->direction[0], problem->direction[1], problem->direction[2]};
    struct starfish_spectral_problem part = *problem;
    struct starfish_runs cut = {.parts = 0}, blocks = {.parts = 0};
    struct starfish_spectral *s = calloc(1, sizeof *s);
    STARFISH_FAIL_IF(!s, STARFISH_ERROR_MEMORY, "out of memory for timing workers");
    direction[0].n = modes * starfish_tridiag_parts(problem->numbers);
    part.direction = direction;
    part.cut = &cut;
    part.modes = &blocks;
    part.where = where;
    starfish_status status = starfish_runs_equally(&cut, direction[2].n, 1);
    STARFISH_THEN(status, starfish_runs_equally(&blocks, direction[0].n, workers));
    STARFISH_THEN(status, starfish_spectral_create(s, context, &part));
    starfish_runs_free(&cut);
    starfish_runs_free(&blocks);
    if (status == STARFISH_SUCCESS)
        *result = s;
    else
        free(s);
    return status;
}

static starfish_status ask_models(struct starfish_context *context, const struct starfish_spectral_problem *problem,
                                  struct starfish_blktri_pace pace[STARFISH_WORKER_KINDS])
{
    struct starfish_spectral *s;
    STARFISH_TRY(create(&s, context, problem, modes_of(problem), 1, 0));
    const struct starfish_reduction_block block = starfish_reduction_block_of(s, 0);
    struct starfish_progress progress;
    starfish_progress_init(&progress, context);
    starfish_status status = STARFISH_SUCCESS;
    for (size_t l = 0; l < s->levels; l++)
        for (int substitutes = l == 0; substitutes < 2; substitutes++) { /* nothing is above the root */
            const struct starfish_level_task task = {
                .block = &block, .levels = s->level, .depth = l, .substitutes = substitutes};
            double seconds[STARFISH_WORKER_KINDS] = {0, 0};
            STARFISH_THEN(status, starfish_level_expect(&progress, &task, seconds));
            for (int kind = 0; kind < STARFISH_WORKER_KINDS; kind++)
                pace[kind].seconds[l] += seconds[kind];
        }
    for (int kind = 0; kind < STARFISH_WORKER_KINDS; kind++) {
        pace[kind].modes = modes_of(problem);
        fill_work(s, &pace[kind]);
    }
    starfish_progress_destroy(&progress);
    release(s);
    return status;
}

static starfish_status solve(struct starfish_spectral *s, uint32_t where, void *memory[2],
                             struct starfish_blktri_pace *pace)
{
    struct starfish_stretch step[STARFISH_PROGRESS_STEPS];
    struct starfish_progress progress;
    struct starfish_field *field[2] = {NULL, NULL};
    struct starfish_coefficient_table removed = {0};
    starfish_status status = STARFISH_SUCCESS;
    starfish_progress_init(&progress, s->context);
    starfish_progress_time_steps(&progress, step);
    progress.where = where;
    for (int f = 0; f < 2; f++)
        STARFISH_THEN(status,
                      starfish_field_over(s->context, s->precision, s->n, &s->cut, "trial", memory[f], &field[f]));
    if (s->singular)
        STARFISH_THEN(status, starfish_coefficient_table_results(&removed, STARFISH_CONSTANT_REMOVED *
                                                                               starfish_tridiag_parts(s->numbers)));
    if (status == STARFISH_SUCCESS) {
        const struct starfish_vector solution = {.piece = field[1]->handle};
        const struct starfish_direct_data data = {
            .rhs = field[0]->handle, .solution = &solution, .removed = removed.handle};
        status = starfish_graph_blktri(s, &progress, &data);
    }
    const starfish_status ended = starfish_progress_wait(&progress);
    for (size_t l = 0; l < s->levels; l++) {
        double busy = 0;
        for (int up = 0; up < 2; up++)
            for (int kind = 0; kind < STARFISH_WORKER_KINDS; kind++)
                busy += step[starfish_reduction_step(l, up)].done[kind].busy_seconds;
        pace->seconds[l] = busy / (double)s->modes.parts;
    }
    starfish_progress_destroy(&progress);
    starfish_coefficient_table_destroy(&removed);
    for (int f = 0; f < 2; f++)
        starfish_field_destroy(field[f]);
    return status == STARFISH_SUCCESS ? ended : status;
}

/* Modes that a worker of a kind is tried on. */
static size_t tried_modes(struct starfish_context *context, const struct starfish_spectral_problem *p,
                          starfish_worker_kind kind)
{
    const double bytes = (double)starfish_tridiag_parts(p->numbers) * (double)starfish_real_size(p->precision) *
                         (double)p->direction[1].n * (double)p->direction[2].n;
    const size_t fit = (size_t)fmax(TRIAL_BYTES / bytes, 1);
    const size_t wanted = kind == STARFISH_CPU ? MODES_PER_CORE * starfish_team_largest(context, kind) : fit;
    return starfish_smaller(wanted, fit);
}

static starfish_status try_out(struct starfish_context *context, const struct starfish_spectral_problem *problem,
                               starfish_worker_kind kind, struct starfish_blktri_pace *pace)
{
    const uint32_t where = kind == STARFISH_GPU ? STARFISH_ON_GPUS : STARFISH_ON_CORES;
    const size_t most = modes_of(problem) / pace->workers;
    struct starfish_spectral *s;
    pace->modes = starfish_smaller(tried_modes(context, problem, kind), most);
    STARFISH_TRY(create(&s, context, problem, pace->workers * pace->modes, pace->workers, where));
    void *memory[2] = {NULL, NULL};
    starfish_status status = STARFISH_SUCCESS;
    for (int f = 0; f < 2; f++) {
        memory[f] = calloc(s->n[0] * s->n[1] * s->n[2], starfish_real_size(s->precision));
        if (!memory[f])
            status = starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for timing workers on %zu modes", s->n[0]);
    }
    for (int time = 0; time < TIMES; time++)
        STARFISH_THEN(status, solve(s, where, memory, pace));
    for (int f = 0; f < 2; f++)
        free(memory[f]);
    release(s);
    return status;
}

starfish_status starfish_blktri_choose_share(struct starfish_context *context,
                                             const struct starfish_spectral_problem *problem,
                                             struct starfish_blktri_share *share)
{
    struct starfish_blktri_pace pace[STARFISH_WORKER_KINDS] = {{.levels = 0}, {.levels = 0}};
    const size_t bytes = problem->direction[1].n * starfish_real_size(problem->precision);
    STARFISH_TRY(ask_models(context, problem, pace));
    for (int kind = 0; kind < STARFISH_WORKER_KINDS; kind++) {
        pace[kind].workers = starfish_smaller(context->workers_of[kind], modes_of(problem));
        pace[kind].hides_latency = kind == STARFISH_GPU;
        if (pace[kind].workers > 0 && !are_known(&pace[kind]) && !starfish_machine_is_simulated())
            STARFISH_TRY(try_out(context, problem, (starfish_worker_kind)kind, &pace[kind]));
    }
    *share = starfish_blktri_share_by(pace, modes_of(problem),
                                      STARFISH_EXCHANGE_LATENCY + starfish_context_copy_seconds(context, 1, bytes));
    return STARFISH_SUCCESS;
}
