/* Pictures of measured times as PNG. */
#include "apps/pictures/bars.h"

#include "apps/pictures/canvas.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINE = STARFISH_TEXT_LINE, ADVANCE = STARFISH_TEXT_ADVANCE };
enum { PLOT = 640, PITCH = LINE + 10, THICK = LINE, MARGIN = LINE, TICK = 6, MOST_GROUPS = 8 };

/* Tol's muted colours, which the colour-blind can distinguish too. */
static const unsigned char colours[MOST_GROUPS][3] = {{51, 102, 153}, {204, 102, 119}, {221, 204, 119},
                                                      {17, 119, 51},  {136, 204, 238}, {136, 34, 85},
                                                      {68, 170, 153}, {170, 68, 153}};
static const unsigned char grid[3] = {220, 220, 224};

/* ---- what there is to draw --------------------------------------------------------------------------------------- */

struct layout {
    const char *group[MOST_GROUPS];
    int groups;
    int label_width;
    struct starfish_range decades; /* powers of ten */
    struct starfish_area plot;
};

static int group_of(struct layout *layout, const char *name)
{
    for (int g = 0; g < layout->groups; ++g)
        if (strcmp(layout->group[g], name) == 0)
            return g;
    if (layout->groups < MOST_GROUPS)
        layout->group[layout->groups++] = name;
    return layout->groups - 1;
}

static void include(struct starfish_range *decades, double value)
{
    if (value > 0) {
        decades->low = fmin(decades->low, floor(log10(value)));
        decades->high = fmax(decades->high, ceil(log10(value)));
    }
}

static starfish_status lay_out(struct layout *layout, const char *path, const struct starfish_bars *bars)
{
    *layout = (struct layout){.decades = {INFINITY, -INFINITY}};
    for (size_t i = 0; i < bars->count; ++i) {
        const struct starfish_bar *bar = &bars->bar[i];
        if (!(bar->value > 0) || !isfinite(bar->value))
            return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s: bar %zu has the value %g, which has no logarithm", path,
                                 i + 1, bar->value);
        group_of(layout, bar->group);
        layout->label_width = (int)fmax(layout->label_width, starfish_text_width(bar->label));
        include(&layout->decades, bar->value);
        include(&layout->decades, bar->low);
        include(&layout->decades, bar->high);
        include(&layout->decades, bar->mark);
    }
    if (layout->decades.high <= layout->decades.low)
        layout->decades.high = layout->decades.low + 1;
    layout->plot = (struct starfish_area){layout->label_width + MARGIN + ADVANCE, MARGIN + 4 * LINE, PLOT,
                                          (int)bars->count * PITCH + 10};
    return STARFISH_SUCCESS;
}

static int pixel_of(const struct layout *layout, double value)
{
    const struct starfish_range decades = layout->decades;
    return layout->plot.x +
           (int)((log10(value) - decades.low) / (decades.high - decades.low) * (layout->plot.width - 1));
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

static void draw_axis(struct starfish_canvas *canvas, const struct layout *layout, const char *axis)
{
    const struct starfish_area plot = layout->plot;
    const int bottom = plot.y + plot.height;
    for (int decade = (int)layout->decades.low; decade <= (int)layout->decades.high; ++decade) {
        char text[16];
        const int x = pixel_of(layout, pow(10, decade));
        snprintf(text, sizeof text, "1e%d", decade);
        starfish_canvas_fill(canvas, (struct starfish_area){x, plot.y, 1, plot.height}, grid);
        starfish_canvas_fill(canvas, (struct starfish_area){x, bottom, 1, TICK}, starfish_ink);
        starfish_canvas_text(canvas, x - starfish_text_width(text) / 2, bottom + TICK + 4, text);
    }
    starfish_canvas_text(canvas, plot.x + (plot.width - starfish_text_width(axis)) / 2, bottom + TICK + 8 + LINE, axis);
}

static void draw_legend(struct starfish_canvas *canvas, const struct layout *layout)
{
    int x = layout->plot.x;
    const int y = layout->plot.y - LINE - LINE / 2;
    for (int g = 0; g < layout->groups; ++g) {
        starfish_canvas_fill(canvas, (struct starfish_area){x, y, LINE, LINE - 2}, colours[g]);
        starfish_canvas_text(canvas, x + LINE + 6, y, layout->group[g]);
        x += LINE + 6 + starfish_text_width(layout->group[g]) + 2 * ADVANCE;
    }
}

static void draw_bar(struct starfish_canvas *canvas, struct layout *layout, const struct starfish_bar *bar, int y)
{
    const int x = layout->plot.x, end = pixel_of(layout, bar->value);
    char text[32];
    int after = end;
    starfish_canvas_text(canvas, x - ADVANCE - starfish_text_width(bar->label), y, bar->label);
    starfish_canvas_fill(canvas, (struct starfish_area){x, y, end - x + 1, THICK},
                         colours[group_of(layout, bar->group)]);
    if (bar->low > 0 && bar->high > bar->low) {
        const int from = pixel_of(layout, bar->low), to = pixel_of(layout, bar->high);
        starfish_canvas_fill(canvas, (struct starfish_area){from, y + THICK / 2, to - from + 1, 1}, starfish_ink);
        after = to > after ? to : after;
    }
    if (bar->mark > 0) {
        const int mark = pixel_of(layout, bar->mark);
        starfish_canvas_fill(canvas, (struct starfish_area){mark - 1, y - 2, 3, THICK + 4}, starfish_ink);
        after = mark > after ? mark : after;
    }
    snprintf(text, sizeof text, "%.3g", bar->value);
    starfish_canvas_text(canvas, after + ADVANCE, y, text);
}

/* The legend may be wider than the axis, and the last value stands right of its bar. */
static int width_of(const struct layout *layout, const struct starfish_bars *bars)
{
    int legend = layout->plot.x, right = layout->plot.x + layout->plot.width + 10 * ADVANCE;
    const int title = MARGIN + starfish_text_width(bars->title) + MARGIN;
    for (int g = 0; g < layout->groups; ++g)
        legend += LINE + 6 + starfish_text_width(layout->group[g]) + 2 * ADVANCE;
    right = legend > right ? legend : right;
    return title > right ? title : right;
}

starfish_status starfish_bars_write(const char *path, const struct starfish_bars *chart)
{
    struct starfish_canvas canvas;
    struct starfish_bars bars = *chart;
    struct layout layout;
    bars.count = bars.count < STARFISH_MOST_BARS ? bars.count : STARFISH_MOST_BARS;
    STARFISH_TRY(lay_out(&layout, path, &bars));
    const int height = layout.plot.y + layout.plot.height + TICK + 8 + 3 * LINE;
    STARFISH_TRY(starfish_canvas_create(&canvas, path, width_of(&layout, &bars), height));
    starfish_canvas_text(&canvas, MARGIN, MARGIN, bars.title);
    draw_legend(&canvas, &layout);
    draw_axis(&canvas, &layout, bars.axis);
    for (size_t i = 0; i < bars.count; ++i)
        draw_bar(&canvas, &layout, &bars.bar[i], layout.plot.y + 10 + (int)i * PITCH);
    starfish_canvas_frame(&canvas, layout.plot);
    starfish_status status = starfish_canvas_write(&canvas, path);
    starfish_canvas_free(&canvas);
    return status;
}

starfish_status starfish_bars_check(const char *path)
{
    return starfish_canvas_check(path);
}
