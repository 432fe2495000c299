/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Unstructured meshes in VTK's XML format: a header, then "_" and the arrays as raw bytes, each behind its length as a
 * UInt64. Curved cells are VTK's biquadratic quadrilateral and triquadratic hexahedron. */
#include "apps/files/vtu.h"

#include "apps/files/output.h"
#include "apps/files/vtk.h"
#include "base/real.h"

#include <stdint.h>

/* Our places of VTK's points. */
static const int order_4[] = {0, 1, 3, 2}, order_8[] = {0, 1, 3, 2, 4, 5, 7, 6};
static const int order_9[] = {0, 2, 8, 6, 1, 5, 7, 3, 4};
static const int order_27[] = {0,  2,  8, 6,  18, 20, 26, 24, 1,  5,  7, 3,  19, 23,
                               25, 21, 9, 11, 17, 15, 12, 14, 10, 16, 4, 22, 13};
static const struct shape {
    int per_cell, type;
    const int *order;
} shapes[] = {{4, 9, order_4}, {8, 12, order_8}, {9, 28, order_9}, {27, 29, order_27}};

static const struct shape *shape_of(int per_cell)
{
    const struct shape *shape = shapes;
    while (shape->per_cell != per_cell)
        ++shape;
    return shape;
}

static starfish_status check_extension(const char *path)
{
    STARFISH_FAIL_IF(!starfish_path_ends(path, ".vtu"), STARFISH_ERROR_ARGUMENT,
                     "%s: a VTK file of an unstructured mesh ends in .vtu", path);
    return STARFISH_SUCCESS;
}

starfish_status starfish_vtu_check(const char *path)
{
    STARFISH_TRY(check_extension(path));
    return starfish_output_check(path);
}

/* Arrays come one after the other: `offset` moves behind this one. */
static void describe(FILE *stream, const char *type, const char *name, int components, uint64_t bytes, uint64_t *offset)
{
    fprintf(stream, "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" ", type,
            name, components);
    fprintf(stream, "offset=\"%llu\"/>\n", (unsigned long long)*offset);
    *offset += sizeof bytes + bytes;
}

static void write_header(FILE *stream, const struct starfish_vtu_mesh *mesh, const char *name,
                         const struct starfish_array *values)
{
    const uint64_t nodes = mesh->points, cells = mesh->cells;
    uint64_t offset = 0;
    starfish_vtk_begin(stream, "UnstructuredGrid");
    fprintf(stream, "  <UnstructuredGrid>\n    <Piece NumberOfPoints=\"%llu\" ", (unsigned long long)nodes);
    fprintf(stream, "NumberOfCells=\"%llu\">\n      <PointData Scalars=\"%s\">\n", (unsigned long long)cells, name);
    describe(stream, values->precision == STARFISH_F32 ? "Float32" : "Float64", name, 1,
             nodes * starfish_real_size(values->precision), &offset);
    fprintf(stream, "      </PointData>\n      <Points>\n");
    describe(stream, "Float64", "Points", 3, 3 * nodes * sizeof(double), &offset);
    fprintf(stream, "      </Points>\n      <Cells>\n");
    describe(stream, "Int32", "connectivity", 1, cells * (uint64_t)mesh->per_cell * sizeof(int32_t), &offset);
    describe(stream, "Int64", "offsets", 1, cells * sizeof(int64_t), &offset);
    describe(stream, "UInt8", "types", 1, cells, &offset);
    fprintf(stream, "      </Cells>\n    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n_");
}

static void write_block(FILE *stream, const void *data, uint64_t bytes)
{
    fwrite(&bytes, sizeof bytes, 1, stream);
    fwrite(data, 1, bytes, stream);
}

static void write_cells(FILE *stream, const struct starfish_vtu_mesh *mesh)
{
    const struct shape *shape = shape_of(mesh->per_cell);
    const uint64_t per_cell = (uint64_t)mesh->per_cell;
    uint64_t bytes = mesh->cells * per_cell * sizeof(int32_t);
    fwrite(&bytes, sizeof bytes, 1, stream);
    for (size_t c = 0; c < mesh->cells; ++c)
        for (int n = 0; n < mesh->per_cell; ++n) {
            const int32_t point = mesh->cell[c * per_cell + (size_t)shape->order[n]];
            fwrite(&point, sizeof point, 1, stream);
        }
    bytes = mesh->cells * sizeof(int64_t);
    fwrite(&bytes, sizeof bytes, 1, stream);
    for (size_t c = 1; c <= mesh->cells; ++c) {
        const int64_t end = (int64_t)(c * per_cell);
        fwrite(&end, sizeof end, 1, stream);
    }
    bytes = mesh->cells;
    fwrite(&bytes, sizeof bytes, 1, stream);
    for (size_t c = 0; c < mesh->cells; ++c)
        fputc(shape->type, stream);
}

starfish_status starfish_vtu_write(const char *path, const struct starfish_vtu_mesh *mesh, const char *name,
                                   const struct starfish_array *values)
{
    struct starfish_output output;
    STARFISH_TRY(check_extension(path));
    STARFISH_TRY(starfish_output_open(&output, path));
    write_header(output.stream, mesh, name, values);
    write_block(output.stream, values->data, mesh->points * starfish_real_size(values->precision));
    write_block(output.stream, mesh->point, 3 * mesh->points * sizeof *mesh->point);
    write_cells(output.stream, mesh);
    starfish_vtk_write_footer(output.stream);
    return starfish_output_finish(&output, STARFISH_SUCCESS);
}
