/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plans and jobs of flat domains, on any workers: options, arguments that are refused, threads, and what results
 * say. */
#ifndef STARFISH_TESTS_ATMOSPHERE_USE_H
#define STARFISH_TESTS_ATMOSPHERE_USE_H

#include <starfish/starfish.h>

/* Returns how many tests failed. */
int test_atmosphere_use(starfish_context *on);

#endif
