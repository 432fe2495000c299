/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plain conjugate gradients by cuSPARSE and cuBLAS, scalars on the host (peer_cg.h). Bound by memory, and by the waits
 * for two sums per step. */
#include "bench/peer_cg.h"

#include "bench/clock.h"

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cusparse.h>
#include <math.h>

enum { START, COLUMN, VALUE, RHS, X, R, P, Q, ARRAYS };

struct solver {
    int n;
    cusparseHandle_t sparse;
    cublasHandle_t dense;
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t p, q;
    void *array[ARRAYS], *buffer;
};

static int upload(struct solver *s, int which, const void *from, size_t bytes)
{
    return cudaMalloc(&s->array[which], bytes) == cudaSuccess &&
           (!from || cudaMemcpy(s->array[which], from, bytes, cudaMemcpyHostToDevice) == cudaSuccess);
}

static int upload_all(const struct peer_cg *c, struct solver *s)
{
    const size_t n = (size_t)c->n, entries = (size_t)c->start[n];
    int good = upload(s, START, c->start, (n + 1) * sizeof(int)) &&
               upload(s, COLUMN, c->column, entries * sizeof(int)) &&
               upload(s, VALUE, c->value, entries * sizeof(double)) && upload(s, RHS, c->rhs, n * sizeof(double));

    for (int a = X; a < ARRAYS; a++)
        good = good && upload(s, a, NULL, n * sizeof(double));
    return good;
}

static int prepare(const struct peer_cg *c, struct solver *s)
{
    const double one = 1, zero = 0;
    size_t bytes = 0;

    s->n = c->n;
    return upload_all(c, s) && cusparseCreate(&s->sparse) == CUSPARSE_STATUS_SUCCESS &&
           cublasCreate(&s->dense) == CUBLAS_STATUS_SUCCESS &&
           cusparseCreateCsr(&s->matrix, c->n, c->n, c->start[c->n], s->array[START], s->array[COLUMN], s->array[VALUE],
                             CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                             CUDA_R_64F) == CUSPARSE_STATUS_SUCCESS &&
           cusparseCreateDnVec(&s->p, c->n, s->array[P], CUDA_R_64F) == CUSPARSE_STATUS_SUCCESS &&
           cusparseCreateDnVec(&s->q, c->n, s->array[Q], CUDA_R_64F) == CUSPARSE_STATUS_SUCCESS &&
           cusparseSpMV_bufferSize(s->sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, s->matrix, s->p, &zero, s->q,
                                   CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes) == CUSPARSE_STATUS_SUCCESS &&
           cudaMalloc(&s->buffer, bytes + 1) == cudaSuccess;
}

static double product(const struct solver *s, int u, int v)
{
    double result = (double)NAN;

    cublasDdot(s->dense, s->n, s->array[u], 1, s->array[v], 1, &result);
    return result;
}

static void add(const struct solver *s, double factor, int from, int to)
{
    cublasDaxpy(s->dense, s->n, &factor, s->array[from], 1, s->array[to], 1);
}

/* Returns the iterations, or 0. */
static int solve(const struct peer_cg *c, const struct solver *s)
{
    const double one = 1, zero = 0;
    const size_t bytes = (size_t)s->n * sizeof(double);

    cudaMemset(s->array[X], 0, bytes);
    cudaMemcpy(s->array[R], s->array[RHS], bytes, cudaMemcpyDeviceToDevice);
    cudaMemcpy(s->array[P], s->array[RHS], bytes, cudaMemcpyDeviceToDevice);
    double rr = product(s, R, R);
    const double wanted = c->tolerance * c->tolerance * rr;
    for (int i = 1; i <= c->most; i++) {
        if (cusparseSpMV(s->sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, s->matrix, s->p, &zero, s->q, CUDA_R_64F,
                         CUSPARSE_SPMV_ALG_DEFAULT, s->buffer) != CUSPARSE_STATUS_SUCCESS)
            return 0;
        const double alpha = rr / product(s, P, Q), before = rr;
        add(s, alpha, P, X);
        add(s, -alpha, Q, R);
        rr = product(s, R, R);
        if (!(rr > wanted))
            return rr <= wanted ? i : 0;
        const double beta = rr / before;
        cublasDscal(s->dense, s->n, &beta, s->array[P], 1);
        add(s, 1, R, P);
    }
    return 0;
}

static void destroy(struct solver *s)
{
    if (s->p)
        cusparseDestroyDnVec(s->p);
    if (s->q)
        cusparseDestroyDnVec(s->q);
    if (s->matrix)
        cusparseDestroySpMat(s->matrix);
    if (s->sparse)
        cusparseDestroy(s->sparse);
    if (s->dense)
        cublasDestroy(s->dense);
    for (int a = 0; a < ARRAYS; a++)
        cudaFree(s->array[a]);
    cudaFree(s->buffer);
    cudaGetLastError(); /* clears the error */
}

int peer_cusparse_cg(const struct peer_cg *problem, int repeat, double *seconds, int *iterations)
{
    struct solver s = {0};
    int good = prepare(problem, &s) && solve(problem, &s) > 0; /* once to warm up */

    for (int r = 0; r < repeat && good; r++) {
        cudaDeviceSynchronize();
        const double start = clock_now();
        *iterations = solve(problem, &s);
        cudaDeviceSynchronize();
        seconds[r] = clock_now() - start;
        good = *iterations > 0;
    }
    destroy(&s);
    return good;
}
