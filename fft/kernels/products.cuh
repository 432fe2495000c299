/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Products of a matrix with all lines of an array, by cuBLAS in either precision. */
#ifndef STARFISH_FFT_KERNELS_PRODUCTS_CUH
#define STARFISH_FFT_KERNELS_PRODUCTS_CUH

extern "C" {
#include "base/status.h"
}

#include <cublas_v2.h>
#include <cuda_runtime.h>

namespace starfish
{

inline int cublas_error(cublasStatus_t status)
{
    return status == CUBLAS_STATUS_SUCCESS ? cudaSuccess : cudaErrorUnknown;
}

/* Without a handle on failure. */
inline starfish_status create_cublas(cublasHandle_t *blas)
{
    const cublasStatus_t status = cublasCreate(blas);
    if (status == CUBLAS_STATUS_SUCCESS)
        return STARFISH_SUCCESS;
    *blas = nullptr;
    return starfish_fail(status == CUBLAS_STATUS_ALLOC_FAILED ? STARFISH_ERROR_MEMORY : STARFISH_ERROR_RUNTIME,
                         "cuBLAS: %s", cublasGetStatusString(status));
}

/* One side of a product. Lines: element i of line l at base[i + pitch * l]. Lanes: element i of lane l of plane o at
 * base[l + pitch * i + plane * o]. */
template <typename real> struct product_side {
    real *base;
    size_t pitch, plane;
};

/* The entry of output k and input j is at base[j + pitch * k], or at base[k + pitch * j] where inputs are outside. What
 * comes out is multiplied by `scale`. On an H200 cuBLAS is up to 1.7 times as fast where what is contiguous in memory
 * is aligned to 16 bytes and whole multiples of that, counts of elements included. */
template <typename real> struct product_matrix {
    const real *base;
    size_t outputs, inputs, pitch;
    bool inputs_outside;
    real scale;
};

template <typename real>
cublasStatus_t multiply_lines(cublasHandle_t blas, const product_matrix<real> &m, size_t lines,
                              const product_side<const real> &in, const product_side<real> &out)
{
    const real none = 0;
    const auto first = m.inputs_outside ? CUBLAS_OP_N : CUBLAS_OP_T;
    const int outputs = static_cast<int>(m.outputs), inputs = static_cast<int>(m.inputs);
    const int pitch[3] = {static_cast<int>(m.pitch), static_cast<int>(in.pitch), static_cast<int>(out.pitch)};
    const int count = static_cast<int>(lines);
    if constexpr (sizeof(real) == sizeof(float))
        return cublasSgemm(blas, first, CUBLAS_OP_N, outputs, count, inputs, &m.scale, m.base, pitch[0], in.base,
                           pitch[1], &none, out.base, pitch[2]);
    else
        return cublasDgemm(blas, first, CUBLAS_OP_N, outputs, count, inputs, &m.scale, m.base, pitch[0], in.base,
                           pitch[1], &none, out.base, pitch[2]);
}

/* A plane of lanes is column-major, Out = In M^T. */
template <typename real>
cublasStatus_t multiply_lanes(cublasHandle_t blas, const product_matrix<real> &m, size_t lanes, size_t planes,
                              const product_side<const real> &in, const product_side<real> &out)
{
    const real none = 0;
    const auto second = m.inputs_outside ? CUBLAS_OP_T : CUBLAS_OP_N;
    const int outputs = static_cast<int>(m.outputs), inputs = static_cast<int>(m.inputs);
    const int pitch[3] = {static_cast<int>(in.pitch), static_cast<int>(m.pitch), static_cast<int>(out.pitch)};
    const long long plane[2] = {static_cast<long long>(in.plane), static_cast<long long>(out.plane)};
    const int count = static_cast<int>(lanes), batch = static_cast<int>(planes);
    if constexpr (sizeof(real) == sizeof(float))
        return cublasSgemmStridedBatched(blas, CUBLAS_OP_N, second, count, outputs, inputs, &m.scale, in.base, pitch[0],
                                         plane[0], m.base, pitch[1], 0, &none, out.base, pitch[2], plane[1], batch);
    else
        return cublasDgemmStridedBatched(blas, CUBLAS_OP_N, second, count, outputs, inputs, &m.scale, in.base, pitch[0],
                                         plane[0], m.base, pitch[1], 0, &none, out.base, pitch[2], plane[1], batch);
}

} // namespace starfish

#endif
