/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contexts: options, own and joined StarPU, workers, silence. What needs a process of its own runs in a child. */
#include "scheduler/runtime/context.h"
#include "scheduler/runtime/team.h"

#include "tests/common/check.h"
#include "tests/common/child.h"

#include <hwloc.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#include <starfish/starfish.h>

static struct starfish_context_options cpu_options(void)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    options.gpu_workers = 0;
    return options;
}

static starfish_context *cpu_context(void)
{
    const struct starfish_context_options options = cpu_options();
    starfish_context *context;
    ASSERT_OK(starfish_context_create(&context, &options));
    return context;
}

/* Solve a small problem whose right-hand side is one: success, and a solution that is negative inside. */
static starfish_status solve(starfish_context *context)
{
    enum { N = 8 };
    struct starfish_poisson_problem problem = {.lambda = 0};
    for (int axis = 0; axis < 3; axis++)
        problem.axis[axis] = (struct starfish_axis){
            .kind = STARFISH_UNIFORM, .n = N, .length = 1, .ends = {STARFISH_DIRICHLET, STARFISH_DIRICHLET}};
    starfish_plan *plan;
    starfish_status status = starfish_poisson_plan_create(context, &problem, NULL, &plan);
    if (status != STARFISH_SUCCESS)
        return status;
    double field[N * N * N];
    for (int e = 0; e < N * N * N; e++)
        field[e] = 1;
    status = starfish_plan_solve(plan, NULL, field, field, NULL);
    starfish_plan_destroy(plan);
    return status == STARFISH_SUCCESS && !(field[N * N * N / 2] < 0) ? STARFISH_ERROR_NUMERICAL : status;
}

/* ---- Options ----------------------------------------------------------------------------------------------------- */

static void refuses_bad_options(void **state)
{
    (void)state;
    static const struct {
        size_t size;
        int cpus, gpus;
        const char *policy, *part;
    } cases[] = {
        {0, -1, -1, NULL, "options.size is 0"},
        {sizeof(struct starfish_context_options) + 8, -1, -1, NULL, "options.size"},
        {sizeof(struct starfish_context_options), -2, -1, NULL, "options.cpu_workers is -2"},
        {sizeof(struct starfish_context_options), -1, -7, NULL, "options.gpu_workers is -7"},
        {sizeof(struct starfish_context_options), -1, -1, "fastest", "\"fastest\""},
        {sizeof(struct starfish_context_options), -1, -1, "", "options.policy"},
        {sizeof(struct starfish_context_options), 0, 0, NULL, "no worker"},
        {sizeof(struct starfish_context_options), 100, 0, NULL, "options.cpu_workers is 100, but there are only"},
        {sizeof(struct starfish_context_options), 100000, 0, NULL, "cpu_workers"},
        {sizeof(struct starfish_context_options), -1, 64, NULL, "gpu_workers"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        /* What lies behind the options is not zero: a member that this library does not know, if `size` has it. */
        struct {
            struct starfish_context_options options;
            size_t unknown;
        } program = {cpu_options(), 1};
        starfish_context *context = (starfish_context *)&program;
        program.options.size = cases[i].size;
        program.options.cpu_workers = cases[i].cpus;
        program.options.gpu_workers = cases[i].gpus;
        program.options.policy = cases[i].policy;
        ASSERT_FAILS(starfish_context_create(&context, &program.options), STARFISH_ERROR_ARGUMENT, cases[i].part);
        assert_null(context);
        assert_false(starpu_is_initialized());
    }
    ASSERT_FAILS(starfish_context_create(NULL, NULL), STARFISH_ERROR_ARGUMENT, "context is NULL");
}

/* After every refusal there is still a context to be had. */
static void null_is_allowed_where_it_is_said(void **state)
{
    (void)state;
    starfish_context *context;
    starfish_context_destroy(NULL);
    ASSERT_OK(starfish_context_create(&context, NULL));
    assert_true(starfish_context_workers(context) > 0);
    starfish_context_destroy(context);
    assert_false(starpu_is_initialized());
    assert_int_equal(starfish_context_workers(NULL), 0);
    assert_int_equal(starfish_context_workers_of(NULL, STARFISH_CPU), 0);
}

static void takes_as_many_workers_as_asked_for(void **state)
{
    (void)state;
    for (int again = 0; again < 2; again++) { /* StarPU is started anew each time */
        struct starfish_context_options options = cpu_options();
        starfish_context *context;
        options.cpu_workers = 1;
        options.policy = again ? "eager" : "dmda";
        ASSERT_OK(starfish_context_create(&context, &options));
        struct starfish_runtime runtime;
        ASSERT_OK(starfish_context_runtime(context, &runtime));
        assert_string_equal(runtime.policy, options.policy);
        assert_int_equal(starfish_context_workers(context), 1);
        ASSERT_OK(solve(context));
        starfish_context_destroy(context);
    }
}

static void refuses_a_negative_team(void **state)
{
    (void)state;
    struct starfish_context_options options = cpu_options();
    starfish_context *context;
    options.cores_per_worker = -1;
    ASSERT_FAILS(starfish_context_create(&context, &options), STARFISH_ERROR_ARGUMENT,
                 "options.cores_per_worker is -1");
}

/* ---- Teams ------------------------------------------------------------------------------------------------------- */

struct crowd {
    const starfish_context *context;
    atomic_int calls[64], cpu[64], parts;
};

static void count_part(void *data, size_t part, size_t parts)
{
    struct crowd *crowd = data;
    atomic_fetch_add(&crowd->calls[part], 1);
    atomic_store(&crowd->parts, (int)parts);
    atomic_store(&crowd->cpu[part], sched_getcpu());
}

/* Every part on a core of its own. The system numbers processing units otherwise than hwloc and StarPU where cores have
 * several threads. */
static void assert_cores(const struct crowd *crowd)
{
    const struct starfish_team *team = &crowd->context->team[0];
    hwloc_topology_t machine;
    assert_int_equal(hwloc_topology_init(&machine), 0);
    assert_int_equal(hwloc_topology_load(machine), 0);
    for (size_t part = 0; part < team->size; part++) {
        const hwloc_obj_t unit = hwloc_get_pu_obj_by_os_index(machine, (unsigned)atomic_load(&crowd->cpu[part]));
        assert_non_null(unit);
        assert_int_equal(unit->logical_index, team->core[part]);
    }
    hwloc_topology_destroy(machine);
}

static void run_crowd(void *data, size_t worker)
{
    struct crowd *crowd = data;
    (void)worker;
    starfish_team_run(crowd->context, count_part, crowd);
}

static void a_team_shares_a_worker(void **state)
{
    (void)state;
    int cores, numa_nodes;
    starfish_topology_count(&cores, &numa_nodes);
    for (int size = 1; size <= cores && size <= 4; size++) {
        struct starfish_context_options options = cpu_options();
        starfish_context *context;
        struct starfish_worker worker;
        options.cpu_workers = size;
        options.cores_per_worker = size;
        ASSERT_OK(starfish_context_create(&context, &options));
        assert_int_equal(starfish_context_workers(context), 1);
        ASSERT_OK(starfish_context_worker(context, 0, &worker));
        assert_int_equal(worker.cores, size);
        struct crowd crowd = {.context = context};
        for (int time = 0; time < 2; time++)
            ASSERT_OK(starfish_context_on_each_worker(context, "crowd", run_crowd, &crowd));
        assert_int_equal(crowd.parts, size);
        if (size > 1)
            assert_cores(&crowd);
        for (int part = 0; part < 64; part++)
            assert_int_equal(crowd.calls[part], part < size ? 2 : 0);
        ASSERT_OK(solve(context));
        starfish_context_destroy(context);
    }
}

static void teams_divide_the_cores(void **state)
{
    (void)state;
    int cores, numa_nodes;
    starfish_topology_count(&cores, &numa_nodes);
    if (cores < 3)
        skip();
    struct starfish_context_options options = cpu_options();
    starfish_context *context;
    struct starfish_worker worker[2];
    options.cpu_workers = 3;
    options.cores_per_worker = 2;
    ASSERT_OK(starfish_context_create(&context, &options));
    assert_int_equal(starfish_context_workers(context), 2);
    for (size_t i = 0; i < 2; i++)
        ASSERT_OK(starfish_context_worker(context, i, &worker[i]));
    assert_int_equal(worker[0].cores + worker[1].cores, 3);
    ASSERT_OK(solve(context));
    starfish_context_destroy(context);
}

/* ---- Asking ------------------------------------------------------------------------------------------------------ */

static void enumerates_workers(void **state)
{
    (void)state;
    starfish_context *context = cpu_context();
    const size_t count = starfish_context_workers(context);
    struct starfish_runtime runtime;
    struct starfish_worker worker;
    static int taken[4096];
    ASSERT_OK(starfish_context_runtime(context, &runtime));
    assert_true(count >= 1);
    assert_int_equal(starfish_context_workers_of(context, STARFISH_CPU), count);
    assert_int_equal(starfish_context_workers_of(context, STARFISH_GPU), 0);
    assert_int_equal(starfish_context_workers_of(context, STARFISH_WORKER_KINDS), 0);
    for (size_t i = 0; i < count; i++) {
        ASSERT_OK(starfish_context_worker(context, i, &worker));
        assert_int_equal(worker.kind, STARFISH_CPU);
        assert_int_equal(worker.memory_node, STARPU_MAIN_RAM);
        size_t bytes = 0;
        ASSERT_OK(starfish_context_worker_memory(context, i, &bytes));
        assert_true(bytes > (size_t)1 << 27); /* main memory, in bytes */
        assert_in_range(worker.device, 0, 4095);
        assert_int_equal(taken[worker.device]++, 0);
        assert_in_range(worker.numa_node + 1, 0, 1024);
        assert_true(strlen(worker.name) > 0);
    }
    ASSERT_FAILS(starfish_context_worker(context, count, &worker), STARFISH_ERROR_ARGUMENT, "index");
    ASSERT_FAILS(starfish_context_worker(context, 0, NULL), STARFISH_ERROR_ARGUMENT, "worker is NULL");
    size_t bytes;
    ASSERT_FAILS(starfish_context_worker_memory(context, count, &bytes), STARFISH_ERROR_ARGUMENT, "index");
    ASSERT_FAILS(starfish_context_worker_memory(context, 0, NULL), STARFISH_ERROR_ARGUMENT, "NULL");
    ASSERT_FAILS(starfish_context_worker(NULL, 0, &worker), STARFISH_ERROR_ARGUMENT, "context is NULL");
    starfish_context_destroy(context);
}

static void describes_what_runs_below(void **state)
{
    (void)state;
    starfish_context *context = cpu_context();
    struct starfish_runtime runtime;
    int major, minor, release;
    char version[32];
    starpu_get_version(&major, &minor, &release);
    snprintf(version, sizeof version, "%d.%d.%d", major, minor, release);
    ASSERT_OK(starfish_context_runtime(context, &runtime));
    assert_string_equal(runtime.starfish_version, STARFISH_VERSION);
    assert_string_equal(runtime.starpu_version, version);
    assert_true(runtime.cores >= 1 && runtime.numa_nodes >= 1);
    assert_int_equal(runtime.joined, 0);
    assert_int_equal(runtime.simulated, 0);
    if (!getenv("STARPU_SCHED"))
        assert_string_equal(runtime.policy, "lws");
    ASSERT_FAILS(starfish_context_runtime(context, NULL), STARFISH_ERROR_ARGUMENT, "runtime is NULL");
    ASSERT_FAILS(starfish_context_runtime(NULL, &runtime), STARFISH_ERROR_ARGUMENT, "NULL");
    starfish_context_destroy(context);
}

struct heard {
    int lines;
    char last[512];
};

static void listen_to(void *data, starfish_log_level level, const char *message)
{
    struct heard *heard = data;
    heard->lines++;
    assert_in_range(level, STARFISH_LOG_INFO, STARFISH_LOG_ERROR);
    assert_null(strchr(message, '\n'));
    snprintf(heard->last, sizeof heard->last, "%s", message);
}

static void logs_what_it_does(void **state)
{
    (void)state;
    struct heard heard = {0, ""};
    struct starfish_context_options options = cpu_options();
    starfish_context *context, *second;
    options.log = listen_to;
    options.log_data = &heard;
    ASSERT_OK(starfish_context_create(&context, &options));
    assert_int_equal(heard.lines, 1);
    assert_non_null(strstr(heard.last, "started StarPU"));
    ASSERT_OK(starfish_context_create(&second, &options));
    assert_non_null(strstr(heard.last, "joined StarPU"));
    starfish_context_destroy(second);
    starfish_context_destroy(context);
}

static void counts_no_bytes_without_a_gpu(void **state)
{
    (void)state;
    starfish_context *context = cpu_context();
    ASSERT_OK(solve(context));
    const struct starfish_bytes bytes = starfish_context_bytes(context);
    assert_true(bytes.host_to_device == 0 && bytes.device_to_host == 0 && bytes.device_to_device == 0);
    starfish_context_destroy(context);
}

struct visits {
    const starfish_context *context;
    int count[STARPU_NMAXWORKERS], strayed;
};

static void visit(void *data, size_t worker)
{
    struct visits *visits = data;
    visits->count[worker]++;
    if (visits->context->worker[worker] != starpu_worker_get_id())
        visits->strayed = 1;
}

static void runs_on_each_worker_once(void **state)
{
    (void)state;
    starfish_context *context = cpu_context();
    struct visits visits = {.context = context};
    ASSERT_OK(starfish_context_on_each_worker(context, "visit", visit, &visits));
    assert_false(visits.strayed);
    for (size_t i = 0; i < STARPU_NMAXWORKERS; i++)
        assert_int_equal(visits.count[i], i < starfish_context_workers(context));
    starfish_context_destroy(context);
}

/* ---- Sharing StarPU ---------------------------------------------------------------------------------------------- */

static void second_context_outlives_the_first(void **state)
{
    (void)state;
    starfish_context *first = cpu_context(), *second = cpu_context();
    struct starfish_runtime runtime;
    ASSERT_OK(starfish_context_runtime(second, &runtime));
    assert_int_equal(runtime.joined, 1);
    ASSERT_OK(solve(second));
    starfish_context_destroy(first);
    assert_true(starpu_is_initialized());
    ASSERT_OK(solve(second));
    starfish_context_destroy(second);
    assert_false(starpu_is_initialized());
}

static void joined_workers_are_all_or_none(void **state)
{
    (void)state;
    starfish_context *first = cpu_context(), *second;
    struct starfish_context_options options = cpu_options();
    const int count = (int)starfish_context_workers(first);
    options.cpu_workers = count;
    ASSERT_OK(starfish_context_create(&second, &options));
    starfish_context_destroy(second);
    options.cpu_workers = 0;
    ASSERT_FAILS(starfish_context_create(&second, &options), STARFISH_ERROR_ARGUMENT, "no worker");
    options.cpu_workers = count + 1;
    ASSERT_FAILS(starfish_context_create(&second, &options), STARFISH_ERROR_ARGUMENT, "options.cpu_workers");
    if (count > 1) {
        options.cpu_workers = count - 1;
        ASSERT_FAILS(starfish_context_create(&second, &options), STARFISH_ERROR_ARGUMENT, "all (-1) or none (0)");
    }
    ASSERT_OK(solve(first)); /* the refusals have not stopped the others' StarPU */
    starfish_context_destroy(first);
}

static void add_one(void *buffers[], void *argument)
{
    (void)argument;
    *(int *)STARPU_VARIABLE_GET_PTR(buffers[0]) += 1;
}

static struct starpu_codelet add_one_codelet = {
    .cpu_funcs = {add_one}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "host's own"};

/* A host program with a StarPU, data and tasks of its own, before, while and after it uses Starfish. */
static void joins_the_host_programs_starpu(void **state)
{
    (void)state;
    struct starpu_conf conf;
    struct starfish_runtime runtime;
    starpu_data_handle_t handle;
    int number = 0;
    assert_int_equal(starpu_conf_init(&conf), 0);
    conf.ncuda = 0;
    setenv("STARPU_SILENT", "1", 1);
    assert_int_equal(starpu_init(&conf), 0);
    starpu_variable_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)&number, sizeof number);
    for (int round = 0; round < 3; round++) {
        assert_int_equal(starpu_task_insert(&add_one_codelet, STARPU_RW, handle, 0), 0);
        starfish_context *context = cpu_context();
        ASSERT_OK(starfish_context_runtime(context, &runtime));
        assert_int_equal(runtime.joined, 1);
        assert_int_equal(starpu_task_insert(&add_one_codelet, STARPU_RW, handle, 0), 0);
        ASSERT_OK(solve(context));
        starfish_context_destroy(context);
        assert_true(starpu_is_initialized());
        assert_int_equal(starpu_task_insert(&add_one_codelet, STARPU_RW, handle, 0), 0);
    }
    starpu_data_unregister(handle);
    assert_int_equal(number, 9);
    starpu_shutdown();
    unsetenv("STARPU_SILENT");
}

/* ---- Environment and silence ------------------------------------------------------------------------------------- */

static const char *create_and_destroy(void)
{
    const struct starfish_context_options options = cpu_options();
    starfish_context *context;
    EXPECT(starfish_context_create(&context, &options) == STARFISH_SUCCESS);
    EXPECT(solve(context) == STARFISH_SUCCESS);
    starfish_context_destroy(context);
    return NULL;
}

static int is_set(const char *name, const char *expected)
{
    const char *value = getenv(name);
    return value && strcmp(value, expected) == 0;
}

static const char *sets_what_is_unset(void)
{
    unsetenv("STARPU_MINIMUM_CLEAN_BUFFERS");
    unsetenv("STARPU_TARGET_CLEAN_BUFFERS");
    const char *wrong = create_and_destroy();
    if (wrong)
        return wrong;
    EXPECT(is_set("STARPU_MINIMUM_CLEAN_BUFFERS", "0"));
    EXPECT(is_set("STARPU_TARGET_CLEAN_BUFFERS", "0"));
    return NULL;
}

static const char *keeps_what_is_set(void)
{
    setenv("STARPU_MINIMUM_CLEAN_BUFFERS", "7", 1);
    setenv("STARPU_TARGET_CLEAN_BUFFERS", "9", 1);
    const char *wrong = create_and_destroy();
    if (wrong)
        return wrong;
    EXPECT(is_set("STARPU_MINIMUM_CLEAN_BUFFERS", "7"));
    EXPECT(is_set("STARPU_TARGET_CLEAN_BUFFERS", "9"));
    return NULL;
}

static void device_buffers_are_not_written_back_unless_the_user_says_so(void **state)
{
    (void)state;
    in_child(sets_what_is_unset);
    in_child(keeps_what_is_set);
}

static const char *follows_the_environment(void)
{
    const struct starfish_context_options options = cpu_options();
    starfish_context *context;
    struct starfish_runtime runtime;
    setenv("STARPU_NCPU", "1", 1);
    setenv("STARPU_SCHED", "prio", 1);
    EXPECT(starfish_context_create(&context, &options) == STARFISH_SUCCESS);
    EXPECT(starfish_context_runtime(context, &runtime) == STARFISH_SUCCESS);
    EXPECT(strcmp(runtime.policy, "prio") == 0);
    EXPECT(starfish_context_workers(context) == 1);
    starfish_context_destroy(context);
    return NULL;
}

/* A name that StarPU does not know must not end the process. */
static const char *survives_an_unknown_policy_in_the_environment(void)
{
    const struct starfish_context_options options = cpu_options();
    starfish_context *context;
    setenv("STARPU_SCHED", "fastest", 1);
    EXPECT(starfish_context_create(&context, &options) == STARFISH_ERROR_ARGUMENT);
    EXPECT(strstr(starfish_error_message(), "STARPU_SCHED") != NULL);
    return NULL;
}

static void starpus_variables_keep_their_meaning(void **state)
{
    (void)state;
    in_child(follows_the_environment);
    in_child(survives_an_unknown_policy_in_the_environment);
}

/* Everything the process writes to its standard output and error while `body` runs, counted. */
static const char *silently(const char *(*body)(void))
{
    FILE *file = tmpfile();
    const int out = dup(1), err = dup(2);
    EXPECT(file && out >= 0 && err >= 0);
    fflush(NULL);
    EXPECT(dup2(fileno(file), 1) == 1 && dup2(fileno(file), 2) == 2);
    const char *wrong = body();
    fflush(NULL);
    dup2(out, 1);
    dup2(err, 2);
    close(out);
    close(err);
    static char said[200];
    rewind(file);
    said[fread(said, 1, sizeof said - 1, file)] = 0;
    fclose(file);
    return wrong ? wrong : said[0] ? said : NULL;
}

static const char *fails_in_every_way(void)
{
    struct starfish_context_options options = cpu_options();
    starfish_context *context;
    options.cpu_workers = 100;
    EXPECT(starfish_context_create(&context, &options) == STARFISH_ERROR_ARGUMENT);
    options.cpu_workers = 0;
    EXPECT(starfish_context_create(&context, &options) == STARFISH_ERROR_ARGUMENT);
    options.cpu_workers = -1;
    options.policy = "fastest";
    EXPECT(starfish_context_create(&context, &options) == STARFISH_ERROR_ARGUMENT);
    return NULL;
}

static const char *says_nothing(void)
{
    return silently(create_and_destroy);
}

static const char *says_nothing_when_it_fails(void)
{
    return silently(fails_in_every_way);
}

static void prints_nothing(void **state)
{
    (void)state;
    in_child(says_nothing);
    in_child(says_nothing_when_it_fails);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_bad_options),
        cmocka_unit_test(null_is_allowed_where_it_is_said),
        cmocka_unit_test(takes_as_many_workers_as_asked_for),
        cmocka_unit_test(refuses_a_negative_team),
        cmocka_unit_test(a_team_shares_a_worker),
        cmocka_unit_test(teams_divide_the_cores),
        cmocka_unit_test(enumerates_workers),
        cmocka_unit_test(describes_what_runs_below),
        cmocka_unit_test(logs_what_it_does),
        cmocka_unit_test(counts_no_bytes_without_a_gpu),
        cmocka_unit_test(runs_on_each_worker_once),
        cmocka_unit_test(second_context_outlives_the_first),
        cmocka_unit_test(joined_workers_are_all_or_none),
        cmocka_unit_test(joins_the_host_programs_starpu),
    };
    /* These fork, which is safe only before this process has started anything. */
    const struct CMUnitTest alone[] = {
        cmocka_unit_test(device_buffers_are_not_written_back_unless_the_user_says_so),
        cmocka_unit_test(starpus_variables_keep_their_meaning),
        cmocka_unit_test(prints_nothing),
    };
    return cmocka_run_group_tests_name("processes of their own", alone, NULL, NULL) +
           cmocka_run_group_tests_name("context", tests, NULL, NULL);
}
