/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options whose values are lists: "256,512", "cpu;gpu:1". Errors name the option and are all ARGUMENT. */
#ifndef STARFISH_APPS_LISTS_H
#define STARFISH_APPS_LISTS_H

#include "base/options.h"

enum { LIST_MOST = 16, LIST_ITEM = 64 };

struct list {
    size_t count; /* at least 1 once read */
    char item[LIST_MOST][LIST_ITEM];
};

/* Cut `text` at every `separator`; no item may be empty. */
starfish_status list_read(const char *option, const char *text, char separator, struct list *list);

/* One item: a whole number from 1; one of the row's names, as its value; a size, N for a cube or NXxNYxNZ. */
starfish_status list_count(const char *option, const char *item, size_t *count);
starfish_status list_choice(const struct starfish_option *row, const char *item, size_t *value);
starfish_status list_size(const char *option, const char *item, size_t n[3]);

/* A whole list with commas, every item a count, or a name of the table's row with that flag: fills values[LIST_MOST]
 * and *count. */
starfish_status list_choices(const char *flag, const char *text, const struct starfish_option_table *table,
                             size_t *values, size_t *count);

/* One list of several whose combinations are measured. */
struct axis {
    const char *flag, *given;                  /* the option, and what it says */
    const struct starfish_option_table *table; /* whose row has the names; NULL: counts, or */
    int texts;                                 /* texts, whose values are their places in `list` */
    size_t count, value[LIST_MOST], now;       /* now: the value of this combination */
    struct list list;
};
starfish_status axes_read(struct axis *axis, size_t axes);
/* Call `measure` with every combination, of which the first axis varies slowest, until it fails. */
starfish_status axes_each(struct axis *axis, size_t axes, starfish_status (*measure)(void *data), void *data);
/* The text of this combination. */
static inline const char *axis_text(const struct axis *axis)
{
    return axis->list.item[axis->now];
}

#endif
