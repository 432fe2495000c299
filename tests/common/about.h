/* What a plan says of itself, by value. */
#ifndef STARFISH_TESTS_ABOUT_H
#define STARFISH_TESTS_ABOUT_H

#include <starfish/solve.h>

static inline struct starfish_about test_about(const starfish_plan *plan)
{
    struct starfish_about about = STARFISH_ABOUT_DEFAULTS;
    return starfish_plan_about(plan, &about) == STARFISH_SUCCESS ? about : (struct starfish_about){.size = 0};
}

#endif
