/* Gantt charts. What is drawn is said once, to a pen: SVG's writes elements, PNG's fills a canvas. */
#include "apps/pictures/gantt.h"

#include "apps/files/output.h"
#include "apps/pictures/canvas.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINE = STARFISH_TEXT_LINE, ADVANCE = STARFISH_TEXT_ADVANCE };
enum {
    PLOT = 1100,
    PITCH = 2 * LINE,
    THICK = LINE + LINE / 2,
    MARGIN = LINE,
    TICK = 6,
    UNDERLINE = 4,
    MOST_NAMES = 24
};

static const unsigned ink = 0x28282e, grid = 0xdcdce0;

/* ---- pens -------------------------------------------------------------------------------------------------------- */

/* Coordinates are pixels from the top left. `text` may be NULL. */
struct pen {
    void (*fill)(struct pen *pen, double x, double y, double width, double height, unsigned colour, const char *text);
    void (*write)(struct pen *pen, int x, int y, const char *text);
    FILE *stream;
    struct starfish_canvas canvas;
};

static void escape(FILE *stream, const char *text)
{
    for (; *text; ++text)
        switch (*text) {
        case '<':
            fputs("&lt;", stream);
            break;
        case '&':
            fputs("&amp;", stream);
            break;
        default:
            putc(*text, stream);
        }
}

static void svg_fill(struct pen *pen, double x, double y, double width, double height, unsigned colour,
                     const char *text)
{
    fprintf(pen->stream, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"#%06x\"", x, y, width,
            height, colour);
    if (!text) {
        fputs("/>\n", pen->stream);
        return;
    }
    fputs("><title>", pen->stream);
    escape(pen->stream, text);
    fputs("</title></rect>\n", pen->stream);
}

static void svg_write(struct pen *pen, int x, int y, const char *text)
{
    /* The canvas's font has its base line at 7 of 8 pixels. */
    fprintf(pen->stream, "<text x=\"%d\" y=\"%d\">", x, y + LINE * 7 / 8);
    escape(pen->stream, text);
    fputs("</text>\n", pen->stream);
}

static void png_fill(struct pen *pen, double x, double y, double width, double height, unsigned colour,
                     const char *text)
{
    const unsigned char rgb[3] = {(unsigned char)(colour >> 16), (unsigned char)(colour >> 8), (unsigned char)colour};
    const int left = (int)floor(x + 0.5), right = (int)floor(x + width + 0.5);
    (void)text;
    starfish_canvas_fill(
        &pen->canvas,
        (struct starfish_area){left, (int)y, right > left ? right - left : 1, height > 1 ? (int)height : 1}, rgb);
}

static void png_write(struct pen *pen, int x, int y, const char *text)
{
    starfish_canvas_text(&pen->canvas, x, y, text);
}

/* ---- layout ------------------------------------------------------------------------------------------------------ */

struct layout {
    struct starfish_area plot;
    int width, height, names, legend_lines;
    const char *name[MOST_NAMES];
    unsigned colour[MOST_NAMES];
    int name_x[MOST_NAMES], name_y[MOST_NAMES];
};

static void add_name(struct layout *layout, const struct starfish_gantt_span *span)
{
    for (int i = 0; i < layout->names; ++i)
        if (strcmp(layout->name[i], span->name) == 0)
            return;
    if (layout->names == MOST_NAMES)
        return;
    layout->name[layout->names] = span->name;
    layout->colour[layout->names++] = span->colour;
}

/* The legend's entries from the left, and on the next line where they do not fit. */
static void place_names(struct layout *layout, int left)
{
    int x = left, line = 0;
    for (int i = 0; i < layout->names; ++i) {
        const int width = LINE + 6 + starfish_text_width(layout->name[i]) + 2 * ADVANCE;
        if (x > left && x + width > left + PLOT) {
            x = left;
            ++line;
        }
        layout->name_x[i] = x;
        layout->name_y[i] = MARGIN + (2 + 2 * line) * LINE;
        x += width;
    }
    layout->legend_lines = line + 1;
}

static struct layout lay_out(const struct starfish_gantt *chart)
{
    struct layout layout = {.names = 0};
    int labels = 0;
    for (size_t r = 0; r < chart->rows; ++r)
        labels = (int)fmax(labels, starfish_text_width(chart->row[r]));
    for (size_t i = 0; i < chart->count; ++i)
        add_name(&layout, &chart->span[i]);
    const int left = MARGIN + labels + ADVANCE;
    place_names(&layout, left);
    layout.plot = (struct starfish_area){left, MARGIN + (3 + 2 * layout.legend_lines) * LINE, PLOT,
                                         (int)chart->rows * PITCH + LINE / 2};
    layout.width = (int)fmax(left + PLOT + 6 * ADVANCE, MARGIN + starfish_text_width(chart->title) + MARGIN);
    layout.height = layout.plot.y + layout.plot.height + TICK + 8 + 4 * LINE;
    return layout;
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

static double x_of(const struct layout *layout, const struct starfish_gantt *chart, double time)
{
    return layout->plot.x + (time - chart->begin) / (chart->end - chart->begin) * layout->plot.width;
}

/* 1, 2 or 5 times a power of ten, so that there are five to twelve ticks. */
static double tick_of(double range)
{
    const double power = pow(10, floor(log10(range / 5)));
    const double steps = range / 5 / power;
    return power * (steps >= 5 ? 5 : steps >= 2 ? 2 : 1);
}

static void draw_axis(struct pen *pen, const struct layout *layout, const struct starfish_gantt *chart)
{
    const struct starfish_area plot = layout->plot;
    const double tick = tick_of(chart->end - chart->begin);
    const int bottom = plot.y + plot.height;
    const int last = (int)floor(chart->end / tick + 1e-9);
    for (int i = (int)ceil(chart->begin / tick - 1e-9); i <= last; ++i) {
        char text[32];
        const double x = x_of(layout, chart, i * tick);
        snprintf(text, sizeof text, "%.6g", i * tick);
        pen->fill(pen, x, plot.y, 1, plot.height + TICK, grid, NULL);
        pen->write(pen, (int)x - starfish_text_width(text) / 2, bottom + TICK + 4, text);
    }
    pen->write(pen, plot.x + (plot.width - starfish_text_width(chart->axis)) / 2, bottom + TICK + 8 + LINE,
               chart->axis);
}

static void draw_frame(struct pen *pen, struct starfish_area plot)
{
    pen->fill(pen, plot.x - 1, plot.y - 1, plot.width + 2, 1, ink, NULL);
    pen->fill(pen, plot.x - 1, plot.y + plot.height, plot.width + 2, 1, ink, NULL);
    pen->fill(pen, plot.x - 1, plot.y - 1, 1, plot.height + 2, ink, NULL);
    pen->fill(pen, plot.x + plot.width, plot.y - 1, 1, plot.height + 2, ink, NULL);
}

static void draw_span(struct pen *pen, const struct layout *layout, const struct starfish_gantt *chart,
                      const struct starfish_gantt_span *span)
{
    const double x = x_of(layout, chart, span->start), width = x_of(layout, chart, span->end) - x;
    const int y = layout->plot.y + LINE / 2 + (int)span->row * PITCH;
    /* A gap between neighbours, where there is room for one. */
    const double shown = width > 3 ? width - 1 : width;
    pen->fill(pen, x, y, shown, THICK - UNDERLINE, span->colour, span->text ? span->text : span->name);
    if (span->marked)
        pen->fill(pen, x, y + THICK - UNDERLINE, shown, UNDERLINE, ink, NULL);
}

static void draw_legend(struct pen *pen, const struct layout *layout, const struct starfish_gantt *chart)
{
    const int y = layout->plot.y + layout->plot.height + TICK + 8 + 2 * LINE + LINE / 2;
    for (int i = 0; i < layout->names; ++i) {
        pen->fill(pen, layout->name_x[i], layout->name_y[i], LINE, LINE - 2, layout->colour[i], NULL);
        pen->write(pen, layout->name_x[i] + LINE + 6, layout->name_y[i], layout->name[i]);
    }
    if (!chart->mark)
        return;
    const int middle = y + (LINE - UNDERLINE) / 2;
    pen->fill(pen, layout->plot.x, middle, 2 * LINE, UNDERLINE, ink, NULL);
    pen->write(pen, layout->plot.x + 2 * LINE + 6, y, chart->mark);
}

static void draw(struct pen *pen, const struct layout *layout, const struct starfish_gantt *chart)
{
    pen->write(pen, MARGIN, MARGIN, chart->title);
    draw_axis(pen, layout, chart);
    draw_legend(pen, layout, chart);
    for (size_t r = 0; r < chart->rows; ++r)
        pen->write(pen, layout->plot.x - ADVANCE - starfish_text_width(chart->row[r]),
                   layout->plot.y + LINE / 2 + (int)r * PITCH, chart->row[r]);
    for (size_t i = 0; i < chart->count; ++i)
        draw_span(pen, layout, chart, &chart->span[i]);
    draw_frame(pen, layout->plot);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

starfish_status starfish_gantt_write_svg(const char *path, const struct starfish_gantt *chart)
{
    const struct layout layout = lay_out(chart);
    struct starfish_output output;
    STARFISH_TRY(starfish_output_open(&output, path));
    struct pen pen = {.fill = svg_fill, .write = svg_write, .stream = output.stream};
    /* Characters as wide as the layout takes them to be. */
    fprintf(output.stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
            "font-family=\"monospace\" font-size=\"%d\" fill=\"#%06x\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
            layout.width, layout.height, layout.width, layout.height, (int)(ADVANCE / 0.602), ink);
    draw(&pen, &layout, chart);
    fputs("</svg>\n", output.stream);
    return starfish_output_finish(&output, STARFISH_SUCCESS);
}

starfish_status starfish_gantt_write_png(const char *path, const struct starfish_gantt *chart)
{
    const struct layout layout = lay_out(chart);
    struct pen pen = {.fill = png_fill, .write = png_write};
    STARFISH_TRY(starfish_canvas_create(&pen.canvas, path, layout.width, layout.height));
    draw(&pen, &layout, chart);
    starfish_status status = starfish_canvas_write(&pen.canvas, path);
    starfish_canvas_free(&pen.canvas);
    return status;
}
