/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/poisson/interface.h"

int main(void)
{
    return test_interface("cpu", -1, 0);
}
