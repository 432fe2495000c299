/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starting StarPU: which workers on which cores, and what its variables must say.
 *
 * StarPU ends the process if its environment is not as it expects; it reports no errors. So starfish_start_starpu
 * checks all of it before StarPU starts: environment variables, limits of the process, and the files and folders of its
 * measurements. StarPU starts, stops and receives tasks in the C locale.
 *
 * Two settings matter most. With a GPU, StarPU writes device buffers back to the host whenever it is idle to keep a
 * share of them "clean"; a solver that iterates on the device pays for that with the whole link, so both shares are set
 * to zero unless the user has set them. And StarPU must not catch the host program's signals or print. Where the user
 * limits the memory of devices, StarPU's pieces of 32 MB for small data, of which it keeps four free ones, are too
 * much: it then takes small data one by one. And it prefetches nothing there: memory that it has prefetched for a task
 * which only writes is never free for other prefetches again (StarPU 1.4.10 counts such tasks and does not count them
 * off), so that these take memory of other sizes instead, by one cudaFree after the other.
 *
 * Which cores. StarPU uses those that the calling thread is bound to, or all of the machine if these are not
 * consecutive. Its list of cores has STARPU_NMAXWORKERS entries on every machine. So STARPU_WORKERS_CPUID is set if the
 * process may not use all cores, or there are too many. */
#include "scheduler/runtime/start.h"
#include "scheduler/runtime/hooks.h"

#include "base/c_locale.h"
#include "scheduler/runtime/cache_dir.h"
#include "scheduler/runtime/limits.h"
#include "scheduler/runtime/memory.h"
#include "scheduler/runtime/stacks.h"
#include "scheduler/runtime/variables.h"

#ifdef STARFISH_HAVE_GPU
#include <cuda_runtime_api.h>
#endif
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int environment_count(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? atoi(value) : -1;
}

static void set_environment_defaults(void)
{
    static const char *const defaults[][2] = {
        {"STARPU_MINIMUM_CLEAN_BUFFERS", "0"},
        {"STARPU_TARGET_CLEAN_BUFFERS", "0"},
        {"STARPU_SILENT", "1"},
    };
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++)
        setenv(defaults[i][0], defaults[i][1], 0);
    if (!starfish_memory_is_limited())
        return;
    setenv("STARPU_SUBALLOCATOR", "0", 0);
    setenv("STARPU_PREFETCH", "0", 0);
}

/* The variable with the number of CPU workers. If both are set, StarPU uses this one. */
static const char *cores_variable(void)
{
    return environment_count("STARPU_NCPU") >= 0 ? "STARPU_NCPU" : "STARPU_NCPUS";
}

/* StarPU would put several workers on one core, where each waits for the others. */
static starfish_status check_cores(const char *name, int cpu_workers, int cores)
{
#ifdef STARPU_SIMGRID
    (void)name, (void)cpu_workers, (void)cores; /* the simulated machine has other cores than this one */
#else
    const int threads = environment_count("STARPU_NTHREADS_PER_CORE"), most = threads > 1 ? threads * cores : cores;
    STARFISH_REFUSE_IF(cpu_workers > most, "%s is %d, but there are only %d%s", name, cpu_workers, most,
                       starfish_topology_is_restricted() ? " that this process may use" : "");
#endif
    return STARFISH_SUCCESS;
}

/* More cores than this only add scheduling cost: memory-bound work saturates long before. */
enum { DEFAULT_CORES_AT_MOST = 16 };

/* In a simulation StarPU would take as many workers as its recorded file of links has CPUs, which are hardware threads:
 * twice as many as cores, on most machines. */
#ifdef STARPU_SIMGRID
enum { COUNTS_CORES = 0 };
#else
enum { COUNTS_CORES = 1 };
#endif

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Default number of cores with workers. */
static int cores_by_default(void)
{
    int cores, numa_nodes;
    starfish_topology_count(&cores, &numa_nodes);
    const int quota = starfish_topology_quota();
    return quota > 0 ? least(cores, quota) : cores;
}

/* Cores that work beside GPUs. StarPU drives each GPU from a core of its own. Idle workers spin: without a core of its
 * own too, the submitting thread waits for the operating system's time slices. */
static int cores_beside(int gpus, int cores)
{
    const int left = cores - gpus - (gpus > 0 && cores > 2);

    return left > 0 ? least(left, DEFAULT_CORES_AT_MOST) : 0;
}

/* Negative numbers leave it to StarPU. */
static struct starfish_crew choose_crew(const struct starfish_context_options *options, int gpus)
{
    int all, numa_nodes;
    starfish_topology_count(&all, &numa_nodes);
    const int cores = cores_by_default(), restricted = cores < all || starfish_topology_is_restricted();
    const int in_environment = environment_count(cores_variable()), per_worker = options->cores_per_worker;
    struct starfish_crew crew = {options->cpu_workers, options->cpu_workers};

    if (crew.cores < 0 && per_worker == 0 && in_environment >= 0)
        return crew;
    if (crew.cores < 0 && per_worker == 0 && gpus == 0) {
        if (restricted || cores > DEFAULT_CORES_AT_MOST || !COUNTS_CORES)
            crew.workers = crew.cores = least(cores, DEFAULT_CORES_AT_MOST);
        return crew;
    }
    if (crew.cores < 0)
        crew.cores = in_environment >= 0 ? in_environment : cores_beside(gpus, cores);
    const int size = per_worker > 0 ? per_worker : gpus > 0 ? (crew.cores + numa_nodes - 1) / numa_nodes : 1;
    crew.workers = crew.cores > 0 ? (crew.cores + size - 1) / size : 0;
    return crew;
}

/* StarPU is built for so many workers of cores. */
static void cap_crew(const struct starfish_context *context, struct starfish_crew *crew)
{
    const int asked = crew->workers >= 0 ? crew->workers : environment_count(cores_variable());
    if (asked <= STARPU_MAXCPUS)
        return;
    starfish_log(context, STARFISH_LOG_WARNING,
                 "%d CPU workers are asked for, but this StarPU is built for %d (--enable-maxcpus): %d work", asked,
                 STARPU_MAXCPUS, STARPU_MAXCPUS);
    crew->workers = STARPU_MAXCPUS;
    if (crew->cores < 0 || crew->cores == asked)
        crew->cores = STARPU_MAXCPUS;
}

starfish_status starfish_no_worker(const struct starfish_context_options *options)
{
    STARFISH_REFUSE_IF(options->cpu_workers == 0 && starfish_gpu_count() == 0,
                       "context: no worker: only GPUs are asked for, and there is none that can be used");
    static const char *const variables[] = {"STARPU_NCPU", "STARPU_NCPUS", "STARPU_RESERVE_NCPU", "STARPU_NCUDA",
                                            "STARPU_MAIN_THREAD_BIND"};
    char set[256] = "";
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const size_t used = strlen(set);
        if (environment_count(variables[i]) >= 0)
            snprintf(set + used, sizeof set - used, ", %s %d", variables[i], environment_count(variables[i]));
    }
    return starfish_fail(STARFISH_ERROR_ARGUMENT,
                         "context: no worker of the kinds and numbers asked for (cpu_workers %d, gpu_workers %d%s)",
                         options->cpu_workers, options->gpu_workers, set);
}

/* StarPU lets its variables win over what it is given. A variable that must be another one while StarPU starts, or none
 * (NULL): so an option of ours that was given wins over its variable. */
struct variable {
    const char *name;
    char *before; /* as the host program has it; NULL: not at all */
    int changed;
};

static struct variable change_variable(const char *name, int change, const char *value)
{
    const char *before = getenv(name);
    struct variable variable = {name, change && before ? strdup(before) : NULL, change};
    if (change && value)
        setenv(name, value, 1);
    else if (change)
        unsetenv(name);
    return variable;
}

static void restore_variable(struct variable variable)
{
    if (variable.changed && variable.before)
        setenv(variable.name, variable.before, 1);
    else if (variable.changed)
        unsetenv(variable.name);
    free(variable.before);
}

/* The value of STARPU_WORKERS_CPUID, the cores of StarPU's workers; "": StarPU finds them itself. */
static void list_cores(char *text, size_t size)
{
    static int unit[STARPU_MAXCPUS];
    const size_t count = starfish_topology_cores(unit, STARPU_MAXCPUS);
    text[0] = 0;
    if (getenv("STARPU_WORKERS_CPUID") || getenv("STARPU_WORKERS_COREID") ||
        (count < STARPU_MAXCPUS && !starfish_topology_is_restricted()))
        return;
    for (size_t i = 0, used = 0; i < count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%d", i > 0 ? "," : "", unit[i]);
}

/* The calling thread's CUDA device, which StarPU changes where it measures links. */
static int current_device(void)
{
    int device = 0;
#ifdef STARFISH_HAVE_GPU
    cudaGetDevice(&device);
#endif
    return device;
}

static void return_to_device(int device)
{
#ifdef STARFISH_HAVE_GPU
    if (current_device() != device)
        cudaSetDevice(device);
#else
    (void)device;
#endif
}

/* StarPU takes folders that are empty texts for folders. */
static int is_empty(const char *name)
{
    const char *value = getenv(name);
    return value && !*value;
}

enum { FOLDERS = 8 };

/* Sets the variables of folders, so that StarPU stores its measurements in `home`. */
static size_t change_folders(struct variable changed[FOLDERS], const char *home)
{
    size_t count = 0;
    for (const char *const *name = starfish_cache_dir_variables; *name; name++)
        changed[count++] = change_variable(*name, home || is_empty(*name), home);
    for (const char *const *name = starfish_temporary_variables; *name; name++)
        changed[count++] = change_variable(*name, is_empty(*name), NULL);
    changed[count++] = change_variable("STARPU_PERF_MODEL_DIR", home != NULL, NULL);
    changed[count++] = change_variable("STARPU_PERF_MODEL_PATH", home != NULL, NULL);
    return count;
}

static int initialise(struct starpu_conf *conf, const struct starfish_context_options *options, const char *home)
{
    char cores[STARPU_MAXCPUS * 12];
    list_cores(cores, sizeof cores);
    struct variable changed[] = {
        change_variable("STARPU_NCPU", conf->ncpus >= 0, NULL),
        change_variable("STARPU_NCPUS", conf->ncpus >= 0, NULL),
        change_variable("STARPU_NCUDA", options->gpu_workers >= 0, NULL),
        change_variable("STARPU_SCHED", options->policy || conf->sched_policy, NULL),
        change_variable("STARPU_WORKERS_CPUID", *cores, cores),
        change_variable("HWLOC_COMPONENTS", !getenv("HWLOC_COMPONENTS"), "-gl"), /* see topology.c */
    };
    struct variable folders[FOLDERS];
    const size_t count = change_folders(folders, home);
    void *binding = starfish_topology_binding();
    const int device = current_device();
    const size_t stacks = starfish_stacks_enlarge();
    const locale_t locale = starfish_c_locale_enter();
    int code = starpu_init(conf);
    starfish_c_locale_leave(locale);
    starfish_stacks_restore(stacks);
    return_to_device(device);
    starfish_topology_bind_again(binding);
    for (size_t i = 0; i < sizeof changed / sizeof changed[0]; i++)
        restore_variable(changed[i]);
    for (size_t i = 0; i < count; i++)
        restore_variable(folders[i]);
    return code;
}

static starfish_status fill_conf(struct starpu_conf *conf, const struct starfish_context_options *options,
                                 const struct starfish_context *context, struct starfish_crew *crew)
{
    STARFISH_FAIL_IF(starpu_conf_init(conf) != 0, STARFISH_ERROR_RUNTIME, "StarPU: starpu_conf_init failed");
    int cores, numa_nodes;
    starfish_topology_count(&cores, &numa_nodes);
    if (options->cpu_workers >= 0)
        STARFISH_TRY(check_cores("options.cpu_workers", options->cpu_workers, cores));
    else
        STARFISH_TRY(check_cores(cores_variable(), environment_count(cores_variable()), cores));
    const int asked = options->gpu_workers >= 0 ? options->gpu_workers : environment_count("STARPU_NCUDA");
    const int there = starfish_gpu_count(), gpus = asked >= 0 && asked < there ? asked : there;
    *crew = choose_crew(options, gpus);
    cap_crew(context, crew);
    conf->ncpus = crew->workers;
    conf->ncuda = options->gpu_workers;
    conf->catch_signals = 0;
    const char *environment_policy = getenv("STARPU_SCHED");
    if (options->policy || !environment_policy || !*environment_policy)
        environment_policy = NULL;
    else if (starfish_hooks.check_policy)
        STARFISH_TRY(starfish_hooks.check_policy("STARPU_SCHED", environment_policy));
    const char *name = options->policy ? options->policy : environment_policy;
    conf->sched_policy_name = name ? name : gpus > 0 ? "dmdas" : "lws";
    conf->sched_policy = starfish_hooks.find_policy ? starfish_hooks.find_policy(conf->sched_policy_name) : NULL;
    if (conf->sched_policy)
        conf->sched_policy_name = NULL; /* StarPU would look for it among its own */
    return STARFISH_SUCCESS;
}

/* ---- Where StarPU keeps what it has measured --------------------------------------------------------------------- */

static char temporary_home[STARFISH_CACHE_DIR_PATH]; /* to be removed when StarPU has stopped; "": none */

static void log_home(const struct starfish_context *context, const struct starfish_cache_dir *home)
{
    if (home->put_aside > 0)
        starfish_log(context, STARFISH_LOG_WARNING,
                     "StarPU could not read %s%s: put aside under that name with .unreadable at its end", home->aside,
                     home->put_aside > 1 ? " and other files" : "");
    if (home->kind == STARFISH_CACHE_DIR_CACHE)
        starfish_log(context, STARFISH_LOG_WARNING, "%s cannot be used: what StarPU measures is kept in %s",
                     home->usual, home->other);
    if (home->kind == STARFISH_CACHE_DIR_TEMPORARY)
        starfish_log(context, STARFISH_LOG_WARNING,
                     "%s cannot be used, nor can cache folders: what StarPU measures is not kept", home->usual);
}

/* A recorded machine is only read. */
static starfish_status find_home(const struct starfish_context *context, struct starfish_cache_dir *home)
{
#ifdef STARPU_SIMGRID
    (void)context;
    home->kind = STARFISH_CACHE_DIR_USUAL;
    return STARFISH_SUCCESS;
#endif
    starfish_cache_dir_find(home);
    log_home(context, home);
    if (home->kind == STARFISH_CACHE_DIR_TEMPORARY)
        snprintf(temporary_home, sizeof temporary_home, "%s", home->other);
    return STARFISH_OR_FAIL(home->kind != STARFISH_CACHE_DIR_NOWHERE, STARFISH_ERROR_RUNTIME,
                            "StarPU needs a folder for what it measures, and neither %s nor a cache folder nor a "
                            "temporary one can be written: set STARPU_HOME",
                            home->usual);
}

/* Of a StarPU that runs already. */
static void mend_home(const struct starfish_context *context)
{
#ifdef STARPU_SIMGRID
    (void)context;
#else
    struct starfish_cache_dir home;
    starfish_cache_dir_mend(&home);
    log_home(context, &home);
#endif
}

static void remove_temporary_home(void)
{
    if (*temporary_home)
        starfish_cache_dir_remove(temporary_home);
    temporary_home[0] = 0;
}

/* ---- Start and stop ---------------------------------------------------------------------------------------------- */

/* Of StarPU and ours beside the caller's: one for each core that works and each GPU, and one that watches them. */
static int threads_of(const struct starpu_conf *conf, const struct starfish_crew *crew)
{
    enum { BESIDE = 1 };
    int cores, numa_nodes;
    const int in_environment = environment_count(cores_variable());
    starfish_topology_count(&cores, &numa_nodes);
    if (crew->cores >= 0)
        cores = crew->cores > conf->ncpus ? crew->cores : conf->ncpus;
    else if (in_environment >= 0)
        cores = in_environment;
    return cores + (conf->ncuda >= 0 ? conf->ncuda : starfish_gpu_count()) + BESIDE;
}

starfish_status starfish_start_starpu(const struct starfish_context *context,
                                      const struct starfish_context_options *options, struct starfish_crew *crew)
{
    struct starpu_conf conf;
    struct starfish_cache_dir home;
    STARFISH_TRY(starfish_variables_check());
    starfish_topology_look();
    set_environment_defaults();
    STARFISH_TRY(fill_conf(&conf, options, context, crew));
    STARFISH_TRY(starfish_check_limits(threads_of(&conf, crew)));
    STARFISH_TRY(find_home(context, &home));
    int code = initialise(&conf, options, home.kind == STARFISH_CACHE_DIR_USUAL ? NULL : home.other);
    if (code != 0)
        remove_temporary_home();
    if (code == -ENODEV)
        return starfish_no_worker(options);
    STARFISH_FAIL_IF(code != 0, STARFISH_ERROR_RUNTIME, "StarPU: starpu_init failed: %s", strerror(-code));
    return STARFISH_SUCCESS;
}

starfish_status starfish_join_starpu(const struct starfish_context *context, int is_the_hosts)
{
    STARFISH_TRY(starfish_variables_check());
    if (is_the_hosts)
        mend_home(context);
    STARFISH_FAIL_IF(starpu_init(NULL) != 0, STARFISH_ERROR_RUNTIME, "StarPU: joining the running StarPU failed");
    return STARFISH_SUCCESS;
}

void starfish_stop_starpu(void)
{
    const locale_t locale = starfish_c_locale_enter();
    starpu_shutdown();
    starfish_c_locale_leave(locale);
    if (!starpu_is_initialized())
        remove_temporary_home();
}
