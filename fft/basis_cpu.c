/* Change of basis on the CPU: fold and small matrix products, 32 lanes at a time, so that a block of lanes stays in the
 * second-level cache between them.
 *
 * Products must stay on the calling thread: parallel workers are the parallelism, and OpenBLAS with threads lets one
 * caller at a time in. How many it has is set for the whole process, the host program's calls included, hence not ours
 * to set. But products of at most 2^18 multiplications it does alone on the calling thread
 * (SMP_THRESHOLD_MIN * GEMM_MULTITHREAD_THRESHOLD in its interface/gemm.c), and pieces of that size that take the sum
 * over j in one run as fast as one large product: n = 512, one core of an AMD EPYC with AVX2, 50 of 51 GFLOP/s in
 * f64. */
#include "fft/basis.h"

#include "base/real.h"

#include <cblas.h>

enum { LANES = 32, LONGEST = 512, MULTIPLICATIONS = 1 << 18 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* x[j], x[n-1-j] -> x[j] + x[n-1-j], x[j] - x[n-1-j]: the fold, and its inverse but for a factor of 2 that is in the
 * matrices. `inner`: stride of j. */
static void butterfly(real *block, size_t lanes, size_t inner, size_t n)
{
    for (size_t j = 0; j < n / 2; j++) {
        real *restrict lower = block + inner * j, *restrict upper = block + inner * (n - 1 - j);
        for (size_t l = 0; l < lanes; l++) {
            const real a = lower[l], b = upper[l];
            lower[l] = a + b;
            upper[l] = a - b;
        }
    }
}

/* out(l, k) = scale * sum_j matrix[k][j] in(l, j), all of size `size`, in pieces. */
static void multiply(const real *matrix, size_t size, size_t lanes, size_t inner, real scale, const real *in, real *out)
{
    const size_t terms = smaller(size, LONGEST), modes = MULTIPLICATIONS / (lanes * terms);
    for (size_t k = 0; k < size; k += modes)
        for (size_t j = 0; j < size; j += terms)
            REAL_CBLAS(gemm)
    (CblasColMajor, CblasNoTrans, CblasNoTrans, (blasint)lanes, (blasint)smaller(modes, size - k),
     (blasint)smaller(terms, size - j), scale, in + inner * j, (blasint)inner, matrix + size * k + j, (blasint)size,
     j == 0 ? REAL(0.0) : REAL(1.0), out + inner * k, (blasint)inner);
}

void REAL_NAME(starfish_basis_columns_cpu)(const struct starfish_basis *basis,
                                           enum starfish_transform_direction direction,
                                           const struct starfish_basis_columns *arguments)
{
    const size_t n = basis->n, even = basis->even, inner = arguments->inner;
    const real *matrix = basis->matrix[direction], scale = (real)arguments->scale;
    for (size_t o = 0; o < arguments->outer; o++)
        for (size_t lane = 0; lane < inner; lane += LANES) {
            const size_t lanes = smaller(LANES, inner - lane), first = lane + inner * n * o;
            real *in = (real *)arguments->in + first, *out = (real *)arguments->out + first;
            if (basis->reflected && direction == STARFISH_FORWARD)
                butterfly(in, lanes, inner, n);
            multiply(matrix, even, lanes, inner, scale, in, out);
            if (even < n)
                multiply(matrix + even * even, n - even, lanes, inner, scale, in + inner * even, out + inner * even);
            if (basis->reflected && direction == STARFISH_BACKWARD)
                butterfly(out, lanes, inner, n);
        }
}
