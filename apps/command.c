/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions used by every subcommand: JSON on standard output, reports of failures and exit status, medians. */
#include "apps/command.h"

#include "base/c_locale.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Exit status 2 where the input is at fault, a problem that is too large for the machine included; 1 where the result
 * is. */
static const int exit_statuses[] = {
    [STARFISH_SUCCESS] = 0,        [STARFISH_ERROR_ARGUMENT] = 2,    [STARFISH_ERROR_FILE] = 2,
    [STARFISH_ERROR_MEMORY] = 2,   [STARFISH_ERROR_UNSUPPORTED] = 2, [STARFISH_ERROR_NOT_SYMMETRIZABLE] = 2,
    [STARFISH_ERROR_SINGULAR] = 1, [STARFISH_ERROR_NUMERICAL] = 1,   [STARFISH_ERROR_RUNTIME] = 1,
};

/* A real of JSON, with 15 of its 17 digits where these mean the same number. */
static void write_real(FILE *stream, const char *digits, size_t length)
{
    char full[40], shorter[40], *end;
    snprintf(full, sizeof full, "%.*s", (int)length, digits);
    const double value = starfish_read_real(full, &end);
    starfish_print(shorter, sizeof shorter, "%.15g", value);
    const char *exponent = strchr(shorter, 'e');
    if (strlen(shorter) >= length || !strpbrk(shorter, ".e") || starfish_read_real(shorter, &end) != value)
        fputs(full, stream);
    else if (exponent)
        fprintf(stream, "%.*s%ld", (int)(exponent + 1 - shorter), shorter, strtol(exponent + 1, NULL, 10));
    else
        fputs(shorter, stream);
}

struct json_writer {
    FILE *stream;
    int is_string;
};

/* jansson hands over numbers and quotation marks one by one. */
static int write_piece(const char *text, size_t length, void *data)
{
    struct json_writer *writer = data;
    if (length == 1 && *text == '"')
        writer->is_string = !writer->is_string;
    const int is_number = !writer->is_string && strchr("-0123456789", *text);
    if (is_number && (memchr(text, '.', length) || memchr(text, 'e', length)))
        write_real(writer->stream, text, length);
    else
        fwrite(text, 1, length, writer->stream);
    return 0;
}

int command_write_json(FILE *stream, json_t *object)
{
    struct json_writer writer = {stream, 0};
    const int failed = json_dump_callback(object, write_piece, &writer, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    putc('\n', stream);
    json_decref(object);
    return failed;
}

static int print_failed;

void command_print_json(json_t *object)
{
    print_failed |= command_write_json(stdout, object);
}

int command_print_failed(void)
{
    return print_failed;
}

json_t *command_json_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

void command_set(json_t *object, ...)
{
    va_list arguments;
    const char *key;
    va_start(arguments, object);
    while ((key = va_arg(arguments, const char *)))
        json_object_set_new(object, key, va_arg(arguments, json_t *));
    va_end(arguments);
}

json_t *command_json_count(size_t count)
{
    return json_integer((json_int_t)count);
}

json_t *command_json(json_t *value)
{
    return value;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double command_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, ascending);
    return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

static int is_silent;

void command_set_silent(int silent)
{
    is_silent = silent;
}

int command_fail(starfish_status status, int json)
{
    const char *message = starfish_error_message();
    if (is_silent)
        return exit_statuses[status];
    fprintf(stderr, "starfish: %s\n", message);
    if (json) {
        json_t *object =
            json_pack("{s:s, s:s, s:s}", "status", "error", "code", starfish_status_name(status), "message", message);
        /* A file name need not be UTF-8. */
        if (!object)
            object = json_pack("{s:s, s:s, s:s}", "status", "error", "code", starfish_status_name(status), "message",
                               "see standard error");
        command_print_json(object);
    }
    return exit_statuses[status];
}
