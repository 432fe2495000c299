/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Guarded pieces of host memory: bytes on both sides of an array are checked when it is released, and fresh ones hold
 * NaN. */
#include "tests/common/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { GUARD_BYTES = 72, GUARD = 0xA5, NOT_A_NUMBER = 0xFF, MOST = 512 };

static struct piece {
    unsigned char *start;
    size_t bytes;
} pieces[MOST];
static int piece_count;

static void *upload(const void *contents, size_t bytes)
{
    assert_true(piece_count < MOST);
    struct piece *piece = &pieces[piece_count++];
    piece->bytes = bytes;
    piece->start = malloc(bytes + 2 * GUARD_BYTES);
    assert_non_null(piece->start);
    memset(piece->start, GUARD, bytes + 2 * GUARD_BYTES);
    memset(piece->start + GUARD_BYTES, NOT_A_NUMBER, bytes);
    if (contents && bytes > 0)
        memcpy(piece->start + GUARD_BYTES, contents, bytes);
    return piece->start + GUARD_BYTES;
}

static void download(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

static void release(void)
{
    while (piece_count > 0) {
        const struct piece *piece = &pieces[--piece_count];
        for (size_t i = 0; i < GUARD_BYTES; i++) {
            assert_int_equal(piece->start[i], GUARD);
            assert_int_equal(piece->start[GUARD_BYTES + piece->bytes + i], GUARD);
        }
        free(piece->start);
    }
}

const struct test_memory test_host_memory = {"CPU", upload, download, release, 0};
