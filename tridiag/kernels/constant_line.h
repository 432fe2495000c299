/* The constant mode of a singular problem (all ends Neumann or periodic) along z, where the field is cut into slabs.
 *
 * Its line A v = f is singular. With the last unknown pinned to zero and the last equation left out, a solve of the
 * whole line gives the pinned solution P f whatever the mean of f. All that a singular problem needs besides is linear:
 *     mean(f)   = sum_k weight[k] f[k]                   must be removed from f, and is reported (FISHPACK's pertrb)
 *     mean(P f) = sum_k influence[k] f[k]                influence = P^T weight
 *     v         = P f + mean(f) response - mean(P f)     response = mean(P 1) - P 1: of mean zero
 * The weights may carry a factor, and the response its inverse, so that what is reported has the units of the field.
 *
 * Element k of the line is at lane[k * stride]. Sums are in double for both precisions, in a fixed order on each
 * device. Tables and moments are doubles where the kernel runs. A few hundred strided accesses: small beside everything
 * else. */
#ifndef STARFISH_TRIDIAG_KERNELS_CONSTANT_LINE_H
#define STARFISH_TRIDIAG_KERNELS_CONSTANT_LINE_H

#include <stddef.h>

struct CUstream_st; /* what a cudaStream_t points to */

enum { STARFISH_CONSTANT_MOMENTS = 2, STARFISH_CONSTANT_MAX_SLABS = 64 };

/* Of one slab: moments[0] = sum weight f, moments[1] = sum influence f. Of several problems on the same grid, whose
 * lanes begin `distance` reals one behind the other: a pair for each, one behind the other. */
struct starfish_constant_moments {
    size_t planes, stride;
    size_t problems; /* 0: one */
    size_t distance;
    const void *lane;
    const double *weight, *influence; /* of the slab's planes */
    double *moments;
};
void starfish_constant_moments_cpu_f32(const struct starfish_constant_moments *arguments);
void starfish_constant_moments_cpu_f64(const struct starfish_constant_moments *arguments);
int starfish_constant_moments_cuda_f32(const struct starfish_constant_moments *arguments, struct CUstream_st *stream);
int starfish_constant_moments_cuda_f64(const struct starfish_constant_moments *arguments, struct CUstream_st *stream);

/* total = sum over slabs of their moments, in the order of the slabs. No precision but double. */
struct starfish_constant_sum {
    int slabs; /* at most STARFISH_CONSTANT_MAX_SLABS */
    const double *moments[STARFISH_CONSTANT_MAX_SLABS];
    double *total;
};
void starfish_constant_sum_cpu(const struct starfish_constant_sum *arguments);
int starfish_constant_sum_cuda(const struct starfish_constant_sum *arguments, struct CUstream_st *stream);

/* Of one slab: lane += total[0] response - total[1]; of several problems likewise. */
struct starfish_constant_correct {
    size_t planes, stride;
    size_t problems; /* 0: one */
    size_t distance;
    void *lane;
    const double *response; /* of the slab's planes */
    const double *total;
};
void starfish_constant_correct_cpu_f32(const struct starfish_constant_correct *arguments);
void starfish_constant_correct_cpu_f64(const struct starfish_constant_correct *arguments);
int starfish_constant_correct_cuda_f32(const struct starfish_constant_correct *arguments, struct CUstream_st *stream);
int starfish_constant_correct_cuda_f64(const struct starfish_constant_correct *arguments, struct CUstream_st *stream);

/* The tables of a whole line, for plans. lower, upper: couplings of n rows that sum to zero, of a singular operator
 * whose leading n-1 rows and columns are not (a connected one); weight: sums to one and spans the left null space;
 * `scale` multiplies what is reported. Writes n doubles each: weight * scale, influence, response / scale. */
void starfish_constant_tables(size_t n, const double *lower, const double *upper, const double *weight, double scale,
                              double *scaled_weight, double *influence, double *response);

#endif
