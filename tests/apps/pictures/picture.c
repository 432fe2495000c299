/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* apps/files/vtk.h, apps/pictures/image.h, bars.h, lines.h and canvas.h: the files say what they should, and colours
 * and lengths follow values. */
#include "tests/apps/files/scratch.h"

#include "apps/files/vtk.h"
#include "apps/pictures/bars.h"
#include "apps/pictures/canvas.h"
#include "apps/pictures/colour.h"
#include "apps/pictures/image.h"
#include "apps/pictures/lines.h"

#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t read_all(const char *path, char *text, size_t size)
{
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    size_t length = fread(text, 1, size - 1, stream);
    fclose(stream);
    text[length] = '\0';
    return length;
}

static const double z[] = {0.0, 0.1, 0.4};
static const struct starfish_vtk_grid uniform = {.axis = {{2, 0.25, 0.5, NULL}, {1, 0, 1, NULL}, {3, -1, 0.125, NULL}}};
static const struct starfish_vtk_grid stretched = {.axis = {{2, 0.25, 0.5, NULL}, {1, 0, 1, NULL}, {3, 0, 0, z}}};

static const struct starfish_vtk_round round_disc = {"polar2d", 0, 1, 2};
static const struct starfish_vtk_grid disc = {{{2, 0, 0.5, NULL}, {1, 1, 1, NULL}, {3, 0, 1, NULL}}, &round_disc};

static void vtk_headers_and_data(void **state)
{
    static const struct {
        const char *file;
        const struct starfish_vtk_grid *grid;
        starfish_precision precision;
        const char *expected[6];
        size_t offset; /* of the field in the appended data */
    } cases[] = {
        {"u.vti",
         &uniform,
         STARFISH_F64,
         {"type=\"ImageData\"", "header_type=\"UInt64\"", "WholeExtent=\"0 1 0 0 0 2\"", "Origin=\"0.25 0 -1\"",
          "Spacing=\"0.5 1 0.125\"", "Float64"},
         0},
        {"u.vti",
         &uniform,
         STARFISH_F32,
         {"type=\"ImageData\"", "Float32", "Name=\"u\"", "offset=\"0\"", "PointData", "raw"},
         0},
        {"u.vtr",
         &stretched,
         STARFISH_F32,
         {"type=\"RectilinearGrid\"", "Extent=\"0 1 0 0 0 2\"", "Name=\"z\"", "offset=\"72\"", "Float32", "raw"},
         3 * 8 + (2 + 1 + 3) * 8},
        {"u.vts",
         &disc,
         STARFISH_F64,
         {"type=\"StructuredGrid\"", "Extent=\"0 1 0 0 0 2\"", "Name=\"Points\"", "NumberOfComponents=\"3\"",
          "offset=\"152\"", "raw"},
         8 + 3 * 6 * 8},
    };
    const size_t shape[] = {3, 1, 2};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        struct starfish_array field;
        char text[4096];
        uint64_t bytes;
        assert_int_equal(starfish_array_create(&field, cases[i].precision, 3, shape), STARFISH_SUCCESS);
        starfish_array_fill(&field, 1.5);
        assert_int_equal(starfish_vtk_write(scratch(cases[i].file), cases[i].grid, "u", &field), STARFISH_SUCCESS);
        size_t size = cases[i].precision == STARFISH_F32 ? 4 : 8;
        size_t length = read_all(scratch(cases[i].file), text, sizeof text);
        for (size_t e = 0; e < 6; ++e)
            assert_non_null(strstr(text, cases[i].expected[e]));
        const char *appended = strstr(text, "\n_") + 2 + cases[i].offset;
        memcpy(&bytes, appended, sizeof bytes);
        assert_int_equal(bytes, 6 * size);
        assert_memory_equal(appended + 8, field.data, 6 * size);
        assert_memory_equal(text + length - 11, "</VTKFile>\n", 11);
        starfish_array_free(&field);
    }
}

static void vtk_names_are_checked(void **state)
{
    (void)state;
    assert_int_equal(starfish_vtk_check(scratch("u.vti"), &stretched), STARFISH_ERROR_ARGUMENT);
    assert_message("z is stretched; name it .vtr");
    assert_int_equal(starfish_vtk_check(scratch("u.vtu"), &uniform), STARFISH_ERROR_ARGUMENT);
    assert_message("ends in .vti or .vtr");
    assert_int_equal(starfish_vtk_check(scratch("u.vtr"), &uniform), STARFISH_SUCCESS);
    assert_int_equal(starfish_vtk_check(scratch("u.vtr"), &disc), STARFISH_ERROR_ARGUMENT);
    assert_message("u.vtr: a VTK file (--vtk) of kind polar2d ends in .vts");
    assert_int_equal(starfish_vtk_check(scratch("u.vts"), &disc), STARFISH_SUCCESS);
    assert_int_equal(starfish_vtk_check(scratch("u.vts"), &uniform), STARFISH_ERROR_ARGUMENT);
    assert_int_equal(starfish_vtk_check("/no/such/folder/u.vtr", &uniform), STARFISH_ERROR_FILE);
}

/* A picture back as pixels; the caller frees them. */
static unsigned char *read_png(const char *path, png_image *image)
{
    *image = (png_image){.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(image, path));
    image->format = PNG_FORMAT_RGB;
    unsigned char *pixels = malloc(PNG_IMAGE_SIZE(*image));
    assert_non_null(pixels);
    assert_true(png_image_finish_read(image, NULL, pixels, 0, NULL));
    return pixels;
}

/* Has the picture a pixel of that colour? */
static int shows(const unsigned char *pixels, const png_image *image, const unsigned char colour[3])
{
    for (size_t i = 0; i < (size_t)image->width * image->height; ++i)
        if (memcmp(pixels + 3 * i, colour, 3) == 0)
            return 1;
    return 0;
}

static void pictures_have_the_shape_and_colours_of_the_data(void **state)
{
    static const double x[] = {0.0, 1.0, 2.0}, y[] = {0.0, 1.0};
    static const double positive[] = {0, 1, 2, 3, 4, 5}, mixed[] = {-1, 0, 1, 1, 0, -1}, constant[6];
    static const struct {
        const double *values;
        starfish_colour_map map;
    } cases[] = {{positive, STARFISH_SEQUENTIAL}, {mixed, STARFISH_DIVERGING}};
    unsigned char table[STARFISH_COLOURS][3];
    png_image image;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const struct starfish_slice slice = {{3, 2}, {x, y}, cases[i].values, {"x", "y"}, "title", NULL};
        assert_int_equal(starfish_image_write(scratch("u.png"), &slice), STARFISH_SUCCESS);
        unsigned char *pixels = read_png(scratch("u.png"), &image);
        assert_true(image.width > image.height);
        starfish_colour_table(cases[i].map, table);
        assert_true(shows(pixels, &image, table[0]) && shows(pixels, &image, table[255]));
        free(pixels);
    }
    const struct starfish_slice flat = {{3, 2}, {x, y}, constant, {"x", "y"}, "nothing", NULL};
    assert_int_equal(starfish_image_write(scratch("flat.png"), &flat), STARFISH_SUCCESS);
    const struct starfish_slice point = {{1, 1}, {x, y}, positive, {"x", "y"}, "one unknown", NULL};
    assert_int_equal(starfish_image_write(scratch("point.png"), &point), STARFISH_SUCCESS);
    assert_int_equal(starfish_canvas_check(scratch("u.jpg")), STARFISH_ERROR_ARGUMENT);
    assert_int_equal(starfish_canvas_check("/no/such/folder/u.png"), STARFISH_ERROR_FILE);
}

/* A ring of values 2 around a hole: the hole has the colour of paper, and the rest that of the value. */
static void what_has_no_value_is_blank(void **state)
{
    enum { N = 9 };
    double position[N], values[N * N];
    unsigned char table[STARFISH_COLOURS][3];
    png_image image;
    size_t paper = 0, least = 0;
    (void)state;
    for (size_t i = 0; i < N; ++i)
        position[i] = (double)i;
    for (size_t i = 0; i < N * N; ++i) {
        const size_t x = i % N, y = i / N;
        values[i] = x >= 3 && x < 6 && y >= 3 && y < 6 ? (double)NAN : 1 + (double)(x == 0);
    }
    const struct starfish_slice slice = {{N, N}, {position, position}, values, {"x", "y"}, "a hole", NULL};
    starfish_colour_table(STARFISH_SEQUENTIAL, table);
    for (int dark = 0; dark < 2; ++dark) {
        starfish_pictures_dark = dark;
        assert_int_equal(starfish_image_write(scratch("hole.png"), &slice), STARFISH_SUCCESS);
        unsigned char *pixels = read_png(scratch("hole.png"), &image);
        const unsigned char *line =
            NULL; /* the first line of the plot's left column with the largest value, once more */
        for (size_t i = 0; i < (size_t)image.width * image.height && !line; ++i)
            if (memcmp(pixels + 3 * i, table[255], 3) == 0)
                line = pixels + 3 * i;
        assert_non_null(line);
        /* 960 x 960 pixels: the hole is a third of them each way. */
        for (size_t y = 0; y < 960; ++y)
            for (size_t x = 0; x < 960; ++x) {
                const unsigned char *pixel = line + 3 * (x + image.width * y);
                const unsigned colour = (unsigned)pixel[0] << 16 | (unsigned)pixel[1] << 8 | pixel[2];
                const int inside = x > 322 && x < 637 && y > 322 && y < 637;
                paper += inside && colour == starfish_theme()->paper;
                least += inside && memcmp(pixel, table[0], 3) == 0;
            }
        free(pixels);
    }
    starfish_pictures_dark = 0;
    assert_int_equal(least, 0);
    assert_int_equal(paper, 2 * 314 * 314);
}

/* The longest run of one colour in any line of the picture. */
static size_t longest_run(const unsigned char *pixels, const png_image *image, const unsigned char colour[3])
{
    size_t longest = 0, run = 0;
    for (size_t i = 0; i < (size_t)image->width * image->height; ++i) {
        run = i % image->width && memcmp(pixels + 3 * i, colour, 3) == 0 ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

/* A value of a quarter is a bar of a quarter of the length. */
static void bars_are_as_long_as_their_values(void **state)
{
    static const struct starfish_bar bars[] = {{"slow", "them", 10, 0, 0, 0}, {"fast", "us", 2.5, 2.4, 2.5, 1}};
    static const unsigned char first[3] = {51, 102, 153}, second[3] = {204, 102, 119};
    const struct starfish_bars chart = {bars, 2, "seconds", "title", NULL, "limit", "spread"};
    png_image image;
    (void)state;
    assert_int_equal(starfish_bars_write(scratch("bars.png"), &chart), STARFISH_SUCCESS);
    unsigned char *pixels = read_png(scratch("bars.png"), &image);
    const size_t slow = longest_run(pixels, &image, first), fast = longest_run(pixels, &image, second);
    free(pixels);
    assert_true(fast > 50 && slow > 6 * fast && slow < 8 * fast); /* the mark cuts the bar of 2.5 at 1: 1.5 remain */
}

/* A whisker that is a hundred times as long as the bars leaves these at least half the width that they have without. */
static void whiskers_leave_room_for_bars(void **state)
{
    static const unsigned char colour[3] = {51, 102, 153};
    size_t length[2];
    (void)state;
    for (int whisker = 0; whisker < 2; ++whisker) {
        const struct starfish_bar bar = {"one", "us", 2, whisker ? 1.9 : 0, whisker ? 200 : 0, 0};
        const struct starfish_bars chart = {&bar, 1, "seconds", "title", NULL, NULL, "spread"};
        png_image image;
        assert_int_equal(starfish_bars_write(scratch("bars.png"), &chart), STARFISH_SUCCESS);
        unsigned char *pixels = read_png(scratch("bars.png"), &image);
        length[whisker] = longest_run(pixels, &image, colour);
        free(pixels);
    }
    assert_true(length[1] > 50 && 2 * length[1] >= length[0]);
}

static void bars_that_cannot_be(void **state)
{
    static const struct starfish_bar zero = {"none", "us", 0, 0, 0, 0};
    const struct starfish_bars chart = {&zero, 1, "seconds", "title", NULL, NULL, NULL};
    (void)state;
    assert_int_equal(starfish_bars_write(scratch("zero.png"), &chart), STARFISH_ERROR_ARGUMENT);
    assert_message("bar 1 has the value 0");
    assert_int_equal(starfish_canvas_check(scratch("bars.gif")), STARFISH_ERROR_ARGUMENT);
}

static void one_drawing_is_a_file_of_each_kind(void **state)
{
    static const struct {
        const char *name, *begins;
    } kinds[] = {{"b.png", "\x89PNG"}, {"b.svg", "<?xml"}, {"b.pdf", "%PDF"}};
    static const struct starfish_bar bar = {"one", "us", 2, 0, 0, 0};
    const struct starfish_bars chart = {&bar, 1, NULL, "title", "subtitle", NULL, NULL};
    static char text[1 << 20];
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        assert_int_equal(starfish_canvas_check(scratch(kinds[i].name)), STARFISH_SUCCESS);
        assert_int_equal(starfish_bars_write(scratch(kinds[i].name), &chart), STARFISH_SUCCESS);
        assert_true(read_all(scratch(kinds[i].name), text, sizeof text) > 500);
        assert_memory_equal(text, kinds[i].begins, strlen(kinds[i].begins));
    }
    assert_int_equal(starfish_bars_write("/no/such/folder/b.svg", &chart), STARFISH_ERROR_FILE);
}

/* Rows of the picture in which a colour is, the first and the last. */
static void rows_of(const unsigned char *pixels, const png_image *image, const unsigned char colour[3], size_t row[2])
{
    row[0] = row[1] = image->height;
    for (size_t i = 0; i < (size_t)image->width * image->height; ++i)
        if (memcmp(pixels + 3 * i, colour, 3) == 0) {
            row[1] = i / image->width;
            row[0] = row[0] < row[1] ? row[0] : row[1];
        }
}

static void lines_are_where_their_values_are(void **state)
{
    static const double x[] = {1, 2, 4}, up[] = {1, 2, 4}, low[] = {1, 1, 1}, bad[] = {1, -1, 1};
    static const unsigned char second[3] = {204, 102, 119};
    static const char *const label[] = {"first", "second", "third"};
    struct starfish_line line[] = {
        {"up", 3, x, up, 0, 0, label}, {"low", 3, x, low, 0, 0, NULL}, {"ideal", 3, x, up, 1, 0, NULL}};
    const struct starfish_lines chart = {line, 3, {"cores", "speedup"}, {0, 0}, "scaling", NULL};
    const struct starfish_lines logarithms = {line, 3, {"cores", "speedup"}, {1, 1}, "scaling", "of something"};
    png_image image;
    size_t row[2];
    (void)state;
    assert_int_equal(starfish_lines_write(scratch("l.png"), &logarithms), STARFISH_SUCCESS);
    assert_int_equal(starfish_lines_write(scratch("l.png"), &chart), STARFISH_SUCCESS);
    unsigned char *pixels = read_png(scratch("l.png"), &image);
    rows_of(pixels, &image, second, row);
    free(pixels);
    assert_true(row[0] < image.height / 4 && row[1] > image.height / 2); /* in the legend, and near the bottom */
    line[1].y = bad;
    assert_int_equal(starfish_lines_write(scratch("l.png"), &chart), STARFISH_ERROR_ARGUMENT);
    assert_message("curve 'low' has the value -1");
    assert_int_equal(starfish_canvas_check(scratch("l.txt")), STARFISH_ERROR_ARGUMENT);
}

static void pictures_can_be_dark(void **state)
{
    static const struct starfish_bar bar = {"one", "us", 2, 0, 0, 0};
    const struct starfish_bars chart = {&bar, 1, NULL, "title", NULL, NULL, NULL};
    (void)state;
    for (int dark = 0; dark <= 1; ++dark) {
        png_image image;
        starfish_pictures_dark = dark;
        assert_int_equal(starfish_bars_write(scratch("d.png"), &chart), STARFISH_SUCCESS);
        unsigned char *pixels = read_png(scratch("d.png"), &image);
        assert_int_equal(pixels[0] > 128, !dark);
        free(pixels);
    }
    starfish_pictures_dark = 0;
}

/* Control characters and bytes that are not UTF-8, such as names of files may have. */
static void any_text_can_be_shown(void **state)
{
    static const struct starfish_bar bar = {"a\tb\xff\xc3", "\xc3\xa9t\xc3\xa9", 2, 0, 0, 0};
    const struct starfish_bars chart = {&bar, 1, NULL, "\x80<&>", "", NULL, NULL};
    (void)state;
    assert_int_equal(starfish_bars_write(scratch("t.svg"), &chart), STARFISH_SUCCESS);
}

static void lightness_of_the_sequential_map_rises(void **state)
{
    unsigned char table[STARFISH_COLOURS][3];
    (void)state;
    starfish_colour_table(STARFISH_SEQUENTIAL, table);
    for (int i = 8; i < STARFISH_COLOURS; ++i) { /* Rec. 709 weights; one step may round away, eight may not */
        double here = 0.2126 * table[i][0] + 0.7152 * table[i][1] + 0.0722 * table[i][2];
        double before = 0.2126 * table[i - 8][0] + 0.7152 * table[i - 8][1] + 0.0722 * table[i - 8][2];
        assert_true(here > before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vtk_headers_and_data),
        cmocka_unit_test(vtk_names_are_checked),
        cmocka_unit_test(pictures_have_the_shape_and_colours_of_the_data),
        cmocka_unit_test(what_has_no_value_is_blank),
        cmocka_unit_test(bars_are_as_long_as_their_values),
        cmocka_unit_test(whiskers_leave_room_for_bars),
        cmocka_unit_test(bars_that_cannot_be),
        cmocka_unit_test(lightness_of_the_sequential_map_rises),
        cmocka_unit_test(one_drawing_is_a_file_of_each_kind),
        cmocka_unit_test(lines_are_where_their_values_are),
        cmocka_unit_test(pictures_can_be_dark),
        cmocka_unit_test(any_text_can_be_shown),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
