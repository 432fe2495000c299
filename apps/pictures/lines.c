/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Charts of curves (lines.h): ranges of both axes, dots and lines, and labels put where they hide the least. */
#include "apps/pictures/lines.h"

#include "apps/pictures/axes.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { WIDTH = 640, HEIGHT = 400, MARGIN = 16, LEFT = 108, GAP = 8, MOST_TAKEN = 256 };

/* Where something is drawn already that a label should not hide. */
struct taken {
    size_t count;
    struct starfish_area area[MOST_TAKEN];
};

static void take(struct taken *taken, double x, double y, double width, double height)
{
    if (taken->count < MOST_TAKEN)
        taken->area[taken->count++] = (struct starfish_area){x, y, width, height};
}

static size_t overlaps(const struct taken *taken, struct starfish_area area)
{
    size_t sum = 0;
    for (size_t i = 0; i < taken->count; ++i) {
        const struct starfish_area *there = &taken->area[i];
        sum += area.x < there->x + there->width && there->x < area.x + area.width &&
               area.y < there->y + there->height && there->y < area.y + area.height;
    }
    return sum;
}

/* Beside a dot, on the first of its four sides where it hides nothing, or least. */
static void draw_label(struct starfish_canvas *canvas, struct taken *taken, double x, double y, const char *label)
{
    static const int sides[][2] = {{1, 1}, {-1, -1}, {1, -1}, {-1, 1}};
    const double width = starfish_text_width(STARFISH_TEXT, label), height = 1.1 * STARFISH_TEXT;
    struct starfish_area best = {.width = width};
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; ++i) {
        const double left = x + (sides[i][0] > 0 ? 0.6 * STARFISH_TEXT : -0.6 * STARFISH_TEXT - width);
        const struct starfish_area area = {left, y + 0.9 * sides[i][1] * STARFISH_TEXT - height / 2, width, height};
        const size_t hidden = overlaps(taken, area);
        if (hidden < least) {
            least = hidden;
            best = area;
        }
    }
    starfish_canvas_text(canvas, best.x, best.y + height / 2, STARFISH_LEFT, STARFISH_TEXT, label);
    take(taken, best.x, best.y, best.width, best.height);
}

static int is_good(double value, int logarithmic)
{
    return isfinite(value) && (logarithmic ? value > 0 : value >= 0);
}

/* The range of all values in a direction: from zero, or whole factors of ten where they span more than one. */
static starfish_status range_of(const char *path, const struct starfish_lines *chart, int d,
                                struct starfish_range *range)
{
    *range = (struct starfish_range){INFINITY, 0};
    for (size_t l = 0; l < chart->count; ++l)
        for (size_t i = 0; i < chart->line[l].count; ++i) {
            const double value = d == 0 ? chart->line[l].x[i] : chart->line[l].y[i];
            STARFISH_FAIL_IF(!is_good(value, chart->logarithmic[d]), STARFISH_ERROR_ARGUMENT,
                             "%s: curve '%s' has the value %g, which cannot be shown", path, chart->line[l].name,
                             value);
            range->low = fmin(range->low, value);
            range->high = fmax(range->high, value);
        }
    STARFISH_FAIL_IF(!(range->high > 0), STARFISH_ERROR_ARGUMENT, "%s: there is nothing to show", path);
    if (!chart->logarithmic[d]) /* so that no dot lies on the frame */
        *range = starfish_range_from_zero(1.04 * range->high);
    else if (d == 1 || range->high > 30 * range->low)
        *range = (struct starfish_range){pow(10, floor(log10(range->low) + 1e-9)),
                                         pow(10, ceil(log10(range->high * 1.0001) - 1e-9))};
    else
        *range = (struct starfish_range){range->low / 1.2, range->high * 1.2};
    return STARFISH_SUCCESS;
}

/* Are all values of x whole numbers, as of what is counted? */
static int is_counted(const struct starfish_lines *chart)
{
    for (size_t l = 0; l < chart->count; ++l)
        for (size_t i = 0; i < chart->line[l].count; ++i)
            if (chart->line[l].x[i] != round(chart->line[l].x[i]))
                return 0;
    return 1;
}

static void find_points(const struct starfish_scale scale[2], const struct starfish_line *line, double (*point)[2])
{
    for (size_t i = 0; i < line->count; ++i) {
        point[i][0] = starfish_scale_at(&scale[0], line->x[i]);
        point[i][1] = starfish_scale_at(&scale[1], line->y[i]);
    }
}

/* Dots, and pieces of dashed lines. */
static void take_line(struct taken *taken, const struct starfish_scale scale[2], const struct starfish_line *line,
                      double (*point)[2])
{
    enum { PIECES = 48 };
    find_points(scale, line, point);
    for (size_t i = 0; i < line->count && !line->dashed; ++i)
        take(taken, point[i][0] - 4, point[i][1] - 4, 8, 8);
    for (size_t i = 0; line->dashed && line->count > 1 && i < PIECES; ++i) {
        const double at = (i + 0.5) / PIECES, *from = point[0], *to = point[line->count - 1];
        const double width = fabs(to[0] - from[0]) / PIECES;
        take(taken, from[0] + at * (to[0] - from[0]) - width / 2, from[1] + at * (to[1] - from[1]) - 1, width, 2);
    }
}

static void draw_line(struct starfish_canvas *canvas, const struct starfish_scale scale[2],
                      const struct starfish_line *line, unsigned colour, double (*point)[2])
{
    find_points(scale, line, point);
    if (!line->dots_alone)
        starfish_canvas_curve(canvas, (const double(*)[2])point, line->count, line->dashed ? 1.5 : 2.5, colour,
                              line->dashed);
    for (size_t i = 0; i < line->count && !line->dashed; ++i)
        starfish_canvas_dot(canvas, point[i][0], point[i][1], 4, colour);
}

static void draw_labels(struct starfish_canvas *canvas, const struct starfish_scale scale[2],
                        const struct starfish_lines *chart, double (*point)[2])
{
    static struct taken taken;
    taken.count = 0;
    for (size_t l = 0; l < chart->count; ++l)
        take_line(&taken, scale, &chart->line[l], point);
    for (size_t l = 0; l < chart->count; ++l) {
        const struct starfish_line *line = &chart->line[l];
        find_points(scale, line, point);
        for (size_t i = 0; i < line->count && line->label; ++i)
            if (line->label[i][0])
                draw_label(canvas, &taken, point[i][0], point[i][1], line->label[i]);
    }
}

/* At the right end of a dashed line, above it or, where there is no room, below. */
static void name_bound(struct starfish_canvas *canvas, const struct starfish_scale scale[2],
                       const struct starfish_line *line, double top)
{
    const double x = starfish_scale_at(&scale[0], line->x[line->count - 1]);
    const double y = starfish_scale_at(&scale[1], line->y[line->count - 1]);
    starfish_canvas_text(canvas, x, y - STARFISH_TEXT_LINE > top ? y - STARFISH_TEXT : y + STARFISH_TEXT,
                         STARFISH_RIGHT, STARFISH_TEXT, line->name);
}

static starfish_status draw(const char *path, const struct starfish_lines *chart, struct starfish_scale scale[2],
                            double (*point)[2])
{
    struct starfish_canvas *canvas;
    const char *name[STARFISH_MOST_LINES];
    unsigned colour[STARFISH_MOST_LINES];
    size_t solid = 0;
    for (size_t l = 0; l < chart->count; ++l)
        if (!chart->line[l].dashed) {
            name[solid] = chart->line[l].name;
            colour[solid] = starfish_group_colour(solid);
            solid++;
        }
    STARFISH_TRY(starfish_canvas_create(&canvas, path));
    double top = starfish_heading(canvas, MARGIN, chart->title, chart->subtitle);
    top += starfish_legend(canvas, LEFT, top, WIDTH, solid, name, colour) + GAP;
    const struct starfish_area plot = {LEFT, top, WIDTH, HEIGHT};
    scale[0].low = LEFT;
    scale[0].high = LEFT + WIDTH;
    scale[1].low = top + HEIGHT;
    scale[1].high = top;
    starfish_axis_below(canvas, plot, &scale[0], chart->axis[0], 1);
    starfish_axis_beside(canvas, plot, &scale[1], -1, 1);
    starfish_canvas_text_up(canvas, MARGIN + 8, top + HEIGHT / 2.0, STARFISH_TEXT, chart->axis[1]);
    solid = 0;
    for (size_t l = 0; l < chart->count; ++l) {
        const int dashed = chart->line[l].dashed;
        draw_line(canvas, scale, &chart->line[l], dashed ? starfish_theme()->ink : colour[solid++], point);
        if (dashed && chart->line[l].count > 0)
            name_bound(canvas, scale, &chart->line[l], top);
    }
    draw_labels(canvas, scale, chart, point);
    starfish_canvas_frame(canvas, plot);
    const double heading = starfish_heading_width(MARGIN, chart->title, chart->subtitle);
    return starfish_canvas_finish(canvas, fmax(LEFT + WIDTH + 40, heading), top + HEIGHT + 2.6 * STARFISH_TEXT_LINE);
}

starfish_status starfish_lines_write(const char *path, const struct starfish_lines *chart)
{
    struct starfish_scale scale[2] = {{.logarithmic = chart->logarithmic[0]}, {.logarithmic = chart->logarithmic[1]}};
    size_t most = 1;
    STARFISH_FAIL_IF(chart->count == 0 || chart->count > STARFISH_MOST_LINES, STARFISH_ERROR_ARGUMENT,
                     "%s: %zu curves, not 1 to %d", path, chart->count, STARFISH_MOST_LINES);
    for (int d = 0; d < 2; ++d)
        STARFISH_TRY(range_of(path, chart, d, &scale[d].range));
    for (size_t l = 0; l < chart->count; ++l)
        most = chart->line[l].count > most ? chart->line[l].count : most;
    scale[0].least_step = is_counted(chart);
    double(*point)[2] = malloc(most * sizeof *point);
    STARFISH_FAIL_IF(!point, STARFISH_ERROR_MEMORY, "%s: no memory for a picture", path);
    const starfish_status status = draw(path, chart, scale, point);
    free(point);
    return status;
}
