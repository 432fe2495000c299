/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps of 3D multigrid on seven-point matrices on one GPU: n^3 unknowns for n = 512 and 256, f32 and f64, beside a
 * copy of the same array. Words are what must move per unknown (multigrid/kernels/flux.h); the fraction is that of the
 * bandwidth of the copy at 512^3. Cell grids: linear prolongation, restriction by sums of cells. "f" stands for a step
 * from u = 0, "corrected" for one with the prolongation in it, "stored" for a matrix that is stored, "no rest" for one
 * of couplings alone, "pairs" for sums over pairs of cells. Medians of CUDA events.
 *
 *   bench/flux_steps           CSV on standard output */
extern "C" {
#include "multigrid/kernels/flux.h"
}
#include "bench/cuda_timing.cuh"

#include <cstdio>
#include <functional>
#include <vector>

namespace
{

enum { WARM_UP = 3, REPEATS = 11, LARGEST = 512, SMALLEST = 256 };

double median_ms(const std::function<int()> &launch)
{
    return median_ms(WARM_UP, REPEATS, [&](int) { return launch(); });
}

/* The kernels of a precision. */
template <typename Real> struct Kernels;
template <> struct Kernels<float> {
    static constexpr auto smooth = starfish_flux_smooth_cuda_f32;
    static constexpr auto residual = starfish_flux_residual_cuda_f32;
    static constexpr auto restrict_residual = starfish_flux_restrict_cuda_f32;
    static constexpr auto prolong = starfish_flux_prolong_cuda_f32;
    static constexpr auto lines = starfish_flux_lines_cuda_f32;
};
template <> struct Kernels<double> {
    static constexpr auto smooth = starfish_flux_smooth_cuda_f64;
    static constexpr auto residual = starfish_flux_residual_cuda_f64;
    static constexpr auto restrict_residual = starfish_flux_restrict_cuda_f64;
    static constexpr auto prolong = starfish_flux_prolong_cuda_f64;
    static constexpr auto lines = starfish_flux_lines_cuda_f64;
};

template <typename Real> struct Grid {
    using Run = Kernels<Real>;
    size_t n, count;
    std::vector<void *> memory;
    Real *u, *v, *f, *coarse;
    void *work;
    double *sums;
    starfish_flux_matrix tensor, stored;
    starfish_flux_matrix without_rest; /* the stored one, whose rest is 0 */
    starfish_flux_transfer transfer[3];
    starfish_flux_part all, all_coarse;

    explicit Grid(size_t size) : n(size), count(size * size * size), tensor(), stored(), without_rest(), transfer()
    {
        u = array(count);
        v = array(count);
        f = array(count);
        coarse = array(count / 8);
        check(cudaMalloc(&sums, STARFISH_SUMS * sizeof *sums));
        memory.push_back(sums);
        all = {0, n, 0, n};
        all_coarse = {0, n / 2, 0, n / 2};
        make_tensor();
        make_stored();
        make_transfer();
        const starfish_flux_lines lines = {tensor, all, 0, STARFISH_FLUX_ALL_LINES, 1, u, f, v, nullptr};
        check(cudaMalloc(&work, starfish_flux_lines_work_cuda(&lines, sizeof(Real))));
        memory.push_back(work);
    }
    ~Grid()
    {
        for (void *piece : memory)
            check(cudaFree(piece));
    }
    Grid(const Grid &) = delete;
    Grid &operator=(const Grid &) = delete;

    /* Of some positive numbers: bytes 3f make 0.75 and 0.0005. */
    Real *array(size_t length)
    {
        Real *made;
        check(cudaMalloc(&made, length * sizeof(Real)));
        check(cudaMemset(made, 0x3f, length * sizeof(Real)));
        memory.push_back(made);
        return made;
    }
    Real *table(const std::vector<Real> &values)
    {
        Real *made = array(values.size());
        check(cudaMemcpy(made, values.data(), values.size() * sizeof(Real), cudaMemcpyHostToDevice));
        return made;
    }
    /* The Laplacian of cells between Dirichlet faces. */
    void make_tensor()
    {
        std::vector<Real> coupling(n + 1, Real(1)), extra(n, Real(0)), weight(n, Real(1));
        coupling.front() = coupling.back() = 0;
        extra.front() = extra.back() = 2;
        for (starfish_flux_axis &axis : tensor.axis)
            axis = {n, 0, 0, table(coupling), table(extra), table(weight), 0};
    }
    /* Any coefficients on a periodic box. */
    void make_stored()
    {
        for (int d = 0; d < 3; d++) {
            stored.axis[d] = {n, 1, 0, nullptr, nullptr, nullptr, 0};
            stored.face[d] = array(count);
        }
        without_rest = stored;
        stored.rest = array(count);
    }
    void make_transfer()
    {
        std::vector<Real> lower(n), upper(n);
        for (size_t i = 0; i < n; i++) {
            lower[i] = i == 0 ? Real(0) : i % 2 == 0 ? Real(0.25) : Real(0.75);
            upper[i] = i + 1 == n ? Real(0) : i % 2 == 0 ? Real(0.75) : Real(0.25);
        }
        const Real *none = table(std::vector<Real>(n / 2, Real(0))), *one = table(std::vector<Real>(n / 2, Real(1)));
        for (starfish_flux_transfer &t : transfer)
            t = {n, n / 2, 0, table(lower), table(upper), {none, one, one, none}, 0, 0};
    }

    int smooth(const starfish_flux_matrix &matrix, starfish_flux_order order, const Real *from, const Real *correction)
    {
        starfish_flux_smooth step = {};
        step.matrix = matrix;
        step.at = all;
        step.order = order;
        step.damping = 1;
        step.u = from;
        step.f = f;
        std::copy(transfer, transfer + 3, step.transfer);
        step.coarse = correction;
        step.v = v;
        return Run::smooth(&step, nullptr);
    }
    int residual(bool with_result)
    {
        const starfish_flux_residual step = {tensor, all, u, f, with_result ? v : nullptr, with_result ? nullptr : sums,
                                             nullptr};
        return Run::residual(&step, nullptr);
    }
    int restrict_residual(const starfish_flux_matrix &matrix, const Real *from, int pairs)
    {
        starfish_flux_restrict step = {matrix, {transfer[0], transfer[1], transfer[2]}, all_coarse, from, f, coarse,
                                       nullptr};
        for (starfish_flux_transfer &t : step.transfer)
            t.pairs = pairs;
        return Run::restrict_residual(&step, nullptr);
    }
    int prolong()
    {
        const starfish_flux_prolong step = {{transfer[0], transfer[1], transfer[2]}, all, coarse, u, v, nullptr};
        return Run::prolong(&step, nullptr);
    }
    int lines(int direction)
    {
        const starfish_flux_lines step = {tensor, all, direction, STARFISH_FLUX_ALL_LINES, 1, u, f, v, work};
        return Run::lines(&step, nullptr);
    }
    int copy() { return cudaMemcpyAsync(v, u, count * sizeof(Real), cudaMemcpyDeviceToDevice, nullptr); }
};

template <typename Real> void measure(size_t n, double *copy_rate)
{
    Grid<Real> g(n);
    const starfish_flux_order at_once = STARFISH_FLUX_AT_ONCE, colours = STARFISH_FLUX_EVEN_FIRST;
    const struct {
        const char *name;
        double words;
        std::function<int()> launch;
    } steps[] = {{"copy", 2, [&] { return g.copy(); }},
                 {"colours", 3, [&] { return g.smooth(g.tensor, colours, g.u, nullptr); }},
                 {"colours f", 2, [&] { return g.smooth(g.tensor, colours, nullptr, nullptr); }},
                 {"colours corrected", 3.125, [&] { return g.smooth(g.tensor, colours, g.u, g.coarse); }},
                 {"at once", 3, [&] { return g.smooth(g.tensor, at_once, g.u, nullptr); }},
                 {"at once f", 2, [&] { return g.smooth(g.tensor, at_once, nullptr, nullptr); }},
                 {"at once corrected", 3.125, [&] { return g.smooth(g.tensor, at_once, g.u, g.coarse); }},
                 {"restrict", 2.125, [&] { return g.restrict_residual(g.tensor, g.u, 0); }},
                 {"restrict f", 1.125, [&] { return g.restrict_residual(g.tensor, nullptr, 0); }},
                 {"prolong", 2.125, [&] { return g.prolong(); }},
                 {"residual", 3, [&] { return g.residual(true); }},
                 {"norm", 2, [&] { return g.residual(false); }},
                 {"lines x", 7, [&] { return g.lines(0); }},
                 {"lines y", 7, [&] { return g.lines(1); }},
                 {"lines z", 7, [&] { return g.lines(2); }},
                 {"colours stored", 7, [&] { return g.smooth(g.stored, colours, g.u, nullptr); }},
                 {"colours corrected stored", 7.125, [&] { return g.smooth(g.stored, colours, g.u, g.coarse); }},
                 {"colours f stored", 6, [&] { return g.smooth(g.stored, colours, nullptr, nullptr); }},
                 {"restrict stored", 6.125, [&] { return g.restrict_residual(g.stored, g.u, 0); }},
                 {"restrict pairs stored", 6.125, [&] { return g.restrict_residual(g.stored, g.u, 1); }},
                 {"colours no rest", 6, [&] { return g.smooth(g.without_rest, colours, g.u, nullptr); }},
                 {"colours corrected no rest", 6.125, [&] { return g.smooth(g.without_rest, colours, g.u, g.coarse); }},
                 {"colours f no rest", 5, [&] { return g.smooth(g.without_rest, colours, nullptr, nullptr); }},
                 {"restrict pairs no rest", 5.125, [&] { return g.restrict_residual(g.without_rest, g.u, 1); }}};

    for (const auto &step : steps) {
        const double ms = median_ms(step.launch);
        const double rate = step.words * double(g.count) * sizeof(Real) / (1e-3 * ms);
        if (*copy_rate == 0)
            *copy_rate = rate;
        printf("%s,%s,%zu,%.4f,%.3f,%.1f,%.3f\n", step.name, sizeof(Real) == 4 ? "f32" : "f64", n, ms, step.words,
               1e-9 * rate, rate / *copy_rate);
    }
}

} // namespace

int main()
{
    double f64_rate = 0, f32_rate = 0;

    printf("step,precision,n,milliseconds,words,gbytes_per_second,fraction_of_copy\n");
    for (size_t n = LARGEST; n >= SMALLEST; n /= 2) {
        measure<double>(n, &f64_rate);
        measure<float>(n, &f32_rate);
    }
    return 0;
}
