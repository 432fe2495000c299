/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Weighted sums of shifted solves, on CUDA: the choice among lanes that stay on chip in chunks of two lengths
 * (shifted_sums_chunks.cuh) and lanes in memory (shifted_sums_long.cuh). Compiled once for each kind of numbers in each
 * precision (base/number_name.h); the version for real numbers chooses among these. */
#include "tridiag/kernels/shifted_chunks.cuh"
#include "tridiag/kernels/shifted_sums_long.cuh"
#include "tridiag/kernels/shifted_sums_numbers.cuh"

namespace starfish_slab
{

int NUMBER_NAME(sums_of_lanes)(const starfish_shifted_sums &a, size_t lanes_of_number, cudaStream_t stream)
{
    typedef Lengths<starfish_number::FileNumber> Is;

    if (a.line.n <= size_t(MOST_CHUNKS) * Is::MEDIUM)
        return NUMBER_NAME(sums_by_medium_chunks)(a, lanes_of_number, stream);
    if (a.line.n <= Is::LONG_LANE)
        return NUMBER_NAME(sums_by_long_chunks)(a, lanes_of_number, stream);
    return starfish_tridiag::launch_lines<starfish_number::FileNumber>(a, stream);
}

#ifdef STARFISH_REAL_NUMBERS
namespace
{

/* A thread holds half as many rows of complex numbers. Vectors that are too long then, and not as real ones, are solved
 * as two lanes each: that is two eliminations, but on chip. */
int sums_of_complex_vectors(const starfish_shifted_sums &a, cudaStream_t stream)
{
    typedef starfish_number::Complex<real, false> Number;
    starfish_shifted_sums lanes = a;

    if (a.line.n <= Lengths<Number>::LONG_LANE || a.line.n > Lengths<real>::LONG_LANE)
        return REAL_NAME(sums_of_lanes_complex_vectors)(a, 1, stream);
    lanes.lanes *= 2;
    return REAL_NAME(sums_of_lanes)(lanes, 2, stream);
}

} // namespace
#endif

} // namespace starfish_slab

#ifdef STARFISH_REAL_NUMBERS
extern "C" int REAL_NAME(starfish_shifted_sums_cuda)(const struct starfish_shifted_sums *a, cudaStream_t stream)
{
    using namespace starfish_slab;

    if (a->groups == 0)
        return cudaSuccess;
    switch (a->line.numbers) {
    case STARFISH_TRIDIAG_REAL:
        return REAL_NAME(sums_of_lanes)(*a, 1, stream);
    case STARFISH_TRIDIAG_COMPLEX_VECTORS:
        return sums_of_complex_vectors(*a, stream);
    default:
        return REAL_NAME(sums_of_lanes_complex_lines)(*a, 1, stream);
    }
}
#endif
