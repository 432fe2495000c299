/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The peers on the GPU in a build without CUDA: none can be run. */
#include "bench/peer_cg.h"
#include "bench/peer_lines.h"
#include "bench/peer_spmv.h"
#include "bench/peers.h"

/* NOLINTBEGIN(readability-non-const-parameter): the others write there. */

int peer_cufft_periodic(const size_t n[3], starfish_precision precision, peer_cufft_way way, const void *f, void *u,
                        int repeat, double *seconds)
{
    (void)n, (void)precision, (void)way, (void)f, (void)u, (void)repeat, (void)seconds;
    return 0;
}

int peer_device_copy(size_t bytes, int repeat, double *seconds)
{
    (void)bytes, (void)repeat, (void)seconds;
    return 0;
}

int peer_link_copy(size_t bytes, peer_link way, int repeat, double *seconds)
{
    (void)bytes, (void)way, (void)repeat, (void)seconds;
    return 0;
}

void *peer_device_alloc(size_t bytes)
{
    (void)bytes;
    return NULL;
}

void peer_device_free(void *memory)
{
    (void)memory;
}

int peer_device_write(void *device, const void *host, size_t bytes)
{
    (void)device, (void)host, (void)bytes;
    return 0;
}

int peer_cusparse_batch(const struct peer_lines *lines, int at_once, int repeat, double *seconds)
{
    (void)lines, (void)at_once, (void)repeat, (void)seconds;
    return 0;
}

int peer_cusparse_line(const struct peer_lines *line, int pivot, int repeat, double *seconds)
{
    (void)line, (void)pivot, (void)repeat, (void)seconds;
    return 0;
}

int peer_device_time(int (*launch)(void *data, struct CUstream_st *stream), void *data, int at_once, int repeat,
                     double *seconds)
{
    (void)launch, (void)data, (void)at_once, (void)repeat, (void)seconds;
    return 0;
}

int peer_device_set(void *device, int byte, size_t bytes)
{
    (void)device, (void)byte, (void)bytes;
    return 0;
}

int peer_device_read(void *host, const void *device, size_t count, size_t stride, size_t size)
{
    (void)host, (void)device, (void)count, (void)stride, (void)size;
    return 0;
}

int peer_cusparse_cg(const struct peer_cg *problem, int repeat, double *seconds, int *iterations)
{
    (void)problem, (void)repeat, (void)seconds, (void)iterations;
    return 0;
}

int peer_cusparse_spmv(const struct peer_spmv *spmv, int at_once, int repeat, double *seconds)
{
    (void)spmv, (void)at_once, (void)repeat, (void)seconds;
    return 0;
}

/* NOLINTEND(readability-non-const-parameter) */
