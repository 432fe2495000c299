/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of slabs of lines on one GPU: 512 x 512 lanes of several numbers of planes, beside a device copy of the same
 * slab. Bytes counted: ends read the slab once, all others read and write it once. The fraction
 * is that of the copy's bandwidth. Medians of CUDA events; two slabs take turns.
 *
 *   bench/slab_lines                CSV on standard output */
#include "base/real.h"
extern "C" {
#include "tridiag/kernels/slab_lines.h"
}
#include "bench/cuda_timing.cuh"

#include <cstdio>
#include <functional>
#include <vector>

namespace
{

enum { INNER = 512, OUTER = 512, SLABS = 2, WARM_UP = 3, REPEATS = 15 };
constexpr size_t LANES = size_t(INNER) * OUTER;

/* Slabs take turns. */
double median_ms(const std::function<int(int)> &launch)
{
    return median_ms(WARM_UP, REPEATS, [&](int i) { return launch(i % SLABS); });
}

template <typename Real> Real *on_device(const std::vector<Real> &values)
{
    Real *device;

    check(cudaMalloc(&device, values.size() * sizeof(Real)));
    check(cudaMemcpy(device, values.data(), values.size() * sizeof(Real), cudaMemcpyHostToDevice));
    return device;
}

template <typename Real> __global__ void fill(Real *values, size_t count)
{
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x)
        values[i] = Real(static_cast<unsigned>(i) * 2654435761u) / Real(4294967296.0) - Real(0.5);
}

template <typename Real> struct Kernels;
template <> struct Kernels<float> {
    static constexpr auto ends = starfish_slab_ends_cuda_f32;
    static constexpr auto solve = starfish_slab_solve_cuda_f32;
};
template <> struct Kernels<double> {
    static constexpr auto ends = starfish_slab_ends_cuda_f64;
    static constexpr auto solve = starfish_slab_solve_cuda_f64;
};

/* What all measurements of one size work on. */
template <typename Real> struct Slab {
    size_t rows;
    Real *data[SLABS], *out, *off_diagonal, *diag, *shift, *ends;
    void *workspace;
    starfish_slab_lines lines;

    explicit Slab(size_t planes) : rows(planes), lines()
    {
        const size_t bytes = starfish_slab_solve_workspace_cuda(rows, LANES, 1, sizeof(Real));
        for (Real *&slab : data) {
            check(cudaMalloc(&slab, rows * LANES * sizeof(Real)));
            fill<<<1024, 256>>>(slab, rows * LANES);
        }
        check(cudaMalloc(&out, rows * LANES * sizeof(Real)));
        check(cudaMalloc(&ends, 2 * LANES * sizeof(Real)));
        check(cudaMemset(ends, 0, 2 * LANES * sizeof(Real)));
        check(cudaMalloc(&workspace, bytes));
        off_diagonal = on_device(std::vector<Real>(rows, Real(1)));
        diag = on_device(std::vector<Real>(rows, Real(-2)));
        shift = on_device(std::vector<Real>(std::max(INNER, OUTER), Real(-0.3)));
        lines.rows = rows;
        lines.lower = lines.upper = off_diagonal;
        lines.diag = diag;
        lines.inner = INNER;
        lines.plane = INNER * OUTER;
        lines.outer = OUTER;
        lines.shift_inner = lines.shift_outer = shift;
        lines.parts = 1;
        lines.first_outer[1] = OUTER;
    }
    ~Slab()
    {
        for (void *memory : {static_cast<void *>(data[0]), static_cast<void *>(data[1]), static_cast<void *>(out),
                             static_cast<void *>(ends), workspace, static_cast<void *>(off_diagonal),
                             static_cast<void *>(diag), static_cast<void *>(shift)})
            check(cudaFree(memory));
    }
};

template <typename Real> double copy_ms(const Slab<Real> &slab)
{
    return median_ms([&](int i) {
        return cudaMemcpyAsync(slab.out, slab.data[i], slab.rows * LANES * sizeof(Real), cudaMemcpyDeviceToDevice);
    });
}

template <typename Real> double ends_ms(const Slab<Real> &slab)
{
    starfish_slab_ends ends = {};

    ends.lines = slab.lines;
    ends.rhs[0] = slab.ends;
    ends.head[0] = slab.ends + LANES;
    return median_ms([&](int i) {
        ends.data = slab.data[i];
        return Kernels<Real>::ends(&ends, nullptr);
    });
}

template <typename Real> double solve_ms(const Slab<Real> &slab, bool whole, bool periodic)
{
    starfish_slab_solve solve = {};

    solve.lines = slab.lines;
    solve.out = slab.out;
    solve.before[0] = whole ? nullptr : slab.ends;
    solve.own[0] = whole ? nullptr : slab.ends + LANES;
    solve.periodic = periodic;
    solve.pinned_lane = -1;
    solve.workspace = slab.workspace;
    return median_ms([&](int i) {
        solve.data = slab.data[i];
        return Kernels<Real>::solve(&solve, nullptr);
    });
}

template <typename Real> void measure(const char *precision, size_t rows)
{
    const Slab<Real> slab(rows);
    const double bytes = 2.0 * double(rows) * double(LANES) * sizeof(Real), copy = copy_ms(slab);
    const struct {
        const char *what;
        double ms, passes;
    } results[] = {{"copy", copy, 2},
                   {"ends", ends_ms(slab), 1},
                   {"solve", solve_ms(slab, false, false), 2},
                   {"solve_whole", solve_ms(slab, true, false), 2},
                   {"solve_periodic", solve_ms(slab, true, true), 2}};

    for (const auto &result : results)
        printf("%s,%s,%zu,%.4f,%.0f,%.2f\n", result.what, precision, rows, result.ms, bytes * result.passes / 2,
               copy / result.ms * result.passes / 2);
}

} // namespace

int main()
{
    printf("what,precision,planes,ms,bytes,fraction_of_copy\n");
    for (size_t rows : {512, 256, 128, 32, 16, 1000}) {
        measure<double>("f64", rows);
        measure<float>("f32", rows);
    }
    return 0;
}
