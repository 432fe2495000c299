/* starfish bench tridiag: what its files share. */
#ifndef STARFISH_APPS_BENCH_TRIDIAG_H
#define STARFISH_APPS_BENCH_TRIDIAG_H

#include "apps/bench/bench.h"
#include "apps/lists.h"
#include "bench/peer_lines.h"
#include "bench/peers.h"

#include <starfish/tridiag.h>

/* Elements that are not worth the waking of all cores. */
enum { TRIDIAG_FEW = 1 << 16 };

enum tridiag_coefficients { TRIDIAG_GENERAL, TRIDIAG_SHARED, TRIDIAG_SHIFTED };
/* lower, diag, upper, shift, right-hand side, solution: reals, on the host and on the GPU. */
enum tridiag_array {
    TRIDIAG_LOWER,
    TRIDIAG_DIAG,
    TRIDIAG_UPPER,
    TRIDIAG_SHIFT,
    TRIDIAG_RHS,
    TRIDIAG_SOLUTION,
    TRIDIAG_ARRAYS
};

struct tridiag_case {
    size_t n, lines;
    starfish_precision precision;
    int interleaved;
    enum tridiag_coefficients coefficients;
    char name[128];
    size_t count[TRIDIAG_ARRAYS];
    void *host[TRIDIAG_ARRAYS], *device[TRIDIAG_ARRAYS];
};

/* An array of all cases, as large as the largest of them so far. */
struct tridiag_memory {
    void *host, *device;
    size_t bytes;
};

struct tridiag_bench {
    struct bench bench; /* first: measure() gets at the rest through it */
    const char *sizes, *precisions, *layouts, *coefficients, *algorithms, *peers;
    size_t algorithm[LIST_MOST], algorithm_count;
    struct tridiag_memory memory[TRIDIAG_ARRAYS];
    double copied, cores_rate, device_rate; /* bytes of an array, bytes per second of copies; NaN without */
    double seconds[BENCH_MOST_REPEATS];
};

extern const char *const tridiag_algorithms[]; /* by starfish_algorithm, then STARFISH_BATCH_CR_IN_PLACE */

/* Reals that must be read and written at least, in bytes. */
double tridiag_bytes(const struct tridiag_case *c);
struct starfish_tridiag_problem tridiag_problem(const struct tridiag_case *c);

/* A case's rows: ours on cores and on a GPU, the peers', the papers'. */
starfish_status tridiag_measure_case(struct tridiag_bench *run, const struct tridiag_case *c);

#endif
