/* Gantt charts as SVG and PNG: a row for each worker or link, a coloured span for each task or copy, white where
 * nothing was done. Both files come of one drawing. */
#ifndef STARFISH_APPS_PICTURES_GANTT_H
#define STARFISH_APPS_PICTURES_GANTT_H

#include "base/status.h"

#include <stddef.h>

struct starfish_gantt_span {
    size_t row;
    double start, end; /* in the chart's unit */
    unsigned colour;   /* 0xrrggbb */
    int marked;        /* underlined */
    const char *name;  /* spans of one name are one entry of the legend, with the first one's colour */
    const char *text;  /* what SVG viewers show under the pointer, or NULL */
};

struct starfish_gantt {
    const char *title, *axis, *mark; /* mark: what the underlining means */
    const char *const *row;          /* their names, from the top down */
    size_t rows, count;
    const struct starfish_gantt_span *span;
    double begin, end;
};

/* Whole or not at all (apps/files/output.h). Errors: FILE, MEMORY. */
starfish_status starfish_gantt_write_svg(const char *path, const struct starfish_gantt *chart);
starfish_status starfish_gantt_write_png(const char *path, const struct starfish_gantt *chart);

#endif
