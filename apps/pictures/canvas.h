/* What pictures are drawn on: pixels, rectangles, text in apps/pictures/font.h, and the PNG file they become. */
#ifndef STARFISH_APPS_PICTURES_CANVAS_H
#define STARFISH_APPS_PICTURES_CANVAS_H

#include "apps/pictures/font.h"
#include "base/status.h"

enum { STARFISH_TEXT_SCALE = 2 }; /* pixels per pixel of the font */
enum {
    STARFISH_TEXT_LINE = STARFISH_TEXT_SCALE * STARFISH_FONT_HEIGHT,
    STARFISH_TEXT_ADVANCE = STARFISH_TEXT_SCALE * STARFISH_FONT_ADVANCE
};

struct starfish_canvas {
    int width, height;
    unsigned char *rgb;
};
struct starfish_area {
    int x, y, width, height;
};
struct starfish_range {
    double low, high;
};

/* The colour of text, frames and ticks. */
extern const unsigned char starfish_ink[3];

/* A white canvas; `path` is what the complaint names. The caller frees it. Error: MEMORY. */
starfish_status starfish_canvas_create(struct starfish_canvas *canvas, const char *path, int width, int height);
void starfish_canvas_free(struct starfish_canvas *canvas);

/* What lies outside the canvas is not drawn. */
void starfish_canvas_pixel(struct starfish_canvas *canvas, int x, int y, const unsigned char colour[3]);
void starfish_canvas_fill(struct starfish_canvas *canvas, struct starfish_area area, const unsigned char colour[3]);
/* A line of one pixel around `area`. */
void starfish_canvas_frame(struct starfish_canvas *canvas, struct starfish_area area);
/* `x`, `y`: top left corner. */
void starfish_canvas_text(struct starfish_canvas *canvas, int x, int y, const char *text);
int starfish_text_width(const char *text);

/* Write as PNG, whole or not at all (apps/files/output.h). Error: FILE. */
starfish_status starfish_canvas_write(const struct starfish_canvas *canvas, const char *path);
/* Could `path` be written? It must end in .png. Errors: ARGUMENT (extension), FILE. */
starfish_status starfish_canvas_check(const char *path);

#endif
