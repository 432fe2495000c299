/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fingerprints of data that must be equal in several processes: FNV-1a on words of 64 bits, starting with
 * STARFISH_FINGERPRINT. A product propagates differences only to higher bits, so the higher half is also added to the
 * lower one. Otherwise two changed signs, each the highest bit of a real, would cancel. */
#ifndef STARFISH_BASE_FINGERPRINT_H
#define STARFISH_BASE_FINGERPRINT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define STARFISH_FINGERPRINT UINT64_C(14695981039346656037)

static inline void starfish_fingerprint_number(uint64_t *hash, uint64_t number)
{
    *hash = (*hash ^ number) * UINT64_C(1099511628211);
    *hash ^= *hash >> 32;
}

static inline void starfish_fingerprint_bytes(uint64_t *hash, const void *data, size_t bytes)
{
    const char *from = data;
    uint64_t word;
    for (; bytes >= sizeof word; bytes -= sizeof word, from += sizeof word) {
        memcpy(&word, from, sizeof word);
        starfish_fingerprint_number(hash, word);
    }
    word = 0;
    memcpy(&word, from, bytes);
    if (bytes > 0)
        starfish_fingerprint_number(hash, word);
}

static inline void starfish_fingerprint_real(uint64_t *hash, double real)
{
    starfish_fingerprint_bytes(hash, &real, sizeof real);
}

static inline void starfish_fingerprint_text(uint64_t *hash, const char *text)
{
    starfish_fingerprint_bytes(hash, text, strlen(text) + 1);
}

#endif
