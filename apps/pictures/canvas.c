/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The canvas of pictures: cairo's recording surface, replayed onto that of the file. */
#include "apps/pictures/canvas.h"

#include "apps/files/output.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIXELS = 2 }; /* of a PNG per point */

struct tip {
    struct starfish_area area;
    unsigned colour;
    char *text;
};

struct starfish_canvas {
    const char *path;
    cairo_surface_t *recording;
    cairo_t *cairo;
    struct tip *tip;
    size_t tips, room;
};

int starfish_pictures_dark;

const struct starfish_theme *starfish_theme(void)
{
    static const struct starfish_theme themes[] = {{0xffffff, 0x28282e, 0xdcdce0}, {0x16161a, 0xe6e6ea, 0x3c3c44}};
    return &themes[starfish_pictures_dark != 0];
}

unsigned starfish_group_colour(size_t group)
{
    static const unsigned colours[][8] = {
        {0x336699, 0xcc6677, 0xddcc77, 0x117733, 0x88ccee, 0x882255, 0x44aa99, 0xaa4499},
        {0x77aadd, 0xee8866, 0xeedd88, 0x44bb99, 0x99ddff, 0xffaabb, 0xbbcc33, 0xaaaa00}};
    return colours[starfish_pictures_dark != 0][group % 8];
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

/* The recording has bounds, beyond all pictures: without them, cairo 1.16 moves an SVG by uninitialised numbers. */
starfish_status starfish_canvas_create(struct starfish_canvas **canvas, const char *path)
{
    static const cairo_rectangle_t largest = {0, 0, 1 << 20, 1 << 20};
    struct starfish_canvas *made = calloc(1, sizeof *made);
    STARFISH_FAIL_IF(!made, STARFISH_ERROR_MEMORY, "%s: no memory for a picture", path);
    made->path = path;
    made->recording = cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, &largest);
    made->cairo = cairo_create(made->recording);
    *canvas = made;
    return STARFISH_SUCCESS;
}

static void set_colour(cairo_t *cairo, unsigned colour)
{
    cairo_set_source_rgb(cairo, (colour >> 16 & 0xff) / 255.0, (colour >> 8 & 0xff) / 255.0, (colour & 0xff) / 255.0);
}

/* Areas end at pixels, so that all of one has its colour. */
void starfish_canvas_fill(struct starfish_canvas *canvas, struct starfish_area area, unsigned colour)
{
    const double least = 1.0 / PIXELS;
    cairo_set_antialias(canvas->cairo, CAIRO_ANTIALIAS_NONE);
    set_colour(canvas->cairo, colour);
    cairo_rectangle(canvas->cairo, area.x, area.y, fmax(area.width, least), fmax(area.height, least));
    cairo_fill(canvas->cairo);
    cairo_set_antialias(canvas->cairo, CAIRO_ANTIALIAS_DEFAULT);
}

void starfish_canvas_frame(struct starfish_canvas *canvas, struct starfish_area area)
{
    const unsigned ink = starfish_theme()->ink;
    const double right = area.x + area.width, bottom = area.y + area.height;
    starfish_canvas_fill(canvas, (struct starfish_area){area.x - 1, area.y - 1, area.width + 2, 1}, ink);
    starfish_canvas_fill(canvas, (struct starfish_area){area.x - 1, bottom, area.width + 2, 1}, ink);
    starfish_canvas_fill(canvas, (struct starfish_area){area.x - 1, area.y - 1, 1, area.height + 2}, ink);
    starfish_canvas_fill(canvas, (struct starfish_area){right, area.y - 1, 1, area.height + 2}, ink);
}

void starfish_canvas_curve(struct starfish_canvas *canvas, const double (*point)[2], size_t count, double width,
                           unsigned colour, int dashed)
{
    static const double dashes[] = {6, 4};
    set_colour(canvas->cairo, colour);
    cairo_set_line_width(canvas->cairo, width);
    cairo_set_line_join(canvas->cairo, CAIRO_LINE_JOIN_ROUND);
    cairo_set_dash(canvas->cairo, dashes, dashed ? 2 : 0, 0);
    for (size_t i = 0; i < count; ++i)
        cairo_line_to(canvas->cairo, point[i][0], point[i][1]);
    cairo_stroke(canvas->cairo);
}

void starfish_canvas_dot(struct starfish_canvas *canvas, double x, double y, double radius, unsigned colour)
{
    set_colour(canvas->cairo, colour);
    cairo_arc(canvas->cairo, x, y, radius, 0, 2 * acos(-1));
    cairo_fill(canvas->cairo);
}

void starfish_canvas_pixels(struct starfish_canvas *canvas, struct starfish_area area, const size_t n[2],
                            const unsigned char *rgb)
{
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)n[0], (int)n[1]);
    unsigned char *row = cairo_image_surface_get_data(image);
    for (size_t y = 0; row && y < n[1]; ++y, row += cairo_image_surface_get_stride(image))
        for (size_t x = 0; x < n[0]; ++x, rgb += 3)
            ((unsigned *)(void *)row)[x] = (unsigned)rgb[0] << 16 | (unsigned)rgb[1] << 8 | rgb[2];
    cairo_surface_mark_dirty(image);
    cairo_save(canvas->cairo);
    cairo_translate(canvas->cairo, area.x, area.y);
    cairo_scale(canvas->cairo, area.width / (double)n[0], area.height / (double)n[1]);
    cairo_set_source_surface(canvas->cairo, image, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(canvas->cairo), CAIRO_FILTER_NEAREST);
    cairo_paint(canvas->cairo);
    cairo_restore(canvas->cairo);
    cairo_surface_destroy(image);
}

void starfish_canvas_tip(struct starfish_canvas *canvas, struct starfish_area area, unsigned colour, const char *text)
{
    if (canvas->tips == canvas->room) {
        const size_t room = canvas->room ? 2 * canvas->room : 64;
        struct tip *tip = realloc(canvas->tip, room * sizeof *tip);
        if (!tip)
            return; /* a picture without a help under the pointer is one still */
        canvas->tip = tip;
        canvas->room = room;
    }
    struct tip *tip = &canvas->tip[canvas->tips];
    *tip = (struct tip){area, colour, strdup(text)};
    if (tip->text)
        canvas->tips++;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* Bytes of the character at `text`, 0 where there is none (RFC 3629, but for the rarest). */
static int character(const unsigned char *text)
{
    const int bytes = text[0] < 0x80                      ? 1
                      : text[0] >= 0xc2 && text[0] < 0xe0 ? 2
                      : text[0] >= 0xe1 && text[0] < 0xed ? 3
                                                          : 0;
    for (int i = 1; i < bytes; ++i)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return bytes;
}

/* The raised digit that "^3" stands for in plain text; NULL where the text is something else. */
static const char *raised(const char *text)
{
    static const char *const digits[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                         "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    const int is_one = text[0] == '^' && text[1] >= '0' && text[1] <= '9' && !(text[2] >= '0' && text[2] <= '9');
    return is_one ? digits[text[1] - '0'] : NULL;
}

/* Cairo stops at text that is not UTF-8, and at control characters it shows boxes. */
static void clean(const char *text, char *cleaned, size_t size)
{
    size_t length = 0;
    while (*text && length + 4 < size) {
        const char *digit = raised(text);
        if (digit) {
            length += (size_t)snprintf(cleaned + length, size - length, "%s", digit);
            text += 2;
            continue;
        }
        const int bytes = character((const unsigned char *)text);
        const int good = bytes > 0 && (unsigned char)*text >= ' ';
        for (int i = 0; i < (good ? bytes : 1); ++i)
            cleaned[length++] = good ? text[i] : '?';
        text += good ? bytes : 1;
    }
    cleaned[length] = '\0';
}

/* Where it has no configuration or no folder for its cache, Fontconfig complains when it is first used, and does with
 * what it has. */
static void load_fonts(void)
{
    static int are_loaded;
    if (are_loaded)
        return;
    are_loaded = 1;
    const int kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (kept >= 0 && nowhere >= 0)
        dup2(nowhere, STDERR_FILENO);
    starfish_text_width(STARFISH_TEXT, "0");
    if (kept >= 0 && nowhere >= 0)
        dup2(kept, STDERR_FILENO);
    close(kept);
    close(nowhere);
}

static void set_font(cairo_t *cairo, int size)
{
    load_fonts();
    cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           size >= STARFISH_TITLE ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, size);
}

static void show(cairo_t *cairo, double x, double y, enum starfish_anchor anchor, int size, const char *text)
{
    static const double left_of[] = {[STARFISH_LEFT] = 0, [STARFISH_CENTRE] = 0.5, [STARFISH_RIGHT] = 1};
    cairo_text_extents_t extents;
    char cleaned[1024];
    clean(text, cleaned, sizeof cleaned);
    set_font(cairo, size);
    set_colour(cairo, starfish_theme()->ink);
    cairo_text_extents(cairo, cleaned, &extents);
    cairo_move_to(cairo, x - left_of[anchor] * extents.x_advance, y + 0.36 * size);
    cairo_show_text(cairo, cleaned);
    cairo_new_path(cairo);
}

void starfish_canvas_text(struct starfish_canvas *canvas, double x, double y, enum starfish_anchor anchor, int size,
                          const char *text)
{
    show(canvas->cairo, x, y, anchor, size, text);
}

void starfish_canvas_text_up(struct starfish_canvas *canvas, double x, double y, int size, const char *text)
{
    cairo_save(canvas->cairo);
    cairo_translate(canvas->cairo, x, y);
    cairo_rotate(canvas->cairo, -acos(0));
    show(canvas->cairo, 0, 0, STARFISH_CENTRE, size, text);
    cairo_restore(canvas->cairo);
}

double starfish_text_width(int size, const char *text)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    cairo_t *cairo = cairo_create(surface);
    cairo_text_extents_t extents;
    char cleaned[1024];
    clean(text, cleaned, sizeof cleaned);
    set_font(cairo, size);
    cairo_text_extents(cairo, cleaned, &extents);
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
    return extents.x_advance;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

starfish_status starfish_canvas_check(const char *path)
{
    STARFISH_FAIL_IF(!starfish_path_ends(path, ".png") && !starfish_path_ends(path, ".svg") &&
                         !starfish_path_ends(path, ".pdf"),
                     STARFISH_ERROR_ARGUMENT, "%s: a picture's name ends in .png, .svg or .pdf", path);
    return starfish_output_check(path);
}

/* What cairo has written, in memory, since tips go between the last lines of an SVG file. */
struct bytes {
    char *data;
    size_t count, room;
};

static cairo_status_t append(void *closure, const unsigned char *data, unsigned length)
{
    struct bytes *bytes = closure;
    if (bytes->count + length > bytes->room) {
        const size_t room = 2 * (bytes->count + length);
        char *larger = realloc(bytes->data, room);
        if (!larger)
            return CAIRO_STATUS_NO_MEMORY;
        bytes->data = larger;
        bytes->room = room;
    }
    memcpy(bytes->data + bytes->count, data, length);
    bytes->count += length;
    return CAIRO_STATUS_SUCCESS;
}

static void escape(FILE *stream, const char *text)
{
    for (; *text; ++text)
        if (*text == '<')
            fputs("&lt;", stream);
        else if (*text == '&')
            fputs("&amp;", stream);
        else
            putc(*text, stream);
}

/* Areas that cannot be seen, above those that can. */
static void write_tips(FILE *stream, const struct starfish_canvas *canvas)
{
    for (size_t i = 0; i < canvas->tips; ++i) {
        const struct tip *tip = &canvas->tip[i];
        char cleaned[1024];
        clean(tip->text, cleaned, sizeof cleaned);
        fprintf(stream,
                "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"#%06x\" fill-opacity=\"0\"><title>",
                tip->area.x, tip->area.y, tip->area.width, tip->area.height, tip->colour);
        escape(stream, cleaned);
        fputs("</title></rect>\n", stream);
    }
}

static void write_bytes(FILE *stream, const struct starfish_canvas *canvas, const struct bytes *bytes)
{
    static const char end[] = "</svg>";
    const size_t length = sizeof end - 1;
    size_t at = bytes->count;
    while (starfish_path_ends(canvas->path, ".svg") && at >= length &&
           memcmp(bytes->data + at - length, end, length) != 0)
        --at;
    if (at < length || !starfish_path_ends(canvas->path, ".svg")) {
        fwrite(bytes->data, 1, bytes->count, stream);
        return;
    }
    fwrite(bytes->data, 1, at - length, stream);
    write_tips(stream, canvas);
    fprintf(stream, "%s\n", end);
}

static cairo_surface_t *surface_of(const char *path, double width, double height, struct bytes *bytes)
{
    if (starfish_path_ends(path, ".svg"))
        return cairo_svg_surface_create_for_stream(append, bytes, width, height);
    if (starfish_path_ends(path, ".pdf"))
        return cairo_pdf_surface_create_for_stream(append, bytes, width, height);
    cairo_surface_t *image =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(PIXELS * width), (int)ceil(PIXELS * height));
    cairo_surface_set_device_scale(image, PIXELS, PIXELS);
    return image;
}

/* The recording on paper, as the bytes of the file. */
static cairo_status_t play(const struct starfish_canvas *canvas, double width, double height, struct bytes *bytes)
{
    cairo_surface_t *surface = surface_of(canvas->path, width, height, bytes);
    cairo_t *cairo = cairo_create(surface);
    set_colour(cairo, starfish_theme()->paper);
    cairo_paint(cairo);
    cairo_set_source_surface(cairo, canvas->recording, 0, 0);
    cairo_paint(cairo);
    cairo_status_t status = cairo_status(canvas->cairo);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_status(cairo);
    cairo_destroy(cairo);
    if (status == CAIRO_STATUS_SUCCESS && cairo_surface_get_type(surface) == CAIRO_SURFACE_TYPE_IMAGE)
        status = cairo_surface_write_to_png_stream(surface, append, bytes);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    return status;
}

void starfish_canvas_discard(struct starfish_canvas *canvas)
{
    cairo_destroy(canvas->cairo);
    cairo_surface_destroy(canvas->recording);
    for (size_t i = 0; i < canvas->tips; ++i)
        free(canvas->tip[i].text);
    free(canvas->tip);
    free(canvas);
}

starfish_status starfish_canvas_finish(struct starfish_canvas *canvas, double width, double height)
{
    struct bytes bytes = {NULL, 0, 0};
    struct starfish_output output;
    const cairo_status_t drawn = play(canvas, ceil(width), ceil(height), &bytes);
    starfish_status status = STARFISH_SUCCESS;
    if (drawn != CAIRO_STATUS_SUCCESS)
        status = starfish_fail(STARFISH_ERROR_MEMORY, "%s: the picture cannot be drawn: %s", canvas->path,
                               cairo_status_to_string(drawn));
    STARFISH_THEN(status, starfish_output_open(&output, canvas->path));
    if (status == STARFISH_SUCCESS) {
        write_bytes(output.stream, canvas, &bytes);
        status = starfish_output_finish(&output, STARFISH_SUCCESS);
    }
    free(bytes.data);
    starfish_canvas_discard(canvas);
    return status;
}
