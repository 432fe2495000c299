/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Line steps on the CPU (multigrid/kernels/lines.h): runs the cases that GPUs run too, against naive references. */
#include "tests/multigrid/line_cases.h"

int main(void)
{
    return test_multigrid_lines(&test_host_memory, 0);
}
