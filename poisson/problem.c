/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Separable problems as tables (solver/members.h): three axes or two, each a uniform or stretched grid or a tridiagonal
 * matrix. */
#include "poisson/options.h"

#include "scheduler/runtime/ranks.h"

/* ---- An axis ----------------------------------------------------------------------------------------------------- */

/* What axes that are grids have, what uniform and stretched ones, and what a matrix. */
STARFISH_ELEMENTS(of_grid, starfish_axis, it->kind != STARFISH_TRIDIAGONAL ? 1 : 0)
STARFISH_ELEMENTS(ends_of_grid, starfish_axis, it->kind != STARFISH_TRIDIAGONAL ? 2 : 0)
STARFISH_ELEMENTS(of_uniform, starfish_axis, it->kind == STARFISH_UNIFORM ? 1 : 0)
STARFISH_ELEMENTS(of_stretched, starfish_axis, it->kind == STARFISH_STRETCHED ? 1 : 0)
STARFISH_ELEMENTS(coordinates, starfish_axis, it->kind == STARFISH_STRETCHED ? it->coordinate_count : 0)
STARFISH_ELEMENTS(of_matrix, starfish_axis, it->kind == STARFISH_TRIDIAGONAL ? 1 : 0)
STARFISH_ELEMENTS(diagonal, starfish_axis, it->kind == STARFISH_TRIDIAGONAL ? (it->complex_line ? 2 : 1) * it->n : 0)

/* The couplings beyond the ends, which only periodic ones have. */
static size_t ignored(const struct starfish_axis *axis)
{
    return axis->kind != STARFISH_TRIDIAGONAL || axis->periodic ? 0 : axis->complex_line ? 2 : 1;
}

static struct starfish_elements upper(const void *in, const void *around)
{
    return starfish_elements_of(diagonal(in, around).used - ignored(in));
}

static struct starfish_elements lower(const void *in, const void *around)
{
    struct starfish_elements extent = upper(in, around);

    extent.first = ignored(in);
    return extent;
}

#define AXIS(member) STARFISH_MEMBER_AT(starfish_axis, member)
static const struct starfish_member axis_rows[] = {
    {AXIS(kind), .type = STARFISH_MEMBER_INT},
    {AXIS(n), .type = STARFISH_MEMBER_SIZE},
    {AXIS(coordinate_count), .type = STARFISH_MEMBER_SIZE, .elements = of_stretched},
    {AXIS(periodic), .type = STARFISH_MEMBER_SWITCH, .elements = of_matrix},
    {AXIS(complex_line), .type = STARFISH_MEMBER_SWITCH},
    {AXIS(origin), .type = STARFISH_MEMBER_REAL, .elements = of_uniform, .agree = STARFISH_AGREE_LOCAL},
    {AXIS(length), .type = STARFISH_MEMBER_REAL, .elements = of_uniform, .bound = STARFISH_BOUND_POSITIVE},
    {AXIS(robin), .type = STARFISH_MEMBER_REAL, .elements = ends_of_grid},
    {AXIS(ends), .type = STARFISH_MEMBER_INT, .elements = ends_of_grid, .values = starfish_end_names,
     .value_count = STARFISH_ENDS, .key = "bc"},
    {AXIS(grid), .type = STARFISH_MEMBER_INT, .elements = of_grid},
    {AXIS(coordinates), .type = STARFISH_MEMBER_REAL, .shape = "coordinate_count", .elements = coordinates},
    {AXIS(lower), .type = STARFISH_MEMBER_REAL, .shape = "n", .elements = lower},
    {AXIS(diag), .type = STARFISH_MEMBER_REAL, .shape = "n", .elements = diagonal},
    {AXIS(upper), .type = STARFISH_MEMBER_REAL, .shape = "n", .elements = upper},
};
static const struct starfish_member_table axis_table = STARFISH_MEMBER_TABLE(starfish_axis, "axis", axis_rows);

/* ---- Problems ---------------------------------------------------------------------------------------------------- */

static const char *const eigenvalue_names[] = {[STARFISH_DIFFERENCE] = "difference", [STARFISH_SPECTRAL] = "spectral"};

#define AT(member) STARFISH_MEMBER_AT(starfish_poisson_problem, member)
static const struct starfish_member rows[] = {
    {AT(axis), .type = STARFISH_MEMBER_STRUCT, .table = &axis_table},
    {AT(lambda), .type = STARFISH_MEMBER_REAL, .optional = 1},
    {AT(eigenvalues), .type = STARFISH_MEMBER_INT, .values = eigenvalue_names, .value_count = 2, .optional = 1},
};

#define FLAT(member) STARFISH_MEMBER_AT(starfish_separable2d_problem, member)
static const struct starfish_member flat_rows[] = {
    {FLAT(axis), .type = STARFISH_MEMBER_STRUCT, .table = &axis_table},
    {FLAT(lambda), .type = STARFISH_MEMBER_REAL, .optional = 1},
};

/* Problems in other coordinates: of two axes or three, in one struct. */
#define KIND(member) STARFISH_MEMBER_AT(starfish_problem, member)
static const char *const kind_names[] = {[STARFISH_POISSON2D] = "poisson2d",
                                         [STARFISH_POLAR2D] = "polar2d",
                                         [STARFISH_CYLINDER3D] = "cylinder3d",
                                         [STARFISH_SPHERE2D] = "sphere2d",
                                         [STARFISH_SHELL3D] = "shell3d"};
#define KIND_ROWS(dimensions)                                                                                          \
    {                                                                                                                  \
        {KIND(kind), .type = STARFISH_MEMBER_INT, .values = kind_names, .value_count = STARFISH_SHELL3D + 1},          \
            {.name = "axis",                                                                                           \
             .offset = offsetof(struct starfish_problem, axis),                                                        \
             .bytes = (dimensions) * sizeof(struct starfish_axis),                                                     \
             .type = STARFISH_MEMBER_STRUCT,                                                                           \
             .table = &axis_table},                                                                                    \
            {KIND(lambda), .type = STARFISH_MEMBER_REAL, .optional = 1},                                               \
            {KIND(eigenvalues), .type = STARFISH_MEMBER_INT, .values = eigenvalue_names, .value_count = 2,             \
             .optional = 1},                                                                                           \
    }
static const struct starfish_member rows_2d[] = KIND_ROWS(2), rows_3d[] = KIND_ROWS(3);

const struct starfish_member_table starfish_problem_2d_table =
    STARFISH_MEMBER_TABLE(starfish_problem, "problem2d", rows_2d);
const struct starfish_member_table starfish_problem_3d_table =
    STARFISH_MEMBER_TABLE(starfish_problem, "problem3d", rows_3d);
const struct starfish_member_table starfish_poisson_problem_table =
    STARFISH_MEMBER_TABLE(starfish_poisson_problem, "poisson", rows);
const struct starfish_member_table starfish_separable2d_problem_table =
    STARFISH_MEMBER_TABLE(starfish_separable2d_problem, "separable2d", flat_rows);

static starfish_status check_axes(const struct starfish_axis *x, const struct starfish_axis *y)
{
    STARFISH_NEED(x, "x");
    STARFISH_NEED(y, "y");
    return STARFISH_SUCCESS;
}

starfish_status starfish_separable2d_take(const struct starfish_context *context, const struct starfish_axis *x,
                                          const struct starfish_axis *y, double lambda,
                                          struct starfish_separable2d_problem *problem)
{
    STARFISH_NEED(context, "context");
    STARFISH_TRY(starfish_ranks_agree(context, check_axes(x, y)));
    *problem = (struct starfish_separable2d_problem){.axis = {*x, *y}, .lambda = lambda};
    return STARFISH_SUCCESS;
}

static struct starfish_axis axis_of(const void *problem, size_t d)
{
    return ((const struct starfish_poisson_problem *)problem)->axis[d];
}

static struct starfish_axis flat_axis_of(const void *problem, size_t d)
{
    return ((const struct starfish_separable2d_problem *)problem)->axis[d];
}

static struct starfish_axis axis_of_kind(const void *problem, size_t d)
{
    return ((const struct starfish_problem *)problem)->axis[d];
}

const char *starfish_kind_name(starfish_kind kind)
{
    return kind_names[kind];
}

static const char *const of_cylinders[] = {"theta", "z", "r"}, *const of_discs[] = {"theta", "r"},
                         *const of_spheres[] = {"phi", "theta"}, *const of_shells[] = {"phi", "r", "theta"};
static const char *const of_ranges[] = {"kind",   "n",           "range", "bc",       "grid",  "boundary",
                                        "lambda", "eigenvalues", "rhs",   "solution", "exact", NULL};
static const char *const of_grids[] = {"kind",   "n",           "length", "origin",   "bc",    "grid", "boundary",
                                       "lambda", "eigenvalues", "rhs",    "solution", "exact", NULL};
static const char *const of_matrices[] = {"kind", "n", "length", "y", "z", "lambda", "rhs", "solution", "exact", NULL};
static const char *const of_flat_ones[] = {"kind", "n", "x", "y", "lambda", "rhs", "solution", "exact", NULL};
const struct starfish_problem_row starfish_poisson_problems[] = {
    {"poisson3d", 3, &starfish_poisson_problem_table, of_grids, axis_of, NULL},
    {"separable3d", 3, &starfish_poisson_problem_table, of_matrices, axis_of, NULL},
    {"separable2d", 2, &starfish_separable2d_problem_table, of_flat_ones, flat_axis_of, NULL},
    {"poisson2d", 2, &starfish_problem_2d_table, of_grids, axis_of_kind, NULL},
    {"polar2d", 2, &starfish_problem_2d_table, of_ranges, axis_of_kind, of_discs},
    {"cylinder3d", 3, &starfish_problem_3d_table, of_ranges, axis_of_kind, of_cylinders},
    {"sphere2d", 2, &starfish_problem_2d_table, of_ranges, axis_of_kind, of_spheres},
    {"shell3d", 3, &starfish_problem_3d_table, of_ranges, axis_of_kind, of_shells},
    {.name = NULL},
};
