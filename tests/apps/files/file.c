/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* apps/files/file.h, apps/files/hdf5.h, apps/files/output.h: names, datasets, and files that are whole or not there. */
#include "tests/apps/files/scratch.h"

#include "apps/files/file.h"
#include "apps/files/hdf5.h"
#include "apps/files/output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct starfish_array make(starfish_precision precision, double value)
{
    static const size_t shape[] = {2, 3};
    struct starfish_array array;
    assert_int_equal(starfish_array_create(&array, precision, 2, shape), STARFISH_SUCCESS);
    starfish_array_fill(&array, value);
    return array;
}

static void write_value(const char *name, starfish_precision precision, double value)
{
    struct starfish_array array = make(precision, value);
    assert_int_equal(starfish_file_write(name, &array), STARFISH_SUCCESS);
    starfish_array_free(&array);
}

static void assert_value(const char *name, starfish_precision precision, double value)
{
    struct starfish_array array;
    assert_int_equal(starfish_file_read(name, NULL, &array), STARFISH_SUCCESS);
    assert_int_equal(array.precision, precision);
    assert_int_equal(array.rank, 2);
    assert_int_equal(array.shape[0], 2);
    assert_int_equal(array.shape[1], 3);
    assert_true(starfish_array_get(&array, 5) == value);
    starfish_array_free(&array);
}

static void both_formats_go_round(void **state)
{
    static const char *const names[] = {
        "a.npy", "a.h5:/u", "b.h5:/deep/er/u", "c.hdf5:u", "d.h5", "e.nc:u", "f.vtkhdf:/VTKHDF/PointData/u"};
    (void)state;
    for (int precision = STARFISH_F32; precision <= STARFISH_F64; ++precision)
        for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
            write_value(scratch(names[i]), (starfish_precision)precision, (double)i + 0.5);
            assert_value(scratch(names[i]), (starfish_precision)precision, (double)i + 0.5);
        }
}

static void datasets_share_a_file(void **state)
{
    (void)state;
    write_value(scratch("shared.h5:/f"), STARFISH_F64, 1);
    write_value(scratch("shared.h5:/g/u"), STARFISH_F32, 2);
    write_value(scratch("shared.h5:/g/u"), STARFISH_F64, 3);
    assert_value(scratch("shared.h5:/f"), STARFISH_F64, 1);
    assert_value(scratch("shared.h5:/g/u"), STARFISH_F64, 3);
}

static void bad_names_and_files_are_refused(void **state)
{
    static const struct {
        const char *name, *message;
    } cases[] = {
        {"a.txt", "an array's name is"},
        {"a", "an array's name is"},
        {"a.h5:", "an array's name is"},
        {"a.h5:/", "an array's name is"},
        {"absent.h5:/u", "absent.h5: No such file"},
        {"garbage.h5:/u", "garbage.h5:/u: not a whole HDF5 file"},
        {"half.h5:/u", "half.h5:/u: not a whole HDF5 file"},
        {"whole.h5:/v", "whole.h5:/v: no such dataset"},
        {"whole.h5:/group", "no such dataset"},
        {"folder.h5:/u", "is a directory"},
        {"folder.npy", "is a directory"},
    };
    struct starfish_array array;
    struct stat whole;
    char copy[192];
    (void)state;
    write_value(scratch("whole.h5:/u"), STARFISH_F64, 1);
    write_value(scratch("whole.h5:/group/u"), STARFISH_F64, 1);
    scratch_file("garbage.h5", "garbage", 7);
    snprintf(copy, sizeof copy, "cp %s %s", scratch("whole.h5"), scratch("half.h5"));
    assert_int_equal(system(copy), 0);
    assert_int_equal(stat(scratch("half.h5"), &whole), 0);
    assert_int_equal(truncate(scratch("half.h5"), whole.st_size / 2), 0);
    assert_int_equal(mkdir(scratch("folder.h5"), 0777), 0);
    assert_int_equal(mkdir(scratch("folder.npy"), 0777), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        assert_int_equal(starfish_file_read(scratch(cases[i].name), NULL, &array), STARFISH_ERROR_FILE);
        assert_message(cases[i].message);
        assert_null(array.data);
    }
}

static void nonfinite_elements_are_named(void **state)
{
    struct starfish_array array = make(STARFISH_F64, 1);
    (void)state;
    ((double *)array.data)[4] = NAN;
    assert_int_equal(starfish_file_write(scratch("nan.npy"), &array), STARFISH_SUCCESS);
    starfish_array_free(&array);
    assert_int_equal(starfish_file_read(scratch("nan.npy"), NULL, &array), STARFISH_ERROR_FILE);
    assert_message("nan.npy: element (1, 1) is NaN");
}

static void failures_leave_what_was_there(void **state)
{
    struct starfish_array array = make(STARFISH_F64, 2);
    struct starfish_output output;
    char content[8] = "";
    (void)state;
    scratch_file("kept.h5", "precious", 8);
    int before = scratch_count();
    assert_int_equal(starfish_file_write(scratch("kept.h5:/u"), &array), STARFISH_ERROR_FILE);
    assert_message("exists and is not HDF5");
    assert_int_equal(starfish_output_open(&output, scratch("kept.h5")), STARFISH_SUCCESS);
    fputs("half", output.stream);
    assert_int_equal(starfish_output_finish(&output, STARFISH_ERROR_FILE), STARFISH_ERROR_FILE);
    assert_int_equal(scratch_count(), before);
    FILE *stream = fopen(scratch("kept.h5"), "rb");
    assert_int_equal(fread(content, 1, 8, stream), 8);
    fclose(stream);
    assert_memory_equal(content, "precious", 8);
    starfish_array_free(&array);
}

static void what_cannot_be_written_is_said_before(void **state)
{
    static const struct {
        const char *name, *message;
    } cases[] = {
        {"no/such/folder/u.npy", "its folder cannot be written: No such file"},
        {"no/such/folder/u.h5:/u", "its folder cannot be written: No such file"},
        {"taken.npy", "taken.npy: is a directory"},
        {"file/u.npy", "its folder cannot be written: Not a directory"},
        {"u.dat", "an array's name is"},
    };
    struct starfish_array array = make(STARFISH_F64, 1);
    (void)state;
    scratch_file("file", "", 0);
    assert_int_equal(mkdir(scratch("taken.npy"), 0777), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        assert_int_equal(starfish_file_check_output(scratch(cases[i].name)), STARFISH_ERROR_FILE);
        assert_message(cases[i].message);
        assert_int_equal(starfish_file_write(scratch(cases[i].name), &array), STARFISH_ERROR_FILE);
        assert_message(cases[i].message);
    }
    assert_int_equal(starfish_file_check_output("u.npy"), STARFISH_SUCCESS);
    starfish_array_free(&array);
}

/* A full disk; and a device must not be replaced by a file. */
static void devices_are_written_in_place(void **state)
{
    struct starfish_array array = make(STARFISH_F64, 1);
    struct stat device;
    (void)state;
    if (stat("/dev/full", &device) != 0 || !S_ISCHR(device.st_mode))
        skip();
    assert_int_equal(symlink("/dev/full", scratch("full.npy")), 0);
    assert_int_equal(symlink("/dev/full", scratch("full.h5")), 0);
    assert_int_equal(starfish_file_write(scratch("full.npy"), &array), STARFISH_ERROR_FILE);
    assert_message("No space left");
    assert_int_equal(starfish_file_write(scratch("full.h5:/u"), &array), STARFISH_ERROR_FILE);
    assert_message("is not a regular file");
    assert_int_equal(stat("/dev/full", &device), 0);
    assert_true(S_ISCHR(device.st_mode));
    starfish_array_free(&array);
}

static void links_are_followed(void **state)
{
    struct stat link;
    (void)state;
    write_value(scratch("target.npy"), STARFISH_F64, 1);
    assert_int_equal(symlink("target.npy", scratch("link.npy")), 0);
    write_value(scratch("link.npy"), STARFISH_F64, 2);
    assert_value(scratch("target.npy"), STARFISH_F64, 2);
    assert_int_equal(lstat(scratch("link.npy"), &link), 0);
    assert_true(S_ISLNK(link.st_mode));
}

static void names_join(void **state)
{
    static const struct {
        const char *folder, *name, *path;
    } cases[] = {{"", "f.npy", "f.npy"},
                 {NULL, "f.npy", "f.npy"},
                 {"a/", "f.npy", "a/f.npy"},
                 {"a", "../f.npy", "a/../f.npy"},
                 {"a/", "/abs.npy", "/abs.npy"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char *path;
        assert_int_equal(starfish_file_join(cases[i].folder, cases[i].name, &path), STARFISH_SUCCESS);
        assert_string_equal(path, cases[i].path);
        free(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_formats_go_round),
        cmocka_unit_test(datasets_share_a_file),
        cmocka_unit_test(bad_names_and_files_are_refused),
        cmocka_unit_test(nonfinite_elements_are_named),
        cmocka_unit_test(failures_leave_what_was_there),
        cmocka_unit_test(what_cannot_be_written_is_said_before),
        cmocka_unit_test(devices_are_written_in_place),
        cmocka_unit_test(links_are_followed),
        cmocka_unit_test(names_join),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
