/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What StarPU would end the process for: variables, files of measurements, the host's locale, limits of the process.
 * Each test that starts StarPU has a process of its own. */
#include "base/c_locale.h"
#include "base/status.h"
#include "scheduler/runtime/cache_dir.h"
#include "scheduler/runtime/limits.h"
#include "scheduler/runtime/measurements.h"
#include "scheduler/runtime/variables.h"

#include "tests/common/check.h"
#include "tests/common/child.h"

#include <fcntl.h>
#include <locale.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <starfish/starfish.h>

/* ---- Variables --------------------------------------------------------------------------------------------------- */

struct variable {
    const char *name, *value;
};

static void good_values_pass(void **state)
{
    static const struct variable good[] = {{"STARPU_NCPU", "1"},
                                           {"STARPU_CALIBRATE", "2"},
                                           {"STARPU_WORKERS_CPUID", "0"},
                                           {"STARPU_WORKERS_CPUID", "0,1 2-3,5-"},
                                           {"STARPU_SCHED_BETA", "0.5"},
                                           {"STARPU_HOSTNAME", "a-b.c"},
                                           {"STARPU_MPI_HOSTNAMES", "a b"},
                                           {"STARPU_FXT_PREFIX", "/tmp"},
                                           {"STARPU_BUS_STATS_FILE", "/dev/null"},
                                           {"STARPU_LIMIT_CUDA_0_MEM", "9"},
                                           {"STARPU_MAIN_THREAD_CPUID", "0"},
                                           {"STARPU_UNHEARD_OF", "x"}};
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        setenv(good[i].name, good[i].value, 1);
        if (starfish_variables_check() != STARFISH_SUCCESS)
            fail_msg("%s=%s: %s", good[i].name, good[i].value, starfish_error_message());
        unsetenv(good[i].name);
    }
}

static void bad_values_are_named(void **state)
{
    static const struct variable bad[] = {
        {"STARPU_NCPU", "abc"},
        {"STARPU_NCPU", "-1"},
        {"STARPU_NCPU", "2.0"},
        {"STARPU_NCPU", "99999999999"},
        {"STARPU_NCPUS", " "},
        {"STARPU_NCUDA", "abc"},
        {"STARPU_CALIBRATE", "yes"},
        {"STARPU_HISTORY_MAX_ERROR", "x"},
        {"STARPU_PERF_MODEL_HOMOGENEOUS_CPU", "x"},
        {"STARPU_LIMIT_CUDA_3_MEM", "9G"},
        {"STARPU_NTHREADS_PER_CORE", "0"},
        {"STARPU_HETEROPRIO_USE_LA", "7"},
        {"STARPU_BACKOFF_MIN", "2147483647"},
        {"STARPU_AUTOHETEROPRIO_PRIORITY_ORDERING_POLICY", "99"},
        {"STARPU_MAIN_THREAD_CPUID", "1000000"},
        {"STARPU_MAIN_THREAD_COREID", "1000000"},
        {"STARPU_MPI_NDETACHED_SEND", "x"},
        {"STARPU_SCHED_BETA", "0,5"},
        {"STARPU_SCHED_ALPHA", "nan"},
        {"STARPU_WORKERS_CPUID", "x"},
        {"STARPU_WORKERS_CPUID", "-1"},
        {"STARPU_WORKERS_CPUID", "0;1"},
        {"STARPU_WORKERS_CUDAID", "x"},
        {"STARPU_HOSTNAME", "a/b"},
        {"STARPU_HOSTNAME", "a-name-with-more-than-sixty-three-characters-is-cut-off-by-starpu"},
        {"STARPU_MPI_HOSTNAMES", "a b/c"},
        {"STARPU_MPI_HOSTNAMES", " "},
        {"STARPU_FXT_PREFIX", "/dev/null/folder"},
        {"STARPU_BUS_STATS_FILE", "/dev/null/file"},
        {"STARPU_SCHED_LIB", "/dev/null"},
        {"STARPU_HWLOC_INPUT", "/dev/null"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        setenv(bad[i].name, bad[i].value, 1);
        const starfish_status status = starfish_variables_check();
        const char *said = starfish_error_message();
        if (status != STARFISH_ERROR_ARGUMENT || strncmp(said, bad[i].name, strlen(bad[i].name)) != 0 ||
            !strstr(said, bad[i].value))
            fail_msg("%s=%s: status %d, %s", bad[i].name, bad[i].value, (int)status, said);
        unsetenv(bad[i].name);
    }
}

static void empty_values_are_unset(void **state)
{
    static const char *const names[] = {"STARPU_NCPU", "STARPU_SCHED", "STARPU_WORKERS_CPUID", "STARPU_NCUDA"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        setenv(names[i], "", 1);
    assert_int_equal(starfish_variables_check(), STARFISH_SUCCESS);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_null(getenv(names[i]));
}

/* ---- Files of measurements --------------------------------------------------------------------------------------- */

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static char scratch[64];

static int make_scratch(void **state)
{
    (void)state;
    snprintf(scratch, sizeof scratch, "/tmp/starfish-surroundings-XXXXXX");
    return mkdtemp(scratch) ? 0 : -1;
}

static int remove_scratch(void **state)
{
    (void)state;
    starfish_cache_dir_remove(scratch);
    return 0;
}

#define HEAD "# version\n45\n\n# combinations\n1\n# devices\n1\n# kind\n0\n# number\n0\n# cores\n1\n# variants\n1\n"
#define FIT "# sums\n0.0\t0.0\t0.0\t0.0\tnan\tnan\t0\t0\t0\n# a\nnan\tnan\tnan\n# none\n0\n# hash\n"
#define MODEL(times) HEAD "# entries\n1\n" FIT times

static void files_that_starpu_can_read(void **state)
{
    static const struct {
        enum starfish_measurement kind;
        int bad;
        const char *text;
    } file[] = {
        {STARFISH_MEASUREMENT_CONFIG, 0, "# Current configuration\n2 # Number of CPUs\n1 # Number of NUMA nodes\n"},
        {STARFISH_MEASUREMENT_CONFIG, 1, ""},
        {STARFISH_MEASUREMENT_CONFIG, 1, "garbled"},
        {STARFISH_MEASUREMENT_AFFINITY, 0, "# GPU\tNUMA0\t\n"},
        {STARFISH_MEASUREMENT_AFFINITY, 0, "# GPU\tNUMA0\tNUMA1\t\n0\t1\t0\t\n1\t0\t1\t\n"},
        {STARFISH_MEASUREMENT_AFFINITY, 1, ""},
        {STARFISH_MEASUREMENT_AFFINITY, 1, "# GPU\tNUMA0\tNUMA1\t\n0\t1\t"},
        {STARFISH_MEASUREMENT_AFFINITY, 1, "# GPU\tNUMA0\t\n7\t0\t\n"},
        {STARFISH_MEASUREMENT_FILE, 0, ""},
        {STARFISH_MEASUREMENT_MODEL, 0, ""},
        {STARFISH_MEASUREMENT_MODEL, 0, HEAD "# entries\n0\n" FIT "\n"},
        {STARFISH_MEASUREMENT_MODEL, 0, MODEL("0a02\t8\t0.0\t2.1e+01\t2.8\t1.3e+04\t2.9e+05\t635\n\n")},
        {STARFISH_MEASUREMENT_MODEL, 0, MODEL("0a02\t8\tnan\t2.1e+01\t2.8\t1.3e+04\t2.9e+05\t635\n\n")},
        {STARFISH_MEASUREMENT_MODEL, 0, MODEL("0a02\t8\t2.1e+01\t2.8\t1.3e+04\t2.9e+05\t635\n\n")},
        {STARFISH_MEASUREMENT_MODEL, 1, MODEL("0a02\t8\t0,0\t2,1e+01\t2,8\t1,3e+04\t2,9e+05\t635\n\n")},
        {STARFISH_MEASUREMENT_MODEL, 1, MODEL("0a02\t8\t0.0\t-2.1e+01\t2.8\t1.3e+04\t2.9e+05\t635\n\n")},
        {STARFISH_MEASUREMENT_MODEL, 1, MODEL("0a02\t8\t0.0\t2.1e+01\tnan\t1.3e+04\t2.9e+05\t635\n\n")},
        {STARFISH_MEASUREMENT_MODEL, 1, MODEL("0a02\t8\t0.0\t2.1e+01\t2.8\n\n")},
        {STARFISH_MEASUREMENT_MODEL, 1, MODEL("0a02\t8\t0.0\t2.1e+01\t2.8\t1.3e+04\t2.9e+05\t635")},
        {STARFISH_MEASUREMENT_MODEL, 1, MODEL("")},
        {STARFISH_MEASUREMENT_MODEL, 1, "44\n0\n"},
        {STARFISH_MEASUREMENT_MODEL, 1, "45\n1\n100000000\n"},
        {STARFISH_MEASUREMENT_MODEL, 1, "garbled"},
    };
    char path[128];
    (void)state;
    snprintf(path, sizeof path, "%s/file", scratch);
    assert_int_equal(starfish_measurement_is_bad(path, STARFISH_MEASUREMENT_MODEL), 0);
    for (size_t i = 0; i < sizeof file / sizeof file[0]; i++) {
        write_text(path, file[i].text);
        if (starfish_measurement_is_bad(path, file[i].kind) != file[i].bad)
            fail_msg("file %zu should be %s: %s", i, file[i].bad ? "bad" : "good", file[i].text);
    }
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(starfish_measurement_is_bad(path, STARFISH_MEASUREMENT_MODEL), 1);
    unlink(path);
    assert_int_equal(symlink("/dev/zero", path), 0);
    assert_int_equal(starfish_measurement_is_bad(path, STARFISH_MEASUREMENT_FILE), 1);
    unlink(path);
}

/* ---- Folders ----------------------------------------------------------------------------------------------------- */

/* Folders of measurements below it are StarPU's usual ones. */
static void live_in(const char *folder)
{
    static const char *const others[] = {"XDG_CACHE_HOME", "STARPU_PERF_MODEL_DIR", "STARPU_PERF_MODEL_PATH"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        unsetenv(others[i]);
    setenv("STARPU_HOME", folder, 1);
    setenv("STARPU_HOSTNAME", "here", 1);
}

static const char *puts_files_aside(void)
{
    static const char *const bad[] = {"bus/here.config", "bus/here.affinity", "codelets/45/starfish_add.here"};
    char path[256], aside[300];
    struct starfish_cache_dir home;
    live_in(scratch);
    starfish_cache_dir_find(&home);
    EXPECT(home.kind == STARFISH_CACHE_DIR_USUAL && home.put_aside == 0 && strstr(home.usual, scratch));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        snprintf(path, sizeof path, "%s/.starpu/sampling/%s", scratch, bad[i]);
        snprintf(aside, sizeof aside, "%s.unreadable", path);
        EXPECT(i % 2 == 0 ? mkfifo(path, 0600) == 0 : mkdir(path, 0700) == 0);
        starfish_cache_dir_find(&home);
        EXPECT(home.kind == STARFISH_CACHE_DIR_USUAL && home.put_aside == 1 && strcmp(home.aside, path) == 0);
        EXPECT(access(path, F_OK) != 0 && access(aside, F_OK) == 0);
    }
    snprintf(path, sizeof path, "%s/.starpu/sampling/codelets/45/starfish_add.elsewhere", scratch);
    write_text(path, "of another host: never read here");
    starfish_cache_dir_find(&home);
    EXPECT(home.put_aside == 0 && access(path, F_OK) == 0);
    return NULL;
}

static const char *trusts_no_folder_of_others(void)
{
    char starpu[128];
    struct starfish_cache_dir home;
    EXPECT(chmod(scratch, 01777) == 0);
    live_in(scratch);
    starfish_cache_dir_find(&home);
    EXPECT(home.kind == STARFISH_CACHE_DIR_USUAL);
    snprintf(starpu, sizeof starpu, "%s/.starpu", scratch);
    EXPECT(chmod(starpu, 0777) == 0); /* as if another user had made it: all may change what is in it */
    starfish_cache_dir_find(&home);
    EXPECT(home.kind != STARFISH_CACHE_DIR_USUAL);
    if (home.kind == STARFISH_CACHE_DIR_TEMPORARY)
        starfish_cache_dir_remove(home.other);
    return NULL;
}

/* A limit of files stands for a full disk: links need more than one page, models are tried later. */
static const char *needs_room(void)
{
    const struct rlimit page = {4096, 4096};
    struct starfish_cache_dir home;
    live_in(scratch);
    signal(SIGXFSZ, SIG_IGN);
    EXPECT(setrlimit(RLIMIT_FSIZE, &page) == 0);
    starfish_cache_dir_find(&home);
    EXPECT(home.kind == STARFISH_CACHE_DIR_NOWHERE);
    signal(SIGXFSZ, SIG_DFL);
    EXPECT(starfish_check_limits(1) == STARFISH_ERROR_RUNTIME && strstr(starfish_error_message(), "ulimit -f"));
    return NULL;
}

static void folders(void **state)
{
    (void)state;
    in_child(puts_files_aside);
    in_child(trusts_no_folder_of_others);
    in_child(needs_room);
}

/* ---- Contexts ---------------------------------------------------------------------------------------------------- */

static int warnings;

static void count_warnings(void *data, starfish_log_level level, const char *message)
{
    (void)data, (void)message;
    warnings += level == STARFISH_LOG_WARNING;
}

/* A solve of its own with a policy that uses models. */
static const char *solves(int expected_warnings)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    struct starfish_poisson_problem problem = {.lambda = 0};
    static double field[8 * 8 * 8];
    starfish_context *context;
    starfish_plan *plan;
    options.cpu_workers = 1;
    options.gpu_workers = 0;
    options.policy = "dmda";
    options.log = count_warnings;
    for (int axis = 0; axis < 3; axis++)
        problem.axis[axis] = (struct starfish_axis){
            .kind = STARFISH_UNIFORM, .n = 8, .length = 1, .ends = {STARFISH_DIRICHLET, STARFISH_DIRICHLET}};
    for (size_t e = 0; e < sizeof field / sizeof field[0]; e++)
        field[e] = 1;
    warnings = 0;
    EXPECT(starfish_context_create(&context, &options) == STARFISH_SUCCESS);
    EXPECT(starfish_poisson_plan_create(context, &problem, NULL, &plan) == STARFISH_SUCCESS);
    EXPECT(starfish_plan_solve(plan, NULL, field, field, NULL) == STARFISH_SUCCESS);
    starfish_plan_destroy(plan);
    starfish_context_destroy(context);
    EXPECT(warnings == expected_warnings);
    return NULL;
}

static const char *solves_without_a_warning(void)
{
    live_in(scratch);
    return solves(0);
}

static const char *solves_with_a_warning(void)
{
    live_in(scratch);
    return solves(1);
}

static void what_a_full_disk_leaves(void **state)
{
    static const char *const left[] = {"config", "affinity", "latency", "bandwidth"};
    (void)state;
    in_child(solves_without_a_warning);
    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/.starpu/sampling/bus/here.%s", scratch, left[i]);
        write_text(path, "");
        in_child(i < 2 ? solves_with_a_warning : solves_without_a_warning); /* StarPU measures the others again */
        in_child(solves_without_a_warning);
    }
}

/* ---- Names of hosts ---------------------------------------------------------------------------------------------- */

static int resolved;

/* In place of the C library's, also for the libraries that hwloc loads: the program exports it. */
__attribute__((visibility("default"))) int getaddrinfo(const char *name, const char *service,
                                                       const struct addrinfo *req, struct addrinfo **pai)
{
    (void)name, (void)service, (void)req, (void)pai;
    resolved++;
    return EAI_FAIL;
}

/* Where no server answers, each name takes seconds. */
static const char *resolves_no_name(void)
{
    live_in(scratch);
    unsetenv("HWLOC_COMPONENTS");
    const char *wrong = solves(0);
    EXPECT(resolved == 0 && !getenv("HWLOC_COMPONENTS"));
    return wrong;
}

static void no_name_is_resolved(void **state)
{
    (void)state;
    in_child(resolves_no_name);
}

/* ---- The host's locale ------------------------------------------------------------------------------------------- */

static int has_decimal_comma(void)
{
    char command[256];
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 > /dev/null 2>&1", scratch);
    setenv("LOCPATH", scratch, 1);
    return system(command) == 0 && setlocale(LC_ALL, "de_DE.UTF-8") && *localeconv()->decimal_point == ',';
}

static const char *solves_in_german(void)
{
    EXPECT(setlocale(LC_ALL, "de_DE.UTF-8"));
    live_in(scratch);
    return solves(0);
}

static const char *speaks_c_in_german(void)
{
    char text[16], *end;
    EXPECT(setlocale(LC_ALL, "de_DE.UTF-8"));
    starfish_print(text, sizeof text, "%g", 0.5);
    EXPECT(strcmp(text, "0.5") == 0);
    EXPECT(starfish_read_real("0.5", &end) == 0.5 && *end == 0);
    starfish_fail(STARFISH_ERROR_ARGUMENT, "%g", 0.5);
    EXPECT(strcmp(starfish_error_message(), "0.5") == 0);
    snprintf(text, sizeof text, "%g", 0.5);
    EXPECT(strcmp(text, "0,5") == 0); /* the host's stays */
    return NULL;
}

/* A file of one locale is read in the other. */
static void the_locale_does_not_matter(void **state)
{
    (void)state;
    if (!has_decimal_comma())
        skip();
    setlocale(LC_ALL, "C");
    in_child(speaks_c_in_german);
    in_child(solves_in_german);
    in_child(solves_without_a_warning);
    in_child(solves_in_german);
}

/* ---- Few processes ----------------------------------------------------------------------------------------------- */

static const char *is_told_how_many_threads(void)
{
    enum { SOMEBODY = 54321 };
    const struct rlimit few = {2, 2};
    starfish_context *context;
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    options.gpu_workers = 0;
    options.cpu_workers = 1;
    EXPECT(setgid(SOMEBODY) == 0 && setuid(SOMEBODY) == 0 && setrlimit(RLIMIT_NPROC, &few) == 0);
    EXPECT(starfish_check_limits(8) == STARFISH_ERROR_RUNTIME && strstr(starfish_error_message(), "of the 8 threads"));
    EXPECT(starfish_context_create(&context, &options) == STARFISH_ERROR_RUNTIME);
    EXPECT(strstr(starfish_error_message(), "ulimit -u"));
    return NULL;
}

static void few_processes_are_an_error(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip(); /* limits of processes are counted for a user, and do not hold for root */
    in_child(is_told_how_many_threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_values_pass),
        cmocka_unit_test(bad_values_are_named),
        cmocka_unit_test(empty_values_are_unset),
        cmocka_unit_test_setup_teardown(files_that_starpu_can_read, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(folders, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(what_a_full_disk_leaves, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(no_name_is_resolved, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(the_locale_does_not_matter, make_scratch, remove_scratch),
        cmocka_unit_test(few_processes_are_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
