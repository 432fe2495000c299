/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One source for f32 and f64: a file listed in starfish_real_sources is compiled twice, and inside it
 *     real            is float or double,
 *     REAL_NAME(f)    is f_f32 or f_f64, the name under which the contract header declares f,
 *     REAL(1.5)       is a literal of that type, REAL_FFTW(plan) is fftwf_plan or fftw_plan, REAL_FABS is fabsf or
 * fabs, REAL_CBLAS(gemm) is cblas_sgemm or cblas_dgemm. One listed in starfish_stored_sources is compiled for matrix
 * entries of 16 bits, too, f being f_f32_f16 and f_f32_bf16. Contract headers stay free of `real`: kernels take one
 * argument struct whose arrays are void pointers to elements of the kernel's precision, so that both versions have one
 * type and are reached through starfish_kernel[precision]. */
#ifndef STARFISH_BASE_REAL_H
#define STARFISH_BASE_REAL_H

#include <starfish/types.h>
#include <stddef.h>

static inline size_t starfish_real_size(starfish_precision precision)
{
    return precision == STARFISH_F32 ? sizeof(float) : sizeof(double);
}

#if defined(STARFISH_REAL_F32)
typedef float real;
#if defined(STARFISH_STORED_F16)
#define REAL_NAME(name) name##_f32_f16
#elif defined(STARFISH_STORED_BF16)
#define REAL_NAME(name) name##_f32_bf16
#else
#define REAL_NAME(name) name##_f32
#endif
#define REAL(literal) literal##f
#define REAL_FFTW(name) fftwf_##name
#define REAL_FABS fabsf
#define REAL_CBLAS(name) cblas_s##name
#elif defined(STARFISH_REAL_F64)
typedef double real;
#define REAL_NAME(name) name##_f64
#define REAL(literal) literal
#define REAL_FFTW(name) fftw_##name
#define REAL_FABS fabs
#define REAL_CBLAS(name) cblas_d##name
#endif

#endif
