/* Pictures of plane slices as PNG. */
#include "apps/pictures/image.h"

#include "apps/pictures/canvas.h"
#include "apps/pictures/colour.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PLOT = 720, FLATTEST = 5, BAR = 24, GAP = 16, TICK = 6 };
enum { LINE = STARFISH_TEXT_LINE, ADVANCE = STARFISH_TEXT_ADVANCE };
enum { LEFT = 8 * ADVANCE, RIGHT = 12 * ADVANCE, TOP = 3 * LINE, BOTTOM = 4 * LINE };

/* ---- axes -------------------------------------------------------------------------------------------------------- */

/* A step of 1, 2 or 5 times a power of ten that gives about `count` ticks. */
static double tick_step(struct starfish_range range, double count)
{
    double rough = (range.high - range.low) / count, power = pow(10, floor(log10(rough)));
    double digit = rough / power;
    return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

/* Ticks are the multiples from..to of a step. */
struct ticks {
    double step;
    long from, to;
};

static struct ticks choose_ticks(struct starfish_range range, double count)
{
    double step = tick_step(range, count);
    return (struct ticks){step, lround(ceil(range.low / step - 1e-9)), lround(floor(range.high / step + 1e-9))};
}

static void tick_text(double value, char text[32])
{
    snprintf(text, 32, "%.4g", value);
}

static void horizontal_axis(struct starfish_canvas *canvas, struct starfish_area plot, struct starfish_range range,
                            const char *label)
{
    struct ticks ticks = choose_ticks(range, fmax(2, plot.width / 140.0));
    int bottom = plot.y + plot.height;
    for (long tick = ticks.from; tick <= ticks.to; ++tick) {
        double v = (double)tick * ticks.step;
        char text[32];
        int x = plot.x + (int)((v - range.low) / (range.high - range.low) * (plot.width - 1));
        tick_text(v, text);
        starfish_canvas_fill(canvas, (struct starfish_area){x, bottom, 1, TICK}, starfish_ink);
        starfish_canvas_text(canvas, x - starfish_text_width(text) / 2, bottom + TICK + 4, text);
    }
    starfish_canvas_text(canvas, plot.x + (plot.width - starfish_text_width(label)) / 2, bottom + TICK + 8 + LINE,
                         label);
}

/* Ticks to the left (side -1) or to the right (side 1) of `area`. */
static void vertical_axis(struct starfish_canvas *canvas, struct starfish_area area, struct starfish_range range,
                          int side)
{
    struct ticks ticks = choose_ticks(range, fmax(2, area.height / 110.0));
    int edge = side < 0 ? area.x - TICK : area.x + area.width;
    for (long tick = ticks.from; tick <= ticks.to; ++tick) {
        double v = (double)tick * ticks.step;
        char text[32];
        int y = area.y + (int)((range.high - v) / (range.high - range.low) * (area.height - 1));
        tick_text(v, text);
        starfish_canvas_fill(canvas, (struct starfish_area){edge, y, TICK, 1}, starfish_ink);
        starfish_canvas_text(canvas, side < 0 ? edge - 6 - starfish_text_width(text) : edge + TICK + 6,
                             y - LINE / 2 + 1, text);
    }
}

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

static double interpolate(const struct starfish_slice *slice, struct sample across, struct sample up)
{
    size_t right = slice->n[0] > 1, above = slice->n[1] > 1 ? slice->n[0] : 0;
    const double *v = slice->values + across.index + slice->n[0] * up.index;
    double low = v[0] + across.weight * (v[right] - v[0]);
    double high = v[above] + across.weight * (v[above + right] - v[above]);
    return low + up.weight * (high - low);
}

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

static const unsigned char *colour_of(unsigned char table[STARFISH_COLOURS][3], struct starfish_range range,
                                      double value)
{
    double t = (value - range.low) / (range.high - range.low);
    return table[(int)(fmin(fmax(t, 0), 1) * (STARFISH_COLOURS - 1) + 0.5)];
}

static void draw_bar(struct starfish_canvas *canvas, struct starfish_area bar, struct starfish_range there,
                     struct starfish_range colours, unsigned char table[STARFISH_COLOURS][3])
{
    char text[32];
    for (int y = 0; y < bar.height; ++y) {
        double value = colours.high - (y + 0.5) / bar.height * (colours.high - colours.low);
        starfish_canvas_fill(canvas, (struct starfish_area){bar.x, bar.y + y, bar.width, 1},
                             colour_of(table, colours, value));
    }
    starfish_canvas_frame(canvas, bar);
    vertical_axis(canvas, bar, colours, 1);
    snprintf(text, sizeof text, "max %.4g", there.high);
    starfish_canvas_text(canvas, bar.x, bar.y - LINE - 4, text);
    snprintf(text, sizeof text, "min %.4g", there.low);
    starfish_canvas_text(canvas, bar.x, bar.y + bar.height + TICK + 4, text);
}

static void draw_field(struct starfish_canvas *canvas, struct starfish_area plot, const struct starfish_slice *slice,
                       const struct starfish_range extents[2], struct sample *samples)
{
    struct sample *across = samples, *up = samples + plot.width;
    unsigned char table[STARFISH_COLOURS][3];
    starfish_colour_map map;
    struct starfish_range there = value_range(slice), colours = colour_range(there, &map);
    struct starfish_area bar = {plot.x + plot.width + 2 * GAP, plot.y, BAR, plot.height};
    starfish_colour_table(map, table);
    locate(slice->position[0], slice->n[0], extents[0], plot.width, across);
    locate(slice->position[1], slice->n[1], extents[1], plot.height, up);
    for (int y = 0; y < plot.height; ++y)
        for (int x = 0; x < plot.width; ++x)
            starfish_canvas_pixel(canvas, plot.x + x, plot.y + plot.height - 1 - y,
                                  colour_of(table, colours, interpolate(slice, across[x], up[y])));
    draw_bar(canvas, bar, there, colours, table);
}

/* ---- the picture ------------------------------------------------------------------------------------------------- */

static struct starfish_area place_plot(const struct starfish_range extents[2])
{
    double aspect = (extents[0].high - extents[0].low) / (extents[1].high - extents[1].low);
    aspect = fmin(fmax(aspect, 1.0 / FLATTEST), FLATTEST);
    int width = aspect >= 1 ? PLOT : (int)(PLOT * aspect), height = aspect >= 1 ? (int)(PLOT / aspect) : PLOT;
    return (struct starfish_area){LEFT, TOP, width, height};
}

static starfish_status draw(const char *path, const struct starfish_slice *slice, struct starfish_canvas *canvas,
                            struct starfish_area plot, const struct starfish_range extents[2])
{
    struct sample *samples = malloc((size_t)(plot.width + plot.height) * sizeof *samples);
    if (!samples)
        return starfish_fail(STARFISH_ERROR_MEMORY, "%s: no memory for a picture", path);
    draw_field(canvas, plot, slice, extents, samples);
    free(samples);
    starfish_canvas_frame(canvas, plot);
    horizontal_axis(canvas, plot, extents[0], slice->label[0]);
    vertical_axis(canvas, plot, extents[1], -1);
    starfish_canvas_text(canvas, ADVANCE, plot.y + plot.height / 2 - LINE / 2 + 1, slice->label[1]);
    starfish_canvas_text(canvas, plot.x, TOP - 5 * LINE / 2, slice->title);
    return starfish_canvas_write(canvas, path);
}

starfish_status starfish_image_write(const char *path, const struct starfish_slice *slice)
{
    const struct starfish_range extents[2] = {extent(slice->position[0], slice->n[0]),
                                              extent(slice->position[1], slice->n[1])};
    struct starfish_area plot = place_plot(extents);
    struct starfish_canvas canvas;
    int title_end = plot.x + starfish_text_width(slice->title) + ADVANCE;
    int width = plot.x + plot.width + 2 * GAP + BAR + RIGHT;
    STARFISH_TRY(
        starfish_canvas_create(&canvas, path, title_end > width ? title_end : width, TOP + plot.height + BOTTOM));
    starfish_status status = draw(path, slice, &canvas, plot, extents);
    starfish_canvas_free(&canvas);
    return status;
}

starfish_status starfish_image_check(const char *path)
{
    return starfish_canvas_check(path);
}
