/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Line steps on CUDA (multigrid/kernels/lines.h), by the cases that the CPU runs too. Exit status 77 without a
 * device. */
#include "tests/multigrid/line_cases.h"

int main(void)
{
    return test_cuda_devices() > 0 ? test_multigrid_lines(&test_cuda_memory, 1) : 77;
}
