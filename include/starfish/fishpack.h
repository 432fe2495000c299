/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FISHPACK's BLKTRI and CBLKTRI with their original arguments and error numbers. A calling program only changes the
 * function name, and replaces the work array by a handle. Fortran programs use the module starfish_fishpack in
 * fishpack.f90, beside this file.
 *
 *     an[j] x(i,j-1) + am[i] x(i-1,j) + (bn[j] + bm[i]) x(i,j) + cn[j] x(i,j+1) + cm[i] x(i+1,j) = y(i,j)
 *
 * for i = 0..m-1 and j = 0..n-1, with y(i,j) at y[i + idimy * j], in double precision. With CBLKTRI am, bm, cm and y
 * are complex.
 *
 * As in FISHPACK, a first call with iflg = 0 prepares, and calls with iflg = 1 solve. Differences:
 *   - The handle holds all state. Different threads may use different handles at once, and several threads may use one
 *     handle on different y.
 *   - All coefficients may change between calls; FISHPACK allows this for am, bm and cm. Preparation is valid for the
 *     latest set of coefficients only, and takes as long as a solve or longer. Use one handle per set if sets
 *     alternate.
 *   - If am + bm + cm and an + bn + cn are zero in all rows (all ends Neumann or periodic), the weighted mean of the
 *     right-hand side is removed, and the solution has weighted mean zero (starfish/poisson.h). Other singular systems
 *     are rejected. If am, bm or cm has an imaginary part, these systems are rejected too, but no other singularity is
 *     detected: the solution is then large or not finite.
 *   - n has no upper limit, periodic or not.
 * As in FISHPACK, m < 5 and n < 3 are rejected; starfish_separable2d_plan_create accepts them. */
#ifndef STARFISH_FISHPACK_H
#define STARFISH_FISHPACK_H

#include <starfish/context.h>
#include <starfish/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The routines of FISHPACK 4.1. */
typedef enum starfish_fishpack_routine {
    STARFISH_FISHPACK_HWSCRT,  /* nodes: Cartesian coordinates */
    STARFISH_FISHPACK_HWSPLR,  /* polar */
    STARFISH_FISHPACK_HWSCYL,  /* cylindrical */
    STARFISH_FISHPACK_HWSSSP,  /* on the surface of a sphere */
    STARFISH_FISHPACK_HSTCRT,  /* cells: the same */
    STARFISH_FISHPACK_HSTPLR,  /* polar */
    STARFISH_FISHPACK_HSTCYL,  /* cylindrical */
    STARFISH_FISHPACK_HSTSSP,  /* on the surface of a sphere */
    STARFISH_FISHPACK_HWSCSP,  /* nodes: spherical, without longitude */
    STARFISH_FISHPACK_HSTCSP,  /* cells: the same */
    STARFISH_FISHPACK_HW3CRT,  /* nodes in three dimensions */
    STARFISH_FISHPACK_POIS3D,  /* equations in three dimensions */
    STARFISH_FISHPACK_GENBUN,  /* equations with second differences in the second direction, nodes */
    STARFISH_FISHPACK_CMGNBN,  /* the same, complex */
    STARFISH_FISHPACK_POISTG,  /* the same, cells */
    STARFISH_FISHPACK_BLKTRI,  /* equations with coefficients in both directions */
    STARFISH_FISHPACK_CBLKTR,  /* the same, complex in the first one */
    STARFISH_FISHPACK_SEPELI,  /* coefficients by functions of the caller */
    STARFISH_FISHPACK_SEPX4,   /* the same, constant in the second direction */
    STARFISH_FISHPACK_ROUTINES /* how many there are */
} starfish_fishpack_routine;
/* Flags of starfish_fishpack_call. */
enum {
    STARFISH_FISHPACK_F32 = 1,    /* reals are floats; computed in f64 all the same */
    STARFISH_FISHPACK_NO_WORK = 2 /* W is neither read nor written, and may be anything */
};

/* Calls a routine with FISHPACK's arguments, each by reference, in FISHPACK's order, W included; integers are int,
 * arrays have the first index fastest and are in host memory. Programs in Fortran or C that call FISHPACK's names link
 * libstarfish_fishpack (f64) or libstarfish_fishpack_r4 (f32) in place of FISHPACK, or libstarfish_fishpack90 if they
 * call version 90, whose routines have no W (docs/fishpack.md). These libraries call this function.
 *
 * IERROR and PERTRB are FISHPACK's, with 20 for want of memory and for failures below; starfish_error_message has more.
 * If a test of arguments fails, the status is ARGUMENT and nothing but IERROR is changed. INTL and IFLG are of no
 * effect, but for BLKTRI's IFLG = 0, which does not solve.
 *
 * No call needs a plan: transforms and eigenvectors are kept from one call to the next, up to 256 MB, and
 * coefficients of the first direction may change with every call. A problem is solved in the calling thread, unless it
 * is large and comes for the second time: then StarPU starts, and all its workers solve. Large are 32,768 unknowns with
 * a GPU, 1,048,576 with four cores or more (`starfish info`), and a second direction of more than 1,024 unknowns with
 * coefficients. Variables of the environment, read once:
 *   STARFISH_FISHPACK_WORKERS   none: always the calling thread; cpu, gpu or all: who else solves
 *   STARFISH_FISHPACK_LEAST     unknowns from which on they do
 *
 * Thread-safe: any number of threads may call at once. Source: Swarztrauber and Sweet, Efficient FORTRAN Subprograms
 * for the Solution of Elliptic Partial Differential Equations, NCAR/TN-109+IA (1975). Errors: ARGUMENT,
 * NOT_SYMMETRIZABLE, MEMORY, NUMERICAL, RUNTIME. */
STARFISH_API starfish_status starfish_fishpack_call(starfish_fishpack_routine routine, int flags,
                                                    void *const *arguments);

/* Values of ierror: those of FISHPACK (MEMORY since its version 5), and three added by Starfish. After MEMORY and
 * RUNTIME the contents of y are undefined; after all other errors y is unchanged. */
typedef enum starfish_blktri_error {
    STARFISH_BLKTRI_SOLVED = 0,       /* no error */
    STARFISH_BLKTRI_M = 1,            /* m < 5 */
    STARFISH_BLKTRI_N = 2,            /* n < 3 */
    STARFISH_BLKTRI_IDIMY = 3,        /* idimy < m */
    STARFISH_BLKTRI_COEFFICIENTS = 4, /* an, bn, cn have no computable real roots: check these arrays */
    STARFISH_BLKTRI_SIGN = 5,         /* an[j] * cn[j-1] < 0 for some j */
    STARFISH_BLKTRI_MEMORY = 20,      /* host or device memory ran out */
    STARFISH_BLKTRI_SINGULAR = 21,    /* eigenvalues of both directions cancel: there is no unique solution */
    STARFISH_BLKTRI_ARGUMENT = 22,    /* NULL, not prepared, or am, bm, cm not finite */
    STARFISH_BLKTRI_RUNTIME = 23      /* StarPU, CUDA or another library below failed */
} starfish_blktri_error;

/* Handle that replaces the work array W. Set it to zeros before its first call. Set `context` to choose the workers;
 * handles may share one. If it is NULL, the handle creates a context with all workers. All contexts share one StarPU,
 * which starts with the first context and stops with the last. */
typedef struct starfish_blktri_work {
    starfish_context *context;           /* owned by the caller; must outlive the handle; read by the first call only */
    struct starfish_blktri_state *state; /* owned by the library; NULL before the first call */
} starfish_blktri_work;
/* Initialiser of a handle: no context, nothing prepared. */
#define STARFISH_BLKTRI_WORK_INIT                                                                                      \
    {                                                                                                                  \
        NULL, NULL                                                                                                     \
    }

/* Prepares or solves in real numbers. The arguments:
 *   - iflg: 0 prepares for these coefficients and ignores y; only one thread may use the handle then. am, bm and cm
 *     may be NULL or undefined: then the first solve prepares. Any other value solves.
 *   - np: 0 is periodic in j: an[0] couples to row n-1, and cn[n-1] to row 0. Any other value is not periodic: both are
 *     taken as zero.
 *   - mp: likewise for i, am[0] and cm[m-1].
 *   - an, bn, cn: n values each; am, bm, cm: m values each. The handle keeps no pointers to them.
 *   - idimy: at least m; rows i >= m of y are ignored.
 *   - y: right-hand side on entry, solution on return; host memory.
 *   - ierror: receives a starfish_blktri_error. The returned status expresses the same error; see also
 *     starfish_error_message(). */
STARFISH_API starfish_status starfish_blktri(int iflg, int np, int n, const double *an, const double *bn,
                                             const double *cn, int mp, int m, const double *am, const double *bm,
                                             const double *cm, int idimy, double *y, int *ierror,
                                             starfish_blktri_work *work);

/* As starfish_blktri, with complex am, bm, cm and y: pairs (real part, imaginary part); m and idimy count pairs. Pass
 * arrays of double _Complex or std::complex<double>, cast to double *. A handle may be used with both functions in
 * turn. */
STARFISH_API starfish_status starfish_cblktri(int iflg, int np, int n, const double *an, const double *bn,
                                              const double *cn, int mp, int m, const double *am, const double *bm,
                                              const double *cm, int idimy, double *y, int *ierror,
                                              starfish_blktri_work *work);

/* Frees what the handle owns and resets it to its state before the first call; `context` is kept. It replaces
 * FISHPACK's FISHFIN. NULL is allowed. */
STARFISH_API void starfish_blktri_free(starfish_blktri_work *work);

#ifdef __cplusplus
}
#endif

#endif
