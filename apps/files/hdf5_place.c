/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Places of datasets in HDF5 files (hdf5_place.h): refuses links to other files, runs work apart, and words the
 * library's errors. */
#include "apps/files/hdf5_place.h"

#include "apps/files/apart.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- external links ---------------------------------------------------------------------------------------------- */

/* Where the last external link that was met leads, FILE:/NAME; "" where none was. Of a process apart, which works on
 * one file in one thread. */
static char link_met[512];

/* In the place of HDF5's function that opens the other file. */
static hid_t refuse_link(const char *name, hid_t group, const void *value, size_t size, hid_t access, hid_t transfer)
{
    const char *file = "?", *object = "?";
    (void)name, (void)group, (void)access, (void)transfer;
    H5Lunpack_elink_val(value, size, NULL, &file, &object);
    snprintf(link_met, sizeof link_met, "%s:%s", file, object);
    return -1;
}

static starfish_status fail_elsewhere(const struct starfish_hdf5_place *place)
{
    return starfish_fail(STARFISH_ERROR_FILE,
                         "%s:%s: leads to another file by an external link, to %s: external links are not followed",
                         place->path, place->name, link_met);
}

/* External storage, and virtual datasets. */
static starfish_status check_elements(hid_t dataset, const struct starfish_hdf5_place *place)
{
    const hid_t properties = H5Dget_create_plist(dataset);
    if (properties < 0)
        return starfish_hdf5_fail(place, "how its elements are stored cannot be read");
    const int elsewhere = H5Pget_layout(properties) == H5D_VIRTUAL || H5Pget_external_count(properties) != 0;
    H5Pclose(properties);
    return elsewhere ? starfish_fail(STARFISH_ERROR_FILE,
                                     "%s:%s: its elements are in other files: external storage and virtual datasets "
                                     "are not supported",
                                     place->path, place->name)
                     : STARFISH_SUCCESS;
}

/* ---- the process ------------------------------------------------------------------------------------------------- */

struct work {
    starfish_status (*run)(const void *data);
    const void *data;
};

static starfish_status begin(const void *data)
{
    static const H5L_class_t refused = {
        .version = H5L_LINK_CLASS_T_VERS, .id = H5L_TYPE_EXTERNAL, .comment = "refused", .trav_func = refuse_link};
    const struct work *work = data;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* HDF5 prints its errors by default */
    H5Lregister(&refused);
    return work->run(work->data);
}

/* Chunks may be as large as the array itself; and the library has memory of its own. */
starfish_status starfish_hdf5_work_apart(const struct starfish_hdf5_place *place,
                                         starfish_status (*run)(const void *data), const void *data)
{
    enum { LIBRARY = 1 << 26, SECONDS = 10 };
    const double slowest = 1e7; /* bytes per second */
    const struct work work = {run, data};
    const size_t length = strlen(place->path) + strlen(place->name) + 2;
    char *title = malloc(length);
    STARFISH_FAIL_IF(!title, STARFISH_ERROR_MEMORY, "%s: no memory for its name", place->path);
    snprintf(title, length, "%s:%s", place->path, place->name);
    const struct starfish_apart apart = {title, LIBRARY + 2 * place->bytes,
                                         SECONDS + (unsigned)((double)place->bytes / slowest)};
    pthread_mutex_lock(&lock);
    H5open(); /* what the library makes at its start every process then finds made */
    const starfish_status status = starfish_apart(&apart, begin, &work);
    pthread_mutex_unlock(&lock);
    free(title);
    return status;
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static herr_t innermost(unsigned n, const H5E_error2_t *error, void *data)
{
    if (n == 0)
        *(const char **)data = error->desc;
    return 0;
}

starfish_status starfish_hdf5_fail(const struct starfish_hdf5_place *place, const char *what)
{
    const char *reason = NULL;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, &reason);
    return starfish_fail(STARFISH_ERROR_FILE, "%s:%s: %s%s%s%s", place->path, place->name, what,
                         reason ? " (HDF5: " : "", reason ? reason : "", reason ? ")" : "");
}

/* ---- files and datasets ------------------------------------------------------------------------------------------ */

starfish_status starfish_hdf5_lock(FILE *file, const char *path)
{
    return flock(fileno(file), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
               ? starfish_fail(STARFISH_ERROR_FILE, "%s: is open for writing in another program", path)
               : STARFISH_SUCCESS;
}

starfish_status starfish_hdf5_open(const struct starfish_hdf5_place *place, const char *what, hid_t *opened)
{
    *opened = H5Fopen(place->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (*opened >= 0)
        return STARFISH_SUCCESS;
    FILE *file = fopen(place->path, "rb");
    const starfish_status locked = file ? starfish_hdf5_lock(file, place->path) : STARFISH_SUCCESS;
    if (file)
        fclose(file);
    return locked == STARFISH_SUCCESS ? starfish_hdf5_fail(place, what) : locked;
}

starfish_status starfish_hdf5_open_dataset(hid_t file, const struct starfish_hdf5_place *place, hid_t *dataset)
{
    link_met[0] = '\0';
    *dataset = H5Dopen2(file, place->name, H5P_DEFAULT);
    if (*dataset < 0)
        return link_met[0] ? fail_elsewhere(place) : starfish_hdf5_fail(place, "no such dataset");
    return check_elements(*dataset, place);
}

/* ---- where a dataset may go -------------------------------------------------------------------------------------- */

/* The type of the object under a name; H5I_BADID when there is none, or only a link that leads nowhere. */
static starfish_status find_type(hid_t file, const struct starfish_hdf5_place *place, const char *name,
                                 H5I_type_t *type)
{
    starfish_status status = STARFISH_SUCCESS;
    link_met[0] = '\0';
    const hid_t object = H5Oopen(file, name, H5P_DEFAULT);
    *type = object < 0 ? H5I_BADID : H5Iget_type(object);
    if (*type == H5I_DATASET)
        status = check_elements(object, place);
    else if (object < 0 && link_met[0])
        status = fail_elsewhere(place);
    if (object >= 0)
        H5Oclose(object);
    H5Eclear2(H5E_DEFAULT);
    return status;
}

/* Of the names above the place's, `prefix` is one, and there. */
static starfish_status check_group(hid_t file, const struct starfish_hdf5_place *place, const char *prefix)
{
    H5I_type_t type;
    STARFISH_TRY(find_type(file, place, prefix, &type));
    return type == H5I_GROUP
               ? STARFISH_SUCCESS
               : starfish_fail(STARFISH_ERROR_FILE, "%s:%s: %s is not a group", place->path, place->name, prefix);
}

static starfish_status check_groups(hid_t file, const struct starfish_hdf5_place *place, int *exists)
{
    const char *name = place->name;
    char *prefix = strdup(name);
    starfish_status status = STARFISH_SUCCESS;
    STARFISH_FAIL_IF(!prefix, STARFISH_ERROR_MEMORY, "%s:%s: no memory for its name", place->path, name);
    *exists = 1;
    for (size_t at = strspn(name, "/"); status == STARFISH_SUCCESS && *exists && name[at];) {
        const size_t end = at + strcspn(name + at, "/"), next = end + strspn(name + end, "/");
        prefix[end] = '\0';
        *exists = H5Lexists(file, prefix, H5P_DEFAULT) > 0;
        if (*exists && name[next])
            status = check_group(file, place, prefix);
        prefix[end] = name[end];
        at = next;
    }
    free(prefix);
    return status;
}

starfish_status starfish_hdf5_check_name(hid_t file, const struct starfish_hdf5_place *place, int *exists)
{
    H5I_type_t type = H5I_DATASET;
    STARFISH_TRY(check_groups(file, place, exists));
    if (*exists)
        STARFISH_TRY(find_type(file, place, place->name, &type));
    return type == H5I_DATASET || type == H5I_BADID
               ? STARFISH_SUCCESS
               : starfish_hdf5_fail(place, "is there already, and is not a dataset");
}
