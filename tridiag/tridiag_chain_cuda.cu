/* Chains of shifted solves, on CUDA, in two ways; a line is one lane of one vector.
 *
 * PCR: one block per line. The vector stays in registers and the system in shared memory for the whole chain, so global
 * memory sees the floor, 2 reals per unknown and chain (16 bytes in f64), plus coefficients from cache in every step.
 * Bound by latency and arithmetic: a step is ceil(log2 n) stages, each one division and about 12 other operations per
 * unknown between two barriers. The only way to keep a device busy with few lines. Lines of many lanes are read with a
 * stride, once per chain.
 *
 * Thomas: one thread per line. The vectors of a whole chain fit nowhere else, so x and the checkpoints of
 * thomas_line.cuh are in global memory: 28 bytes per f64 unknown and step (periodic 30). Bound by memory bandwidth from
 * some tens of thousands of lines on; below, by the latency of the recurrence, 2 n divisions in a row per step, however
 * few the lines.
 *
 * Thomas' step takes as long for one line as for thousands, since it waits for memory; PCR's time is proportional to the
 * lines. They meet at 16384 lines for n = 128, 256 and 512, in both precisions (blktri in 3D on an H200, thresholds from
 * 4096 to 262144 tried; half or twice as many lines cost 2 to 6 %).
 *
 * CR, CR-PCR: as PCR, with cyclic reduction in place of its stages: fewer operations, twice as many barriers, bank conflicts
 * that double with each level. For comparison (the paper's Figure 7), and where arithmetic binds.
 *
 * Sources: Swarztrauber 1974; Hockney and Jesshope 1981 for PCR; Valero-Lara, Pinelli, Prieto-Matias 2014 for PCR in
 * block cyclic reduction. In stage s = 1, 2, 4, ... every row i, scaled to a unit diagonal, eliminates its neighbours
 * i-s and i+s with their rows; rows out of range are x = 0, so any n will do. */
#include "tridiag/thomas_line.cuh"

#include "base/cuda_entries.h"

namespace starfish_tridiag
{
namespace
{

enum { FEWEST_THOMAS_LANES = 16, FEWEST_THOMAS_LINES = 16384, MOST_THREADS = 1024, WARP = 32 };
enum { DEFAULT_SHARED_BYTES = 48 * 1024 };

/* Parameters of step q of a line. */
template <typename Real> struct Step {
    Real shift, keep, gain;
    bool pinned;
};

template <typename Real>
__device__ inline Step<Real> load_step(const starfish_tridiag_chain &arguments, size_t lane, int q)
{
    const Real *lanes = static_cast<const Real *>(arguments.shift_lane);
    Step<Real> step = {static_cast<const Real *>(arguments.mu)[q] + (lanes ? lanes[lane] : Real(0)) +
                           static_cast<Real>(arguments.shift),
                       static_cast<const Real *>(arguments.keep)[q], static_cast<const Real *>(arguments.gain)[q],
                       lane == 0 && q == arguments.pinned_step};

    return step;
}

template <typename Real>
__device__ inline const Real *input_line(const starfish_tridiag_chain &arguments, size_t vector, size_t lane)
{
    return static_cast<const Real *>(arguments.input) +
           static_cast<size_t>(arguments.input_row[vector]) * arguments.line.n * arguments.lanes + lane;
}

template <typename Real>
__device__ inline Real *output_line(const starfish_tridiag_chain &arguments, size_t vector, size_t lane)
{
    return static_cast<Real *>(arguments.output) + vector * arguments.line.n * arguments.lanes + lane;
}

template <typename Real> __device__ inline Real input_scale(const starfish_tridiag_chain &arguments, size_t vector)
{
    return arguments.scale ? static_cast<const Real *>(arguments.scale)[vector] : Real(1);
}

/* ---- Thomas ---------------------------------------------------------------------------------------------------- */

/* One step on a line in one piece: takes scale times `from`, writes `to`, which may be the same. */
template <typename Real> struct LineOfVector {
    typedef Real Element;
    const Real *from;
    Real *to;
    size_t rows, lanes;
    Real scale, keep, gain;

    __device__ size_t n() const { return rows; }
    __device__ int tiles() const { return 1; }
    __device__ size_t first(int t) const { return t > 0 ? rows : 0; }
    __device__ int last_tile() const { return 0; }
    __device__ Real load(int, size_t k) const { return scale * from[k * lanes]; }
    __device__ void store(int, size_t k, Real rhs, Real x) const { to[k * lanes] = keep * rhs + gain * x; }
};

template <typename Real, bool Periodic>
__global__ void __launch_bounds__(THREADS) thomas_chain(const __grid_constant__ starfish_tridiag_chain arguments)
{
    const size_t n = arguments.line.n, lanes = arguments.lanes, lines = lanes * arguments.vectors;
    const size_t threads = size_t(gridDim.x) * THREADS;

    for (size_t line = size_t(blockIdx.x) * THREADS + threadIdx.x; line < lines; line += threads) {
        const size_t vector = line / lanes, lane = line % lanes;
        const int first = arguments.first_step[vector], steps = arguments.steps[vector];
        const Real *from = input_line<Real>(arguments, vector, lane);
        Real *to = output_line<Real>(arguments, vector, lane);
        Real scale = input_scale<Real>(arguments, vector);
        for (size_t k = 0; k < n && steps == 0; k++)
            to[k * lanes] = scale * from[k * lanes];
        for (int q = first; q < first + steps; q++) {
            const Step<Real> step = load_step<Real>(arguments, lane, q);
            const LineOfVector<Real> tiles = {from, to, n, lanes, scale, step.keep, step.gain};
            solve_line<Real, Periodic>(arguments.line, step.shift, step.pinned, tiles,
                                       static_cast<Real *>(arguments.workspace) + line, lines);
            from = to;
            scale = Real(1);
        }
    }
}

template <typename Real> int launch_thomas(const starfish_tridiag_chain *arguments, cudaStream_t stream)
{
    auto kernel = arguments->line.periodic ? thomas_chain<Real, true> : thomas_chain<Real, false>;

    kernel<<<blocks_for(arguments->lanes * arguments->vectors), THREADS, 0, stream>>>(*arguments);
    return cudaGetLastError();
}

/* ---- PCR and cyclic reduction ------------------------------------------------------------------------------------- */

/* Row i of the system with a unit diagonal: x(i) + a x(i-s) + c x(i+s) = d, and z for the separator's column. */
template <typename Real> struct UnitRow {
    Real a, c, d, z;
};

/* The system in shared memory, one array per coefficient: neighbouring threads, neighbouring banks. */
template <typename Real, bool Periodic> struct SharedSystem {
    Real *a, *c, *d, *z;
    size_t n;

    __device__ SharedSystem(void *memory, size_t rows)
        : a(static_cast<Real *>(memory)), c(a + rows), d(c + rows), z(d + rows), n(rows)
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
        UnitRow<Real> row = {a[i], c[i], d[i], Periodic ? z[i] : Real(0)};
        return row;
    }
    /* Row i - s or i + s, where out of range x = 0. i - s wraps around to a large number. */
    __device__ UnitRow<Real> get_or_zero(size_t i) const
    {
        UnitRow<Real> zero = {Real(0), Real(0), Real(0), Real(0)};
        return i < n ? get(i) : zero;
    }
    __device__ UnitRow<Real> reduced(size_t i, size_t s) const
    {
        const UnitRow<Real> row = get(i), before = get_or_zero(i - s), after = get_or_zero(i + s);
        const Real scale = Real(1) / (Real(1) - row.a * before.c - row.c * after.a);
        UnitRow<Real> result = {-scale * row.a * before.a, -scale * row.c * after.c,
                                scale * (row.d - row.a * before.d - row.c * after.d),
                                Periodic ? scale * (row.z - row.a * before.z - row.c * after.z) : Real(0)};
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
    const Row<Real> row = load_row<Real>(line, i);
    const bool last = i + 1 == line.n;
    const Real scale = Real(1) / (row.diag + step.shift);
    UnitRow<Real> unit = {scale * row.lower, scale * row.upper, scale * rhs, Real(0)};
    const UnitRow<Real> separator = {Real(0), Real(0), step.pinned ? Real(0) : rhs, Real(0)};

    if (last && (Periodic || step.pinned))
        return separator;
    if (Periodic && i == 0) {
        unit.z += unit.a;
        unit.a = Real(0);
    }
    if (Periodic && i + 2 == line.n) {
        unit.z += unit.c;
        unit.c = Real(0);
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
    const Row<Real> row = load_row<Real>(line, n - 1);

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

template <typename Real, bool Periodic, int Unknowns, typename Way>
__global__ void __launch_bounds__(MOST_THREADS, 1)
    shared_chain(const __grid_constant__ starfish_tridiag_chain arguments)
{
    extern __shared__ double memory[];
    const size_t n = arguments.line.n, lanes = arguments.lanes, lines = lanes * arguments.vectors;
    const SharedSystem<Real, Periodic> system(memory, n);

    for (size_t line = blockIdx.x; line < lines; line += gridDim.x) {
        const size_t vector = line / lanes, lane = line % lanes;
        const int first = arguments.first_step[vector], steps = arguments.steps[vector];
        const Real *in = input_line<Real>(arguments, vector, lane);
        Real *out = output_line<Real>(arguments, vector, lane), x[Unknowns];
#pragma unroll
        for (int u = 0; u < Unknowns; u++) {
            const size_t i = threadIdx.x + size_t(u) * blockDim.x;
            x[u] = i < n ? input_scale<Real>(arguments, vector) * in[i * lanes] : Real(0);
        }
        for (int q = first; q < first + steps; q++)
            shared_step<Real, Periodic, Unknowns, Way>(arguments.line, system, load_step<Real>(arguments, lane, q), x);
#pragma unroll
        for (int u = 0; u < Unknowns; u++) {
            const size_t i = threadIdx.x + size_t(u) * blockDim.x;
            if (i < n)
                out[i * lanes] = x[u];
        }
    }
}

typedef void (*SharedKernel)(starfish_tridiag_chain);

/* How a line is spread over a block; kernel is NULL where it does not fit. */
struct SharedShape {
    SharedKernel kernel;
    unsigned threads;
    size_t shared_bytes;
};

template <typename Real, bool Periodic, typename Way> SharedShape shape_of(size_t n)
{
    static const SharedKernel kernels[] = {shared_chain<Real, Periodic, 1, Way>, shared_chain<Real, Periodic, 2, Way>,
                                           shared_chain<Real, Periodic, 4, Way>, shared_chain<Real, Periodic, 8, Way>};
    SharedShape shape = {NULL, 0, (Periodic ? 4 : 3) * n * sizeof(Real)};

    for (size_t choice = 0; choice < sizeof kernels / sizeof *kernels; choice++) {
        const size_t unknowns = size_t(1) << choice;
        if (n <= unknowns * MOST_THREADS) {
            shape.kernel = kernels[choice];
            shape.threads = static_cast<unsigned>(starfish_tridiag_round_up((n + unknowns - 1) / unknowns, WARP));
            break;
        }
    }
    return shape;
}

template <typename Real, bool Periodic> SharedShape shape_by(starfish_tridiag_method method, size_t n)
{
    switch (method) {
    case STARFISH_TRIDIAG_CR:
        return shape_of<Real, Periodic, ByReduction<1>>(n);
    case STARFISH_TRIDIAG_CR_PCR:
        return shape_of<Real, Periodic, ByReduction<WARP>>(n);
    default:
        return shape_of<Real, Periodic, ByPcr>(n);
    }
}

/* Let the kernel have its shared memory; cudaErrorInvalidConfiguration where the line does not fit. */
cudaError_t admit(const SharedShape &shape)
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

int launch_shared(const SharedShape &shape, const starfish_tridiag_chain *arguments, cudaStream_t stream)
{
    const size_t lines = arguments->lanes * arguments->vectors;
    const unsigned blocks = static_cast<unsigned>(starfish_tridiag_smaller(lines, MOST_BLOCKS));

    shape.kernel<<<blocks, shape.threads, shape.shared_bytes, stream>>>(*arguments);
    return cudaGetLastError();
}

/* ---- Choice ---------------------------------------------------------------------------------------------------- */

bool prefers_thomas(const starfish_tridiag_chain *arguments)
{
    return arguments->lanes >= FEWEST_THOMAS_LANES && arguments->lanes * arguments->vectors >= FEWEST_THOMAS_LINES;
}

template <typename Real> int launch_chain(const starfish_tridiag_chain *arguments, cudaStream_t stream)
{
    const starfish_tridiag_method method = arguments->method;

    if (method == STARFISH_TRIDIAG_THOMAS || (method == STARFISH_TRIDIAG_AUTO && prefers_thomas(arguments)))
        return launch_thomas<Real>(arguments, stream);
    const SharedShape shape = arguments->line.periodic ? shape_by<Real, true>(method, arguments->line.n)
                                                       : shape_by<Real, false>(method, arguments->line.n);
    const cudaError_t status = admit(shape);
    if (status == cudaSuccess)
        return launch_shared(shape, arguments, stream);
    if (method == STARFISH_TRIDIAG_AUTO && status == cudaErrorInvalidConfiguration)
        return launch_thomas<Real>(arguments, stream);
    return status;
}

} // namespace
} // namespace starfish_tridiag

STARFISH_CUDA_ENTRIES(starfish_tridiag_chain, starfish_tridiag::launch_chain)
