/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits on the GPU: copies in its memory and over its link, timed with CUDA's events; and memory on it. */
#include "bench/peers.h"

#include <cuda_runtime_api.h>
#include <string.h>

enum { WARM_UP = 2 };

/* What a copy works with: two streams of which the second's work lies between the first's events. */
struct lane {
    char *a, *b;
    enum cudaMemcpyKind kind;
};
struct copies {
    struct lane lane[2]; /* of the second stream, too, when b is not NULL */
    cudaStream_t stream[2];
    cudaEvent_t start, stop, joined;
    size_t bytes;
};

/* A reported error is cleared, so that later calls of cudaGetLastError do not return it. */
static int good(cudaError_t error)
{
    if (error != cudaSuccess)
        cudaGetLastError();
    return error == cudaSuccess;
}

static int copy_once(const struct copies *c, double *seconds)
{
    float milliseconds = 0;
    int ok = good(cudaEventRecord(c->start, c->stream[0])) && good(cudaStreamWaitEvent(c->stream[1], c->start, 0));
    for (int i = 0; i < 2 && ok; i++)
        if (c->lane[i].b)
            ok = good(cudaMemcpyAsync(c->lane[i].b, c->lane[i].a, c->bytes, c->lane[i].kind, c->stream[i]));
    ok = ok && good(cudaEventRecord(c->joined, c->stream[1])) &&
         good(cudaStreamWaitEvent(c->stream[0], c->joined, 0)) && good(cudaEventRecord(c->stop, c->stream[0])) &&
         good(cudaEventSynchronize(c->stop)) && good(cudaEventElapsedTime(&milliseconds, c->start, c->stop));
    *seconds = 1e-3 * (double)milliseconds;
    return ok;
}

static int measure(struct copies *c, int repeat, double *seconds)
{
    int ok = good(cudaStreamCreate(&c->stream[0])) && good(cudaStreamCreate(&c->stream[1])) &&
             good(cudaEventCreate(&c->start)) && good(cudaEventCreate(&c->stop)) &&
             good(cudaEventCreateWithFlags(&c->joined, cudaEventDisableTiming));
    for (int r = -WARM_UP; r < repeat && ok; r++)
        ok = copy_once(c, &seconds[r < 0 ? 0 : r]);
    cudaEvent_t events[] = {c->start, c->stop, c->joined};
    for (int i = 0; i < 3; i++)
        if (events[i])
            cudaEventDestroy(events[i]);
    for (int i = 0; i < 2; i++)
        if (c->stream[i])
            cudaStreamDestroy(c->stream[i]);
    return ok;
}

int peer_device_copy(size_t bytes, int repeat, double *seconds)
{
    char *a = peer_device_alloc(bytes), *b = peer_device_alloc(bytes);
    struct copies copies = {.lane = {{a, b, cudaMemcpyDeviceToDevice}}, .bytes = bytes};
    int ran = a && b && good(cudaMemset(a, 1, bytes)) && measure(&copies, repeat, seconds);
    peer_device_free(a);
    peer_device_free(b);
    return ran;
}

int peer_link_copy(size_t bytes, peer_link way, int repeat, double *seconds)
{
    char *device[2] = {peer_device_alloc(bytes), peer_device_alloc(bytes)}, *host[2] = {NULL, NULL};
    int ran = device[0] && device[1] && good(cudaMallocHost((void **)&host[0], bytes)) &&
              good(cudaMallocHost((void **)&host[1], bytes)) && good(cudaMemset(device[1], 1, bytes));
    if (ran) {
        const struct lane up = {host[0], device[0], cudaMemcpyHostToDevice};
        const struct lane down = {device[1], host[1], cudaMemcpyDeviceToHost};
        struct copies copies = {.lane = {way == PEER_DOWN ? down : up}, .bytes = bytes};
        if (way == PEER_BOTH)
            copies.lane[1] = down;
        memset(host[0], 1, bytes);
        ran = measure(&copies, repeat, seconds);
    }
    for (int i = 0; i < 2; i++) {
        peer_device_free(device[i]);
        cudaFreeHost(host[i]);
    }
    return ran;
}

void *peer_device_alloc(size_t bytes)
{
    void *memory = NULL;
    return good(cudaMalloc(&memory, bytes)) ? memory : NULL;
}

void peer_device_free(void *memory)
{
    cudaFree(memory);
}

int peer_device_write(void *device, const void *host, size_t bytes)
{
    return good(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
}
