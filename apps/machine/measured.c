/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads and writes the measurements of a recorded machine. These files are untrusted, so everything is checked. */
#include "apps/machine/measured.h"

#include "apps/files/json.h"
#include "apps/files/output.h"
#include "apps/files/regular.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The first TEXTS columns are texts, the others numbers. */
enum { TEXTS = 6, COLUMNS = 22, LINE = 4096 };
static const char *const columns[COLUMNS] = {
    "case",           "problem",          "n",         "arguments",    "workers", "policy",
    "held_out",       "seconds",          "min",       "max",          "repeats", "tasks",
    "idle",           "gpu_work",         "gpu_tasks", "span",         "lead",    "host_to_device",
    "device_to_host", "device_to_device", "slowdown",  "probe_seconds"};

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

static int is_name(const char *text)
{
    return text && *text && strlen(text) < MEASURED_NAME &&
           strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.+") == strlen(text);
}

static size_t blanks_of(const char *text)
{
    size_t blanks = 0;
    for (; *text; text++)
        blanks += *text == ' ';
    return blanks;
}

/* One number, or three with blanks between; 0: not so. */
static int read_size(const char *text, size_t n[3])
{
    int count = 0, right = 1;
    for (char *end; count < 3 && isdigit((unsigned char)*text); text = end + (*end == ' '))
        n[count++] = strtoul(text, &end, 10);
    if (count == 1)
        n[1] = n[2] = n[0];
    for (int d = 0; d < 3 && (count == 1 || count == 3); ++d)
        right &= n[d] >= 1 && n[d] <= MEASURED_UNKNOWNS;
    return right && (count == 1 || count == 3) && *text == 0;
}

int measured_size(const json_t *row, size_t n[3])
{
    const char *text = json_string_value(json_object_get(row, "n"));
    return text && read_size(text, n);
}

/* Text, short and without control characters, or a number. NULL: neither. */
static json_t *read_value(const char *cell, size_t column)
{
    const char *at = cell;
    if (column >= TEXTS) {
        json_t *value = json_loads(cell, JSON_DECODE_ANY, NULL);
        if (json_is_number(value))
            return value;
        json_decref(value);
        return NULL;
    }
    while (*at && !iscntrl((unsigned char)*at))
        at++;
    return *at == 0 && at - cell < MEASURED_TEXT ? json_string(cell) : NULL;
}

static starfish_status check_row(const char *path, const json_t *row)
{
    const char *n = json_string_value(json_object_get(row, "n"));
    const char *arguments = json_string_value(json_object_get(row, "arguments"));
    size_t size[3];
    STARFISH_JSON_FAIL_IF(!is_name(json_string_value(json_object_get(row, "case"))), path, "case",
                          "missing, or more than letters, digits and -_.+");
    STARFISH_JSON_FAIL_IF(n && !read_size(n, size), path, "n", "not in 1..4096, once or three times");
    STARFISH_JSON_FAIL_IF(arguments && blanks_of(arguments) >= MEASURED_ARGUMENTS, path, "arguments", "more than 64");
    STARFISH_FAIL_IF(!json_object_get(row, "workers") || !json_object_get(row, "policy"), STARFISH_ERROR_ARGUMENT,
                     "%s: a row without workers or policy", path);
    STARFISH_JSON_FAIL_IF(!(starfish_json_number_of(row, "seconds") > 0), path, "seconds", "not a positive number");
    return STARFISH_SUCCESS;
}

/* The cell at *at, cut off, and *at behind it; NULL at the end. A cell with commas stands in quotation marks. */
static char *next_cell(char **at)
{
    char *cell = *at, *end;
    if (cell && *cell == '"' && (end = strchr(cell + 1, '"')) != NULL && (end[1] == ',' || end[1] == 0)) {
        cell++;
        *end++ = 0;
    } else if (cell) {
        end = cell + strcspn(cell, ",");
    } else {
        return NULL;
    }
    *at = *end ? end + 1 : NULL;
    *end = 0;
    return cell;
}

static starfish_status read_row(const char *path, char *line, json_t *row)
{
    for (size_t c = 0; c < COLUMNS; ++c) {
        const char *cell = next_cell(&line);
        json_t *value = cell && *cell ? read_value(cell, c) : NULL;
        STARFISH_FAIL_IF(!cell, STARFISH_ERROR_ARGUMENT, "%s: a row of fewer than %d cells", path, COLUMNS);
        STARFISH_JSON_FAIL_IF(*cell && !value, path, columns[c], c < TEXTS ? "not text of a line" : "not a number");
        if (value)
            json_object_set_new(row, columns[c], value);
    }
    return line ? starfish_fail(STARFISH_ERROR_ARGUMENT, "%s: a row of more than %d cells", path, COLUMNS)
                : check_row(path, row);
}

static int is_head(char *line)
{
    size_t c = 0;
    for (const char *cell; (cell = next_cell(&line)) != NULL; ++c)
        if (c == COLUMNS || strcmp(cell, columns[c]) != 0)
            return 0;
    return c == COLUMNS;
}

static starfish_status read_lines(const char *path, FILE *stream, json_t *rows)
{
    char line[LINE];
    for (size_t number = 1; fgets(line, sizeof line, stream); ++number) {
        char *end = strchr(line, '\n');
        STARFISH_FAIL_IF(!end, STARFISH_ERROR_FILE, "%s: line %zu is not whole", path, number);
        *end = 0;
        STARFISH_FAIL_IF(number == 1 && !is_head(line), STARFISH_ERROR_FILE,
                         "%s: other columns than those of measured times", path);
        if (number > 1) {
            json_t *row = json_object();
            json_array_append_new(rows, row);
            STARFISH_TRY(read_row(path, line, row));
        }
    }
    return STARFISH_SUCCESS;
}

starfish_status measured_read(const char *path, json_t **rows)
{
    FILE *stream;
    *rows = json_array();
    if (access(path, F_OK) != 0)
        return STARFISH_SUCCESS;
    starfish_status status = starfish_regular_open(path, &stream);
    if (status == STARFISH_SUCCESS) {
        status = read_lines(path, stream, *rows);
        fclose(stream);
    }
    if (status != STARFISH_SUCCESS) {
        json_decref(*rows);
        *rows = NULL;
    }
    return status;
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

void measured_add(json_t *rows, json_t *row)
{
    const char *name = starfish_json_text_of(row, "case");
    size_t i = json_array_size(rows);
    while (i > 0 && strcmp(starfish_json_text_of(json_array_get(rows, i - 1), "case"), name) > 0)
        i--;
    json_array_insert_new(rows, i, row);
}

static void write_cell(FILE *stream, const json_t *value)
{
    const char *text = json_string_value(value);
    if (text)
        fprintf(stream, strchr(text, ',') ? "\"%s\"" : "%s", text);
    else if (json_is_number(value))
        (void)json_dumpf(value, stream, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
}

starfish_status measured_write(const char *path, const json_t *rows)
{
    struct starfish_output output;
    const json_t *row;
    size_t i;
    STARFISH_TRY(starfish_output_open(&output, path));
    for (size_t c = 0; c < COLUMNS; ++c)
        fprintf(output.stream, "%s%c", columns[c], c + 1 < COLUMNS ? ',' : '\n');
    json_array_foreach (rows, i, row) {
        for (size_t c = 0; c < COLUMNS; ++c) {
            write_cell(output.stream, json_object_get(row, columns[c]));
            fputc(c + 1 < COLUMNS ? ',' : '\n', output.stream);
        }
    }
    return starfish_output_finish(&output, STARFISH_SUCCESS);
}
