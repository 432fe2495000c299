/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transforms of columns, two real lanes a complex line; compiled once for each precision. */
#include "fft/kernels/transform_columns.cuh"

namespace starfish
{

int REAL_NAME(columns_of_pairs)(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                                const starfish_transform_columns &columns, const void *in, cudaStream_t stream)
{
    return launch_columns<real, true>(plan, direction, columns, in, stream);
}

} // namespace starfish
