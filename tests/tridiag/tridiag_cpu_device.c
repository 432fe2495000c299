/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CPU as a test device: malloc with guard zones, whose bytes are checked, and kernels on whole arrays or windows of
 * lanes. */
#include "tridiag_cases.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* 72: the memory is aligned to reals, as the contract asks, and to nothing more. */
enum { GUARD_BYTES = 72, GUARD = 0xA5, NOT_A_NUMBER = 0xFF, MOST_UPLOADS = 128 };

static struct upload {
    unsigned char *start;
    size_t bytes;
} uploads[MOST_UPLOADS];
static int upload_count;

static void *upload(const void *contents, size_t bytes)
{
    struct upload *added = &uploads[upload_count++];

    assert_true(upload_count <= MOST_UPLOADS);
    added->bytes = bytes;
    added->start = malloc(bytes + 2 * GUARD_BYTES);
    assert_non_null(added->start);
    memset(added->start, GUARD, bytes + 2 * GUARD_BYTES);
    if (contents)
        memcpy(added->start + GUARD_BYTES, contents, bytes);
    else
        memset(added->start + GUARD_BYTES, NOT_A_NUMBER, bytes);
    return added->start + GUARD_BYTES;
}

static void download(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

static void release(void)
{
    while (upload_count > 0) {
        const struct upload *upload = &uploads[--upload_count];
        for (size_t i = 0; i < GUARD_BYTES; i++) {
            assert_int_equal(upload->start[i], GUARD);
            assert_int_equal(upload->start[GUARD_BYTES + upload->bytes + i], GUARD);
        }
        free(upload->start);
    }
}

static void chain(starfish_precision precision, const struct starfish_tridiag_chain *arguments)
{
    (precision == STARFISH_F32 ? starfish_tridiag_chain_cpu_f32 : starfish_tridiag_chain_cpu_f64)(arguments);
}

const struct test_device test_cpu = {"CPU", upload, download, release, starfish_tridiag_chain_workspace_cpu, chain};
/* As the cores of a team share them: lane windows of unequal size, in any order. */
static void chain_by_windows(starfish_precision precision, const struct starfish_tridiag_chain *arguments)
{
    const size_t cut = (arguments->lanes + 2) / 3;
    struct starfish_tridiag_chain window = *arguments;

    if (arguments->lanes == 1) {
        chain(precision, arguments);
        return;
    }
    window.first_lane = cut;
    window.lane_count = arguments->lanes - cut;
    chain(precision, &window);
    window.first_lane = 0;
    window.lane_count = cut;
    chain(precision, &window);
}

const struct test_device test_cpu_windows = {
    "CPU windows", upload, download, release, starfish_tridiag_chain_workspace_cpu, chain_by_windows};
