/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish bench tridiag: declarations shared by its files. tridiag.c lists the cases and owns their arrays,
 * tridiag_case.c measures one case. */
#ifndef STARFISH_APPS_BENCH_TRIDIAG_H
#define STARFISH_APPS_BENCH_TRIDIAG_H

#include "apps/frame/frame.h"
#include "apps/lists.h"
#include "apps/names.h"
#include "apps/plans/batch_case.h"
#include "bench/peer_lines.h"
#include "bench/peers.h"

/* An array of all cases, as large as the largest of them so far. */
struct tridiag_memory {
    void *host, *device;
    size_t bytes;
};

enum { TRIDIAG_SIZE, TRIDIAG_PRECISION, TRIDIAG_LAYOUT, TRIDIAG_COEFFICIENTS, TRIDIAG_ALGORITHM, TRIDIAG_AXES };

struct tridiag_bench {
    struct bench bench; /* first: measure() gets at the rest through it */
    struct axis axis[TRIDIAG_AXES];
    int peers;
    struct tridiag_memory memory[BATCH_ARRAYS];
    double copied, cores_rate, device_rate; /* bytes of an array, bytes per second of copies; NaN without */
    double seconds[BENCH_MOST_REPEATS];
};

/* A case's rows: ours on cores and on a GPU, the peers', the papers'. */
starfish_status tridiag_measure_case(struct tridiag_bench *run, const struct batch_case *c);

#endif
