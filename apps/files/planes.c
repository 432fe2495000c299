/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that several processes write together (planes.h): .npy and VTK files at offsets behind a header, or a dataset
 * of an HDF5 file. */
#include "apps/files/planes.h"

#include "apps/files/file.h"
#include "apps/files/npy.h"
#include "base/real.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static starfish_status fail_errno(const char *path)
{
    return starfish_fail(STARFISH_ERROR_FILE, "%s: cannot be written: %s", path, strerror(errno));
}

static starfish_status take_names(struct starfish_planes_file *file, const struct starfish_output *output,
                                  const char *dataset)
{
    STARFISH_FAIL_IF(strlen(output->path) >= sizeof file->path || strlen(output->temporary) >= sizeof file->temporary ||
                         strlen(dataset) >= sizeof file->dataset,
                     STARFISH_ERROR_FILE, "%s: the name is too long", output->path);
    memcpy(file->path, output->path, strlen(output->path) + 1);
    memcpy(file->temporary, output->temporary, strlen(output->temporary) + 1);
    memcpy(file->dataset, dataset, strlen(dataset) + 1);
    return STARFISH_SUCCESS;
}

/* ---- Raw values behind a header ---------------------------------------------------------------------------------- */

static starfish_status open_raw(struct starfish_planes_output *output, const char *path)
{
    *output = (struct starfish_planes_output){.file = {.offset = -1}};
    STARFISH_TRY(starfish_output_open(&output->raw, path));
    if (!output->raw.temporary)
        return starfish_output_finish(&output->raw, starfish_fail(STARFISH_ERROR_FILE,
                                                                  "%s: is not a regular file, which several processes "
                                                                  "cannot write together",
                                                                  path));
    const starfish_status status = take_names(&output->file, &output->raw, "");
    return status == STARFISH_SUCCESS ? status : starfish_output_finish(&output->raw, status);
}

/* Behind the header: the stream goes on behind the values. */
static starfish_status leave_room(struct starfish_planes_output *output, const struct starfish_array *array)
{
    size_t bytes = 0;
    if (starfish_array_bytes(array->precision, array->rank, array->shape, &bytes) != STARFISH_SUCCESS)
        return starfish_output_finish(&output->raw, STARFISH_ERROR_ARGUMENT);
    output->file.offset = (long long)ftello(output->raw.stream);
    if (output->file.offset < 0 || fseeko(output->raw.stream, (off_t)bytes, SEEK_CUR) != 0)
        return starfish_output_finish(&output->raw, fail_errno(output->raw.path));
    return STARFISH_SUCCESS;
}

static starfish_status flush(struct starfish_planes_output *output)
{
    return fflush(output->raw.stream) == 0 ? STARFISH_SUCCESS
                                           : starfish_output_finish(&output->raw, fail_errno(output->raw.path));
}

static starfish_status write_raw(const struct starfish_planes_file *file, size_t first,
                                 const struct starfish_array *planes)
{
    const size_t size = starfish_real_size(planes->precision), count = starfish_array_count(planes);
    const size_t plane = count / planes->shape[0] * size;
    FILE *stream = fopen(file->temporary, "r+b");
    STARFISH_FAIL_IF(!stream, STARFISH_ERROR_FILE, "%s: cannot be written: %s", file->path, strerror(errno));
    int bad = fseeko(stream, (off_t)file->offset + (off_t)(first * plane), SEEK_SET) != 0 ||
              fwrite(planes->data, size, count, stream) != count;
    const int reason = errno;
    bad |= fclose(stream) != 0;
    errno = reason ? reason : errno;
    return bad ? fail_errno(file->path) : STARFISH_SUCCESS;
}

static starfish_status begin_npy(struct starfish_planes_output *output, const char *path,
                                 const struct starfish_array *array)
{
    STARFISH_TRY(open_raw(output, path));
    starfish_npy_write_header(output->raw.stream, array);
    STARFISH_TRY(leave_room(output, array));
    return flush(output);
}

starfish_status starfish_planes_begin_vtk(struct starfish_planes_output *output, const char *path,
                                          const struct starfish_vtk_grid *grid, const struct starfish_array *array)
{
    STARFISH_TRY(starfish_vtk_check(path, grid));
    STARFISH_TRY(open_raw(output, path));
    starfish_vtk_write_header(output->raw.stream, path, grid, "u", array);
    STARFISH_TRY(leave_room(output, array));
    starfish_vtk_write_footer(output->raw.stream);
    return flush(output);
}

/* ---- Datasets ---------------------------------------------------------------------------------------------------- */

static starfish_status begin_hdf5(struct starfish_planes_output *output, const char *path, const char *dataset,
                                  const struct starfish_array *array)
{
    *output = (struct starfish_planes_output){.file = {.offset = -1, .one_at_a_time = 1}};
    STARFISH_TRY(starfish_hdf5_begin(&output->hdf5, path, dataset, array));
    const starfish_status status = take_names(&output->file, &output->hdf5.output, dataset);
    return status == STARFISH_SUCCESS ? status : starfish_hdf5_finish(&output->hdf5, status);
}

/* ---- Both -------------------------------------------------------------------------------------------------------- */

starfish_status starfish_planes_begin(struct starfish_planes_output *output, const char *name,
                                      const struct starfish_array *array)
{
    const char *dataset;
    char *path;
    STARFISH_TRY(starfish_file_split(name, &path, &dataset));
    const starfish_status status = dataset ? begin_hdf5(output, path, dataset, array) : begin_npy(output, path, array);
    free(path);
    return status;
}

starfish_status starfish_planes_write(const struct starfish_planes_file *file, size_t first,
                                      const struct starfish_array *planes)
{
    if (planes->shape[0] == 0)
        return STARFISH_SUCCESS;
    return file->dataset[0] ? starfish_hdf5_write_planes(file->temporary, file->path, file->dataset, first, planes)
                            : write_raw(file, first, planes);
}

starfish_status starfish_planes_finish(struct starfish_planes_output *output, starfish_status written)
{
    return output->file.one_at_a_time ? starfish_hdf5_finish(&output->hdf5, written)
                                      : starfish_output_finish(&output->raw, written);
}
