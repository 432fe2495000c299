/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A line step on a GPU in one kernel: v = u + damping * T^-1 (f - A u), T the tridiagonal matrices of the lines in a
 * direction, on a run of whole lines; lines that are not chosen are v = u; u == NULL is zero, v is not u. It reads u on
 * the lines beside that run, too. The contract of lines_cuda.cu; on the CPU lines pass through the cache (q1_steps.c).
 *
 * Words per unknown: 8 of stored bands, 3 of a tensor product, for long lines in y 15 and 5; without u one less, or
 * two. Lines of STARFISH_BAND_LINES_MOST unknowns at most. */
#ifndef STARFISH_MULTIGRID_LINES_H
#define STARFISH_MULTIGRID_LINES_H

#include "multigrid/kernels/band.h"

struct starfish_band_lines {
    struct starfish_band_matrix matrix;
    int direction;      /* 0: lines in x, 1: in y */
    size_t first, last; /* lines first .. last-1, rows or columns of the grid */
    enum starfish_band_choice choice;
    double damping;
    const void *u, *f;
    void *work; /* starfish_band_lines_work bytes, for lines in y */
    void *v;
};
enum { STARFISH_BAND_LINES_MOST = 8192 }; /* unknowns of a line */
size_t starfish_band_lines_work(size_t nx, size_t ny, size_t real_size);
int starfish_band_lines_cuda_f32(const struct starfish_band_lines *arguments, struct CUstream_st *stream);
int starfish_band_lines_cuda_f64(const struct starfish_band_lines *arguments, struct CUstream_st *stream);

#endif
