/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Gantt charts: a row for each worker or link, a coloured span for each task or copy, nothing
 * where nothing was done. Spans of a row that overlap lie in lanes, one above the other. */
#ifndef STARFISH_APPS_PICTURES_GANTT_H
#define STARFISH_APPS_PICTURES_GANTT_H

#include "base/status.h"

#include <stddef.h>

struct starfish_gantt_span {
    size_t row, lane;
    double start, end; /* in the chart's unit */
    unsigned colour;   /* 0xrrggbb */
    int marked;        /* underlined */
    const char *name;  /* spans of one name are one entry of the legend, with the first one's colour */
    const char *text;  /* what SVG viewers show under the pointer, or NULL */
};

struct starfish_gantt {
    const char *title, *subtitle, *axis, *mark; /* mark: what the underlining means */
    const char *const *row;                     /* their names, from the top down */
    size_t rows, count;
    const struct starfish_gantt_span *span;
    double begin, end;
};

/* To a name that ends in .png, .svg or .pdf, whole or not at all (apps/files/output.h). Errors: FILE, MEMORY. */
starfish_status starfish_gantt_write(const char *path, const struct starfish_gantt *chart);

#endif
