/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The constant mode of a singular problem (all ends Neumann or periodic) along z, where the field is cut into slabs.
 *
 * Its line A v = f - mean(f) is singular, and f may be almost all mean. It is therefore taken out of the field and
 * solved by itself, in double for both precisions:
 *     c = sum_k weight[k] f[k]      is removed from f, and is reported (FISHPACK's pertrb)
 *     x = P (f - c)                 P: elimination with the last unknown pinned to zero, the last equation left out
 *     v = x - sum_k weight[k] x[k]  has mean zero
 * What the field's own elimination has left in that lane is written over. Slabs take their pieces of the line, one task
 * solves all of it, and slabs put their pieces back.
 *
 * Bytes: a sector of 32 for each plane that is taken and put, and six doubles for each unknown of the line: small
 * beside everything else. Sums are in a fixed order on each device. */
#ifndef STARFISH_TRIDIAG_KERNELS_CONSTANT_LINE_H
#define STARFISH_TRIDIAG_KERNELS_CONSTANT_LINE_H

#include <stddef.h>

struct CUstream_st; /* what a cudaStream_t points to */

enum {
    STARFISH_CONSTANT_REMOVED = 2, /* doubles that a problem reports in: what was removed, and zero */
    STARFISH_CONSTANT_MAX_SLABS = 64
};

/* line[k] = lane[k * stride], for the piece of the constant line in a slab of the field. Of several problems on the
 * same grid the lanes begin `distance` reals one behind the other, and the pieces follow each other. */
struct starfish_constant_take {
    size_t planes, stride;
    size_t problems; /* 0: one */
    size_t distance;
    const void *lane;
    double *line;
};
void starfish_constant_take_cpu_f32(const struct starfish_constant_take *arguments);
void starfish_constant_take_cpu_f64(const struct starfish_constant_take *arguments);
int starfish_constant_take_cuda_f32(const struct starfish_constant_take *arguments, struct CUstream_st *stream);
int starfish_constant_take_cuda_f64(const struct starfish_constant_take *arguments, struct CUstream_st *stream);

/* lane[k * stride] = line[k], likewise. */
struct starfish_constant_put {
    size_t planes, stride;
    size_t problems; /* 0: one */
    size_t distance;
    void *lane;
    const double *line;
};
void starfish_constant_put_cpu_f32(const struct starfish_constant_put *arguments);
void starfish_constant_put_cpu_f64(const struct starfish_constant_put *arguments);
int starfish_constant_put_cuda_f32(const struct starfish_constant_put *arguments, struct CUstream_st *stream);
int starfish_constant_put_cuda_f64(const struct starfish_constant_put *arguments, struct CUstream_st *stream);

/* Tables of a line of n unknowns, n doubles each, for row k of the pinned elimination
 *     x_k = (f_k - c) inverse[k] + below[k] x_(k-1),  then  x_k += above[k] x_(k+1);
 * those of the last row are zero. */
struct starfish_constant_tables {
    const double *weight, *inverse, *below, *above;
};
enum { STARFISH_CONSTANT_TABLES = 4 };

/* The tables in an array of STARFISH_CONSTANT_TABLES * n doubles. */
static inline struct starfish_constant_tables starfish_constant_tables_in(const double *array, size_t n)
{
    const struct starfish_constant_tables tables = {array, array + n, array + 2 * n, array + 3 * n};
    return tables;
}

/* Solves a line that is cut into pieces: unknowns first[s] .. first[s+1]-1 are in piece[s], which holds f on entry and
 * v afterwards. Of several problems there is one piece for each, one behind the other from piece[0] on. */
struct starfish_constant_solve {
    struct starfish_constant_tables tables;
    double scale;    /* removed[0] = c scale: the weights' units are modes, the report's are the field's */
    double *removed; /* STARFISH_CONSTANT_REMOVED for each problem */
    size_t problems; /* 0: one */
    size_t pieces;   /* at most STARFISH_CONSTANT_MAX_SLABS */
    size_t first[STARFISH_CONSTANT_MAX_SLABS + 1];
    double *piece[STARFISH_CONSTANT_MAX_SLABS];
};
void starfish_constant_solve_cpu(const struct starfish_constant_solve *arguments);
int starfish_constant_solve_cuda(const struct starfish_constant_solve *arguments, struct CUstream_st *stream);

/* Fills in the array, for plans. lower, upper: couplings of n rows that sum to zero, of a singular operator whose
 * leading n-1 rows and columns are not (a connected one); weight: sums to one and spans the left null space. */
void starfish_constant_fill(double *array, size_t n, const double *lower, const double *upper, const double *weight);

#endif
