/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flat domains cut into boxes, on any workers: their solutions are compared with those of uncut domains. */
#ifndef STARFISH_TESTS_ATMOSPHERE_BOXES_H
#define STARFISH_TESTS_ATMOSPHERE_BOXES_H

#include <starfish/starfish.h>

/* small: the first few problems alone. Returns how many tests failed. */
int test_atmosphere_boxes(starfish_context *on, int small);

#endif
