/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Multigrid on three uneven parts with given owners, against one part. Returns how many checks failed. */
#ifndef STARFISH_TESTS_MULTIGRID_PARTS_CASES_H
#define STARFISH_TESTS_MULTIGRID_PARTS_CASES_H

#include "scheduler/runtime/space.h"
#include <starfish/multigrid.h>

struct test_owners {
    const char *name;
    int apart; /* memories of their own, whoever the owners are */
    struct starfish_owner owner[3];
};

/* The same of parts that options ask for, whose owners the library chooses; and what cannot be cut so. */
int test_asked_parts(starfish_context *context, starfish_sharing sharing);
int test_parts(starfish_context *context, const struct test_owners *owners, size_t sets);

#endif
