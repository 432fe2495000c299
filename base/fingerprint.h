/* Fingerprints of data that several processes must have alike: FNV-1a. Begin with STARFISH_FINGERPRINT. */
#ifndef STARFISH_BASE_FINGERPRINT_H
#define STARFISH_BASE_FINGERPRINT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define STARFISH_FINGERPRINT UINT64_C(14695981039346656037)

static inline void starfish_fingerprint_number(uint64_t *hash, uint64_t number)
{
    *hash = (*hash ^ number) * UINT64_C(1099511628211);
}

static inline void starfish_fingerprint_numbers(uint64_t *hash, const size_t *number, size_t count)
{
    for (size_t i = 0; i < count; i++)
        starfish_fingerprint_number(hash, number[i]);
}

static inline void starfish_fingerprint_reals(uint64_t *hash, const double *real, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &real[i], sizeof bits);
        starfish_fingerprint_number(hash, bits);
    }
}

static inline void starfish_fingerprint_bytes(uint64_t *hash, const void *data, size_t bytes)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < bytes; i++)
        starfish_fingerprint_number(hash, byte[i]);
}

#endif
