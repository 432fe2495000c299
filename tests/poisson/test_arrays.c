/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arrays with halos and many problems on cores: each a worker of its own, and all as one team. */
#include "tests/poisson/arrays.h"

int main(void)
{
    return test_arrays("cores", &test_host_memory, -1, 0, 1) + test_arrays("a team", &test_host_memory, -1, 0, 64);
}
