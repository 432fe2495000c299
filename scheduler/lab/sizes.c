/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What footprints of tasks were made of: a hash table with open addressing that only grows. It is bounded by the number
 * of different tasks of a program, some thousands. */
#include "scheduler/lab/sizes.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    atomic_int keeps;
    pthread_mutex_t lock;
    size_t room, count; /* room: a power of two */
    struct starfish_sizes **entry;
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Of the hash, a footprint keeps these bits. */
static uint32_t lowest_bits(uint32_t hash)
{
    return hash & 0xffffff;
}

/* Where the hash is, or the free place where it would be. */
static size_t place_of(uint32_t hash, struct starfish_sizes *const *entry, size_t room)
{
    size_t at = lowest_bits(hash) * (size_t)0x9e3779b1u & (room - 1);
    while (entry[at] && entry[at]->hash != hash)
        at = (at + 1) & (room - 1);
    return at;
}

static int grow(void)
{
    const size_t room = kept.room ? 2 * kept.room : 1024;
    struct starfish_sizes **entry = calloc(room, sizeof(*entry));
    if (!entry)
        return 0;
    for (size_t i = 0; i < kept.room; i++)
        if (kept.entry[i])
            entry[place_of(kept.entry[i]->hash, entry, room)] = kept.entry[i];
    free(kept.entry);
    kept.entry = entry;
    kept.room = room;
    return 1;
}

/* The values lie behind the struct. Without memory the entry is left out: it is an estimate's help, nothing more. */
static void add(uint32_t hash, const size_t *values, size_t count)
{
    if (2 * kept.count >= kept.room && !grow())
        return;
    const size_t at = place_of(hash, kept.entry, kept.room);
    struct starfish_sizes *made = kept.entry[at] ? NULL : malloc(sizeof *made + count * sizeof *values);
    if (!made)
        return;
    size_t *copy = (size_t *)(made + 1);
    memcpy(copy, values, count * sizeof *values);
    *made = (struct starfish_sizes){hash, count, copy};
    kept.entry[at] = made;
    kept.count++;
}

void starfish_sizes_note(uint32_t hash, const size_t *values, size_t count)
{
    if (!atomic_load(&kept.keeps) || count == 0 || count > STARFISH_SIZES_MOST)
        return;
    pthread_mutex_lock(&kept.lock);
    add(hash, values, count);
    pthread_mutex_unlock(&kept.lock);
}

const struct starfish_sizes *starfish_sizes_of(uint32_t footprint, size_t count)
{
    const struct starfish_sizes *found = NULL;
    const uint32_t bits = footprint >> 8;
    pthread_mutex_lock(&kept.lock);
    for (size_t at = bits * (size_t)0x9e3779b1u & (kept.room - 1); kept.room && kept.entry[at];
         at = (at + 1) & (kept.room - 1))
        if (lowest_bits(kept.entry[at]->hash) == bits && (count == 0 || kept.entry[at]->count == count)) {
            found = kept.entry[at];
            break;
        }
    pthread_mutex_unlock(&kept.lock);
    return found;
}

static int by_hash(const void *a, const void *b)
{
    const uint32_t one = (*(struct starfish_sizes *const *)a)->hash, two = (*(struct starfish_sizes *const *)b)->hash;
    return (one > two) - (one < two);
}

/* In the order of the hashes, so that two recordings differ where they do. */
static void write_all(FILE *stream)
{
    struct starfish_sizes **sorted = calloc(kept.count + 1, sizeof(*sorted));
    size_t count = 0;
    for (size_t i = 0; sorted && i < kept.room; i++)
        if (kept.entry[i])
            sorted[count++] = kept.entry[i];
    if (sorted)
        qsort(sorted, count, sizeof(*sorted), by_hash);
    for (size_t i = 0; i < count; i++) {
        fprintf(stream, "%08" PRIx32, sorted[i]->hash);
        for (size_t v = 0; v < sorted[i]->count; v++)
            fprintf(stream, " %zu", sorted[i]->value[v]);
        putc('\n', stream);
    }
    free(sorted);
}

starfish_status starfish_sizes_write(const char *path)
{
    FILE *stream = fopen(path, "w");
    STARFISH_FAIL_IF(!stream, STARFISH_ERROR_FILE, "%s: %s", path, strerror(errno));
    pthread_mutex_lock(&kept.lock);
    write_all(stream);
    pthread_mutex_unlock(&kept.lock);
    const int failed = ferror(stream) != 0;
    STARFISH_FAIL_IF(fclose(stream) != 0 || failed, STARFISH_ERROR_FILE, "%s: cannot be written", path);
    return STARFISH_SUCCESS;
}

/* The file is untrusted: a line ends at the first word that is not a number. */
static void read_line(char *line)
{
    size_t values[STARFISH_SIZES_MOST], count = 0;
    char *at, *end;
    const unsigned long hash = strtoul(line, &at, 16);
    for (; count < STARFISH_SIZES_MOST; at = end) {
        const unsigned long long value = strtoull(at, &end, 10);
        if (end == at)
            break;
        values[count++] = (size_t)value;
    }
    if (count > 0)
        add((uint32_t)hash, values, count);
}

starfish_status starfish_sizes_read(const char *path)
{
    char *line = NULL;
    size_t size = 0;
    FILE *stream = fopen(path, "r");
    atomic_store(&kept.keeps, 1);
    if (!stream)
        return STARFISH_OR_FAIL(errno == ENOENT, STARFISH_ERROR_FILE, "%s: %s", path, strerror(errno));
    pthread_mutex_lock(&kept.lock);
    while (getline(&line, &size, stream) > 0)
        read_line(line);
    pthread_mutex_unlock(&kept.lock);
    free(line);
    fclose(stream);
    return STARFISH_SUCCESS;
}
