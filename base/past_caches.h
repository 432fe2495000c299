/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Non-temporal stores for data that leave the caches before they are read again; the line is not read before it is
 * written. Ordinary copies if the processor has none, or a row is not aligned. */
#ifndef STARFISH_BASE_PAST_CACHES_H
#define STARFISH_BASE_PAST_CACHES_H

#include "base/clones.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { STARFISH_PAST_CACHES_BYTES = 16 };

/* Whole runs of cache lines are what memory takes fastest. */
STARFISH_ALWAYS_INLINE void starfish_store_past_caches(void *to, const void *from, size_t bytes)
{
#ifdef __SSE2__
    if ((uintptr_t)to % STARFISH_PAST_CACHES_BYTES == 0 && bytes % STARFISH_PAST_CACHES_BYTES == 0) {
        const __m128i *restrict in = from;
        __m128i *restrict out = to;
        for (size_t i = 0; i < bytes / STARFISH_PAST_CACHES_BYTES; i++)
            _mm_stream_si128(out + i, _mm_loadu_si128(in + i));
        return;
    }
#endif
    memcpy(to, from, bytes);
}

/* To be called before other cores are notified that the data are complete. */
static inline void starfish_past_caches_done(void)
{
#ifdef __SSE2__
    _mm_sfence();
#endif
}

#endif
