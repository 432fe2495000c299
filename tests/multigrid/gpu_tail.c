/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tail of small grids with CUDA, against its walk on a core. Exit status 77 without a device. */
#include "tests/multigrid/tail_cases.h"

int main(void)
{
    return test_cuda_devices() > 0 ? test_tail(&test_cuda_memory) : 77;
}
