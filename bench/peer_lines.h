/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Other solvers of tridiagonal lines. Every function that measures fills seconds[] and returns how many of the `repeat`
 * times it came to: it stops after PEER_LINES_SECONDS, once there are PEER_LINES_LEAST. 0: it cannot be run here. */
#ifndef STARFISH_BENCH_PEER_LINES_H
#define STARFISH_BENCH_PEER_LINES_H

#include <starfish/types.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PEER_LINES_LEAST = 3 };
#define PEER_LINES_SECONDS 0.3

/* `lines` general lines of n unknowns, contiguous or interleaved; arrays of n * lines reals each, all on the host for
 * LAPACK and all in device memory for cuSPARSE. lower of a first row and upper of a last one are zero. Coefficients and
 * right-hand sides are left as they are, the solution is in `solution`. */
struct peer_lines {
    size_t n, lines;
    int interleaved;
    starfish_precision precision;
    const void *lower, *diag, *upper, *rhs;
    void *solution;
};

/* LAPACK's gtsv, line by line, all cores; contiguous lines only. gtsv overwrites what it gets, so each core copies a
 * line before it solves it. */
int peer_lapack_gtsv(const struct peer_lines *lines, int repeat, double *seconds);
int peer_lapack_f32(const struct peer_lines *lines, int repeat, double *seconds);
int peer_lapack_f64(const struct peer_lines *lines, int repeat, double *seconds);

/* cuSPARSE. gtsv2StridedBatch takes contiguous lines and gtsvInterleavedBatch (algorithm 0, Thomas) interleaved ones;
 * each of the seconds[] is of one of `at_once` launches in a row. What they overwrite is restored between measurements,
 * but not between the launches of a row, whose time does not depend on values, and once more for the solution that is
 * left. gtsv2 takes one line, with or without pivoting. */
int peer_cusparse_batch(const struct peer_lines *lines, int at_once, int repeat, double *seconds);
int peer_cusparse_line(const struct peer_lines *line, int pivot, int repeat, double *seconds);

struct CUstream_st;
/* Times `launch`, which returns a cudaError_t, on the current device with CUDA's events: `at_once` launches in a row
 * for each of the seconds[], which are of one launch. */
int peer_device_time(int (*launch)(void *data, struct CUstream_st *stream), void *data, int at_once, int repeat,
                     double *seconds);
/* `count` elements that lie `stride` elements of `size` bytes apart, to where they lie in the same way. */
int peer_device_read(void *host, const void *device, size_t count, size_t stride, size_t size);
int peer_device_set(void *device, int byte, size_t bytes);

/* Whether that many measurements since `start` (clock_now) are enough of `repeat`. */
int peer_lines_enough(int measured, int repeat, double start);

#ifdef __cplusplus
}
#endif

#endif
