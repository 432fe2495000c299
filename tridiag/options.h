/* The options of plans of tridiagonal batches, as a table. */
#ifndef STARFISH_TRIDIAG_OPTIONS_H
#define STARFISH_TRIDIAG_OPTIONS_H

#include "base/options.h"
#include <starfish/tridiag.h>

extern const struct starfish_option_table starfish_tridiag_option_table;

#endif
