/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Gantt charts (gantt.h): heights of rows follow from their lanes, and operations of one colour share an entry of the
 * legend. */
#include "apps/pictures/gantt.h"

#include "apps/pictures/axes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE = STARFISH_TEXT_LINE,
    PLOT = 840,
    MARGIN = 16,
    GAP = 8,
    THICK = 20,
    LANE = 11,
    UNDERLINE = 4,
    MOST_NAMES = 24,
    MOST_LETTERS = 80 /* of an entry, which is then no wider than the plot */
};

struct layout {
    struct starfish_area plot;
    size_t names; /* entries of the legend, one for each colour */
    char text[MOST_NAMES][MOST_LETTERS];
    const char *name[MOST_NAMES];
    unsigned colour[MOST_NAMES];
    double *top;   /* of each row, and of the end */
    size_t *lanes; /* of each row, at least 1 */
    struct starfish_scale scale;
};

/* Is the name one of those in the entry, which commas separate? */
static int has_name(const char *entry, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = strstr(entry, name); at; at = strstr(at + 1, name))
        if ((at == entry || at[-1] == ' ') && (at[length] == ',' || at[length] == '\0'))
            return 1;
    return 0;
}

/* Operations that are drawn in one colour share an entry of the legend. */
static void add_name(struct layout *layout, const struct starfish_gantt_span *span)
{
    size_t entry = 0;
    while (entry < layout->names && layout->colour[entry] != span->colour)
        ++entry;
    if (entry == MOST_NAMES)
        return;
    char *text = layout->text[entry];
    const size_t length = strlen(text);
    const char *name = length + strlen(span->name) + sizeof ", , ..." < MOST_LETTERS ? span->name : "...";
    if (!has_name(text, span->name) && !has_name(text, "..."))
        snprintf(text + length, MOST_LETTERS - length, "%s%s", length > 0 ? ", " : "", name);
    layout->name[entry] = text;
    layout->colour[entry] = span->colour;
    layout->names += entry == layout->names;
}

static double lane_height(const struct layout *layout, size_t row)
{
    return layout->lanes[row] > 1 ? LANE : THICK;
}

/* Below the heading, which ends at `top`. */
static void lay_out(struct layout *layout, const struct starfish_gantt *chart, double top)
{
    double labels = 0, y;
    for (size_t r = 0; r < chart->rows; ++r)
        labels = fmax(labels, starfish_text_width(STARFISH_TEXT, chart->row[r]));
    const double left = MARGIN + labels + GAP;
    y = top + starfish_legend(NULL, left, 0, PLOT, layout->names, layout->name, layout->colour) + GAP;
    layout->plot = (struct starfish_area){.x = left, .y = y, .width = PLOT};
    y += GAP;
    for (size_t r = 0; r < chart->rows; ++r) {
        layout->top[r] = y;
        y += lane_height(layout, r) * (double)layout->lanes[r] + GAP;
    }
    layout->plot.height = y - layout->plot.y;
    layout->scale = (struct starfish_scale){.range = {chart->begin, chart->end}, .low = left, .high = left + PLOT};
}

static void draw_span(struct starfish_canvas *canvas, const struct layout *layout,
                      const struct starfish_gantt_span *span)
{
    const double x = starfish_scale_at(&layout->scale, span->start);
    const double width = starfish_scale_at(&layout->scale, span->end) - x, height = lane_height(layout, span->row);
    const double y = layout->top[span->row] + (double)span->lane * height;
    /* A gap between neighbours, where there is room for one. */
    const double shown = width > 2 ? width - 0.5 : width;
    const struct starfish_area area = {x, y, shown, height > LANE ? height - UNDERLINE : height - 1};
    starfish_canvas_fill(canvas, area, span->colour);
    starfish_canvas_tip(canvas, area, span->colour, span->text ? span->text : span->name);
    if (span->marked)
        starfish_canvas_fill(canvas, (struct starfish_area){x, y + height - UNDERLINE, shown, UNDERLINE},
                             starfish_theme()->ink);
}

static void draw_mark(struct starfish_canvas *canvas, const struct layout *layout, const char *mark)
{
    const double y = layout->plot.y + layout->plot.height + STARFISH_TICK + 2.9 * LINE, x = layout->plot.x;
    starfish_canvas_fill(canvas, (struct starfish_area){x, y - UNDERLINE / 2.0, 2 * LINE, UNDERLINE},
                         starfish_theme()->ink);
    starfish_canvas_text(canvas, x + 2 * LINE + GAP, y, STARFISH_LEFT, STARFISH_TEXT, mark);
}

static void draw(struct starfish_canvas *canvas, struct layout *layout, const struct starfish_gantt *chart)
{
    const double top = starfish_heading(canvas, MARGIN, chart->title, chart->subtitle);
    lay_out(layout, chart, top);
    starfish_legend(canvas, layout->plot.x, top, PLOT, layout->names, layout->name, layout->colour);
    starfish_axis_below(canvas, layout->plot, &layout->scale, chart->axis, 1);
    for (size_t r = 0; r < chart->rows; ++r)
        starfish_canvas_text(canvas, layout->plot.x - GAP,
                             layout->top[r] + lane_height(layout, r) * (double)layout->lanes[r] / 2, STARFISH_RIGHT,
                             STARFISH_TEXT, chart->row[r]);
    for (size_t i = 0; i < chart->count; ++i)
        draw_span(canvas, layout, &chart->span[i]);
    if (chart->mark)
        draw_mark(canvas, layout, chart->mark);
    starfish_canvas_frame(canvas, layout->plot);
}

static starfish_status draw_all(const char *path, const struct starfish_gantt *chart, struct layout *layout)
{
    struct starfish_canvas *canvas;
    for (size_t r = 0; r < chart->rows; ++r)
        layout->lanes[r] = 1;
    for (size_t i = 0; i < chart->count; ++i) {
        const struct starfish_gantt_span *span = &chart->span[i];
        layout->lanes[span->row] = span->lane >= layout->lanes[span->row] ? span->lane + 1 : layout->lanes[span->row];
        add_name(layout, span);
    }
    STARFISH_TRY(starfish_canvas_create(&canvas, path));
    draw(canvas, layout, chart);
    const double heading = starfish_heading_width(MARGIN, chart->title, chart->subtitle);
    return starfish_canvas_finish(canvas, fmax(layout->plot.x + PLOT + 40, heading),
                                  layout->plot.y + layout->plot.height + (chart->mark ? 3.8 : 2.6) * LINE);
}

starfish_status starfish_gantt_write(const char *path, const struct starfish_gantt *chart)
{
    struct layout layout = {.names = 0};
    layout.top = calloc(chart->rows + 1, sizeof *layout.top);
    layout.lanes = calloc(chart->rows + 1, sizeof *layout.lanes);
    const starfish_status status = layout.top && layout.lanes
                                       ? draw_all(path, chart, &layout)
                                       : starfish_fail(STARFISH_ERROR_MEMORY, "%s: no memory for a picture", path);
    free(layout.top);
    free(layout.lanes);
    return status;
}
