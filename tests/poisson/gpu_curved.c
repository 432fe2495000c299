/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems in other coordinates on GPUs alone and on GPUs and cores together; 77 where there is no GPU. */
#include "tests/common/context.h"
#include "tests/poisson/curved.h"

int main(void)
{
    const int gpus = test_gpus();

    if (gpus <= 0)
        return gpus < 0 ? 1 : 77;
    return test_curved("gpu", 0, -1, 0) + test_curved("cpu and gpu", -1, -1, 0) == 0 ? 0 : 1;
}
