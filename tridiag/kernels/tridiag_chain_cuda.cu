/* SPDX-License-Identifier: LGPL-2.1-or-later */
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
 * Thomas' step takes as long for one line as for thousands, since it waits for memory; PCR's time is proportional to
 * the lines. They meet at 16384 lines for n = 128, 256 and 512, in both precisions (blktri in 3D on an H200, thresholds
 * from 4096 to 262144 tried; half or twice as many lines cost 2 to 6 %).
 *
 * CR, CR-PCR: as PCR, with cyclic reduction in place of its stages: fewer operations, twice as many barriers, bank
 * conflicts that double with each level. For comparison (the paper's Figure 7), and where arithmetic binds.
 *
 * Compiled once for each kind of numbers in each precision (base/number_name.h); the version for real numbers chooses.
 *
 * Sources: Swarztrauber 1974; Hockney and Jesshope 1981 for PCR; Valero-Lara, Pinelli, Prieto-Matias 2014 for PCR in
 * block cyclic reduction; shared_line.cuh. */
#include "tridiag/kernels/shared_line.cuh"

#include "base/number_name.h"

namespace starfish_tridiag
{
namespace
{

template <typename Real>
__device__ inline Step<Real> load_step(const starfish_tridiag_chain &arguments, size_t lane, int q)
{
    typedef RealOf<Real> Factor;
    const Factor *lanes = static_cast<const Factor *>(arguments.shift_lane);
    Step<Real> step = {static_cast<const Factor *>(arguments.mu)[q] + (lanes ? lanes[lane] : Factor(0)) +
                           static_cast<Factor>(arguments.shift),
                       static_cast<const Factor *>(arguments.keep)[q], static_cast<const Factor *>(arguments.gain)[q],
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

template <typename Real>
__device__ inline RealOf<Real> input_scale(const starfish_tridiag_chain &arguments, size_t vector)
{
    return arguments.scale ? static_cast<const RealOf<Real> *>(arguments.scale)[vector] : RealOf<Real>(1);
}

/* ---- Thomas ---------------------------------------------------------------------------------------------------- */

/* One step on a line in one piece: takes scale times `from`, writes `to`, which may be the same. */
template <typename Real> struct LineOfVector {
    typedef Real Element;
    const Real *from;
    Real *to;
    size_t rows, lanes;
    RealOf<Real> scale, keep, gain;

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
        RealOf<Real> scale = input_scale<Real>(arguments, vector);
        for (size_t k = 0; k < n && steps == 0; k++)
            to[k * lanes] = scale * from[k * lanes];
        for (int q = first; q < first + steps; q++) {
            const Step<Real> step = load_step<Real>(arguments, lane, q);
            const LineOfVector<Real> tiles = {from, to, n, lanes, scale, step.keep, step.gain};
            solve_line<Real, Periodic>(arguments.line, step.shift, step.pinned, tiles,
                                       static_cast<Real *>(arguments.workspace) + line, lines);
            from = to;
            scale = RealOf<Real>(1);
        }
    }
}

template <typename Real> int launch_thomas(const starfish_tridiag_chain *arguments, cudaStream_t stream)
{
    auto kernel = arguments->line.periodic ? thomas_chain<Real, true> : thomas_chain<Real, false>;

    kernel<<<blocks_for(arguments->lanes * arguments->vectors), THREADS, 0, stream>>>(*arguments);
    return cudaGetLastError();
}

/* ---- PCR and cyclic reduction ------------------------------------------------------------------------------------ */

template <typename Real, bool Periodic, int Unknowns, typename Way>
__global__ void __launch_bounds__(MOST_THREADS, 1)
    shared_chain(const __grid_constant__ starfish_tridiag_chain arguments)
{
    extern __shared__ __align__(16) unsigned char memory[];
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

typedef void (*ChainKernel)(starfish_tridiag_chain);

template <typename Real, bool Periodic, typename Way> SharedShape<ChainKernel> shape_of(size_t n)
{
    static const ChainKernel kernels[] = {shared_chain<Real, Periodic, 1, Way>, shared_chain<Real, Periodic, 2, Way>,
                                          shared_chain<Real, Periodic, 4, Way>, shared_chain<Real, Periodic, 8, Way>};

    return shared_shape<Real, Periodic>(kernels, n);
}

template <typename Real, bool Periodic> SharedShape<ChainKernel> shape_by(starfish_tridiag_method method, size_t n)
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

int launch_shared(const SharedShape<ChainKernel> &shape, const starfish_tridiag_chain *arguments, cudaStream_t stream)
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

/* No vectors are nothing to do, and no launch, which CUDA would refuse. */
template <typename Real> int launch_chain(const starfish_tridiag_chain *arguments, cudaStream_t stream)
{
    const starfish_tridiag_method method = arguments->method;

    if (arguments->vectors == 0)
        return cudaSuccess;
    if (method == STARFISH_TRIDIAG_THOMAS || (method == STARFISH_TRIDIAG_AUTO && prefers_thomas(arguments)))
        return launch_thomas<Real>(arguments, stream);
    const SharedShape<ChainKernel> shape = arguments->line.periodic ? shape_by<Real, true>(method, arguments->line.n)
                                                                    : shape_by<Real, false>(method, arguments->line.n);
    const cudaError_t status = admit(shape);
    if (status == cudaSuccess)
        return launch_shared(shape, arguments, stream);
    if (method == STARFISH_TRIDIAG_AUTO && status == cudaErrorInvalidConfiguration)
        return launch_thomas<Real>(arguments, stream);
    return status;
}

} // namespace

/* Of each kind of numbers. */
int REAL_NAME(chain_of_steps)(const starfish_tridiag_chain *arguments, cudaStream_t stream);
int REAL_NAME(chain_of_steps_complex_vectors)(const starfish_tridiag_chain *arguments, cudaStream_t stream);
int REAL_NAME(chain_of_steps_complex_lines)(const starfish_tridiag_chain *arguments, cudaStream_t stream);

int NUMBER_NAME(chain_of_steps)(const starfish_tridiag_chain *arguments, cudaStream_t stream)
{
    return launch_chain<starfish_number::FileNumber>(arguments, stream);
}

} // namespace starfish_tridiag

#ifdef STARFISH_REAL_NUMBERS
extern "C" int REAL_NAME(starfish_tridiag_chain_cuda)(const struct starfish_tridiag_chain *arguments,
                                                      cudaStream_t stream)
{
    using namespace starfish_tridiag;

    switch (arguments->line.numbers) {
    case STARFISH_TRIDIAG_REAL:
        return REAL_NAME(chain_of_steps)(arguments, stream);
    case STARFISH_TRIDIAG_COMPLEX_VECTORS:
        return REAL_NAME(chain_of_steps_complex_vectors)(arguments, stream);
    default:
        return REAL_NAME(chain_of_steps_complex_lines)(arguments, stream);
    }
}
#endif
