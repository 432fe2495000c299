/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* apps/files/npy.h: what NumPy writes is read, what is broken is refused, what is written is read again. */
#include "tests/apps/files/scratch.h"

#include "apps/files/npy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const unsigned char f8_le[] = {0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0xc0}; /* 1, -2 */
static const unsigned char f8_be[] = {0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0};
static const unsigned char f2_le[] = {0, 0x3c, 0, 0xc0}, f2_be[] = {0x3c, 0, 0xc0, 0};
static const unsigned char f4_le[] = {0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0};
static const unsigned char f4_be[] = {0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0};
static const unsigned char i4_le[] = {1, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff};
static const unsigned char i8_le[] = {1, 0, 0, 0, 0, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
static const unsigned char i8_be[] = {0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe};

/* A .npy file with that header text and those elements. */
static const char *make(int version, const char *header, const void *elements, size_t length)
{
    char bytes[1024] = "\x93NUMPY";
    size_t size = strlen(header), start = version == 1 ? 10 : 12;
    bytes[6] = (char)version;
    bytes[7] = 0;
    bytes[8] = (char)(size & 0xff);
    bytes[9] = (char)(size >> 8);
    memcpy(bytes + start, header, size);
    memcpy(bytes + start + size, elements, length);
    return scratch_file("made.npy", bytes, start + size + length);
}

static void element_types_and_versions(void **state)
{
    static const struct {
        const char *type;
        starfish_precision precision;
        const unsigned char *bytes;
        size_t length;
    } cases[] = {
        {"<f8", STARFISH_F64, f8_le, sizeof f8_le}, {">f8", STARFISH_F64, f8_be, sizeof f8_be},
        {"<f4", STARFISH_F32, f4_le, sizeof f4_le}, {">f4", STARFISH_F32, f4_be, sizeof f4_be},
        {"<i4", STARFISH_F64, i4_le, sizeof i4_le}, {"<i8", STARFISH_F64, i8_le, sizeof i8_le},
        {">i8", STARFISH_F64, i8_be, sizeof i8_be}, {"<f2", STARFISH_F32, f2_le, sizeof f2_le},
        {">f2", STARFISH_F32, f2_be, sizeof f2_be},
    };
    (void)state;
    for (int version = 1; version <= 3; ++version)
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
            struct starfish_array array;
            char header[128];
            snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (2,), }   \n",
                     cases[i].type);
            assert_int_equal(starfish_npy_read(make(version, header, cases[i].bytes, cases[i].length), NULL, &array),
                             STARFISH_SUCCESS);
            assert_int_equal(array.precision, cases[i].precision);
            assert_int_equal(array.rank, 1);
            assert_int_equal(array.shape[0], 2);
            assert_true(starfish_array_get(&array, 0) == 1 && starfish_array_get(&array, 1) == -2);
            starfish_array_free(&array);
        }
}

/* The least half and the largest, one without a finite value, and a negative zero. */
static void halves_of_every_kind(void **state)
{
    static const unsigned char bytes[] = {1, 0, 0xff, 0x7b, 0, 0xfc, 0, 0x80};
    static const double values[] = {0x1p-24, 65504, -INFINITY, 0};
    struct starfish_array array;
    (void)state;
    const char *path = make(1, "{'descr': '<f2', 'fortran_order': False, 'shape': (4,), }   \n", bytes, sizeof bytes);
    assert_int_equal(starfish_npy_read(path, NULL, &array), STARFISH_SUCCESS);
    for (size_t i = 0; i < 4; ++i)
        assert_true(starfish_array_get(&array, i) == values[i]);
    assert_true(signbit(starfish_array_get(&array, 3)));
    starfish_array_free(&array);
}

static void fortran_order_is_transposed(void **state)
{
    float elements[24];
    struct starfish_array array;
    (void)state;
    for (int k = 0; k < 4; ++k) /* value 100 i + 10 j + k of element (i, j, k), i fastest in the file */
        for (int j = 0; j < 3; ++j)
            for (int i = 0; i < 2; ++i)
                elements[i + 2 * (j + 3 * k)] = (float)(100 * i + 10 * j + k);
    const char *path =
        make(1, "{\"shape\": (2, 3, 4), \"fortran_order\": True, \"descr\": \"<f4\"}\n", elements, sizeof elements);
    assert_int_equal(starfish_npy_read(path, NULL, &array), STARFISH_SUCCESS);
    for (size_t i = 0; i < 2; ++i)
        for (size_t j = 0; j < 3; ++j)
            for (size_t k = 0; k < 4; ++k)
                assert_true(starfish_array_get(&array, (i * 3 + j) * 4 + k) == (double)(100 * i + 10 * j + k));
    starfish_array_free(&array);
}

static void broken_files_are_refused(void **state)
{
#define HEADER(descr, shape) "{'descr': " descr ", 'fortran_order': False, 'shape': " shape ", }\n"
    static const struct {
        const char *header;
        size_t length;
        const char *message;
    } cases[] = {
        {HEADER("'<f8'", "(2,)"), 15, "truncated: 15 bytes of elements where the header promises 16"},
        {HEADER("'<f8'", "(2,)"), 0, "truncated"},
        {HEADER("'<f8'", "(1,)"), 16, "8 bytes follow the last element"},
        {HEADER("'<c16'", "(1,)"), 16, "element type '<c16'"},
        {HEADER("'|O'", "(2,)"), 16, "element type '|O'"},
        {HEADER("[('a', '<f8')]", "(2,)"), 16, "not an array of plain numbers"},
        {HEADER("'<f8'", "(1, 1, 1, 1, 2)"), 16, "more than 4 dimensions"},
        {HEADER("'<f8'", "(-2,)"), 16, "not a size"},
        {HEADER("'<f8'", "(99999999999999999999999,)"), 16, "not a size"},
        {HEADER("'<f8'", "(4294967296, 4294967296)"), 16, "more bytes than can be addressed"},
        {HEADER("'<f8'", "(1000000000000,)"), 16, "truncated"},
        {HEADER("'<f8'", "2"), 16, "shape is not a tuple"},
        {HEADER("'<f8'", "(2 3)"), 16, "shape is not a tuple"},
        {"{'descr': '<f8', 'shape': (2,), }\n", 16, "is missing"},
        {"{'descr': '<f8', 'descr': '<f8', 'shape': (2,)}\n", 16, "unknown or repeated"},
        {"{'descr': '<f8', 'fortran_order': 0, 'shape': (2,)}\n", 16, "neither True nor False"},
        {"{'descr': '<f8', 'colour': 1}\n", 16, "unknown or repeated"},
        {"(2,)\n", 16, "not a dictionary"},
        {"", 16, "not a dictionary"},
    };
    static const unsigned char elements[16];
    struct starfish_array array;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        assert_int_equal(starfish_npy_read(make(1, cases[i].header, elements, cases[i].length), NULL, &array),
                         STARFISH_ERROR_FILE);
        assert_message(cases[i].message);
        assert_message("made.npy");
        assert_null(array.data);
    }
    assert_int_equal(starfish_npy_read(make(4, cases[0].header, elements, 16), NULL, &array), STARFISH_ERROR_FILE);
    assert_message(".npy version 4");
    assert_int_equal(starfish_npy_read(scratch_file("made.npy", "\x93NUMPY\x01\x00\xff\xff{", 11), NULL, &array),
                     STARFISH_ERROR_FILE);
    assert_message("truncated in its header");
    assert_int_equal(starfish_npy_read(scratch_file("made.npy", "{}", 2), NULL, &array), STARFISH_ERROR_FILE);
    assert_message("not a .npy file");
    assert_int_equal(starfish_npy_read(scratch(""), NULL, &array), STARFISH_ERROR_FILE);
    assert_message("is a directory");
    assert_int_equal(starfish_npy_read(scratch("absent.npy"), NULL, &array), STARFISH_ERROR_FILE);
    assert_message("absent.npy: No such file");
    assert_int_equal(starfish_npy_read("/dev/zero", NULL, &array), STARFISH_ERROR_FILE);
    assert_message("not a regular file");
    assert_int_equal(mkfifo(scratch("pipe.npy"), 0600), 0);
    assert_int_equal(starfish_npy_read(scratch("pipe.npy"), NULL, &array), STARFISH_ERROR_FILE);
    assert_message("not a regular file");
}

static void written_is_read_again(void **state)
{
    static const size_t shape[] = {2, 1, 3, 2};
    (void)state;
    for (int precision = STARFISH_F32; precision <= STARFISH_F64; ++precision)
        for (size_t rank = 0; rank <= 4; ++rank) {
            struct starfish_array array, again;
            assert_int_equal(starfish_array_create(&array, (starfish_precision)precision, rank, shape),
                             STARFISH_SUCCESS);
            starfish_array_fill(&array, -0.25);
            assert_int_equal(starfish_npy_write(scratch("written.npy"), &array), STARFISH_SUCCESS);
            assert_int_equal(starfish_npy_read(scratch("written.npy"), NULL, &again), STARFISH_SUCCESS);
            assert_int_equal(again.precision, precision);
            assert_int_equal(again.rank, rank);
            assert_memory_equal(again.shape, array.shape, sizeof array.shape);
            for (size_t i = 0; i < starfish_array_count(&array); ++i)
                assert_true(starfish_array_get(&again, i) == -0.25);
            starfish_array_free(&array);
            starfish_array_free(&again);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(element_types_and_versions),  cmocka_unit_test(halves_of_every_kind),
        cmocka_unit_test(fortran_order_is_transposed), cmocka_unit_test(broken_files_are_refused),
        cmocka_unit_test(written_is_read_again),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
