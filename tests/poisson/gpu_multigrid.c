/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The method multigrid on GPUs alone and on GPUs beside cores; 77 where there is no GPU. */
#include "tests/common/context.h"
#include "tests/poisson/multigrid.h"
#include "tests/poisson/multigrid_jobs.h"

int main(void)
{
    const int gpus = test_gpus();

    if (gpus <= 0)
        return gpus < 0 ? 1 : 77;
    return test_poisson_multigrid_jobs("jobs on a gpu", 0, -1) + test_poisson_multigrid_jobs("jobs on both", -1, -1) +
               test_poisson_multigrid("gpu", 0, -1) + test_poisson_multigrid("cpu and gpu", -1, -1) !=
           0;
}
