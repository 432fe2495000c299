/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Real datasets in HDF5 files (hdf5.h). A separate process calls the library; elements reach this one through memory
 * that both share. */
#include "apps/files/hdf5.h"

#include "apps/files/apart.h"
#include "apps/files/hdf5_axes.h"
#include "apps/files/hdf5_place.h"
#include "apps/files/output.h"
#include "apps/files/regular.h"
#include "base/real.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static starfish_status element_type(hid_t dataset, const struct starfish_hdf5_place *place,
                                    starfish_precision *precision)
{
    hid_t type = H5Dget_type(dataset);
    H5T_class_t class = type < 0 ? H5T_NO_CLASS : H5Tget_class(type);
    *precision = class == H5T_FLOAT && H5Tget_size(type) <= sizeof(float) ? STARFISH_F32 : STARFISH_F64;
    if (type >= 0)
        H5Tclose(type);
    /* An enumeration: as booleans are kept. */
    return class == H5T_FLOAT || class == H5T_INTEGER || class == H5T_ENUM
               ? STARFISH_SUCCESS
               : starfish_hdf5_fail(place, "not a dataset of real numbers");
}

static starfish_status shape_of(hid_t dataset, const struct starfish_hdf5_place *place, size_t *rank,
                                size_t shape[STARFISH_MAX_RANK])
{
    hsize_t extents[H5S_MAX_RANK];
    hid_t space = H5Dget_space(dataset);
    int dimensions = space < 0 ? -1 : H5Sget_simple_extent_dims(space, extents, NULL);
    if (space >= 0)
        H5Sclose(space);
    if (dimensions < 0)
        return starfish_hdf5_fail(place, "its shape cannot be read");
    if (dimensions > STARFISH_MAX_RANK)
        return starfish_hdf5_fail(place, "has more than 4 dimensions");
    *rank = (size_t)dimensions;
    for (size_t d = 0; d < *rank; ++d)
        shape[d] = (size_t)extents[d];
    return STARFISH_SUCCESS;
}

static hid_t memory_type(starfish_precision precision)
{
    return precision == STARFISH_F32 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
}

/* What the process that reads leaves; the elements follow from `elements` on. */
struct found {
    starfish_precision precision;
    size_t rank, shape[STARFISH_MAX_RANK];
    _Alignas(64) char elements[];
};
struct reading {
    struct starfish_hdf5_place place;
    const struct starfish_wanted *wanted;
    struct found *found;
};

static starfish_status check_found(const struct reading *reading, size_t *bytes)
{
    const struct found *found = reading->found;
    size_t part[STARFISH_MAX_RANK];
    STARFISH_TRY(starfish_wanted_check(reading->wanted, found->rank, found->shape));
    starfish_wanted_part(reading->wanted, found->rank, found->shape, part);
    const starfish_status status = starfish_array_bytes(found->precision, found->rank, part, bytes);
    STARFISH_FAIL_IF(status != STARFISH_SUCCESS, STARFISH_ERROR_FILE, "%s:%s: %s", reading->place.path,
                     reading->place.name, starfish_error_message());
    STARFISH_FAIL_IF(*bytes > reading->place.bytes, STARFISH_ERROR_MEMORY, "%s:%s: no memory for an array of %.3g GB",
                     reading->place.path, reading->place.name, (double)*bytes / 1e9);
    return STARFISH_SUCCESS;
}

/* Planes of a dataset of that shape, chosen in its space; and the space of as many in memory. */
struct planes {
    hid_t file, memory;
};

static struct planes choose_planes(size_t rank, const size_t *shape, size_t first, size_t count)
{
    hsize_t extent[STARFISH_MAX_RANK] = {0}, start[STARFISH_MAX_RANK] = {first}, part[STARFISH_MAX_RANK] = {0};
    for (size_t d = 0; d < rank; ++d)
        extent[d] = part[d] = shape[d];
    part[0] = rank > 0 ? count : 0;
    struct planes planes = {H5S_ALL, H5S_ALL};
    if (rank == 0 || (first == 0 && count == shape[0]))
        return planes;
    planes.file = H5Screate_simple((int)rank, extent, NULL);
    planes.memory = H5Screate_simple((int)rank, part, NULL);
    if (count > 0)
        H5Sselect_hyperslab(planes.file, H5S_SELECT_SET, start, NULL, part, NULL);
    else
        H5Sselect_none(planes.file);
    if (count == 0)
        H5Sselect_none(planes.memory);
    return planes;
}

static void release_planes(const struct planes *planes)
{
    if (planes->file != H5S_ALL)
        H5Sclose(planes->file);
    if (planes->memory != H5S_ALL)
        H5Sclose(planes->memory);
}

static starfish_status read_dataset(hid_t dataset, const struct reading *reading)
{
    const struct starfish_hdf5_place *place = &reading->place;
    struct found *found = reading->found;
    size_t bytes;
    STARFISH_TRY(element_type(dataset, place, &found->precision));
    STARFISH_TRY(shape_of(dataset, place, &found->rank, found->shape));
    STARFISH_TRY(check_found(reading, &bytes));
    const struct starfish_wanted *wanted = reading->wanted;
    const int part = wanted && wanted->part;
    const struct planes planes =
        choose_planes(found->rank, found->shape, part ? wanted->first : 0, part ? wanted->count : found->shape[0]);
    const herr_t code =
        H5Dread(dataset, memory_type(found->precision), planes.memory, planes.file, H5P_DEFAULT, found->elements);
    release_planes(&planes);
    return code < 0 ? starfish_hdf5_fail(place, "the dataset cannot be read") : STARFISH_SUCCESS;
}

static starfish_status read_file(const void *data)
{
    const struct reading *reading = data;
    hid_t file, dataset;
    STARFISH_TRY(starfish_hdf5_open(&reading->place, "not a whole HDF5 file", &file));
    STARFISH_TRY(starfish_hdf5_open_dataset(file, &reading->place, &dataset));
    return read_dataset(dataset, reading);
}

/* From the pages that are shared to those of the array, which may be large; what is copied is given back at once, so
 * that the array is never twice in memory. */
static void move_elements(char *from, size_t bytes, char *to)
{
    enum { PIECE = 1 << 24 };
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t at = 0, piece; at < bytes; at += piece) {
        piece = bytes - at < PIECE ? bytes - at : PIECE;
        memcpy(to + at, from + at, piece);
        const size_t into_page = (uintptr_t)(from + at) % page, skipped = into_page ? page - into_page : 0;
        if (piece >= skipped + page)
            madvise(from + at + skipped, (piece - skipped) / page * page, MADV_REMOVE);
    }
}

/* What comes from a process that has read a corrupt file need not be what our code there would have left. */
static starfish_status take_array(const struct reading *reading, struct starfish_array *array)
{
    struct found found = *reading->found;
    size_t bytes;
    STARFISH_FAIL_IF(found.rank > STARFISH_MAX_RANK || (unsigned)found.precision > STARFISH_F64, STARFISH_ERROR_FILE,
                     "%s:%s: the file is corrupt", reading->place.path, reading->place.name);
    STARFISH_TRY(check_found(reading, &bytes));
    size_t part[STARFISH_MAX_RANK];
    starfish_wanted_part(reading->wanted, found.rank, found.shape, part);
    const starfish_status status = starfish_array_create(array, found.precision, found.rank, part);
    STARFISH_FAIL_IF(status != STARFISH_SUCCESS, status, "%s:%s: %s", reading->place.path, reading->place.name,
                     starfish_error_message());
    move_elements(reading->found->elements, bytes, array->data);
    return STARFISH_SUCCESS;
}

/* The most bytes that an array of the wanted shape has. */
static size_t most_bytes(const struct starfish_wanted *wanted)
{
    const size_t machine = starfish_machine_bytes();
    size_t bytes, part[STARFISH_MAX_RANK];
    if (wanted)
        starfish_wanted_part(wanted, wanted->rank, wanted->shape, part);
    if (!wanted || starfish_array_bytes(STARFISH_F64, wanted->rank, part, &bytes) != STARFISH_SUCCESS)
        return machine;
    return bytes < machine ? bytes : machine;
}

static starfish_status check_regular(const char *path)
{
    FILE *stream;
    STARFISH_TRY(starfish_regular_open(path, &stream));
    fclose(stream);
    return STARFISH_SUCCESS;
}

starfish_status starfish_hdf5_read(const char *path, const char *name, const struct starfish_wanted *wanted,
                                   struct starfish_array *array)
{
    struct reading reading = {{path, name, most_bytes(wanted)}, wanted, NULL};
    const size_t shared = sizeof *reading.found + reading.place.bytes;
    *array = (struct starfish_array){.data = NULL};
    STARFISH_TRY(check_regular(path));
    reading.found = starfish_apart_share(shared);
    STARFISH_FAIL_IF(!reading.found, STARFISH_ERROR_MEMORY, "%s:%s: no addresses for an array of %.3g GB", path, name,
                     (double)reading.place.bytes / 1e9);
    starfish_status status = starfish_hdf5_work_apart(&reading.place, read_file, &reading);
    STARFISH_THEN(status, take_array(&reading, array));
    starfish_apart_unshare(reading.found, shared);
    return status;
}

/* ---- where a dataset may go -------------------------------------------------------------------------------------- */

static starfish_status check_file(const void *data)
{
    const struct starfish_hdf5_place *place = data;
    hid_t file;
    int exists;
    STARFISH_TRY(starfish_hdf5_open(place, "exists and is not HDF5", &file));
    return starfish_hdf5_check_name(file, place, &exists);
}

starfish_status starfish_hdf5_check(const char *path, const char *name)
{
    struct starfish_hdf5_place place = {path, name, 0};
    STARFISH_TRY(starfish_output_check(path));
    if (access(path, F_OK) != 0)
        return STARFISH_SUCCESS;
    STARFISH_TRY(check_regular(path));
    return starfish_hdf5_work_apart(&place, check_file, &place);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* What is in the file already goes on living in its successor. */
static starfish_status copy_stream(FILE *source, const char *from, const char *to)
{
    enum { CHUNK = 1 << 20 };
    char *chunk = malloc(CHUNK);
    FILE *target = fopen(to, "wb");
    int bad = !chunk || !target;
    size_t length;
    while (!bad && (length = fread(chunk, 1, CHUNK, source)) > 0)
        bad = fwrite(chunk, 1, length, target) != length;
    bad |= ferror(source);
    if (target)
        bad |= fclose(target) != 0;
    free(chunk);
    return bad ? starfish_fail(STARFISH_ERROR_FILE, "%s: cannot be copied before a dataset is added", from)
               : STARFISH_SUCCESS;
}

static hid_t create_dataset(hid_t file, const char *name, const struct starfish_array *array)
{
    hid_t type = array->precision == STARFISH_F32 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
    hsize_t extents[STARFISH_MAX_RANK];
    for (size_t d = 0; d < array->rank; ++d)
        extents[d] = array->shape[d];
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    hid_t space = array->rank ? H5Screate_simple((int)array->rank, extents, NULL) : H5Screate(H5S_SCALAR);
    H5Pset_create_intermediate_group(links, 1);
    hid_t dataset = H5Dcreate2(file, name, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
    H5Sclose(space);
    H5Pclose(links);
    return dataset;
}

/* An array on its way into a file. place.path is for messages; the work happens on `temporary`. */
struct writing {
    struct starfish_hdf5_place place;
    const char *temporary;
    int existing;                       /* the temporary is a copy of an older file */
    const struct starfish_array *array; /* of all planes to begin with; of `first` and more to write */
    size_t first;
};

static starfish_status begin_dataset(hid_t file, const struct writing *writing)
{
    const struct starfish_hdf5_place *place = &writing->place;
    int exists;
    STARFISH_TRY(starfish_hdf5_check_name(file, place, &exists));
    STARFISH_TRY(exists && H5Ldelete(file, place->name, H5P_DEFAULT) < 0
                     ? starfish_hdf5_fail(place, "the older dataset cannot be replaced")
                     : STARFISH_SUCCESS);
    H5Eclear2(H5E_DEFAULT);
    const hid_t dataset = create_dataset(file, place->name, writing->array);
    if (dataset < 0)
        return starfish_hdf5_fail(place, "the dataset cannot be created");
    if (starfish_hdf5_add_axes(file, dataset, place->name, writing->array) != 0)
        return starfish_hdf5_fail(place, "the positions of its elements cannot be written");
    return H5Dclose(dataset) < 0 ? starfish_hdf5_fail(place, "the dataset cannot be created") : STARFISH_SUCCESS;
}

/* In a process of its own, also for a new file: where the disk is full, the library cannot close what it has begun, and
 * ends the program when it comes to its end. */
static starfish_status begin_file(const void *data)
{
    const struct writing *writing = data;
    const struct starfish_hdf5_place *place = &writing->place;
    const hid_t file = writing->existing ? H5Fopen(writing->temporary, H5F_ACC_RDWR, H5P_DEFAULT)
                                         : H5Fcreate(writing->temporary, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0)
        return starfish_hdf5_fail(place, writing->existing ? "exists and is not HDF5" : "cannot be created");
    STARFISH_TRY(begin_dataset(file, writing));
    return H5Fclose(file) < 0 ? starfish_hdf5_fail(place, "cannot be written") : STARFISH_SUCCESS;
}

static int write_dataset(hid_t dataset, const struct writing *writing)
{
    const struct starfish_array *array = writing->array;
    size_t rank = 0, shape[STARFISH_MAX_RANK];
    if (shape_of(dataset, &writing->place, &rank, shape) != STARFISH_SUCCESS)
        return -1;
    const struct planes planes = choose_planes(rank, shape, writing->first, array->shape[0]);
    const herr_t code =
        H5Dwrite(dataset, memory_type(array->precision), planes.memory, planes.file, H5P_DEFAULT, array->data);
    release_planes(&planes);
    return code < 0 ? -1 : 0;
}

static starfish_status write_file(const void *data)
{
    const struct writing *writing = data;
    const struct starfish_hdf5_place *place = &writing->place;
    const hid_t file = H5Fopen(writing->temporary, H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t dataset = file < 0 ? -1 : H5Dopen2(file, place->name, H5P_DEFAULT);
    int bad = dataset < 0 || write_dataset(dataset, writing) != 0;
    if (dataset >= 0)
        bad |= H5Dclose(dataset) < 0;
    if (bad)
        return starfish_hdf5_fail(place, "the dataset cannot be written");
    return H5Fclose(file) < 0 ? starfish_hdf5_fail(place, "cannot be written") : STARFISH_SUCCESS;
}

/* ---- one writer, and several ------------------------------------------------------------------------------------- */

static int same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static starfish_status copy_existing(struct starfish_hdf5_output *output)
{
    const char *path = output->output.path;
    FILE *source = output->output.replaced;
    STARFISH_TRY(starfish_hdf5_lock(source, path));
    STARFISH_FAIL_IF(fstat(fileno(source), &output->before) != 0, STARFISH_ERROR_FILE, "%s: %s", path, strerror(errno));
    return copy_stream(source, path, output->output.temporary);
}

/* Under the lock. What is replaced stays open, and so locked, until its successor has its name. It may be a file of the
 * same group, which has not got its name yet. */
static starfish_status begin_locked(struct starfish_hdf5_output *output, const char *name,
                                    const struct starfish_array *array)
{
    const struct starfish_output *ours = starfish_outputs_find(output->output.path);
    output->output.replaced = fopen(ours ? ours->temporary : output->output.path, "rb");
    STARFISH_FAIL_IF(!output->output.replaced && errno != ENOENT, STARFISH_ERROR_FILE, "%s: %s", output->output.path,
                     strerror(errno));
    if (output->output.replaced)
        STARFISH_TRY(copy_existing(output));
    const struct writing writing = {
        {output->output.path, name, 0}, output->output.temporary, output->output.replaced != NULL, array, 0};
    return starfish_hdf5_work_apart(&writing.place, begin_file, &writing);
}

starfish_status starfish_hdf5_begin(struct starfish_hdf5_output *output, const char *path, const char *name,
                                    const struct starfish_array *array)
{
    *output = (struct starfish_hdf5_output){.output = {.folder = -1}};
    STARFISH_TRY(starfish_output_open_name(&output->output, path));
    starfish_status status = starfish_output_lock(&output->output);
    STARFISH_THEN(status, begin_locked(output, name, array));
    return status == STARFISH_SUCCESS ? status : starfish_output_finish(&output->output, status);
}

starfish_status starfish_hdf5_write_planes(const char *temporary, const char *path, const char *name, size_t first,
                                           const struct starfish_array *array)
{
    const size_t bytes = starfish_array_count(array) * starfish_real_size(array->precision);
    const struct writing writing = {{path, name, bytes}, temporary, 1, array, first};
    return starfish_hdf5_work_apart(&writing.place, write_file, &writing);
}

/* Is what was there when the output began there still? */
static starfish_status check_unchanged(const struct starfish_hdf5_output *output)
{
    const char *path = output->output.path;
    struct stat after;
    if (starfish_outputs_find(path))
        return STARFISH_SUCCESS; /* it was a file of ours */
    if (!output->output.replaced)
        return access(path, F_OK) != 0
                   ? STARFISH_SUCCESS
                   : starfish_fail(STARFISH_ERROR_FILE, "%s: another program has made it meanwhile", path);
    return stat(path, &after) == 0 && same_file(&output->before, &after)
               ? STARFISH_SUCCESS
               : starfish_fail(STARFISH_ERROR_FILE, "%s: another program has changed it meanwhile", path);
}

starfish_status starfish_hdf5_finish(struct starfish_hdf5_output *output, starfish_status written)
{
    if (written == STARFISH_SUCCESS)
        written = check_unchanged(output);
    return starfish_output_finish(&output->output, written);
}

starfish_status starfish_hdf5_write(const char *path, const char *name, const struct starfish_array *array)
{
    struct starfish_hdf5_output output;
    STARFISH_TRY(starfish_hdf5_begin(&output, path, name, array));
    return starfish_hdf5_finish(
        &output, starfish_hdf5_write_planes(output.output.temporary, output.output.path, name, 0, array));
}
