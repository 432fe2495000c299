/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* apps/files/hdf5.h, apps/files/apart.h, apps/files/output.h: files that end the HDF5 library, places that cannot be
 * written, and several writers of one file. */
#include "tests/apps/files/scratch.h"

#include "apps/files/apart.h"
#include "apps/files/file.h"
#include "apps/files/hdf5.h"

#include <hdf5.h>
#include <hdf5_hl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static double numbers[6] = {1, 2, 3, 4, 5, 6};
static const struct starfish_array six = {STARFISH_F64, 2, {2, 3}, numbers, 0, NULL};
static const struct starfish_wanted wanted = {.name = "u", .rank = 2, .shape = {2, 3}, .reason = ""};

/* ---- work apart -------------------------------------------------------------------------------------------------- */

static starfish_status crash(const void *data)
{
    raise(*(const int *)data);
    return STARFISH_SUCCESS;
}

static starfish_status leave_without_word(const void *data)
{
    _exit(*(const int *)data);
}

static starfish_status run_for_ever(const void *data)
{
    for (volatile unsigned i = *(const unsigned *)data;;)
        ++i;
    return STARFISH_SUCCESS;
}

static starfish_status complain(const void *data)
{
    return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "complaint %d", *(const int *)data);
}

static void what_happens_apart_is_told(void **state)
{
    static const struct {
        starfish_status (*work)(const void *data);
        int number;
        starfish_status status;
        const char *message;
    } cases[] = {
        {crash, SIGSEGV, STARFISH_ERROR_FILE, "f.h5: the library for this format fails on it (Segmentation fault)"},
        {crash, SIGABRT, STARFISH_ERROR_FILE, "fails on it (Aborted)"},
        {crash, SIGKILL, STARFISH_ERROR_FILE, "does not come to an end"},
        {leave_without_word, 0, STARFISH_ERROR_FILE, "it ended the process"},
        {leave_without_word, 3, STARFISH_ERROR_FILE, "it ended the process"},
        {run_for_ever, 0, STARFISH_ERROR_FILE, "does not come to an end"},
        {complain, 7, STARFISH_ERROR_UNSUPPORTED, "complaint 7"},
    };
    const struct starfish_apart apart = {"f.h5", 1 << 20, 1};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        assert_int_equal(starfish_apart(&apart, cases[i].work, &cases[i].number), cases[i].status);
        assert_message(cases[i].message);
    }
}

/* ---- files that are not as they should be ------------------------------------------------------------------------ */

static void a_file_that_ends_the_library_is_refused(void **state)
{
    struct starfish_array array;
    (void)state;
    assert_int_equal(starfish_hdf5_read(CORRUPT, "/u", NULL, &array), STARFISH_ERROR_FILE);
    assert_message("link-crash.h5:/u: ");
    assert_null(array.data);
    char copy[1024];
    snprintf(copy, sizeof copy, "cp '%s' '%s'", CORRUPT, scratch("crash.h5"));
    assert_int_equal(system(copy), 0);
    const int before = scratch_count();
    assert_int_equal(starfish_hdf5_check(scratch("crash.h5"), "/u"), STARFISH_ERROR_FILE);
    assert_int_equal(starfish_hdf5_write(scratch("crash.h5"), "/u", &six), STARFISH_ERROR_FILE);
    assert_int_equal(scratch_count(), before);
}

/* A dataset of n reals that was never written, and so takes no room in its file. */
static void make_empty(const char *name, hsize_t n, hsize_t chunk)
{
    const hid_t file = H5Fcreate(scratch(name), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(1, &n, NULL), creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, 1, &chunk);
    H5Pset_deflate(creation, 9);
    const hid_t dataset = H5Dcreate2(file, "u", H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Dclose(dataset);
    H5Pclose(creation);
    H5Sclose(space);
    H5Fclose(file);
}

static long largest_resident(void)
{
    struct rusage own, children;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &children);
    return own.ru_maxrss > children.ru_maxrss ? own.ru_maxrss : children.ru_maxrss;
}

/* 8 GB by a file of a few kB: neither this process nor the other asks for that. */
static void claims_of_size_are_not_believed(void **state)
{
    enum { GIGA = 1 << 30, MOST = 1 << 18 }; /* kB */
    struct starfish_array array;
    const long before = largest_resident();
    (void)state;
    make_empty("huge.h5", GIGA, 1 << 20);
    assert_int_equal(starfish_hdf5_read(scratch("huge.h5"), "/u", &wanted, &array), STARFISH_ERROR_ARGUMENT);
    assert_message("u has shape (1073741824,), must be (2, 3)");
    assert_true(largest_resident() - before < MOST);
}

static void what_was_never_written_is_zero(void **state)
{
    const struct starfish_wanted many = {.name = "u", .rank = 1, .shape = {5000000}, .reason = ""};
    struct starfish_array array;
    (void)state;
    make_empty("empty.h5", 5000000, 1 << 16);
    assert_int_equal(starfish_hdf5_read(scratch("empty.h5"), "/u", &many, &array), STARFISH_SUCCESS);
    assert_true(starfish_array_get(&array, 0) == 0 && starfish_array_get(&array, 4999999) == 0);
    starfish_array_free(&array);
}

/* More than one piece of what is moved at once, so that its seams are seen. */
static void large_arrays_arrive_whole(void **state)
{
    const size_t n = 5000001;
    const struct starfish_wanted many = {.name = "u", .rank = 1, .shape = {n}, .reason = ""};
    struct starfish_array array, again;
    (void)state;
    assert_int_equal(starfish_array_create(&array, STARFISH_F64, 1, &n), STARFISH_SUCCESS);
    for (size_t i = 0; i < n; ++i)
        ((double *)array.data)[i] = (double)i;
    assert_int_equal(starfish_hdf5_write(scratch("large.h5"), "u", &array), STARFISH_SUCCESS);
    assert_int_equal(starfish_hdf5_read(scratch("large.h5"), "u", &many, &again), STARFISH_SUCCESS);
    assert_memory_equal(array.data, again.data, n * sizeof(double));
    starfish_array_free(&array);
    starfish_array_free(&again);
}

/* Booleans are enumerations of one byte. */
static void booleans_are_numbers(void **state)
{
    static const signed char values[] = {0, 1}, stored[] = {1, 0, 1};
    const hsize_t count = 3;
    const struct starfish_wanted three = {.name = "u", .rank = 1, .shape = {3}, .reason = ""};
    struct starfish_array array;
    const char *path = scratch("flags.h5");
    (void)state;
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), type = H5Tenum_create(H5T_NATIVE_INT8);
    H5Tenum_insert(type, "FALSE", &values[0]);
    H5Tenum_insert(type, "TRUE", &values[1]);
    const hid_t space = H5Screate_simple(1, &count, NULL);
    const hid_t dataset = H5Dcreate2(file, "u", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, stored) >= 0);
    H5Dclose(dataset);
    H5Sclose(space);
    H5Tclose(type);
    H5Fclose(file);
    assert_int_equal(starfish_hdf5_read(path, "u", &three, &array), STARFISH_SUCCESS);
    for (size_t i = 0; i < count; ++i)
        assert_true(((const double *)array.data)[i] == stored[i]);
    starfish_array_free(&array);
}

/* ---- where datasets may go --------------------------------------------------------------------------------------- */

static void places_are_checked(void **state)
{
    static const struct {
        const char *name, *message; /* NULL: it can be written */
    } cases[] = {
        {"/u", NULL},
        {"/v", NULL},
        {"v", NULL},
        {"/g/v", NULL},
        {"/g//w", NULL},
        {"/new/er/v", NULL},
        {"/g/nowhere", NULL},
        {"/g", "target.h5:/g: is there already, and is not a dataset"},
        {"/u/v", "target.h5:/u/v: /u is not a group"},
        {"/g/u/v/w", "/g/u is not a group"},
        {"/type", "is not a dataset"},
    };
    const char *path = scratch("target.h5");
    (void)state;
    assert_int_equal(starfish_hdf5_check(path, "/u"), STARFISH_SUCCESS);
    assert_int_equal(starfish_hdf5_write(path, "/u", &six), STARFISH_SUCCESS);
    assert_int_equal(starfish_hdf5_write(path, "/g/u", &six), STARFISH_SUCCESS);
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), type = H5Tcopy(H5T_IEEE_F64LE);
    H5Lcreate_soft("/nowhere", file, "/g/nowhere", H5P_DEFAULT, H5P_DEFAULT);
    H5Tcommit2(file, "/type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Tclose(type);
    H5Fclose(file);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const starfish_status expected = cases[i].message ? STARFISH_ERROR_FILE : STARFISH_SUCCESS;
        assert_int_equal(starfish_hdf5_check(path, cases[i].name), expected);
        if (cases[i].message)
            assert_message(cases[i].message);
        assert_int_equal(starfish_hdf5_write(path, cases[i].name, &six), expected);
        if (cases[i].message)
            assert_message(cases[i].message);
    }
}

static void what_is_not_hdf5_is_refused(void **state)
{
    (void)state;
    scratch_file("text.h5", "text", 4);
    assert_int_equal(starfish_hdf5_check(scratch("text.h5"), "/u"), STARFISH_ERROR_FILE);
    assert_message("exists and is not HDF5");
    assert_int_equal(symlink("/dev/null", scratch("null.h5")), 0);
    assert_int_equal(starfish_hdf5_check(scratch("null.h5"), "/u"), STARFISH_ERROR_FILE);
    assert_message("is not a regular file");
}

/* A file whose names lead into `other` in every way that HDF5 has. */
static void make_links(const char *path, const char *other)
{
    const hsize_t extents[2] = {2, 3};
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t stored = H5Pcreate(H5P_DATASET_CREATE), virtual = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t space = H5Screate_simple(2, extents, NULL);
    H5Lcreate_external(other, "/", file, "/results", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external(other, "/u", file, "/link", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("nowhere.h5", "/u", file, "/lost", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/results/u", file, "/soft", H5P_DEFAULT, H5P_DEFAULT);
    H5Pset_external(stored, other, 0, sizeof numbers);
    H5Pset_virtual(virtual, space, other, "/u", space);
    H5Dclose(H5Dcreate2(file, "/stored", H5T_IEEE_F64LE, space, H5P_DEFAULT, stored, H5P_DEFAULT));
    H5Dclose(H5Dcreate2(file, "/virtual", H5T_IEEE_F64LE, space, H5P_DEFAULT, virtual, H5P_DEFAULT));
    H5Pclose(stored);
    H5Pclose(virtual);
    H5Sclose(space);
    H5Fclose(file);
}

static void no_other_file_is_reached(void **state)
{
    static const char *const names[] = {"/results/u", "/results/new", "/link", "/lost", "/soft", "/stored", "/virtual"};
    struct starfish_array array;
    struct stat before, after;
    char path[256], other[256], command[1100];
    (void)state;
    snprintf(path, sizeof path, "%s", scratch("received.h5"));
    snprintf(other, sizeof other, "%s", scratch("other.h5"));
    snprintf(command, sizeof command, "cp %s %s.before", other, other);
    assert_int_equal(starfish_hdf5_write(other, "/u", &six), STARFISH_SUCCESS);
    assert_int_equal(system(command), 0);
    assert_int_equal(stat(other, &before), 0);
    make_links(path, other);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        const char *message = i < 5 ? "external link" : "its elements are in other files";
        assert_int_equal(starfish_hdf5_read(path, names[i], NULL, &array), STARFISH_ERROR_FILE);
        assert_message(message);
        assert_int_equal(starfish_hdf5_check(path, names[i]), STARFISH_ERROR_FILE);
        assert_message(message);
        assert_int_equal(starfish_hdf5_write(path, names[i], &six), STARFISH_ERROR_FILE);
        assert_message(message);
        assert_message(names[i]);
    }
    assert_int_equal(starfish_hdf5_write(path, "/own", &six), STARFISH_SUCCESS);
    assert_int_equal(stat(other, &after), 0);
    assert_true(before.st_ino == after.st_ino && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec);
    snprintf(command, sizeof command, "cmp %s %s.before", other, other);
    assert_int_equal(system(command), 0);
}

/* ---- several writers --------------------------------------------------------------------------------------------- */

enum { WRITERS = 6, DATASETS = 5 };

static void write_datasets(const char *path, int writer)
{
    char name[64];
    for (int i = 0; i < DATASETS; ++i) {
        snprintf(name, sizeof name, "/w%d/d%d", writer, i);
        if (starfish_hdf5_write(path, name, &six) != STARFISH_SUCCESS)
            _exit(1);
    }
    _exit(0);
}

static void writers_lose_nothing(void **state)
{
    const char *path = scratch("shared.h5");
    pid_t child[WRITERS];
    char name[64];
    (void)state;
    const int before = scratch_count();
    for (int w = 0; w < WRITERS; ++w)
        if ((child[w] = fork()) == 0)
            write_datasets(path, w);
    for (int w = 0; w < WRITERS; ++w) {
        int ended = -1;
        assert_int_equal(waitpid(child[w], &ended, 0), child[w]);
        assert_int_equal(ended, 0);
    }
    for (int w = 0; w < WRITERS; ++w)
        for (int i = 0; i < DATASETS; ++i) {
            struct starfish_array array;
            snprintf(name, sizeof name, "/w%d/d%d", w, i);
            assert_int_equal(starfish_hdf5_read(path, name, &wanted, &array), STARFISH_SUCCESS);
            starfish_array_free(&array);
        }
    assert_int_equal(scratch_count(), before + 1);
}

/* As the HDF5 library locks a file that it writes. */
static void a_writer_that_does_not_wait_is_respected(void **state)
{
    const char *path = scratch("open.h5");
    struct starfish_array array;
    (void)state;
    assert_int_equal(starfish_hdf5_write(path, "/u", &six), STARFISH_SUCCESS);
    FILE *other = fopen(path, "rb");
    assert_non_null(other);
    assert_int_equal(flock(fileno(other), LOCK_EX | LOCK_NB), 0);
    assert_int_equal(starfish_hdf5_write(path, "/v", &six), STARFISH_ERROR_FILE);
    assert_message("open.h5: is open for writing in another program");
    assert_int_equal(starfish_hdf5_check(path, "/v"), STARFISH_ERROR_FILE);
    assert_message("open.h5: is open for writing in another program");
    assert_int_equal(starfish_hdf5_read(path, "/u", NULL, &array), STARFISH_ERROR_FILE);
    assert_message("open.h5: is open for writing in another program");
    fclose(other);
    assert_int_equal(starfish_hdf5_write(path, "/v", &six), STARFISH_SUCCESS);
}

/* ---- positions --------------------------------------------------------------------------------------------------- */

static const double xs[] = {0.25, 0.75}, ys[] = {1, 2, 3}, zs[] = {-1, 1};

static void expect_scale(hid_t file, const char *name, unsigned d, const char *scale, const double *position)
{
    double found[3] = {0};
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT), beside = H5Dopen2(file, scale, H5P_DEFAULT);
    assert_true(dataset >= 0 && beside >= 0);
    assert_int_equal(H5DSis_attached(dataset, beside, d), 1);
    assert_true(H5Dread(beside, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, found) >= 0);
    assert_memory_equal(found, position, 2 * sizeof *position);
    H5Dclose(dataset);
    H5Dclose(beside);
}

/* Twice, since the second one replaces what the first has left; and an array whose names are taken. */
static void positions_are_written_beside_arrays(void **state)
{
    double values[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, spacing[3] = {0};
    const struct starfish_array_axes axes = {{"z", "y", "x"}, {zs, ys, xs}, {2, 1, 0.5}};
    const struct starfish_array field = {STARFISH_F64, 3, {2, 3, 2}, values, 0, &axes};
    const char *path = scratch("axes.h5");
    (void)state;
    for (int time = 0; time < 2; time++)
        assert_int_equal(starfish_hdf5_write(path, "/u", &field), STARFISH_SUCCESS);
    assert_int_equal(starfish_hdf5_write(path, "/v", &field), STARFISH_SUCCESS);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    expect_scale(file, "/u", 0, "/z", zs);
    expect_scale(file, "/u", 2, "/x", xs);
    expect_scale(file, "/v", 1, "/v_y", ys);
    /* VTKHDF has the array, not a copy of it. */
    H5O_info_t one, other;
    assert_true(H5Oget_info_by_name2(file, "/u", &one, H5O_INFO_BASIC, H5P_DEFAULT) >= 0);
    assert_true(H5Oget_info_by_name2(file, "/VTKHDF/PointData/u", &other, H5O_INFO_BASIC, H5P_DEFAULT) >= 0);
    assert_true(one.addr == other.addr);
    assert_true(H5LTget_attribute_double(file, "/VTKHDF", "Spacing", spacing) >= 0);
    assert_memory_equal(spacing, ((const double[]){0.5, 1, 2}), sizeof spacing);
    H5Fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_happens_apart_is_told),
        cmocka_unit_test(a_file_that_ends_the_library_is_refused),
        cmocka_unit_test(claims_of_size_are_not_believed),
        cmocka_unit_test(what_was_never_written_is_zero),
        cmocka_unit_test(large_arrays_arrive_whole),
        cmocka_unit_test(booleans_are_numbers),
        cmocka_unit_test(places_are_checked),
        cmocka_unit_test(what_is_not_hdf5_is_refused),
        cmocka_unit_test(no_other_file_is_reached),
        cmocka_unit_test(writers_lose_nothing),
        cmocka_unit_test(a_writer_that_does_not_wait_is_respected),
        cmocka_unit_test(positions_are_written_beside_arrays),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
