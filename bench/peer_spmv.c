/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cuSPARSE's products with sparse matrices (peer_spmv.h), in CSR and sliced ELLPACK, timed with CUDA's events. Bound by
 * memory. */
#include "bench/peer_spmv.h"

#include "bench/peer_lines.h"

#include <cuda_runtime_api.h>
#include <cusparse.h>

struct product {
    cusparseHandle_t handle;
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t x, y;
    cudaDataType type;
    void *buffer;
};

static int create_matrix(const struct peer_spmv *p, struct product *s)
{
    void *start = (void *)(size_t)p->start, *column = (void *)(size_t)p->column, *value = (void *)(size_t)p->value;
    const int64_t n = (int64_t)p->n, entries = (int64_t)p->entries;
    const cusparseIndexType_t index = CUSPARSE_INDEX_32I;

    if (p->slice == 0)
        return cusparseCreateCsr(&s->matrix, n, n, entries, start, column, value, index, index,
                                 CUSPARSE_INDEX_BASE_ZERO, s->type) == CUSPARSE_STATUS_SUCCESS;
    return cusparseCreateSlicedEll(&s->matrix, n, n, entries, (int64_t)p->stored, (int64_t)p->slice, start, column,
                                   value, index, index, CUSPARSE_INDEX_BASE_ZERO, s->type) == CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t run(const struct product *s)
{
    const double one = 1, zero = 0;
    const float one_f32 = 1, zero_f32 = 0;
    const int is_f32 = s->type == CUDA_R_32F;

    return cusparseSpMV(s->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, is_f32 ? (const void *)&one_f32 : &one, s->matrix,
                        s->x, is_f32 ? (const void *)&zero_f32 : &zero, s->y, s->type, CUSPARSE_SPMV_ALG_DEFAULT,
                        s->buffer);
}

static int prepare(const struct peer_spmv *p, struct product *s)
{
    const double one = 1, zero = 0;
    size_t bytes = 0;

    s->type = p->precision == STARFISH_F32 ? CUDA_R_32F : CUDA_R_64F;
    return cusparseCreate(&s->handle) == CUSPARSE_STATUS_SUCCESS && create_matrix(p, s) &&
           cusparseCreateDnVec(&s->x, (int64_t)p->n, (void *)(size_t)p->x, s->type) == CUSPARSE_STATUS_SUCCESS &&
           cusparseCreateDnVec(&s->y, (int64_t)p->n, p->y, s->type) == CUSPARSE_STATUS_SUCCESS &&
           cusparseSpMV_bufferSize(s->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, s->matrix, s->x, &zero, s->y,
                                   s->type, CUSPARSE_SPMV_ALG_DEFAULT, &bytes) == CUSPARSE_STATUS_SUCCESS &&
           cudaMalloc(&s->buffer, bytes + 1) == cudaSuccess;
}

static int launch(void *data, struct CUstream_st *stream)
{
    (void)stream;
    return run(data) == CUSPARSE_STATUS_SUCCESS ? 0 : (int)cudaErrorUnknown;
}

int peer_cusparse_spmv(const struct peer_spmv *spmv, int at_once, int repeat, double *seconds)
{
    struct product s = {0};
    const int measured = prepare(spmv, &s) ? peer_device_time(launch, &s, at_once, repeat, seconds) : 0;

    if (s.x)
        cusparseDestroyDnVec(s.x);
    if (s.y)
        cusparseDestroyDnVec(s.y);
    if (s.matrix)
        cusparseDestroySpMat(s.matrix);
    if (s.handle)
        cusparseDestroy(s.handle);
    cudaFree(s.buffer);
    cudaGetLastError(); /* clears the error */
    return measured;
}
