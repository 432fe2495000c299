/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options of plans of tridiagonal batches, as a table (base/options.h): names, ranges and lines of help. */
#include "tridiag/options.h"

#include "tridiag/kernels/batch.h"

#define AT(member) STARFISH_OPTION_AT(starfish_tridiag_options, member)

const char *const starfish_algorithm_names[] = {
    [STARFISH_ALGORITHM_AUTO] = "auto",
    [STARFISH_ALGORITHM_THOMAS] = "thomas",
    [STARFISH_ALGORITHM_TILED] = "tiled",
    [STARFISH_ALGORITHM_CR] = "cr",
    [STARFISH_ALGORITHM_PCR] = "pcr",
    [STARFISH_ALGORITHM_CR_PCR] = "cr-pcr",
    [STARFISH_ALGORITHM_PCR_THOMAS] = "pcr-thomas",
    [STARFISH_ALGORITHM_PIVOTED] = "pivoted",
    [STARFISH_BATCH_CR_IN_PLACE] = "cr-in-place",
    NULL,
};

static const struct starfish_option rows[] = {
    {AT(precision), STARFISH_OPTION_PRECISION, .flag = "--precision", .text = "of the arithmetic"},
    {AT(algorithm), .type = STARFISH_OPTION_CHOICE, .default_value = STARFISH_ALGORITHM_AUTO,
     .values = starfish_algorithm_names, .value_count = STARFISH_ALGORITHMS, .flag = "--algorithm",
     .text = "how the lines are solved"},
    {AT(slabs), .synonym = "pieces", .type = STARFISH_OPTION_SIZE, .most = STARFISH_BATCH_MOST_PIECES,
     .flag = "--slabs", .text = "tasks that the lines are cut into; 0: chosen from the workers"},
    {AT(keep_factors), .type = STARFISH_OPTION_SWITCH, .text = "thomas: keep the factorisation in the plan"},
    {AT(check), .type = STARFISH_OPTION_SWITCH,
     .text = "refuse matrices whose elimination without pivoting breaks down"},
};

const struct starfish_option_table starfish_tridiag_option_table =
    STARFISH_OPTION_TABLE(starfish_tridiag_options, STARFISH_TRIDIAG_OPTIONS_DEFAULTS, rows);
