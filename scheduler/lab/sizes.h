/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What footprints of tasks were made of: the sizes, directions, precisions and kinds behind each, so that a simulation
 * can compare a task that was not recorded with those that were. StarPU's models keep only the hash.
 *
 * Nothing is kept until starfish_sizes_read is called, and on a simulated machine. Any thread.
 */
#ifndef STARFISH_SCHEDULER_LAB_SIZES_H
#define STARFISH_SCHEDULER_LAB_SIZES_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

enum { STARFISH_SIZES_MOST = 32 }; /* values of a footprint that are kept */

struct starfish_sizes {
    uint32_t hash;
    size_t count;
    const size_t *value;
};

/* For starfish_footprint_of. */
void starfish_sizes_note(uint32_t hash, const size_t *values, size_t count);

/* The sizes behind the hash of which a task's footprint has the lowest 24 bits (submit.c); NULL: not known. What is
 * returned stays. `count`: that it must have, since two hashes may share those bits; 0: any. */
const struct starfish_sizes *starfish_sizes_of(uint32_t footprint, size_t count);

/* A text file, a line for each hash: itself in hexadecimal, then the values. Reading adds to what is kept; a file that
 * is not there has none. Errors: FILE, MEMORY. */
starfish_status starfish_sizes_write(const char *path);
starfish_status starfish_sizes_read(const char *path);

#endif
