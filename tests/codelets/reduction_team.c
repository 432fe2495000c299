/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chains and sums shared by the cores of a team, over the tables of tests/tridiag: teams of any size, whose threads may
 * have one core for all of them here. */
#include "codelets/reduction_team.h"
#include "scheduler/runtime/team.h"
#include "tests/blktri/rows_cases.h"
#include "tests/tridiag/sums_cases.h"
#include "tests/tridiag/tridiag_cases.h"
#include <starfish/starfish.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { LARGEST_TEAM = 7 };

static starfish_context *context;
static size_t team_size;

/* What the worker runs. */
struct call {
    starfish_precision precision;
    const struct starfish_tridiag_chain *chain;
    const struct starfish_shifted_sums *sums;
    const struct starfish_rows *rows;
    enum starfish_rows_operation operation;
};

/* It stays until a team of another size is wanted. */
static struct starfish_team team;

static void run_on_worker(void *data, size_t worker)
{
    const struct call *call = data;
    const struct starfish_team own = context->team[worker];

    int cores[LARGEST_TEAM];

    for (int c = 0; c < LARGEST_TEAM; c++)
        cores[c] = own.core[0];
    if (team.size != team_size) {
        starfish_team_disband(&team);
        assert_int_equal(starfish_team_form(&team, worker, cores, team_size), STARFISH_SUCCESS);
    }
    context->team[worker] = team;
    if (call->chain)
        starfish_team_chain(context, call->precision, call->chain);
    else if (call->sums)
        starfish_team_sums(context, call->precision, call->sums);
    else
        starfish_team_rows(context, call->precision, call->rows, call->operation);
    context->team[worker] = own;
}

static void chain(starfish_precision precision, const struct starfish_tridiag_chain *arguments)
{
    struct call call = {.precision = precision, .chain = arguments};
    assert_int_equal(starfish_context_on_each_worker(context, "chain", run_on_worker, &call), STARFISH_SUCCESS);
}

static size_t chain_workspace(size_t n, size_t lanes, size_t vectors, int periodic, size_t real_size)
{
    return team_size * starfish_team_chain_workspace(n, lanes, vectors, periodic, real_size);
}

static void sums(starfish_precision precision, const struct starfish_shifted_sums *arguments)
{
    struct call call = {.precision = precision, .sums = arguments};
    assert_int_equal(starfish_context_on_each_worker(context, "sums", run_on_worker, &call), STARFISH_SUCCESS);
}

static size_t sums_workspace(const struct starfish_shifted_sums *a, size_t real_size)
{
    return team_size * starfish_team_sums_workspace(a->line.n, a->lanes, a->groups, a->line.periodic, real_size);
}

static void rows(starfish_precision precision, const struct starfish_rows *arguments,
                 enum starfish_rows_operation operation)
{
    struct call call = {.precision = precision, .rows = arguments, .operation = operation};
    assert_int_equal(starfish_context_on_each_worker(context, "rows", run_on_worker, &call), STARFISH_SUCCESS);
}

static const size_t sizes[] = {3, LARGEST_TEAM};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static void chains_match_the_reference(void **state)
{
    (void)state;
    struct test_device device = test_cpu;
    device.name = "team";
    device.chain = chain;
    device.chain_workspace = chain_workspace;
    for (size_t i = 0; i < SIZES; i++) {
        team_size = sizes[i];
        test_chain_table(&device, 8, STARFISH_TRIDIAG_AUTO);
    }
}

/* Lanes enough for every core, and for some only. */
static void lanes_are_shared(void **state)
{
    (void)state;
    static const size_t lanes[] = {15, 57, 96, 130, 500};
    struct test_device device = test_cpu;
    device.chain = chain;
    device.chain_workspace = chain_workspace;
    const struct test_sums_device sums_device = {&test_host_memory, sums, sums_workspace};
    for (size_t i = 0; i < SIZES; i++)
        for (size_t l = 0; l < sizeof lanes / sizeof lanes[0]; l++) {
            team_size = sizes[i];
            const struct test_chain c = {
                .operator= TEST_RANDOM, .keeps = 1, .n = 9, .lanes = lanes[l], .vectors = 2, .max_steps = 3};
            test_chain_case(&device, &c);
            const struct test_sums_case s = {.precision = STARFISH_F64,
                                             .n = 9,
                                             .lanes = lanes[l],
                                             .groups = 2,
                                             .most_roots = 4,
                                             .inputs = 2,
                                             .outputs = 2};
            test_sums_check(&sums_device, &s);
        }
}

static void sums_match_dense_elimination(void **state)
{
    (void)state;
    const struct test_sums_device device = {&test_host_memory, sums, sums_workspace};
    for (size_t i = 0; i < SIZES; i++) {
        team_size = sizes[i];
        test_sums_table(&device);
    }
}

/* Few groups of many roots: every core has a part of the roots, of one group or of several. */
static void roots_are_shared(void **state)
{
    (void)state;
    const struct test_sums_device device = {&test_host_memory, sums, sums_workspace};
    for (size_t i = 0; i < SIZES; i++)
        for (size_t groups = 1; groups < LARGEST_TEAM; groups++)
            for (int precision = 0; precision < 2; precision++) {
                team_size = sizes[i];
                const struct test_sums_case c = {.precision = (starfish_precision)precision,
                                                 .n = 12,
                                                 .lanes = 1 + groups % 3,
                                                 .groups = groups,
                                                 .most_roots = 70,
                                                 .inputs = 3,
                                                 .outputs = 2};
                test_sums_check(&device, &c);
            }
}

static void rows_are_shared(void **state)
{
    (void)state;
    const struct test_rows_device device = {&test_host_memory, rows};
    for (size_t i = 0; i < SIZES; i++) {
        team_size = sizes[i];
        test_rows_table(&device);
        test_rows_size(&device, 1000, 40, 3);
        test_rows_size(&device, 9000, 2, 2);
    }
}

static int set_up(void **state)
{
    (void)state;
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    options.cpu_workers = 1;
    options.gpu_workers = 0;
    return starfish_context_create(&context, &options);
}

static int tear_down(void **state)
{
    (void)state;
    starfish_team_disband(&team);
    starfish_context_destroy(context);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_match_the_reference),
        cmocka_unit_test(lanes_are_shared),
        cmocka_unit_test(sums_match_dense_elimination),
        cmocka_unit_test(roots_are_shared),
        cmocka_unit_test(rows_are_shared),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
