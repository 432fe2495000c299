/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Batches of tridiagonal lines with random, diagonally dominant rows: what `bench tridiag` measures, and `sched` and
 * `trace` solve with --batch. */
#ifndef STARFISH_APPS_PLANS_BATCH_CASE_H
#define STARFISH_APPS_PLANS_BATCH_CASE_H

#include <starfish/tridiag.h>

/* Arrays of fewer elements are filled by one core. */
enum { BATCH_FEW = 1 << 16 };

enum batch_coefficients { BATCH_GENERAL, BATCH_SHARED, BATCH_SHIFTED };

/* Arrays of reals: on the host, and for benchmarks of kernels on the GPU as well. */
enum batch_array { BATCH_LOWER, BATCH_DIAG, BATCH_UPPER, BATCH_SHIFT, BATCH_RHS, BATCH_SOLUTION, BATCH_ARRAYS };

struct batch_case {
    size_t n, lines;
    starfish_precision precision;
    int interleaved, periodic;
    enum batch_coefficients coefficients;
    char name[128];
    size_t count[BATCH_ARRAYS]; /* reals of each array; 0: not used */
    void *host[BATCH_ARRAYS], *device[BATCH_ARRAYS];
};

/* "NxL": n unknowns in each of L lines. Error: ARGUMENT, which names the option. */
starfish_status batch_case_read_size(const char *option, const char *item, struct batch_case *c);
/* Name and counts, once all that comes before them is set. */
void batch_case_describe(struct batch_case *c);

/* Reals that must be read and written at least, in bytes. */
double batch_case_bytes(const struct batch_case *c);
struct starfish_tridiag_problem batch_case_problem(const struct batch_case *c);
/* Fill a host array: diagonally dominant rows, anything in -1 .. 1 for right-hand sides. */
void batch_case_fill(const struct batch_case *c, int array);
/* max |A x - d| of the host's arrays over some of the lines, infinite where something is not a number; right-hand sides
 * are at most 1. */
double batch_case_residual(const struct batch_case *c);
/* Distance between two of the lines that batch_case_residual looks at. */
size_t batch_case_sampled_step(const struct batch_case *c);
/* What batch_case_residual may be at most. */
double batch_case_bound(const struct batch_case *c);

#endif
