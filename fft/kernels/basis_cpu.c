/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Change of basis on the CPU: fold and small matrix products, 32 lanes at a time, so that a block of lanes stays in the
 * second-level cache between them.
 *
 * Products must stay on the calling thread: parallel workers are the parallelism, and OpenBLAS with threads lets one
 * caller at a time in. How many it has is set for the whole process, the host program's calls included, hence not ours
 * to set. But products of at most 2^18 multiplications it does alone on the calling thread
 * (SMP_THRESHOLD_MIN * GEMM_MULTITHREAD_THRESHOLD in its interface/gemm.c), and pieces of that size that take the sum
 * over j in one run as fast as one large product: n = 512, one core of an AMD EPYC with AVX2, 50 of 51 GFLOP/s in
 * f64. */
#include "fft/kernels/basis.h"

#include "base/real.h"
#include "base/sizes.h"

#include <cblas.h>

enum { LANES = 32, LONGEST = 512, MULTIPLICATIONS = 1 << 18 };

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

/* A block of lanes: element j of lane l at l * lane + j * element. One of the two is 1; if both, lanes are single. */
struct strides {
    size_t lane, element;
};

/* out(l, k) = scale * sum_j matrix[k][j] in(l, j), all of size `size`, in pieces. */
static void multiply(const real *matrix, size_t size, size_t lanes, struct strides stride, real scale, const real *in,
                     real *out)
{
    const size_t terms = starfish_smaller(size, LONGEST), modes = MULTIPLICATIONS / (lanes * terms);
    const int lines = stride.element == 1; /* a lane is a row of a matrix stored by rows, else a column's element */
    const blasint ld = (blasint)(lines ? stride.lane : stride.element);
    for (size_t k = 0; k < size; k += modes)
        for (size_t j = 0; j < size; j += terms)
            REAL_CBLAS(gemm)
    (lines ? CblasRowMajor : CblasColMajor, CblasNoTrans, lines ? CblasTrans : CblasNoTrans, (blasint)lanes,
     (blasint)starfish_smaller(modes, size - k), (blasint)starfish_smaller(terms, size - j), scale,
     in + stride.element * j, ld, matrix + size * k + j, (blasint)size, j == 0 ? REAL(0.0) : REAL(1.0),
     out + stride.element * k, ld);
}

/* `planes` times `inner` lanes. */
static void transform_block(const struct starfish_basis *basis, enum starfish_transform_direction direction,
                            size_t inner, size_t planes, struct strides stride, real scale, real *in, real *out)
{
    const size_t n = basis->n, even = basis->even, lanes = inner * planes;
    const real *matrix = basis->matrix[direction];
    for (size_t p = 0; p < planes && basis->reflected && direction == STARFISH_FORWARD; p++)
        butterfly(in + stride.lane * p, inner, stride.element, n);
    multiply(matrix, even, lanes, stride, scale, in, out);
    if (even < n)
        multiply(matrix + even * even, n - even, lanes, stride, scale, in + stride.element * even,
                 out + stride.element * even);
    for (size_t p = 0; p < planes && basis->reflected && direction == STARFISH_BACKWARD; p++)
        butterfly(out + stride.lane * p, inner, stride.element, n);
}

/* Lanes lie side by side within a plane; where planes have one each, lanes are the planes. */
void REAL_NAME(starfish_basis_columns_cpu)(const struct starfish_basis *basis,
                                           enum starfish_transform_direction direction,
                                           const struct starfish_basis_columns *arguments)
{
    const size_t n = basis->n, inner = arguments->inner, outer = arguments->outer;
    const real scale = (real)arguments->scale;
    real *in = arguments->in, *out = arguments->out;
    if (inner == 1) {
        for (size_t o = 0; o < outer; o += LANES)
            transform_block(basis, direction, 1, starfish_smaller(LANES, outer - o), (struct strides){n, 1}, scale,
                            in + n * o, out + n * o);
        return;
    }
    for (size_t o = 0; o < outer; o++)
        for (size_t lane = 0; lane < inner; lane += LANES) {
            const size_t first = lane + inner * n * o;
            transform_block(basis, direction, starfish_smaller(LANES, inner - lane), 1, (struct strides){1, inner},
                            scale, in + first, out + first);
        }
}
