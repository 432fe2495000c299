/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish machine pass: all cases of a stage on one set of workers under one policy, in one process and one context,
 * since the start of a context takes longer than most of the cases. Each case becomes a row of measured.csv as soon
 * as it is measured; StarPU's models are written when the context ends. */
#include "apps/frame/run.h"
#include "apps/machine/machine.h"
#include "apps/machine/measured.h"
#include "apps/machine/probe.h"
#include "bench/clock.h"

#include "apps/command.h"
#include "apps/files/json.h"
#include "apps/measured/sched.h"
#include "apps/workers.h"
#include "scheduler/lab/sizes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 48, MOST_CALIBRATIONS = 24, PARTS = 16 };
/* In which a case's tasks should be known; those that are not are estimated from other sizes. What is held out leaves
 * no times behind. */
static const double calibration_seconds[MACHINE_STAGES] = {
    [MACHINE_CODELETS] = 1.5, [MACHINE_SIZES] = 1, [MACHINE_HELD_OUT] = 0.5, [MACHINE_POLICIES] = 0.5};
/* Solves of a row that take less in all are followed by as many more: the median of five short ones is chance. */
static const double row_seconds = 0.25;
static const double warm_seconds = 0.03;
/* A case waits while something else runs on the machine, and is measured again, so many times at most, where that has
 * begun meanwhile: until the cases of a pass have waited for this share of its time. */
static const double waiting_share[MACHINE_STAGES] = {[MACHINE_CODELETS] = 0.05, /* of all the time that there is */
                                                     [MACHINE_SIZES] = 0.3,
                                                     [MACHINE_HELD_OUT] = 0.3,
                                                     [MACHINE_POLICIES] = 0.3};
enum { MOST_ATTEMPTS = 3 };

struct running {
    const struct machine_pass *pass;
    starfish_context *context;
    struct bench bench; /* of the machine's name */
    struct probe probe;
    json_t *rows;         /* of the folder (measured.h) */
    double start, waited; /* in seconds */
    size_t done, left;
};

/* ---- which cases ------------------------------------------------------------------------------------------------- */

/* Is `workers` one of the sets? */
static int has_workers(const char *sets, const char *workers)
{
    const size_t length = strlen(workers);
    for (const char *at = sets; at; at = strchr(at, ';')) {
        at += *at == ';';
        if (strncmp(at, workers, length) == 0 && (at[length] == ';' || at[length] == '\0'))
            return 1;
    }
    return 0;
}

static int is_first(const char *policy)
{
    return strcmp(policy, MACHINE_FIRST_POLICY) == 0;
}

static int belongs(const struct machine_pass *pass, const struct machine_case *what)
{
    const enum machine_stage stage = pass->stage == MACHINE_POLICIES ? MACHINE_SIZES : pass->stage;
    const int here = what->stage == stage || (pass->stage == MACHINE_POLICIES && what->stage == MACHINE_CODELETS);
    return here && (is_first(pass->policy) || what->all_policies) && has_workers(what->workers, pass->workers);
}

static const struct machine_case *cases_of(const struct machine_pass *pass)
{
    return pass->quick ? machine_quick_cases() : machine_cases();
}

static void path_of(const struct machine_pass *pass, char path[SIMULATE_PATH])
{
    snprintf(path, SIMULATE_PATH, "%s/measured.csv", pass->folder);
}

static int has_row(const json_t *rows, const struct machine_pass *pass, const struct machine_case *what)
{
    const json_t *row;
    size_t i;
    json_array_foreach (rows, i, row)
        if (strcmp(starfish_json_text_of(row, "case"), what->name) == 0 &&
            strcmp(starfish_json_text_of(row, "workers"), pass->workers) == 0 &&
            strcmp(starfish_json_text_of(row, "policy"), pass->policy) == 0)
            return 1;
    return 0;
}

/* The least time of the probe in the rows that there are: what the machine does when nothing else runs. 0: none. */
static double least_probe(const json_t *rows)
{
    double least = 0;
    const json_t *row;
    size_t i;
    json_array_foreach (rows, i, row) {
        const double seconds = starfish_json_number_of(row, "probe_seconds");
        least = seconds > 0 && (least == 0 || seconds < least) ? seconds : least;
    }
    return least;
}

size_t machine_pass_left(const struct machine_pass *pass)
{
    char path[SIMULATE_PATH];
    json_t *rows;
    size_t left = 0;
    path_of(pass, path);
    if (measured_read(path, &rows) != STARFISH_SUCCESS)
        rows = NULL; /* the pass says why */
    for (const struct machine_case *what = cases_of(pass); what->name; ++what)
        left += belongs(pass, what) && !has_row(rows, pass, what);
    json_decref(rows);
    return left;
}

/* ---- one case ---------------------------------------------------------------------------------------------------- */

/* The case's words, cut apart in `text`: options of sched. */
static starfish_status read_words(const struct machine_case *what, char *text, size_t size, struct plan_options *given)
{
    char *words[MOST_WORDS] = {NULL}, *rest;
    int count = 1;
    snprintf(text, size, "%s", what->arguments);
    for (char *word = strtok_r(text, " ", &rest); word && count < MOST_WORDS; word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    static struct option_entry whole[OPTION_MOST];
    const struct option_entry options[] = {PLAN_OPTIONS(given), {.name = NULL}};
    const struct command_line line = {.usage = "machine record", .options = options_expand(options, whole)};
    return options_read(&line, count, words);
}

static starfish_status keep_row(const struct running *running, const struct machine_case *what, const json_t *row,
                                double slowdown)
{
    char path[SIMULATE_PATH], n[80];
    json_t *kept = json_pack(
        "{s:s, s:i, s:s*, s:o, s:f, s:o}", "case", what->name, "held_out", what->stage == MACHINE_HELD_OUT, "problem",
        what->problem, "arguments",
        json_sprintf("%s --repeat %d --warmup %d --rounds 1 --json", what->arguments, MACHINE_REPEATS, MACHINE_WARMUP),
        "slowdown", slowdown, "probe_seconds", command_json_real(running->probe.least));
    STARFISH_FAIL_IF(!kept, STARFISH_ERROR_MEMORY, "out of memory for a case");
    if (what->problem) {
        const int count = what->n[1] ? 3 : 1;
        snprintf(n, sizeof n, count == 3 ? "%zu %zu %zu" : "%zu", what->n[0], what->n[1], what->n[2]);
        json_object_set_new(kept, "n", json_string(n));
    }
    json_object_update_missing(kept, (json_t *)row);
    measured_add(running->rows, kept);
    path_of(running->pass, path);
    return measured_write(path, running->rows);
}

/* Between runs nothing is warmed up again. */
static starfish_status measure_runs(struct sched *sched, struct sched_combination *c)
{
    double sum = 0;
    for (int run = 0; run < MACHINE_RUNS && sum < row_seconds; ++run) {
        sched->bench.warmup = run == 0 ? MACHINE_WARMUP : 0;
        STARFISH_TRY(sched_measure_here(sched, c, MACHINE_REPEATS));
        for (size_t i = c->count - MACHINE_REPEATS; i < c->count; ++i)
            sum += c->seconds[i];
    }
    return STARFISH_SUCCESS;
}

/* Solves of which the models learn nothing: the first ones of a plan make CUDA graphs and touch memory for the first
 * time, and a GPU that has waited has low clocks. Means that contain them are too long by a few per cent. */
static starfish_status warm_up(struct sched *sched)
{
    const double start = clock_now();
    const size_t most = 12;
    starfish_status status = STARFISH_SUCCESS;
    starfish_tasks_teach(0);
    for (size_t i = 0; status == STARFISH_SUCCESS && (i == 0 || (i < most && clock_now() - start < warm_seconds)); ++i)
        status = sched_solve_here(sched);
    starfish_tasks_teach(1);
    return status;
}

static double waiting_left(const struct running *running)
{
    return waiting_share[running->pass->stage] * running->pass->seconds - running->waited;
}

/* By how much the machine is slower then. Times of the quick cases mean nothing, and wait for nothing. */
static double wait_for_calm(struct running *running)
{
    const double start = clock_now();
    if (running->pass->quick)
        return 1;
    const double slowdown = probe_wait(&running->probe, waiting_left(running));
    running->waited += clock_now() - start;
    return slowdown;
}

static void free_records(struct sched_combination *c)
{
    for (size_t i = 0; i < c->records; ++i)
        starfish_record_free(c->record[i]);
    c->records = 0;
}

/* Measured again where something else has run meanwhile; *slowdown is the machine's, before or after. */
static starfish_status measure_calmly(struct running *running, struct sched *sched, struct sched_combination *c,
                                      double *slowdown)
{
    for (int attempt = 0; attempt < MOST_ATTEMPTS; ++attempt) {
        const double before = wait_for_calm(running);
        free_records(c);
        c->count = 0;
        STARFISH_TRY(measure_runs(sched, c));
        *slowdown = running->pass->quick ? 1 : fmax(before, probe_slowdown(&running->probe));
        if (*slowdown <= PROBE_CALM || waiting_left(running) <= 0)
            break;
    }
    return STARFISH_SUCCESS;
}

/* Policies without models learn nothing from more samples. */
static starfish_status measure_here(struct running *running, struct sched *sched, const struct machine_case *what)
{
    struct sched_combination c = {.workers = running->pass->workers, .policy = running->pass->policy};
    double seconds[MACHINE_REPEATS * MACHINE_RUNS], slowdown = 1;
    c.seconds = seconds;
    starfish_status status = STARFISH_SUCCESS;
    if (is_first(c.policy)) {
        wait_for_calm(running);
        status = warm_up(sched);
    }
    if (is_first(c.policy) && status == STARFISH_SUCCESS)
        status = sched_calibrate_here(sched, &c, MOST_CALIBRATIONS, calibration_seconds[running->pass->stage]);
    STARFISH_THEN(status, measure_calmly(running, sched, &c, &slowdown));
    if (status == STARFISH_SUCCESS) {
        sched_add_row(sched, &c);
        status = keep_row(running, what, json_array_get(sched->bench.rows, 0), slowdown);
    }
    if (slowdown > PROBE_CALM)
        fprintf(stderr, "        %-32s something else runs: %.2f times as slow as before\n", what->name, slowdown);
    free_records(&c);
    return status;
}

static starfish_status run_case(struct running *running, const struct machine_case *what)
{
    static char path[SIMULATE_PATH], text[512];
    static const struct sched defaults = {
        .bench = BENCH_DEFAULTS("sched"), .plan.options = PLAN_OPTIONS_DEFAULTS, .rounds = 1};
    static struct sched sched;
    sched = defaults;
    STARFISH_TRY(read_words(what, text, sizeof text, &sched.plan.options));
    if (what->problem) {
        machine_problem_path(running->pass->folder, what->problem, path);
        STARFISH_TRY(machine_write_problem(running->pass->folder, what->n, what->problem));
        sched.plan.options.named[PLAN_PROBLEM] = path;
    }
    sched.bench.rows = json_array();
    sched.bench.more = json_pack("{s:[]}", "calibration");
    sched.plan.unchecked = what->stage != MACHINE_CODELETS;
    starfish_status status = plan_open(&sched.plan, PARTS);
    STARFISH_THEN(status, plan_start(&sched.plan, running->context));
    STARFISH_THEN(status, measure_here(running, &sched, what));
    plan_stop(&sched.plan);
    plan_close(&sched.plan);
    json_decref(sched.bench.rows);
    json_decref(sched.bench.more);
    return status;
}

/* A case that fails is reported, and does not keep the others from being recorded. */
static void try_case(struct running *running, const struct machine_case *what)
{
    const struct machine_pass *pass = running->pass;
    const double start = clock_now();
    starfish_status status = machine_expect_case(pass->folder);
    STARFISH_THEN(status, run_case(running, what));
    machine_remove_case(pass->folder);
    fprintf(stderr, "        %-32s %5.2f s%s%s\n", what->name, clock_now() - start,
            status == STARFISH_SUCCESS ? "" : "  ", status == STARFISH_SUCCESS ? "" : starfish_error_message());
    running->done += status == STARFISH_SUCCESS;
    running->left += status != STARFISH_SUCCESS;
}

static void try_all(struct running *running)
{
    const struct machine_pass *pass = running->pass;
    for (const struct machine_case *what = cases_of(pass); what->name; ++what) {
        if (!belongs(pass, what) || has_row(running->rows, pass, what))
            continue;
        if (clock_now() - running->start < pass->seconds)
            try_case(running, what);
        else
            running->left++;
    }
}

/* ---- the process ------------------------------------------------------------------------------------------------- */

static starfish_status run_pass(struct running *running)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    char path[SIMULATE_PATH];
    const struct machine_pass *pass = running->pass;
    path_of(pass, path);
    STARFISH_TRY(measured_read(path, &running->rows));
    snprintf(path, sizeof path, "%s/sampling/sizes", pass->folder);
    if (pass->stage != MACHINE_HELD_OUT)
        STARFISH_TRY(starfish_sizes_read(path));
    STARFISH_TRY(workers_read(pass->workers, &options));
    options.policy = pass->policy;
    running->probe.least = least_probe(running->rows);
    if (!pass->quick)
        probe_slowdown(&running->probe); /* before there are workers that look for tasks */
    STARFISH_TRY(starfish_context_create(&running->context, &options));
    try_all(running);
    starfish_context_destroy(running->context);
    probe_free(&running->probe);
    return pass->stage != MACHINE_HELD_OUT ? starfish_sizes_write(path) : STARFISH_SUCCESS;
}

starfish_status machine_pass_start(const struct machine_pass *pass)
{
    char gpus[16], stage[16], seconds[32];
    snprintf(gpus, sizeof gpus, "%d", pass->gpus);
    snprintf(stage, sizeof stage, "%d", (int)pass->stage);
    snprintf(seconds, sizeof seconds, "%g", pass->seconds);
    const char *const arguments[] = {
        "/proc/self/exe", "machine",    "pass", pass->folder, gpus, pass->quick ? "1" : "0",
        pass->workers,    pass->policy, stage,  seconds,      NULL};
    return run_program(arguments, "/dev/null", pass->seconds + 60);
}

int machine_pass(int argc, char **argv)
{
    static struct machine_pass pass;
    static struct running running;
    running = (struct running){.pass = &pass, .start = clock_now()};
    if (argc != 8)
        return command_fail(starfish_fail(STARFISH_ERROR_ARGUMENT, "machine pass: is for machine record alone"), 0);
    snprintf(pass.folder, sizeof pass.folder, "%s", argv[1]);
    pass.gpus = atoi(argv[2]);
    pass.quick = atoi(argv[3]);
    snprintf(pass.workers, sizeof pass.workers, "%s", argv[4]);
    snprintf(pass.policy, sizeof pass.policy, "%s", argv[5]);
    pass.stage = (enum machine_stage)atoi(argv[6]);
    pass.seconds = atof(argv[7]);
    const starfish_status status = run_pass(&running);
    json_decref(running.rows);
    return status == STARFISH_SUCCESS ? 0 : command_fail(status, 0);
}
