/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The separable seven-point operator on a slab of a 3D field: its residual, and boundary data moved to the right-hand
 * side. The operator is (X + Y + Z + lambda) u, each of X, Y, Z a tridiagonal matrix along its direction:
 *     lower[i] u(i-1) + diag[i] u(i) + upper[i] u(i+1),
 * lower[0] and upper[n-1] coupling the two ends when periodic and ignored otherwise.
 *
 * For complex numbers, x is the index of the real and the imaginary part (n[0] is 2 and X is zero), and Y may be
 * complex.
 *
 * In coordinates that are not those of a box, plane k has weight_x[k] X in place of X, and what is above are the
 * problem's equations times scale_y[j] in row j of y; either is NULL for ones. Right-hand sides and residuals
 * are not scaled.
 *
 * The first and the last plane, where n[1] is 1, may be a point, an axis or a pole: weight_x is 0 there, all unknowns
 * are one, and its neighbour is the mean of the plane beside it. The right-hand side is element 0 of the plane, which
 * moving boundary data puts into all others.
 *
 * A slab is planes first_plane .. first_plane + n[2] - 1 of a field of `planes` planes, x fastest. */
#ifndef STARFISH_STENCIL_KERNELS_STENCIL_H
#define STARFISH_STENCIL_KERNELS_STENCIL_H

#include "base/strides.h"

#include <stddef.h>

struct CUstream_st; /* what a cudaStream_t points to */

/* One direction: n[0] or n[1] rows, of z the whole field's `planes`. sum: lower + diag + upper of each row without what
 * lies beyond an end, added up before anything is rounded. */
struct starfish_stencil_axis {
    int periodic;
    const double *lower, *diag, *upper, *sum;
};

/* What a residual has found, over a slab; infinite where a value of the residual or of rhs is none. */
enum starfish_maximum {
    STARFISH_MAXIMUM_RESIDUAL, /* max |A u - (rhs - offset)| */
    STARFISH_MAXIMUM_RHS,      /* max |rhs| */
    STARFISH_MAXIMUM_SIZE, /* max (|A| |u| + |rhs|), row by row: the rounding errors of a residual are units of it */
    STARFISH_MAXIMUM_SOLUTION, /* max |u| */
    STARFISH_MAXIMA
};

/* maximum[] as above, and result = (rhs - offset) - A u, for iterative refinement. Either may be NULL where it is not
 * wanted; result is neither u nor a plane next to it, but may be rhs. Reads u and rhs once: 2 words per unknown is the
 * floor, 3 with result.
 *
 * The arithmetic is in f64 whatever the precision of u and rhs, with the coefficients of the problem, unrounded. Rows
 * are taken as
 *     lower (u(i-1) - u(i)) + upper (u(i+1) - u(i)) + sum u(i),
 * in which neighbours that nearly agree leave a difference without a rounding error. Where couplings are large and rows
 * sum to little, as in thin layers, the residual then has the digits that a correction needs (Higham, Accuracy and
 * Stability of Numerical Algorithms, 2nd edition, chapter 12), and a direction that is zero drops out of it. */
struct starfish_residual {
    size_t n[3], first_plane, planes;
    struct starfish_stencil_axis axis[3];
    int complex_pairs; /* x is the parts of complex numbers, and there is an offset for each */
    int complex_y;     /* axis[1] has pairs; needs complex_pairs */
    double lambda;
    /* What x and y add besides their axes, which are zero then: entry [l * n + i] times u at l belongs to row i; NULL:
     * nothing. Of spectral derivatives, n[0] and n[1] operations for an unknown. Not of complex pairs. */
    const double *dense[2];
    const double *weight_x, *scale_y; /* planes and n[1] doubles */
    const void *u, *below, *above;    /* below, above: the planes next to the slab (wrapped when periodic), or NULL */
    const void *rhs;
    const double *offset;                         /* a double, or two, where the kernel runs; NULL for 0 */
    double *maximum;                              /* STARFISH_MAXIMA */
    void *result;                                 /* the slab's planes */
    const struct starfish_boundary_rhs *boundary; /* on cores: what is still to be moved to rhs; or NULL */
};
void starfish_residual_cpu_f32(const struct starfish_residual *arguments);
void starfish_residual_cpu_f64(const struct starfish_residual *arguments);
int starfish_residual_cuda_f32(const struct starfish_residual *arguments, struct CUstream_st *stream);
int starfish_residual_cuda_f64(const struct starfish_residual *arguments, struct CUstream_st *stream);

/* result = rhs - sum over the six faces of weight * data on the unknowns next to them. Data of a face: an array over
 * the other two directions (lower direction fastest, all of z also for a slab), or a constant where it is NULL; the
 * arrays of several problems, of `planes` planes each and with all planes counted through, lie one behind the other.
 * result may be rhs. Where rows are not packed, each side's strides say where they lie from the slab's first element
 * on. */
struct starfish_boundary_rhs {
    size_t n[3], first_plane, planes;
    double weight[3][2], constant[3][2];
    const void *face[3][2];
    const void *rhs;
    void *result;
    struct starfish_strides rhs_strides, result_strides; /* zero: packed */
    const double *weight_x,
        *scale_y;          /* planes and n[1] doubles: data, whose weights are of scaled rows, are divided by it */
    double at_point[2][2]; /* weights of data at the ends of x in the plane beside a point, by the point's end of z */
    int past_caches;       /* the result is not read soon, so that cores write it past their caches */
};
void starfish_boundary_rhs_cpu_f32(const struct starfish_boundary_rhs *arguments);
void starfish_boundary_rhs_cpu_f64(const struct starfish_boundary_rhs *arguments);
/* The same for one row alone, row j of plane k of all problems' planes, in place: element i at row[i * stride]. */
void starfish_boundary_row_cpu_f32(const struct starfish_boundary_rhs *arguments, size_t j, size_t k, void *row,
                                   size_t stride);
void starfish_boundary_row_cpu_f64(const struct starfish_boundary_rhs *arguments, size_t j, size_t k, void *row,
                                   size_t stride);
/* And for element at[0] of such a row alone, which is in *value. */
void starfish_boundary_element_cpu_f32(const struct starfish_boundary_rhs *arguments, const size_t at[3], void *value);
void starfish_boundary_element_cpu_f64(const struct starfish_boundary_rhs *arguments, const size_t at[3], void *value);
int starfish_boundary_rhs_cuda_f32(const struct starfish_boundary_rhs *arguments, struct CUstream_st *stream);
int starfish_boundary_rhs_cuda_f64(const struct starfish_boundary_rhs *arguments, struct CUstream_st *stream);

#endif
