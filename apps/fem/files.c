/* The files that a finite element solve leaves. */
#include "apps/fem/fem.h"
#include "apps/files/file.h"
#include "apps/files/output.h"
#include "apps/files/vtu.h"
#include "apps/pictures/image.h"
#include "base/status.h"

starfish_status fem_check_outputs(const struct fem_run *run)
{
    const struct fem_options *o = &run->options;
    if (o->out)
        STARFISH_TRY(starfish_file_check_output(o->out));
    if (o->points && o->out && starfish_file_same(o->points, o->out))
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "--points: %s is the file of --out", o->points);
    if (o->points)
        STARFISH_TRY(starfish_file_check_output(o->points));
    if (o->vtk)
        STARFISH_TRY(starfish_vtu_check(o->vtk));
    return o->plot ? starfish_image_check(o->plot) : STARFISH_SUCCESS;
}

static starfish_status write_points(struct fem_run *run)
{
    const size_t d = (size_t)run->gmsh.mesh.dimensions, shape[] = {starfish_fem_nodes(run->plan), d};
    const double *point = starfish_fem_points(run->plan);
    STARFISH_TRY(starfish_array_create(&run->points, STARFISH_F64, 2, shape));
    double *to = run->points.data;
    for (size_t n = 0; n < shape[0]; ++n)
        for (size_t i = 0; i < d; ++i)
            to[d * n + i] = point[3 * n + i];
    return starfish_file_write(run->options.points, &run->points);
}

static starfish_status write_vtu(const struct fem_run *run)
{
    const int d = run->gmsh.mesh.dimensions;
    struct starfish_vtu_mesh mesh = {.points = starfish_fem_nodes(run->plan),
                                     .dimensions = d,
                                     .per_cell = run->options.element == STARFISH_FEM_Q1 ? 1 << d
                                                 : d == 2                                ? 9
                                                                                         : 27,
                                     .point = starfish_fem_points(run->plan)};
    mesh.cells = starfish_fem_cells(run->plan, &mesh.cell);
    return starfish_vtu_write(run->options.vtk, &mesh, "u", &run->u);
}

static starfish_status write_all(struct fem_run *run)
{
    const struct fem_options *o = &run->options;
    if (o->out)
        STARFISH_TRY(starfish_file_write(o->out, &run->u));
    if (o->points)
        STARFISH_TRY(write_points(run));
    if (o->vtk)
        STARFISH_TRY(write_vtu(run));
    return o->plot ? fem_write_plot(run) : STARFISH_SUCCESS;
}

starfish_status fem_write_outputs(struct fem_run *run)
{
    starfish_outputs_begin();
    return starfish_outputs_finish(write_all(run));
}
