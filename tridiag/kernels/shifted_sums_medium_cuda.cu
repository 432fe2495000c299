/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Weighted sums of shifted solves on CUDA, lanes in chunks of up to 128 bytes of rows; for one kind of numbers
 * (base/number_name.h). What bounds them is in shifted_sums_chunks.cuh. */
#include "tridiag/kernels/shifted_sums_chunks.cuh"

namespace starfish_slab
{

int NUMBER_NAME(sums_by_medium_chunks)(const starfish_shifted_sums &a, size_t lanes_of_number, cudaStream_t stream)
{
    typedef starfish_number::FileNumber Number;

    return launch_form<Number, Lengths<Number>::MEDIUM>(a, lanes_of_number, stream);
}

} // namespace starfish_slab
