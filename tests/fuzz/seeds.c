/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes the binary part of the corpora, as small files: FOLDER/npy and FOLDER/hdf5.
 *
 *     fuzz_seeds FOLDER */
#include <hdf5.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *folder;

static const char *path_of(const char *kind, const char *name)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s/%s", folder, kind, name);
    return path;
}

/* ---- NPY --------------------------------------------------------------------------------------------------------- */

static void write_npy(const char *name, int version, const char *header, size_t bytes)
{
    static const uint8_t zeros[256];
    const size_t length = strlen(header);
    const uint8_t start[] = {0x93, 'N', 'U', 'M', 'P', 'Y', (uint8_t)version, 0, (uint8_t)length, 0, 0, 0};
    FILE *stream = fopen(path_of("npy", name), "wb");
    if (!stream)
        exit(2);
    fwrite(start, 1, version == 1 ? 10 : 12, stream);
    fwrite(header, 1, length, stream);
    fwrite(zeros, 1, bytes, stream);
    fclose(stream);
}

static void make_npy(void)
{
    write_npy("f8", 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\n", 48);
    write_npy("f4-swapped", 2, "{'descr': '>f4', 'fortran_order': True, 'shape': (2, 3, 1, 2), }\n", 48);
    write_npy("i4", 3, "{'descr': '<i4', 'fortran_order': False, 'shape': (6,), }\n", 24);
    write_npy("i8", 1, "{'shape': (2, 3), 'descr': '<i8', 'fortran_order': True}", 48);
    write_npy("scalar", 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (), }\n", 8);
    write_npy("none", 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 0), }\n", 0);
    write_npy("huge", 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }\n", 8);
}

/* ---- HDF5 -------------------------------------------------------------------------------------------------------- */

static const hsize_t extents[2] = {2, 3}, boundless[2] = {H5S_UNLIMITED, 3}, chunk[2] = {1, 2};
static const double values[6] = {1, 2, 3, 4, 5, 6};

static hid_t begin(const char *name, int latest)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (latest)
        H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    const hid_t file = H5Fcreate(path_of("hdf5", name), H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    if (file < 0)
        exit(2);
    return file;
}

static void add(hid_t place, const char *name, hid_t type, hid_t creation)
{
    const hid_t space = H5Screate_simple(2, extents, H5Pget_layout(creation) == H5D_CHUNKED ? boundless : extents);
    const hid_t dataset = H5Dcreate2(place, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(dataset);
    H5Sclose(space);
}

static hid_t layout(H5D_layout_t kind)
{
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    if (kind == H5D_CHUNKED)
        H5Pset_chunk(creation, 2, chunk);
    else
        H5Pset_layout(creation, kind);
    return creation;
}

static void make_layouts(int latest)
{
    static const struct {
        const char *name;
        H5D_layout_t kind;
    } layouts[] = {{"contiguous", H5D_CONTIGUOUS}, {"compact", H5D_COMPACT}, {"chunked", H5D_CHUNKED}};
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; ++i) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", layouts[i].name, latest ? "-latest" : "");
        const hid_t file = begin(name, latest), creation = layout(layouts[i].kind);
        add(file, "u", H5T_IEEE_F64LE, creation);
        H5Pclose(creation);
        H5Fclose(file);
    }
}

static void make_filtered(void)
{
    const hid_t file = begin("filtered", 0), creation = layout(H5D_CHUNKED);
    H5Pset_shuffle(creation);
    H5Pset_fletcher32(creation);
    if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0)
        H5Pset_deflate(creation, 6);
    add(file, "u", H5T_IEEE_F32BE, creation);
    H5Pclose(creation);
    H5Fclose(file);
}

/* Groups, links, integers, an attribute, and names that stand in the way of what is written. */
static void make_groups(const char *name, int latest)
{
    const hid_t file = begin(name, latest);
    const hid_t group = H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    add(group, "u", H5T_STD_I16LE, H5P_DATASET_CREATE_DEFAULT);
    add(group, "v", H5T_IEEE_F32LE, H5P_DATASET_CREATE_DEFAULT);
    H5Lcreate_soft("/g/u", file, "u", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/nowhere", group, "w", H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(group, "units", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, H5T_NATIVE_DOUBLE, values);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Gclose(group);
    H5Fclose(file);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    folder = argv[1];
    mkdir(folder, 0777);
    mkdir(path_of("npy", ""), 0777);
    mkdir(path_of("hdf5", ""), 0777);
    make_npy();
    make_layouts(0);
    make_layouts(1);
    make_filtered();
    make_groups("groups", 0);
    make_groups("groups-latest", 1);
    return 0;
}
