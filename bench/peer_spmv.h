/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cuSPARSE's products with sparse matrices, beside ours: the same matrix and vectors on the GPU, for `bench spmv`. */
#ifndef STARFISH_BENCH_PEER_SPMV_H
#define STARFISH_BENCH_PEER_SPMV_H

#include <starfish/types.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A square matrix in device memory: compressed rows, or slices of `slice` rows whose entries are stored column by
 * column, padded with column -1 (slice 0: compressed rows). `start`: of rows or of slices. */
struct peer_spmv {
    size_t n, entries, stored; /* stored: padding included */
    size_t slice;
    starfish_precision precision;
    const int *start, *column;
    const void *value, *x;
    void *y;
};

/* y = A x, `at_once` products for each of the seconds[], which are of one. Returns how many times were measured, 0
 * where cuSPARSE cannot do it. */
int peer_cusparse_spmv(const struct peer_spmv *spmv, int at_once, int repeat, double *seconds);

#ifdef __cplusplus
}
#endif

#endif
