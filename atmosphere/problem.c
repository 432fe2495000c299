/* Problems in flat domains as a table. */
#include "atmosphere/options.h"

#define AT(member) STARFISH_MEMBER_AT(starfish_atmosphere_problem, member)

/* Panels have lengths of their own. */
STARFISH_ELEMENTS(of_box, starfish_atmosphere_problem, it->geometry == STARFISH_FLAT_BOX ? 2 : 0)
STARFISH_ELEMENTS(columns, starfish_atmosphere_problem, it->n[0] * it->n[1])
STARFISH_ELEMENTS(layers, starfish_atmosphere_problem, it->n[2])
STARFISH_ELEMENTS(between_layers, starfish_atmosphere_problem, it->n[2] + 1)

static const char *const geometries[] = {
    [STARFISH_FLAT_BOX] = "flat", [STARFISH_PANEL] = "panel", [STARFISH_SPHERE] = "sphere"};
static const struct starfish_member rows[] = {
    {AT(geometry), .type = STARFISH_MEMBER_INT, STARFISH_OPTION_VALUES(geometries)},
    {AT(n), .type = STARFISH_MEMBER_SIZE},
    {AT(length), .type = STARFISH_MEMBER_REAL, .elements = of_box},
    {AT(periodic), .type = STARFISH_MEMBER_SWITCH},
    {AT(height), .type = STARFISH_MEMBER_REAL},
    {AT(faces), .type = STARFISH_MEMBER_REAL, .shape = "z+1", .elements = between_layers},
    {AT(omega), .type = STARFISH_MEMBER_REAL},
    {AT(lambda), .type = STARFISH_MEMBER_REAL},
    {AT(alpha_across), .type = STARFISH_MEMBER_REAL, .shape = "y x", .elements = columns},
    {AT(alpha_up), .type = STARFISH_MEMBER_REAL, .shape = "z", .elements = layers},
    {AT(beta_across), .type = STARFISH_MEMBER_REAL, .shape = "y x", .elements = columns},
    {AT(beta_up), .type = STARFISH_MEMBER_REAL, .shape = "z", .elements = layers},
    {AT(xi_up), .type = STARFISH_MEMBER_REAL, .shape = "z", .elements = layers},
};

const struct starfish_member_table starfish_atmosphere_problem_table =
    STARFISH_MEMBER_TABLE(starfish_atmosphere_problem, "atmosphere", rows);

static starfish_status create(struct starfish_context *context, const void *problem, const void *options,
                              struct starfish_plan **plan)
{
    return starfish_atmosphere_plan_create(context, problem, options, plan);
}

const struct starfish_problem_row starfish_atmosphere_problems[] = {
    {"atmosphere3d", 3, &starfish_atmosphere_problem_table, create},
    {.name = NULL},
};
