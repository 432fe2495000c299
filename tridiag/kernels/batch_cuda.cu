/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A batch on CUDA: the algorithm by its number, and the border of periodic lines, which costs two more launches and 3
 * reals per unknown. */
#include "tridiag/kernels/batch_cuda.h"

namespace
{

int solve_open(const starfish_batch *b, cudaStream_t stream)
{
    starfish_batch chosen = *b;

    chosen.algorithm = starfish_batch_choose_cuda(b);
    switch (chosen.algorithm) {
    case STARFISH_ALGORITHM_TILED:
        return REAL_NAME(starfish_batch_suits_shifted)(b) ? REAL_NAME(starfish_batch_shifted_cuda)(b, stream)
                                                          : REAL_NAME(starfish_batch_tiled_cuda)(b, stream);
    case STARFISH_ALGORITHM_THOMAS:
    case STARFISH_ALGORITHM_PIVOTED:
        return REAL_NAME(starfish_batch_lines_cuda)(&chosen, stream);
    default:
        return REAL_NAME(starfish_batch_shared_cuda)(&chosen, stream);
    }
}

} // namespace

extern "C" size_t REAL_NAME(starfish_batch_open_workspace_cuda)(const starfish_batch *b)
{
    const size_t all = b->lines * b->columns;

    switch (starfish_batch_choose_cuda(b)) {
    case STARFISH_ALGORITHM_TILED:
        return REAL_NAME(starfish_batch_tiled_workspace)(b);
    case STARFISH_ALGORITHM_THOMAS:
        return b->factors ? 0 : b->n * all * sizeof(real);
    case STARFISH_ALGORITHM_PIVOTED:
        return starfish_batch_pivoted_reals(b) * all * sizeof(real);
    default:
        return 0;
    }
}

extern "C" int REAL_NAME(starfish_batch_cuda)(const starfish_batch *b, cudaStream_t stream)
{
    const int status = solve_open(b, stream);

    return status == cudaSuccess && starfish_batch_has_border(b) ? REAL_NAME(starfish_batch_add_border_cuda)(b, stream)
                                                                 : status;
}

extern "C" int REAL_NAME(starfish_batch_prepare_cuda)(const starfish_batch *b, cudaStream_t stream)
{
    int status = cudaSuccess;

    if (b->factors || b->growth)
        status = REAL_NAME(starfish_batch_factor_cuda)(b, stream);
    if (status == cudaSuccess && starfish_batch_has_border(b))
        status = REAL_NAME(starfish_batch_fill_border_cuda)(b, stream);
    if (status == cudaSuccess && starfish_batch_has_border(b)) {
        const starfish_batch border = starfish_batch_border(b);
        status = solve_open(&border, stream);
    }
    if (status == cudaSuccess && b->growth)
        status = REAL_NAME(starfish_batch_try_solves_cuda)(b, stream);
    return status;
}
