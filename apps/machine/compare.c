/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish machine compare: simulated times beside times measured on the machine. Each case is a simulation of its own;
 * a 15 % difference is wanted at most. */
#include "apps/machine/compare.h"

#include "apps/frame/run.h"
#include "apps/machine/machine.h"
#include "apps/machine/measured.h"

#include "apps/files/json.h"
#include "apps/files/output.h"
#include "apps/files/temporary.h"
#include "apps/options.h"
#include "apps/table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS_AT_MOST = 600 };
/* By how much a simulated time should differ from the measured one at most, as a fraction of it. */
static const double wanted = 0.15;

/* ---- one case ---------------------------------------------------------------------------------------------------- */

/* The different policies of rows, joined; of those that `counts` says; NULL: of all. */
static void join_policies(const json_t *rows, int (*counts)(const json_t *row), char *text, size_t size)
{
    json_t *seen = json_object();
    const json_t *row;
    size_t i, length = 0;
    text[0] = 0;
    json_array_foreach (rows, i, row) {
        const char *policy = starfish_json_text_of(row, "policy");
        if (json_object_get(seen, policy) || length >= size || (counts && !counts(row)))
            continue;
        json_object_set_new(seen, policy, json_true());
        length += (size_t)snprintf(text + length, size - length, "%s%s", length > 0 ? "," : "", policy);
    }
    json_decref(seen);
}

/* A case on one set of workers under some policies: so many solves, after one whose memory is new. */
static starfish_status simulate_solves(const struct comparison *comparison, const json_t *recorded,
                                       const char *policies, const char *repeat, json_t **said)
{
    char problem[SIMULATE_PATH], output[128], program[SIMULATE_PATH], text[MEASURED_TEXT] = "", *rest;
    const char *arguments[MEASURED_ARGUMENTS + 15] = {program, "--log=root.thres:warning", "sched"};
    const char *kind = starfish_json_text_of(recorded, "problem");
    const char *given = starfish_json_text_of(recorded, "arguments");
    size_t i, n[3], count = 3;
    snprintf(output, sizeof output, "%s/sched.json", comparison->scratch);
    STARFISH_TRY(simulate_program(program));
    STARFISH_TRY(machine_expect_case(comparison->scratch));
    if (measured_size(recorded, n)) { /* it was a problem file, of the first recordings a plain one */
        machine_problem_path(comparison->scratch, kind ? kind : "plain", problem);
        STARFISH_TRY(machine_write_problem(comparison->scratch, n, kind ? kind : "plain"));
        arguments[count++] = problem;
    }
    snprintf(text, sizeof text, "%s", given ? given : "");
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        arguments[count++] = word;
    const char *const sets[] = {
        "--workers", starfish_json_text_of(recorded, "workers"), "--policies", policies, "--repeat", repeat, "--warmup",
        "1"};
    for (i = 0; i < sizeof sets / sizeof sets[0]; ++i) /* the last ones given count */
        arguments[count++] = sets[i];
    starfish_status status = run_program(arguments, output, SECONDS_AT_MOST);
    STARFISH_THEN(status, starfish_json_load(output, said));
    machine_remove_case(comparison->scratch);
    return status;
}

/* Has it a solve that took a fifth longer than another, and so few tasks that this is chance? */
static int varies(const json_t *row)
{
    enum { MANY_TASKS = 400 };
    return starfish_json_number_of(row, "max") > 1.2 * starfish_json_number_of(row, "min") &&
           starfish_json_number_of(row, "tasks") < MANY_TASKS;
}

/* Where times of solves vary, as those do that allocate memory, the median of a few is chance: of more it is not. Rows
 * of more solves come first, so that they are found before the others. `set`: the rows of a case and its workers. */
static starfish_status simulate_case(const struct comparison *comparison, const json_t *set, json_t **said)
{
    const json_t *recorded = json_array_get(set, 0);
    char policies[512];
    json_t *more;
    join_policies(set, NULL, policies, sizeof policies);
    STARFISH_TRY(simulate_solves(comparison, recorded, policies, "3", said));
    join_policies(json_object_get(*said, "rows"), varies, policies, sizeof policies);
    if (!policies[0])
        return STARFISH_SUCCESS;
    STARFISH_TRY(simulate_solves(comparison, recorded, policies, "15", &more));
    json_array_extend(json_object_get(more, "rows"), json_object_get(*said, "rows"));
    json_decref(*said);
    *said = more;
    return STARFISH_SUCCESS;
}

static int same(const json_t *a, const json_t *b, const char *key)
{
    return json_equal(json_object_get(a, key), json_object_get(b, key));
}

/* The first that is of it counts. */
static void add_row(const struct comparison *comparison, const json_t *row, const json_t *said)
{
    const json_t *rows = json_object_get(said, "rows"), *other = NULL;
    for (size_t i = 0; i < json_array_size(rows) && !other; ++i)
        if (same(row, json_array_get(rows, i), "workers") && same(row, json_array_get(rows, i), "policy"))
            other = json_array_get(rows, i);
    if (other)
        json_array_append_new(comparison->rows,
                              json_pack("{s:O, s:b, s:O, s:O, s:O, s:O, s:O}", "case", json_object_get(row, "case"),
                                        "held_out", starfish_json_number_of(row, "held_out") != 0, "workers",
                                        json_object_get(row, "workers"), "policy", json_object_get(row, "policy"),
                                        "measured", json_object_get(row, "seconds"), "simulated",
                                        json_object_get(other, "seconds"), "spread", json_object_get(other, "spread")));
}

enum starfish_worker_set comparison_set_of(const char *workers)
{
    const int gpus = strstr(workers, "gpu") != NULL, cores = strstr(workers, "cpu") != NULL;
    if (strcmp(workers, machine_set_names[STARFISH_SET_TEAM]) == 0)
        return STARFISH_SET_TEAM;
    return strcmp(workers, "all") == 0 || (gpus && cores) ? STARFISH_SET_ALL
           : gpus                                         ? STARFISH_SET_GPUS
                                                          : STARFISH_SET_CORES;
}

/* What cannot be simulated is said, and does not keep the rest from being compared: so that all that a recording lacks
 * is known at once. */
static void compare_set(struct comparison *comparison, const json_t *set)
{
    const json_t *row, *first = json_array_get(set, 0);
    json_t *said = NULL;
    size_t i;
    comparison->simulated++;
    if (simulate_case(comparison, set, &said) == STARFISH_SUCCESS) {
        const char *simulation = json_string_value(json_object_get(said, "simulation"));
        json_array_foreach (set, i, row)
            add_row(comparison, row, said);
        comparison->estimated += simulation && strstr(simulation, "estimates");
    } else {
        fprintf(stderr, "%s on %s cannot be simulated: %s\n", starfish_json_text_of(first, "case"),
                starfish_json_text_of(first, "workers"), starfish_error_message());
        comparison->failed++;
    }
    json_decref(said);
}

static int is_wanted(const struct comparison *comparison, const json_t *row)
{
    const char *workers = starfish_json_text_of(row, "workers"), *only = comparison->only;
    return (!only || strncmp(starfish_json_text_of(row, "case"), only, strlen(only)) == 0) &&
           !(comparison->fits && starfish_json_number_of(row, "held_out") != 0) &&
           (!comparison->workers || strcmp(comparison->workers, workers) == 0) &&
           !(comparison->as_they_are && comparison_set_of(workers) == STARFISH_SET_CORES);
}

/* The rows of the same case and workers as the one at `first`; none where an earlier one is of them. */
static json_t *set_of(const json_t *rows, size_t first)
{
    json_t *set = json_array(), *start = json_array_get(rows, first), *row;
    size_t i;
    json_array_foreach (rows, i, row) {
        if (!same(row, start, "case") || !same(row, start, "workers"))
            continue;
        if (i < first)
            break;
        json_array_append(set, row);
    }
    return set;
}

static starfish_status compare_all(struct comparison *comparison)
{
    char path[SIMULATE_PATH + 16];
    const json_t *row;
    json_t *rows;
    size_t i;
    snprintf(path, sizeof path, "%s/measured.csv", comparison->folder);
    STARFISH_TRY(measured_read(path, &rows));
    json_array_foreach (rows, i, row) {
        json_t *set = set_of(rows, i);
        if (json_array_size(set) > 0 && is_wanted(comparison, row))
            compare_set(comparison, set);
        json_decref(set);
    }
    json_decref(rows);
    return STARFISH_SUCCESS;
}

/* ---- what is shown ----------------------------------------------------------------------------------------------- */

/* By how much the simulated time exceeds the measured one, as a fraction of the latter. */
static double off(const json_t *row)
{
    return starfish_json_number_of(row, "simulated") / starfish_json_number_of(row, "measured") - 1;
}

static void print_rows(const struct comparison *comparison)
{
    struct table table = {.alignment = TABLE_RIGHT, .left = 2};
    const json_t *row;
    size_t i;
    table_line(&table, "case\tworkers\tpolicy\tmeasured ms\tsimulated ms\tspread\toff");
    json_array_foreach (comparison->rows, i, row)
        table_line(&table, "%s\t%s\t%s\t%.4g\t%.4g\t%.2g\t%+.0f %%", starfish_json_text_of(row, "case"),
                   starfish_json_text_of(row, "workers"), starfish_json_text_of(row, "policy"),
                   1e3 * starfish_json_number_of(row, "measured"), 1e3 * starfish_json_number_of(row, "simulated"),
                   1e3 * starfish_json_number_of(row, "spread"), 100 * off(row));
    table_print(&table);
}

/* The columns: one per policy, in the order of their first appearance. */
static json_t *policies_of(const struct comparison *comparison)
{
    json_t *policies = json_object();
    const json_t *row;
    size_t i;
    json_array_foreach (comparison->rows, i, row)
        json_object_set_new(policies, starfish_json_text_of(row, "policy"), json_true());
    return policies;
}

/* The simulated time is the middle of runs, and what lies between their quartiles stands beside it where it shows. */
static void print_entry(const json_t *row)
{
    const double simulated = starfish_json_number_of(row, "simulated"), spread = starfish_json_number_of(row, "spread");
    printf(" %.3g, %.3g", 1e3 * starfish_json_number_of(row, "measured"), 1e3 * simulated);
    if (spread > 0.005 * simulated)
        printf(" (%.2g)", 1e3 * spread);
    printf(": %+.0f %%", 100 * off(row));
}

static void print_line(const struct comparison *comparison, const json_t *first, json_t *policies)
{
    const char *policy;
    json_t *unused;
    printf("| %s | %s |", starfish_json_text_of(first, "case"), starfish_json_text_of(first, "workers"));
    json_object_foreach (policies, policy, unused) {
        const json_t *row;
        size_t i;
        json_array_foreach (comparison->rows, i, row)
            if (same(row, first, "case") && same(row, first, "workers") &&
                strcmp(starfish_json_text_of(row, "policy"), policy) == 0)
                print_entry(row);
        printf(" |");
    }
    printf("\n");
}

/* One line per case and set of workers, one column per policy. */
static void print_markdown(const struct comparison *comparison)
{
    json_t *policies = policies_of(comparison), *unused;
    const json_t *row, *before = NULL;
    const char *policy;
    size_t i;
    printf("| case | workers |");
    json_object_foreach (policies, policy, unused)
        printf(" %s |", policy);
    printf("\n|---|---|");
    for (i = 0; i < json_object_size(policies); ++i)
        printf("---|");
    printf("\n");
    json_array_foreach (comparison->rows, i, row) {
        if (!before || !same(before, row, "case") || !same(before, row, "workers"))
            print_line(comparison, row, policies);
        before = row;
    }
    json_decref(policies);
}

/* How many rows are near enough, of all cases or of those that the models have not seen, with a GPU or without. */
static void print_share(const struct comparison *comparison, const char *what, int held_out, int gpus)
{
    size_t within = 0, count = 0, i;
    double worst = 0;
    const json_t *row;
    json_array_foreach (comparison->rows, i, row) {
        const enum starfish_worker_set set = comparison_set_of(starfish_json_text_of(row, "workers"));
        const int has_gpu = set == STARFISH_SET_GPUS || set == STARFISH_SET_ALL;
        if ((held_out && !json_is_true(json_object_get(row, "held_out"))) || (gpus >= 0 && has_gpu != gpus))
            continue;
        count++;
        within += fabs(off(row)) <= wanted;
        worst = fmax(worst, fabs(off(row)));
    }
    if (count > 0)
        printf("%s%zu of %zu within %.0f %%; the worst is %.0f %% off\n", what, within, count, 100 * wanted,
               100 * worst);
}

static starfish_status write_csv(const struct comparison *comparison)
{
    struct starfish_output output;
    const json_t *row;
    size_t i;
    STARFISH_TRY(starfish_output_open(&output, comparison->csv));
    fprintf(output.stream, "case,workers,policy,measured_seconds,simulated_seconds,simulated_spread_seconds\n");
    json_array_foreach (comparison->rows, i, row)
        fprintf(output.stream, "%s,\"%s\",%s,%.6g,%.6g,%.6g\n", starfish_json_text_of(row, "case"),
                starfish_json_text_of(row, "workers"), starfish_json_text_of(row, "policy"),
                starfish_json_number_of(row, "measured"), starfish_json_number_of(row, "simulated"),
                starfish_json_number_of(row, "spread"));
    return starfish_output_finish(&output, STARFISH_SUCCESS);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

starfish_status comparison_check_any(const struct comparison *comparison)
{
    const char *only = comparison->only, *workers = comparison->workers;
    STARFISH_FAIL_IF(comparison->simulated == 0, STARFISH_ERROR_ARGUMENT, "%s/measured.csv: no measured times%s%s%s%s",
                     comparison->folder, only ? " of a case named " : "", only ? only : "", workers ? " on " : "",
                     workers ? workers : "");
    return STARFISH_SUCCESS;
}

/* At the end, when what could be compared has been shown. */
starfish_status comparison_check_failed(const struct comparison *comparison)
{
    STARFISH_FAIL_IF(comparison->failed > 0, STARFISH_ERROR_UNSUPPORTED,
                     "%zu of %zu cases on a set of workers cannot be simulated", comparison->failed,
                     comparison->simulated);
    return STARFISH_SUCCESS;
}

starfish_status comparison_run(struct comparison *comparison)
{
    snprintf(comparison->scratch, sizeof comparison->scratch, "/tmp/starfish-compare-XXXXXX");
    STARFISH_FAIL_IF(starfish_temporary_folder(comparison->scratch) != 0, STARFISH_ERROR_FILE,
                     "/tmp: no folder can be made there: %s", strerror(errno));
    const starfish_status status = compare_all(comparison);
    starfish_temporary_remove(comparison->scratch);
    return status;
}

starfish_status comparison_begin(struct comparison *comparison)
{
    STARFISH_TRY(simulate_find(comparison->name, comparison->folder));
    STARFISH_TRY(simulate_check(comparison->folder));
    STARFISH_TRY(simulate_environment(comparison->folder));
    return simulate_isolate(comparison->folder);
}

static starfish_status compare(void *data)
{
    struct comparison *comparison = data;
    if (comparison->csv)
        STARFISH_TRY(starfish_output_check(comparison->csv));
    STARFISH_TRY(comparison_begin(comparison));
    STARFISH_TRY(comparison_run(comparison));
    STARFISH_TRY(comparison_check_any(comparison));
    if (comparison->csv)
        STARFISH_TRY(write_csv(comparison));
    if (comparison->markdown)
        print_markdown(comparison);
    else
        print_rows(comparison);
    printf("\n");
    print_share(comparison, "", 0, -1);
    print_share(comparison, "held out, with a GPU: ", 1, 1);
    print_share(comparison, "held out, cores alone: ", 1, 0);
    if (comparison->estimated > 0)
        printf("In %zu cases on a set of workers some times are estimates from other sizes\n", comparison->estimated);
    return comparison_check_failed(comparison);
}

int machine_compare(int argc, char **argv)
{
    struct comparison comparison = {.rows = json_array()};
    const struct option_entry options[] = {
        {"--case", OPTION_TEXT, &comparison.only, "C", .help = "only cases whose names begin so"},
        {"--workers", OPTION_TEXT, &comparison.workers, "W", .help = "only rows on this set of workers"},
        {"--csv", OPTION_TEXT, &comparison.csv, "F", .help = "also write the rows as CSV"},
        {"--markdown", OPTION_FLAG, &comparison.markdown, .help = "print the table for a page of documentation"},
        {.name = NULL},
    };
    const struct command_line line = {
        .usage = "machine compare NAME [OPTION ...]",
        .summary = "Simulate all that was measured on a recorded machine, and say by how much the times differ.",
        .options = options,
        .operands = &comparison.name,
        .operand_count = 1,
    };
    const int exit_status = options_run(&line, argc, argv, compare, &comparison);
    json_decref(comparison.rows);
    return exit_status;
}
