/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Iterative refinement of a field's slab: a correction is added, and taken back where it did not help.
 *
 * A step is kept where the residual falls. At the level of rounding errors it tells nothing more: in a thin layer the
 * digits that a right solution lacks leave as large a residual as a wrong one. There the correction itself decides,
 * which must be small beside the solution (Demmel et al., ACM Trans. Math. Softw. 32 (2006), 325-351). CUDA functions
 * launch on `stream` and return a cudaError_t, 0 when the launch was accepted. */
#ifndef STARFISH_STENCIL_KERNELS_REFINE_H
#define STARFISH_STENCIL_KERNELS_REFINE_H

#include "stencil/kernels/stencil.h"

#include <math.h>

#ifdef __CUDACC__
#define STARFISH_REFINE_INLINE __host__ __device__ static inline
#else
#define STARFISH_REFINE_INLINE static inline
#endif

/* u += correction, and the correction becomes what u was. *maximum = max |correction|, infinite where a value is not
 * finite. Bound by memory: 4 words per unknown. */
struct starfish_refine_add {
    size_t count;
    void *u, *correction;
    double *maximum;
};
void starfish_refine_add_cpu_f32(const struct starfish_refine_add *arguments);
void starfish_refine_add_cpu_f64(const struct starfish_refine_add *arguments);
int starfish_refine_add_cuda_f32(const struct starfish_refine_add *arguments, struct CUstream_st *stream);
int starfish_refine_add_cuda_f64(const struct starfish_refine_add *arguments, struct CUstream_st *stream);

/* u = before where *kept is 0; else nothing is read or written. */
struct starfish_refine_restore {
    size_t count;
    void *u;
    const void *before;
    const double *kept;
};
void starfish_refine_restore_cpu_f32(const struct starfish_refine_restore *arguments);
void starfish_refine_restore_cpu_f64(const struct starfish_refine_restore *arguments);
int starfish_refine_restore_cuda_f32(const struct starfish_refine_restore *arguments, struct CUstream_st *stream);
int starfish_refine_restore_cuda_f64(const struct starfish_refine_restore *arguments, struct CUstream_st *stream);

/* What a step of refinement came to. */
enum starfish_verdict {
    STARFISH_VERDICT_KEPT,       /* 1 or 0 */
    STARFISH_VERDICT_CORRECTION, /* max |correction| */
    STARFISH_VERDICT_MAXIMA,     /* enum starfish_maximum, of the solution that stays */
    STARFISH_VERDICT_NUMBERS = STARFISH_VERDICT_MAXIMA + STARFISH_MAXIMA
};

/* verdict[] from the slabs' maxima of the residual before and after the step, and of the correction. A slab of several
 * problems has `sets` of the first two. `epsilon`: the unit of rounding of the solution's precision. Runs in one
 * thread. */
enum { STARFISH_REFINE_MOST_SLABS = 64 };
struct starfish_refine_judge {
    int slabs;
    unsigned sets[STARFISH_REFINE_MOST_SLABS];
    double epsilon;
    const double *before[STARFISH_REFINE_MOST_SLABS], *after[STARFISH_REFINE_MOST_SLABS];
    const double *correction[STARFISH_REFINE_MOST_SLABS];
    double *verdict;
};
void starfish_refine_judge_cpu(const struct starfish_refine_judge *arguments);
int starfish_refine_judge_cuda(const struct starfish_refine_judge *arguments, struct CUstream_st *stream);

/* The same of numbers at hand: is the step kept? `before` and `after` are indexed by enum starfish_maximum. */
STARFISH_REFINE_INLINE int starfish_refine_keeps(const double *before, const double *after, double correction,
                                                 double epsilon)
{
    const double was = before[STARFISH_MAXIMUM_RESIDUAL], is = after[STARFISH_MAXIMUM_RESIDUAL];
    const int rounding = is <= 4 * epsilon * after[STARFISH_MAXIMUM_SIZE];
    if (!isfinite(is) || !isfinite(correction))
        return 0;
    return is < was || (rounding && correction <= 0.5 * after[STARFISH_MAXIMUM_SOLUTION]);
}

STARFISH_REFINE_INLINE void starfish_refine_judge_here(const struct starfish_refine_judge *a)
{
    double before[STARFISH_MAXIMA], after[STARFISH_MAXIMA], correction = 0;
    for (int m = 0; m < STARFISH_MAXIMA; m++) {
        before[m] = after[m] = 0;
        for (int slab = 0; slab < a->slabs; slab++)
            for (unsigned set = 0; set < a->sets[slab]; set++) {
                before[m] = fmax(before[m], a->before[slab][set * STARFISH_MAXIMA + m]);
                after[m] = fmax(after[m], a->after[slab][set * STARFISH_MAXIMA + m]);
            }
    }
    for (int slab = 0; slab < a->slabs; slab++)
        correction = fmax(correction, *a->correction[slab]);
    const int kept = starfish_refine_keeps(before, after, correction, a->epsilon);
    a->verdict[STARFISH_VERDICT_KEPT] = kept;
    a->verdict[STARFISH_VERDICT_CORRECTION] = correction;
    for (int m = 0; m < STARFISH_MAXIMA; m++)
        a->verdict[STARFISH_VERDICT_MAXIMA + m] = kept ? after[m] : before[m];
}

#endif
