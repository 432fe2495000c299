/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What fails where memory is short: the allocations of our own code, of the libraries below for us (work space of
 * LAPACK, arrays and plans of FFTW), and threads. Inside the libraries nothing fails: StarPU ends the process where it
 * gets no memory (docs/reliability.md). */
#include "tests/faults/calls.h"
#include "tests/faults/kind.h"

#include <errno.h>
#include <fftw3.h>
#include <lapacke.h>
#include <pthread.h>
#include <starpu.h>
#include <stdlib.h>
#include <string.h>

/* ---- The C library ----------------------------------------------------------------------------------------------- */

/* name: of a function that returns a block, or NULL where there is none. */
#define BLOCK(name, parameters, arguments)                                                                             \
    void *__real_##name parameters;                                                                                    \
    void *__wrap_##name parameters;                                                                                    \
    void *__wrap_##name parameters                                                                                     \
    {                                                                                                                  \
        if (faults_fails(#name)) {                                                                                     \
            errno = ENOMEM;                                                                                            \
            return NULL;                                                                                               \
        }                                                                                                              \
        void *block = __real_##name arguments;                                                                         \
        faults_note(block);                                                                                            \
        return block;                                                                                                  \
    }

BLOCK(malloc, (size_t bytes), (bytes))
BLOCK(calloc, (size_t count, size_t bytes), (count, bytes))
BLOCK(aligned_alloc, (size_t alignment, size_t bytes), (alignment, bytes))

void *__real_realloc(void *block, size_t bytes);
void *__wrap_realloc(void *block, size_t bytes);
void *__wrap_realloc(void *block, size_t bytes)
{
    if (faults_fails("realloc")) {
        errno = ENOMEM;
        return NULL;
    }
    faults_forget(block);
    block = __real_realloc(block, bytes);
    faults_note(block);
    return block;
}

char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
char *__wrap_strdup(const char *text)
{
    char *copy = faults_fails("strdup") ? NULL : __real_strdup(text);
    faults_note(copy);
    return copy;
}

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *data);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *data);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *data)
{
    return faults_fails("pthread_create") ? EAGAIN : __real_pthread_create(thread, attributes, function, data);
}

/* ---- FFTW -------------------------------------------------------------------------------------------------------- */

#define FFTW_CALL(result, name, parameters, arguments)                                                                 \
    result __real_##name parameters;                                                                                   \
    result __wrap_##name parameters;                                                                                   \
    result __wrap_##name parameters                                                                                    \
    {                                                                                                                  \
        return faults_fails(#name) ? NULL : __real_##name arguments;                                                   \
    }

FFTW_CALL(double *, fftw_alloc_real, (size_t n), (n))
FFTW_CALL(float *, fftwf_alloc_real, (size_t n), (n))
FFTW_CALL(fftw_plan, fftw_plan_dft_1d, (int n, fftw_complex *in, fftw_complex *out, int sign, unsigned flags),
          (n, in, out, sign, flags))
FFTW_CALL(fftwf_plan, fftwf_plan_dft_1d, (int n, fftwf_complex *in, fftwf_complex *out, int sign, unsigned flags),
          (n, in, out, sign, flags))
FFTW_CALL(fftw_plan, fftw_plan_dft_r2c_1d, (int n, double *in, fftw_complex *out, unsigned flags), (n, in, out, flags))
FFTW_CALL(fftwf_plan, fftwf_plan_dft_r2c_1d, (int n, float *in, fftwf_complex *out, unsigned flags),
          (n, in, out, flags))

/* ---- LAPACK: what has work space --------------------------------------------------------------------------------- */

#define LAPACK_CALL(name, parameters, arguments)                                                                       \
    lapack_int __real_##name parameters;                                                                               \
    lapack_int __wrap_##name parameters;                                                                               \
    lapack_int __wrap_##name parameters                                                                                \
    {                                                                                                                  \
        return faults_fails(#name) ? LAPACK_WORK_MEMORY_ERROR : __real_##name arguments;                               \
    }

LAPACK_CALL(LAPACKE_dstevd, (int order, char job, lapack_int n, double *d, double *e, double *z, lapack_int ldz),
            (order, job, n, d, e, z, ldz))
LAPACK_CALL(LAPACKE_dsyevd, (int order, char job, char uplo, lapack_int n, double *a, lapack_int lda, double *w),
            (order, job, uplo, n, a, lda, w))
LAPACK_CALL(LAPACKE_dsbev,
            (int order, char job, char uplo, lapack_int n, lapack_int kd, double *ab, lapack_int ldab, double *w,
             double *z, lapack_int ldz),
            (order, job, uplo, n, kd, ab, ldab, w, z, ldz))
LAPACK_CALL(LAPACKE_dsbtrd,
            (int order, char vect, char uplo, lapack_int n, lapack_int kd, double *ab, lapack_int ldab, double *d,
             double *e, double *q, lapack_int ldq),
            (order, vect, uplo, n, kd, ab, ldab, d, e, q, ldq))
LAPACK_CALL(LAPACKE_dbdsqr,
            (int order, char uplo, lapack_int n, lapack_int ncvt, lapack_int nru, lapack_int ncc, double *d, double *e,
             double *vt, lapack_int ldvt, double *u, lapack_int ldu, double *c, lapack_int ldc),
            (order, uplo, n, ncvt, nru, ncc, d, e, vt, ldvt, u, ldu, c, ldc))

/* ---- The runtime's data: counted, so that what is not unregistered shows ----------------------------------------- */

#define COUNTED(more, name, parameters, arguments)                                                                     \
    void __real_##name parameters;                                                                                     \
    void __wrap_##name parameters;                                                                                     \
    void __wrap_##name parameters                                                                                      \
    {                                                                                                                  \
        faults_note_data(more);                                                                                        \
        __real_##name arguments;                                                                                       \
    }

COUNTED(1, starpu_vector_data_register,
        (starpu_data_handle_t * handle, int node, uintptr_t memory, uint32_t n, size_t size),
        (handle, node, memory, n, size))
COUNTED(1, starpu_block_data_register,
        (starpu_data_handle_t * handle, int node, uintptr_t memory, uint32_t ldy, uint32_t ldz, uint32_t nx,
         uint32_t ny, uint32_t nz, size_t size),
        (handle, node, memory, ldy, ldz, nx, ny, nz, size))
COUNTED(-1, starpu_data_unregister, (starpu_data_handle_t handle), (handle))
COUNTED(-1, starpu_data_unregister_no_coherency, (starpu_data_handle_t handle), (handle))

/* ---- The kind of calls ------------------------------------------------------------------------------------------- */

const struct starfish_context_options faults_context_options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
const int faults_needs_device = 0;
