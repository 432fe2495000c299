/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Axes of charts (axes.h): ticks are 1, 2 or 5 times a power of ten, about as many as fit. */
#include "apps/pictures/axes.h"

#include <math.h>
#include <stdio.h>

enum { LINE = STARFISH_TEXT_LINE, GAP = 8 };

double starfish_scale_at(const struct starfish_scale *scale, double value)
{
    const struct starfish_range r = scale->range;
    const double part =
        scale->logarithmic ? log(value / r.low) / log(r.high / r.low) : (value - r.low) / (r.high - r.low);
    return scale->low + part * (scale->high - scale->low);
}

const char *starfish_time_unit(double largest, double *per_second)
{
    static const struct {
        double seconds;
        const char *name;
    } units[] = {{1, "seconds"}, {1e-3, "milliseconds"}, {1e-6, "microseconds"}, {1e-9, "nanoseconds"}};
    size_t unit = 0;
    while (unit < 3 && largest < units[unit].seconds)
        ++unit;
    *per_second = 1 / units[unit].seconds;
    return units[unit].name;
}

/* 1, 2 or 5 times a power of ten, of which there are about `count` in the range. */
static double step_of(struct starfish_range range, double count)
{
    const double rough = (range.high - range.low) / count, power = pow(10, floor(log10(rough)));
    const double digit = rough / power;
    return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

struct starfish_range starfish_range_from_zero(double largest)
{
    const double step = step_of((struct starfish_range){0, largest}, 6);
    return (struct starfish_range){0, step * ceil(largest / step - 1e-9)};
}

/* The values of ticks, at most 64. */
static int ticks_of(const struct starfish_scale *scale, double count, double value[64])
{
    const struct starfish_range r = scale->range;
    int ticks = 0;
    if (scale->logarithmic) {
        const double decades = log10(r.high / r.low);
        const int every = (int)fmax(1, ceil(decades / fmax(count, 2)));
        for (int d = (int)ceil(log10(r.low) - 1e-9); d <= (int)floor(log10(r.high) + 1e-9) && ticks < 60; d += every)
            for (int digit = 1; digit <= (decades < 2 ? 5 : 1); digit += digit == 1 ? 1 : 3)
                if (digit * pow(10, d) <= r.high * (1 + 1e-9))
                    value[ticks++] = digit * pow(10, d);
        return ticks;
    }
    const double step = fmax(step_of(r, count), scale->least_step);
    for (double t = ceil(r.low / step - 1e-9); t <= floor(r.high / step + 1e-9) && ticks < 64; ++t)
        value[ticks++] = t == 0 ? 0 : t * step;
    return ticks;
}

static void text_of(double value, char text[32])
{
    snprintf(text, 32, fabs(value) >= 1e4 && fabs(value) < 1e7 ? "%.0f" : "%.4g", value);
}

void starfish_axis_below(struct starfish_canvas *canvas, struct starfish_area plot, const struct starfish_scale *scale,
                         const char *label, int grid)
{
    const struct starfish_theme *theme = starfish_theme();
    const double bottom = plot.y + plot.height;
    double value[64];
    const int ticks = ticks_of(scale, fmax(2, plot.width / 90), value);
    for (int i = 0; i < ticks; ++i) {
        const double x = starfish_scale_at(scale, value[i]);
        char text[32];
        text_of(value[i], text);
        if (grid)
            starfish_canvas_fill(canvas, (struct starfish_area){x, plot.y, 1, plot.height}, theme->faint);
        starfish_canvas_fill(canvas, (struct starfish_area){x, bottom, 1, STARFISH_TICK}, theme->ink);
        starfish_canvas_text(canvas, x, bottom + STARFISH_TICK + 0.6 * LINE, STARFISH_CENTRE, STARFISH_TEXT, text);
    }
    starfish_canvas_text(canvas, plot.x + plot.width / 2, bottom + STARFISH_TICK + 1.7 * LINE, STARFISH_CENTRE,
                         STARFISH_TEXT, label);
}

void starfish_axis_beside(struct starfish_canvas *canvas, struct starfish_area plot, const struct starfish_scale *scale,
                          int side, int grid)
{
    const struct starfish_theme *theme = starfish_theme();
    const double edge = side > 0 ? plot.x + plot.width : plot.x - STARFISH_TICK;
    double value[64];
    const int ticks = ticks_of(scale, fmax(2, plot.height / 70), value);
    for (int i = 0; i < ticks; ++i) {
        const double y = starfish_scale_at(scale, value[i]);
        char text[32];
        text_of(value[i], text);
        if (grid)
            starfish_canvas_fill(canvas, (struct starfish_area){plot.x, y, plot.width, 1}, theme->faint);
        starfish_canvas_fill(canvas, (struct starfish_area){edge, y, STARFISH_TICK, 1}, theme->ink);
        starfish_canvas_text(canvas, side > 0 ? edge + STARFISH_TICK + GAP : edge - GAP, y,
                             side > 0 ? STARFISH_LEFT : STARFISH_RIGHT, STARFISH_TEXT, text);
    }
}

double starfish_legend(struct starfish_canvas *canvas, double x, double y, double width, size_t count,
                       const char *const *name, const unsigned *colour)
{
    const double square = 0.6 * LINE, left = x, top = y;
    for (size_t i = 0; i < count; ++i) {
        const double wide = square + GAP + starfish_text_width(STARFISH_TEXT, name[i]) + 2 * GAP;
        if (x > left && x + wide > left + width) {
            x = left;
            y += LINE;
        }
        if (canvas) {
            starfish_canvas_fill(canvas, (struct starfish_area){x, y + 0.2 * LINE, square, square}, colour[i]);
            starfish_canvas_text(canvas, x + square + GAP, y + 0.5 * LINE, STARFISH_LEFT, STARFISH_TEXT, name[i]);
        }
        x += wide;
    }
    return count > 0 ? y + LINE - top : 0;
}

double starfish_heading(struct starfish_canvas *canvas, double x, const char *title, const char *subtitle)
{
    starfish_canvas_text(canvas, x, LINE, STARFISH_LEFT, STARFISH_TITLE, title);
    if (subtitle)
        starfish_canvas_text(canvas, x, 2.1 * LINE, STARFISH_LEFT, STARFISH_TEXT, subtitle);
    return (subtitle ? 3 : 1.9) * LINE;
}

double starfish_heading_width(double margin, const char *title, const char *subtitle)
{
    const double below = subtitle ? starfish_text_width(STARFISH_TEXT, subtitle) : 0;
    return fmax(starfish_text_width(STARFISH_TITLE, title), below) + 2 * margin;
}
