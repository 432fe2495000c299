/* Real datasets in HDF5 files. */
#include "apps/files/hdf5.h"

#include "apps/files/output.h"
#include "base/real.h"

#include <errno.h>
#include <hdf5.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* HDF5 prints its errors by default. That is switched off here, and the host program's setting restored afterwards. */
struct silence {
    H5E_auto2_t function;
    void *data;
};

static struct silence enter(void)
{
    struct silence silence;
    pthread_mutex_lock(&lock);
    H5Eget_auto2(H5E_DEFAULT, &silence.function, &silence.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return silence;
}

static void leave(struct silence silence)
{
    H5Eset_auto2(H5E_DEFAULT, silence.function, silence.data);
    pthread_mutex_unlock(&lock);
}

static herr_t innermost(unsigned n, const H5E_error2_t *error, void *data)
{
    if (n == 0)
        *(const char **)data = error->desc;
    return 0;
}

/* `what` failed; HDF5's innermost reason is added. */
static starfish_status fail(const char *path, const char *name, const char *what)
{
    const char *reason = NULL;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, &reason);
    return starfish_fail(STARFISH_ERROR_FILE, "%s:%s: %s%s%s%s", path, name, what, reason ? " (HDF5: " : "",
                         reason ? reason : "", reason ? ")" : "");
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static starfish_status element_type(hid_t dataset, const char *path, const char *name, starfish_precision *precision)
{
    hid_t type = H5Dget_type(dataset);
    H5T_class_t class = type < 0 ? H5T_NO_CLASS : H5Tget_class(type);
    *precision = class == H5T_FLOAT && H5Tget_size(type) <= sizeof(float) ? STARFISH_F32 : STARFISH_F64;
    if (type >= 0)
        H5Tclose(type);
    return class == H5T_FLOAT || class == H5T_INTEGER ? STARFISH_SUCCESS
                                                      : fail(path, name, "not a dataset of real numbers");
}

static starfish_status shape_of(hid_t dataset, const char *path, const char *name, size_t *rank,
                                size_t shape[STARFISH_MAX_RANK])
{
    hsize_t extents[H5S_MAX_RANK];
    hid_t space = H5Dget_space(dataset);
    int dimensions = space < 0 ? -1 : H5Sget_simple_extent_dims(space, extents, NULL);
    if (space >= 0)
        H5Sclose(space);
    if (dimensions < 0)
        return fail(path, name, "its shape cannot be read");
    if (dimensions > STARFISH_MAX_RANK)
        return fail(path, name, "has more than 4 dimensions");
    *rank = (size_t)dimensions;
    for (size_t d = 0; d < *rank; ++d)
        shape[d] = (size_t)extents[d];
    return STARFISH_SUCCESS;
}

static hid_t memory_type(starfish_precision precision)
{
    return precision == STARFISH_F32 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
}

static starfish_status read_dataset(hid_t dataset, const char *path, const char *name, struct starfish_array *array)
{
    starfish_precision precision;
    size_t rank = 0, shape[STARFISH_MAX_RANK];
    STARFISH_TRY(element_type(dataset, path, name, &precision));
    STARFISH_TRY(shape_of(dataset, path, name, &rank, shape));
    starfish_status status = starfish_array_create(array, precision, rank, shape);
    if (status != STARFISH_SUCCESS)
        return starfish_fail(status == STARFISH_ERROR_MEMORY ? status : STARFISH_ERROR_FILE, "%s:%s: %s", path, name,
                             starfish_error_message());
    if (H5Dread(dataset, memory_type(precision), H5S_ALL, H5S_ALL, H5P_DEFAULT, array->data) < 0)
        return fail(path, name, "the dataset cannot be read");
    return STARFISH_SUCCESS;
}

static starfish_status read_file(const char *path, const char *name, struct starfish_array *array)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0)
        return fail(path, name, "not a whole HDF5 file");
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    starfish_status status =
        dataset < 0 ? fail(path, name, "no such dataset") : read_dataset(dataset, path, name, array);
    if (dataset >= 0)
        H5Dclose(dataset);
    H5Fclose(file);
    if (status != STARFISH_SUCCESS)
        starfish_array_free(array);
    return status;
}

starfish_status starfish_hdf5_read(const char *path, const char *name, struct starfish_array *array)
{
    struct stat existing;
    *array = (struct starfish_array){.data = NULL};
    if (stat(path, &existing) != 0)
        return starfish_fail(STARFISH_ERROR_FILE, "%s: %s", path, strerror(errno));
    if (!S_ISREG(existing.st_mode))
        return starfish_fail(STARFISH_ERROR_FILE, "%s: %s", path,
                             S_ISDIR(existing.st_mode) ? "is a directory" : "is not a regular file");
    struct silence silence = enter();
    starfish_status status = read_file(path, name, array);
    leave(silence);
    return status;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* What is in the file already goes on living in its successor. */
static starfish_status copy_file(const char *from, const char *to)
{
    enum { CHUNK = 1 << 20 };
    char *chunk = malloc(CHUNK);
    FILE *source = fopen(from, "rb"), *target = fopen(to, "wb");
    int bad = !chunk || !source || !target;
    size_t length;
    while (!bad && (length = fread(chunk, 1, CHUNK, source)) > 0)
        bad = fwrite(chunk, 1, length, target) != length;
    bad |= source && ferror(source);
    if (source)
        fclose(source);
    if (target)
        bad |= fclose(target) != 0;
    free(chunk);
    return bad ? starfish_fail(STARFISH_ERROR_FILE, "%s: cannot be copied before a dataset is added", from)
               : STARFISH_SUCCESS;
}

static starfish_status remove_older(hid_t file, const char *path, const char *name)
{
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    if (dataset < 0)
        return STARFISH_SUCCESS;
    H5Dclose(dataset);
    return H5Ldelete(file, name, H5P_DEFAULT) < 0 ? fail(path, name, "the older dataset cannot be replaced")
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

static starfish_status add_dataset(hid_t file, const char *path, const char *name, const struct starfish_array *array)
{
    STARFISH_TRY(remove_older(file, path, name));
    H5Eclear2(H5E_DEFAULT);
    hid_t dataset = create_dataset(file, name, array);
    if (dataset < 0)
        return fail(path, name, "the dataset cannot be created");
    int bad = H5Dwrite(dataset, memory_type(array->precision), H5S_ALL, H5S_ALL, H5P_DEFAULT, array->data) < 0;
    bad |= H5Dclose(dataset) < 0;
    return bad ? fail(path, name, "the dataset cannot be written") : STARFISH_SUCCESS;
}

/* `path` is for messages; the work happens on `temporary`, empty or a copy of the existing file. */
static starfish_status write_file(const char *temporary, int existing, const char *path, const char *name,
                                  const struct starfish_array *array)
{
    struct silence silence = enter();
    hid_t file = existing ? H5Fopen(temporary, H5F_ACC_RDWR, H5P_DEFAULT)
                          : H5Fcreate(temporary, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    starfish_status status = file < 0 ? fail(path, name, existing ? "exists and is not HDF5" : "cannot be created")
                                      : add_dataset(file, path, name, array);
    if (file >= 0 && H5Fclose(file) < 0 && status == STARFISH_SUCCESS)
        status = fail(path, name, "cannot be written");
    leave(silence);
    return status;
}

starfish_status starfish_hdf5_write(const char *path, const char *name, const struct starfish_array *array)
{
    struct starfish_output output;
    struct stat file;
    int existing = stat(path, &file) == 0;
    starfish_status status = STARFISH_SUCCESS;
    STARFISH_TRY(starfish_output_open_name(&output, path));
    if (existing)
        status = copy_file(output.path, output.temporary);
    if (status == STARFISH_SUCCESS)
        status = write_file(output.temporary, existing, path, name, array);
    return starfish_output_finish(&output, status);
}
