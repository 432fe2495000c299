/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tests of the direct solvers on cores: each a worker of its own, and all as one team. */
#include "tests/poisson/direct.h"

int main(void)
{
    return test_direct_solvers("cores", -1, 0, 1) + test_direct_solvers("a team", -1, 0, 64);
}
