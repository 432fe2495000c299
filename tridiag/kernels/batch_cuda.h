/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CUDA algorithms behind starfish_batch_cuda, one per file. A batch's `algorithm` does not matter here, and a
 * periodic batch is solved with A' only (batch.h): its border is the caller's. Each returns a cudaError_t. */
#ifndef STARFISH_TRIDIAG_KERNELS_BATCH_CUDA_H
#define STARFISH_TRIDIAG_KERNELS_BATCH_CUDA_H

#include "base/real.h"
extern "C" {
#include "tridiag/kernels/batch.h"

int REAL_NAME(starfish_batch_tiled_cuda)(const struct starfish_batch *batch, struct CUstream_st *stream);
size_t REAL_NAME(starfish_batch_tiled_workspace)(const struct starfish_batch *batch);

/* TILED where all lines share one matrix but for a shift: whether a batch is that and has lines enough; no
 * workspace. */
int REAL_NAME(starfish_batch_suits_shifted)(const struct starfish_batch *batch);
int REAL_NAME(starfish_batch_shifted_cuda)(const struct starfish_batch *batch, struct CUstream_st *stream);

/* THOMAS, with kept factors when there are some, and PIVOTED. */
int REAL_NAME(starfish_batch_lines_cuda)(const struct starfish_batch *batch, struct CUstream_st *stream);
/* CR, PCR, CR_PCR, PCR_THOMAS and STARFISH_BATCH_CR_IN_PLACE. */
int REAL_NAME(starfish_batch_shared_cuda)(const struct starfish_batch *batch, struct CUstream_st *stream);

/* Factors and growth; trial solves, which complete the growth; u to the border; the border added to solutions of A',
 * with lines * columns reals of workspace. */
int REAL_NAME(starfish_batch_factor_cuda)(const struct starfish_batch *batch, struct CUstream_st *stream);
int REAL_NAME(starfish_batch_try_solves_cuda)(const struct starfish_batch *batch, struct CUstream_st *stream);
int REAL_NAME(starfish_batch_fill_border_cuda)(const struct starfish_batch *batch, struct CUstream_st *stream);
int REAL_NAME(starfish_batch_add_border_cuda)(const struct starfish_batch *batch, struct CUstream_st *stream);
}
#include <cuda_runtime.h>

/* Let a kernel have more than the 48 KiB of dynamic shared memory that it may have unasked. */
template <typename Kernel> static inline cudaError_t starfish_batch_allow_shared(Kernel *kernel, size_t bytes)
{
    return bytes <= 48 * 1024
               ? cudaSuccess
               : cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
}

#endif
