/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One list for all kinds of objects, the latest one first. A few dozen keys are compared in less time than a table of
 * hashes would save beside the smallest solve. */
#include "fishpack/kept.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The latest one is the first of the list. */
struct kept {
    struct kept *next;
    const struct starfish_kept_kind *kind;
    unsigned char *key;
    size_t key_bytes, bytes, users;
    void *object;
};

enum { SEEN = 64 };

/* Of what follows; taken again where an object is made from others. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static struct kept *list;
static uint64_t seen[SEEN]; /* hashes of keys, the oldest at `oldest` */
static size_t oldest;

/* ---- Keys -------------------------------------------------------------------------------------------------------- */

void starfish_key_add(struct starfish_key *key, const void *bytes, size_t count)
{
    enum { LEAST_ROOM = 256 };
    if (key->count + count > key->room) {
        const size_t room = 2 * (key->count + count) + LEAST_ROOM;
        unsigned char *more = realloc(key->bytes, room);
        if (!more) {
            key->failed = 1;
            return;
        }
        key->bytes = more;
        key->room = room;
    }
    if (count > 0)
        memcpy(key->bytes + key->count, bytes, count);
    key->count += count;
}

void starfish_key_free(struct starfish_key *key)
{
    free(key->bytes);
}

/* FNV-1a. */
static uint64_t hash_of(const struct starfish_key *key)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < key->count; i++)
        hash = (hash ^ key->bytes[i]) * 0x100000001b3u;
    return hash;
}

/* ---- The list ---------------------------------------------------------------------------------------------------- */

static int is_of(const struct kept *kept, const struct starfish_key *key)
{
    return kept->key_bytes == key->count && memcmp(kept->key, key->bytes, key->count) == 0;
}

static void destroy(struct kept *kept)
{
    kept->kind->destroy(kept->object);
    free(kept->key);
    free(kept);
}

/* With the lock held: all from the first on that is too old or beyond the bounds, where no call uses it. */
static void drop_beyond(size_t most_bytes, size_t most_objects)
{
    size_t bytes = 0, objects = 0;
    for (struct kept **at = &list; *at;) {
        struct kept *kept = *at;
        bytes += kept->bytes;
        objects++;
        if (kept->users > 0 || (bytes <= most_bytes && objects <= most_objects)) {
            at = &kept->next;
            continue;
        }
        bytes -= kept->bytes;
        objects--;
        *at = kept->next;
        destroy(kept);
    }
}

static struct kept *find(const struct starfish_kept_kind *kind, const struct starfish_key *key)
{
    for (struct kept **at = &list; *at; at = &(*at)->next) {
        struct kept *kept = *at;
        if (kept->kind != kind || !is_of(kept, key))
            continue;
        *at = kept->next; /* to the front */
        kept->next = list;
        return list = kept;
    }
    return NULL;
}

static starfish_status make(const struct starfish_kept_kind *kind, const struct starfish_key *key, const void *from,
                            struct kept **made)
{
    struct kept *kept = calloc(1, sizeof *kept);
    unsigned char *copy = malloc(key->count + 1);
    starfish_status status = kept && copy ? STARFISH_SUCCESS : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory");
    if (status == STARFISH_SUCCESS)
        status = kind->make(from, &kept->object, &kept->bytes);
    if (status != STARFISH_SUCCESS) {
        free(kept);
        free(copy);
        return status;
    }
    memcpy(copy, key->bytes, key->count);
    kept->kind = kind;
    kept->key = copy;
    kept->key_bytes = key->count;
    kept->next = list;
    *made = list = kept;
    return STARFISH_SUCCESS;
}

starfish_status starfish_kept_find(const struct starfish_kept_kind *kind, const struct starfish_key *key,
                                   const void *from, void **object)
{
    STARFISH_FAIL_IF(key->failed, STARFISH_ERROR_MEMORY, "out of memory for a key");
    pthread_mutex_lock(&lock);
    struct kept *kept = find(kind, key);
    const int is_new = !kept;
    const starfish_status status = kept ? STARFISH_SUCCESS : make(kind, key, from, &kept);
    if (status == STARFISH_SUCCESS) {
        kept->users++;
        *object = kept->object;
    }
    if (is_new)
        drop_beyond(STARFISH_KEPT_BYTES, STARFISH_KEPT_OBJECTS);
    pthread_mutex_unlock(&lock);
    return status;
}

int starfish_kept_seen(const struct starfish_key *key)
{
    const uint64_t hash = hash_of(key);
    int found = 0;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < SEEN; i++)
        found = found || seen[i] == hash;
    if (!found) {
        seen[oldest] = hash;
        oldest = (oldest + 1) % SEEN;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

void starfish_kept_release(void *object)
{
    pthread_mutex_lock(&lock);
    for (struct kept *kept = list; kept; kept = kept->next)
        if (kept->object == object) {
            kept->users--;
            break;
        }
    pthread_mutex_unlock(&lock);
}

int starfish_kept_clear(void)
{
    pthread_mutex_lock(&lock);
    drop_beyond(0, 0); /* directions first, then what they have used */
    drop_beyond(0, 0);
    const int is_empty = !list;
    pthread_mutex_unlock(&lock);
    return is_empty;
}
