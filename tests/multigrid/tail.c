/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tail of small grids on cores, one alone and several together, of every kind of grids. */
#include "tests/multigrid/tail_cases.h"

int main(void)
{
    return test_tail(NULL);
}
