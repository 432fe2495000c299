/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CUDA kernels over the CPU's table, by every method, and sizes that fill a device. Exit status 77 without a
 * device; with STARFISH_TEST_SMALL set the large sizes are left out. */
#include "base/real.h"
#include "complex_chains.h"
#include "tridiag_cases.h"
#include <cuda_runtime_api.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { GUARD_BYTES = 256, GUARD = 0xA5, NOT_A_NUMBER = 0xFF, MOST_UPLOADS = 128, NO_DEVICE = 77 };

static struct upload {
    unsigned char *start;
    size_t bytes;
} uploads[MOST_UPLOADS];
static int upload_count;

static void check(int status)
{
    if (status != cudaSuccess)
        fail_msg("%s", cudaGetErrorString((cudaError_t)status));
}

static void *upload(const void *contents, size_t bytes)
{
    struct upload *added = &uploads[upload_count++];

    assert_true(upload_count <= MOST_UPLOADS);
    added->bytes = bytes;
    check(cudaMalloc((void **)&added->start, bytes + 2 * GUARD_BYTES));
    check(cudaMemset(added->start, GUARD, bytes + 2 * GUARD_BYTES));
    if (contents)
        check(cudaMemcpy(added->start + GUARD_BYTES, contents, bytes, cudaMemcpyHostToDevice));
    else
        check(cudaMemset(added->start + GUARD_BYTES, NOT_A_NUMBER, bytes));
    return added->start + GUARD_BYTES;
}

static void download(void *to, const void *from, size_t bytes)
{
    check(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
}

static void release(void)
{
    while (upload_count > 0) {
        const struct upload *upload = &uploads[--upload_count];
        unsigned char guards[2 * GUARD_BYTES];
        download(guards, upload->start, GUARD_BYTES);
        download(guards + GUARD_BYTES, upload->start + GUARD_BYTES + upload->bytes, GUARD_BYTES);
        for (size_t i = 0; i < sizeof guards; i++)
            assert_int_equal(guards[i], GUARD);
        check(cudaFree(upload->start));
    }
}

static void chain(starfish_precision precision, const struct starfish_tridiag_chain *arguments)
{
    check((precision == STARFISH_F32 ? starfish_tridiag_chain_cuda_f32 : starfish_tridiag_chain_cuda_f64)(arguments,
                                                                                                          NULL));
    check(cudaDeviceSynchronize());
}

static const struct test_device test_cuda = {"CUDA", upload, download, release, starfish_tridiag_chain_workspace_cuda,
                                             chain};

static void chain_by_thomas_matches_reference(void **state)
{
    (void)state;
    test_chain_table(&test_cuda, test_longest(), STARFISH_TRIDIAG_THOMAS);
}

static void chain_by_pcr_matches_reference(void **state)
{
    (void)state;
    test_chain_table(&test_cuda, test_longest(), STARFISH_TRIDIAG_PCR);
}

static void chain_by_cr_matches_reference(void **state)
{
    (void)state;
    test_chain_table(&test_cuda, test_longest(), STARFISH_TRIDIAG_CR);
}

static void chain_by_cr_pcr_matches_reference(void **state)
{
    (void)state;
    test_chain_table(&test_cuda, test_longest(), STARFISH_TRIDIAG_CR_PCR);
}

static void complex_chains_match_reference(void **state)
{
    (void)state;
    for (int method = STARFISH_TRIDIAG_AUTO; method <= STARFISH_TRIDIAG_CR_PCR; method++)
        test_complex_chain_table(&test_cuda, test_longest(), (enum starfish_tridiag_method)method);
}

/* Those that keep a line in shared memory. */
static const enum starfish_tridiag_method shared[] = {STARFISH_TRIDIAG_PCR, STARFISH_TRIDIAG_CR,
                                                      STARFISH_TRIDIAG_CR_PCR};
enum { SHARED = sizeof shared / sizeof shared[0] };

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    for (int m = 0; m < SHARED; m++)
        for (int periodic = 0; periodic < 2; periodic++) {
            struct starfish_tridiag_chain arguments = {
                .line.periodic = periodic, .lanes = 1, .vectors = 1, .method = shared[m]};
            arguments.line.n = starfish_tridiag_chain_longest_cuda(periodic, sizeof(double)) + 1;
            assert_int_equal(starfish_tridiag_chain_cuda_f64(&arguments, NULL), cudaErrorInvalidConfiguration);
            arguments.line.n = starfish_tridiag_chain_longest_cuda(periodic, sizeof(float)) + 1;
            assert_int_equal(starfish_tridiag_chain_cuda_f32(&arguments, NULL), cudaErrorInvalidConfiguration);
        }
}

/* From one unknown per thread to eight, and beyond 48 KiB of shared memory. */
static void check_shapes(enum starfish_tridiag_method method)
{
    static const size_t sizes[] = {1023, 1024, 1025, 2048, 2049, 4097, 5000, 7264};

    for (size_t i = 0; i < 4 * sizeof sizes / sizeof *sizes; i++) {
        struct test_chain chain = {.precision = (starfish_precision)(i % 2),
                                   .operator= TEST_RANDOM,
                                   .periodic = (int)(i / 2 % 2),
                                   .keeps = 1,
                                   .n = sizes[i / 4],
                                   .lanes = 1,
                                   .vectors = 3,
                                   .max_steps = 2,
                                   .method = method};
        test_chain_against_cpu(&test_cuda, &chain);
    }
}

static void shapes_match_cpu(void **state)
{
    (void)state;
    for (int m = 0; m < SHARED; m++)
        check_shapes(shared[m]);
}

/* The Neumann operator, whose chains keep the smooth part of x, so that there is something to compare after many
 * steps. Lines of 9001 unknowns fit no block. */
static void large_sizes_match_cpu(void **state)
{
    static const struct {
        size_t n, lanes, vectors;
        int max_steps;
    } chains[] = {{1023, 1, 2, 511}, {4097, 1, 5, 2}, {9001, 1, 2, 2}, {511, 33, 1, 20}, {255, 2048, 4, 3}};

    (void)state;
    if (getenv("STARFISH_TEST_SMALL"))
        skip();
    for (int i = 0; i < 4; i++) {
        for (size_t c = 0; c < sizeof chains / sizeof *chains; c++) {
            struct test_chain chain = {.precision = (starfish_precision)(i % 2),
                                       .operator= TEST_NEUMANN,
                                       .periodic = i / 2,
                                       .n = chains[c].n,
                                       .lanes = chains[c].lanes,
                                       .vectors = chains[c].vectors,
                                       .max_steps = chains[c].max_steps};
            test_chain_against_cpu(&test_cuda, &chain);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain_by_thomas_matches_reference),
        cmocka_unit_test(chain_by_pcr_matches_reference),
        cmocka_unit_test(chain_by_cr_matches_reference),
        cmocka_unit_test(chain_by_cr_pcr_matches_reference),
        cmocka_unit_test(complex_chains_match_reference),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(shapes_match_cpu),
        cmocka_unit_test(large_sizes_match_cpu),
    };
    int devices = 0, failed;

    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
        return NO_DEVICE;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("largest error: %.3f of the bound\n", test_worst_error());
    return failed;
}
