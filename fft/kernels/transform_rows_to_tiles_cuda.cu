/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Forward transforms of rows, whose modes are cut into tiles, in shared memory (line_tile.cuh); compiled once for
 * each precision. Bound by memory as transform_lines_cuda.cu says. */
#include "fft/kernels/transform_rows.cuh"

namespace starfish
{

int REAL_NAME(rows_to_tiles)(const starfish_transform_cuda *plan, const starfish_transform_rows &rows,
                             cudaStream_t stream)
{
    return launch_cut_rows<real, STARFISH_FORWARD>(plan, rows, stream);
}

} // namespace starfish
