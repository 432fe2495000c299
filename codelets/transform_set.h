/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A transform with plans for every worker of a context: FFTW's is shared by all cores, cuFFT's is one per GPU worker.
 */
#ifndef STARFISH_CODELETS_TRANSFORM_SET_H
#define STARFISH_CODELETS_TRANSFORM_SET_H

#include "base/place.h"
#include "codelets/worker_plans.h"
#include "fft/kernels/transform.h"

struct starfish_transform_set {
    struct starfish_context *context; /* NULL before create and after destroy */
    enum starfish_transform_kind kind;
    size_t n, max_lines;
    starfish_precision precision;
    struct starfish_transform_cpu *cpu;
    struct starfish_worker_plans gpu;
};

/* max_lines: how many lines a task transforms at most. */
starfish_status starfish_transform_set_create(struct starfish_transform_set *set, struct starfish_context *context,
                                              enum starfish_transform_kind kind, size_t n, size_t max_lines,
                                              starfish_precision precision);
void starfish_transform_set_destroy(struct starfish_transform_set *set);
/* Bytes of work space that a task needs on a worker of each kind. */
size_t starfish_transform_set_workspace(const struct starfish_transform_set *set, starfish_worker_kind kind);
/* Inside a task on a GPU: the plan of the running worker. */
struct starfish_transform_cuda *starfish_transform_set_here(const struct starfish_transform_set *set);
/* Rows on a core, or on the place's stream. Returns a cudaError_t, 0 on a core. */
int starfish_transform_set_rows(const struct starfish_place *place, const struct starfish_transform_set *set,
                                enum starfish_transform_direction direction,
                                const struct starfish_transform_rows *rows);

#endif
