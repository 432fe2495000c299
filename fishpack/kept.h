/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Objects kept from one call to the next, found by a key of bytes. FISHPACK has no plans: what a call prepares, later
 * calls with the same key use again. Objects that no call uses are destroyed, the oldest first, where all together take
 * more than a bound. Thread-safe. */
#ifndef STARFISH_FISHPACK_KEPT_H
#define STARFISH_FISHPACK_KEPT_H

#include "base/status.h"

#include <stddef.h>

/* A key that is put together from parts; one that has run out of memory finds nothing. */
struct starfish_key {
    unsigned char *bytes;
    size_t count, room;
    int failed;
};
void starfish_key_add(struct starfish_key *key, const void *bytes, size_t count);
void starfish_key_free(struct starfish_key *key);

/* Makes an object of `bytes` bytes from `from`, and destroys it. */
struct starfish_kept_kind {
    starfish_status (*make)(const void *from, void **object, size_t *bytes);
    void (*destroy)(void *object);
};

/* The object of that key, which stays until starfish_kept_release. Errors: MEMORY, and those of `make`. */
starfish_status starfish_kept_find(const struct starfish_kept_kind *kind, const struct starfish_key *key,
                                   const void *from, void **object);
/* Whether an object of that key is there, or has been asked for by this function before. */
int starfish_kept_seen(const struct starfish_key *key);
void starfish_kept_release(void *object);

/* Destroys what no call uses; whether nothing is left. */
int starfish_kept_clear(void);

/* Bytes of all objects together that may stay without use. */
enum { STARFISH_KEPT_BYTES = 256 << 20, STARFISH_KEPT_OBJECTS = 128 };

#endif
