/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Algebra of vectors on a rectangle of an array: the contract of vectors_*. Element (i,j) of an array of nx columns is
 * at i + nx * j; an array of a 3D grid has nx*ny columns and nz rows.
 *
 * Factors are a number, or a number times a scalar that lies where the kernel runs (`scalar`, NULL: 1), so that the
 * factors of an iteration never visit the host.
 *
 * All kernels are bound by memory. Rectangles may be worked on at once when their results are apart. CUDA functions
 * launch on `stream` and return a cudaError_t, 0 when the launch was accepted. */
#ifndef STARFISH_KRYLOV_KERNELS_VECTORS_H
#define STARFISH_KRYLOV_KERNELS_VECTORS_H

#include <stddef.h>

struct CUstream_st; /* what a cudaStream_t points to */

/* Columns x0 .. x1-1 of rows y0 .. y1-1. */
struct starfish_rectangle {
    size_t x0, x1, y0, y1;
};

/* Sums over a vector are this many doubles, whose sum is the result: kernels need not add up what their blocks have
 * found. */
enum { STARFISH_SUMS = 2048 };

/* v = u + factor * *scalar * correction; u == NULL is zero, v may be u or the correction. The correction is the
 * rectangle alone, in rows of `pitch`. 3 words per unknown. Where correction == NULL, or the factor is 0, v = u or
 * zeros: 2 words, and the correction may be anything, even NaN. */
struct starfish_vector_update {
    size_t nx;
    struct starfish_rectangle at;
    double factor;
    const void *u, *correction;
    size_t pitch;
    void *v;
    const double *scalar;
};
void starfish_vector_update_cpu_f32(const struct starfish_vector_update *arguments);
void starfish_vector_update_cpu_f64(const struct starfish_vector_update *arguments);
int starfish_vector_update_cuda_f32(const struct starfish_vector_update *arguments, struct CUstream_st *stream);
int starfish_vector_update_cuda_f64(const struct starfish_vector_update *arguments, struct CUstream_st *stream);

/* `sums`, STARFISH_SUMS doubles that add up to the inner product of u and v, in double. 2 words per unknown. Of cores
 * that share the work, each with its rectangle, number `slot` of `slots` fills that sum; 0 of 0: one core. */
struct starfish_vector_product {
    size_t nx;
    struct starfish_rectangle at;
    const void *u, *v;
    double *sums;
    size_t slot, slots;
};
void starfish_vector_product_cpu_f32(const struct starfish_vector_product *arguments);
void starfish_vector_product_cpu_f64(const struct starfish_vector_product *arguments);
int starfish_vector_product_cuda_f32(const struct starfish_vector_product *arguments, struct CUstream_st *stream);
int starfish_vector_product_cuda_f64(const struct starfish_vector_product *arguments, struct CUstream_st *stream);

/* Between precisions, on whole-grid arrays: low = scale * *scalar * high, and high += scale * *scalar * low, or = where
 * `zero`. 12 and 20 bytes per unknown. */
struct starfish_vector_narrow {
    size_t nx;
    struct starfish_rectangle at;
    double scale;
    const double *high;
    float *low;
    const double *scalar;
};
void starfish_vector_narrow_cpu(const struct starfish_vector_narrow *arguments);
int starfish_vector_narrow_cuda(const struct starfish_vector_narrow *arguments, struct CUstream_st *stream);

struct starfish_vector_widen {
    size_t nx;
    struct starfish_rectangle at;
    double scale;
    int zero;
    const float *low;
    double *high;
    const double *scalar;
};
void starfish_vector_widen_cpu(const struct starfish_vector_widen *arguments);
int starfish_vector_widen_cuda(const struct starfish_vector_widen *arguments, struct CUstream_st *stream);

#endif
