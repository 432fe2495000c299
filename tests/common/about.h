/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a plan says of itself (struct starfish_about), by value, so that tests can compare members in one expression. */
#ifndef STARFISH_TESTS_ABOUT_H
#define STARFISH_TESTS_ABOUT_H

#include <starfish/solve.h>

static inline struct starfish_about test_about(const starfish_plan *plan)
{
    struct starfish_about about = {.size = sizeof about, .kind = "", .method = "", .reason = ""};
    (void)starfish_plan_about(plan, &about);
    return about;
}

#endif
