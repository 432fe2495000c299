/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tests of the direct solvers and their interface on GPUs alone and on GPUs and cores together; 77 where there is
 * no GPU. */
#include "tests/common/context.h"
#include "tests/poisson/direct.h"
#include "tests/poisson/interface.h"

int main(void)
{
    const int gpus = test_gpus();

    if (gpus <= 0)
        return gpus < 0 ? 1 : 77;
    int failed = test_interface("gpu", 0, -1) + test_interface("cpu and gpu", -1, -1);
    failed += test_direct_solvers("gpu", 0, -1, 0) + test_direct_solvers("cpu and gpu", -1, -1, 0);
    failed += test_direct_solvers("single cores and gpu", -1, -1, 1);
    return failed == 0 ? 0 : 1;
}
