/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The Gantt chart of a trace.json that `starfish trace` has left, here or on another machine. */
#ifndef STARFISH_APPS_RECORDED_DRAWN_H
#define STARFISH_APPS_RECORDED_DRAWN_H

#include "base/status.h"

#include <jansson.h>

/* Spans of a worker or link that overlap lie in lanes; what there is no lane for is in the last one. */
enum { RECORDED_LANES = 64 };

/* `trace` is what the file at `path` holds; the picture's name ends in .png, .svg or .pdf. Errors: ARGUMENT (names file
 * and key), FILE, MEMORY. */
starfish_status recorded_draw(const char *path, const json_t *trace, const char *picture);

#endif
