/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* apps/pictures/gantt.h: areas of colour follow times, both files say the same, names are escaped. */
#include "tests/apps/files/scratch.h"

#include "apps/pictures/gantt.h"
#include "tests/common/check.h"

#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG = 0x4477aa, SHORT = 0xcc6677, COPY = 0x228833 };

static const struct starfish_gantt_span spans[] = {
    {0, 0, 0, 30, LONG, 1, "long", "a<b & c"},
    {0, 0, 60, 70, SHORT, 0, "short", NULL},
    {1, 0, 10, 30, COPY, 0, "copy", "twenty"},
    {1, 0, 70, 100, LONG, 0, "long", NULL},
};
static const char *const rows[] = {"cpu 0", "gpu 1"};
static const struct starfish_gantt chart = {
    "a title", "a subtitle", "milliseconds", "marked", rows, 2, sizeof spans / sizeof spans[0], spans, 0, 100};

/* Pixels of a colour in each line of the picture, added up below the legend. */
static long pixels_of(const char *path, unsigned colour, int *height)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, path));
    image.format = PNG_FORMAT_RGB;
    unsigned char *rgb = malloc(PNG_IMAGE_SIZE(image));
    assert_non_null(rgb);
    assert_true(png_image_finish_read(&image, NULL, rgb, 0, NULL));
    long count = 0;
    for (png_uint_32 y = 180; y < image.height; ++y)
        for (png_uint_32 x = 0; x < image.width; ++x) {
            const unsigned char *p = rgb + 3 * ((size_t)y * image.width + x);
            count += ((unsigned)p[0] << 16 | (unsigned)p[1] << 8 | p[2]) == colour;
        }
    *height = (int)image.height;
    free(rgb);
    return count;
}

static void areas_follow_times(void **state)
{
    (void)state;
    const char *path = scratch("g.png");
    int height;
    ASSERT_OK(starfish_gantt_write(path, &chart));
    const double lengthy = (double)pixels_of(path, LONG, &height), brief = (double)pixels_of(path, SHORT, &height),
                 copy = (double)pixels_of(path, COPY, &height);
    assert_true(brief > 0 && height > 100);
    assert_true(fabs(lengthy / brief - 6) < 0.1); /* 30 + 30 to 10 */
    assert_true(fabs(copy / brief - 2) < 0.05);
    assert_int_equal(pixels_of(path, 0xabcdef, &height), 0);
}

static const char *read_svg(void)
{
    static char text[1 << 20];
    FILE *stream = fopen(scratch("g.svg"), "r");
    assert_non_null(stream);
    text[fread(text, 1, sizeof text - 1, stream)] = '\0';
    fclose(stream);
    return text;
}

/* The width of the rectangle that has this title. */
static double width_of(const char *svg, const char *title)
{
    double x, y, width, height;
    unsigned colour;
    const char *at = strstr(svg, title);
    assert_non_null(at);
    while (strncmp(at, "<rect", 5) != 0)
        --at;
    assert_int_equal(sscanf(at, "<rect x=\"%lf\" y=\"%lf\" width=\"%lf\" height=\"%lf\" fill=\"#%6x\"", &x, &y, &width,
                            &height, &colour),
                     5);
    return width;
}

static void svg_says_the_same(void **state)
{
    (void)state;
    ASSERT_OK(starfish_gantt_write(scratch("g.svg"), &chart));
    const char *svg = read_svg();
    assert_non_null(strstr(svg, "<title>a&lt;b &amp; c</title>"));
    assert_null(strstr(svg, "a<b"));
    assert_non_null(strstr(svg, "</svg>"));
    assert_true(fabs(width_of(svg, "<title>twenty") / width_of(svg, "<title>short") - 2) < 0.1);
}

/* Two copies at a time are in lanes, one above the other: less of one's colour than where each is alone. */
static void overlapping_spans_lie_in_lanes(void **state)
{
    static const struct starfish_gantt_span both[] = {{1, 0, 0, 60, COPY, 0, "copy", NULL},
                                                      {1, 1, 30, 90, SHORT, 0, "copy", NULL}};
    struct starfish_gantt lanes = chart;
    const char *path = scratch("lanes.png");
    int height;
    (void)state;
    lanes.span = both;
    lanes.count = 2;
    ASSERT_OK(starfish_gantt_write(path, &lanes));
    const double first = (double)pixels_of(path, COPY, &height), second = (double)pixels_of(path, SHORT, &height);
    assert_true(first > 0 && fabs(first / second - 1) < 0.05);
}

/* Operations of one colour have one entry in the legend, which then takes fewer lines than one for each. */
static void operations_of_a_colour_share_an_entry(void **state)
{
    enum { NAMES = 12 };
    static const char *const names[NAMES] = {"operation 0", "operation 1", "operation 2",  "operation 3",
                                             "operation 4", "operation 5", "operation 6",  "operation 7",
                                             "operation 8", "operation 9", "operation 10", "operation 11"};
    struct starfish_gantt_span many[NAMES];
    int height[2];
    (void)state;
    for (unsigned colours = 0; colours < 2; ++colours) {
        struct starfish_gantt other = chart;
        other.span = many;
        other.count = NAMES;
        for (unsigned i = 0; i < NAMES; ++i)
            many[i] = (struct starfish_gantt_span){0, 0, i, i + 1, LONG + colours * (i % 6), 0, names[i], NULL};
        ASSERT_OK(starfish_gantt_write(scratch("legend.png"), &other));
        assert_true(pixels_of(scratch("legend.png"), LONG, &height[colours]) > 0);
    }
    assert_true(height[0] < height[1]);
}

static void what_cannot_be_written_is_refused(void **state)
{
    (void)state;
    ASSERT_FAILS(starfish_gantt_write(scratch("no/folder.png"), &chart), STARFISH_ERROR_FILE, "no/folder.png");
    ASSERT_FAILS(starfish_gantt_write(scratch("no/folder.svg"), &chart), STARFISH_ERROR_FILE, "no/folder.svg");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(areas_follow_times),
        cmocka_unit_test(svg_says_the_same),
        cmocka_unit_test(overlapping_spans_lie_in_lanes),
        cmocka_unit_test(operations_of_a_colour_share_an_entry),
        cmocka_unit_test(what_cannot_be_written_is_refused),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
