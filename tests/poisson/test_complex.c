/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* 2D problems in complex numbers on cores: each a worker of its own, and all as one team. */
#include "tests/poisson/complex.h"

int main(void)
{
    return test_complex("cores", -1, 0, 1) + test_complex("a team", -1, 0, 64);
}
