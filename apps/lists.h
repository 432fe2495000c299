/* Options whose values are lists: "256,512", "cpu;gpu:1". Errors name the option and are all ARGUMENT. */
#ifndef STARFISH_APPS_LISTS_H
#define STARFISH_APPS_LISTS_H

#include "base/status.h"

#include <stddef.h>

enum { LIST_MOST = 16, LIST_ITEM = 64 };

struct list {
    size_t count; /* at least 1 once read */
    char item[LIST_MOST][LIST_ITEM];
};

/* Cut `text` at every `separator`; no item may be empty. */
starfish_status list_read(const char *option, const char *text, char separator, struct list *list);

/* One item: a whole number from 1; one of `choices` (ended by NULL), as its index; a size, N for a cube or NXxNYxNZ. */
starfish_status list_count(const char *option, const char *item, size_t *count);
starfish_status list_choice(const char *option, const char *item, const char *const *choices, size_t *index);
starfish_status list_size(const char *option, const char *item, size_t n[3]);

/* A whole list with commas, every item a count or one of `choices`: fills values[LIST_MOST] and *count. */
starfish_status list_counts(const char *option, const char *text, size_t *values, size_t *count);
starfish_status list_choices(const char *option, const char *text, const char *const *choices, size_t *values,
                             size_t *count);

#endif
