/* Pictures of plane slices as PNG. */
#include "base/image.h"

#include "base/colour.h"
#include "base/font.h"
#include "base/output.h"

#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

enum { PLOT = 720, FLATTEST = 5, SCALE = 2, BAR = 24, GAP = 16, TICK = 6 };
enum { LINE = SCALE * STARFISH_FONT_HEIGHT, ADVANCE = SCALE * STARFISH_FONT_ADVANCE };
enum { LEFT = 8 * ADVANCE, RIGHT = 12 * ADVANCE, TOP = 3 * LINE, BOTTOM = 4 * LINE };

struct canvas {
    int width, height;
    unsigned char *rgb;
};
struct rectangle {
    int x, y, width, height;
};
struct range {
    double low, high;
};
static const unsigned char ink[3] = {40, 40, 46};

/* ---- drawing ---- */

static void set_pixel(struct canvas *canvas, int x, int y, const unsigned char colour[3])
{
    if (x >= 0 && y >= 0 && x < canvas->width && y < canvas->height)
        memcpy(canvas->rgb + 3 * ((size_t)y * (size_t)canvas->width + (size_t)x), colour, 3);
}

static void fill(struct canvas *canvas, struct rectangle area, const unsigned char colour[3])
{
    for (int y = area.y; y < area.y + area.height; ++y)
        for (int x = area.x; x < area.x + area.width; ++x)
            set_pixel(canvas, x, y, colour);
}

static void frame(struct canvas *canvas, struct rectangle area)
{
    fill(canvas, (struct rectangle){area.x - 1, area.y - 1, area.width + 2, 1}, ink);
    fill(canvas, (struct rectangle){area.x - 1, area.y + area.height, area.width + 2, 1}, ink);
    fill(canvas, (struct rectangle){area.x - 1, area.y - 1, 1, area.height + 2}, ink);
    fill(canvas, (struct rectangle){area.x + area.width, area.y - 1, 1, area.height + 2}, ink);
}

static void draw_text(struct canvas *canvas, int x, int y, const char *text)
{
    for (; *text; ++text, x += ADVANCE)
        for (int row = 0; row < STARFISH_FONT_HEIGHT; ++row)
            for (int column = 0; column < STARFISH_FONT_WIDTH; ++column)
                if (starfish_font_pixel(*text, column, row))
                    fill(canvas, (struct rectangle){x + SCALE * column, y + SCALE * row, SCALE, SCALE}, ink);
}

static int text_width(const char *text)
{
    return (int)strlen(text) * ADVANCE - SCALE;
}

/* ---- axes ---- */

/* A step of 1, 2 or 5 times a power of ten that gives about `count` ticks. */
static double tick_step(struct range range, double count)
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

static struct ticks choose_ticks(struct range range, double count)
{
    double step = tick_step(range, count);
    return (struct ticks){step, lround(ceil(range.low / step - 1e-9)), lround(floor(range.high / step + 1e-9))};
}

static void tick_text(double value, char text[32])
{
    snprintf(text, 32, "%.4g", value);
}

static void horizontal_axis(struct canvas *canvas, struct rectangle plot, struct range range, const char *label)
{
    struct ticks ticks = choose_ticks(range, fmax(2, plot.width / 140.0));
    int bottom = plot.y + plot.height;
    for (long tick = ticks.from; tick <= ticks.to; ++tick) {
        double v = (double)tick * ticks.step;
        char text[32];
        int x = plot.x + (int)((v - range.low) / (range.high - range.low) * (plot.width - 1));
        tick_text(v, text);
        fill(canvas, (struct rectangle){x, bottom, 1, TICK}, ink);
        draw_text(canvas, x - text_width(text) / 2, bottom + TICK + 4, text);
    }
    draw_text(canvas, plot.x + (plot.width - text_width(label)) / 2, bottom + TICK + 8 + LINE, label);
}

/* Ticks to the left (side -1) or to the right (side 1) of `area`. */
static void vertical_axis(struct canvas *canvas, struct rectangle area, struct range range, int side)
{
    struct ticks ticks = choose_ticks(range, fmax(2, area.height / 110.0));
    int edge = side < 0 ? area.x - TICK : area.x + area.width;
    for (long tick = ticks.from; tick <= ticks.to; ++tick) {
        double v = (double)tick * ticks.step;
        char text[32];
        int y = area.y + (int)((range.high - v) / (range.high - range.low) * (area.height - 1));
        tick_text(v, text);
        fill(canvas, (struct rectangle){edge, y, TICK, 1}, ink);
        draw_text(canvas, side < 0 ? edge - 6 - text_width(text) : edge + TICK + 6, y - LINE / 2 + 1, text);
    }
}

/* ---- the field ---- */

/* From pixels to values: pixel p lies between the values `index` and index+1, `weight` of the way. */
struct sample {
    size_t index;
    double weight;
};

/* The outer values stand for half a spacing beyond them. */
static struct range extent(const double *position, size_t n)
{
    struct range range = {position[0], position[n - 1]};
    if (n == 1)
        return (struct range){range.low - 0.5, range.high + 0.5};
    range.low -= 0.5 * (position[1] - position[0]);
    range.high += 0.5 * (position[n - 1] - position[n - 2]);
    return range;
}

static void locate(const double *position, size_t n, struct range range, int pixels, struct sample *samples)
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

static struct range value_range(const struct starfish_slice *slice)
{
    struct range range = {slice->values[0], slice->values[0]};
    for (size_t i = 0; i < slice->n[0] * slice->n[1]; ++i) {
        range.low = fmin(range.low, slice->values[i]);
        range.high = fmax(range.high, slice->values[i]);
    }
    return range;
}

/* What the ends of the colour bar mean, and which map suits. */
static struct range colour_range(struct range range, starfish_colour_map *map)
{
    double largest = fmax(fabs(range.low), fabs(range.high));
    *map = fmin(-range.low, range.high) > 0.1 * largest ? STARFISH_DIVERGING : STARFISH_SEQUENTIAL;
    if (*map == STARFISH_DIVERGING)
        range = (struct range){-largest, largest};
    if (range.high - range.low <= 1e-12 * largest || largest == 0)
        range = (struct range){range.low - fmax(0.5 * largest, 0.5), range.high + fmax(0.5 * largest, 0.5)};
    return range;
}

static const unsigned char *colour_of(unsigned char table[STARFISH_COLOURS][3], struct range range, double value)
{
    double t = (value - range.low) / (range.high - range.low);
    return table[(int)(fmin(fmax(t, 0), 1) * (STARFISH_COLOURS - 1) + 0.5)];
}

static void draw_bar(struct canvas *canvas, struct rectangle bar, struct range there, struct range colours,
                     unsigned char table[STARFISH_COLOURS][3])
{
    char text[32];
    for (int y = 0; y < bar.height; ++y) {
        double value = colours.high - (y + 0.5) / bar.height * (colours.high - colours.low);
        fill(canvas, (struct rectangle){bar.x, bar.y + y, bar.width, 1}, colour_of(table, colours, value));
    }
    frame(canvas, bar);
    vertical_axis(canvas, bar, colours, 1);
    snprintf(text, sizeof text, "max %.4g", there.high);
    draw_text(canvas, bar.x, bar.y - LINE - 4, text);
    snprintf(text, sizeof text, "min %.4g", there.low);
    draw_text(canvas, bar.x, bar.y + bar.height + TICK + 4, text);
}

static void draw_field(struct canvas *canvas, struct rectangle plot, const struct starfish_slice *slice,
                       const struct range extents[2], struct sample *samples)
{
    struct sample *across = samples, *up = samples + plot.width;
    unsigned char table[STARFISH_COLOURS][3];
    starfish_colour_map map;
    struct range there = value_range(slice), colours = colour_range(there, &map);
    struct rectangle bar = {plot.x + plot.width + 2 * GAP, plot.y, BAR, plot.height};
    starfish_colour_table(map, table);
    locate(slice->position[0], slice->n[0], extents[0], plot.width, across);
    locate(slice->position[1], slice->n[1], extents[1], plot.height, up);
    for (int y = 0; y < plot.height; ++y)
        for (int x = 0; x < plot.width; ++x)
            set_pixel(canvas, plot.x + x, plot.y + plot.height - 1 - y,
                      colour_of(table, colours, interpolate(slice, across[x], up[y])));
    draw_bar(canvas, bar, there, colours, table);
}

/* ---- the picture ---- */

static struct rectangle place_plot(const struct range extents[2])
{
    double aspect = (extents[0].high - extents[0].low) / (extents[1].high - extents[1].low);
    aspect = fmin(fmax(aspect, 1.0 / FLATTEST), FLATTEST);
    int width = aspect >= 1 ? PLOT : (int)(PLOT * aspect), height = aspect >= 1 ? (int)(PLOT / aspect) : PLOT;
    return (struct rectangle){LEFT, TOP, width, height};
}

static starfish_status write_png(const char *path, const struct canvas *canvas)
{
    struct starfish_output output;
    png_image image = {.version = PNG_IMAGE_VERSION, .format = PNG_FORMAT_RGB};
    starfish_status status = STARFISH_SUCCESS;
    image.width = (png_uint_32)canvas->width;
    image.height = (png_uint_32)canvas->height;
    STARFISH_TRY(starfish_output_open(&output, path));
    if (!png_image_write_to_stdio(&image, output.stream, 0, canvas->rgb, 0, NULL))
        status = starfish_fail(STARFISH_ERROR_FILE, "%s: cannot be written: %s", path, image.message);
    return starfish_output_finish(&output, status);
}

static starfish_status draw(const char *path, const struct starfish_slice *slice, struct canvas *canvas,
                            struct rectangle plot, const struct range extents[2])
{
    size_t pixels = (size_t)canvas->width * (size_t)canvas->height;
    struct sample *samples = malloc((size_t)(plot.width + plot.height) * sizeof *samples);
    canvas->rgb = malloc(3 * pixels);
    if (!canvas->rgb || !samples) {
        free(samples);
        return starfish_fail(STARFISH_ERROR_MEMORY, "%s: no memory for a picture", path);
    }
    memset(canvas->rgb, 255, 3 * pixels);
    draw_field(canvas, plot, slice, extents, samples);
    free(samples);
    frame(canvas, plot);
    horizontal_axis(canvas, plot, extents[0], slice->label[0]);
    vertical_axis(canvas, plot, extents[1], -1);
    draw_text(canvas, ADVANCE, plot.y + plot.height / 2 - LINE / 2 + 1, slice->label[1]);
    draw_text(canvas, plot.x, TOP - 5 * LINE / 2, slice->title);
    return write_png(path, canvas);
}

starfish_status starfish_image_write(const char *path, const struct starfish_slice *slice)
{
    const struct range extents[2] = {extent(slice->position[0], slice->n[0]), extent(slice->position[1], slice->n[1])};
    struct rectangle plot = place_plot(extents);
    struct canvas canvas = {.rgb = NULL};
    int title_end = plot.x + text_width(slice->title) + ADVANCE;
    canvas.width = plot.x + plot.width + 2 * GAP + BAR + RIGHT;
    canvas.width = title_end > canvas.width ? title_end : canvas.width;
    canvas.height = TOP + plot.height + BOTTOM;
    starfish_status status = draw(path, slice, &canvas, plot, extents);
    free(canvas.rgb);
    return status;
}

starfish_status starfish_image_check(const char *path)
{
    size_t length = strlen(path);
    if (length < 5 || strcmp(path + length - 4, ".png") != 0)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s: a picture's name ends in .png", path);
    return starfish_output_check(path);
}
