/* The method of conjugate gradients without a host that looks on: its scalars stay in the memory of the device, where
 * kernels compute them and read them, so that a fixed number of iterations can be launched, or captured into a graph,
 * at once. Once it has converged all factors are 0 and iterations change nothing. CUDA functions launch on `stream` and
 * return a cudaError_t, 0 when the launch was accepted. Source: Saad, Iterative Methods for Sparse Linear Systems,
 * algorithm 9.1. */
#ifndef STARFISH_KRYLOV_KERNELS_KRYLOV_H
#define STARFISH_KRYLOV_KERNELS_KRYLOV_H

#include "krylov/kernels/vectors.h"

/* What is in the state, STARFISH_KRYLOV_STATE doubles: the number 0; the factors of the direction in steps and in the
 * next direction; the inner product of residual and preconditioned residual; the square of the norm that is wanted; 1
 * once that is reached, or once rounding errors have left no direction. */
enum starfish_krylov_scalar {
    STARFISH_KRYLOV_ZERO,
    STARFISH_KRYLOV_ALPHA,
    STARFISH_KRYLOV_BETA,
    STARFISH_KRYLOV_RHO,
    STARFISH_KRYLOV_LIMIT,
    STARFISH_KRYLOV_DONE,
    STARFISH_KRYLOV_STATE
};

/* Of an iteration, after an inner product: residual and residual, first and afterwards; residual and preconditioned
 * one; direction and A direction. */
enum starfish_krylov_stage {
    STARFISH_KRYLOV_BEGIN,
    STARFISH_KRYLOV_TEST,
    STARFISH_KRYLOV_DIRECTION,
    STARFISH_KRYLOV_STEP
};

/* state: what follows from an inner product, STARFISH_SUMS doubles that add up to it times `sign`. */
struct starfish_krylov_scalars {
    enum starfish_krylov_stage stage;
    double tolerance; /* of BEGIN: the norm that is wanted over the first one */
    double sign;
    const double *sums;
    double *state;
};
void starfish_krylov_scalars_cpu(const struct starfish_krylov_scalars *arguments);
int starfish_krylov_scalars_cuda(const struct starfish_krylov_scalars *arguments, struct CUstream_st *stream);

/* v = u + *factor * correction, arrays of nx * ny; u == NULL is zero, v may be u or the correction. Where the factor is
 * 0 the correction may be anything. 3 words per unknown. */
struct starfish_krylov_update {
    size_t nx, ny;
    const double *factor;
    const void *u, *correction;
    void *v;
};
void starfish_krylov_update_cpu_f32(const struct starfish_krylov_update *arguments);
void starfish_krylov_update_cpu_f64(const struct starfish_krylov_update *arguments);
int starfish_krylov_update_cuda_f32(const struct starfish_krylov_update *arguments, struct CUstream_st *stream);
int starfish_krylov_update_cuda_f64(const struct starfish_krylov_update *arguments, struct CUstream_st *stream);

#endif
