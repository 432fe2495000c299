/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cases (cases.h), and after them those families whose calls are not made to fail. */
#ifndef STARFISH_TESTS_FAULTS_FAMILIES_H
#define STARFISH_TESTS_FAULTS_FAMILIES_H

#include "tests/faults/cases.h"

/* By number; NULL beyond the last. */
const struct faults_case *families_case(size_t number);

#endif
