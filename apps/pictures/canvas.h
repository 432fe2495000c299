/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What pictures are drawn on: cairo, so that one drawing becomes a PNG, SVG or PDF file by the ending of its name. A
 * drawing is recorded first, in any order and of any size, and written at its end, whole or not at all
 * (apps/files/output.h).
 *
 * Lengths are points, of which a PNG has two pixels, from the top left. Colours are 0xrrggbb. Text is in the system's
 * sans-serif font, in UTF-8; bytes that are not show as '?', and "^3" as a raised 3. */
#ifndef STARFISH_APPS_PICTURES_CANVAS_H
#define STARFISH_APPS_PICTURES_CANVAS_H

#include "base/status.h"

#include <stddef.h>

enum starfish_anchor { STARFISH_LEFT, STARFISH_CENTRE, STARFISH_RIGHT };

/* Sizes of text: of labels and axes, which can be read where the picture is shown at half its size; and of titles. */
enum { STARFISH_TEXT = 15, STARFISH_TITLE = 18, STARFISH_TEXT_LINE = 22 };

struct starfish_area {
    double x, y, width, height;
};
struct starfish_range {
    double low, high;
};

/* Colours of what is no data. */
struct starfish_theme {
    unsigned paper, ink, faint; /* background; text, frames and marks; lines of the grid */
};
/* Pictures on black instead of white, from now on: for the option --dark. */
extern int starfish_pictures_dark;
/* For tables of options (apps/options.h). */
#define PICTURE_OPTIONS                                                                                                \
    {                                                                                                                  \
        "--dark", OPTION_FLAG, &starfish_pictures_dark, .help = "pictures on black", .may_differ = "rank 0 draws"      \
    }
const struct starfish_theme *starfish_theme(void);
/* Of group number 0, 1, ...: Tol's muted colours, on black his light ones, which the colour-blind can distinguish too;
 * they repeat after eight. */
unsigned starfish_group_colour(size_t group);

struct starfish_canvas; /* one thread at a time */

/* `path` is where it will be written, and what complaints name. Error: MEMORY. */
starfish_status starfish_canvas_create(struct starfish_canvas **canvas, const char *path);
/* Write and free it, also where writing fails. Errors: FILE, MEMORY. */
starfish_status starfish_canvas_finish(struct starfish_canvas *canvas, double width, double height);
/* Free it, and write nothing. */
void starfish_canvas_discard(struct starfish_canvas *canvas);

void starfish_canvas_fill(struct starfish_canvas *canvas, struct starfish_area area, unsigned colour);
/* A line of a point around `area`. */
void starfish_canvas_frame(struct starfish_canvas *canvas, struct starfish_area area);
/* Through `count` points x, y. */
void starfish_canvas_curve(struct starfish_canvas *canvas, const double (*point)[2], size_t count, double width,
                           unsigned colour, int dashed);
void starfish_canvas_dot(struct starfish_canvas *canvas, double x, double y, double radius, unsigned colour);
/* `x` is the text's left end, middle or right end; `y` the middle of its small letters. */
void starfish_canvas_text(struct starfish_canvas *canvas, double x, double y, enum starfish_anchor anchor, int size,
                          const char *text);
/* The same around x, y, from the bottom up. */
void starfish_canvas_text_up(struct starfish_canvas *canvas, double x, double y, int size, const char *text);
double starfish_text_width(int size, const char *text);
/* n[0] x n[1] pixels, the first row on top, stretched over the area without being smoothed. */
void starfish_canvas_pixels(struct starfish_canvas *canvas, struct starfish_area area, const size_t n[2],
                            const unsigned char *rgb);
/* What viewers of SVG show under the pointer. */
void starfish_canvas_tip(struct starfish_canvas *canvas, struct starfish_area area, unsigned colour, const char *text);

/* Could `path` be written? It must end in .png, .svg or .pdf. Errors: ARGUMENT (extension), FILE. */
starfish_status starfish_canvas_check(const char *path);

#endif
