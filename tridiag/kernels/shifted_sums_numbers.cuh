/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between the files of weighted sums on CUDA: what each kind of numbers is summed by. lanes_of_number: neighbouring
 * lanes with one shift, 2 where they are the parts of complex numbers, else 1. */
#ifndef STARFISH_TRIDIAG_KERNELS_SHIFTED_SUMS_NUMBERS_CUH
#define STARFISH_TRIDIAG_KERNELS_SHIFTED_SUMS_NUMBERS_CUH

#include "base/number_name.h"
#include "tridiag/kernels/number.cuh"
extern "C" {
#include "tridiag/kernels/shifted_sums.h"
}

namespace starfish_slab
{

/* Lanes that fit into a warp's chunks of Lengths::MEDIUM and of Lengths::LONG rows, of the numbers that this file is
 * compiled for. */
int NUMBER_NAME(sums_by_medium_chunks)(const starfish_shifted_sums &a, size_t lanes_of_number, cudaStream_t stream);
int NUMBER_NAME(sums_by_long_chunks)(const starfish_shifted_sums &a, size_t lanes_of_number, cudaStream_t stream);

/* Lanes of any length. */
int REAL_NAME(sums_of_lanes)(const starfish_shifted_sums &a, size_t lanes_of_number, cudaStream_t stream);
int REAL_NAME(sums_of_lanes_complex_vectors)(const starfish_shifted_sums &a, size_t lanes_of_number,
                                             cudaStream_t stream);
int REAL_NAME(sums_of_lanes_complex_lines)(const starfish_shifted_sums &a, size_t lanes_of_number, cudaStream_t stream);

} // namespace starfish_slab

#endif
