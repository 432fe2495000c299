/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the kernels of transforms by products share (transform_products_cuda.cu, planes_products_cuda.cu,
 * planes_folded_cuda.cu): the shape of the halves, and products of both. */
#ifndef STARFISH_FFT_KERNELS_TRANSFORM_PRODUCTS_CUDA_CUH
#define STARFISH_FFT_KERNELS_TRANSFORM_PRODUCTS_CUDA_CUH

#include "fft/kernels/products.cuh"
#include "fft/kernels/transform_cuda.cuh"

namespace starfish
{

/* What kernels need of struct starfish_transform_products. */
struct halves {
    unsigned even, odd, reflect, skip, first_odd, step;
    unsigned start; /* of the second half in a folded line, padded */
};

inline halves halves_of(const starfish_transform_products &p)
{
    return {static_cast<unsigned>(p.even),    static_cast<unsigned>(p.odd),       static_cast<unsigned>(p.reflect),
            static_cast<unsigned>(p.skip),    static_cast<unsigned>(p.first_odd), static_cast<unsigned>(p.step),
            static_cast<unsigned>(p.pitch[0])};
}

/* Whether element i has a mirror image of its own; its difference is number i - skip then. */
__device__ __forceinline__ bool is_paired(const halves &h, unsigned i)
{
    return i - h.skip < h.odd; /* of unsigned numbers */
}

/* Sum and difference of two elements that belong together. */
template <typename real> __device__ __forceinline__ void meet(real &a, real &b)
{
    const real sum = a + b;
    b = a - b;
    a = sum;
}

/* One transform of a plan that goes by products. */
template <typename real> struct transform {
    const starfish_transform_cuda *plan;
    starfish_transform_direction direction;
    real *work[2]; /* for lines of a group, folded and as products leave them */
    size_t group;
    real scale;
    cudaStream_t stream;

    const starfish_transform_products &products() const { return plan->products; }
    size_t size(int half) const { return half == 0 ? products().even : products().odd; }
    size_t line() const { return starfish_transform_products_line(&products()); }
    /* Elements are padded, since they are in the work space; modes where these are there, too. */
    product_matrix<real> matrix(int half, bool padded_modes) const
    {
        const starfish_transform_products &p = products();
        const size_t before = half == 0 ? 0 : p.pitch[0] * p.pitch[0], pitch = p.pitch[half];
        const size_t modes = padded_modes ? pitch : size(half);
        const bool forward = direction == STARFISH_FORWARD;
        const real *base = static_cast<const real *>(p.matrix[direction]) + before;
        return {base, forward ? modes : pitch, forward ? pitch : modes, pitch, !forward, scale};
    }
};

/* Lines on one side of a product: where the second half begins, and reals from one line to the next. */
template <typename real> struct halves_of_lines {
    real *base;
    size_t start, pitch; /* of the second half, and from one line to the next */
};

template <typename real>
int multiply_rows(const transform<real> &t, size_t count, bool padded_modes, const halves_of_lines<real> &in,
                  const halves_of_lines<real> &out)
{
    for (int half = 0; half < 2 && t.size(half) > 0; half++)
        STARFISH_TRY_CUDA(cublas_error(multiply_lines(t.plan->blas, t.matrix(half, padded_modes), count,
                                                      product_side<const real>{in.base + half * in.start, in.pitch, 0},
                                                      product_side<real>{out.base + half * out.start, out.pitch, 0})));
    return cudaSuccess;
}

/* Lanes: where the second half begins; reals from one element to the next, and from plane to plane. */
template <typename real> struct halves_of_lanes {
    real *base;
    size_t start, pitch, plane;
};

template <typename real>
int multiply_columns(const transform<real> &t, size_t lanes, size_t planes, const halves_of_lanes<real> &in,
                     const halves_of_lanes<real> &out)
{
    for (int half = 0; half < 2 && t.size(half) > 0; half++)
        STARFISH_TRY_CUDA(
            cublas_error(multiply_lanes(t.plan->blas, t.matrix(half, false), lanes, planes,
                                        product_side<const real>{in.base + half * in.start, in.pitch, in.plane},
                                        product_side<real>{out.base + half * out.start, out.pitch, out.plane})));
    return cudaSuccess;
}

/* Behind the work space for lines. */
template <typename real> void *blas_workspace(const transform<real> &t)
{
    const size_t bytes = 2 * t.group * t.line() * sizeof(real);
    return reinterpret_cast<char *>(t.work[0]) + (bytes + 255) / 256 * 256;
}

/* Setting the stream takes cuBLAS's work space away. */
inline int set_blas(const starfish_transform_cuda *plan, void *workspace, cudaStream_t stream)
{
    STARFISH_TRY_CUDA(cublas_error(cublasSetStream(plan->blas, stream)));
    return cublas_error(cublasSetWorkspace(plan->blas, workspace, STARFISH_PRODUCTS_BLAS_BYTES));
}

/* What lines of the work space are padded with must be numbers: `count` lines of each piece. */
template <typename real> int clear_lines(const transform<real> &t, size_t count, int pieces)
{
    for (int piece = 0; piece < pieces; piece++)
        STARFISH_TRY_CUDA(cudaMemsetAsync(t.work[piece], 0, count * t.line() * sizeof(real), t.stream));
    return cudaSuccess;
}

template <typename real>
transform<real> begin(const starfish_transform_cuda *plan, starfish_transform_direction direction, double scale,
                      void *workspace, cudaStream_t stream)
{
    transform<real> t = {plan, direction, {}, plan->group, static_cast<real>(scale), stream};
    t.work[0] = static_cast<real *>(workspace);
    t.work[1] = t.work[0] + t.group * t.line();
    return t;
}

/* x and y of whole planes, both by products: whether that can be done here, and how. */
bool planes_are_products(const starfish_transform_cuda *x, const starfish_transform_cuda *y);
int planes_by_products(const starfish_transform_cuda *x, const starfish_transform_cuda *y,
                       starfish_transform_direction direction, const starfish_transform_planes &planes,
                       cudaStream_t stream);

/* The same where y alone goes by products and the kernel of rows folds (planes_folded_cuda.cu). */
bool planes_are_folded(const starfish_transform_cuda *x, const starfish_transform_cuda *y);
int planes_by_folded_rows(const starfish_transform_cuda *x, const starfish_transform_cuda *y,
                          starfish_transform_direction direction, const starfish_transform_planes &planes,
                          cudaStream_t stream);

} // namespace starfish

#endif
