/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Several teams: what is a worker's own is found on all of its threads. */
#include "scheduler/runtime/team.h"
#include "scheduler/runtime/team_threads.h"

#include "tests/common/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <starfish/starfish.h>

enum { TEAMS = 2, CORES = 2 };
struct teams {
    const starfish_context *context;
    size_t worker[TEAMS][CORES]; /* that a part of a worker's work finds itself on */
};
struct team_of {
    struct teams *teams;
    size_t worker;
};

static void note_worker(void *data, size_t part, size_t parts)
{
    const struct team_of *team = data;
    (void)parts;
    team->teams->worker[team->worker][part] = starfish_context_current_worker(team->teams->context);
}

static void run_team(void *data, size_t worker)
{
    struct team_of team = {data, worker};
    starfish_team_run(team.teams->context, note_worker, &team);
}

/* What is a worker's own, as its work space, is found by the number of the worker, on every thread of its team. The
 * cores of these teams may be fewer than their threads. */
static void threads_of_a_team_know_their_worker(void **state)
{
    (void)state;
    int cores, numa_nodes;
    starfish_topology_count(&cores, &numa_nodes);
    if (cores < TEAMS)
        skip();
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    starfish_context *context;
    options.gpu_workers = 0;
    options.cpu_workers = TEAMS;
    ASSERT_OK(starfish_context_create(&context, &options));
    struct teams teams = {.context = context};
    for (size_t worker = 0; worker < TEAMS; worker++) {
        struct starfish_team *team = &context->team[worker];
        const int core[CORES] = {team->core[0], team->core[0]};
        starfish_team_disband(team);
        ASSERT_OK(starfish_team_form(team, worker, core, CORES));
    }
    ASSERT_OK(starfish_context_on_each_worker(context, "teams", run_team, &teams));
    for (size_t worker = 0; worker < TEAMS; worker++)
        for (size_t part = 0; part < CORES; part++)
            assert_int_equal(teams.worker[worker][part], worker);
    starfish_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_of_a_team_know_their_worker)};
    return cmocka_run_group_tests_name("teams", tests, NULL, NULL);
}
