/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* 2D problems in complex numbers on GPUs alone and on GPUs and cores together; 77 where there is no GPU. */
#include "tests/common/context.h"
#include "tests/poisson/complex.h"

int main(void)
{
    const int gpus = test_gpus();

    if (gpus <= 0)
        return gpus < 0 ? 1 : 77;
    return test_complex("gpu", 0, -1, 0) + test_complex("cpu and gpu", -1, -1, 0) == 0 ? 0 : 1;
}
