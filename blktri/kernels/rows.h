/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of block cyclic reduction, moved between arrays: a row is `width` reals (one y-z line of modes, or one line of a
 * 2D field), and row v of the buffer corresponds to row position[v] of array[which[v]].
 *
 *   gather     buffer[v]  = array row          scatter    array row  = buffer[v]
 *   subtract   array row -= buffer[v]              add        buffer[v] += array row
 *
 * Rows that are gathered are multiplied by factor[v].
 * No array row may appear twice in one call. Tables are int32 and lie where the kernel runs. Bound by memory: one read
 * and one write per element (subtract and add: two reads). */
#ifndef STARFISH_BLKTRI_ROWS_H
#define STARFISH_BLKTRI_ROWS_H

#include <stddef.h>

struct CUstream_st; /* what a cudaStream_t points to */

enum { STARFISH_ROWS_MAX_ARRAYS = 40 };
enum starfish_rows_operation { STARFISH_ROWS_GATHER, STARFISH_ROWS_SCATTER, STARFISH_ROWS_SUBTRACT, STARFISH_ROWS_ADD };

struct starfish_rows {
    size_t width, count;
    void *array[STARFISH_ROWS_MAX_ARRAYS];
    const int *which, *position;
    const void *factor; /* count reals; NULL: ones */
    void *buffer;
};

void starfish_rows_cpu_f32(const struct starfish_rows *arguments, enum starfish_rows_operation operation);
void starfish_rows_cpu_f64(const struct starfish_rows *arguments, enum starfish_rows_operation operation);
int starfish_rows_cuda_f32(const struct starfish_rows *arguments, enum starfish_rows_operation operation,
                           struct CUstream_st *stream);
int starfish_rows_cuda_f64(const struct starfish_rows *arguments, enum starfish_rows_operation operation,
                           struct CUstream_st *stream);

#endif
