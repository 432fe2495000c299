/* Multigrid on three uneven parts with given owners, against one part. Returns how many checks failed. */
#ifndef STARFISH_TESTS_MULTIGRID_PARTS_CASES_H
#define STARFISH_TESTS_MULTIGRID_PARTS_CASES_H

#include "scheduler/space.h"

struct test_owners {
    const char *name;
    int apart; /* memories of their own, whoever the owners are */
    struct starfish_owner owner[3];
};

int test_parts(starfish_context *context, const struct test_owners *owners, size_t sets);

#endif
