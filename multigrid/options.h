/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options of multigrid plans, as a table (base/options.h), with the names of smoothers, cycles, iterations and
 * forms of matrices. */
#ifndef STARFISH_MULTIGRID_OPTIONS_H
#define STARFISH_MULTIGRID_OPTIONS_H

#include "base/options.h"
#include <starfish/multigrid.h>

/* Names, by starfish_smoother, starfish_cycle_shape, starfish_krylov, starfish_storage and starfish_matrix_form; and by
 * starfish_sharing, for options of others too. */
extern const char *const starfish_sharing_names[STARFISH_SHARINGS];
extern const char *const starfish_smoother_names[],
    *const starfish_cycle_names[], *const starfish_krylov_names[], *const starfish_storage_names[],
                                                                       *const starfish_matrix_names[];

extern const struct starfish_option_table starfish_multigrid_option_table;

/* Takes the user's options (any version's struct, or NULL) and checks them, each by itself and together. */
starfish_status starfish_multigrid_read_options(const struct starfish_multigrid_options *user,
                                                struct starfish_multigrid_options *options);

#endif
