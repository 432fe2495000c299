/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Line steps in y of stored bands (lines_y.cuh), compiled once for each precision. Floors are in lines_cuda.cu. */
#include "multigrid/kernels/lines_y_launch.cuh"

int REAL_NAME(stored_lines_in_y)(const starfish_band_lines *arguments, cudaStream_t stream)
{
    return launch_y<Stored<real>>(arguments, stream);
}
