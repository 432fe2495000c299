/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Boundary data moved to the right-hand side (stencil.h) on the GPU.
 *
 * Bound by memory: 2 reals per unknown, the right-hand side read and the result written. In place only the unknowns
 * next to a face are touched. A thread marches along z through a column (columns.cuh), DEPTH planes at a time, which
 * are loaded before the first of them is stored so that loads wait together. Every unknown subtracts its faces by
 * itself and in the order of the axes: no two threads write one element, and the sum does not depend on how the field
 * is cut. */
extern "C" {
#include "stencil/kernels/stencil.h"
}

#include "base/cuda_entries.h"
#include "stencil/kernels/columns.cuh"

namespace
{

constexpr size_t DEPTH = 4;

template <typename real> struct Face {
    real weight, constant;
    const real *data;
    __device__ real datum(size_t index) const { return data ? data[index] : constant; }
    __device__ real operator()(size_t index) const { return weight * datum(index); }
};

template <typename real> struct Boundary {
    Columns columns;
    size_t first_plane, planes;
    Face<real> face[3][2];
    const double *weight_x, *scale_y;
    real at_point[2][2];
    const real *rhs;
    real *result;
    starfish_strides from, to;
};

/* Of plane k of all problems' planes, less the data of the plane beside it. */
template <typename real> __device__ real without_faces_beside(const Boundary<real> &a, size_t k, bool high, real value)
{
    const size_t beside = high ? k - 1 : k + 1;
    for (int end = 0; end < 2; end++)
        value -= a.at_point[high][end] * a.face[0][end].datum(beside);
    return value;
}

/* The value at (i,j) of plane k of all problems' planes, less the faces that it lies on. */
template <typename real>
__device__ real without_faces(const Boundary<real> &a, size_t i, size_t j, size_t k, real value)
{
    const size_t nx = a.columns.nx, ny = a.columns.ny, problem = k < a.planes ? 0 : k / a.planes;
    const size_t z = k - problem * a.planes;
    const real unscaled = a.scale_y ? real(1 / a.scale_y[j]) : real(1);
    const real factor = a.weight_x ? unscaled * real(a.weight_x[z]) : unscaled;
    if (a.weight_x && a.weight_x[z] == 0)
        return without_faces_beside(a, k, z > 0, value);
    if (i == 0)
        value -= factor * a.face[0][0](j + ny * k);
    if (i == nx - 1)
        value -= factor * a.face[0][1](j + ny * k);
    if (j == 0)
        value -= unscaled * a.face[1][0](i + nx * k);
    if (j == ny - 1)
        value -= unscaled * a.face[1][1](i + nx * k);
    if (z == 0)
        value -= unscaled * a.face[2][0](i + nx * (j + ny * problem));
    if (z == a.planes - 1)
        value -= unscaled * a.face[2][1](i + nx * (j + ny * problem));
    return value;
}

template <typename real> __global__ void __launch_bounds__(MOST_THREADS) boundary_kernel(const Boundary<real> a)
{
    const Column c = column_of_thread(a.columns);
    const size_t read = c.i + c.j * a.from.row, written = c.i + c.j * a.to.row;
    const bool on_side = c.i == 0 || c.i + 1 == a.columns.nx || c.j == 0 || c.j + 1 == a.columns.ny;
    const bool every = on_side || a.result != a.rhs; /* otherwise the two end planes of the field alone */
    for (size_t first = c.first; first < c.last; first += DEPTH) {
        real value[DEPTH];
        bool wanted[DEPTH];
#pragma unroll
        for (size_t d = 0; d < DEPTH; d++) {
            const size_t k = a.first_plane + first + d, z = k < a.planes ? k : k % a.planes;
            wanted[d] = first + d < c.last && (every || z == 0 || z == a.planes - 1);
            const bool point = wanted[d] && a.weight_x && a.weight_x[z] == 0;
            value[d] = wanted[d] ? a.rhs[(point ? 0 : read) + starfish_strides_plane(&a.from, first + d)] : real(0);
        }
#pragma unroll
        for (size_t d = 0; d < DEPTH; d++)
            if (wanted[d])
                a.result[written + starfish_strides_plane(&a.to, first + d)] =
                    without_faces(a, c.i, c.j, a.first_plane + first + d, value[d]);
    }
}

template <typename real> int boundary_rhs(const starfish_boundary_rhs *a, cudaStream_t stream)
{
    Boundary<real> k = {{},
                        a->first_plane,
                        a->planes,
                        {},
                        a->weight_x,
                        a->scale_y,
                        {},
                        static_cast<const real *>(a->rhs),
                        static_cast<real *>(a->result),
                        starfish_strides_or_packed(a->rhs_strides, a->n[0], a->n[1], a->n[2]),
                        starfish_strides_or_packed(a->result_strides, a->n[0], a->n[1], a->n[2])};
    const cudaError_t error = cut_columns(a->n, k.columns);
    if (error != cudaSuccess)
        return error;
    for (int axis = 0; axis < 3; axis++)
        for (int end = 0; end < 2; end++)
            k.face[axis][end] = {static_cast<real>(a->weight[axis][end]), static_cast<real>(a->constant[axis][end]),
                                 static_cast<const real *>(a->face[axis][end])};
    for (int end = 0; end < 4; end++)
        k.at_point[end / 2][end % 2] = static_cast<real>(a->at_point[end / 2][end % 2]);
    boundary_kernel<real><<<k.columns.blocks, threads_of(k.columns), 0, stream>>>(k);
    return cudaGetLastError();
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_boundary_rhs, boundary_rhs)
