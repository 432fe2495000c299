/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures of measured times as bars (bars.h): layout by group, then bars with their whiskers, marks and values. */
#include "apps/pictures/bars.h"

#include "apps/pictures/axes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PLOT = 560,
    PITCH = STARFISH_TEXT_LINE + 8,
    THICK = STARFISH_TEXT_LINE - 2,
    MARGIN = 16,
    GAP = 8,
    MOST_GROUPS = 64
};

/* ---- what there is to draw --------------------------------------------------------------------------------------- */

struct layout {
    const char *group[MOST_GROUPS];
    unsigned colour[MOST_GROUPS];
    size_t groups;
    double labels, legend; /* width of the labels, height of the legend */
    double after;          /* width of the longest text right of the frame */
    double per_second;
    const char *axis;
    struct starfish_area plot;
    struct starfish_scale scale;
};

static size_t group_of(struct layout *layout, const char *name)
{
    for (size_t g = 0; g < layout->groups; ++g)
        if (strcmp(layout->group[g], name) == 0)
            return g;
    if (layout->groups < MOST_GROUPS) {
        layout->colour[layout->groups] = starfish_group_colour(layout->groups);
        layout->group[layout->groups++] = name;
    }
    return layout->groups - 1;
}

/* The largest value of the axis: one whisker that is far longer than all bars would make these short, and is cut. */
static starfish_status look(struct layout *layout, const char *path, const struct starfish_bars *bars, double *largest)
{
    const double longest = 1.5;
    double whisker = 0;
    *largest = 0;
    for (size_t i = 0; i < bars->count; ++i) {
        const struct starfish_bar *bar = &bars->bar[i];
        STARFISH_FAIL_IF(!(bar->value > 0) || !isfinite(bar->value), STARFISH_ERROR_ARGUMENT,
                         "%s: bar %zu has the value %g, which is not positive", path, i + 1, bar->value);
        group_of(layout, bar->group);
        layout->labels = fmax(layout->labels, starfish_text_width(STARFISH_TEXT, bar->label));
        *largest = fmax(*largest, fmax(bar->value, bar->mark));
        whisker = fmax(whisker, bar->high);
    }
    *largest = fmax(*largest, fmin(whisker, longest * *largest));
    return STARFISH_SUCCESS;
}

static void lay_out(struct layout *layout, const struct starfish_bars *bars, double largest)
{
    const double left = MARGIN + layout->labels + GAP, top = (bars->subtitle ? 3 : 1.9) * STARFISH_TEXT_LINE;
    layout->per_second = 1;
    layout->axis = bars->axis ? bars->axis : starfish_time_unit(largest, &layout->per_second);
    layout->legend = starfish_legend(NULL, left, 0, PLOT, layout->groups, layout->group, layout->colour);
    if (bars->mark || bars->whisker)
        layout->legend += STARFISH_TEXT_LINE;
    layout->plot = (struct starfish_area){left, top + layout->legend + GAP, PLOT, (double)bars->count * PITCH + GAP};
    layout->scale = (struct starfish_scale){
        .range = starfish_range_from_zero(largest * layout->per_second), .low = left, .high = left + PLOT};
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

static double x_of(const struct layout *layout, double value)
{
    return starfish_scale_at(&layout->scale, value * layout->per_second);
}

static void draw_bar(struct starfish_canvas *canvas, struct layout *layout, const struct starfish_bar *bar, double y)
{
    const unsigned ink = starfish_theme()->ink;
    const double left = layout->plot.x, middle = y + THICK / 2.0, right = left + layout->plot.width;
    const int is_cut = x_of(layout, bar->high) > right;
    double after = x_of(layout, bar->value);
    char text[64];
    starfish_canvas_text(canvas, left - GAP, middle, STARFISH_RIGHT, STARFISH_TEXT, bar->label);
    starfish_canvas_fill(canvas, (struct starfish_area){left, y, after - left, THICK},
                         layout->colour[group_of(layout, bar->group)]);
    if (bar->low > 0 && bar->high > bar->low) {
        const double from = x_of(layout, bar->low), to = fmin(x_of(layout, bar->high), right);
        starfish_canvas_fill(canvas, (struct starfish_area){from, middle - 0.5, to - from, 1}, ink);
        starfish_canvas_fill(canvas, (struct starfish_area){from, middle - 3, 1, 6}, ink);
        if (!is_cut)
            starfish_canvas_fill(canvas, (struct starfish_area){to, middle - 3, 1, 6}, ink);
        after = fmax(after, to);
    }
    if (bar->mark > 0) {
        const double mark = x_of(layout, bar->mark);
        starfish_canvas_fill(canvas, (struct starfish_area){mark - 1, y - 2, 2, THICK + 4}, ink);
        after = fmax(after, mark);
    }
    /* The value; where its whisker ends right of the frame, also where. */
    const double value = bar->value * layout->per_second, high = bar->high * layout->per_second;
    if (is_cut)
        snprintf(text, 64, "%.3g, largest %.3g", value, high);
    else
        snprintf(text, 64, "%.3g", value);
    const double width = starfish_text_width(STARFISH_TEXT, text);
    if (after + GAP + width > right) { /* beside the frame, not across it */
        after = fmax(after, right);
        layout->after = fmax(layout->after, after - right + GAP + width);
    }
    starfish_canvas_text(canvas, after + GAP, middle, STARFISH_LEFT, STARFISH_TEXT, text);
}

/* What whiskers and marks are. */
static void draw_signs(struct starfish_canvas *canvas, const struct starfish_bars *bars, double x, double y)
{
    const unsigned ink = starfish_theme()->ink;
    const double middle = y + STARFISH_TEXT_LINE / 2.0;
    if (bars->whisker) {
        starfish_canvas_fill(canvas, (struct starfish_area){x, middle - 0.5, 18, 1}, ink);
        starfish_canvas_fill(canvas, (struct starfish_area){x, middle - 3, 1, 6}, ink);
        starfish_canvas_fill(canvas, (struct starfish_area){x + 17, middle - 3, 1, 6}, ink);
        starfish_canvas_text(canvas, x + 18 + GAP, middle, STARFISH_LEFT, STARFISH_TEXT, bars->whisker);
        x += 18 + 3 * GAP + starfish_text_width(STARFISH_TEXT, bars->whisker);
    }
    if (bars->mark) {
        starfish_canvas_fill(canvas, (struct starfish_area){x + 4, middle - 7, 2, 14}, ink);
        starfish_canvas_text(canvas, x + 10 + GAP, middle, STARFISH_LEFT, STARFISH_TEXT, bars->mark);
    }
}

static double width_of(const struct layout *layout, const struct starfish_bars *bars)
{
    return fmax(layout->plot.x + PLOT + fmax(70, layout->after + MARGIN),
                starfish_heading_width(MARGIN, bars->title, bars->subtitle));
}

static starfish_status draw(const char *path, const struct starfish_bars *bars, struct layout *layout)
{
    struct starfish_canvas *canvas;
    STARFISH_TRY(starfish_canvas_create(&canvas, path));
    const double top = starfish_heading(canvas, MARGIN, bars->title, bars->subtitle), left = layout->plot.x;
    const double legend = starfish_legend(canvas, left, top, PLOT, layout->groups, layout->group, layout->colour);
    draw_signs(canvas, bars, left, top + legend);
    starfish_axis_below(canvas, layout->plot, &layout->scale, layout->axis, 1);
    for (size_t i = 0; i < bars->count; ++i)
        draw_bar(canvas, layout, &bars->bar[i], layout->plot.y + GAP + (double)i * PITCH);
    starfish_canvas_frame(canvas, layout->plot);
    return starfish_canvas_finish(canvas, width_of(layout, bars),
                                  layout->plot.y + layout->plot.height + 2.6 * STARFISH_TEXT_LINE);
}

starfish_status starfish_bars_write(const char *path, const struct starfish_bars *chart)
{
    struct starfish_bars bars = *chart;
    struct layout *layout = calloc(1, sizeof *layout);
    double largest;
    STARFISH_FAIL_IF(!layout, STARFISH_ERROR_MEMORY, "%s: no memory for a picture", path);
    bars.count = bars.count < STARFISH_MOST_BARS ? bars.count : STARFISH_MOST_BARS;
    starfish_status status = look(layout, path, &bars, &largest);
    if (status == STARFISH_SUCCESS) {
        lay_out(layout, &bars, largest);
        status = draw(path, &bars, layout);
    }
    free(layout);
    return status;
}
