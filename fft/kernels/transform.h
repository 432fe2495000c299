/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Real transforms along one direction that diagonalise the second difference, and their CPU and CUDA plans.
 *
 * Every kind maps n reals to n reals ("modes"); the pair (forward, backward) is such that
 *     backward(forward(x)) = starfish_transform_scale(kind, n) * x,
 * unnormalised, exactly as FFTW defines the kinds named on the right. Modes of the periodic kind are in FFTW's
 * half-complex order r0 r1 ... r[n/2] i[(n-1)/2] ... i1.
 *
 *   kind              ends and grid                     forward    backward
 *   PERIODIC          periodic                          R2HC       HC2R
 *   DD_NODE           Dirichlet-Dirichlet, node         RODFT00    RODFT00
 *   NN_NODE           Neumann-Neumann, node (n >= 2)    REDFT00    REDFT00
 *   DN_NODE           Dirichlet-Neumann, node           RODFT01    RODFT10
 *   ND_NODE           Neumann-Dirichlet, node           REDFT01    REDFT10
 *   DD_CELL           Dirichlet-Dirichlet, cell         RODFT10    RODFT01
 *   NN_CELL           Neumann-Neumann, cell             REDFT10    REDFT01
 *   DN_CELL           Dirichlet-Neumann, cell           RODFT11    RODFT11
 *   ND_CELL           Neumann-Dirichlet, cell           REDFT11    REDFT11
 *   IDENTITY          nothing is transformed            copy       copy
 *
 * Source: Swarztrauber, "The methods of cyclic reduction, Fourier analysis and the FACR algorithm", SIAM Rev. 19
 * (1977); Makhoul, IEEE Trans. ASSP 28 (1980) for DCT-II/III by one real FFT. */
#ifndef STARFISH_FFT_KERNELS_TRANSFORM_H
#define STARFISH_FFT_KERNELS_TRANSFORM_H

#include "base/status.h"
#include "base/strides.h"
#include <starfish/types.h>
#include <stddef.h>

struct CUstream_st; /* what a cudaStream_t points to */

enum starfish_transform_kind {
    STARFISH_TRANSFORM_PERIODIC,
    STARFISH_TRANSFORM_DD_NODE,
    STARFISH_TRANSFORM_NN_NODE,
    STARFISH_TRANSFORM_DN_NODE,
    STARFISH_TRANSFORM_ND_NODE,
    STARFISH_TRANSFORM_DD_CELL,
    STARFISH_TRANSFORM_NN_CELL,
    STARFISH_TRANSFORM_DN_CELL,
    STARFISH_TRANSFORM_ND_CELL,
    STARFISH_TRANSFORM_IDENTITY,
    STARFISH_TRANSFORM_KINDS
};
enum starfish_transform_direction { STARFISH_FORWARD = 0, STARFISH_BACKWARD = 1 };

const char *starfish_transform_name(enum starfish_transform_kind kind);
double starfish_transform_scale(enum starfish_transform_kind kind, size_t n);
/* eigenvalue[m], m < n: of the second difference with spacing h for mode m in the order of the forward transform
 * (all zero for IDENTITY); computed as -(2/h sin(theta/2))^2, exact zero for the constant mode. */
void starfish_transform_eigenvalues(enum starfish_transform_kind kind, size_t n, double h, double *eigenvalue);
/* Of the second derivative of the modes themselves: -(theta/h)^2. */
void starfish_transform_spectral_eigenvalues(enum starfish_transform_kind kind, size_t n, double h, double *eigenvalue);

/* ---- The operations ---------------------------------------------------------------------------------------------
 * rows: the direction of the transform is contiguous (x). Row r starts at rows + r * n. On the spectral side the
 * n modes of a row are cut into `tiles` column ranges first_mode[t] .. first_mode[t+1]-1 (first_mode[0] = 0,
 * first_mode[tiles] = n), range t of row r at tile[t] + r * (first_mode[t+1] - first_mode[t]).
 * FORWARD reads rows and writes tiles, BACKWARD reads tiles and writes rows; both multiply by `scale`. A single tile
 * may be the rows themselves, unless these are not packed: with strides, row r starts where these have row first_row +
 * r, and there is one tile.
 *
 * columns: the direction of the transform has `inner` interleaved lanes: element (l, k, o) at
 * data[l + inner * (k + n * o)], l < inner, o < outer; transformed in place along k, multiplied by `scale`. On a GPU
 * inner < 2^28; rows of data that are aligned to 16 bytes and whole multiples of that are the fastest.
 *
 * workspace: of the bytes the plan asks for, not shared between concurrent calls, contents never kept; on the CPU of
 * any alignment, on a GPU aligned as cudaMalloc's is (cuFFT asks for 16 bytes); may be NULL where the plan asks for
 * none. */
enum { STARFISH_TRANSFORM_MAX_TILES = 64 };

struct starfish_transform_rows {
    size_t count; /* rows */
    void *rows;   /* read-only when FORWARD */
    int tiles;
    void *tile[STARFISH_TRANSFORM_MAX_TILES]; /* read-only when BACKWARD */
    size_t first_mode[STARFISH_TRANSFORM_MAX_TILES + 1];
    double scale;
    void *workspace;
    struct starfish_strides strides; /* of the rows; zero: packed */
    size_t first_row;                /* with strides: which row of theirs the first one is */
    int past_caches;                 /* on the CPU, BACKWARD: rows are not read again soon (base/past_caches.h) */
};

struct starfish_transform_columns {
    size_t inner, outer;
    void *data;
    double scale;
    void *workspace;
    size_t apart; /* on the CPU: reals from one o to the next; 0: inner * n */
};

/* ---- Plans: one per (kind, n, precision, device kind). --------------------------------------------------------- */
/* CPU (FFTW). A plan may be used by many threads at once; creation takes a lock of its own around FFTW's planner. */
struct starfish_transform_cpu;
starfish_status starfish_transform_cpu_create(struct starfish_transform_cpu **plan, enum starfish_transform_kind kind,
                                              size_t n, starfish_precision precision);
void starfish_transform_cpu_destroy(struct starfish_transform_cpu *plan);
size_t starfish_transform_cpu_workspace(const struct starfish_transform_cpu *plan); /* bytes, for either operation */
void starfish_transform_rows_cpu(const struct starfish_transform_cpu *plan, enum starfish_transform_direction direction,
                                 const struct starfish_transform_rows *arguments);
void starfish_transform_columns_cpu(const struct starfish_transform_cpu *plan,
                                    enum starfish_transform_direction direction,
                                    const struct starfish_transform_columns *arguments);

/* CUDA. A line whose Fourier transform has no prime factor over 7 and fits in shared memory (96 KB: length 4096 always,
 * most up to 6000; twice n for DD_NODE and NN_NODE) is done there by one kernel, without work space. In f64
 * others of medium length are products with dense matrices (transform_products.h), the rest goes through cuFFT, both
 * through work space, in groups of at most `max_lines`. Create and destroy with the device current; one plan serves one
 * stream at a time, so make one per CUDA worker. */
struct starfish_transform_cuda;
starfish_status starfish_transform_cuda_create(struct starfish_transform_cuda **plan, enum starfish_transform_kind kind,
                                               size_t n, size_t max_lines, starfish_precision precision);
void starfish_transform_cuda_destroy(struct starfish_transform_cuda *plan);
size_t starfish_transform_cuda_workspace(enum starfish_transform_kind kind, size_t n, size_t max_lines,
                                         starfish_precision precision); /* bytes; callable without a device */
/* Both return a cudaError_t (0 when accepted; cuFFT's failures as cudaErrorUnknown). */
int starfish_transform_rows_cuda(struct starfish_transform_cuda *plan, enum starfish_transform_direction direction,
                                 const struct starfish_transform_rows *arguments, struct CUstream_st *stream);
int starfish_transform_columns_cuda(struct starfish_transform_cuda *plan, enum starfish_transform_direction direction,
                                    const struct starfish_transform_columns *arguments, struct CUstream_st *stream);

#endif
