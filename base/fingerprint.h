/* Fingerprints of data that several processes must have alike: FNV-1a. Begin with STARFISH_FINGERPRINT. */
#ifndef STARFISH_BASE_FINGERPRINT_H
#define STARFISH_BASE_FINGERPRINT_H

#include <stddef.h>
#include <stdint.h>

#define STARFISH_FINGERPRINT UINT64_C(14695981039346656037)

static inline void starfish_fingerprint_number(uint64_t *hash, uint64_t number)
{
    *hash = (*hash ^ number) * UINT64_C(1099511628211);
}

static inline void starfish_fingerprint_bytes(uint64_t *hash, const void *data, size_t bytes)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < bytes; i++)
        starfish_fingerprint_number(hash, byte[i]);
}

#endif
