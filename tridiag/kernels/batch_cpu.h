/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CPU algorithms behind starfish_batch_cpu, one per file. As on CUDA (batch_cuda.h), a periodic batch is solved
 * with A' only: its border is the caller's. Workspaces are in bytes. */
#ifndef STARFISH_TRIDIAG_KERNELS_BATCH_CPU_H
#define STARFISH_TRIDIAG_KERNELS_BATCH_CPU_H

#include "base/real.h"
#include "tridiag/kernels/batch.h"

#include <string.h>

/* Right-hand sides that one elimination serves at a time. */
enum { STARFISH_BATCH_COLUMNS_CPU = 8 };

void REAL_NAME(starfish_batch_thomas_cpu)(const struct starfish_batch *batch);
size_t REAL_NAME(starfish_batch_thomas_workspace)(const struct starfish_batch *batch);

/* CR, PCR, CR_PCR, PCR_THOMAS and STARFISH_BATCH_CR_IN_PLACE, by batch->algorithm. */
void REAL_NAME(starfish_batch_reduction_cpu)(const struct starfish_batch *batch);
size_t REAL_NAME(starfish_batch_reduction_workspace)(const struct starfish_batch *batch);

#endif
