/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Positions, names and VTKHDF's description of datasets in HDF5 files (hdf5_axes.h), as attributes and dimension scales
 * beside the dataset. */
#include "apps/files/hdf5_axes.h"

#include <hdf5_hl.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 512 };
static const char mark[] = "starfish_of"; /* whose array's this is: it may be replaced with that */

/* ---- attributes -------------------------------------------------------------------------------------------------- */

static int add_attribute(hid_t object, const char *name, hid_t type, size_t count, const void *value)
{
    const hsize_t extent = count;
    const hid_t space = count > 0 ? H5Screate_simple(1, &extent, NULL) : H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    int bad = attribute < 0 || H5Awrite(attribute, type, value) < 0;
    if (attribute >= 0)
        bad |= H5Aclose(attribute) < 0;
    H5Sclose(space);
    return bad;
}

static int add_text(hid_t object, const char *name, const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text) > 0 ? strlen(text) : 1);
    const int bad = add_attribute(object, name, type, 0, text);
    H5Tclose(type);
    return bad;
}

/* Is it marked as of the array `name`? */
static int is_marked(hid_t file, const char *object, const char *name)
{
    char text[LONGEST] = "";
    if (H5Aexists_by_name(file, object, mark, H5P_DEFAULT) <= 0)
        return 0;
    const hid_t attribute = H5Aopen_by_name(file, object, mark, H5P_DEFAULT, H5P_DEFAULT),
                type = H5Aget_type(attribute);
    const int same = H5Tget_class(type) == H5T_STRING && !H5Tis_variable_str(type) && H5Tget_size(type) < LONGEST &&
                     H5Aread(attribute, type, text) >= 0 && strcmp(text, name) == 0;
    H5Tclose(type);
    H5Aclose(attribute);
    return same;
}

/* May that name be used for something of the array's? What was so is taken away. */
static int make_free(hid_t file, const char *object, const char *name)
{
    if (H5Lexists(file, object, H5P_DEFAULT) <= 0)
        return 1;
    return is_marked(file, object, name) && H5Ldelete(file, object, H5P_DEFAULT) >= 0;
}

/* ---- dimension scales -------------------------------------------------------------------------------------------- */

/* FOLDER/x beside FOLDER/NAME, or FOLDER/NAME_x. */
static int scale_name(hid_t file, const char *name, const char *direction, char *text)
{
    const char *slash = strrchr(name, '/');
    const int folder = slash ? (int)(slash - name) + 1 : 0;
    snprintf(text, LONGEST, "%.*s%s", folder, name, direction);
    if (make_free(file, text, name))
        return 1;
    snprintf(text, LONGEST, "%s_%s", name, direction);
    return make_free(file, text, name);
}

static int add_scale(hid_t file, hid_t dataset, const char *name, const struct starfish_array *array, unsigned d)
{
    const char *direction = array->axes->name[d];
    const hsize_t extent = array->shape[d];
    char scale_at[LONGEST];
    if (!scale_name(file, name, direction, scale_at))
        return 0; /* both names are somebody else's */
    const hid_t space = H5Screate_simple(1, &extent, NULL);
    const hid_t scale = H5Dcreate2(file, scale_at, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Sclose(space);
    if (scale < 0)
        return 1;
    int bad = H5Dwrite(scale, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, array->axes->position[d]) < 0;
    bad |= H5DSset_scale(scale, direction) < 0 || H5DSattach_scale(dataset, scale, d) < 0;
    bad |= add_text(scale, mark, name) || add_text(scale, "units", "1");
    return H5Dclose(scale) < 0 || bad;
}

/* ---- VTKHDF ------------------------------------------------------------------------------------------------------ */

/* x first, as VTK counts directions. */
static int describe_image(hid_t group, const struct starfish_array *array)
{
    const long long version[2] = {1, 0};
    const double direction[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    long long extent[6] = {0};
    double origin[3], spacing[3];
    for (size_t d = 0; d < 3; d++) {
        extent[2 * d + 1] = (long long)array->shape[2 - d] - 1;
        origin[d] = array->axes->position[2 - d][0];
        spacing[d] = array->axes->spacing[2 - d];
    }
    return add_text(group, "Type", "ImageData") || add_attribute(group, "Version", H5T_NATIVE_LLONG, 2, version) ||
           add_attribute(group, "WholeExtent", H5T_NATIVE_LLONG, 6, extent) ||
           add_attribute(group, "Origin", H5T_NATIVE_DOUBLE, 3, origin) ||
           add_attribute(group, "Spacing", H5T_NATIVE_DOUBLE, 3, spacing) ||
           add_attribute(group, "Direction", H5T_NATIVE_DOUBLE, 9, direction);
}

static int add_image(hid_t file, hid_t dataset, const char *name, const struct starfish_array *array)
{
    const char *plain = name + strspn(name, "/");
    if (strchr(plain, '/') || !make_free(file, "/VTKHDF", name))
        return 0;
    const hid_t group = H5Gcreate2(file, "/VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t points = group < 0 ? -1 : H5Gcreate2(group, "PointData", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (points < 0)
        return 1;
    const int bad = describe_image(group, array) || add_text(group, mark, name) || add_text(points, "Scalars", plain) ||
                    H5Olink(dataset, points, plain, H5P_DEFAULT, H5P_DEFAULT) < 0;
    return H5Gclose(points) < 0 || H5Gclose(group) < 0 || bad;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

int starfish_hdf5_add_axes(hid_t file, hid_t dataset, const char *name, const struct starfish_array *array)
{
    const struct starfish_array_axes *axes = array->axes;
    double origin[STARFISH_MAX_RANK];
    int equal = 1, bad = 0;
    if (!axes || strlen(name) > LONGEST / 2)
        return 0;
    for (size_t d = 0; d < array->rank && !bad; d++) {
        origin[d] = axes->position[d][0];
        equal &= axes->spacing[d] > 0;
        bad = add_scale(file, dataset, name, array, (unsigned)d);
    }
    bad = bad || add_text(dataset, "long_name", "solution") || add_text(dataset, "units", "1");
    if (equal && !bad)
        bad = add_attribute(dataset, "origin", H5T_NATIVE_DOUBLE, array->rank, origin) ||
              add_attribute(dataset, "spacing", H5T_NATIVE_DOUBLE, array->rank, axes->spacing);
    return bad || (equal && array->rank == 3 && add_image(file, dataset, name, array));
}
