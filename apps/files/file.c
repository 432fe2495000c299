/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Array files by name (file.h): the ending of a name selects NumPy's or HDF5's reader and writer, and names are
 * compared and joined. */
#include "apps/files/file.h"

#include "apps/files/hdf5.h"
#include "apps/files/npy.h"
#include "apps/files/output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the name of an HDF5 file, which NetCDF-4 and VTKHDF are, ends: at the colon before the dataset, or at the end;
 * NULL when it is not one. */
static const char *hdf5_end(const char *name)
{
    static const char *const extensions[] = {".h5", ".hdf5", ".nc", ".vtkhdf"};
    for (size_t i = 0; i < sizeof extensions / sizeof extensions[0]; ++i)
        for (const char *at = name; (at = strstr(at, extensions[i])) != NULL;) {
            at += strlen(extensions[i]);
            if (*at == ':' || !*at)
                return at;
        }
    return NULL;
}

static starfish_status unknown_kind(const char *name)
{
    return starfish_fail(STARFISH_ERROR_FILE, "%s: an array's name is FILE.npy or FILE.h5:/DATASET", name);
}

starfish_status starfish_file_split(const char *name, char **path, const char **dataset)
{
    const char *end = hdf5_end(name);
    if (!end && !starfish_path_ends(name, ".npy"))
        return unknown_kind(name);
    *dataset = !end ? NULL : *end ? end + 1 : "/u";
    if (*dataset && !(*dataset)[strspn(*dataset, "/")])
        return unknown_kind(name);
    *path = end ? strndup(name, (size_t)(end - name)) : strdup(name);
    return *path ? STARFISH_SUCCESS : starfish_fail(STARFISH_ERROR_MEMORY, "%s: no memory for its name", name);
}

static starfish_status read_any(const char *name, const struct starfish_wanted *wanted, struct starfish_array *array)
{
    const char *dataset;
    char *path;
    *array = (struct starfish_array){.data = NULL};
    STARFISH_TRY(starfish_file_split(name, &path, &dataset));
    const starfish_status status =
        dataset ? starfish_hdf5_read(path, dataset, wanted, array) : starfish_npy_read(path, wanted, array);
    free(path);
    return status;
}

starfish_status starfish_file_read(const char *name, const struct starfish_wanted *wanted, struct starfish_array *array)
{
    STARFISH_TRY(read_any(name, wanted, array));
    size_t bad = starfish_array_first_nonfinite(array);
    if (wanted && bad + 1 == wanted->ignored)
        bad = starfish_array_next_nonfinite(array, bad + 1);
    if (bad == starfish_array_count(array))
        return STARFISH_SUCCESS;
    /* NumPy's index of the element. */
    size_t index[STARFISH_MAX_RANK], rest = bad;
    char text[STARFISH_SHAPE_TEXT];
    for (size_t d = array->rank; d-- > 0; rest /= array->shape[d])
        index[d] = rest % array->shape[d];
    if (array->rank > 0 && wanted && wanted->part)
        index[0] += wanted->first;
    starfish_fail(STARFISH_ERROR_FILE, "%s: element %s is %s", name, starfish_shape_text(array->rank, index, text),
                  isnan(starfish_array_get(array, bad)) ? "NaN" : "infinite");
    starfish_array_free(array);
    return STARFISH_ERROR_FILE;
}

starfish_status starfish_file_write(const char *name, const struct starfish_array *array)
{
    const char *dataset;
    char *path;
    STARFISH_TRY(starfish_file_split(name, &path, &dataset));
    const starfish_status status =
        dataset ? starfish_hdf5_write(path, dataset, array) : starfish_npy_write(path, array);
    free(path);
    return status;
}

starfish_status starfish_file_check_output(const char *name)
{
    const char *dataset;
    char *path;
    STARFISH_TRY(starfish_file_split(name, &path, &dataset));
    const starfish_status status = dataset ? starfish_hdf5_check(path, dataset) : starfish_output_check(path);
    free(path);
    return status;
}

int starfish_file_same(const char *name, const char *other)
{
    const char *dataset[2];
    char *path[2] = {NULL, NULL};
    const int same = starfish_file_split(name, &path[0], &dataset[0]) == STARFISH_SUCCESS &&
                     starfish_file_split(other, &path[1], &dataset[1]) == STARFISH_SUCCESS &&
                     (strcmp(path[0], path[1]) == 0 || starfish_path_same(path[0], path[1])) &&
                     (!dataset[0] || !dataset[1] || strcmp(dataset[0], dataset[1]) == 0);

    free(path[0]);
    free(path[1]);
    return same;
}

starfish_status starfish_file_join(const char *folder, const char *name, char **path)
{
    size_t length = folder && name[0] != '/' ? strlen(folder) : 0;
    int slash = length > 0 && folder[length - 1] != '/';
    *path = malloc(length + strlen(name) + 2);
    STARFISH_FAIL_IF(!*path, STARFISH_ERROR_MEMORY, "%s: no memory for its name", name);
    sprintf(*path, "%.*s%s%s", (int)length, length ? folder : "", slash ? "/" : "", name);
    return STARFISH_SUCCESS;
}

starfish_status starfish_file_folder(const char *name, char **folder)
{
    const char *slash = strrchr(name, '/');
    *folder = slash ? strndup(name, (size_t)(slash - name) + 1) : strdup("");
    return *folder ? STARFISH_SUCCESS : starfish_fail(STARFISH_ERROR_MEMORY, "%s: no memory for its name", name);
}
