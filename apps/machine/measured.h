/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What `starfish sched` took on a recorded machine: FOLDER/measured.csv, one line per case, set of workers and policy,
 * as an array of objects whose keys are the columns. An empty cell is a key that is missing. */
#ifndef STARFISH_APPS_MACHINE_MEASURED_H
#define STARFISH_APPS_MACHINE_MEASURED_H

#include "base/status.h"

#include <jansson.h>

enum { MEASURED_ARGUMENTS = 64, MEASURED_NAME = 64, MEASURED_TEXT = 512, MEASURED_UNKNOWNS = 4096 };

/* Read such a file, all of which is checked; a missing one has no rows. Each row has a "case" of letters, digits and
 * "-_.+"; "workers" and "policy"; positive "seconds"; where it has "n", one number or three in 1 .. MEASURED_UNKNOWNS;
 * and at most MEASURED_ARGUMENTS "arguments" with single blanks between. Texts are shorter than MEASURED_TEXT. The
 * caller owns *rows. Errors: FILE, ARGUMENT (names the file, and the line or the column), MEMORY. */
starfish_status measured_read(const char *path, json_t **rows);

/* Write the columns of rows; other keys are left out. Errors: FILE, MEMORY. */
starfish_status measured_write(const char *path, const json_t *rows);

/* A new row after those of its case; cases are in the order of their names. Takes over `row`. */
void measured_add(json_t *rows, json_t *row);

/* "n" of a row in each direction, as machine_write_problem has it. Returns 0 where there is none. */
int measured_size(const json_t *row, size_t n[3]);

#endif
