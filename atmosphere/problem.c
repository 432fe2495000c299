/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems in flat domains as a table (solver/members.h): what ranks compare, what problem files have as keys, and what
 * Python passes. */
#include "atmosphere/options.h"

#include <math.h>
#include <starfish/poisson.h>

#define AT(member) STARFISH_MEMBER_AT(starfish_atmosphere_problem, member)

/* Panels have lengths of their own. */
STARFISH_ELEMENTS(of_box, starfish_atmosphere_problem, it->geometry == STARFISH_FLAT_BOX ? 2 : 0)
STARFISH_ELEMENTS(columns, starfish_atmosphere_problem, it->n[0] * it->n[1])
STARFISH_ELEMENTS(layers, starfish_atmosphere_problem, it->n[2])
STARFISH_ELEMENTS(between_layers, starfish_atmosphere_problem, it->n[2] + 1)

/* Panels of a sphere lie one behind the other in y. */
static starfish_status check_panels(const void *in)
{
    const struct starfish_atmosphere_problem *p = in;

    STARFISH_REFUSE_IF(p->geometry == STARFISH_SPHERE && (p->n[1] % 6 != 0 || p->n[1] / 6 != p->n[0]),
                       "of a sphere the second number is 6 times the first, the rows of six panels; "
                       "%zu is not 6 times %zu",
                       p->n[1], p->n[0]);
    return STARFISH_SUCCESS;
}

static starfish_status check_faces(const void *in)
{
    const struct starfish_atmosphere_problem *p = in;
    const double *faces = p->faces, last = faces[p->n[2]];

    STARFISH_REFUSE_IF(faces[0] != 0, "must begin with 0, not %g", faces[0]);
    for (size_t k = 0; k < p->n[2]; k++)
        STARFISH_REFUSE_IF(!(faces[k + 1] > faces[k]), "must increase, but entry %zu is %g after %g", k + 2,
                           faces[k + 1], faces[k]);
    STARFISH_REFUSE_IF(!(fabs(last - p->height) <= 1e-12 * p->height), "must end with \"height\" = %g, not %g",
                       p->height, last);
    return STARFISH_SUCCESS;
}

static const char for_boxes[] = "is for \"geometry\": \"flat\"";
static const char *const geometries[] = {
    [STARFISH_FLAT_BOX] = "flat", [STARFISH_PANEL] = "panel", [STARFISH_SPHERE] = "sphere"};
static const struct starfish_member rows[] = {
    {AT(geometry), .type = STARFISH_MEMBER_INT, STARFISH_OPTION_VALUES(geometries)},
    {AT(n), .type = STARFISH_MEMBER_SIZE, .check = check_panels},
    {AT(length), .type = STARFISH_MEMBER_REAL, .elements = of_box, .bound = STARFISH_BOUND_POSITIVE, .only = for_boxes},
    {AT(periodic), .type = STARFISH_MEMBER_SWITCH, .key = "sides", .only = for_boxes, .optional = 1},
    {AT(height), .type = STARFISH_MEMBER_REAL, .bound = STARFISH_BOUND_POSITIVE},
    {AT(faces), .type = STARFISH_MEMBER_REAL, .shape = "z+1", .elements = between_layers, .key = "levels.faces",
     .optional = 1, .check = check_faces},
    {AT(omega), .type = STARFISH_MEMBER_REAL, .bound = STARFISH_BOUND_ZERO},
    {AT(lambda), .type = STARFISH_MEMBER_REAL, .bound = STARFISH_BOUND_ZERO},
    {AT(alpha_across), .type = STARFISH_MEMBER_REAL, .shape = "y x", .elements = columns},
    {AT(alpha_up), .type = STARFISH_MEMBER_REAL, .shape = "z", .elements = layers},
    {AT(beta_across), .type = STARFISH_MEMBER_REAL, .shape = "y x", .elements = columns},
    {AT(beta_up), .type = STARFISH_MEMBER_REAL, .shape = "z", .elements = layers},
    {AT(xi_up), .type = STARFISH_MEMBER_REAL, .shape = "z", .elements = layers},
};

const struct starfish_member_table starfish_atmosphere_problem_table =
    STARFISH_MEMBER_TABLE(starfish_atmosphere_problem, "atmosphere", rows);

/* Sides of panels are as long as a quarter of the equator. */
static struct starfish_axis axis_of(const void *problem, size_t d)
{
    const struct starfish_atmosphere_problem *p = problem;
    const int is_up = d == 2, is_flat = p->geometry == STARFISH_FLAT_BOX,
              panels = p->geometry == STARFISH_SPHERE && d == 1 ? 6 : 1;
    const starfish_end end = is_up ? STARFISH_NEUMANN : p->periodic[d] ? STARFISH_PERIODIC : STARFISH_DIRICHLET;

    return (struct starfish_axis){.kind = is_up && p->faces ? STARFISH_STRETCHED : STARFISH_UNIFORM,
                                  .n = p->n[d],
                                  .origin = is_up || is_flat ? 0 : -0.78539816339744830962,
                                  .length = is_up     ? p->height
                                            : is_flat ? p->length[d]
                                                      : panels * 1.57079632679489661923,
                                  .ends = {end, end},
                                  .grid = STARFISH_CELL,
                                  .coordinates = is_up ? p->faces : NULL};
}

static const char *const keys[] = {"kind",  "geometry", "n",   "length",   "sides", "height", "levels",
                                   "omega", "lambda",   "rhs", "solution", "exact", NULL};
const struct starfish_problem_row starfish_atmosphere_problems[] = {
    {"atmosphere3d", 3, &starfish_atmosphere_problem_table, keys, axis_of, NULL},
    {.name = NULL},
};
