/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FISHPACK's BLKTRI and CBLKTRI by their own arguments and error numbers: a program that calls it changes the name, and
 * the work array for a handle. Fortran programs use the module starfish_fishpack, in fishpack.f90 beside this file.
 *
 *     an[j] x(i,j-1) + am[i] x(i-1,j) + (bn[j] + bm[i]) x(i,j) + cn[j] x(i,j+1) + cm[i] x(i+1,j) = y(i,j)
 *
 * for i = 0..m-1 and j = 0..n-1, with y(i,j) at y[i + idimy * j], in double precision; with CBLKTRI am, bm, cm and y
 * are complex.
 *
 * As in FISHPACK: a first call with iflg = 0 prepares, calls with iflg = 1 solve. What differs:
 *   - Everything is kept in the handle: handles may be used from different threads at once, and one handle from several
 *     threads on different y.
 *   - am, bm and cm may differ from one call to the next, as there, and so may all other coefficients. But what is
 *     prepared holds for one set of coefficients, the last one, and preparing takes as long as a solve or longer: where
 *     sets take turns, use a handle for each.
 *   - Where am + bm + cm and an + bn + cn are zero in all rows, as when every end is Neumann or periodic, the weighted
 *     mean is taken off the right-hand side, and the solution has weighted mean zero (starfish/poisson.h). Other
 *     singular systems are refused; so are those where am, bm or cm has an imaginary part, and what else makes these
 *     singular is not searched for: their solutions are not finite then, or large.
 *   - n has no largest value, periodic or not.
 * m < 5 and n < 3 are refused, as there: starfish_separable2d_plan_create solves those too. */
#ifndef STARFISH_FISHPACK_H
#define STARFISH_FISHPACK_H

#include <starfish/context.h>
#include <starfish/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Values of ierror: FISHPACK's, MEMORY as from its version 5 on, and three of ours. After MEMORY and RUNTIME the
 * contents of y are undefined; after all others they are what they were. */
typedef enum starfish_blktri_error {
    STARFISH_BLKTRI_SOLVED = 0,       /* no error */
    STARFISH_BLKTRI_M = 1,            /* m < 5 */
    STARFISH_BLKTRI_N = 2,            /* n < 3 */
    STARFISH_BLKTRI_IDIMY = 3,        /* idimy < m */
    STARFISH_BLKTRI_COEFFICIENTS = 4, /* no real roots can be computed from an, bn, cn: check these arrays */
    STARFISH_BLKTRI_SIGN = 5,         /* an[j] * cn[j-1] < 0 for some j */
    STARFISH_BLKTRI_MEMORY = 20,      /* host or device memory ran out */
    STARFISH_BLKTRI_SINGULAR = 21,    /* sums of eigenvalues of both directions cancel: there is no unique solution */
    STARFISH_BLKTRI_ARGUMENT = 22,    /* NULL, not prepared, or am, bm, cm not finite */
    STARFISH_BLKTRI_RUNTIME = 23      /* StarPU, CUDA or another library below failed */
} starfish_blktri_error;

/* In the place of the work array W. Set it to zeros before its first call. `context` may then be set to the workers
 * that shall solve, shared with other handles; left NULL, the handle makes a context of its own, with every worker
 * there is. All contexts share one StarPU, which starts with the first and stops with the last. */
typedef struct starfish_blktri_work {
    starfish_context *context; /* the caller's, and must outlive the handle; looked at by the first call only */
    struct starfish_blktri_state *state; /* the library's; NULL before the first call */
} starfish_blktri_work;
/* Initialiser of a handle: no context, nothing prepared. */
#define STARFISH_BLKTRI_WORK_INIT                                                                                      \
    {                                                                                                                  \
        NULL, NULL                                                                                                     \
    }

/* Prepares or solves in real numbers. The arguments:
 *   - iflg: 0 prepares for these coefficients; y is not looked at. One thread, while no other uses the handle. am, bm
 *     and cm may be NULL or not set yet: then the first solve prepares. Any other number solves.
 *   - np: 0 is periodic in j, an[0] couples to row n-1 and cn[n-1] to row 0. Any other number is not periodic, and the
 *     two are taken as zero.
 *   - mp: likewise for i, am[0] and cm[m-1].
 *   - an, bn, cn: n values each; am, bm, cm: m values each; not kept.
 *   - idimy: at least m; rows i >= m of y are not looked at.
 *   - y: right-hand side in, solution out; host memory.
 *   - ierror: receives a starfish_blktri_error; the status returned is the same in other words, and
 *     starfish_error_message() says more. */
STARFISH_API starfish_status starfish_blktri(int iflg, int np, int n, const double *an, const double *bn,
                                             const double *cn, int mp, int m, const double *am, const double *bm,
                                             const double *cm, int idimy, double *y, int *ierror,
                                             starfish_blktri_work *work);

/* starfish_blktri with am, bm, cm and y complex: pairs (real part, imaginary part), m and idimy counted in pairs; an
 * array of double _Complex or std::complex<double>, cast to double *. Handles are of the same kind, and one may serve
 * both functions in turn. */
STARFISH_API starfish_status starfish_cblktri(int iflg, int np, int n, const double *an, const double *bn,
                                              const double *cn, int mp, int m, const double *am, const double *bm,
                                              const double *cm, int idimy, double *y, int *ierror,
                                              starfish_blktri_work *work);

/* Give back what the handle holds, and leave it as it was before its first call, its `context` kept; FISHPACK's
 * FISHFIN. NULL is allowed. */
STARFISH_API void starfish_blktri_free(starfish_blktri_work *work);

#ifdef __cplusplus
}
#endif

#endif
