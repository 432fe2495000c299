/* starfish machine compare: times in simulation beside those that were measured on the machine. */
#include "apps/machine/machine.h"
#include "apps/machine/measured.h"

#include "apps/command.h"
#include "apps/files/json.h"
#include "apps/files/output.h"
#include "apps/files/temporary.h"
#include "apps/options.h"
#include "apps/table.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS_AT_MOST = 600 };
/* By how much a simulated time should differ from the measured one at most, as a fraction of it. */
static const double wanted = 0.15;

struct comparison {
    const char *name, *only, *csv;
    int markdown;
    char folder[SIMULATE_PATH], scratch[64];
    json_t *rows;     /* case, workers, policy, measured, simulated */
    size_t estimated; /* cases in which some tasks have no recorded times */
};

/* ---- one case ---------------------------------------------------------------------------------------------------- */

static starfish_status simulate_case(const struct comparison *comparison, const json_t *recorded, json_t **said)
{
    char problem[128], output[128], program[SIMULATE_PATH];
    const char *arguments[MEASURED_ARGUMENTS + 5] = {program, "--log=root.thres:warning", "sched"};
    const char *kind = json_string_value(json_object_get(recorded, "problem"));
    const json_t *n = json_object_get(recorded, "n"), *argument;
    size_t i, count = 3;
    snprintf(problem, sizeof problem, "%s/problem.json", comparison->scratch);
    snprintf(output, sizeof output, "%s/sched.json", comparison->scratch);
    STARFISH_TRY(simulate_program(program));
    STARFISH_TRY(machine_expect_case(comparison->scratch));
    if (n) { /* it was a problem file, of the first recordings a plain one */
        STARFISH_TRY(machine_write_problem(comparison->scratch, (size_t)json_integer_value(n), kind ? kind : "plain"));
        arguments[count++] = problem;
    }
    json_array_foreach(json_object_get(recorded, "arguments"), i, argument)
    {
        arguments[count++] = json_string_value(argument);
    }
    starfish_status status = machine_run(arguments, output, SECONDS_AT_MOST);
    if (status == STARFISH_SUCCESS)
        status = starfish_json_load(output, said);
    machine_remove_case(comparison->scratch);
    return status;
}

static int same(const json_t *a, const json_t *b, const char *key)
{
    return json_equal(json_object_get(a, key), json_object_get(b, key));
}

static void add_row(const struct comparison *comparison, const json_t *recorded, const json_t *row, const json_t *said)
{
    const json_t *other;
    size_t i;
    json_array_foreach(json_object_get(said, "rows"), i, other)
    {
        if (same(row, other, "workers") && same(row, other, "policy"))
            json_array_append_new(comparison->rows,
                                  json_pack("{s:O, s:O, s:O, s:O, s:O}", "case", json_object_get(recorded, "name"),
                                            "workers", json_object_get(row, "workers"), "policy",
                                            json_object_get(row, "policy"), "measured", json_object_get(row, "seconds"),
                                            "simulated", json_object_get(other, "seconds")));
    }
}

static void add_rows(const struct comparison *comparison, const json_t *recorded, const json_t *said)
{
    const json_t *row;
    size_t i;
    json_array_foreach(json_object_get(recorded, "rows"), i, row)
    {
        add_row(comparison, recorded, row, said);
    }
}

static starfish_status compare_case(struct comparison *comparison, const char *path)
{
    json_t *recorded, *said = NULL;
    STARFISH_TRY(measured_read(path, &recorded));
    const char *name = json_string_value(json_object_get(recorded, "name"));
    starfish_status status = STARFISH_SUCCESS;
    if (!comparison->only || strncmp(name, comparison->only, strlen(comparison->only)) == 0)
        status = simulate_case(comparison, recorded, &said);
    if (said) {
        const char *simulation = json_string_value(json_object_get(said, "simulation"));
        add_rows(comparison, recorded, said);
        comparison->estimated += simulation && strstr(simulation, "estimates");
    }
    json_decref(said);
    json_decref(recorded);
    return status;
}

static int is_json(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0;
}

static starfish_status compare_all(struct comparison *comparison)
{
    char folder[SIMULATE_PATH + 16], path[SIMULATE_PATH + 512];
    struct dirent **entry;
    starfish_status status = STARFISH_SUCCESS;
    snprintf(folder, sizeof folder, "%s/measured", comparison->folder);
    const int count = scandir(folder, &entry, is_json, alphasort);
    for (int i = 0; i < count; ++i) {
        snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
        if (status == STARFISH_SUCCESS)
            status = compare_case(comparison, path);
        free(entry[i]);
    }
    if (count >= 0)
        free(entry);
    if (status == STARFISH_SUCCESS && json_array_size(comparison->rows) == 0)
        status = starfish_fail(STARFISH_ERROR_ARGUMENT, "%s: no measured times%s%s", folder,
                               comparison->only ? " of a case named " : "", comparison->only ? comparison->only : "");
    return status;
}

/* ---- what is shown ----------------------------------------------------------------------------------------------- */

static double number_of(const json_t *row, const char *key)
{
    return json_number_value(json_object_get(row, key));
}

static const char *text_of(const json_t *row, const char *key)
{
    return json_string_value(json_object_get(row, key));
}

/* By how much the simulated time exceeds the measured one, as a fraction of the latter. */
static double off(const json_t *row)
{
    return number_of(row, "simulated") / number_of(row, "measured") - 1;
}

static void print_rows(const struct comparison *comparison)
{
    static const char *const head[] = {"case", "workers", "policy", "measured ms", "simulated ms", "off"};
    static struct table table;
    const json_t *row;
    size_t i;
    json_array_foreach(comparison->rows, i, row)
    {
        if (i % (TABLE_ROWS - 1) == 0) {
            table_print(&table);
            table = (struct table){.alignment = TABLE_RIGHT, .left = 2};
            table_row(&table);
            for (size_t column = 0; column < sizeof head / sizeof head[0]; ++column)
                table_cell(&table, "%s", head[column]);
        }
        table_row(&table);
        table_cell(&table, "%s", text_of(row, "case"));
        table_cell(&table, "%s", text_of(row, "workers"));
        table_cell(&table, "%s", text_of(row, "policy"));
        table_cell(&table, "%.4g", 1e3 * number_of(row, "measured"));
        table_cell(&table, "%.4g", 1e3 * number_of(row, "simulated"));
        table_cell(&table, "%+.0f %%", 100 * off(row));
    }
    table_print(&table);
}

/* The columns: one per policy, in the order of their first appearance. */
static json_t *policies_of(const struct comparison *comparison)
{
    json_t *policies = json_object();
    const json_t *row;
    size_t i;
    json_array_foreach(comparison->rows, i, row)
    {
        json_object_set_new(policies, text_of(row, "policy"), json_true());
    }
    return policies;
}

static void print_line(const struct comparison *comparison, const json_t *first, json_t *policies)
{
    const char *policy;
    json_t *unused;
    printf("| %s | %s |", text_of(first, "case"), text_of(first, "workers"));
    json_object_foreach(policies, policy, unused)
    {
        const json_t *row;
        size_t i;
        json_array_foreach(comparison->rows, i, row)
        {
            if (same(row, first, "case") && same(row, first, "workers") && strcmp(text_of(row, "policy"), policy) == 0)
                printf(" %.3g, %.3g: %+.0f %%", 1e3 * number_of(row, "measured"), 1e3 * number_of(row, "simulated"),
                       100 * off(row));
        }
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
    json_object_foreach(policies, policy, unused)
    {
        printf(" %s |", policy);
    }
    printf("\n|---|---|");
    for (i = 0; i < json_object_size(policies); ++i)
        printf("---|");
    printf("\n");
    json_array_foreach(comparison->rows, i, row)
    {
        if (!before || !same(before, row, "case") || !same(before, row, "workers"))
            print_line(comparison, row, policies);
        before = row;
    }
    json_decref(policies);
}

static void print_sum(const struct comparison *comparison)
{
    size_t within = 0, i;
    double worst = 0;
    const json_t *row;
    json_array_foreach(comparison->rows, i, row)
    {
        within += fabs(off(row)) <= wanted;
        worst = fmax(worst, fabs(off(row)));
    }
    printf("\n%zu of %zu within %.0f %%; the worst is %.0f %% off\n", within, json_array_size(comparison->rows),
           100 * wanted, 100 * worst);
    if (comparison->estimated > 0)
        printf("In %zu cases times of some tasks are estimates: this Starfish cuts them otherwise than the one that "
               "recorded\n",
               comparison->estimated);
}

static starfish_status write_csv(const struct comparison *comparison)
{
    struct starfish_output output;
    const json_t *row;
    size_t i;
    STARFISH_TRY(starfish_output_open(&output, comparison->csv));
    fprintf(output.stream, "case,workers,policy,measured_seconds,simulated_seconds\n");
    json_array_foreach(comparison->rows, i, row)
    {
        fprintf(output.stream, "%s,\"%s\",%s,%.6g,%.6g\n", text_of(row, "case"), text_of(row, "workers"),
                text_of(row, "policy"), number_of(row, "measured"), number_of(row, "simulated"));
    }
    return starfish_output_finish(&output, STARFISH_SUCCESS);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static starfish_status compare_in_scratch(struct comparison *comparison)
{
    snprintf(comparison->scratch, sizeof comparison->scratch, "/tmp/starfish-compare-XXXXXX");
    if (starfish_temporary_folder(comparison->scratch) != 0)
        return starfish_fail(STARFISH_ERROR_FILE, "/tmp: no folder can be made there: %s", strerror(errno));
    const starfish_status status = compare_all(comparison);
    starfish_temporary_remove(comparison->scratch);
    return status;
}

static starfish_status compare(void *data)
{
    struct comparison *comparison = data;
    if (comparison->csv)
        STARFISH_TRY(starfish_output_check(comparison->csv));
    STARFISH_TRY(simulate_find(comparison->name, comparison->folder));
    STARFISH_TRY(simulate_environment(comparison->folder));
    STARFISH_TRY(simulate_isolate(comparison->folder));
    STARFISH_TRY(compare_in_scratch(comparison));
    if (comparison->csv)
        STARFISH_TRY(write_csv(comparison));
    if (comparison->markdown)
        print_markdown(comparison);
    else
        print_rows(comparison);
    print_sum(comparison);
    return STARFISH_SUCCESS;
}

int machine_compare(int argc, char **argv)
{
    struct comparison comparison = {.rows = json_array()};
    const struct option_entry options[] = {
        {"--case", OPTION_TEXT, &comparison.only, "C", .help = "only cases whose names begin so"},
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
