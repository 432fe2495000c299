/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checked contents of measured/CASE.json of a recorded machine, for comparison with simulations. */
#ifndef STARFISH_APPS_MACHINE_MEASURED_H
#define STARFISH_APPS_MACHINE_MEASURED_H

#include "base/status.h"

#include <jansson.h>

enum { MEASURED_ARGUMENTS = 64, MEASURED_NAME = 64, MEASURED_UNKNOWNS = 4096 };

/* Read such a file. What is returned has a name of letters, digits and "-_.+"; where there is "n" it is a
 * number, or three, in 1 .. MEASURED_UNKNOWNS; "problem", where there is one, is text; "arguments" is at most
 * MEASURED_ARGUMENTS texts; and each of "rows" has "workers" and "policy", which are text of a line, and positive
 * "seconds". The caller owns *file. Errors: FILE, ARGUMENT (names file and key). */
starfish_status measured_read(const char *path, json_t **file);

/* "n" of such a file in each direction, as machine_write_problem has it. Returns 0 where there is none. */
int measured_size(const json_t *file, size_t n[3]);

#endif
