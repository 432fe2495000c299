/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* x and y of whole planes on one GPU, both ways, beside a device copy of the same field: periodic x and Neumann y on
 * cells. Bytes counted: one read and one write of the field. Medians of CUDA events.
 *
 *   bench/slab_planes [N PLANES]...  planes of N x N, so many of them; CSV on standard output */
extern "C" {
#include "base/real.h"
#include "fft/kernels/planes.h"
}
#include "bench/cuda_timing.cuh"

#include <cstdio>
#include <functional>

namespace
{

enum { WARM_UP = 3, REPEATS = 11 };

double median_ms(const std::function<int()> &launch)
{
    return median_ms(WARM_UP, REPEATS, [&](int) { return launch(); });
}

struct field {
    size_t n, planes;
    starfish_precision precision;
    size_t bytes() const { return n * n * planes * starfish_real_size(precision); }
};

starfish_transform_cuda *transform_of(enum starfish_transform_kind kind, const field &f)
{
    starfish_transform_cuda *transform;
    if (starfish_transform_cuda_create(&transform, kind, f.n, f.n * f.planes, f.precision) != STARFISH_SUCCESS) {
        fprintf(stderr, "slab_planes: %s\n", starfish_error_message());
        exit(1);
    }
    return transform;
}

void measure(const field &f)
{
    const enum starfish_transform_kind kinds[] = {STARFISH_TRANSFORM_PERIODIC, STARFISH_TRANSFORM_NN_CELL};
    starfish_transform_cuda *x = transform_of(kinds[0], f), *y = transform_of(kinds[1], f);
    const size_t workspace =
        starfish_transform_planes_cuda_workspace(kinds[0], f.n, kinds[1], f.n, f.planes, f.precision);
    starfish_transform_planes planes = {};
    void *in;
    check(cudaMalloc(&in, f.bytes()));
    check(cudaMalloc(&planes.out, f.bytes()));
    check(cudaMalloc(&planes.workspace, workspace));
    check(cudaMemset(in, 0, f.bytes()));
    planes.in = in;
    planes.planes = f.planes;
    planes.scale = 1;
    const auto run = [&](enum starfish_transform_direction direction) {
        return median_ms([&] { return starfish_transform_planes_cuda(x, y, direction, &planes, nullptr); });
    };
    const struct {
        const char *what;
        double ms;
    } results[] = {
        {"copy", median_ms([&] { return cudaMemcpyAsync(planes.out, in, f.bytes(), cudaMemcpyDeviceToDevice); })},
        {"forward", run(STARFISH_FORWARD)},
        {"backward", run(STARFISH_BACKWARD)}};
    for (const auto &result : results)
        printf("%s,%s,%zu,%zu,%.4f,%.2f\n", result.what, f.precision == STARFISH_F32 ? "f32" : "f64", f.n, f.planes,
               result.ms, results[0].ms / result.ms);
    check(cudaFree(in));
    check(cudaFree(planes.out));
    check(cudaFree(planes.workspace));
    starfish_transform_cuda_destroy(x);
    starfish_transform_cuda_destroy(y);
}

} // namespace

int main(int argc, char **argv)
{
    printf("what,precision,n,planes,ms,fraction_of_copy\n");
    for (int i = 1; i + 1 < argc; i += 2)
        for (starfish_precision precision : {STARFISH_F64, STARFISH_F32})
            measure({static_cast<size_t>(atoll(argv[i])), static_cast<size_t>(atoll(argv[i + 1])), precision});
    return 0;
}
