/* The Gantt chart of a trace.json that `starfish trace` has left, here or on another machine. */
#ifndef STARFISH_APPS_TRACE_DRAWN_H
#define STARFISH_APPS_TRACE_DRAWN_H

#include "base/status.h"

#include <jansson.h>

/* `trace` is what the file at `path` holds; the picture's name ends in .png, .svg or .pdf. Errors: ARGUMENT (names file
 * and key), FILE, MEMORY. */
starfish_status trace_draw(const char *path, const json_t *trace, const char *picture);

#endif
