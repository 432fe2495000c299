/* The options of plans of the separable solvers, as a table. */
#ifndef STARFISH_POISSON_OPTIONS_H
#define STARFISH_POISSON_OPTIONS_H

#include "base/options.h"
#include <starfish/poisson.h>

extern const struct starfish_option_table starfish_poisson_option_table;

/* Takes the user's options (any version's struct, or NULL) and checks them, each by itself and together. */
starfish_status starfish_poisson_read_options(const struct starfish_poisson_options *user,
                                              struct starfish_poisson_options *options);

#endif
