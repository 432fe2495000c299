/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finite element problems as tables (solver/members.h): mesh, marks and boundary data, an array of structs each with a
 * table of its own. */
#include "fem/options.h"

/* ---- The mesh ---------------------------------------------------------------------------------------------------- */

/* Coordinates of a point that are looked at. */
static size_t coordinates(const struct starfish_fem_mesh *mesh)
{
    return mesh->dimensions == 2 ? 2 : 3;
}

static struct starfish_elements points(const void *in, const void *around)
{
    const struct starfish_fem_mesh *mesh = in;

    (void)around;
    return (struct starfish_elements){.rows = mesh->points, .used = coordinates(mesh), .width = 3};
}

STARFISH_ELEMENTS(points_of_cells, starfish_fem_mesh, it->cells *(it->dimensions == 2 ? 9 : 27))

STARFISH_ELEMENTS(marks, starfish_fem_mesh, it->marks)

static struct starfish_elements place_of_mark(const void *in, const void *around)
{
    (void)in;
    return starfish_elements_of(coordinates(around));
}

#define MARK(member) STARFISH_MEMBER_AT(starfish_fem_mark, member)
static const struct starfish_member mark_rows[] = {
    {MARK(cell), .type = STARFISH_MEMBER_SIZE},
    {MARK(group), .type = STARFISH_MEMBER_INT},
    {MARK(place), .type = STARFISH_MEMBER_BYTE, .elements = place_of_mark},
};
static const struct starfish_member_table mark_table = STARFISH_MEMBER_TABLE(starfish_fem_mark, "mark", mark_rows);

#define MESH(member) STARFISH_MEMBER_AT(starfish_fem_mesh, member)
static const struct starfish_member mesh_rows[] = {
    {MESH(dimensions), .type = STARFISH_MEMBER_INT},
    {MESH(points), .type = STARFISH_MEMBER_SIZE},
    {MESH(point), .type = STARFISH_MEMBER_REAL, .shape = "points 3", .elements = points},
    {MESH(cells), .type = STARFISH_MEMBER_SIZE},
    {MESH(cell), .type = STARFISH_MEMBER_INT, .shape = "cells 3^dimensions", .elements = points_of_cells},
    {MESH(marks), .type = STARFISH_MEMBER_SIZE},
    {MESH(mark), .type = STARFISH_MEMBER_STRUCT, .shape = "marks", .elements = marks, .table = &mark_table},
    {MESH(number), .type = STARFISH_MEMBER_SIZE, .shape = "cells", .agree = STARFISH_AGREE_LOCAL}, /* for messages */
};
static const struct starfish_member_table mesh_table = STARFISH_MEMBER_TABLE(starfish_fem_mesh, "mesh", mesh_rows);

/* ---- What is given on groups ------------------------------------------------------------------------------------- */

STARFISH_ELEMENTS(value_without_function, starfish_fem_dirichlet, it->function ? 0 : 1)

#define DIRICHLET(member) STARFISH_MEMBER_AT(starfish_fem_dirichlet, member)
static const struct starfish_member dirichlet_rows[] = {
    {DIRICHLET(group), .type = STARFISH_MEMBER_INT},
    {DIRICHLET(value), .type = STARFISH_MEMBER_REAL, .elements = value_without_function},
    {DIRICHLET(function), .type = STARFISH_MEMBER_POINTER, .agree = STARFISH_AGREE_PRESENT},
    {DIRICHLET(data), .type = STARFISH_MEMBER_POINTER, .agree = STARFISH_AGREE_LOCAL},
};
static const struct starfish_member_table dirichlet_table =
    STARFISH_MEMBER_TABLE(starfish_fem_dirichlet, "dirichlet", dirichlet_rows);

static struct starfish_elements centre_of_curve(const void *in, const void *around)
{
    const struct starfish_fem_problem *problem = around;

    (void)in;
    return starfish_elements_of(coordinates(problem->mesh));
}

#define CURVE(member) STARFISH_MEMBER_AT(starfish_fem_curve, member)
static const struct starfish_member curve_rows[] = {
    {CURVE(group), .type = STARFISH_MEMBER_INT},
    {CURVE(centre), .type = STARFISH_MEMBER_REAL, .elements = centre_of_curve},
    {CURVE(radius), .type = STARFISH_MEMBER_REAL},
};
static const struct starfish_member_table curve_table = STARFISH_MEMBER_TABLE(starfish_fem_curve, "curve", curve_rows);

/* ---- The problem ------------------------------------------------------------------------------------------------- */

STARFISH_ELEMENTS(rhs_without_source, starfish_fem_problem, it->source ? 0 : 1)

STARFISH_ELEMENTS(dirichlets, starfish_fem_problem, it->dirichlets)

STARFISH_ELEMENTS(curves, starfish_fem_problem, it->curves)

#define AT(member) STARFISH_MEMBER_AT(starfish_fem_problem, member)
static const struct starfish_member rows[] = {
    {AT(mesh), .type = STARFISH_MEMBER_STRUCT, .shape = "1", .table = &mesh_table},
    {AT(refinements), .type = STARFISH_MEMBER_INT},
    {AT(element), .type = STARFISH_MEMBER_INT},
    {AT(rhs), .type = STARFISH_MEMBER_REAL, .elements = rhs_without_source},
    {AT(source), .type = STARFISH_MEMBER_POINTER, .agree = STARFISH_AGREE_PRESENT},
    {AT(source_data), .type = STARFISH_MEMBER_POINTER, .agree = STARFISH_AGREE_LOCAL},
    {AT(dirichlets), .type = STARFISH_MEMBER_SIZE},
    {AT(dirichlet), .type = STARFISH_MEMBER_STRUCT, .shape = "dirichlets", .elements = dirichlets,
     .table = &dirichlet_table},
    {AT(curves), .type = STARFISH_MEMBER_SIZE},
    {AT(curve), .type = STARFISH_MEMBER_STRUCT, .shape = "curves", .elements = curves, .table = &curve_table},
};

const struct starfish_member_table starfish_fem_problem_table =
    STARFISH_MEMBER_TABLE(starfish_fem_problem, "fem", rows);
