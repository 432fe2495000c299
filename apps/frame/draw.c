/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures of a benchmark's rows: bars, curves, and a roofline (Williams, Waterman, Patterson 2009). Charts are drawn
 * by apps/pictures/. */
#include "apps/frame/draw.h"
#include "apps/files/json.h"

#include "apps/pictures/bars.h"
#include "apps/pictures/lines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_title(const struct bench *bench, const char *what, char *title, size_t size)
{
    snprintf(title, size, "%s%s%s%s, %s", bench->name, what, bench->subject ? ": " : "",
             bench->subject ? bench->subject : "", bench->how ? bench->how : "measured");
}

/* ---- bars -------------------------------------------------------------------------------------------------------- */

static starfish_status draw_bars(const struct bench *bench)
{
    size_t count = json_array_size(bench->rows), drawn = 0;
    struct starfish_bar *bars = calloc(count, sizeof *bars);
    char title[512];
    STARFISH_FAIL_IF(!bars, STARFISH_ERROR_MEMORY, "%s: no memory for %zu bars", bench->plot, count);
    for (size_t i = 0; i < count; ++i) {
        const json_t *row = json_array_get(bench->rows, i);
        if (json_is_number(json_object_get(row, "seconds")))
            bars[drawn++] = (struct starfish_bar){.label = starfish_json_text_of(row, "case"),
                                                  .group = starfish_json_text_of(row, "who"),
                                                  .value = starfish_json_number_of(row, "seconds"),
                                                  .low = starfish_json_number_of(row, "min"),
                                                  .high = starfish_json_number_of(row, "max"),
                                                  .mark = starfish_json_number_of(row, "limit_seconds")};
    }
    write_title(bench, "", title, sizeof title);
    const struct starfish_bars chart = {.bar = bars,
                                        .count = drawn,
                                        .title = title,
                                        .subtitle = bench->machine[0] ? bench->machine : NULL,
                                        .mark = "least time that is possible",
                                        .whisker = "least to largest"};
    starfish_status status = starfish_bars_write(bench->plot, &chart);
    free(bars);
    return status;
}

/* ---- curves ------------------------------------------------------------------------------------------------------ */

/* Points of a chart's lines lie one behind the other, and lines are runs of them. */
struct drawing {
    struct starfish_line line[STARFISH_MOST_LINES];
    size_t lines, points, room;
    double *x, *y;
};

static starfish_status make_drawing(struct drawing *drawing, const char *path, size_t room)
{
    *drawing = (struct drawing){.room = room};
    drawing->x = calloc(room, sizeof *drawing->x);
    drawing->y = calloc(room, sizeof *drawing->y);
    if (drawing->x && drawing->y)
        return STARFISH_SUCCESS;
    free(drawing->x);
    free(drawing->y);
    return starfish_fail(STARFISH_ERROR_MEMORY, "%s: no memory for %zu points", path, room);
}

static struct starfish_line *add_line(struct drawing *drawing, const char *name)
{
    if (drawing->lines == STARFISH_MOST_LINES)
        return NULL;
    struct starfish_line *line = &drawing->line[drawing->lines++];
    *line = (struct starfish_line){.name = name, .x = drawing->x + drawing->points, .y = drawing->y + drawing->points};
    return line;
}

static void add_point(struct drawing *drawing, struct starfish_line *line, double x, double y)
{
    if (!line || drawing->points == drawing->room)
        return;
    drawing->x[drawing->points] = x;
    drawing->y[drawing->points++] = y;
    line->count++;
}

/* The lines that there are already have that name? */
static int has_line(const struct drawing *drawing, const char *name)
{
    for (size_t l = 0; l < drawing->lines; ++l)
        if (strcmp(drawing->line[l].name, name) == 0)
            return 1;
    return 0;
}

static starfish_status write_drawing(const char *path, struct drawing *drawing, struct starfish_lines *chart)
{
    chart->line = drawing->line;
    chart->count = drawing->lines;
    const starfish_status status =
        drawing->lines > 0 ? starfish_lines_write(path, chart)
                           : starfish_fail(STARFISH_ERROR_UNSUPPORTED, "%s: no row has what it would show", path);
    free(drawing->x);
    free(drawing->y);
    return status;
}

/* One curve for each group of rows, in the order of the rows; a dashed one for what is ideal. */
static starfish_status draw_curves(const struct bench *bench)
{
    const struct bench_curves *curves = bench->curves;
    const json_t *row, *other;
    struct drawing drawing;
    char title[512];
    size_t i, j, count = json_array_size(bench->rows);
    double least = INFINITY, most = 0;
    STARFISH_TRY(make_drawing(&drawing, bench->plot, count + 2));
    json_array_foreach (bench->rows, i, row) {
        const char *name = starfish_json_text_of(row, curves->group);
        if (!name || has_line(&drawing, name))
            continue;
        struct starfish_line *line = add_line(&drawing, name);
        json_array_foreach (bench->rows, j, other)
            if (json_equal(json_object_get(row, curves->group), json_object_get(other, curves->group)))
                add_point(&drawing, line, starfish_json_number_of(other, curves->x),
                          curves->times * starfish_json_number_of(other, curves->y));
        least = fmin(least, starfish_json_number_of(row, curves->x));
        for (size_t p = 0; line && p < line->count; ++p)
            most = fmax(most, line->x[p]);
    }
    if (drawing.lines > 0 && curves->ideal_name) {
        struct starfish_line *ideal = add_line(&drawing, curves->ideal_name);
        add_point(&drawing, ideal, least, curves->ideal);
        add_point(&drawing, ideal, most, curves->ideal);
        if (ideal)
            ideal->dashed = 1;
    }
    write_title(bench, "", title, sizeof title);
    struct starfish_lines chart = {.axis = {curves->axis[0], curves->axis[1]},
                                   .title = title,
                                   .subtitle = bench->machine[0] ? bench->machine : NULL};
    return write_drawing(bench->plot, &drawing, &chart);
}

starfish_status bench_draw(const struct bench *bench)
{
    return bench->curves ? draw_curves(bench) : draw_bars(bench);
}

/* ---- roofline (Williams, Waterman, Patterson 2009) --------------------------------------------------------------- */

enum { ROOFS = 8, MOST_LABELS = 40 }; /* more labels would hide each other */
/* Rates of copies that differ by less are of one memory, whose rate is the largest of them. */
static const double same_memory = 1.5;

struct roofs {
    size_t count;
    struct roof {
        double rate; /* bytes per second, or operations where it is level */
        int is_level;
        char name[48];
    } roof[ROOFS];
};

/* Were tasks measured, of which a row's `bytes` are those on links, and its limit a bound of their schedule? */
static int is_of_tasks(const json_t *row)
{
    return json_is_number(json_object_get(row, "memory_bytes")) && starfish_json_text_of(row, "workers");
}

static double bytes_of(const json_t *row)
{
    return starfish_json_number_of(row, is_of_tasks(row) ? "memory_bytes" : "bytes");
}

static int is_same(const struct roof *roof, const struct roof *other)
{
    if (roof->is_level || other->is_level)
        return strcmp(roof->name, other->name) == 0;
    return fabs(log(roof->rate / other->rate)) <= log(same_memory);
}

/* What a row was compared with: bytes over the least time for them are the rate of a memory or link; operations over
 * the bound of tasks' schedule on a set of workers are level. */
static void add_roof(struct roofs *roofs, const json_t *row)
{
    const double limit = starfish_json_number_of(row, "limit_seconds");
    struct roof roof = {.is_level = is_of_tasks(row)};
    size_t r = 0;
    roof.rate = (roof.is_level ? starfish_json_number_of(row, "operations") : bytes_of(row)) / limit;
    if (!(limit > 0) || !(roof.rate > 0))
        return;
    if (roof.is_level)
        snprintf(roof.name, sizeof roof.name, "least time of tasks, %s", starfish_json_text_of(row, "workers"));
    while (r < roofs->count && !is_same(&roofs->roof[r], &roof))
        r++;
    if (r == ROOFS)
        return;
    if (r < roofs->count)
        roof.rate = fmax(roof.rate, roofs->roof[r].rate);
    roofs->count += r == roofs->count;
    if (!roof.is_level)
        snprintf(roof.name, sizeof roof.name, "bytes at %.4g GB/s", 1e-9 * roof.rate);
    roofs->roof[r] = roof;
}

/* What a row's dot belongs to: who has solved it and, where that is known, where the data are; and its label, the size,
 * which is the first word of its case. Schedules belong to their workers, and the fastest of these is labelled. */
struct dot {
    char group[64], label[32];
};

static int is_fastest(const json_t *rows, const json_t *row)
{
    const json_t *other;
    size_t i;
    json_array_foreach (rows, i, other)
        if (json_equal(json_object_get(other, "workers"), json_object_get(row, "workers")) &&
            starfish_json_number_of(other, "seconds") < starfish_json_number_of(row, "seconds"))
            return 0;
    return 1;
}

static int describe_dot(const json_t *rows, const json_t *row, struct dot *dot)
{
    const char *who = starfish_json_text_of(row, "who"), *where = starfish_json_text_of(row, "where");
    const char *what = starfish_json_text_of(row, "case");
    if (!(starfish_json_number_of(row, "operations") > 0) || !(bytes_of(row) > 0) ||
        !(starfish_json_number_of(row, "seconds") > 0))
        return 0;
    if (is_of_tasks(row)) {
        snprintf(dot->group, sizeof dot->group, "%s", starfish_json_text_of(row, "workers"));
        snprintf(dot->label, sizeof dot->label, "%s", is_fastest(rows, row) ? who : "");
        return 1;
    }
    snprintf(dot->group, sizeof dot->group, "%s%s%s", who, where ? ", data: " : "", where ? where : "");
    snprintf(dot->label, sizeof dot->label, "%.*s", (int)strcspn(what, " :,"), what);
    return 1;
}

struct dots {
    struct dot *dot;    /* of each row */
    const char **label; /* of each point, in the order of points */
    size_t labels;
};

static void add_dot(struct drawing *drawing, struct starfish_line *line, struct dots *dots, size_t row,
                    const json_t *what)
{
    const double operations = starfish_json_number_of(what, "operations");
    if (!line)
        return;
    dots->label[dots->labels++] = dots->dot[row].label;
    add_point(drawing, line, operations / bytes_of(what), 1e-9 * operations / starfish_json_number_of(what, "seconds"));
}

/* Of rows, operations per byte and 10^9 operations per second, in a line of dots for each group. */
static void add_dots(const struct bench *bench, struct drawing *drawing, struct roofs *roofs, struct dots *dots,
                     double range[2])
{
    const size_t count = json_array_size(bench->rows);
    for (size_t i = 0; i < count; ++i)
        if (!describe_dot(bench->rows, json_array_get(bench->rows, i), &dots->dot[i]))
            dots->dot[i].group[0] = '\0';
    for (size_t i = 0; i < count; ++i) {
        const char *group = dots->dot[i].group;
        if (group[0] == '\0' || has_line(drawing, group))
            continue;
        struct starfish_line *line = add_line(drawing, group);
        if (line) {
            line->dots_alone = 1;
            line->label = count <= MOST_LABELS ? dots->label + dots->labels : NULL;
        }
        for (size_t k = i; k < count; ++k) {
            const json_t *row = json_array_get(bench->rows, k);
            if (strcmp(dots->dot[k].group, group) != 0)
                continue;
            add_dot(drawing, line, dots, k, row);
            add_roof(roofs, row);
        }
        for (size_t k = 0; line && k < line->count; ++k) {
            range[0] = fmin(range[0], line->x[k] / 2);
            range[1] = fmax(range[1], line->x[k] * 2);
        }
    }
}

static starfish_status draw_dots(const struct bench *bench, struct dots *dots)
{
    struct roofs roofs = {.count = 0};
    struct drawing drawing;
    char title[512];
    double range[2] = {INFINITY, 0};
    STARFISH_TRY(make_drawing(&drawing, bench->roofline, json_array_size(bench->rows) + (size_t)2 * ROOFS));
    add_dots(bench, &drawing, &roofs, dots, range);
    for (size_t r = 0; r < roofs.count; ++r) {
        const struct roof *roof = &roofs.roof[r];
        struct starfish_line *line = add_line(&drawing, roof->name);
        for (int end = 0; end < 2; ++end)
            add_point(&drawing, line, range[end], 1e-9 * roof->rate * (roof->is_level ? 1 : range[end]));
        if (line)
            line->dashed = 1;
    }
    write_title(bench, ", roofline", title, sizeof title);
    struct starfish_lines chart = {.axis = {"floating-point operations per byte", "10^9 operations per second"},
                                   .logarithmic = {1, 1},
                                   .title = title,
                                   .subtitle = bench->machine[0] ? bench->machine : NULL};
    return write_drawing(bench->roofline, &drawing, &chart);
}

starfish_status bench_draw_roofline(const struct bench *bench)
{
    const size_t count = json_array_size(bench->rows) + 1;
    struct dots dots = {.dot = calloc(count, sizeof *dots.dot), .label = calloc(count, sizeof *dots.label)};
    const starfish_status status =
        dots.dot && dots.label
            ? draw_dots(bench, &dots)
            : starfish_fail(STARFISH_ERROR_MEMORY, "%s: no memory for %zu points", bench->roofline, count);
    free(dots.dot);
    free(dots.label);
    return status;
}
