/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Guarded pieces of CUDA device memory, and of host memory that is pinned. */
#include "tests/common/memory.h"

#include <cuda_runtime_api.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { GUARD_BYTES = 256 + 8, GUARD = 0xA5, NOT_A_NUMBER = 0xFF, MOST = 256 };

static struct piece {
    unsigned char *start;
    size_t bytes;
} pieces[MOST];
static int piece_count;

void test_cuda_check(int status)
{
    if (status != cudaSuccess)
        fail_msg("CUDA: %s", cudaGetErrorString((cudaError_t)status));
}

int test_cuda_devices(void)
{
    int devices = 0;
    return cudaGetDeviceCount(&devices) == cudaSuccess ? devices : 0;
}

static struct piece *new_piece(size_t bytes)
{
    assert_true(piece_count < MOST);
    struct piece *piece = &pieces[piece_count++];
    piece->bytes = bytes;
    return piece;
}

static void *fill(const struct piece *piece, const void *contents)
{
    test_cuda_check(cudaMemset(piece->start, GUARD, piece->bytes + 2 * GUARD_BYTES));
    test_cuda_check(cudaMemset(piece->start + GUARD_BYTES, NOT_A_NUMBER, piece->bytes));
    if (contents)
        test_cuda_check(cudaMemcpy(piece->start + GUARD_BYTES, contents, piece->bytes, cudaMemcpyDefault));
    test_cuda_check(cudaDeviceSynchronize()); /* memory of the host is set when the device has done so */
    return piece->start + GUARD_BYTES;
}

static void *upload(const void *contents, size_t bytes)
{
    struct piece *piece = new_piece(bytes);
    test_cuda_check(cudaMalloc((void **)&piece->start, bytes + 2 * GUARD_BYTES));
    return fill(piece, contents);
}

static void *upload_pinned(const void *contents, size_t bytes)
{
    struct piece *piece = new_piece(bytes);
    test_cuda_check(cudaMallocHost((void **)&piece->start, bytes + 2 * GUARD_BYTES));
    return fill(piece, contents);
}

static void download(void *to, const void *from, size_t bytes)
{
    test_cuda_check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
}

static void release_by(cudaError_t (*free_piece)(void *))
{
    while (piece_count > 0) {
        const struct piece *piece = &pieces[--piece_count];
        unsigned char guards[2][GUARD_BYTES];
        download(guards[0], piece->start, GUARD_BYTES);
        download(guards[1], piece->start + GUARD_BYTES + piece->bytes, GUARD_BYTES);
        for (size_t i = 0; i < GUARD_BYTES; i++) {
            assert_int_equal(guards[0][i], GUARD);
            assert_int_equal(guards[1][i], GUARD);
        }
        test_cuda_check(free_piece(piece->start));
    }
}

static void release(void)
{
    release_by(cudaFree);
}

static void release_pinned(void)
{
    release_by(cudaFreeHost);
}

const struct test_memory test_cuda_memory = {"CUDA", upload, download, release, 1};
const struct test_memory test_pinned_memory = {"pinned", upload_pinned, download, release_pinned, 0};
