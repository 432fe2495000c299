/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps of Q1 multigrid on one GPU, grid by grid: n^2 unknowns of U1 for n = 127 .. 4095, f32 and f64, beside a copy of
 * the same array. Words are what must move per unknown (multigrid/kernels/band.h); the fraction is that of the copy's
 * bandwidth at 4095^2. Medians of CUDA events.
 *
 *   bench/multigrid_steps           CSV on standard output */
extern "C" {
#include "multigrid/kernels/q1_kind.h"
}
#include "bench/cuda_timing.cuh"

#include <cstdio>
#include <functional>
#include <vector>

namespace
{

enum { WARM_UP = 3, REPEATS = 15, LARGEST = 4095 };

double median_ms(const std::function<int()> &launch)
{
    return median_ms(WARM_UP, REPEATS, [&](int) { return launch(); });
}

starfish_q1_shape shape_of(size_t n)
{
    starfish_q1_shape shape = {};
    for (int d = 0; d < 2; d++) {
        shape.n[d] = n;
        shape.stride[d] = 2;
        shape.origin[d] = 1;
    }
    return shape;
}

/* Neighbours beyond the ends. */
unsigned missing(size_t n, size_t i, size_t j)
{
    const unsigned across = 3 - (i == 0) - (i + 1 == n), down = 3 - (j == 0) - (j + 1 == n);
    return 9 - across * down;
}

/* Row sums and bands E NW N NE of U1, whose entries do not depend on the level, and weights of a half: the diagonal is
 * 8/3, an entry -1/3. */
template <typename Real> Real *make_table(const starfish_q1_shape &shape)
{
    static const int ahead[5][2] = {{0, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}};
    const size_t n = shape.n[0], weights = starfish_q1_table_weights(&shape);
    std::vector<Real> table(starfish_q1_table_size(&shape), Real(0));
    Real *device;

    for (int b = 0; b < 5; b++)
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n; i++)
                if (i + ahead[b][0] < n && j + ahead[b][1] < n)
                    table[starfish_band_table_start(n, n, b) + i + j * n] =
                        b == 0 ? missing(n, i, j) / Real(3) : Real(-1) / 3;
    std::fill(table.begin() + static_cast<std::ptrdiff_t>(weights), table.end(), Real(0.5));
    check(cudaMalloc(&device, table.size() * sizeof(Real)));
    check(cudaMemcpy(device, table.data(), table.size() * sizeof(Real), cudaMemcpyHostToDevice));
    return device;
}

template <typename Real> struct Grid {
    starfish_q1_shape shape, coarse;
    starfish_place place;
    Real *table, *coarse_table, *u, *v, *f, *coarse_f;
    double *sums;
    starfish_rectangle all, all_coarse;

    explicit Grid(size_t n) : shape(shape_of(n)), coarse(shape_of((n - 1) / 2)), place()
    {
        const size_t bytes = n * n * sizeof(Real);
        const starfish_smoothing smoothing = {};
        place.precision = sizeof(Real) == 4 ? STARFISH_F32 : STARFISH_F64;
        place.gpu = 1;
        table = make_table<Real>(shape);
        coarse_table = make_table<Real>(coarse);
        for (Real **array : {&u, &v, &f, &coarse_f}) {
            check(cudaMalloc(array, bytes));
            check(cudaMemset(*array, 0, bytes));
        }
        check(cudaMalloc(&sums, STARFISH_SUMS * sizeof *sums));
        check(cudaMalloc(&place.work, starfish_grid_work(&starfish_q1_kind, &smoothing, &shape, place.precision, 1)));
        all = {0, n, 0, n};
        all_coarse = {0, coarse.n[0], 0, coarse.n[1]};
    }
    ~Grid()
    {
        for (void *memory : {static_cast<void *>(table), static_cast<void *>(coarse_table), static_cast<void *>(u),
                             static_cast<void *>(v), static_cast<void *>(f), static_cast<void *>(coarse_f),
                             static_cast<void *>(sums), place.work})
            check(cudaFree(memory));
    }
    starfish_grid_step step_of(const void *solution, const void *rhs, void *result) const
    {
        starfish_grid_step step = {};
        step.shape = &shape;
        step.coarse_shape = &coarse;
        step.table = table;
        step.coarse_table = coarse_table;
        step.at = all;
        step.u = solution;
        step.f = rhs;
        step.result = result;
        return step;
    }
    int smooth(starfish_q1_sweep sweep)
    {
        starfish_grid_step step = step_of(u, f, v);
        step.sweep = sweep;
        step.damping = 0.7;
        return starfish_q1_kind.compute[STARFISH_GRID_SMOOTH](&place, &step);
    }
    int residual(bool stored)
    {
        starfish_grid_step step = step_of(u, f, stored ? v : nullptr);
        step.sums = stored ? nullptr : sums;
        return starfish_q1_kind.compute[STARFISH_GRID_RESIDUAL](&place, &step);
    }
    int restrict_residual()
    {
        starfish_grid_step step = step_of(u, f, coarse_f);
        step.at = all_coarse;
        return starfish_q1_kind.compute[STARFISH_GRID_RESTRICT](&place, &step);
    }
    int prolong()
    {
        starfish_grid_step step = step_of(nullptr, nullptr, u);
        step.coarse = coarse_f;
        return starfish_q1_kind.compute[STARFISH_GRID_PROLONG](&place, &step);
    }
    int copy() { return cudaMemcpyAsync(v, u, all.x1 * all.y1 * sizeof(Real), cudaMemcpyDeviceToDevice, nullptr); }
};

template <typename Real> void measure(size_t n, double *copy_rate)
{
    Grid<Real> grid(n);
    const struct {
        const char *name;
        double words;
        std::function<int()> launch;
    } steps[] = {{"copy", 2, [&] { return grid.copy(); }},
                 {"residual", 8, [&] { return grid.residual(true); }},
                 {"norm", 7, [&] { return grid.residual(false); }},
                 {"jacobi", 8, [&] { return grid.smooth(STARFISH_Q1_POINTS); }},
                 {"even rows", 5, [&] { return grid.smooth(STARFISH_Q1_ROWS_EVEN); }},
                 {"lines x", 8, [&] { return grid.smooth(STARFISH_Q1_LINES_X); }},
                 {"lines y", 8, [&] { return grid.smooth(STARFISH_Q1_LINES_Y); }},
                 {"restrict", 7.25, [&] { return grid.restrict_residual(); }},
                 {"prolong", 2.25, [&] { return grid.prolong(); }}};

    for (const auto &step : steps) {
        const double ms = median_ms(step.launch);
        const double rate = step.words * double(n) * double(n) * sizeof(Real) / (1e-3 * ms);
        if (*copy_rate == 0)
            *copy_rate = rate;
        printf("%s,%s,%zu,%.4f,%.2f,%.1f,%.3f\n", step.name, sizeof(Real) == 4 ? "f32" : "f64", n, 1e3 * ms, step.words,
               1e-9 * rate, rate / *copy_rate);
    }
}

} // namespace

int main()
{
    double f64_rate = 0, f32_rate = 0;

    printf("step,precision,n,microseconds,words,gbytes_per_second,fraction_of_copy\n");
    for (size_t n = LARGEST; n >= 127; n = (n - 1) / 2) {
        measure<double>(n, &f64_rate);
        measure<float>(n, &f32_rate);
    }
    return 0;
}
