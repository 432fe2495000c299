/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Residual of the separable seven-point operator (stencil.h) on the GPU, with its maximum, its values, or both.
 *
 * Bound by memory: 2 reals per unknown (u and the right-hand side once each), 3 where the residual is stored. A thread
 * marches along z through a column (columns.cuh) and keeps the planes below, here and above in registers. The next
 * plane of u and of the right-hand side is loaded while the present one is computed; the four neighbours in the plane
 * were loaded one step before by threads of the same block, but for the rim of its tile, and come from the first-level
 * cache. The coefficients in x and y and the places of the neighbours do not change along a column, so they are
 * computed once. All arithmetic is in f64 (stencil.h). */
extern "C" {
#include "stencil/kernels/stencil.h"
}

#include "base/cuda_entries.h"
#include "stencil/kernels/columns.cuh"
#include "stencil/kernels/maximum.cuh"

namespace
{

template <typename real> struct Residual {
    Columns columns;
    size_t first_plane;
    starfish_stencil_axis x, y, z;
    int complex_pairs;
    double lambda;
    const double *dense[2];
    const double *weight_x, *scale_y;
    const real *u, *below, *above, *rhs;
    const double *offset;
    unsigned long long *maximum;
    real *result;
};

/* The neighbours of row `at` of n rows, `stride` elements apart: how far away they lie, and their coefficients. A
 * neighbour beyond an end that is not periodic is the unknown itself, with coefficient zero. */
struct Neighbours {
    ptrdiff_t before, after;
    double lower, upper;
};

__device__ Neighbours neighbours_of(size_t at, size_t n, ptrdiff_t stride, int periodic, double lower, double upper)
{
    const bool first = at == 0, last = at + 1 == n;
    const ptrdiff_t around = ptrdiff_t(n - 1) * stride;
    return {first ? (periodic ? around : 0) : -stride, last ? (periodic ? -around : 0) : stride,
            first && !periodic ? 0 : lower, last && !periodic ? 0 : upper};
}

/* A row of A times u, and of |A| times |u|. */
struct RowProduct {
    double product, size;

    __device__ void couple(double coefficient, double there, double here)
    {
        product += coefficient * (there - here);
        size += fabs(coefficient * there);
    }
};

/* The part of an unknown's row of the matrix that lies in its plane. Where Y is complex, the imaginary parts of its
 * coefficients take the other part of each number: their sum adds to the imaginary part (i is 1) and is subtracted from
 * the real part (i is 0). */
template <typename real, bool complex_y> struct PlaneRow {
    Neighbours x, y, imaginary;
    double x_centre, x_sum, centre, sum, imaginary_centre; /* of x; of y and lambda */
    ptrdiff_t other;                                       /* where the other part of a number lies, from this one */

    __device__ PlaneRow(const Residual<real> &a, size_t i, size_t j) : imaginary(), imaginary_centre(0), other(0)
    {
        const size_t at = complex_y ? 2 * j : j, ny = a.columns.ny;
        const ptrdiff_t stride = ptrdiff_t(a.columns.nx);
        x = neighbours_of(i, a.columns.nx, 1, a.x.periodic, a.x.lower[i], a.x.upper[i]);
        y = neighbours_of(j, ny, stride, a.y.periodic, a.y.lower[at], a.y.upper[at]);
        x_centre = a.x.diag[i];
        x_sum = a.x.sum[i];
        centre = a.y.diag[at] + a.lambda;
        sum = a.y.sum[at] + a.lambda;
        if (complex_y) {
            imaginary = neighbours_of(j, ny, stride, a.y.periodic, a.y.lower[at + 1], a.y.upper[at + 1]);
            imaginary_centre = a.y.diag[at + 1];
            other = i == 0 ? 1 : -1;
        }
    }
    __device__ void add_neighbours(const real *u, double weight_x, double here, RowProduct &p) const
    {
        p.couple(weight_x * x.lower, u[x.before], here);
        p.couple(weight_x * x.upper, u[x.after], here);
        p.couple(y.lower, u[y.before], here);
        p.couple(y.upper, u[y.after], here);
    }
    __device__ void add_other_part(const real *u, RowProduct &p) const
    {
        if (!complex_y)
            return;
        const real *part = u + other;
        const double before = imaginary.lower * double(part[imaginary.before]);
        const double after = imaginary.upper * double(part[imaginary.after]);
        const double here = imaginary_centre * double(*part), all = before + after + here;
        p.product += other == 1 ? -all : all;
        p.size += fabs(before) + fabs(after) + fabs(here);
    }
};

/* Plane k of a column, -1 and nz being those next to the slab; where there is none, the unknown itself. */
template <typename real>
__device__ double above_of(const Residual<real> &a, size_t k, size_t in_plane, size_t plane, double here)
{
    if (k + 1 < a.columns.nz)
        return a.u[in_plane + (k + 1) * plane];
    return a.above ? double(a.above[in_plane]) : here;
}

template <typename real>
__device__ double below_of(const Residual<real> &a, size_t k, size_t in_plane, size_t plane, double here)
{
    if (k > 0)
        return a.u[in_plane + (k - 1) * plane];
    return a.below ? double(a.below[in_plane]) : here;
}

/* Of the threads of a column. */
struct Maxima {
    double value[STARFISH_MAXIMA];

    __device__ void take(double residual, double rhs, double size, double solution)
    {
        value[STARFISH_MAXIMUM_RESIDUAL] = larger(value[STARFISH_MAXIMUM_RESIDUAL], residual);
        value[STARFISH_MAXIMUM_RHS] = larger(value[STARFISH_MAXIMUM_RHS], rhs);
        value[STARFISH_MAXIMUM_SIZE] = larger(value[STARFISH_MAXIMUM_SIZE], size);
        value[STARFISH_MAXIMUM_SOLUTION] = larger(value[STARFISH_MAXIMUM_SOLUTION], solution);
    }
};

/* A neighbour in z that is not there has coefficient zero. */
template <typename real> __device__ double lower_z(const Residual<real> &a, size_t k)
{
    return k > 0 || a.below ? a.z.lower[a.first_plane + k] : 0;
}

template <typename real> __device__ double upper_z(const Residual<real> &a, size_t k)
{
    return k + 1 < a.columns.nz || a.above ? a.z.upper[a.first_plane + k] : 0;
}

/* What dense derivatives add to an unknown: entries of x side by side for neighbouring threads, of y one for all. */
template <typename real>
__device__ void add_dense(const Residual<real> &a, const Column &c, const real *plane, double weight_x, RowProduct &p)
{
    const size_t nx = a.columns.nx, ny = a.columns.ny;
    for (size_t l = 0; a.dense[0] && l < nx; l++) {
        const double term = weight_x * a.dense[0][l * nx + c.i] * double(plane[c.j * nx + l]);
        p.product += term;
        p.size += fabs(term);
    }
    for (size_t l = 0; a.dense[1] && l < ny; l++) {
        const double term = a.dense[1][l * ny + c.j] * double(plane[l * nx + c.i]);
        p.product += term;
        p.size += fabs(term);
    }
}

/* The mean of a row, as in residual_cpu.c. */
template <typename real> __device__ double mean_of(const Residual<real> &a, const real *row)
{
    const size_t n = a.columns.nx;
    const double end = a.x.periodic || n == 1 ? 1 : a.x.lower[1] / a.x.upper[0];
    double sum = end * row[0] + (n > 1 ? end * row[n - 1] : 0);
    for (size_t i = 1; i + 1 < n; i++)
        sum += row[i];
    return sum / (n > 1 ? 2 * end + double(n - 2) : 1);
}

/* A point is coupled to the mean of the plane beside it, which every thread of its plane finds: n^2 cached loads for
 * each of at most two rows. */
template <typename real> __device__ void meet_mean(const Residual<real> &a, size_t k, double here, RowProduct &p)
{
    const size_t plane = a.columns.nx;
    if (a.first_plane + k == 0)
        p.couple(upper_z(a, k), mean_of(a, k + 1 < a.columns.nz ? a.u + plane : a.above), here);
    else
        p.couple(lower_z(a, k), mean_of(a, k > 0 ? a.u + (k - 1) * plane : a.below), here);
}

/* result may be rhs: a thread stores an element after it has read it, and no other thread reads it. */
/* curved: there may be weights, scales or dense derivatives. */
template <typename real, bool complex_y, bool curved>
__global__ void __launch_bounds__(MOST_THREADS) residual_kernel(const Residual<real> a)
{
    const Column c = column_of_thread(a.columns);
    Maxima maxima = {};
    if (c.first < c.last) {
        const PlaneRow<real, complex_y> row(a, c.i, c.j);
        const size_t plane = a.columns.nx * a.columns.ny, in_plane = c.i + c.j * a.columns.nx;
        const double unscaled = curved && a.scale_y ? 1 / a.scale_y[c.j] : 1;
        const double offset = a.offset ? a.offset[a.complex_pairs && c.i > 0] : 0;
        size_t e = in_plane + c.first * plane;
        double here = a.u[e], f = a.rhs[e];
        double below = below_of(a, c.first, in_plane, plane, here), above = above_of(a, c.first, in_plane, plane, here);
        for (size_t k = c.first; k < c.last; k++, e += plane) {
            const bool more = k + 1 < c.last;
            const double next_above = more ? above_of(a, k + 1, in_plane, plane, above) : 0;
            const double next_f = more ? double(a.rhs[e + plane]) : 0;
            const size_t z = a.first_plane + k;
            const double w = curved && a.weight_x ? a.weight_x[z] : 1;
            RowProduct p = {(w * row.x_sum + row.sum + a.z.sum[z]) * here,
                            fabs((w * row.x_centre + row.centre + a.z.diag[z]) * here)};
            row.add_neighbours(a.u + e, w, here, p);
            if (curved && w == 0) {
                meet_mean(a, k, here, p);
            } else {
                p.couple(lower_z(a, k), below, here);
                p.couple(upper_z(a, k), above, here);
            }
            row.add_other_part(a.u + e, p);
            if (curved)
                add_dense(a, c, a.u + k * plane, w, p);
            const double residual = (f - offset) - unscaled * p.product;
            maxima.take(residual, f, unscaled * p.size + fabs(f), here);
            if (a.result)
                a.result[e] = static_cast<real>(residual);
            below = here;
            here = above;
            above = next_above;
            f = next_f;
        }
    }
    for (int m = 0; a.maximum && m < STARFISH_MAXIMA; m++)
        block_maximum<MOST_THREADS>(maxima.value[m], a.maximum + m);
}

template <typename real> int residual(const starfish_residual *a, cudaStream_t stream)
{
    Residual<real> k = {{},
                        a->first_plane,
                        a->axis[0],
                        a->axis[1],
                        a->axis[2],
                        a->complex_pairs,
                        a->lambda,
                        {a->dense[0], a->dense[1]},
                        a->weight_x,
                        a->scale_y,
                        static_cast<const real *>(a->u),
                        static_cast<const real *>(a->below),
                        static_cast<const real *>(a->above),
                        static_cast<const real *>(a->rhs),
                        a->offset,
                        reinterpret_cast<unsigned long long *>(a->maximum),
                        static_cast<real *>(a->result)};
    cudaError_t error = cut_columns(a->n, k.columns);
    if (error == cudaSuccess && a->maximum)
        error = cudaMemsetAsync(a->maximum, 0, STARFISH_MAXIMA * sizeof(double), stream);
    if (error != cudaSuccess)
        return error;
    const bool curved = a->weight_x || a->scale_y || a->dense[0] || a->dense[1];
    auto *kernel = a->complex_y ? residual_kernel<real, true, true>
                   : curved     ? residual_kernel<real, false, true>
                                : residual_kernel<real, false, false>;
    kernel<<<k.columns.blocks, threads_of(k.columns), 0, stream>>>(k);
    return cudaGetLastError();
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_residual, residual)
