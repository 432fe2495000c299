/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Line steps of Q1 multigrid on the GPU, residual, lines and update in one kernel: lines_x.cuh, lines_y.cuh.
 *
 * Floors, f64, 4095^2 unknowns, H200 at 4.2 TB/s: stored bands 8 words, 256 us; tensor product 3 words, 96 us. */
#include "multigrid/kernels/lines_cuda.cuh"

#include "multigrid/kernels/lines_y.cuh"

extern "C" int starfish_band_lines_cuda_f32(const struct starfish_band_lines *a, cudaStream_t stream)
{
    if (a->first >= a->last)
        return cudaSuccess;
    if (a->direction == 0)
        return lines_in_x_f32(a, stream);
    return a->matrix.band[0] ? stored_lines_in_y_f32(a, stream) : tensor_lines_in_y_f32(a, stream);
}

extern "C" int starfish_band_lines_cuda_f64(const struct starfish_band_lines *a, cudaStream_t stream)
{
    if (a->first >= a->last)
        return cudaSuccess;
    if (a->direction == 0)
        return lines_in_x_f64(a, stream);
    return a->matrix.band[0] ? stored_lines_in_y_f64(a, stream) : tensor_lines_in_y_f64(a, stream);
}

extern "C" size_t starfish_band_lines_work(size_t nx, size_t ny, size_t real_size)
{
    const size_t columns = (nx + 15) / 16 * 16, parts = (ny + CHUNKS * 4 - 1) / (CHUNKS * 4);
    return parts > 1 ? columns * parts * 5 * real_size : 0;
}
