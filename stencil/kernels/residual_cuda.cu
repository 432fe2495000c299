/* Residual of the separable seven-point operator (stencil.h) on the GPU, with its maximum, its values, or both.
 *
 * Bound by memory: 2 reals per unknown (u and the right-hand side once each), 3 where the residual is stored. A thread
 * marches along z through a column (columns.cuh) and keeps the planes below, here and above in registers. The next
 * plane of u and of the right-hand side is loaded while the present one is computed; the four neighbours in the plane
 * were loaded one step before by threads of the same block, but for the rim of its tile, and come from the first-level
 * cache. The coefficients in x and y and the places of the neighbours do not change along a column, so they are
 * computed once. Maxima go through shuffles to one atomicMax per block: non-negative doubles order like their bit
 * patterns. */
extern "C" {
#include "stencil/kernels/stencil.h"
}

#include "base/cuda_entries.h"
#include "stencil/kernels/columns.cuh"

namespace
{

template <typename real> struct Axis {
    int periodic;
    const real *lower, *diag, *upper;
};

template <typename real> struct Residual {
    Columns columns;
    size_t first_plane;
    Axis<real> x, y, z;
    int complex_pairs;
    real lambda;
    const real *u, *below, *above, *rhs;
    const double *offset;
    unsigned long long *maximum;
    real *result;
};

template <typename real> Axis<real> axis_of(const starfish_stencil_axis &a)
{
    return {a.periodic, static_cast<const real *>(a.lower), static_cast<const real *>(a.diag),
            static_cast<const real *>(a.upper)};
}

/* The neighbours of row `at` of n rows, `stride` elements apart: how far away they lie, and their coefficients. A
 * neighbour beyond an end that is not periodic is the unknown itself, with coefficient zero. */
template <typename real> struct Neighbours {
    ptrdiff_t before, after;
    real lower, upper;
};

template <typename real>
__device__ Neighbours<real> neighbours_of(size_t at, size_t n, ptrdiff_t stride, int periodic, real lower, real upper)
{
    const bool first = at == 0, last = at + 1 == n;
    const ptrdiff_t around = ptrdiff_t(n - 1) * stride;
    return {first ? (periodic ? around : 0) : -stride, last ? (periodic ? -around : 0) : stride,
            first && !periodic ? real(0) : lower, last && !periodic ? real(0) : upper};
}

/* The part of an unknown's row of the matrix that lies in its plane. Where Y is complex, the imaginary parts of its
 * coefficients take the other part of each number: their sum adds to the imaginary part (i is 1) and is subtracted from
 * the real part (i is 0). */
template <typename real, bool complex_y> struct PlaneRow {
    Neighbours<real> x, y, imaginary;
    real centre, imaginary_centre;
    ptrdiff_t other; /* where the other part of a number lies, from this one */

    __device__ PlaneRow(const Residual<real> &a, size_t i, size_t j) : imaginary(), imaginary_centre(0), other(0)
    {
        const size_t at = complex_y ? 2 * j : j, ny = a.columns.ny;
        const ptrdiff_t stride = ptrdiff_t(a.columns.nx);
        x = neighbours_of(i, a.columns.nx, 1, a.x.periodic, a.x.lower[i], a.x.upper[i]);
        y = neighbours_of(j, ny, stride, a.y.periodic, a.y.lower[at], a.y.upper[at]);
        centre = a.x.diag[i] + a.y.diag[at];
        if (complex_y) {
            imaginary = neighbours_of(j, ny, stride, a.y.periodic, a.y.lower[at + 1], a.y.upper[at + 1]);
            imaginary_centre = a.y.diag[at + 1];
            other = i == 0 ? 1 : -1;
        }
    }
    __device__ real neighbours(const real *u) const
    {
        return x.lower * u[x.before] + x.upper * u[x.after] + y.lower * u[y.before] + y.upper * u[y.after];
    }
    __device__ real other_part(const real *u) const
    {
        if (!complex_y)
            return 0;
        const real *part = u + other;
        const real sum = imaginary.lower * part[imaginary.before] + imaginary.upper * part[imaginary.after] +
                         imaginary_centre * *part;
        return other == 1 ? -sum : sum;
    }
};

template <typename real> __device__ real larger(real maximum, real value)
{
    value = fabs(value);
    return value > maximum ? value : value == value ? maximum : real(INFINITY);
}

/* All threads of the block call this together. */
__device__ void block_maximum(double value, unsigned long long *result)
{
    __shared__ double warp_maximum[MOST_THREADS / WARP];
    const unsigned thread = threadIdx.y * blockDim.x + threadIdx.x, lane = thread % WARP, warp = thread / WARP;
    for (int step = WARP / 2; step > 0; step /= 2)
        value = larger(value, __shfl_xor_sync(0xffffffffu, value, step));
    if (lane == 0)
        warp_maximum[warp] = value;
    __syncthreads();
    if (thread == 0) {
        for (unsigned w = 1; w < blockDim.x * blockDim.y / WARP; w++)
            value = larger(value, warp_maximum[w]);
        atomicMax(result, static_cast<unsigned long long>(__double_as_longlong(value)));
    }
    __syncthreads(); /* the next maximum uses the same shared memory */
}

/* Plane k of a column, -1 and nz being those next to the slab; 0 where there is none. */
template <typename real> __device__ real above_of(const Residual<real> &a, size_t k, size_t in_plane, size_t plane)
{
    if (k + 1 < a.columns.nz)
        return a.u[in_plane + (k + 1) * plane];
    return a.above ? a.above[in_plane] : real(0);
}

template <typename real> __device__ real below_of(const Residual<real> &a, size_t k, size_t in_plane, size_t plane)
{
    if (k > 0)
        return a.u[in_plane + (k - 1) * plane];
    return a.below ? a.below[in_plane] : real(0);
}

/* result may be rhs: a thread stores an element after it has read it, and no other thread reads it. */
template <typename real, bool complex_y>
__global__ void __launch_bounds__(MOST_THREADS) residual_kernel(const Residual<real> a)
{
    const Column c = column_of_thread(a.columns);
    real residual = 0, right = 0;
    if (c.first < c.last) {
        const PlaneRow<real, complex_y> row(a, c.i, c.j);
        const size_t plane = a.columns.nx * a.columns.ny, in_plane = c.i + c.j * a.columns.nx;
        const real offset = a.offset ? static_cast<real>(a.offset[a.complex_pairs && c.i > 0]) : real(0);
        size_t e = in_plane + c.first * plane;
        real below = below_of(a, c.first, in_plane, plane), here = a.u[e], f = a.rhs[e];
        real above = above_of(a, c.first, in_plane, plane);
        for (size_t k = c.first; k < c.last; k++, e += plane) {
            const bool more = k + 1 < c.last;
            const real next_above = more ? above_of(a, k + 1, in_plane, plane) : real(0);
            const real next_f = more ? a.rhs[e + plane] : real(0);
            const size_t z = a.first_plane + k;
            real sum = row.neighbours(a.u + e) + a.z.lower[z] * below + a.z.upper[z] * above +
                       (row.centre + a.z.diag[z] + a.lambda) * here;
            sum += row.other_part(a.u + e);
            const real difference = (f - offset) - sum;
            residual = larger(residual, difference);
            right = larger(right, f);
            if (a.result)
                a.result[e] = difference;
            below = here;
            here = above;
            above = next_above;
            f = next_f;
        }
    }
    if (a.maximum) {
        block_maximum(residual, a.maximum);
        block_maximum(right, a.maximum + 1);
    }
}

template <typename real> int residual(const starfish_residual *a, cudaStream_t stream)
{
    Residual<real> k = {{},
                        a->first_plane,
                        axis_of<real>(a->axis[0]),
                        axis_of<real>(a->axis[1]),
                        axis_of<real>(a->axis[2]),
                        a->complex_pairs,
                        static_cast<real>(a->lambda),
                        static_cast<const real *>(a->u),
                        static_cast<const real *>(a->below),
                        static_cast<const real *>(a->above),
                        static_cast<const real *>(a->rhs),
                        a->offset,
                        reinterpret_cast<unsigned long long *>(a->maximum),
                        static_cast<real *>(a->result)};
    cudaError_t error = cut_columns(a->n, k.columns);
    if (error == cudaSuccess && a->maximum)
        error = cudaMemsetAsync(a->maximum, 0, 2 * sizeof(double), stream);
    if (error != cudaSuccess)
        return error;
    auto *kernel = a->complex_y ? residual_kernel<real, true> : residual_kernel<real, false>;
    kernel<<<k.columns.blocks, threads_of(k.columns), 0, stream>>>(k);
    return cudaGetLastError();
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_residual, residual)
