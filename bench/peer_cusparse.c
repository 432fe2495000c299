/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cuSPARSE's tridiagonal solvers, and launches of our own kernels, timed with CUDA's events. */
#include "base/real.h"
#include "bench/clock.h"
#include "bench/peer_lines.h"
#include "bench/peers.h"

#include <cuda_runtime_api.h>
#include <cusparse.h>
#include <string.h>

enum { WARM_UP = 2, MOST_LINES_OF_A_CALL = 1 << 30 };

static int good(cudaError_t error)
{
    if (error != cudaSuccess)
        cudaGetLastError(); /* clears the error */
    return error == cudaSuccess;
}

/* ---- Timing ----------------------------------------------------------------------------------------------------- */

struct timing {
    int (*restore)(void *data); /* not measured; may be NULL */
    int (*run)(void *data, struct CUstream_st *stream);
    void *data;
    int at_once;
};

static int time_once(const struct timing *t, cudaEvent_t start, cudaEvent_t stop, double *seconds)
{
    float milliseconds = 0;
    int ok = (!t->restore || t->restore(t->data)) && good(cudaEventRecord(start, NULL));

    for (int i = 0; i < t->at_once && ok; i++)
        ok = good((cudaError_t)t->run(t->data, NULL));
    ok = ok && good(cudaEventRecord(stop, NULL)) && good(cudaEventSynchronize(stop)) &&
         good(cudaEventElapsedTime(&milliseconds, start, stop));
    *seconds = 1e-3 * (double)milliseconds / t->at_once;
    return ok;
}

static int time_often(const struct timing *t, int repeat, double *seconds)
{
    const double begin = clock_now();
    cudaEvent_t start = NULL, stop = NULL;
    int measured = 0, ok = good(cudaEventCreate(&start)) && good(cudaEventCreate(&stop));

    for (int r = 0; r < WARM_UP && ok; r++)
        ok = time_once(t, start, stop, seconds);
    while (ok && !peer_lines_enough(measured, repeat, begin))
        ok = time_once(t, start, stop, &seconds[measured++]);
    if (start)
        cudaEventDestroy(start);
    if (stop)
        cudaEventDestroy(stop);
    return ok ? measured : 0;
}

int peer_device_time(int (*launch)(void *data, struct CUstream_st *stream), void *data, int at_once, int repeat,
                     double *seconds)
{
    const struct timing timing = {.run = launch, .data = data, .at_once = at_once};
    return time_often(&timing, repeat, seconds);
}

int peer_device_read(void *host, const void *device, size_t count, size_t stride, size_t size)
{
    return stride == 1
               ? good(cudaMemcpy(host, device, count * size, cudaMemcpyDeviceToHost))
               : good(cudaMemcpy2D(host, stride * size, device, stride * size, size, count, cudaMemcpyDeviceToHost));
}

int peer_device_set(void *device, int byte, size_t bytes)
{
    return good(cudaMemset(device, byte, bytes));
}

/* ---- cuSPARSE --------------------------------------------------------------------------------------------------- */

struct solver {
    const struct peer_lines *lines;
    cusparseHandle_t handle;
    int pivot;
    void *lower, *diag, *upper; /* copies where they are overwritten, else the caller's */
    void *buffer;
    size_t bytes; /* of one array */
};

static int restore(void *data)
{
    struct solver *s = data;
    const struct peer_lines *p = s->lines;
    int ok = good(cudaMemcpy(p->solution, p->rhs, s->bytes, cudaMemcpyDeviceToDevice));

    if (p->interleaved)
        ok = ok && good(cudaMemcpy(s->lower, p->lower, s->bytes, cudaMemcpyDeviceToDevice)) &&
             good(cudaMemcpy(s->diag, p->diag, s->bytes, cudaMemcpyDeviceToDevice)) &&
             good(cudaMemcpy(s->upper, p->upper, s->bytes, cudaMemcpyDeviceToDevice));
    return ok && good(cudaDeviceSynchronize());
}

/* The functions differ by one letter in the two precisions. */
#define BY_PRECISION(f32, f64, ...) (p->precision == STARFISH_F32 ? f32(__VA_ARGS__) : f64(__VA_ARGS__))

static cusparseStatus_t run_batch(struct solver *s)
{
    const struct peer_lines *p = s->lines;
    const int n = (int)p->n, lines = (int)p->lines;

    if (p->interleaved)
        return BY_PRECISION(cusparseSgtsvInterleavedBatch, cusparseDgtsvInterleavedBatch, s->handle, 0, n, s->lower,
                            s->diag, s->upper, p->solution, lines, s->buffer);
    return BY_PRECISION(cusparseSgtsv2StridedBatch, cusparseDgtsv2StridedBatch, s->handle, n, s->lower, s->diag,
                        s->upper, p->solution, lines, n, s->buffer);
}

static cusparseStatus_t run_line(struct solver *s)
{
    const struct peer_lines *p = s->lines;
    const int n = (int)p->n;

    if (s->pivot)
        return BY_PRECISION(cusparseSgtsv2, cusparseDgtsv2, s->handle, n, 1, s->lower, s->diag, s->upper, p->solution,
                            n, s->buffer);
    return BY_PRECISION(cusparseSgtsv2_nopivot, cusparseDgtsv2_nopivot, s->handle, n, 1, s->lower, s->diag, s->upper,
                        p->solution, n, s->buffer);
}

static cusparseStatus_t buffer_size(struct solver *s, int batch, size_t *bytes)
{
    const struct peer_lines *p = s->lines;
    const int n = (int)p->n, lines = (int)p->lines;

    if (batch && p->interleaved)
        return BY_PRECISION(cusparseSgtsvInterleavedBatch_bufferSizeExt, cusparseDgtsvInterleavedBatch_bufferSizeExt,
                            s->handle, 0, n, s->lower, s->diag, s->upper, p->solution, lines, bytes);
    if (batch)
        return BY_PRECISION(cusparseSgtsv2StridedBatch_bufferSizeExt, cusparseDgtsv2StridedBatch_bufferSizeExt,
                            s->handle, n, s->lower, s->diag, s->upper, p->solution, lines, n, bytes);
    if (s->pivot)
        return BY_PRECISION(cusparseSgtsv2_bufferSizeExt, cusparseDgtsv2_bufferSizeExt, s->handle, n, 1, s->lower,
                            s->diag, s->upper, p->solution, n, bytes);
    return BY_PRECISION(cusparseSgtsv2_nopivot_bufferSizeExt, cusparseDgtsv2_nopivot_bufferSizeExt, s->handle, n, 1,
                        s->lower, s->diag, s->upper, p->solution, n, bytes);
}

static int launch_batch(void *data, struct CUstream_st *stream)
{
    (void)stream;
    return run_batch(data) == CUSPARSE_STATUS_SUCCESS ? cudaSuccess : cudaErrorUnknown;
}

static int launch_line(void *data, struct CUstream_st *stream)
{
    (void)stream;
    return run_line(data) == CUSPARSE_STATUS_SUCCESS ? cudaSuccess : cudaErrorUnknown;
}

/* The caller's coefficients are never written by the functions that get them without a copy. */
static int take_coefficients(struct solver *s)
{
    const struct peer_lines *p = s->lines;

    if (!p->interleaved) {
        memcpy(&s->lower, &p->lower, sizeof s->lower);
        memcpy(&s->diag, &p->diag, sizeof s->diag);
        memcpy(&s->upper, &p->upper, sizeof s->upper);
        return 1;
    }
    s->lower = peer_device_alloc(s->bytes);
    s->diag = peer_device_alloc(s->bytes);
    s->upper = peer_device_alloc(s->bytes);
    return s->lower && s->diag && s->upper;
}

static void release(struct solver *s)
{
    if (s->lines->interleaved) {
        peer_device_free(s->lower);
        peer_device_free(s->diag);
        peer_device_free(s->upper);
    }
    peer_device_free(s->buffer);
    if (s->handle)
        cusparseDestroy(s->handle);
}

/* `at_once`: launches of a batch in a row; 0: one of a line. */
static int measure(struct solver *s, int at_once, int repeat, double *seconds)
{
    size_t bytes = 0;
    double last;
    const int batch = at_once > 0;
    const struct timing timing = {restore, batch ? launch_batch : launch_line, s, batch ? at_once : 1};
    const struct timing once = {restore, timing.run, s, 1};
    int ok = s->lines->n * s->lines->lines < MOST_LINES_OF_A_CALL && take_coefficients(s) &&
             cusparseCreate(&s->handle) == CUSPARSE_STATUS_SUCCESS &&
             buffer_size(s, batch, &bytes) == CUSPARSE_STATUS_SUCCESS;

    if (ok)
        s->buffer = peer_device_alloc(bytes > 0 ? bytes : 1);
    int measured = ok && s->buffer ? time_often(&timing, repeat, seconds) : 0;
    if (at_once > 1 && measured > 0 && !time_often(&once, 1, &last))
        measured = 0;
    release(s);
    return measured;
}

int peer_cusparse_batch(const struct peer_lines *lines, int at_once, int repeat, double *seconds)
{
    struct solver solver = {.lines = lines, .bytes = lines->n * lines->lines * starfish_real_size(lines->precision)};
    return measure(&solver, at_once, repeat, seconds);
}

int peer_cusparse_line(const struct peer_lines *line, int pivot, int repeat, double *seconds)
{
    struct solver solver = {.lines = line, .pivot = pivot, .bytes = line->n * starfish_real_size(line->precision)};
    return line->lines == 1 && !line->interleaved ? measure(&solver, 0, repeat, seconds) : 0;
}
