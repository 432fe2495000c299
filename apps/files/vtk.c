/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* VTK's XML formats: a header in XML, then "_" and the arrays as raw bytes, each behind its length as a UInt64. */
#include "apps/files/vtk.h"

#include "apps/files/output.h"
#include "base/real.h"

#include <math.h>
#include <stdint.h>

static const char *const axis_names = "xyz";
static const char *const vtk_types[] = {[STARFISH_F32] = "Float32", [STARFISH_F64] = "Float64"};

static starfish_status check_extension(const char *path, const struct starfish_vtk_grid *grid)
{
    STARFISH_FAIL_IF(grid->round && !starfish_path_ends(path, ".vts"), STARFISH_ERROR_ARGUMENT,
                     "%s: a VTK file (--vtk) of kind %s ends in .vts", path, grid->round->kind);
    if (grid->round)
        return STARFISH_SUCCESS;
    if (starfish_path_ends(path, ".vtr"))
        return STARFISH_SUCCESS;
    STARFISH_FAIL_IF(!starfish_path_ends(path, ".vti"), STARFISH_ERROR_ARGUMENT,
                     "%s: a VTK file's name ends in .vti or .vtr", path);
    for (int d = 0; d < 3; ++d)
        STARFISH_FAIL_IF(grid->axis[d].coordinates, STARFISH_ERROR_ARGUMENT,
                         "%s: a .vti file has equal spacing and %c is stretched; name it .vtr", path, axis_names[d]);
    return STARFISH_SUCCESS;
}

starfish_status starfish_vtk_check(const char *path, const struct starfish_vtk_grid *grid)
{
    STARFISH_TRY(check_extension(path, grid));
    return starfish_output_check(path);
}

void starfish_vtk_begin(FILE *stream, const char *type)
{
    const char *order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "LittleEndian" : "BigEndian";
    fprintf(stream, "<?xml version=\"1.0\"?>\n");
    fprintf(stream, "<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"%s\" header_type=\"UInt64\">\n", type, order);
}

static void write_extent(FILE *stream, const struct starfish_vtk_axis axis[3])
{
    fprintf(stream, "\"0 %zu 0 %zu 0 %zu\"", axis[0].n - 1, axis[1].n - 1, axis[2].n - 1);
}

static void write_point_data(FILE *stream, const char *name, starfish_precision precision, uint64_t offset)
{
    fprintf(stream, "      <PointData Scalars=\"%s\">\n", name);
    fprintf(stream, "        <DataArray type=\"%s\" Name=\"%s\" format=\"appended\" offset=\"%llu\"/>\n",
            vtk_types[precision], name, (unsigned long long)offset);
    fprintf(stream, "      </PointData>\n");
}

static void begin_grid(FILE *stream, const char *type, const struct starfish_vtk_axis axis[3])
{
    starfish_vtk_begin(stream, type);
    fprintf(stream, "  <%s WholeExtent=", type);
    write_extent(stream, axis);
}

static void begin_piece(FILE *stream, const struct starfish_vtk_axis axis[3])
{
    fprintf(stream, ">\n    <Piece Extent=");
    write_extent(stream, axis);
    fprintf(stream, ">\n");
}

static void begin_appended(FILE *stream, const char *type)
{
    fprintf(stream, "    </Piece>\n  </%s>\n  <AppendedData encoding=\"raw\">\n_", type);
}

static void write_image(FILE *stream, const struct starfish_vtk_axis axis[3], const char *name,
                        starfish_precision precision)
{
    begin_grid(stream, "ImageData", axis);
    fprintf(stream, " Origin=\"%.17g %.17g %.17g\"", axis[0].origin, axis[1].origin, axis[2].origin);
    fprintf(stream, " Spacing=\"%.17g %.17g %.17g\"", axis[0].spacing, axis[1].spacing, axis[2].spacing);
    begin_piece(stream, axis);
    write_point_data(stream, name, precision, 0);
    begin_appended(stream, "ImageData");
}

static double position_of(const struct starfish_vtk_axis *axis, size_t i)
{
    return axis->coordinates ? axis->coordinates[i] : axis->origin + (double)i * axis->spacing;
}

static void write_coordinates(FILE *stream, const struct starfish_vtk_axis *axis)
{
    uint64_t bytes = axis->n * sizeof(double);
    fwrite(&bytes, sizeof bytes, 1, stream);
    for (size_t i = 0; i < axis->n; ++i) {
        double position = position_of(axis, i);
        fwrite(&position, sizeof position, 1, stream);
    }
}

static void write_rectilinear(FILE *stream, const struct starfish_vtk_axis axis[3], const char *name,
                              starfish_precision precision)
{
    uint64_t offset = 0;
    begin_grid(stream, "RectilinearGrid", axis);
    begin_piece(stream, axis);
    fprintf(stream, "      <Coordinates>\n");
    for (int d = 0; d < 3; ++d) {
        fprintf(stream, "        <DataArray type=\"Float64\" Name=\"%c\" format=\"appended\" offset=\"%llu\"/>\n",
                axis_names[d], (unsigned long long)offset);
        offset += sizeof(uint64_t) + axis[d].n * sizeof(double);
    }
    fprintf(stream, "      </Coordinates>\n");
    write_point_data(stream, name, precision, offset);
    begin_appended(stream, "RectilinearGrid");
    for (int d = 0; d < 3; ++d)
        write_coordinates(stream, &axis[d]);
}

static void place(const struct starfish_vtk_round *round, const double q[3], double x[3])
{
    const double radius = round->radius < 0 ? 1 : q[round->radius], other = q[round->other];
    const double across = round->is_ball ? radius * sin(other) : radius;
    x[0] = across * cos(q[0]);
    x[1] = across * sin(q[0]);
    x[2] = round->is_ball ? radius * cos(other) : other;
}

static void write_points(FILE *stream, const struct starfish_vtk_grid *grid)
{
    const struct starfish_vtk_axis *axis = grid->axis;
    double x[3];
    for (size_t k = 0; k < axis[2].n; ++k)
        for (size_t j = 0; j < axis[1].n; ++j)
            for (size_t i = 0; i < axis[0].n; ++i) {
                const double q[3] = {position_of(&axis[0], i), position_of(&axis[1], j), position_of(&axis[2], k)};
                place(grid->round, q, x);
                fwrite(x, sizeof x, 1, stream);
            }
}

static void write_structured(FILE *stream, const struct starfish_vtk_grid *grid, const char *name,
                             starfish_precision precision)
{
    const struct starfish_vtk_axis *axis = grid->axis;
    const uint64_t bytes = axis[0].n * axis[1].n * axis[2].n * 3 * sizeof(double);
    begin_grid(stream, "StructuredGrid", axis);
    begin_piece(stream, axis);
    fprintf(stream, "      <Points>\n        <DataArray type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\" "
                    "format=\"appended\" offset=\"0\"/>\n      </Points>\n");
    write_point_data(stream, name, precision, sizeof bytes + bytes);
    begin_appended(stream, "StructuredGrid");
    fwrite(&bytes, sizeof bytes, 1, stream);
    write_points(stream, grid);
}

void starfish_vtk_write_header(FILE *stream, const char *path, const struct starfish_vtk_grid *grid, const char *name,
                               const struct starfish_array *field)
{
    size_t count = 0;
    starfish_array_bytes(field->precision, field->rank, field->shape, &count);
    const uint64_t bytes = count;
    if (grid->round)
        write_structured(stream, grid, name, field->precision);
    else if (starfish_path_ends(path, ".vtr"))
        write_rectilinear(stream, grid->axis, name, field->precision);
    else
        write_image(stream, grid->axis, name, field->precision);
    fwrite(&bytes, sizeof bytes, 1, stream);
}

void starfish_vtk_write_footer(FILE *stream)
{
    fprintf(stream, "\n  </AppendedData>\n</VTKFile>\n");
}

starfish_status starfish_vtk_write(const char *path, const struct starfish_vtk_grid *grid, const char *name,
                                   const struct starfish_array *field)
{
    struct starfish_output output;
    STARFISH_TRY(check_extension(path, grid));
    STARFISH_TRY(starfish_output_open(&output, path));
    starfish_vtk_write_header(output.stream, path, grid, name, field);
    fwrite(field->data, starfish_real_size(field->precision), starfish_array_count(field), output.stream);
    starfish_vtk_write_footer(output.stream);
    return starfish_output_finish(&output, STARFISH_SUCCESS);
}
