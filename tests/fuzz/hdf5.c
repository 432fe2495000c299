/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: HDF5 files, read and written into. The HDF5 library may fail as it likes: what holds is that this
 * process goes on, that a failure has a message and leaves the file as it was, and that what is written is read again.
 */
#include "tests/fuzz/fuzz.h"

#include "apps/files/hdf5.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const target_words[] = {
    "\x89HDF\r\n\x1a\n", "TREE", "HEAP", "SNOD", "OHDR", "FRHP", "BTHD", "OCHK", "FADB", "GCOL", "/u", "v", NULL};

static size_t files, deaths;

static void say_deaths(void)
{
    printf("in %zu of %zu files the HDF5 library ended the process that used it\n", deaths, files);
}

static void begin(void)
{
    static int begun;
    if (!begun++)
        atexit(say_deaths);
    ++files;
    fuzz_limit_memory();
}

static int died(starfish_status status)
{
    return status != STARFISH_SUCCESS && strstr(starfish_error_message(), "the file is corrupt") != NULL;
}

static int check_read(const char *path)
{
    const struct starfish_wanted wanted = {.name = "u", .rank = 2, .shape = {2, 3}, .reason = ""};
    struct starfish_array array;
    const starfish_status status = starfish_hdf5_read(path, "/u", &wanted, &array);
    deaths += (size_t)died(status);
    if (status == STARFISH_SUCCESS && starfish_array_count(&array) != 6)
        return fuzz_broken("another shape than the wanted one");
    if (status != STARFISH_SUCCESS && array.data)
        return fuzz_broken("an array after a failure");
    starfish_array_free(&array);
    return fuzz_check_message(status);
}

static int is_unchanged(const char *path, const uint8_t *data, size_t size)
{
    uint8_t *there = malloc(size + 1);
    FILE *stream = fopen(path, "rb");
    const int same = there && stream && fread(there, 1, size + 1, stream) == size && memcmp(there, data, size) == 0;
    if (stream)
        fclose(stream);
    free(there);
    return same;
}

/* The library may leave a file that it cannot read again, in parts that were corrupt; but not the new dataset. */
static int check_write(const char *path, const uint8_t *data, size_t size)
{
    static double six[6] = {1, 2, 3, 4, 5, 6};
    const struct starfish_array array = {.precision = STARFISH_F64, .rank = 2, .shape = {2, 3}, .data = six};
    const starfish_status checked = starfish_hdf5_check(path, "/g/v");
    if (fuzz_check_message(checked) != 0)
        return -1;
    const starfish_status written = starfish_hdf5_write(path, "/g/v", &array);
    if (written != STARFISH_SUCCESS && !is_unchanged(path, data, size))
        return fuzz_broken("a failure has changed the file");
    return fuzz_check_message(written);
}

int target(const uint8_t *data, size_t size)
{
    const char *path = fuzz_write("in.h5", data, size);
    begin();
    return check_read(path) != 0 ? -1 : check_write(path, data, size);
}
