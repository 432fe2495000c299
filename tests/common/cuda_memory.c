/* Guarded pieces of CUDA device memory. */
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

static void *upload(const void *contents, size_t bytes)
{
    assert_true(piece_count < MOST);
    struct piece *piece = &pieces[piece_count++];
    piece->bytes = bytes;
    test_cuda_check(cudaMalloc((void **)&piece->start, bytes + 2 * GUARD_BYTES));
    test_cuda_check(cudaMemset(piece->start, GUARD, bytes + 2 * GUARD_BYTES));
    test_cuda_check(cudaMemset(piece->start + GUARD_BYTES, NOT_A_NUMBER, bytes));
    if (contents)
        test_cuda_check(cudaMemcpy(piece->start + GUARD_BYTES, contents, bytes, cudaMemcpyHostToDevice));
    return piece->start + GUARD_BYTES;
}

static void download(void *to, const void *from, size_t bytes)
{
    test_cuda_check(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
}

static void release(void)
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
        test_cuda_check(cudaFree(piece->start));
    }
}

const struct test_memory test_cuda_memory = {"CUDA", upload, download, release};
