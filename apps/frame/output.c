/* What a benchmark shows: a table for people, CSV and JSON for machines, bars. */
#include "apps/files/output.h"
#include "apps/command.h"
#include "apps/frame/frame.h"
#include "apps/pictures/bars.h"
#include "apps/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int csv_to_stdout(const struct bench *bench)
{
    return bench->csv && strcmp(bench->csv, "-") == 0;
}

starfish_status bench_check_outputs(const struct bench *bench)
{
    if (bench->json && csv_to_stdout(bench))
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "--csv - and --json both want standard output");
    if (bench->csv && !csv_to_stdout(bench))
        STARFISH_TRY(starfish_output_check(bench->csv));
    return bench->plot ? starfish_bars_check(bench->plot) : STARFISH_SUCCESS;
}

static const char *text_of(const json_t *row, const char *key)
{
    return json_string_value(json_object_get(row, key));
}

static double number_of(const json_t *row, const char *key)
{
    return json_number_value(json_object_get(row, key)); /* 0 where there is none */
}

/* ---- for people -------------------------------------------------------------------------------------------------- */

/* Rows per table: one more is its head. */
enum { ROWS_AT_ONCE = TABLE_ROWS - 1 };

static void table_head(struct table *table)
{
    static const char *const head[] = {"case", "who", "ms", "min", "max", "GB/s", "of limit"};
    table_row(table);
    for (size_t i = 0; i < sizeof head / sizeof head[0]; ++i)
        table_cell(table, "%s", head[i]);
}

static void table_result(struct table *table, const json_t *row)
{
    static const char *const times[] = {"seconds", "min", "max"};
    table_row(table);
    table_cell(table, "%s", text_of(row, "case"));
    table_cell(table, "%s", text_of(row, "who"));
    for (size_t i = 0; i < sizeof times / sizeof times[0]; ++i)
        table_cell(table, "%.4g", 1e3 * number_of(row, times[i]));
    table_cell(table, "%.4g", 1e-9 * number_of(row, "bytes_per_second"));
    if (json_is_number(json_object_get(row, "fraction")))
        table_cell(table, "%.0f %%", 100 * number_of(row, "fraction"));
}

static void print_table(const struct bench *bench)
{
    printf("%s on %s\n", bench->name, bench->machine[0] ? bench->machine : "this machine");
    for (size_t first = 0; first < json_array_size(bench->rows); first += ROWS_AT_ONCE) {
        struct table table = {.alignment = TABLE_RIGHT, .left = 1};
        table_head(&table);
        for (size_t i = first; i < json_array_size(bench->rows) && i < first + ROWS_AT_ONCE; ++i)
            table_result(&table, json_array_get(bench->rows, i));
        printf("\n");
        table_print(&table);
    }
}

/* ---- CSV --------------------------------------------------------------------------------------------------------- */

/* All keys of all rows, in order of appearance, as the keys of an object; the caller releases it. */
static json_t *columns_of(json_t *rows)
{
    json_t *columns = json_object(), *row, *value;
    size_t i;
    const char *key;
    json_array_foreach(rows, i, row)
    {
        json_object_foreach(row, key, value)
        {
            json_object_set_new(columns, key, json_null());
        }
    }
    return columns;
}

/* RFC 4180: quotes around what holds a comma, a quote or a newline. */
static void write_field(FILE *stream, const char *text)
{
    if (!strpbrk(text, ",\"\n")) {
        fputs(text, stream);
        return;
    }
    putc('"', stream);
    for (; *text; ++text) {
        if (*text == '"')
            putc('"', stream);
        putc(*text, stream);
    }
    putc('"', stream);
}

static void write_value(FILE *stream, const json_t *value)
{
    if (json_is_string(value))
        write_field(stream, json_string_value(value));
    else if (json_is_integer(value))
        fprintf(stream, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        fprintf(stream, "%.9g", json_real_value(value));
}

static void write_rows(FILE *stream, json_t *rows)
{
    json_t *columns = columns_of(rows), *row, *nothing;
    size_t i;
    const char *key, *separator = "";
    json_object_foreach(columns, key, nothing)
    {
        fputs(separator, stream);
        write_field(stream, key);
        separator = ",";
    }
    putc('\n', stream);
    json_array_foreach(rows, i, row)
    {
        separator = "";
        json_object_foreach(columns, key, nothing)
        {
            fputs(separator, stream);
            write_value(stream, json_object_get(row, key));
            separator = ",";
        }
        putc('\n', stream);
    }
    json_decref(columns);
}

static starfish_status write_csv(const struct bench *bench)
{
    struct starfish_output output;
    if (csv_to_stdout(bench)) {
        write_rows(stdout, bench->rows);
        return STARFISH_SUCCESS;
    }
    STARFISH_TRY(starfish_output_open(&output, bench->csv));
    write_rows(output.stream, bench->rows);
    return starfish_output_finish(&output, STARFISH_SUCCESS);
}

/* ---- bars -------------------------------------------------------------------------------------------------------- */

static starfish_status draw_bars(const struct bench *bench)
{
    size_t count = json_array_size(bench->rows), drawn = 0;
    struct starfish_bar *bars = calloc(count, sizeof *bars);
    char title[64 + BENCH_MACHINE];
    if (!bars)
        return starfish_fail(STARFISH_ERROR_MEMORY, "%s: no memory for %zu bars", bench->plot, count);
    for (size_t i = 0; i < count; ++i) {
        const json_t *row = json_array_get(bench->rows, i);
        if (json_is_number(json_object_get(row, "seconds")))
            bars[drawn++] = (struct starfish_bar){.label = text_of(row, "case"),
                                                  .group = text_of(row, "who"),
                                                  .value = number_of(row, "seconds"),
                                                  .low = number_of(row, "min"),
                                                  .high = number_of(row, "max"),
                                                  .mark = number_of(row, "limit_seconds")};
    }
    snprintf(title, sizeof title, "%s: %s", bench->name, bench->machine);
    const struct starfish_bars chart = {bars, drawn, "seconds (logarithmic); black tick: limit", title};
    starfish_status status = starfish_bars_write(bench->plot, &chart);
    free(bars);
    return status;
}

static void print_json(const struct bench *bench)
{
    json_t *object = json_pack("{s:s, s:s, s:O}", "name", bench->name, "machine", bench->machine, "rows", bench->rows);
    if (bench->more)
        json_object_update(object, bench->more);
    command_print_json(object);
}

starfish_status bench_write_outputs(const struct bench *bench)
{
    if (json_array_size(bench->rows) == 0)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "%s: nothing of what is asked for can be measured here",
                             bench->name);
    if (bench->csv)
        STARFISH_TRY(write_csv(bench));
    if (bench->plot)
        STARFISH_TRY(draw_bars(bench));
    if (bench->json)
        print_json(bench);
    else if (!csv_to_stdout(bench))
        (bench->print ? bench->print : print_table)(bench);
    return STARFISH_SUCCESS;
}
