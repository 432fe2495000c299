/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* x and y of planes that fit into the shared memory of a multiprocessor, in one launch; compiled once for each
 * precision.
 *
 * A block does a plane: all tiles of the first transform into shared memory, then all tiles of the second out of it. So
 * device memory and the L2 cache are read once and written once, 2 sizeof(real) bytes an element, and no block waits
 * for another. For fields that stay in the L2 cache as a whole, where a launch is one wave of blocks whose time is
 * latency: 128^3 in f64 is 128 planes of 128 KB, which 132 multiprocessors do at once. */
#include "fft/kernels/planes_cuda.cuh"

namespace starfish
{

namespace
{

template <typename real> struct shared_plane {
    line_transform<real> x, y;
    plane_shape shape;
    unsigned nx, ny;
    const real *in;
    real *out;
    plane_places values; /* of the rows that the first transform reads, or the second writes */
};

extern __shared__ double2 shared_memory[];

template <typename real> __device__ __forceinline__ real *plane_of_block()
{
    return reinterpret_cast<real *>(shared_memory);
}

/* The numbers of a tile, behind the plane; rows are multiples of 16 bytes. */
template <typename real> __device__ __forceinline__ number<real> *numbers_of(const shared_plane<real> &a)
{
    return reinterpret_cast<number<real> *>(plane_of_block<real>() + (size_t)a.shape.pitch * a.ny);
}

template <typename real>
__device__ __forceinline__ void do_rows(const shared_plane<real> &a, const real *in, unsigned in_apart, real *out,
                                        unsigned out_apart)
{
    nothing none;
#pragma unroll 1
    for (unsigned first = 0; first < a.ny; first += a.shape.rows.lanes) {
        const unsigned lanes = min(a.ny - first, (unsigned)a.shape.rows.lanes);
        const rows_of<real, true> from = {const_cast<real *>(in) + (size_t)first * in_apart, in_apart, lanes};
        const rows_of<real, true> to = {out + (size_t)first * out_apart, out_apart, lanes};
        transform_rows_tile(a.x, a.shape.rows, numbers_of(a), from, to, none);
        __syncthreads();
    }
}

template <typename real>
__device__ __forceinline__ void do_columns(const shared_plane<real> &a, const real *in, unsigned in_apart, real *out,
                                           unsigned out_apart)
{
    nothing none;
#pragma unroll 1
    for (unsigned first = 0; first < a.nx; first += a.shape.columns.lanes) {
        const unsigned lanes = min(a.nx - first, (unsigned)a.shape.columns.lanes);
        const columns_of<real, true, true> from = {const_cast<real *>(in), in_apart, 0, first, lanes};
        const columns_of<real, true, true> to = {out, out_apart, 0, first, lanes};
        transform_columns_tile(a.y, a.shape.columns, numbers_of(a), from, to, none);
        __syncthreads();
    }
}

template <typename real>
__global__ void __launch_bounds__(STARFISH_PLANE_THREADS, 1)
    shared_planes_kernel(const __grid_constant__ shared_plane<real> a, starfish_transform_direction direction)
{
    const size_t modes = (size_t)blockIdx.x * a.nx * a.ny, values = a.values(blockIdx.x);
    real *plane = plane_of_block<real>();
#pragma unroll 1
    for (int step = 0; step < 2; step++) {
        const bool first = step == 0, rows = first == (direction == STARFISH_FORWARD);
        if (rows)
            do_rows(a, first ? a.in + values : plane, first ? a.values.row : a.shape.pitch,
                    first ? plane : a.out + values, first ? a.shape.pitch : a.values.row);
        else
            do_columns(a, first ? a.in + modes : plane, first ? a.nx : a.shape.pitch, first ? plane : a.out + modes,
                       first ? a.shape.pitch : a.nx);
    }
}

template <typename real>
int launch_shared_planes(const starfish_transform_cuda *x, const starfish_transform_cuda *y,
                         starfish_transform_direction direction, const starfish_transform_planes &planes,
                         cudaStream_t stream)
{
    auto kernel = shared_planes_kernel<real>;
    const shared_plane<real> a = {line_transform_of<real>(x, direction, 1),
                                  line_transform_of<real>(y, direction, planes.scale),
                                  plane_in_shared_memory(x, y),
                                  static_cast<unsigned>(x->n),
                                  static_cast<unsigned>(y->n),
                                  static_cast<const real *>(planes.in),
                                  static_cast<real *>(planes.out),
                                  places_of_values(planes, x->n, y->n)};
    STARFISH_TRY_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, STARFISH_PLANE_SHARED));
    kernel<<<static_cast<unsigned>(planes.planes), a.shape.rows.threads, a.shape.shared, stream>>>(a, direction);
    return cudaGetLastError();
}

} // namespace

int REAL_NAME(planes_in_shared_memory)(const starfish_transform_cuda *x, const starfish_transform_cuda *y,
                                       starfish_transform_direction direction, const starfish_transform_planes &planes,
                                       cudaStream_t stream)
{
    return launch_shared_planes<real>(x, y, direction, planes, stream);
}

} // namespace starfish
