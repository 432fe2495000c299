/* What pictures are drawn on. */
#include "apps/pictures/canvas.h"

#include "apps/files/output.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

enum { SCALE = STARFISH_TEXT_SCALE };

const unsigned char starfish_ink[3] = {40, 40, 46};

starfish_status starfish_canvas_create(struct starfish_canvas *canvas, const char *path, int width, int height)
{
    size_t bytes = 3 * (size_t)width * (size_t)height;
    *canvas = (struct starfish_canvas){width, height, malloc(bytes)};
    if (!canvas->rgb)
        return starfish_fail(STARFISH_ERROR_MEMORY, "%s: no memory for a picture", path);
    memset(canvas->rgb, 255, bytes);
    return STARFISH_SUCCESS;
}

void starfish_canvas_free(struct starfish_canvas *canvas)
{
    free(canvas->rgb);
    canvas->rgb = NULL;
}

void starfish_canvas_pixel(struct starfish_canvas *canvas, int x, int y, const unsigned char colour[3])
{
    if (x >= 0 && y >= 0 && x < canvas->width && y < canvas->height)
        memcpy(canvas->rgb + 3 * ((size_t)y * (size_t)canvas->width + (size_t)x), colour, 3);
}

void starfish_canvas_fill(struct starfish_canvas *canvas, struct starfish_area area, const unsigned char colour[3])
{
    for (int y = area.y; y < area.y + area.height; ++y)
        for (int x = area.x; x < area.x + area.width; ++x)
            starfish_canvas_pixel(canvas, x, y, colour);
}

void starfish_canvas_frame(struct starfish_canvas *canvas, struct starfish_area area)
{
    const int right = area.x + area.width, bottom = area.y + area.height;
    starfish_canvas_fill(canvas, (struct starfish_area){area.x - 1, area.y - 1, area.width + 2, 1}, starfish_ink);
    starfish_canvas_fill(canvas, (struct starfish_area){area.x - 1, bottom, area.width + 2, 1}, starfish_ink);
    starfish_canvas_fill(canvas, (struct starfish_area){area.x - 1, area.y - 1, 1, area.height + 2}, starfish_ink);
    starfish_canvas_fill(canvas, (struct starfish_area){right, area.y - 1, 1, area.height + 2}, starfish_ink);
}

void starfish_canvas_text(struct starfish_canvas *canvas, int x, int y, const char *text)
{
    for (; *text; ++text, x += STARFISH_TEXT_ADVANCE)
        for (int row = 0; row < STARFISH_FONT_HEIGHT; ++row)
            for (int column = 0; column < STARFISH_FONT_WIDTH; ++column)
                if (starfish_font_pixel(*text, column, row))
                    starfish_canvas_fill(canvas,
                                         (struct starfish_area){x + SCALE * column, y + SCALE * row, SCALE, SCALE},
                                         starfish_ink);
}

int starfish_text_width(const char *text)
{
    return (int)strlen(text) * STARFISH_TEXT_ADVANCE - SCALE;
}

starfish_status starfish_canvas_write(const struct starfish_canvas *canvas, const char *path)
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

starfish_status starfish_canvas_check(const char *path)
{
    size_t length = strlen(path);
    if (length < 5 || strcmp(path + length - 4, ".png") != 0)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s: a picture's name ends in .png", path);
    return starfish_output_check(path);
}
