/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Output of a benchmark: a table for people, CSV and JSON for machines, pictures (draw.c).
 *
 * A row is printed, and files are written anew, as soon as the next one begins: a run that is stopped leaves all rows
 * that were complete, and so does one whose picture cannot be written. What goes to standard output as a whole, JSON
 * and `--csv -`, is kept as the last words of the program (apps/files/temporary.h), where a signal finds it. */
#include "apps/files/output.h"
#include "apps/command.h"
#include "apps/files/json.h"
#include "apps/files/temporary.h"
#include "apps/frame/draw.h"
#include "apps/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int csv_to_stdout(const struct bench *bench)
{
    return bench->csv && strcmp(bench->csv, "-") == 0;
}

starfish_status bench_check_outputs(const struct bench *bench)
{
    STARFISH_FAIL_IF(bench->json && csv_to_stdout(bench), STARFISH_ERROR_ARGUMENT,
                     "--csv - and --json both want standard output");
    if (bench->csv && !csv_to_stdout(bench))
        STARFISH_TRY(starfish_output_check(bench->csv));
    if (bench->samples)
        STARFISH_TRY(starfish_output_check(bench->samples));
    if (bench->roofline)
        STARFISH_TRY(starfish_canvas_check(bench->roofline));
    return bench->plot ? starfish_canvas_check(bench->plot) : STARFISH_SUCCESS;
}

/* ---- for people -------------------------------------------------------------------------------------------------- */

/* Take back the line of bench_announce. */
void bench_wipe(void)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
}

/* Cases can be long, and are known one by one: a line for each, and below it one for each of those who were measured.
 * On a narrow terminal columns stand closer, and a name that is too long for its column has a line of its own. */
static const struct columns {
    int who, number, apart; /* widths, and blanks between them */
} wide = {20, 9, 2}, narrow = {12, 8, 1};

enum { NUMBERS = 5 };

static const struct columns *columns_here(void)
{
    return table_terminal_width() < 2 + wide.who + NUMBERS * (wide.number + wide.apart) ? &narrow : &wide;
}

static void print_number(const struct columns *columns, double number)
{
    printf("%*s%*.4g", columns->apart, "", columns->number, number);
}

static void print_head(const struct bench *bench)
{
    static const char *const head[NUMBERS] = {"ms", "min", "max", "GB/s", "of limit"};
    const struct columns *columns = columns_here();
    char title[2 * BENCH_MACHINE];
    snprintf(title, sizeof title, "%s on %s\n", bench->name, bench->machine[0] ? bench->machine : "this machine");
    table_print_text(title, 0, 4);
    printf("%-*s", columns->who + 2, "case, who");
    for (size_t i = 0; i < NUMBERS; ++i)
        printf("%*s%*s", columns->apart, "", columns->number, head[i]);
    printf("\n");
}

static void print_who(const struct columns *columns, const char *who)
{
    if ((int)strlen(who) > columns->who)
        printf("  %s\n%*s", who, columns->who + 2, "");
    else
        printf("  %-*s", columns->who, who);
}

static void print_row(const json_t *row, const json_t *before)
{
    static const char *const times[] = {"seconds", "min", "max"};
    const struct columns *columns = columns_here();
    if (!before || strcmp(starfish_json_text_of(row, "case"), starfish_json_text_of(before, "case")) != 0)
        table_print_text(starfish_json_text_of(row, "case"), 0, 4);
    if (!json_is_number(json_object_get(row, "seconds"))) {
        printf("  %s\n", starfish_json_text_of(row, "who"));
        return;
    }
    print_who(columns, starfish_json_text_of(row, "who"));
    for (size_t i = 0; i < sizeof times / sizeof times[0]; ++i)
        print_number(columns, 1e3 * starfish_json_number_of(row, times[i]));
    print_number(columns, 1e-9 * starfish_json_number_of(row, "bytes_per_second"));
    if (json_is_number(json_object_get(row, "fraction")))
        printf("%*s%*.0f %%", columns->apart, "", columns->number - 2, 100 * starfish_json_number_of(row, "fraction"));
    printf("\n");
}

static int is_for_people(const struct bench *bench)
{
    return !bench->json && !csv_to_stdout(bench);
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
    json_array_foreach (bench->rows, i, other)
        if (json_is_number(json_object_get(other, "seconds")) && belong_together(bench, row, other) &&
            starfish_json_number_of(other, "seconds") < starfish_json_number_of(fastest, "seconds"))
            fastest = other;
    return fastest;
}

/* Key `like_fastest` of every row with times: does its spread overlap that of the fastest of its case? */
static void compare_rows(const struct bench *bench)
{
    json_t *row;
    size_t i;
    json_array_foreach (bench->rows, i, row) {
        if (!json_is_number(json_object_get(row, "seconds")))
            continue;
        const json_t *fastest = fastest_beside(bench, row);
        json_object_set_new(
            row, "like_fastest",
            json_boolean(starfish_json_number_of(row, "min") <= starfish_json_number_of(fastest, "max")));
    }
}

/* Who cannot be told from the fastest of a case. */
static void print_ties(const struct bench *bench)
{
    const json_t *row;
    size_t i, ties = 0;
    json_array_foreach (bench->rows, i, row) {
        const int tied = json_is_true(json_object_get(row, "like_fastest")) && fastest_beside(bench, row) != row;
        if (tied && ties++ == 0)
            printf("\nTimes that overlap those of the fastest of their case, from which they cannot be told:\n");
        if (tied)
            printf("  %s, %s\n", starfish_json_text_of(row, "case"), starfish_json_text_of(row, "who"));
    }
}

static const struct bench_print *print_of(const struct bench *bench)
{
    static const struct bench_print usual = {print_head, print_row, print_ties};
    return bench->print ? bench->print : &usual;
}

static void print_rows(const struct bench *bench, size_t first, size_t end)
{
    const struct bench_print *print = print_of(bench);
    bench_wipe();
    if (first == 0 && print->head)
        print->head(bench);
    for (size_t i = first; i < end && print->row; ++i)
        print->row(json_array_get(bench->rows, i), i > 0 ? json_array_get(bench->rows, i - 1) : NULL);
    fflush(stdout);
}

/* ---- CSV --------------------------------------------------------------------------------------------------------- */

/* All keys of all rows, in order of appearance, as the keys of an object; the caller releases it. */
static json_t *columns_of(json_t *rows)
{
    json_t *columns = json_object(), *row, *value;
    size_t i;
    const char *key;
    json_array_foreach (rows, i, row)
        json_object_foreach (row, key, value)
            json_object_set_new(columns, key, json_null());
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
    json_object_foreach (columns, key, nothing) {
        fputs(separator, stream);
        write_field(stream, key);
        separator = ",";
    }
    putc('\n', stream);
    json_array_foreach (rows, i, row) {
        separator = "";
        json_object_foreach (columns, key, nothing) {
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

static json_t *json_of(const struct bench *bench)
{
    json_t *object = json_pack("{s:s, s:s, s:O}", "name", bench->name, "machine", bench->machine, "rows", bench->rows);
    if (bench->subject)
        json_object_set_new(object, "subject", json_string(bench->subject));
    if (bench->more)
        json_object_update(object, bench->more);
    return object;
}

/* ---- runs that are stopped --------------------------------------------------------------------------------------- */

/* A file, or none yet: pipes and devices get their content once, at the end. */
static int can_be_written_again(const char *path)
{
    struct stat there;
    return path && strcmp(path, "-") != 0 && (stat(path, &there) != 0 || S_ISREG(there.st_mode));
}

/* What goes to standard output as a whole; NULL: nothing, or no memory. The caller frees it. */
static char *text_of(const struct bench *bench, size_t *length)
{
    char *text = NULL;
    FILE *stream = is_for_people(bench) ? NULL : open_memstream(&text, length);
    int failed = 0;
    if (!stream)
        return NULL;
    if (bench->json) {
        json_t *object = json_of(bench);
        json_object_set_new(object, "stopped", json_true());
        failed = command_write_json(stream, object);
    } else {
        write_rows(stream, bench->rows);
    }
    return fclose(stream) == 0 && !failed ? text : (free(text), NULL);
}

static void keep_text(struct bench *bench)
{
    size_t length = 0;
    char *text = text_of(bench, &length), *before = bench->left;
    if (!text)
        return;
    starfish_temporary_last_words(text, length);
    bench->left = text;
    free(before);
}

void bench_forget_left(struct bench *bench)
{
    starfish_temporary_last_words(NULL, 0);
    free(bench->left);
    bench->left = NULL;
}

/* Files that cannot be written are an error at the end, when they are written once more. */
void bench_show_rows(struct bench *bench)
{
    const size_t first = bench->shown;
    bench->shown = json_array_size(bench->rows);
    if (bench->shown == first)
        return;
    if (is_for_people(bench))
        print_rows(bench, first, bench->shown);
    keep_text(bench);
    if (can_be_written_again(bench->csv))
        (void)write_file(bench->csv, bench->rows);
    if (can_be_written_again(bench->samples))
        (void)write_file(bench->samples, bench->sampled);
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

starfish_status bench_write_outputs(struct bench *bench)
{
    STARFISH_FAIL_IF(json_array_size(bench->rows) == 0, STARFISH_ERROR_UNSUPPORTED,
                     "%s: none of the requested cases can be measured here", bench->name);
    compare_rows(bench);
    if (bench->csv)
        STARFISH_TRY(write_csv(bench));
    if (bench->samples)
        STARFISH_TRY(write_file(bench->samples, bench->sampled));
    if (bench->plot)
        STARFISH_TRY(bench_draw(bench));
    if (bench->roofline)
        STARFISH_TRY(bench_draw_roofline(bench));
    if (bench->json)
        command_print_json(json_of(bench));
    else if (is_for_people(bench) && print_of(bench)->end)
        print_of(bench)->end(bench);
    return STARFISH_SUCCESS;
}
