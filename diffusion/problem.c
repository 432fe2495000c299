/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems of diffusion as a table (solver/members.h): the members of its struct, in two dimensions or three, and their
 * keys in problem files. */
#include "diffusion/options.h"

#define AT(member) STARFISH_MEMBER_AT(starfish_diffusion_problem, member)

/* Of the directions that there are. */
STARFISH_ELEMENTS(directions, starfish_diffusion_problem, it->dimensions)
STARFISH_ELEMENTS(ends, starfish_diffusion_problem, 2 * it->dimensions)
STARFISH_ELEMENTS(unless_by_cell, starfish_diffusion_problem, it->coefficient ? 0 : 1)

static const char *const means[] = {[STARFISH_MEAN_HARMONIC] = "harmonic", [STARFISH_MEAN_ARITHMETIC] = "arithmetic"};
static const struct starfish_member rows[] = {
    {AT(dimensions), .type = STARFISH_MEMBER_SIZE},
    {AT(n), .type = STARFISH_MEMBER_SIZE, .elements = directions},
    {AT(length), .type = STARFISH_MEMBER_REAL, .elements = directions, .bound = STARFISH_BOUND_POSITIVE},
    {AT(ends), .type = STARFISH_MEMBER_INT, .elements = ends, .values = starfish_end_names,
     .value_count = STARFISH_BOX_ENDS, .key = "bc"},
    {AT(lambda), .type = STARFISH_MEMBER_REAL, .optional = 1},
    {AT(mean), .type = STARFISH_MEMBER_INT, STARFISH_OPTION_VALUES(means), .optional = 1},
    {AT(coefficient), .type = STARFISH_MEMBER_REAL, .shape = "z y x", .agree = STARFISH_AGREE_PRESENT,
     .bound = STARFISH_BOUND_POSITIVE, .constant = offsetof(struct starfish_diffusion_problem, constant_coefficient)},
    {AT(constant_coefficient), .type = STARFISH_MEMBER_REAL, .elements = unless_by_cell},
    {AT(regions), .type = STARFISH_MEMBER_LONG, .shape = "z y x", .agree = STARFISH_AGREE_PRESENT, .optional = 1},
};

const struct starfish_member_table starfish_diffusion_problem_table =
    STARFISH_MEMBER_TABLE(starfish_diffusion_problem, "diffusion", rows);

static struct starfish_axis axis_of(const void *problem, size_t d)
{
    const struct starfish_diffusion_problem *p = problem;

    return (struct starfish_axis){.kind = STARFISH_UNIFORM,
                                  .n = p->n[d],
                                  .length = p->length[d],
                                  .ends = {p->ends[d][0], p->ends[d][1]},
                                  .grid = STARFISH_CELL};
}

static const char *const keys[] = {"kind", "n",        "length", "origin",      "bc",   "boundary", "lambda",
                                   "rhs",  "solution", "exact",  "coefficient", "mean", "regions",  NULL};
const struct starfish_problem_row starfish_diffusion_problems[] = {
    {"diffusion3d", 3, &starfish_diffusion_problem_table, keys, axis_of, NULL},
    {"diffusion2d", 2, &starfish_diffusion_problem_table, keys, axis_of, NULL},
    {.name = NULL},
};
