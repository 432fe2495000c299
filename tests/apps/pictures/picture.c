/* apps/files/vtk.h, apps/pictures/image.h and apps/pictures/bars.h: the files say what they should, and colours and
 * lengths follow values. */
#include "tests/apps/files/scratch.h"

#include "apps/files/vtk.h"
#include "apps/pictures/bars.h"
#include "apps/pictures/colour.h"
#include "apps/pictures/font.h"
#include "apps/pictures/image.h"

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
static const struct starfish_vtk_axis uniform[3] = {{2, 0.25, 0.5, NULL}, {1, 0, 1, NULL}, {3, -1, 0.125, NULL}};
static const struct starfish_vtk_axis stretched[3] = {{2, 0.25, 0.5, NULL}, {1, 0, 1, NULL}, {3, 0, 0, z}};

static void vtk_headers_and_data(void **state)
{
    static const struct {
        const char *file;
        const struct starfish_vtk_axis *axis;
        starfish_precision precision;
        const char *expected[6];
        size_t offset; /* of the field in the appended data */
    } cases[] = {
        {"u.vti",
         uniform,
         STARFISH_F64,
         {"type=\"ImageData\"", "header_type=\"UInt64\"", "WholeExtent=\"0 1 0 0 0 2\"", "Origin=\"0.25 0 -1\"",
          "Spacing=\"0.5 1 0.125\"", "Float64"},
         0},
        {"u.vti",
         uniform,
         STARFISH_F32,
         {"type=\"ImageData\"", "Float32", "Name=\"u\"", "offset=\"0\"", "PointData", "raw"},
         0},
        {"u.vtr",
         stretched,
         STARFISH_F32,
         {"type=\"RectilinearGrid\"", "Extent=\"0 1 0 0 0 2\"", "Name=\"z\"", "offset=\"72\"", "Float32", "raw"},
         3 * 8 + (2 + 1 + 3) * 8},
    };
    const size_t shape[] = {3, 1, 2};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        struct starfish_array field;
        char text[4096];
        uint64_t bytes;
        assert_int_equal(starfish_array_create(&field, cases[i].precision, 3, shape), STARFISH_SUCCESS);
        starfish_array_fill(&field, 1.5);
        assert_int_equal(starfish_vtk_write(scratch(cases[i].file), cases[i].axis, "u", &field), STARFISH_SUCCESS);
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
    assert_int_equal(starfish_vtk_check(scratch("u.vti"), stretched), STARFISH_ERROR_ARGUMENT);
    assert_message("z is stretched; name it .vtr");
    assert_int_equal(starfish_vtk_check(scratch("u.vtu"), uniform), STARFISH_ERROR_ARGUMENT);
    assert_message("ends in .vti or .vtr");
    assert_int_equal(starfish_vtk_check(scratch("u.vtr"), uniform), STARFISH_SUCCESS);
    assert_int_equal(starfish_vtk_check("/no/such/folder/u.vtr", uniform), STARFISH_ERROR_FILE);
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
        const struct starfish_slice slice = {{3, 2}, {x, y}, cases[i].values, {"x", "y"}, "title"};
        assert_int_equal(starfish_image_write(scratch("u.png"), &slice), STARFISH_SUCCESS);
        unsigned char *pixels = read_png(scratch("u.png"), &image);
        assert_true(image.width > image.height);
        starfish_colour_table(cases[i].map, table);
        assert_true(shows(pixels, &image, table[0]) && shows(pixels, &image, table[255]));
        free(pixels);
    }
    const struct starfish_slice flat = {{3, 2}, {x, y}, constant, {"x", "y"}, "nothing"};
    assert_int_equal(starfish_image_write(scratch("flat.png"), &flat), STARFISH_SUCCESS);
    const struct starfish_slice point = {{1, 1}, {x, y}, positive, {"x", "y"}, "one unknown"};
    assert_int_equal(starfish_image_write(scratch("point.png"), &point), STARFISH_SUCCESS);
    assert_int_equal(starfish_image_check(scratch("u.jpg")), STARFISH_ERROR_ARGUMENT);
    assert_int_equal(starfish_image_check("/no/such/folder/u.png"), STARFISH_ERROR_FILE);
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

/* Two decades, two groups: a value of one decade less is a bar of half the length. */
static void bars_are_as_long_as_their_logarithms(void **state)
{
    static const struct starfish_bar bars[] = {{"slow", "them", 10, 0, 0, 0}, {"fast", "us", 1, 0.9, 1, 0.1}};
    static const unsigned char first[3] = {51, 102, 153}, second[3] = {204, 102, 119};
    const struct starfish_bars chart = {bars, 2, "seconds", "title"};
    png_image image;
    (void)state;
    assert_int_equal(starfish_bars_write(scratch("bars.png"), &chart), STARFISH_SUCCESS);
    unsigned char *pixels = read_png(scratch("bars.png"), &image);
    const size_t slow = longest_run(pixels, &image, first), fast = longest_run(pixels, &image, second);
    free(pixels);
    assert_true(fast > 100 && slow + 8 > 2 * fast && slow < 2 * fast + 8); /* the mark hides a few pixels */
}

static void bars_that_cannot_be(void **state)
{
    static const struct starfish_bar zero = {"none", "us", 0, 0, 0, 0};
    const struct starfish_bars chart = {&zero, 1, "seconds", "title"};
    (void)state;
    assert_int_equal(starfish_bars_write(scratch("zero.png"), &chart), STARFISH_ERROR_ARGUMENT);
    assert_message("bar 1 has the value 0");
    assert_int_equal(starfish_bars_check(scratch("bars.gif")), STARFISH_ERROR_ARGUMENT);
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

static void font_covers_what_it_should(void **state)
{
    (void)state;
    for (int c = '!'; c <= '~'; ++c) {
        int pixels = 0;
        for (int column = 0; column < STARFISH_FONT_WIDTH; ++column)
            for (int row = 0; row < STARFISH_FONT_HEIGHT; ++row)
                pixels += starfish_font_pixel((char)c, column, row);
        assert_true(pixels > 0);
    }
    assert_int_equal(starfish_font_pixel('\x7f', 2, 0), starfish_font_pixel('?', 2, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vtk_headers_and_data),
        cmocka_unit_test(vtk_names_are_checked),
        cmocka_unit_test(pictures_have_the_shape_and_colours_of_the_data),
        cmocka_unit_test(bars_are_as_long_as_their_logarithms),
        cmocka_unit_test(bars_that_cannot_be),
        cmocka_unit_test(lightness_of_the_sequential_map_rises),
        cmocka_unit_test(font_covers_what_it_should),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
