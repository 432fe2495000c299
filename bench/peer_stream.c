/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Peer: passes over memory. All cores copy arrays in pieces; the rate bounds whatever reads and writes main memory. */
#include "bench/clock.h"
#include "bench/peers.h"

#include <hwloc.h>
#include <stdlib.h>
#include <string.h>

enum { COPIES = 5, PIECES_PER_CORE = 4 };

/* A process may be bound to some of the cores. */
static void restrict_to_process(hwloc_topology_t topology)
{
    hwloc_bitmap_t bound = hwloc_bitmap_alloc();
    if (bound && hwloc_get_cpubind(topology, bound, HWLOC_CPUBIND_PROCESS) == 0)
        hwloc_topology_restrict(topology, bound, 0);
    hwloc_bitmap_free(bound);
}

int peer_cores(void)
{
    hwloc_topology_t topology;
    int count = 0;
    if (hwloc_topology_init(&topology) == 0) {
        if (hwloc_topology_load(topology) == 0) {
            restrict_to_process(topology);
            count = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
        }
        hwloc_topology_destroy(topology);
    }
    return count < 1 ? 1 : count;
}

/* In pieces, so that a core that is late holds up no other. */
static void copy(char *to, const char *from, size_t bytes, int cores)
{
    const size_t pieces = (size_t)cores * PIECES_PER_CORE;
#pragma omp parallel for num_threads(cores) schedule(static)
    for (size_t p = 0; p < pieces; p++) {
        const size_t begin = bytes / pieces * p, end = p + 1 == pieces ? bytes : bytes / pieces * (p + 1);
        memcpy(to + begin, from + begin, end - begin);
    }
}

int peer_stream_passes(size_t bytes, int repeat, double *seconds)
{
    char *a = malloc(bytes), *b = malloc(bytes);
    const int cores = peer_cores(), ran = a && b;
    if (ran) {
        memset(a, 1, bytes);
        copy(b, a, bytes, cores); /* pages and threads come into being */
        for (int r = 0; r < repeat; r++) {
            const double start = clock_now();
            for (int c = 0; c < COPIES; c++)
                copy(c % 2 ? a : b, c % 2 ? b : a, bytes, cores);
            seconds[r] = clock_now() - start;
        }
    }
    free(a);
    free(b);
    return ran;
}
