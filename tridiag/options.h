/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options of plans of tridiagonal batches, as a table (base/options.h), and the names of the algorithms. */
#ifndef STARFISH_TRIDIAG_OPTIONS_H
#define STARFISH_TRIDIAG_OPTIONS_H

#include "base/options.h"
#include <starfish/tridiag.h>

enum { STARFISH_BATCH_MOST_PIECES = 256 };

/* Names of algorithms, by starfish_algorithm; behind them that of STARFISH_BATCH_CR_IN_PLACE, which benchmarks have. */
extern const char *const starfish_algorithm_names[];

extern const struct starfish_option_table starfish_tridiag_option_table;

#endif
