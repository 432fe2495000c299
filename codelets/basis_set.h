/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A change of basis with plans for every worker of a context: the CPUs share one, a GPU worker has its own. */
#ifndef STARFISH_CODELETS_BASIS_SET_H
#define STARFISH_CODELETS_BASIS_SET_H

#include "codelets/worker_plans.h"
#include "fft/kernels/basis.h"

struct starfish_basis_set {
    struct starfish_basis basis;
    struct starfish_worker_plans gpu;
    struct starfish_context *context; /* of the workers whose GPUs' memory is counted, the first `counted` ones */
    size_t counted;
};

/* Errors as of starfish_basis_create and starfish_basis_cuda_create. */
starfish_status starfish_basis_set_create(struct starfish_basis_set *set, struct starfish_context *context,
                                          const struct starfish_basis_operator *op, starfish_precision precision);
/* May follow a creation that failed, and one that never was if *set is zero. */
void starfish_basis_set_destroy(struct starfish_basis_set *set);
/* What it takes of a GPU's memory for its matrices, two of n x n at most, and for products of them. */
size_t starfish_basis_set_device_bytes(size_t n, starfish_precision precision);

#endif
