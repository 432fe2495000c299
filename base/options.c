/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Option structs as tables: defaults, structs of other versions, checks, and words of a command line. */
#include "base/options.h"

#include "base/c_locale.h"
#include "base/fingerprint.h"
#include "base/meant.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const starfish_precision_names[] = {
    [STARFISH_F32] = "f32", [STARFISH_F64] = "f64", [STARFISH_PRECISION_MIXED] = "mixed", NULL};

enum { LARGEST_STRUCT = 4096 }; /* bytes: a size beyond this is none, and its tail is not looked at */

/* ---- Members ----------------------------------------------------------------------------------------------------- */

static void *member(const struct starfish_option *option, void *options)
{
    return (char *)options + option->offset;
}

/* The value of a number, choice or switch. All sizes up to 2^53 are exact, and larger ones out of every range. */
static double value_of(const struct starfish_option *option, const void *options)
{
    const void *at = (const char *)options + option->offset;

    switch (option->type) {
    case STARFISH_OPTION_SIZE:
        return (double)*(const size_t *)at;
    case STARFISH_OPTION_REAL:
        return *(const double *)at;
    case STARFISH_OPTION_INT:
    case STARFISH_OPTION_CHOICE:
    case STARFISH_OPTION_SWITCH:
        return *(const int *)at;
    case STARFISH_OPTION_TEXT:
    case STARFISH_OPTION_POINTER:
        break;
    }
    return 0;
}

uint64_t starfish_option_fingerprint(const struct starfish_option *option, const void *options)
{
    uint64_t hash = STARFISH_FINGERPRINT;
    const int is_pointer = option->type == STARFISH_OPTION_TEXT || option->type == STARFISH_OPTION_POINTER;
    const void *pointer = is_pointer ? *(const void *const *)((const char *)options + option->offset) : NULL;
    const double value = value_of(option, options);
    const double kept = is_pointer ? pointer != NULL : option->type == STARFISH_OPTION_SWITCH ? value != 0 : value;

    starfish_fingerprint_real(&hash, kept);
    if (option->type == STARFISH_OPTION_TEXT && pointer)
        starfish_fingerprint_text(&hash, pointer);
    return hash;
}

static void set_value(const struct starfish_option *option, void *options, double value)
{
    switch (option->type) {
    case STARFISH_OPTION_SIZE:
        *(size_t *)member(option, options) = (size_t)value;
        break;
    case STARFISH_OPTION_REAL:
        *(double *)member(option, options) = value;
        break;
    case STARFISH_OPTION_INT:
    case STARFISH_OPTION_CHOICE:
    case STARFISH_OPTION_SWITCH:
        *(int *)member(option, options) = (int)value;
        break;
    case STARFISH_OPTION_TEXT:
    case STARFISH_OPTION_POINTER:
        break; /* NULL, as all bytes are zero */
    }
}

static const char *value_text(const struct starfish_option *option, double value, char *text, size_t size)
{
    const char *format = option->type == STARFISH_OPTION_REAL ? "%g" : "%.0f";

    starfish_print(text, size, format, value);
    return text;
}

/* ---- Structs of this and of other versions ----------------------------------------------------------------------- */

void starfish_options_set_defaults(const struct starfish_option_table *table, void *options)
{
    memset(options, 0, table->size);
    *(size_t *)options = table->size;
    for (size_t i = 0; i < table->count; i++)
        set_value(&table->option[i], options, table->option[i].default_value);
}

static starfish_status check_size(const struct starfish_option_table *table, size_t size)
{
    STARFISH_REFUSE_IF(size <= table->option[0].offset || size > LARGEST_STRUCT || size % table->alignment != 0,
                       "options.size is %zu, no size of a version's struct: start from %s", size, table->defaults);
    return STARFISH_SUCCESS;
}

starfish_status starfish_options_take(const struct starfish_option_table *table, const void *user, void *options)
{
    starfish_options_set_defaults(table, options);
    if (!user)
        return STARFISH_SUCCESS;
    const size_t size = *(const size_t *)user;
    STARFISH_TRY(check_size(table, size));
    for (size_t byte = table->size; byte < size; byte++)
        STARFISH_REFUSE_IF(((const unsigned char *)user)[byte] != 0,
                           "options.size is %zu, not %zu: this library is older than the program, and byte %zu is "
                           "not zero: it belongs to an option that the library does not know",
                           size, table->size, byte);
    memcpy(options, user, size < table->size ? size : table->size);
    *(size_t *)options = table->size;
    return STARFISH_SUCCESS;
}

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

/* "f32, f64 and mixed". */
static void append_names(const struct starfish_option *option, const char *last, char *text, size_t size)
{
    int left = 0;
    size_t used = 0;

    text[0] = 0;
    for (int v = 0; v < option->value_count; v++)
        left += option->values[v] != NULL;
    for (int v = 0; v < option->value_count && used < size; v++)
        if (option->values[v]) {
            left--;
            used += (size_t)snprintf(text + used, size - used, "%s%s", option->values[v],
                                     left > 1    ? ", "
                                     : left == 1 ? last
                                                 : "");
        }
}

static int is_choice(const struct starfish_option *option, int value)
{
    return value >= 0 && value < option->value_count && option->values[value];
}

static starfish_status check_choice(const struct starfish_option *option, int value)
{
    char names[256];

    if (is_choice(option, value))
        return STARFISH_SUCCESS;
    append_names(option, " and ", names, sizeof names);
    return starfish_fail(STARFISH_ERROR_ARGUMENT, "options.%s is %d, none of %s", option->name, value, names);
}

static int in_range(const struct starfish_option *option, double value)
{
    return value >= option->least && (option->below_most ? value < option->most : value <= option->most);
}

/* One end or both of the range. */
static const char *range_text(const struct starfish_option *option, char *text, size_t size)
{
    const int bounded = option->most < DBL_MAX;

    if (option->below_most)
        starfish_print(text, size, "%g or more and below %g", option->least, option->most);
    else if (bounded)
        starfish_print(text, size, "%g..%g", option->least, option->most);
    else
        starfish_print(text, size, "%g or more", option->least);
    return text;
}

static starfish_status check_number(const struct starfish_option *option, double value)
{
    char text[32], range[80];

    if (in_range(option, value))
        return STARFISH_SUCCESS;
    value_text(option, value, text, sizeof text);
    STARFISH_REFUSE_IF(value > DBL_MAX, "options.%s is %s, must be finite", option->name, text);
    STARFISH_REFUSE_IF(option->least == 0 && !(option->most < DBL_MAX), "options.%s is %s, must not be negative",
                       option->name, text);
    STARFISH_REFUSE_IF(!(option->most < DBL_MAX), "options.%s is %s, less than %g", option->name, text, option->least);
    return starfish_fail(STARFISH_ERROR_ARGUMENT, "options.%s is %s, not in %s", option->name, text,
                         range_text(option, range, sizeof range));
}

starfish_status starfish_options_check(const struct starfish_option_table *table, const void *options)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct starfish_option *option = &table->option[i];
        const double value = value_of(option, options);
        if (option->type == STARFISH_OPTION_CHOICE)
            STARFISH_TRY(check_choice(option, (int)value));
        else if (option->type <= STARFISH_OPTION_REAL)
            STARFISH_TRY(check_number(option, value));
    }
    return STARFISH_SUCCESS;
}

starfish_status starfish_options_read(const struct starfish_option_table *table, const void *user, void *options)
{
    STARFISH_TRY(starfish_options_take(table, user, options));
    return starfish_options_check(table, options);
}

/* ---- For wrappers in other languages ----------------------------------------------------------------------------- */

starfish_status starfish_option_describe(const struct starfish_option_table *table, size_t index,
                                         struct starfish_option_description *description)
{
    STARFISH_NEED(description, "description");
    STARFISH_REFUSE_IF(index >= table->count, "index is %zu, but there are %zu options", index, table->count);
    const struct starfish_option *option = &table->option[index];
    *description = (struct starfish_option_description){
        .name = option->name,
        .text = option->text,
        .type = option->type,
        .offset = option->offset,
        .default_value = option->default_value,
        .least = option->least,
        .most = option->most,
        .below_most = option->below_most,
        .value_count = option->value_count,
        .values = option->values,
        .struct_size = table->size,
        .synonym = option->synonym,
    };
    return STARFISH_SUCCESS;
}

/* ---- Command lines and help -------------------------------------------------------------------------------------- */

const struct starfish_option *starfish_option_of_flag(const struct starfish_option_table *table, const char *flag)
{
    for (size_t i = 0; i < table->count; i++)
        if (table->option[i].flag && strcmp(table->option[i].flag, flag) == 0)
            return &table->option[i];
    return NULL;
}

const struct starfish_option *starfish_option_named(const struct starfish_option_table *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->option[i].name, name) == 0 ||
            (table->option[i].synonym && strcmp(table->option[i].synonym, name) == 0))
            return &table->option[i];
    return NULL;
}

int starfish_option_value(const struct starfish_option *option, const char *name)
{
    for (int v = 0; v < option->value_count; v++)
        if (option->values[v] && strcmp(option->values[v], name) == 0)
            return v;
    return -1;
}

const char *starfish_option_range(const struct starfish_option *option, char *text, size_t size)
{
    text[0] = 0;
    if (option->values)
        append_names(option, ", ", text, size);
    else if (option->type <= STARFISH_OPTION_REAL)
        range_text(option, text, size);
    return text;
}

const char *starfish_option_default(const struct starfish_option *option, char *text, size_t size)
{
    text[0] = 0;
    if (option->values)
        snprintf(text, size, "%s", option->values[(int)option->default_value]);
    else if (option->type == STARFISH_OPTION_SWITCH)
        snprintf(text, size, "%s", option->default_value != 0 ? "on" : "off");
    else if (option->type <= STARFISH_OPTION_REAL)
        value_text(option, option->default_value, text, size);
    return text;
}

/* The flag, or for a member without one its name. */
static const char *label(const struct starfish_option *option)
{
    return option->flag ? option->flag : option->name;
}

static starfish_status set_choice(const struct starfish_option *option, void *options, const char *word)
{
    const int value = starfish_option_value(option, word);
    char names[256], meant[STARFISH_MEANT];

    if (value >= 0) {
        set_value(option, options, value);
        return STARFISH_SUCCESS;
    }
    starfish_option_range(option, names, sizeof names);
    return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s: '%s' is not one of %s%s", label(option), word, names,
                         starfish_meant(word, names, "; ", meant));
}

/* Whole numbers are digits, and at most what their type can hold; sizes at most 2^53, which a double can. */
static starfish_status set_number(const struct starfish_option *option, void *options, const char *word)
{
    const int is_real = option->type == STARFISH_OPTION_REAL;
    const double largest = option->type == STARFISH_OPTION_INT ? INT_MAX : is_real ? HUGE_VAL : 0x1p53;
    char *end, most[40] = "";
    errno = 0;
    const double value = is_real ? starfish_read_real(word, &end) : (double)strtoll(word, &end, 10);
    const int is_held = errno == 0 || (is_real && value != 0); /* not a number so small that it became 0 */

    if (end != word && *end == 0 && !isspace((unsigned char)*word) && is_held && in_range(option, value) &&
        value <= largest) {
        set_value(option, options, value);
        return STARFISH_SUCCESS;
    }
    STARFISH_REFUSE_IF(is_real && option->least <= -DBL_MAX, "%s: must be a finite number, is '%s'", label(option),
                       word);
    if (option->most < INT_MAX)
        starfish_print(most, sizeof most, option->below_most ? ", below %g" : " to %g", option->most);
    return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s: must be a %snumber from %g%s, is '%s'", label(option),
                         is_real ? "" : "whole ", option->least, most, word);
}

starfish_status starfish_option_set(const struct starfish_option *option, void *options, const char *word)
{
    static const char *const states[] = {"off", "on"};

    if (option->type == STARFISH_OPTION_SWITCH) {
        struct starfish_option named = *option;
        named.values = states;
        named.value_count = 2;
        return set_choice(&named, options, word ? word : states[1]);
    }
    STARFISH_REFUSE_IF(!word || option->type == STARFISH_OPTION_POINTER, "%s: a value is missing", label(option));
    if (option->type == STARFISH_OPTION_TEXT) {
        *(const char **)member(option, options) = word;
        return STARFISH_SUCCESS;
    }
    return option->values ? set_choice(option, options, word) : set_number(option, options, word);
}

starfish_status starfish_option_set_named(const struct starfish_option_table *table, void *options, const char *name,
                                          const char *value)
{
    STARFISH_NEED(options, "options");
    STARFISH_NEED(name, "name");
    STARFISH_NEED(value, name);
    const struct starfish_option *option = starfish_option_named(table, name);
    STARFISH_TRY(check_size(table, *(const size_t *)options));
    STARFISH_REFUSE_IF(!option || option->offset >= *(const size_t *)options, "options have no '%s'", name);
    struct starfish_option labelled = *option;
    labelled.flag = NULL;
    return starfish_option_set(&labelled, options, value);
}
