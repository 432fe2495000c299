/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems in other coordinates on cores: each a worker of its own, and all as one team. */
#include "tests/poisson/curved.h"

int main(void)
{
    return test_curved("cores", -1, 0, 1) + test_curved("a team", -1, 0, 64);
}
