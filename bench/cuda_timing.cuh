/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Timing of launches by CUDA events, for benchmarks of kernels alone. Any error ends the program with a message on
 * standard error that begins with its name. */
#ifndef STARFISH_BENCH_CUDA_TIMING_CUH
#define STARFISH_BENCH_CUDA_TIMING_CUH

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <errno.h>
#include <vector>

namespace
{

void check(int status)
{
    if (status == cudaSuccess)
        return;
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, cudaGetErrorString(static_cast<cudaError_t>(status)));
    exit(1);
}

/* Median milliseconds of launch(i), i counting from 0; what it returns is checked. */
template <typename Launch> double median_ms(int warm_up, int repeats, const Launch &launch)
{
    cudaEvent_t start, stop;
    std::vector<float> times;

    check(cudaEventCreate(&start));
    check(cudaEventCreate(&stop));
    for (int i = 0; i < warm_up + repeats; i++) {
        float ms;
        check(cudaEventRecord(start));
        check(launch(i));
        check(cudaEventRecord(stop));
        check(cudaEventSynchronize(stop));
        check(cudaEventElapsedTime(&ms, start, stop));
        if (i >= warm_up)
            times.push_back(ms);
    }
    check(cudaEventDestroy(start));
    check(cudaEventDestroy(stop));
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

} // namespace

#endif
