/* The seven-point operator on the GPU: residual and boundary data.
 *
 * Residual: bytes per unknown 2 reals (u and rhs once, neighbours from cache), 3 where it is stored; a thread walks
 * along z with one row of x per warp, so that every load is coalesced. Bound by memory. Maxima go through shuffles to
 * one atomicMax per block: non-negative doubles order like their bit patterns. */
extern "C" {
#include "stencil/kernels/stencil.h"
}

#include "base/cuda_entries.h"

#include <cuda_runtime.h>

namespace
{

template <typename real> struct Axis {
    int periodic;
    const real *lower, *diag, *upper;
};

template <typename real> struct Residual {
    size_t nx, ny, nz, first_plane;
    Axis<real> x, y, z;
    int complex_pairs, complex_y;
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

template <typename real> __device__ real at_or_zero(const real *row, bool there, size_t index)
{
    return there ? row[index] : real(0);
}

/* What the other part of the neighbours in y adds to part i of a complex number. */
template <typename real> __device__ real cross(const Residual<real> &a, size_t i, size_t j, size_t k)
{
    const real *slice = a.u + k * a.nx * a.ny + (1 - i);
    const real south = j > 0 ? slice[(j - 1) * 2] : at_or_zero(slice, a.y.periodic, (a.ny - 1) * 2);
    const real north = j + 1 < a.ny ? slice[(j + 1) * 2] : at_or_zero(slice, a.y.periodic, 0);
    const real sum = a.y.lower[2 * j + 1] * south + a.y.upper[2 * j + 1] * north + a.y.diag[2 * j + 1] * slice[2 * j];
    return i == 0 ? -sum : sum;
}

template <typename real> __device__ real apply(const Residual<real> &a, size_t i, size_t j, size_t k)
{
    const size_t nx = a.nx, ny = a.ny, plane = nx * ny, z = a.first_plane + k;
    const real *u = a.u + k * plane + j * nx;
    const real *slice = a.u + k * plane;
    real west = i > 0 ? u[i - 1] : at_or_zero(u, a.x.periodic, nx - 1);
    real east = i + 1 < nx ? u[i + 1] : at_or_zero(u, a.x.periodic, 0);
    real south = j > 0 ? slice[(j - 1) * nx + i] : at_or_zero(slice, a.y.periodic, (ny - 1) * nx + i);
    real north = j + 1 < ny ? slice[(j + 1) * nx + i] : at_or_zero(slice, a.y.periodic, i);
    real below = k > 0 ? u[i - plane] : at_or_zero(a.below, a.below != nullptr, j * nx + i);
    real above = k + 1 < a.nz ? u[i + plane] : at_or_zero(a.above, a.above != nullptr, j * nx + i);
    const size_t pair = a.complex_y ? 2 * j : j;
    real sum = a.x.lower[i] * west + a.x.upper[i] * east + a.y.lower[pair] * south + a.y.upper[pair] * north +
               a.z.lower[z] * below + a.z.upper[z] * above +
               (a.x.diag[i] + a.y.diag[pair] + a.z.diag[z] + a.lambda) * u[i];
    if (a.complex_y)
        sum += cross(a, i, j, k);
    return sum;
}

__device__ double larger(double maximum, double value)
{
    value = fabs(value);
    return value > maximum ? value : value == value ? maximum : INFINITY;
}

__device__ void block_maximum(double value, unsigned long long *result)
{
    __shared__ double warp_maximum[32];
    const int thread = threadIdx.x, lane = thread & 31, warp = thread >> 5;
    for (int step = 16; step > 0; step >>= 1)
        value = larger(value, __shfl_xor_sync(0xffffffffu, value, step));
    if (lane == 0)
        warp_maximum[warp] = value;
    __syncthreads();
    if (warp == 0) {
        value = lane < (blockDim.x >> 5) ? warp_maximum[lane] : 0;
        for (int step = 16; step > 0; step >>= 1)
            value = larger(value, __shfl_xor_sync(0xffffffffu, value, step));
        if (lane == 0)
            atomicMax(result, __double_as_longlong(value));
    }
    __syncthreads();
}

template <typename real> __global__ void residual_kernel(const Residual<real> a)
{
    double residual = 0, rhs = 0;
    const real first_offset = a.offset ? static_cast<real>(*a.offset) : real(0);
    const real second_offset = a.offset && a.complex_pairs ? static_cast<real>(a.offset[1]) : real(0);
    const size_t total = a.nx * a.ny * a.nz;
    for (size_t e = blockIdx.x * size_t(blockDim.x) + threadIdx.x; e < total; e += size_t(gridDim.x) * blockDim.x) {
        const size_t i = e % a.nx, row = e / a.nx;
        const real offset = a.complex_pairs && i > 0 ? second_offset : first_offset;
        const real f = a.rhs[e], difference = (f - offset) - apply(a, i, row % a.ny, row / a.ny);
        residual = larger(residual, difference);
        rhs = larger(rhs, f);
        if (a.result)
            a.result[e] = difference;
    }
    if (a.maximum) {
        block_maximum(residual, a.maximum);
        block_maximum(rhs, a.maximum + 1);
    }
}

unsigned blocks_for(size_t elements)
{
    const size_t blocks = (elements + 255) / 256, most = 132 * 16;
    return static_cast<unsigned>(blocks < most ? blocks : most);
}

template <typename real> int residual(const starfish_residual *a, cudaStream_t stream)
{
    if (a->maximum) {
        const cudaError_t error = cudaMemsetAsync(a->maximum, 0, 2 * sizeof(double), stream);
        if (error != cudaSuccess)
            return error;
    }
    Residual<real> k = {a->n[0],
                        a->n[1],
                        a->n[2],
                        a->first_plane,
                        axis_of<real>(a->axis[0]),
                        axis_of<real>(a->axis[1]),
                        axis_of<real>(a->axis[2]),
                        a->complex_pairs,
                        a->complex_y,
                        static_cast<real>(a->lambda),
                        static_cast<const real *>(a->u),
                        static_cast<const real *>(a->below),
                        static_cast<const real *>(a->above),
                        static_cast<const real *>(a->rhs),
                        a->offset,
                        reinterpret_cast<unsigned long long *>(a->maximum),
                        static_cast<real *>(a->result)};
    residual_kernel<real><<<blocks_for(k.nx * k.ny * k.nz), 256, 0, stream>>>(k);
    return cudaGetLastError();
}

template <typename real> __global__ void add_kernel(real *u, const real *correction, size_t count)
{
    for (size_t e = blockIdx.x * size_t(blockDim.x) + threadIdx.x; e < count; e += size_t(gridDim.x) * blockDim.x)
        u[e] += correction[e];
}

template <typename real> int add(const starfish_add *a, cudaStream_t stream)
{
    add_kernel<real><<<blocks_for(a->count), 256, 0, stream>>>(static_cast<real *>(a->u),
                                                               static_cast<const real *>(a->correction), a->count);
    return cudaGetLastError();
}

template <typename real> struct Face {
    real weight, constant;
    const real *data;
    __device__ real operator()(size_t index) const { return weight * (data ? data[index] : constant); }
};

template <typename real> struct Boundary {
    size_t nx, ny, nz, first_plane, planes;
    Face<real> face[3][2];
    const real *rhs;
    real *result;
};

template <typename real> __global__ void boundary_kernel(const Boundary<real> a)
{
    const size_t total = a.nx * a.ny * a.nz;
    for (size_t e = blockIdx.x * size_t(blockDim.x) + threadIdx.x; e < total; e += size_t(gridDim.x) * blockDim.x) {
        const size_t i = e % a.nx, row = e / a.nx, j = row % a.ny, k = a.first_plane + row / a.ny;
        real value = a.rhs[e];
        if (i == 0)
            value -= a.face[0][0](j + a.ny * k);
        if (i == a.nx - 1)
            value -= a.face[0][1](j + a.ny * k);
        if (j == 0)
            value -= a.face[1][0](i + a.nx * k);
        if (j == a.ny - 1)
            value -= a.face[1][1](i + a.nx * k);
        if (k == 0)
            value -= a.face[2][0](i + a.nx * j);
        if (k == a.planes - 1)
            value -= a.face[2][1](i + a.nx * j);
        a.result[e] = value;
    }
}

template <typename real> int boundary(const starfish_boundary_rhs *a, cudaStream_t stream)
{
    Boundary<real> k = {a->n[0],
                        a->n[1],
                        a->n[2],
                        a->first_plane,
                        a->planes,
                        {},
                        static_cast<const real *>(a->rhs),
                        static_cast<real *>(a->result)};
    for (int axis = 0; axis < 3; axis++)
        for (int end = 0; end < 2; end++)
            k.face[axis][end] = {static_cast<real>(a->weight[axis][end]), static_cast<real>(a->constant[axis][end]),
                                 static_cast<const real *>(a->face[axis][end])};
    boundary_kernel<real><<<blocks_for(k.nx * k.ny * k.nz), 256, 0, stream>>>(k);
    return cudaGetLastError();
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_residual, residual)
STARFISH_CUDA_ENTRIES(starfish_add, add)
STARFISH_CUDA_ENTRIES(starfish_boundary_rhs, boundary)
