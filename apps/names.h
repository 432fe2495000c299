/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choices specific to the program, as rows like those of the library's options, which define all other names. */
#ifndef STARFISH_APPS_NAMES_H
#define STARFISH_APPS_NAMES_H

#include "base/options.h"

/* A row: a choice among the names of an array, or the first `count` of one that goes on. */
#define NAMES_FIRST(flag_, names, count, text_)                                                                        \
    {                                                                                                                  \
        .flag = (flag_), .type = STARFISH_OPTION_CHOICE, .values = (names), .value_count = (count), .text = (text_)    \
    }
#define NAMES_ROW(flag_, names, text_) NAMES_FIRST(flag_, names, sizeof(names) / sizeof(names)[0], text_)
#define NAMES_TABLE(rows)                                                                                              \
    {                                                                                                                  \
        .count = sizeof(rows) / sizeof(rows)[0], .option = (rows)                                                      \
    }

extern const char *const names_workers[];      /* by starfish_worker_kind */
extern const char *const names_layouts[];      /* of the lines of a batch: 0 contiguous, 1 interleaved */
extern const char *const names_coefficients[]; /* by enum batch_coefficients (plans/batch_case.h) */
extern const char *const names_geometries[];   /* by starfish_flat_geometry */
extern const char *const names_places[];       /* memory of a benchmark's data: 0 host, 1 device */
enum { NAMES_ALL, NAMES_NONE };                /* of --peers */

/* --precision, with STARFISH_PRECISION_MIXED; --algorithm of batches, with STARFISH_BATCH_CR_IN_PLACE; --layout,
 * --coefficients, --geometry, --where, --peers: of the lists above. */
extern const struct starfish_option_table names_table;

#endif
