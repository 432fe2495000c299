/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The transforms of transform.h as products of matrices, for a GPU and lengths whose FFT has large prime factors.
 *
 * Equal ends, or none, make a transform of two halves: elements j and `reflect` - j have equal sums in even modes and
 * opposite ones in odd modes. So a line is folded into `even` sums and `odd` differences, each of which meets a matrix
 * of its own half's size, n operations for an element instead of 2 n:
 *
 *     sum[i] = x[i] + x[reflect - i], i < even;    difference[t] = x[t + skip] - x[reflect - t - skip], t < odd
 *     mode[step m] = E[m] . sum;                   mode[first_odd + step m] = O[m] . difference
 *
 * with a middle element, and the first of a periodic line, alone in its sum. BACKWARD goes the other way: products of
 * the modes' halves, whose sum is x[i] and whose difference x[reflect - i]. Without equal ends `odd` is 0 and E is all
 * of the transform.
 *
 * Source: Cantoni and Butler, "Eigenvalues and eigenvectors of symmetric centrosymmetric matrices", Linear Algebra
 * Appl. 13 (1976). */
#ifndef STARFISH_FFT_KERNELS_TRANSFORM_PRODUCTS_H
#define STARFISH_FFT_KERNELS_TRANSFORM_PRODUCTS_H

#include "fft/kernels/transform.h"

struct starfish_transform_products {
    size_t n, even, odd;
    size_t reflect, skip;
    size_t first_odd, step; /* modes */
    double *matrix[2];      /* by direction: rows of E, then of O; NULL where they are not made */
};

/* Everything but the matrices; n >= 1. */
struct starfish_transform_products starfish_transform_products_shape(enum starfish_transform_kind kind, size_t n);
/* And they. Fills *products, also on failure, so that destroy may always follow. Errors as of
 * starfish_transform_cpu_create, and STARFISH_ERROR_MEMORY. */
starfish_status starfish_transform_products_create(struct starfish_transform_products *products,
                                                   enum starfish_transform_kind kind, size_t n);
void starfish_transform_products_destroy(struct starfish_transform_products *products);

/* Does a GPU do lines of this length by products? Those that do not fit in shared memory, where products are faster
 * than cuFFT. */
int starfish_transform_has_products(enum starfish_transform_kind kind, size_t n, starfish_precision precision);
/* Lines that are in the work space at once. */
size_t starfish_transform_products_group(size_t n, size_t max_lines);

#endif
