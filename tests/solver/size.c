/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems of programs that were compiled with other headers: a problem's size is 0, the library's own, or that of a
 * larger struct which is zero behind the library's. Every maker is given problems of zeros, which it refuses for
 * another reason once their size is right. */
#include "tests/common/check.h"
#include "tests/common/group.h"

#include <starfish/starfish.h>
#include <string.h>

static starfish_context *context;

enum { LONGER = 64 };

#define MAKER(kind)                                                                                                    \
    static starfish_status make_##kind(const void *problem)                                                            \
    {                                                                                                                  \
        starfish_plan *plan;                                                                                           \
        return starfish_##kind##_plan_create(context, problem, NULL, &plan);                                           \
    }
#define MEASURER(kind)                                                                                                 \
    static starfish_status measure_##kind(const void *problem)                                                         \
    {                                                                                                                  \
        struct starfish_memory memory;                                                                                 \
        return starfish_##kind##_memory(context, problem, NULL, &memory);                                              \
    }
MAKER(poisson)
MAKER(diffusion)
MAKER(atmosphere)
MAKER(fem)
MAKER(q1)
MAKER(stencil)
MAKER(tridiag)
MEASURER(poisson)
MEASURER(diffusion)
MEASURER(atmosphere)
MEASURER(q1)
MEASURER(stencil)
MEASURER(tridiag)

static double one(void *data, const struct starfish_q1_point *point)
{
    (void)data;
    (void)point;
    return 1;
}

static starfish_status load(const void *problem)
{
    double value;

    return starfish_q1_load(problem, one, NULL, &value);
}

static starfish_status error(const void *problem)
{
    const double solution = 0;
    double value;

    return starfish_q1_error(problem, one, NULL, &solution, &value);
}

static const struct {
    const char *name;
    size_t size;
    starfish_status (*take)(const void *problem);
} takers[] = {
    {"poisson", sizeof(struct starfish_poisson_problem), make_poisson},
    {"poisson, memory", sizeof(struct starfish_poisson_problem), measure_poisson},
    {"diffusion", sizeof(struct starfish_diffusion_problem), make_diffusion},
    {"diffusion, memory", sizeof(struct starfish_diffusion_problem), measure_diffusion},
    {"atmosphere", sizeof(struct starfish_atmosphere_problem), make_atmosphere},
    {"atmosphere, memory", sizeof(struct starfish_atmosphere_problem), measure_atmosphere},
    {"fem", sizeof(struct starfish_fem_problem), make_fem},
    {"q1", sizeof(struct starfish_q1_problem), make_q1},
    {"q1, memory", sizeof(struct starfish_q1_problem), measure_q1},
    {"q1, load", sizeof(struct starfish_q1_problem), load},
    {"q1, error", sizeof(struct starfish_q1_problem), error},
    {"stencil", sizeof(struct starfish_stencil_problem), make_stencil},
    {"stencil, memory", sizeof(struct starfish_stencil_problem), measure_stencil},
    {"tridiag", sizeof(struct starfish_tridiag_problem), make_tridiag},
    {"tridiag, memory", sizeof(struct starfish_tridiag_problem), measure_tridiag},
};
enum { TAKERS = sizeof takers / sizeof takers[0] };

/* A struct of zeros that says `size`, with a byte at `place` behind the library's struct. */
static starfish_status take(size_t taker, size_t size, size_t place, unsigned char byte)
{
    union {
        size_t size;
        unsigned char bytes[2048];
    } problem;

    memset(&problem, 0, sizeof problem);
    problem.size = size;
    problem.bytes[takers[taker].size + place] = byte;
    print_message("%s: %zu of %zu bytes\n", takers[taker].name, size, takers[taker].size);
    return takers[taker].take(&problem);
}

static void right_sizes_are_taken(void **state)
{
    (void)state;
    for (size_t t = 0; t < TAKERS; t++) {
        const size_t sizes[] = {0, takers[t].size, takers[t].size + LONGER};
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            assert_int_not_equal(take(t, sizes[s], LONGER, 1), STARFISH_SUCCESS);
            assert_null(strstr(starfish_error_message(), "problem.size"));
        }
    }
}

static void others_are_refused(void **state)
{
    (void)state;
    for (size_t t = 0; t < TAKERS; t++) {
        const size_t sizes[] = {1, takers[t].size - sizeof(size_t), takers[t].size + 1, 1 << 20, SIZE_MAX};
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            ASSERT_FAILS(take(t, sizes[s], 0, 0), STARFISH_ERROR_ARGUMENT, "problem.size");
    }
}

static void unknown_members_are_not_ignored(void **state)
{
    (void)state;
    for (size_t t = 0; t < TAKERS; t++)
        for (size_t place = 0; place < LONGER; place += LONGER - 1)
            ASSERT_FAILS(take(t, takers[t].size + LONGER, place, 1), STARFISH_ERROR_UNSUPPORTED, "problem.size");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_sizes_are_taken),
        cmocka_unit_test(others_are_refused),
        cmocka_unit_test(unknown_members_are_not_ignored),
    };

    return TEST_GROUP("solver_size", tests, &context, 0, 1, 1);
}
