/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The public functions of the separable solvers on cores: runs interface.c's cases, which GPUs run in a program of
 * their own. */
#include "tests/poisson/interface.h"

int main(void)
{
    return test_interface("cpu", -1, 0);
}
