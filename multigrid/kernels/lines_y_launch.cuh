/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Launches of line steps in y (lines_y.cuh), for either form of the matrix. */
#ifndef STARFISH_MULTIGRID_LINES_Y_LAUNCH_CUH
#define STARFISH_MULTIGRID_LINES_Y_LAUNCH_CUH

#include "multigrid/kernels/lines_cuda.cuh"

#include "multigrid/kernels/lines_y.cuh"

namespace
{

template <int E, unsigned COLUMNS, typename Operator>
cudaError_t launch_chunks(const starfish_band_lines *a, const Operator &m, cudaStream_t stream)
{
    using real = typename Operator::Real;
    const dim3 blocks(unsigned((a->last - a->first + COLUMNS - 1) / COLUMNS),
                      unsigned((m.ny + CHUNKS * E - 1) / (CHUNKS * E)));
    const Columns<Operator> columns = {m,
                                       {a->first, a->last, a->choice},
                                       static_cast<const real *>(a->u),
                                       static_cast<const real *>(a->f),
                                       static_cast<real>(a->damping),
                                       static_cast<Joint<real> *>(a->work),
                                       static_cast<real *>(a->v)};

    if (blocks.y > 1) {
        (a->u ? parts_y_kernel<Operator, E, COLUMNS, false>
              : parts_y_kernel<Operator, E, COLUMNS, true>)<<<blocks, 32 * COLUMNS, 0, stream>>>(columns);
        (a->u ? lines_y_kernel<Operator, E, COLUMNS, false, true>
              : lines_y_kernel<Operator, E, COLUMNS, true, true>)<<<blocks, 32 * COLUMNS, 0, stream>>>(columns);
    } else {
        (a->u ? lines_y_kernel<Operator, E, COLUMNS, false, false>
              : lines_y_kernel<Operator, E, COLUMNS, true, false>)<<<blocks, 32 * COLUMNS, 0, stream>>>(columns);
    }
    return cudaGetLastError();
}

/* Short chunks where lines are short, for more threads. */
template <typename Operator> cudaError_t launch_y(const starfish_band_lines *a, cudaStream_t stream)
{
    const Operator m(a->matrix);
    if (m.ny <= CHUNKS * 4)
        return launch_chunks<4, 4>(a, m, stream);
    if (m.ny <= CHUNKS * 16)
        return launch_chunks<4, 8>(a, m, stream);
    return launch_chunks<8, 8>(a, m, stream);
}

} // namespace

#endif
