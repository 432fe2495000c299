/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between the files of the line steps on the GPU (lines_cuda.cu): the kernels of each direction, compiled once for each
 * precision, lines in y once for each form of the matrix too. */
#ifndef STARFISH_MULTIGRID_LINES_CUDA_CUH
#define STARFISH_MULTIGRID_LINES_CUDA_CUH

extern "C" {
#include "base/real.h"
#include "multigrid/kernels/lines.h"
}

#include <cuda_runtime.h>

int lines_in_x_f32(const starfish_band_lines *arguments, cudaStream_t stream);
int lines_in_x_f64(const starfish_band_lines *arguments, cudaStream_t stream);
int stored_lines_in_y_f32(const starfish_band_lines *arguments, cudaStream_t stream);
int stored_lines_in_y_f64(const starfish_band_lines *arguments, cudaStream_t stream);
int tensor_lines_in_y_f32(const starfish_band_lines *arguments, cudaStream_t stream);
int tensor_lines_in_y_f64(const starfish_band_lines *arguments, cudaStream_t stream);

#endif
