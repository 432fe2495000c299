/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prefetch into the second-level cache, some lines at a time, by a thread that computes meanwhile. Hardware prefetches
 * only within a run of memory while it is being read; this continues across runs and uses idle memory bandwidth. */
#ifndef STARFISH_BASE_FETCH_H
#define STARFISH_BASE_FETCH_H

#include <stddef.h>

enum { STARFISH_FETCH_LINE = 64 /* bytes */ };

struct starfish_fetch {
    const void *const *piece; /* runs of memory, `bytes` each; not read, only fetched */
    size_t pieces, bytes;
    size_t at_once;           /* lines for each call */
    size_t at_piece, at_byte; /* what comes next; zero at first */
};

/* Lines in all. */
static inline size_t starfish_fetch_lines(const struct starfish_fetch *fetch)
{
    return fetch->pieces * ((fetch->bytes + STARFISH_FETCH_LINE - 1) / STARFISH_FETCH_LINE);
}

/* All of them in `calls` calls of starfish_fetch_some. */
static inline void starfish_fetch_in(struct starfish_fetch *fetch, size_t calls)
{
    fetch->at_once = calls > 0 ? (starfish_fetch_lines(fetch) + calls - 1) / calls : 0;
}

/* The next ones. fetch: NULL: there are none. */
static inline void starfish_fetch_some(struct starfish_fetch *fetch)
{
    for (size_t l = 0; fetch && l < fetch->at_once && fetch->at_piece < fetch->pieces; l++) {
        __builtin_prefetch((const char *)fetch->piece[fetch->at_piece] + fetch->at_byte, 0, 2);
        fetch->at_byte += STARFISH_FETCH_LINE;
        if (fetch->at_byte >= fetch->bytes)
            fetch->at_piece++, fetch->at_byte = 0;
    }
}

#endif
