/* The option tables of all families. */
#include "apps/plans/family.h"

#include "atmosphere/options.h"
#include "diffusion/options.h"
#include "poisson/options.h"

const struct starfish_option_table *const problem_option_tables[] = {
    &starfish_poisson_option_table, &starfish_diffusion_option_table, &starfish_atmosphere_option_table, NULL};
