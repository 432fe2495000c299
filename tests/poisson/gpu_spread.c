/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shares of all GPUs that there are, and of GPUs and cores in turn; of one GPU several. 77 without a GPU. */
#include "tests/common/memory.h"
#include "tests/poisson/spread.h"

#include <cuda_runtime_api.h>
#include <malloc.h>
#include <stdio.h>

enum { MOST = 16 };

/* A few bytes of pageable memory may not be on the device yet when the call returns, and the library's streams do not
 * wait for it. */
static void copy(void *to, const void *from, size_t bytes)
{
    test_cuda_check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
    test_cuda_check(cudaDeviceSynchronize());
}

/* CUDA devices of the context, and behind them the cores' share where `cores`. */
static size_t owners(starfish_context *context, int cores, int device[MOST])
{
    size_t count = 0;
    struct starfish_worker worker;
    for (size_t w = 0; w < starfish_context_workers(context) && count + 1 < MOST; w++)
        if (starfish_context_worker(context, w, &worker) == STARFISH_SUCCESS && worker.kind == STARFISH_GPU)
            device[count++] = worker.device;
    if (cores)
        device[count++] = STARFISH_CORES_SHARE;
    return count;
}

static int check(int cpu_workers)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    starfish_context *context;
    int device[MOST];
    options.cpu_workers = cpu_workers;
    if (starfish_context_create(&context, &options) != STARFISH_SUCCESS) {
        fprintf(stderr, "%s\n", starfish_error_message());
        return 1;
    }
    const size_t count = owners(context, cpu_workers != 0, device);
    const int failed = test_spread(context, device, count, copy);
    printf("%zu owners%s: %d failed\n", count, cpu_workers ? ", one of them the cores" : "", failed);
    starfish_context_destroy(context);
    return failed != 0;
}

/* Freed memory is overwritten, so that what still points to an earlier job is seen. */
int main(void)
{
    mallopt(M_PERTURB, 0x5a);
    if (test_cuda_devices() == 0)
        return 77;
    return check(0) + check(-1) > 0;
}
