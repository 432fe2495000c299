/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps of flat domains on one GPU, grid by grid: n^2 columns of 128 cells for n = 512 .. 32, f32 and f64, beside a
 * copy of the same array; on a flat box and on a panel, whose columns are coupled across corners. Words are what must
 * move per unknown (multigrid/kernels/flat.h); the fraction is that of the copy's bandwidth at 512^2. Medians of CUDA
 * events.
 *
 *   bench/flat_steps           CSV on standard output */
extern "C" {
#include "multigrid/kernels/flat_kind.h"
}
#include "bench/cuda_timing.cuh"
#include "bench/flat_table.h"

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

namespace
{

enum { WARM_UP = 3, REPEATS = 11, LARGEST = 512, SMALLEST = 32, LAYERS = 128 };

double median_ms(const std::function<int()> &launch)
{
    return median_ms(WARM_UP, REPEATS, [&](int) { return launch(); });
}

starfish_flat_shape shape_of(size_t n, int skew)
{
    starfish_flat_shape shape = {};
    for (int d = 0; d < 2; d++) {
        shape.n[d] = n;
        shape.coarse[d] = n / 2;
    }
    shape.n[2] = LAYERS;
    shape.skew = skew;
    shape.types = skew ? 0 : 1;
    return shape;
}

/* One type for all columns, whose faces add up to 70. */
template <typename Real> Real *make_table(const starfish_flat_shape &shape)
{
    std::vector<double> numbers(starfish_flat_table_entry(&shape, STARFISH_FLAT_ENTRIES));
    Real *device;

    if (flat_table_fill(&shape, numbers.data()) != 0)
        exit(1);
    const std::vector<Real> table(numbers.begin(), numbers.end());
    check(cudaMalloc(&device, table.size() * sizeof(Real)));
    check(cudaMemcpy(device, table.data(), table.size() * sizeof(Real), cudaMemcpyHostToDevice));
    return device;
}

template <typename Real> struct Grid {
    starfish_flat_shape shape, coarse;
    starfish_place place;
    Real *table, *u, *v, *f, *w, *coarse_f;
    double *sums;
    starfish_rectangle all, all_coarse;

    Grid(size_t n, int skew) : shape(shape_of(n, skew)), coarse(shape_of(n / 2, skew)), place()
    {
        const size_t bytes = n * n * LAYERS * sizeof(Real);
        place.precision = sizeof(Real) == 4 ? STARFISH_F32 : STARFISH_F64;
        place.gpu = 1;
        table = make_table<Real>(shape);
        for (Real **array : {&u, &v, &f, &w, &coarse_f}) {
            check(cudaMalloc(array, bytes));
            check(cudaMemset(*array, 0, bytes));
        }
        check(cudaMalloc(&sums, STARFISH_SUMS * sizeof *sums));
        all = {0, n * LAYERS, 0, n};
        all_coarse = {0, n / 2 * LAYERS, 0, n / 2};
    }
    ~Grid()
    {
        for (void *memory :
             {static_cast<void *>(table), static_cast<void *>(u), static_cast<void *>(v), static_cast<void *>(f),
              static_cast<void *>(w), static_cast<void *>(coarse_f), static_cast<void *>(sums)})
            check(cudaFree(memory));
    }
    starfish_grid_step step_of(const void *solution, void *result) const
    {
        starfish_grid_step step = {};
        step.shape = &shape;
        step.coarse_shape = &coarse;
        step.table = table;
        step.at = all;
        step.u = solution;
        step.f = f;
        step.result = result;
        return step;
    }
    int smooth(const void *solution, const void *correction)
    {
        starfish_grid_step step = step_of(solution, v);
        step.sweep = STARFISH_FLAT_LINES;
        step.damping = 2.0 / 3;
        step.coarse = correction;
        return starfish_flat_kind.compute[STARFISH_GRID_SMOOTH](&place, &step);
    }
    int residual(bool stored)
    {
        starfish_grid_step step = step_of(u, stored ? v : nullptr);
        step.sums = stored ? nullptr : sums;
        return starfish_flat_kind.compute[STARFISH_GRID_RESIDUAL](&place, &step);
    }
    /* Of u and a correction; `lower`: that and the residual in f32. */
    int advance(bool lower)
    {
        starfish_grid_step step = step_of(u, w);
        step.combined.correction = coarse_f;
        step.combined.factor = 1;
        step.combined.v = v;
        step.sums = sums;
        step.combined.lower = lower;
        return starfish_flat_kind.compute[STARFISH_GRID_RESIDUAL](&place, &step);
    }
    int restrict_residual()
    {
        starfish_grid_step step = step_of(u, coarse_f);
        step.at = all_coarse;
        return starfish_flat_kind.compute[STARFISH_GRID_RESTRICT](&place, &step);
    }
    int prolong()
    {
        starfish_grid_step step = step_of(nullptr, u);
        step.coarse = coarse_f;
        return starfish_flat_kind.compute[STARFISH_GRID_PROLONG](&place, &step);
    }
    int copy() { return cudaMemcpyAsync(v, u, all.x1 * all.y1 * sizeof(Real), cudaMemcpyDeviceToDevice, nullptr); }
};

template <typename Real> void measure(size_t n, int skew, double *copy_rate)
{
    Grid<Real> grid(n, skew);
    const struct {
        const char *name;
        double words;
        std::function<int()> launch;
    } steps[] = {{"copy", 2, [&] { return grid.copy(); }},
                 {"lines from zero", 2, [&] { return grid.smooth(nullptr, nullptr); }},
                 {"lines", 3, [&] { return grid.smooth(grid.u, nullptr); }},
                 {"corrected lines", 3.25, [&] { return grid.smooth(grid.u, grid.coarse_f); }},
                 {"residual", 3, [&] { return grid.residual(true); }},
                 {"norm", 2, [&] { return grid.residual(false); }},
                 {"correction, residual", 5, [&] { return grid.advance(false); }},
                 {"correction, residual, f32", 4, [&] { return grid.advance(true); }},
                 {"restrict", 2.25, [&] { return grid.restrict_residual(); }},
                 {"prolong", 2.25, [&] { return grid.prolong(); }}};

    for (const auto &step : steps) {
        if (sizeof(Real) == 4 && step.words == 4)
            continue;
        const double ms = median_ms(step.launch);
        const double rate = step.words * double(n) * double(n) * LAYERS * sizeof(Real) / (1e-3 * ms);
        if (*copy_rate == 0)
            *copy_rate = rate;
        printf("%s,%s,%s,%zu,%.1f,%.2f,%.1f,%.3f\n", step.name, skew ? "panel" : "box",
               sizeof(Real) == 4 ? "f32" : "f64", n, 1e3 * ms, step.words, 1e-9 * rate, rate / *copy_rate);
    }
}

} // namespace

int main()
{
    double f64_rate = 0, f32_rate = 0;

    printf("step,geometry,precision,n,microseconds,words,gbytes_per_second,fraction_of_copy\n");
    for (size_t n = LARGEST; n >= SMALLEST; n /= 2)
        for (int skew = 0; skew < 2; skew++) {
            measure<double>(n, skew, &f64_rate);
            measure<float>(n, skew, &f32_rate);
        }
    return 0;
}
