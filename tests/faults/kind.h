/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What kind of calls a program of this folder makes fail, and the workers that it does so on. */
#ifndef STARFISH_TESTS_FAULTS_KIND_H
#define STARFISH_TESTS_FAULTS_KIND_H

#include <starfish/context.h>

extern const struct starfish_context_options faults_context_options;
extern const int faults_needs_device; /* without one there is nothing to test */

#endif
