/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The method multigrid on cores: runs the cases that GPUs run in a program of their own. */
#include "tests/poisson/multigrid.h"
#include "tests/poisson/multigrid_jobs.h"

int main(void)
{
    return test_poisson_multigrid_jobs("jobs on cores", -1, 0) + test_poisson_multigrid("cores", -1, 0) != 0;
}
