/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One line solved by the threads of one block, in shared memory: what the kernels for few lines are made of.
 *
 * PCR: in stage s = 1, 2, 4, ... every row i, scaled to a unit diagonal, eliminates its neighbours i-s and i+s with
 * their rows; rows out of range are x = 0, so any n will do. Or cyclic reduction, and both. A thread holds the unknowns
 * threadIdx.x, threadIdx.x + blockDim.x, ..., so that vectors stay in registers from one solve to the next. */
#ifndef STARFISH_TRIDIAG_KERNELS_SHARED_LINE_CUH
#define STARFISH_TRIDIAG_KERNELS_SHARED_LINE_CUH

#include "tridiag/kernels/thomas_line.cuh"

namespace starfish_tridiag
{

enum { MOST_THREADS = 1024, WARP = 32, DEFAULT_SHARED_BYTES = 48 * 1024 };
/* Lines are as many as make Thomas, one thread per line, the faster way. */
enum { FEWEST_THOMAS_LANES = 16, FEWEST_THOMAS_LINES = 16384 };

/* x becomes keep x + gain w, w the solution for x; pinned: whose last unknown is 0. */
template <typename Real> struct Step {
    RealOf<Real> shift, keep, gain;
    bool pinned;
};

/* Row i of the system with a unit diagonal: x(i) + a x(i-s) + c x(i+s) = d, and z for the separator's column. */
template <typename Real> struct UnitRow {
    CoefficientOf<Real> a, c;
    Real d;
    CoefficientOf<Real> z;
};

/* The system in shared memory, one array per coefficient: neighbouring threads, neighbouring banks. */
template <typename Real, bool Periodic> struct SharedSystem {
    typedef CoefficientOf<Real> Coefficient;
    Real *d;
    Coefficient *a, *c, *z;
    size_t n;

    __device__ SharedSystem(void *memory, size_t rows)
        : d(static_cast<Real *>(memory)), a(reinterpret_cast<Coefficient *>(d + rows)), c(a + rows), z(c + rows),
          n(rows)
    {
    }
    __device__ void put(size_t i, const UnitRow<Real> &row) const
    {
        a[i] = row.a;
        c[i] = row.c;
        d[i] = row.d;
        if (Periodic)
            z[i] = row.z;
    }
    __device__ UnitRow<Real> get(size_t i) const
    {
        UnitRow<Real> row = {a[i], c[i], d[i], Periodic ? z[i] : Coefficient(0)};
        return row;
    }
    /* Row i - s or i + s, where out of range x = 0. i - s wraps around to a large number. */
    __device__ UnitRow<Real> get_or_zero(size_t i) const
    {
        UnitRow<Real> zero = {Coefficient(0), Coefficient(0), Real(0), Coefficient(0)};
        return i < n ? get(i) : zero;
    }
    __device__ UnitRow<Real> reduced(size_t i, size_t s) const
    {
        const UnitRow<Real> row = get(i), before = get_or_zero(i - s), after = get_or_zero(i + s);
        const Coefficient scale = Coefficient(1) / (Coefficient(1) - row.a * before.c - row.c * after.a);
        UnitRow<Real> result = {-scale * row.a * before.a, -scale * row.c * after.c,
                                scale * (row.d - row.a * before.d - row.c * after.d),
                                Periodic ? scale * (row.z - row.a * before.z - row.c * after.z) : Coefficient(0)};
        return result;
    }
    /* x(i), once x(i-s) and x(i+s) are there. */
    __device__ void substitute(size_t i, size_t s) const
    {
        const UnitRow<Real> row = get(i), before = get_or_zero(i - s), after = get_or_zero(i + s);
        d[i] = row.d - row.a * before.d - row.c * after.d;
        if (Periodic)
            z[i] = row.z - row.a * before.z - row.c * after.z;
    }
};

/* Ways to solve the system; Tail: rows at which cyclic reduction stops. */
struct ByPcr {
};
template <int Tail> struct ByReduction {
};

/* Row i before the first stage. A separator's row (the last one of a periodic or pinned line) is left as x(n-1) =
 * rhs, or 0 when pinned; in a periodic line its column goes to z. */
template <typename Real, bool Periodic>
__device__ inline UnitRow<Real> first_row(const starfish_tridiag_operator &line, size_t i, Real rhs,
                                          const Step<Real> &step)
{
    typedef CoefficientOf<Real> Coefficient;
    const Row<Coefficient> row = load_row<Coefficient>(line, i);
    const bool last = i + 1 == line.n;
    const Coefficient scale = Coefficient(1) / (row.diag + step.shift), zero = Coefficient(0);
    UnitRow<Real> unit = {scale * row.lower, scale * row.upper, scale * rhs, zero};
    const UnitRow<Real> separator = {zero, zero, step.pinned ? Real(0) : rhs, zero};

    if (last && (Periodic || step.pinned))
        return separator;
    if (Periodic && i == 0) {
        unit.z += unit.a;
        unit.a = zero;
    }
    if (Periodic && i + 2 == line.n) {
        unit.z += unit.c;
        unit.c = zero;
    }
    return unit;
}

/* x(n-1) of a periodic line once d and z hold the solutions of the rows above it for the right-hand side and for the
 * separator's column; computed by every thread alike. */
template <typename Real>
__device__ inline Real solve_border(const starfish_tridiag_operator &line, const SharedSystem<Real, true> &system,
                                    const Step<Real> &step)
{
    const size_t n = line.n;
    const Row<CoefficientOf<Real>> row = load_row<CoefficientOf<Real>>(line, n - 1);

    if (step.pinned)
        return Real(0);
    if (n == 1)
        return system.d[0] / (row.diag + step.shift + row.lower + row.upper);
    return (system.d[n - 1] - row.upper * system.d[0] - row.lower * system.d[n - 2]) /
           (row.diag + step.shift - row.upper * system.z[0] - row.lower * system.z[n - 2]);
}

template <typename Real>
__device__ inline Real solve_border(const starfish_tridiag_operator &, const SharedSystem<Real, false> &,
                                    const Step<Real> &)
{
    return Real(0);
}

/* How a system in shared memory is solved: afterwards d (and z) hold solutions, seen by every thread. */
template <typename Real, bool Periodic, int Unknowns>
__device__ inline void solve_system(const SharedSystem<Real, Periodic> &system, ByPcr)
{
    UnitRow<Real> row[Unknowns];

    __syncthreads();
    for (size_t s = 1; s < system.n; s *= 2) {
#pragma unroll
        for (int u = 0; u < Unknowns; u++) {
            const size_t i = threadIdx.x + size_t(u) * blockDim.x;
            if (i < system.n)
                row[u] = system.reduced(i, s);
        }
        __syncthreads();
#pragma unroll
        for (int u = 0; u < Unknowns; u++) {
            const size_t i = threadIdx.x + size_t(u) * blockDim.x;
            if (i < system.n)
                system.put(i, row[u]);
        }
        __syncthreads();
    }
}

/* At stride s the rows s - 1, 2 s - 1, .. are left: every second of them eliminates the others, in place, until at most
 * Tail are; those by PCR; then the others by what they were eliminated with, backwards. */
template <typename Real, bool Periodic, int Unknowns, int Tail>
__device__ inline void solve_system(const SharedSystem<Real, Periodic> &system, ByReduction<Tail>)
{
    const size_t n = system.n, thread = threadIdx.x, threads = blockDim.x;
    size_t s = 1;

    __syncthreads();
    for (; n / s > size_t(Tail); s *= 2) {
        for (size_t i = 2 * s * (thread + 1) - 1; i < n; i += 2 * s * threads)
            system.put(i, system.reduced(i, s));
        __syncthreads();
    }
    const size_t left = n / s, i = s * (thread + 1) - 1;
    for (size_t t = 1; t < left; t *= 2) {
        UnitRow<Real> row = {};
        if (thread < left)
            row = system.reduced(i, t * s);
        __syncthreads();
        if (thread < left)
            system.put(i, row);
        __syncthreads();
    }
    for (s /= 2; s > 0; s /= 2) {
        for (size_t k = s - 1 + 2 * s * thread; k < n; k += 2 * s * threads)
            system.substitute(k, s);
        __syncthreads();
    }
}

/* One step of the chain on the unknowns threadIdx.x + u * blockDim.x that this thread holds. */
template <typename Real, bool Periodic, int Unknowns, typename Way>
__device__ inline void shared_step(const starfish_tridiag_operator &line, const SharedSystem<Real, Periodic> &system,
                                   const Step<Real> &step, Real (&x)[Unknowns])
{
#pragma unroll
    for (int u = 0; u < Unknowns; u++) {
        const size_t i = threadIdx.x + size_t(u) * blockDim.x;
        if (i < line.n)
            system.put(i, first_row<Real, Periodic>(line, i, x[u], step));
    }
    solve_system<Real, Periodic, Unknowns>(system, Way());
    const Real last = solve_border(line, system, step);
#pragma unroll
    for (int u = 0; u < Unknowns; u++) {
        const size_t i = threadIdx.x + size_t(u) * blockDim.x;
        if (i < line.n) {
            Real w = system.d[i];
            if (Periodic)
                w = i + 1 == line.n ? last : w - system.z[i] * last;
            x[u] = step.keep * x[u] + step.gain * w;
        }
    }
    if (Periodic) /* the next step overwrites the rows that solve_border read */
        __syncthreads();
}

/* ---- Launching --------------------------------------------------------------------------------------------------- */

/* How a line is spread over a block; kernel is NULL where it does not fit. */
template <typename Kernel> struct SharedShape {
    Kernel kernel;
    unsigned threads;
    size_t shared_bytes;
};

/* Of the kernels for 1, 2, 4 and 8 unknowns per thread the first that will do. */
template <typename Real, bool Periodic, typename Kernel>
SharedShape<Kernel> shared_shape(const Kernel (&kernels)[4], size_t n)
{
    SharedShape<Kernel> shape = {NULL, 0, (Periodic ? 4 : 3) * n * sizeof(Real)};

    for (size_t choice = 0; choice < 4; choice++) {
        const size_t unknowns = size_t(1) << choice;
        if (n <= unknowns * MOST_THREADS) {
            shape.kernel = kernels[choice];
            shape.threads = static_cast<unsigned>(starfish_tridiag_round_up((n + unknowns - 1) / unknowns, WARP));
            break;
        }
    }
    return shape;
}

/* Let the kernel have its shared memory; cudaErrorInvalidConfiguration where the line does not fit. */
template <typename Kernel> cudaError_t admit(const SharedShape<Kernel> &shape)
{
    int device = 0, most = 0;

    if (!shape.kernel)
        return cudaErrorInvalidConfiguration;
    if (shape.shared_bytes <= DEFAULT_SHARED_BYTES)
        return cudaSuccess;
    cudaError_t status = cudaGetDevice(&device);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (status != cudaSuccess)
        return status;
    if (shape.shared_bytes > size_t(most))
        return cudaErrorInvalidConfiguration;
    return cudaFuncSetAttribute(shape.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                static_cast<int>(shape.shared_bytes));
}

} // namespace starfish_tridiag

#endif
