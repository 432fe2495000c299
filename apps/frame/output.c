/* What a benchmark shows: a table for people, CSV and JSON for machines, pictures (draw.c). */
#include "apps/files/output.h"
#include "apps/command.h"
#include "apps/frame/draw.h"

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
    if (bench->samples)
        STARFISH_TRY(starfish_output_check(bench->samples));
    if (bench->roofline)
        STARFISH_TRY(starfish_canvas_check(bench->roofline));
    return bench->plot ? starfish_canvas_check(bench->plot) : STARFISH_SUCCESS;
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

/* Cases can be long, and are known one by one: a line for each, and below it one for each of those who were measured.
 */
enum { WHO = 20 };

static void print_head(const struct bench *bench)
{
    static const char *const head[] = {"ms", "min", "max", "GB/s", "of limit"};
    printf("%s on %s\n\n%-*s", bench->name, bench->machine[0] ? bench->machine : "this machine", WHO + 2, "case, who");
    for (size_t i = 0; i < sizeof head / sizeof head[0]; ++i)
        printf("  %9s", head[i]);
    printf("\n");
}

static void print_row(const json_t *row, const json_t *before)
{
    static const char *const times[] = {"seconds", "min", "max"};
    if (!before || strcmp(text_of(row, "case"), text_of(before, "case")) != 0)
        printf("%s\n", text_of(row, "case"));
    if (!json_is_number(json_object_get(row, "seconds"))) {
        printf("  %s\n", text_of(row, "who"));
        return;
    }
    printf("  %-*s", WHO, text_of(row, "who"));
    for (size_t i = 0; i < sizeof times / sizeof times[0]; ++i)
        printf("  %9.4g", 1e3 * number_of(row, times[i]));
    printf("  %9.4g", 1e-9 * number_of(row, "bytes_per_second"));
    if (json_is_number(json_object_get(row, "fraction")))
        printf("  %7.0f %%", 100 * number_of(row, "fraction"));
    printf("\n");
}

static int shows_rows(const struct bench *bench)
{
    return !bench->print && !bench->json && !csv_to_stdout(bench);
}

void bench_show_rows(struct bench *bench, size_t but)
{
    const size_t count = json_array_size(bench->rows);
    if (!shows_rows(bench) || bench->shown + but >= count)
        return;
    bench_wipe();
    if (bench->shown == 0)
        print_head(bench);
    for (; bench->shown + but < count; ++bench->shown)
        print_row(json_array_get(bench->rows, bench->shown),
                  bench->shown > 0 ? json_array_get(bench->rows, bench->shown - 1) : NULL);
    fflush(stdout);
}

/* ---- which rows are as fast -------------------------------------------------------------------------------------- */

static int belong_together(const struct bench *bench, const json_t *a, const json_t *b)
{
    const char *key = bench->is_shared ? "workers" : "case";
    return json_equal(json_object_get(a, key), json_object_get(b, key));
}

static const json_t *fastest_beside(const struct bench *bench, const json_t *row)
{
    const json_t *other, *fastest = row;
    size_t i;
    json_array_foreach(bench->rows, i, other)
    {
        if (json_is_number(json_object_get(other, "seconds")) && belong_together(bench, row, other) &&
            number_of(other, "seconds") < number_of(fastest, "seconds"))
            fastest = other;
    }
    return fastest;
}

void bench_compare_rows(const struct bench *bench)
{
    json_t *row;
    size_t i;
    json_array_foreach(bench->rows, i, row)
    {
        if (!json_is_number(json_object_get(row, "seconds")))
            continue;
        const json_t *fastest = fastest_beside(bench, row);
        json_object_set_new(row, "like_fastest", json_boolean(number_of(row, "min") <= number_of(fastest, "max")));
    }
}

/* Who cannot be told from the fastest of a case. */
static void print_ties(const struct bench *bench)
{
    const json_t *row;
    size_t i, ties = 0;
    json_array_foreach(bench->rows, i, row)
    {
        const int tied = json_is_true(json_object_get(row, "like_fastest")) && fastest_beside(bench, row) != row;
        if (tied && ties++ == 0)
            printf("\nTimes that overlap those of the fastest of their case, from which they cannot be told:\n");
        if (tied)
            printf("  %s, %s\n", text_of(row, "case"), text_of(row, "who"));
    }
}

static void print_table(struct bench *bench)
{
    bench_show_rows(bench, 0);
    print_ties(bench);
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

static starfish_status write_file(const char *path, json_t *rows)
{
    struct starfish_output output;
    STARFISH_TRY(starfish_output_open(&output, path));
    write_rows(output.stream, rows);
    return starfish_output_finish(&output, STARFISH_SUCCESS);
}

static starfish_status write_csv(const struct bench *bench)
{
    if (!csv_to_stdout(bench))
        return write_file(bench->csv, bench->rows);
    write_rows(stdout, bench->rows);
    return STARFISH_SUCCESS;
}

static void print_json(const struct bench *bench)
{
    json_t *object = json_pack("{s:s, s:s, s:O}", "name", bench->name, "machine", bench->machine, "rows", bench->rows);
    if (bench->more)
        json_object_update(object, bench->more);
    command_print_json(object);
}

starfish_status bench_write_outputs(struct bench *bench)
{
    if (json_array_size(bench->rows) == 0)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "%s: nothing of what is asked for can be measured here",
                             bench->name);
    bench_compare_rows(bench);
    if (bench->csv)
        STARFISH_TRY(write_csv(bench));
    if (bench->samples)
        STARFISH_TRY(write_file(bench->samples, bench->sampled));
    if (bench->plot)
        STARFISH_TRY(bench_draw(bench));
    if (bench->roofline)
        STARFISH_TRY(bench_draw_roofline(bench));
    if (bench->json)
        print_json(bench);
    else if (bench->print && !csv_to_stdout(bench))
        bench->print(bench);
    else if (shows_rows(bench))
        print_table(bench);
    return STARFISH_SUCCESS;
}
