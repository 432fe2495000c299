/* Peer: passes over memory. */
#include "bench/peers.h"

#include <hwloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COPIES = 5, MOST_THREADS = 256 };

struct share {
    char *to;
    const char *from;
    size_t bytes;
};

static void *copy_share(void *data)
{
    const struct share *share = data;
    memcpy(share->to, share->from, share->bytes);
    return NULL;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): written through the shares */
static void copy_with_threads(char *to, const char *from, size_t bytes, size_t threads)
{
    pthread_t thread[MOST_THREADS];
    struct share share[MOST_THREADS];
    for (size_t t = 0; t < threads; t++) {
        const size_t begin = bytes / threads * t, end = t + 1 == threads ? bytes : bytes / threads * (t + 1);
        share[t] = (struct share){to + begin, from + begin, end - begin};
        if (pthread_create(&thread[t], NULL, copy_share, &share[t]) != 0) {
            copy_share(&share[t]);
            thread[t] = pthread_self();
        }
    }
    for (size_t t = 0; t < threads; t++)
        if (!pthread_equal(thread[t], pthread_self()))
            pthread_join(thread[t], NULL);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static size_t cores(void)
{
    hwloc_topology_t topology;
    int count = 0;
    if (hwloc_topology_init(&topology) == 0) {
        if (hwloc_topology_load(topology) == 0)
            count = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
        hwloc_topology_destroy(topology);
    }
    return count < 1 ? 1 : count > MOST_THREADS ? MOST_THREADS : (size_t)count;
}

int peer_stream_passes(size_t bytes, int repeat, double *seconds)
{
    char *a = malloc(bytes), *b = malloc(bytes);
    const size_t threads = cores();
    if (a && b) {
        memset(a, 1, bytes);
        memset(b, 2, bytes);
        for (int r = 0; r < repeat; r++) {
            const double start = now();
            for (int copy = 0; copy < COPIES; copy++)
                copy_with_threads(copy % 2 ? a : b, copy % 2 ? b : a, bytes, threads);
            seconds[r] = now() - start;
        }
    }
    const int ran = a && b;
    free(a);
    free(b);
    return ran;
}
