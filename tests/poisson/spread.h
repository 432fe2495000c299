/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields that are spread over memories: solves between them equal solves between arrays, for any shares. */
#ifndef STARFISH_TESTS_POISSON_SPREAD_H
#define STARFISH_TESTS_POISSON_SPREAD_H

#include <starfish/starfish.h>

/* Copies between host memory and a share's. */
typedef void (*test_copy)(void *to, const void *from, size_t bytes);

/* Random shares of the owners `device`, which may come several times; returns how many checks failed. */
int test_spread(starfish_context *context, const int *device, size_t devices, test_copy copy);

#endif
