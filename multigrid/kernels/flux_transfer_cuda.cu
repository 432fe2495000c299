/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transfers between two grids on the GPU.
 *
 * Words per fine unknown that must move in tensor form: restriction 2 and an eighth, prolongation as much; H200 at 4.2
 * TB/s, 512^3, f64: 543 us. Restriction: the residual of a plane is found on a tile's columns with a halo of one
 * (flux_march.cuh), put into shared memory, and summed there by a thread for each coarse column, which has the sums of
 * the two coarse planes that get some of it. */
#include "multigrid/kernels/flux_march.cuh"
#include "multigrid/kernels/flux_pairs.cuh"
#include "multigrid/kernels/flux_transfer.cuh"

#include "base/cuda_entries.h"

namespace
{

using namespace flux;

constexpr int TAPS = 4;

/* ---- Restriction ------------------------------------------------------------------------------------------------- */

template <typename real> struct Restrict {
    Matrix<real> matrix;
    Transfer<real> transfer[3];
    const real *u, *f;
    real *coarse;
    Cut cut;
    int y0, y1, z0, z1; /* of the coarse grid */
};

/* Coarse columns of a tile that is coarsened FX and FY times, and how many are a thread's at most. */
template <int FX, int FY> struct Coarse_tile {
    static constexpr int X = INSIDE_X / FX, Y = INSIDE_Y / FY, OF_THREAD = (X * Y + THREADS - 1) / THREADS;
};

/* A coarse column: its first fine one in the tile, how much it gets of each, and its sums. */
template <typename real> struct Coarse_column {
    int x, row, start; /* start < 0: none */
    real across[TAPS], down[TAPS];
    real low, high;
};

template <typename real, int FX, int FY>
__device__ Coarse_column<real> coarse_column(const Restrict<real> &a, const Tile_index &at, int index)
{
    using Size = Coarse_tile<FX, FY>;
    const int x = index % Size::X, y = index / Size::X, X = at.x * Size::X + x, Y = a.y0 + at.y * Size::Y + y;
    Coarse_column<real> c = {
        FX == 2 ? 2 * x - 1 + HALO : x + HALO, FY == 2 ? 2 * y - 1 + HALO : y + HALO, -1, {}, {}, 0, 0};
    if (y >= Size::Y || X >= a.transfer[0].coarse || Y >= a.y1) {
        c.x = c.row = HALO;
        return c;
    }
    c.start = X + a.transfer[0].coarse * Y;
#pragma unroll
    for (int t = 0; t < TAPS; t++) {
        c.across[t] = FX == 2 ? a.transfer[0].gather[t][X] : real(0);
        c.down[t] = FY == 2 ? a.transfer[1].gather[t][Y] : real(0);
    }
    return c;
}

/* What the column gets of a plane. */
template <typename real, int FX, int FY>
__device__ __forceinline__ real gather(const real (&residual)[HEIGHT][ACROSS], const Coarse_column<real> &c)
{
    real sum = 0;
#pragma unroll
    for (int ty = 0; ty < (FY == 2 ? TAPS : 1); ty++) {
        const real *row = &residual[c.row + ty][c.x];
        real part = 0;
#pragma unroll
        for (int tx = 0; tx < (FX == 2 ? TAPS : 1); tx++)
            part += (FX == 2 ? c.across[tx] : real(1)) * row[tx];
        sum += (FY == 2 ? c.down[ty] : real(1)) * part;
    }
    return sum;
}

/* Coarse planes first .. end-1 of a block, and its fine tile. */
struct Coarse_planes {
    int first, end;
};

template <typename real, int FX, int FY>
__device__ Tile tile_of(const Restrict<real> &a, const Tile_index &at, const Coarse_planes &planes)
{
    using Size = Coarse_tile<FX, FY>;
    const int Y = a.y0 + at.y * Size::Y, coarsened = a.transfer[2].fine != a.transfer[2].coarse;
    const int first = coarsened ? 2 * planes.first - 1 : planes.first,
              end = coarsened ? 2 * planes.end + 1 : planes.end;
    return {at.x * INSIDE_X - HALO, FY * Y - HALO, first - 1, end - first + 2, 0, 0};
}

template <typename real>
__device__ __forceinline__ real weight_of(const Transfer<real> &z, const Coarse_planes &planes, int tap, int K)
{
    return K >= planes.first && K < planes.end ? z.gather[tap][K] : real(0);
}

/* Fine plane `place` was summed to `sum`. Coarse plane K gets of 2 K - 1 .. 2 K + 2: a plane counts for two, and an
 * even one is the last for the lower of them. */
template <typename real>
__device__ __forceinline__ void add_plane(const Restrict<real> &a, const Coarse_planes &planes, int place, real sum,
                                          Coarse_column<real> &c)
{
    const Transfer<real> &z = a.transfer[2];
    const long long plane = (long long)a.transfer[0].coarse * a.transfer[1].coarse;
    if (z.fine == z.coarse) {
        if (c.start >= 0)
            a.coarse[place * plane + c.start] = sum;
        return;
    }
    const int K = (place + 1) / 2, tap = (place + 1) % 2;
    if (tap == 0) {
        c.low = c.high;
        c.high = 0;
    }
    c.high += weight_of(z, planes, tap, K) * sum;
    c.low += weight_of(z, planes, tap + 2, K - 1) * sum;
    if (tap == 1 && K > planes.first && c.start >= 0)
        a.coarse[(K - 1) * plane + c.start] = c.low;
}

template <typename real, bool STORED, int FX, int FY>
__global__ void __launch_bounds__(THREADS, RESIDENT<real>) restrict_kernel(const __grid_constant__ Restrict<real> a)
{
    constexpr int MINE = Coarse_tile<FX, FY>::OF_THREAD;
    __shared__ Planes<real, 2> planes, residuals;
    __shared__ Tables<real> s;
    const Tile_index at = tile_index(a.cut, blockIdx.x);
    const int first = a.z0 + at.z * a.cut.planes;
    const Coarse_planes wanted = {first, min(first + a.cut.planes, a.z1)};
    const Tile tile = tile_of<real, FX, FY>(a, at, wanted);
    const Column<real> column = column_of<real, false>(a.matrix, tile);
    Coarse_column<real> mine[MINE];
    real u0[ROWS] = {}, u1[ROWS] = {}, f1[ROWS] = {}, u_next[ROWS] = {}, f_next[ROWS] = {};

#pragma unroll
    for (int m = 0; m < MINE; m++)
        mine[m] = coarse_column<real, FX, FY>(a, at, threadIdx.y * ACROSS + threadIdx.x + m * THREADS);
    fill_tables<real, false>(s, a.matrix, tile);
    clear_spare(planes);
    __syncthreads();
    load(u_next, a.u, s, column, 0);
#pragma unroll(FX == 2 && FY == 2 && !STORED ? 2 : 1)
    for (int p = 0; p < tile.planes; p++) {
        const Line<real> z = s.plane[max(p - 1, 0)];
        real u2[ROWS], residual[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            u2[r] = u_next[r];
        put(&planes.value[p & 1][column.row][column.x], u2);
        if (p + 1 < tile.planes) {
            load(u_next, a.u, s, column, p + 1);
            load_inner(f_next, a.f, s, column, max(p, 1)); /* that of the outermost planes need not be there */
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const Star<real> u = star_of(&planes.value[(p - 1) & 1][column.row][column.x], u1, r, u0[r], u2[r]);
            residual[r] =
                residual_of_row<real, STORED>(a.matrix, s, column, z, column.row + r, max(p - 1, 0), u, f1[r]);
        }
        put(&residuals.value[(p - 1) & 1][column.row][column.x], residual);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            u0[r] = u1[r];
            u1[r] = u2[r];
            f1[r] = f_next[r];
        }
        __syncthreads();
#pragma unroll
        for (int m = 0; m < MINE && p >= 2; m++)
            add_plane(a, wanted, tile.z + p - 1, gather<real, FX, FY>(residuals.value[(p - 1) & 1], mine[m]), mine[m]);
    }
}

template <typename real, bool STORED> int launch(const Restrict<real> &a, bool x, bool y, cudaStream_t stream)
{
    const dim3 blocks(unsigned(a.cut.tiles())), threads(ACROSS, DOWN);
    if (x && y)
        restrict_kernel<real, STORED, 2, 2><<<blocks, threads, 0, stream>>>(a);
    else if (x)
        restrict_kernel<real, STORED, 2, 1><<<blocks, threads, 0, stream>>>(a);
    else if (y)
        restrict_kernel<real, STORED, 1, 2><<<blocks, threads, 0, stream>>>(a);
    else
        restrict_kernel<real, STORED, 1, 1><<<blocks, threads, 0, stream>>>(a);
    return cudaGetLastError();
}

/* Where every direction that becomes coarser has pairs. */
bool sums_pairs(const starfish_flux_restrict &from)
{
    bool all = from.matrix.face[0] != nullptr;
    for (const starfish_flux_transfer &t : from.transfer)
        all = all && (t.pairs || t.fine == t.coarse);
    return all;
}

template <typename real> int restrict_residual(const starfish_flux_restrict *from, cudaStream_t stream)
{
    const starfish_flux_part &at = from->at;
    const starfish_flux_transfer *t = from->transfer;
    if (is_too_large(t[0].fine, t[1].fine))
        return cudaErrorInvalidValue;
    bool coarsened[3];
    for (int d = 0; d < 3; d++)
        coarsened[d] = t[d].fine != t[d].coarse;
    if (at.y0 >= at.y1 || at.z0 >= at.z1)
        return cudaSuccess;
    if (sums_pairs(*from))
        return restrict_pairs<real>(*from, coarsened, stream);
    const Restrict<real> a = {matrix_of<real>(from->matrix),
                              {transfer_of<real>(t[0]), transfer_of<real>(t[1]), transfer_of<real>(t[2])},
                              static_cast<const real *>(from->u),
                              static_cast<const real *>(from->f),
                              static_cast<real *>(from->coarse),
                              cut_part(long(t[0].coarse), long(at.y1 - at.y0), long(at.z1 - at.z0),
                                       INSIDE_X / (coarsened[0] ? 2 : 1), INSIDE_Y / (coarsened[1] ? 2 : 1),
                                       MOST_PLANES / (coarsened[2] ? 2 : 1)),
                              int(at.y0),
                              int(at.y1),
                              int(at.z0),
                              int(at.z1)};
    return from->matrix.face[0] ? launch<real, true>(a, coarsened[0], coarsened[1], stream)
                                : launch<real, false>(a, coarsened[0], coarsened[1], stream);
}

/* ---- Prolongation ------------------------------------------------------------------------------------------------ */

constexpr int PROLONG_DOWN = 8, PROLONG_PLANES = 8;

template <typename real> struct Prolong {
    Transfer<real> transfer[3];
    const real *coarse, *u;
    real *v;
    Cut cut;
    int y0, y1, z0, z1;
};

/* A thread for the unknowns of a column in a few planes: eight coarse ones each, from the first-level cache but for
 * once. v may be u. */
template <typename real>
__global__ void __launch_bounds__(ACROSS *PROLONG_DOWN) prolong_kernel(const __grid_constant__ Prolong<real> a)
{
    const Tile_index at = tile_index(a.cut, blockIdx.x);
    const Transfer<real> &tx = a.transfer[0], &ty = a.transfer[1], &tz = a.transfer[2];
    const int i = at.x * ACROSS + threadIdx.x, j = a.y0 + at.y * PROLONG_DOWN + threadIdx.y;
    const int first = a.z0 + at.z * a.cut.planes, end = min(first + a.cut.planes, a.z1);
    if (i >= tx.fine || j >= a.y1)
        return;
    const Pair<real, int> x = pair_of(tx, i, 1), y = pair_of(ty, j, tx.coarse);
    for (int k = first; k < end; k++) {
        const Pair<real> z = pair_of(tz, k, (long long)tx.coarse * ty.coarse);
        const long long e = i + (long long)tx.fine * (j + (long long)ty.fine * k);
        const real *low = a.coarse + z.start[0], *high = a.coarse + z.start[1];
        const real south = z.weight[0] * between(low, x, y.start[0]) + z.weight[1] * between(high, x, y.start[0]);
        const real north = z.weight[0] * between(low, x, y.start[1]) + z.weight[1] * between(high, x, y.start[1]);
        a.v[e] = (a.u ? a.u[e] : real(0)) + (y.weight[0] * south + y.weight[1] * north);
    }
}

template <typename real> int prolong(const starfish_flux_prolong *from, cudaStream_t stream)
{
    const starfish_flux_part &at = from->at;
    const starfish_flux_transfer *t = from->transfer;
    if (is_too_large(t[0].fine, t[1].fine))
        return cudaErrorInvalidValue;
    if (at.y0 >= at.y1 || at.z0 >= at.z1)
        return cudaSuccess;
    const Prolong<real> a = {
        {transfer_of<real>(t[0]), transfer_of<real>(t[1]), transfer_of<real>(t[2])},
        static_cast<const real *>(from->coarse),
        static_cast<const real *>(from->u),
        static_cast<real *>(from->v),
        cut_part(long(t[0].fine), long(at.y1 - at.y0), long(at.z1 - at.z0), ACROSS, PROLONG_DOWN, PROLONG_PLANES),
        int(at.y0),
        int(at.y1),
        int(at.z0),
        int(at.z1)};
    const dim3 blocks(unsigned(a.cut.tiles())), threads(ACROSS, PROLONG_DOWN);
    prolong_kernel<real><<<blocks, threads, 0, stream>>>(a);
    return cudaGetLastError();
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_flux_restrict, restrict_residual)
STARFISH_CUDA_ENTRIES(starfish_flux_prolong, prolong)
