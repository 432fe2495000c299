/* Pictures of a benchmark's rows: bars, curves, and a roofline. */
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
    if (!bars)
        return starfish_fail(STARFISH_ERROR_MEMORY, "%s: no memory for %zu bars", bench->plot, count);
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
    json_array_foreach(bench->rows, i, row)
    {
        const char *name = starfish_json_text_of(row, curves->group);
        if (!name || has_line(&drawing, name))
            continue;
        struct starfish_line *line = add_line(&drawing, name);
        json_array_foreach(bench->rows, j, other)
        {
            if (json_equal(json_object_get(row, curves->group), json_object_get(other, curves->group)))
                add_point(&drawing, line, starfish_json_number_of(other, curves->x),
                          curves->times * starfish_json_number_of(other, curves->y));
        }
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
    double rate[ROOFS]; /* bytes per second */
    char name[ROOFS][48];
};

/* Bytes over the least time for them: the rate of the memory or link that a row was compared with; 0: none. */
static double rate_of(const json_t *row)
{
    const double limit = starfish_json_number_of(row, "limit_seconds");
    return limit > 0 ? starfish_json_number_of(row, "bytes") / limit : 0;
}

static void add_roof(struct roofs *roofs, double rate)
{
    size_t r = 0;
    while (r < roofs->count && fabs(log(roofs->rate[r] / rate)) > log(same_memory))
        r++;
    if (!(rate > 0) || r == ROOFS)
        return;
    roofs->count += r == roofs->count;
    roofs->rate[r] = fmax(roofs->rate[r], rate);
    snprintf(roofs->name[r], sizeof roofs->name[r], "bytes at %.4g GB/s", 1e-9 * roofs->rate[r]);
}

/* What a row's dot is called: who has solved it and, where that is known, where the data are; and its size, the first
 * word of its case. */
struct dot {
    char group[64], size[32];
};

static int describe_dot(const json_t *row, struct dot *dot)
{
    const char *where = starfish_json_text_of(row, "where"), *what = starfish_json_text_of(row, "case");
    if (!(starfish_json_number_of(row, "operations") > 0) || !(starfish_json_number_of(row, "bytes") > 0) ||
        !(starfish_json_number_of(row, "seconds") > 0))
        return 0;
    snprintf(dot->group, sizeof dot->group, "%s%s%s", starfish_json_text_of(row, "who"), where ? ", data: " : "",
             where ? where : "");
    snprintf(dot->size, sizeof dot->size, "%.*s", (int)strcspn(what, " :,"), what);
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
    dots->label[dots->labels++] = dots->dot[row].size;
    add_point(drawing, line, operations / starfish_json_number_of(what, "bytes"),
              1e-9 * operations / starfish_json_number_of(what, "seconds"));
}

/* Of rows, operations per byte and 10^9 operations per second, in a line of dots for each group. */
static void add_dots(const struct bench *bench, struct drawing *drawing, struct roofs *roofs, struct dots *dots,
                     double range[2])
{
    const size_t count = json_array_size(bench->rows);
    for (size_t i = 0; i < count; ++i)
        if (!describe_dot(json_array_get(bench->rows, i), &dots->dot[i]))
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
            add_roof(roofs, rate_of(row));
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
        struct starfish_line *roof = add_line(&drawing, roofs.name[r]);
        for (int end = 0; end < 2; ++end)
            add_point(&drawing, roof, range[end], 1e-9 * range[end] * roofs.rate[r]);
        if (roof)
            roof->dashed = 1;
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
