/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures of plane slices (image.h): values are interpolated linearly to pixels; the colour map diverges where values
 * have both signs. */
#include "apps/pictures/image.h"

#include "apps/pictures/axes.h"
#include "apps/pictures/colour.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PLOT = 480, PIXELS = 960, FLATTEST = 5, BAR = 18, GAP = 12, MARGIN = 16, LEFT = 84, RIGHT = 110 };
enum { LINE = STARFISH_TEXT_LINE };

/* ---- the field --------------------------------------------------------------------------------------------------- */

/* From pixels to values: pixel p lies between the values `index` and index+1, `weight` of the way. */
struct sample {
    size_t index;
    double weight;
};

/* The outer values stand for half a spacing beyond them. */
static struct starfish_range extent(const double *position, size_t n)
{
    struct starfish_range range = {position[0], position[n - 1]};
    if (n == 1)
        return (struct starfish_range){range.low - 0.5, range.high + 0.5};
    range.low -= 0.5 * (position[1] - position[0]);
    range.high += 0.5 * (position[n - 1] - position[n - 2]);
    return range;
}

static void locate(const double *position, size_t n, struct starfish_range range, int pixels, struct sample *samples)
{
    size_t i = 0;
    for (int p = 0; p < pixels; ++p) {
        double x = range.low + (p + 0.5) / pixels * (range.high - range.low);
        while (i + 2 < n && position[i + 1] <= x)
            ++i;
        double width = n > 1 ? position[i + 1] - position[i] : 1;
        samples[p] = (struct sample){i, n > 1 ? fmin(fmax((x - position[i]) / width, 0), 1) : 0};
    }
}

/* Beside values that are not there, the nearest one, or none. */
static double interpolate(const struct starfish_slice *slice, struct sample across, struct sample up)
{
    size_t right = slice->n[0] > 1, above = slice->n[1] > 1 ? slice->n[0] : 0;
    const double *v = slice->values + across.index + slice->n[0] * up.index;
    double low = v[0] + across.weight * (v[right] - v[0]);
    double high = v[above] + across.weight * (v[above + right] - v[above]);
    const double value = low + up.weight * (high - low);
    return isnan(value) ? v[(up.weight > 0.5 ? above : 0) + (across.weight > 0.5 ? right : 0)] : value;
}

/* fmin and fmax pass over NaNs. */
static struct starfish_range value_range(const struct starfish_slice *slice)
{
    struct starfish_range range = {slice->values[0], slice->values[0]};
    for (size_t i = 0; i < slice->n[0] * slice->n[1]; ++i) {
        range.low = fmin(range.low, slice->values[i]);
        range.high = fmax(range.high, slice->values[i]);
    }
    return range;
}

/* What the ends of the colour bar mean, and which map suits. */
static struct starfish_range colour_range(struct starfish_range range, starfish_colour_map *map)
{
    double largest = fmax(fabs(range.low), fabs(range.high));
    *map = fmin(-range.low, range.high) > 0.1 * largest ? STARFISH_DIVERGING : STARFISH_SEQUENTIAL;
    if (*map == STARFISH_DIVERGING)
        range = (struct starfish_range){-largest, largest};
    if (range.high - range.low <= 1e-12 * largest || largest == 0)
        range = (struct starfish_range){range.low - fmax(0.5 * largest, 0.5), range.high + fmax(0.5 * largest, 0.5)};
    return range;
}

static void put(unsigned char *rgb, const unsigned char *colour)
{
    for (int c = 0; c < 3; ++c)
        rgb[c] = colour[c];
}

static void put_value(unsigned char *rgb, unsigned char table[STARFISH_COLOURS][3], struct starfish_range range,
                      double value)
{
    const unsigned paper = starfish_theme()->paper;
    const unsigned char blank[3] = {(unsigned char)(paper >> 16), (unsigned char)(paper >> 8), (unsigned char)paper};
    const double t = (value - range.low) / (range.high - range.low);
    put(rgb, isnan(value) ? blank : table[(int)(fmin(fmax(t, 0), 1) * (STARFISH_COLOURS - 1) + 0.5)]);
}

static void draw_bar(struct starfish_canvas *canvas, struct starfish_area bar, struct starfish_range there,
                     struct starfish_range colours, unsigned char table[STARFISH_COLOURS][3])
{
    const struct starfish_scale scale = {.range = colours, .low = bar.y + bar.height, .high = bar.y};
    const size_t n[2] = {1, STARFISH_COLOURS};
    unsigned char rgb[STARFISH_COLOURS][3];
    char text[32];
    for (int i = 0; i < STARFISH_COLOURS; ++i)
        put(rgb[i], table[STARFISH_COLOURS - 1 - i]);
    starfish_canvas_pixels(canvas, bar, n, rgb[0]);
    starfish_canvas_frame(canvas, bar);
    starfish_axis_beside(canvas, bar, &scale, 1, 0);
    snprintf(text, sizeof text, "max %.4g", there.high);
    starfish_canvas_text(canvas, bar.x, bar.y - 0.7 * LINE, STARFISH_LEFT, STARFISH_TEXT, text);
    snprintf(text, sizeof text, "min %.4g", there.low);
    starfish_canvas_text(canvas, bar.x, bar.y + bar.height + 0.8 * LINE, STARFISH_LEFT, STARFISH_TEXT, text);
}

/* Pixels of the plot, the first row on top. */
static starfish_status draw_field(struct starfish_canvas *canvas, const char *path, struct starfish_area plot,
                                  const struct starfish_slice *slice, const struct starfish_range extents[2])
{
    const size_t n[2] = {(size_t)(plot.width * PIXELS / PLOT), (size_t)(plot.height * PIXELS / PLOT)};
    struct sample *across = calloc(n[0] + n[1], sizeof *across), *up = across + n[0];
    unsigned char *rgb = malloc(3 * n[0] * n[1]), table[STARFISH_COLOURS][3];
    starfish_colour_map map;
    const struct starfish_range there = value_range(slice), colours = colour_range(there, &map);
    const int fits = across && rgb;
    starfish_colour_table(map, table);
    if (fits) {
        locate(slice->position[0], slice->n[0], extents[0], (int)n[0], across);
        locate(slice->position[1], slice->n[1], extents[1], (int)n[1], up);
        for (size_t y = 0; y < n[1]; ++y)
            for (size_t x = 0; x < n[0]; ++x)
                put_value(rgb + 3 * (x + n[0] * y), table, colours, interpolate(slice, across[x], up[n[1] - 1 - y]));
        starfish_canvas_pixels(canvas, plot, n, rgb);
        draw_bar(canvas, (struct starfish_area){plot.x + plot.width + 2 * GAP, plot.y, BAR, plot.height}, there,
                 colours, table);
    }
    free(across);
    free(rgb);
    return fits ? STARFISH_SUCCESS : starfish_fail(STARFISH_ERROR_MEMORY, "%s: no memory for a picture", path);
}

/* ---- the picture ------------------------------------------------------------------------------------------------- */

static struct starfish_area place_plot(const struct starfish_range extents[2], double top)
{
    double aspect = (extents[0].high - extents[0].low) / (extents[1].high - extents[1].low);
    aspect = fmin(fmax(aspect, 1.0 / FLATTEST), FLATTEST);
    return (struct starfish_area){LEFT, top, aspect >= 1 ? PLOT : PLOT * aspect, aspect >= 1 ? PLOT / aspect : PLOT};
}

static void draw_axes(struct starfish_canvas *canvas, struct starfish_area plot, const struct starfish_slice *slice,
                      const struct starfish_range extents[2])
{
    const struct starfish_scale across = {.range = extents[0], .low = plot.x, .high = plot.x + plot.width};
    const struct starfish_scale up = {.range = extents[1], .low = plot.y + plot.height, .high = plot.y};
    starfish_canvas_frame(canvas, plot);
    starfish_axis_below(canvas, plot, &across, slice->label[0], 0);
    starfish_axis_beside(canvas, plot, &up, -1, 0);
    starfish_canvas_text(canvas, MARGIN, plot.y + plot.height / 2, STARFISH_LEFT, STARFISH_TEXT, slice->label[1]);
}

starfish_status starfish_image_write(const char *path, const struct starfish_slice *slice)
{
    const struct starfish_range extents[2] = {extent(slice->position[0], slice->n[0]),
                                              extent(slice->position[1], slice->n[1])};
    struct starfish_canvas *canvas;
    STARFISH_TRY(starfish_canvas_create(&canvas, path));
    const double top = starfish_heading(canvas, MARGIN, slice->title, slice->subtitle) + LINE;
    const struct starfish_area plot = place_plot(extents, top);
    const double heading = starfish_heading_width(MARGIN, slice->title, slice->subtitle);
    const starfish_status drawn = draw_field(canvas, path, plot, slice, extents);
    draw_axes(canvas, plot, slice, extents);
    if (drawn != STARFISH_SUCCESS) {
        starfish_canvas_discard(canvas);
        return drawn;
    }
    return starfish_canvas_finish(canvas, fmax(heading, plot.x + plot.width + 2 * GAP + BAR + RIGHT),
                                  plot.y + plot.height + 2.6 * LINE);
}
