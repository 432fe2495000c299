/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Restriction to pairs of cells on the GPU, for matrices that are stored: the residual's sums over pairs in each
 * direction.
 *
 * Unlike restrictions with linear weights no residual is part of two sums. So there is no tile: a thread finds the four
 * residuals of its column in a pair of rows and a pair of planes, all of whose words it asks for at once, and the
 * thread beside it has the other half of the sum. Words per fine unknown: u, f and what is stored, 6 and an eighth at
 * most; neighbours' come from the caches. */
#ifndef STARFISH_MULTIGRID_FLUX_PAIRS_CUH
#define STARFISH_MULTIGRID_FLUX_PAIRS_CUH

#include "multigrid/kernels/flux_march.cuh"

namespace flux
{

constexpr int PAIR_COLUMNS = 64, PAIR_ROWS = 4;

template <typename real> struct Restrict_pairs {
    Matrix<real> matrix;
    const real *u, *f;
    real *coarse;
    int coarse_x, coarse_y, y0, y1, z0; /* planes of blocks begin at z0 */
};

/* The places of an index's neighbours, in values and, above, in what is stored. Those that there are not are itself. */
struct Beside {
    int below, above, face;
};

template <typename real> __device__ __forceinline__ Beside beside(const Axis<real> &a, int i)
{
    const int last = a.n - 1, around = a.periodic ? last : 0;
    return {i > 0      ? i - 1
            : a.ghosts ? -1
                       : around,
            i < last   ? i + 1
            : a.ghosts ? a.n
                       : last - around,
            i < last ? i + 1 : 0};
}

template <typename real>
__device__ __forceinline__ real residual_at(const Restrict_pairs<real> &a, int i, int j, int k, const Beside &x)
{
    const Matrix<real> &m = a.matrix;
    const long long nx = m.axis[0].n, plane = nx * m.axis[1].n, e = i + nx * j + plane * k;
    if (!a.u)
        return a.f[e];
    const Beside y = beside(m.axis[1], j), z = beside(m.axis[2], k);
    const long long row = nx * j + plane * k, column = i + plane * k, line = i + nx * j;
    const real u = __ldg(a.u + e);
    const Couplings<real> c = {__ldg(m.face[0] + e),
                               __ldg(m.face[0] + row + x.face),
                               m.face[1] ? __ldg(m.face[1] + e) : real(0),
                               m.face[1] ? __ldg(m.face[1] + column + nx * y.face) : real(0),
                               m.face[2] ? __ldg(m.face[2] + e) : real(0),
                               m.face[2] ? __ldg(m.face[2] + line + plane * z.face) : real(0),
                               m.rest ? __ldg(m.rest + e) : real(0)};
    const real across = c.west * (u - m.keep[0] * __ldg(a.u + row + x.below)) +
                        c.east * (u - m.keep[0] * __ldg(a.u + row + x.above)),
               down = c.south * (u - m.keep[1] * __ldg(a.u + column + nx * y.below)) +
                      c.north * (u - m.keep[1] * __ldg(a.u + column + nx * y.above)),
               up = c.below * (u - m.keep[2] * __ldg(a.u + line + plane * z.below)) +
                    c.above * (u - m.keep[2] * __ldg(a.u + line + plane * z.above));
    return a.f[e] - (across + down + up + c.rest * u);
}

/* FX, FY, FZ: fine unknowns of a coarse one in each direction, 1 or 2. */
template <typename real, int FX, int FY, int FZ>
__global__ void __launch_bounds__(PAIR_COLUMNS *PAIR_ROWS) pairs_kernel(const __grid_constant__ Restrict_pairs<real> a)
{
    const int i = blockIdx.x * PAIR_COLUMNS + threadIdx.x, J = a.y0 + blockIdx.y * blockDim.y + threadIdx.y,
              K = a.z0 + blockIdx.z;
    const Axis<real> *axis = a.matrix.axis;
    real sum = 0;
    if (J >= a.y1)
        return; /* a whole warp */
    if (i < axis[0].n) {
        const Beside x = beside(axis[0], i);
#pragma unroll
        for (int part = 0; part < FY * FZ; part++) {
            const int j = FY * J + part % FY, k = FZ * K + part / FY;
            if (j < axis[1].n && k < axis[2].n)
                sum += residual_at(a, i, j, k, x);
        }
    }
    if (FX == 2)
        sum += __shfl_down_sync(~0u, sum, 1);
    if (i < axis[0].n && i % FX == 0)
        a.coarse[i / FX + a.coarse_x * (J + (long long)a.coarse_y * K)] = sum;
}

template <typename real>
int restrict_pairs(const starfish_flux_restrict &from, const bool coarsened[3], cudaStream_t stream)
{
    using Kernel = void (*)(const Restrict_pairs<real>);
    static const Kernel kernels[2][2][2] = {{{pairs_kernel<real, 1, 1, 1>, pairs_kernel<real, 1, 1, 2>},
                                             {pairs_kernel<real, 1, 2, 1>, pairs_kernel<real, 1, 2, 2>}},
                                            {{pairs_kernel<real, 2, 1, 1>, pairs_kernel<real, 2, 1, 2>},
                                             {pairs_kernel<real, 2, 2, 1>, pairs_kernel<real, 2, 2, 2>}}};
    const starfish_flux_part &at = from.at;
    Restrict_pairs<real> a = {matrix_of<real>(from.matrix),
                              static_cast<const real *>(from.u),
                              static_cast<const real *>(from.f),
                              static_cast<real *>(from.coarse),
                              int(from.transfer[0].coarse),
                              int(from.transfer[1].coarse),
                              int(at.y0),
                              int(at.y1),
                              int(at.z0)};
    const long rows = long(at.y1 - at.y0);
    const dim3 threads(PAIR_COLUMNS, unsigned(rows < PAIR_ROWS ? rows : PAIR_ROWS));
    const dim3 blocks(unsigned(pieces(long(from.transfer[0].fine), PAIR_COLUMNS)), unsigned(pieces(rows, PAIR_ROWS)));
    constexpr size_t most = 65535;
    /* rows of blocks are as many as a launch may have */
    if (blocks.y > most)
        return cudaErrorInvalidValue;
    for (size_t z = at.z0; z < at.z1; z += most) {
        const dim3 part(blocks.x, blocks.y, unsigned(at.z1 - z < most ? at.z1 - z : most));
        a.z0 = int(z);
        kernels[coarsened[0]][coarsened[1]][coarsened[2]]<<<part, threads, 0, stream>>>(a);
    }
    return cudaGetLastError();
}

} // namespace flux

#endif
