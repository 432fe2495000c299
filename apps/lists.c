/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options whose values are lists (lists.h): items are cut out, checked one by one, and combined with those of other
 * options. */
#include "apps/lists.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

starfish_status list_read(const char *option, const char *text, char separator, struct list *list)
{
    list->count = 0;
    for (const char *at = text, *end; at; at = *end ? end + 1 : NULL) {
        end = strchr(at, separator);
        end = end ? end : at + strlen(at);
        size_t length = (size_t)(end - at);
        STARFISH_FAIL_IF(length == 0, STARFISH_ERROR_ARGUMENT, "%s: '%s' has an empty entry", option, text);
        STARFISH_FAIL_IF(length >= LIST_ITEM, STARFISH_ERROR_ARGUMENT, "%s: an entry has more than %d characters",
                         option, LIST_ITEM - 1);
        STARFISH_FAIL_IF(list->count == LIST_MOST, STARFISH_ERROR_ARGUMENT, "%s: more than %d entries", option,
                         LIST_MOST);
        snprintf(list->item[list->count++], LIST_ITEM, "%.*s", (int)length, at);
    }
    return STARFISH_SUCCESS;
}

/* A whole number from 1 at *at, which moves behind it; 0 when there is none. */
static size_t read_number(const char **at)
{
    char *end;
    errno = 0;
    long number = **at >= '0' && **at <= '9' ? strtol(*at, &end, 10) : 0;
    if (number < 1 || number > INT_MAX || errno)
        return 0;
    *at = end;
    return (size_t)number;
}

starfish_status list_count(const char *option, const char *item, size_t *count)
{
    const char *at = item;
    *count = read_number(&at);
    STARFISH_FAIL_IF(*count == 0 || *at, STARFISH_ERROR_ARGUMENT, "%s: '%s' is not a whole number from 1", option,
                     item);
    return STARFISH_SUCCESS;
}

starfish_status list_choice(const struct starfish_option *row, const char *item, size_t *value)
{
    int chosen = 0;
    struct starfish_option alone = *row;
    alone.offset = 0;
    STARFISH_TRY(starfish_option_set(&alone, &chosen, item));
    *value = (size_t)chosen;
    return STARFISH_SUCCESS;
}

starfish_status list_size(const char *option, const char *item, size_t n[3])
{
    const char *at = item;
    int given = 0;
    do {
        at += given > 0;
        n[given] = read_number(&at);
    } while (n[given++] > 0 && given < 3 && *at == 'x');
    STARFISH_FAIL_IF(n[given - 1] == 0 || *at || given == 2, STARFISH_ERROR_ARGUMENT, "%s: '%s' is not N or NXxNYxNZ",
                     option, item);
    if (given == 1)
        n[1] = n[2] = n[0];
    return STARFISH_SUCCESS;
}

starfish_status list_choices(const char *flag, const char *text, const struct starfish_option_table *table,
                             size_t *values, size_t *count)
{
    struct list list;
    STARFISH_TRY(list_read(flag, text, ',', &list));
    for (size_t i = 0; i < list.count; ++i)
        STARFISH_TRY(table ? list_choice(starfish_option_of_flag(table, flag), list.item[i], &values[i])
                           : list_count(flag, list.item[i], &values[i]));
    *count = list.count;
    return STARFISH_SUCCESS;
}

starfish_status axes_read(struct axis *axis, size_t axes)
{
    for (; axes > 0; ++axis, --axes)
        if (axis->texts) {
            STARFISH_TRY(list_read(axis->flag, axis->given, ',', &axis->list));
            for (axis->count = 0; axis->count < axis->list.count; ++axis->count)
                axis->value[axis->count] = axis->count;
        } else
            STARFISH_TRY(list_choices(axis->flag, axis->given, axis->table, axis->value, &axis->count));
    return STARFISH_SUCCESS;
}

starfish_status axes_each(struct axis *axis, size_t axes, starfish_status (*measure)(void *data), void *data)
{
    if (axes == 0)
        return measure(data);
    for (size_t i = 0; i < axis->count; ++i) {
        axis->now = axis->value[i];
        STARFISH_TRY(axes_each(axis + 1, axes - 1, measure, data));
    }
    return STARFISH_SUCCESS;
}
