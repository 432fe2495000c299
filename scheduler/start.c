/* Starting StarPU: which workers on which cores, and what its variables must say.
 *
 * Two settings matter most. With a GPU, StarPU writes device buffers back to the host whenever it is idle to keep a
 * share of them "clean"; a solver that iterates on the device pays for that with the whole link, so both shares are set
 * to zero unless the user has set them. And StarPU must not catch the host program's signals or print. Where the user
 * limits the memory of devices, StarPU's pieces of 32 MB for small data, of which it keeps four free ones, are too
 * much: it then takes small data one by one. And it prefetches nothing there: memory that it has prefetched for a task
 * which only writes is never free for other prefetches again (StarPU 1.4.10 counts such tasks and does not count them
 * off), so that these take memory of other sizes instead, by one cudaFree after the other.
 *
 * Which cores. StarPU takes those that the calling thread is bound to, but all of the machine where these do not follow
 * each other, and its list of cores has STARPU_NMAXWORKERS entries whatever the machine has. So it is told the cores by
 * STARPU_WORKERS_CPUID wherever the process may not use all of them, or there are too many. */
#include "scheduler/start.h"

#include "scheduler/address_space.h"
#include "scheduler/home.h"
#include "scheduler/memory.h"
#include "scheduler/policies/policies.h"
#include "scheduler/stacks.h"

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

/* StarPU would put several workers on one core, where each waits for the others. */
static starfish_status check_cores(int cpu_workers, int cores)
{
#ifdef STARPU_SIMGRID
    (void)cpu_workers; /* the simulated machine has other cores than this one */
    (void)cores;
#else
    const int threads = environment_count("STARPU_NTHREADS_PER_CORE"), most = threads > 1 ? threads * cores : cores;
    if (cpu_workers > most)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "options.cpu_workers is %d, but there are only %d%s", cpu_workers,
                             most, starfish_topology_is_restricted() ? " that this process may use" : "");
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

/* Cores that work where nobody says how many. */
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
    const int in_environment = environment_count("STARPU_NCPU"), per_worker = options->cores_per_worker;
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
    const int asked = crew->workers >= 0 ? crew->workers : environment_count("STARPU_NCPU");
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
    if (options->cpu_workers == 0 && starfish_gpu_count() == 0)
        return starfish_fail(STARFISH_ERROR_ARGUMENT,
                             "context: no worker: only GPUs are asked for, and there is none that can be used");
    return starfish_fail(STARFISH_ERROR_ARGUMENT,
                         "context: no worker of the kinds and numbers asked for (cpu_workers %d, gpu_workers %d)",
                         options->cpu_workers, options->gpu_workers);
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

static int empty(const char *name)
{
    const char *value = getenv(name);
    return value && !*value;
}

/* The cores that StarPU must be told, as STARPU_WORKERS_CPUID has them; "": it finds them by itself. */
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

static int initialise(struct starpu_conf *conf, const struct starfish_context_options *options, const char *home)
{
    char cores[STARPU_MAXCPUS * 12];
    list_cores(cores, sizeof cores);
    struct variable changed[] = {
        change_variable("STARPU_NCPU", conf->ncpus >= 0, NULL),
        change_variable("STARPU_NCPUS", conf->ncpus >= 0, NULL),
        change_variable("STARPU_NCUDA", options->gpu_workers >= 0, NULL),
        change_variable("STARPU_SCHED", options->policy || conf->sched_policy || empty("STARPU_SCHED"), NULL),
        change_variable("STARPU_WORKERS_CPUID", *cores, cores),
        change_variable("STARPU_PERF_MODEL_DIR", home != NULL, NULL),
        change_variable("XDG_CACHE_HOME", home != NULL, home),
        change_variable("STARPU_HOME", home != NULL, home),
    };
    void *binding = starfish_topology_binding();
    const int device = current_device();
    const size_t stacks = starfish_stacks_enlarge();
    int code = starpu_init(conf);
    starfish_stacks_restore(stacks);
    return_to_device(device);
    starfish_topology_bind_again(binding);
    for (size_t i = 0; i < sizeof changed / sizeof changed[0]; i++)
        restore_variable(changed[i]);
    return code;
}

static starfish_status fill_conf(struct starpu_conf *conf, const struct starfish_context_options *options,
                                 const struct starfish_context *context, struct starfish_crew *crew)
{
    if (starpu_conf_init(conf) != 0)
        return starfish_fail(STARFISH_ERROR_RUNTIME, "StarPU: starpu_conf_init failed");
    int cores, numa_nodes;
    starfish_topology_count(&cores, &numa_nodes);
    STARFISH_TRY(check_cores(options->cpu_workers, cores));
    const int asked = options->gpu_workers >= 0 ? options->gpu_workers : environment_count("STARPU_NCUDA");
    const int there = starfish_gpu_count(), gpus = asked >= 0 && asked < there ? asked : there;
    *crew = choose_crew(options, gpus);
    cap_crew(context, crew);
    conf->ncpus = crew->workers;
    conf->ncuda = options->gpu_workers;
    conf->catch_signals = 0;
    const char *environment_policy = getenv("STARPU_SCHED");
    if (!options->policy && environment_policy && *environment_policy)
        STARFISH_TRY(starfish_policy_check("STARPU_SCHED", environment_policy));
    else
        environment_policy = NULL;
    const char *name = options->policy ? options->policy : environment_policy;
    conf->sched_policy_name = name ? name : gpus > 0 ? "dmdas" : "lws";
    conf->sched_policy = starfish_policy_own(conf->sched_policy_name);
    if (conf->sched_policy)
        conf->sched_policy_name = NULL; /* StarPU would look for it among its own */
    return STARFISH_SUCCESS;
}

/* ---- Where StarPU keeps what it has measured --------------------------------------------------------------------- */

static char temporary_home[4096]; /* to be removed when StarPU has stopped; "": none */

/* *home: the folder that is to stand for HOME, or NULL. */
static starfish_status find_home(const struct starfish_context *context, char *folder, size_t size, const char **home)
{
    char usual[4096];
    *home = NULL;
#ifdef STARPU_SIMGRID
    (void)context, (void)folder, (void)size, (void)usual; /* a recorded machine is only read */
    return STARFISH_SUCCESS;
#endif
    const enum starfish_home found = starfish_home_find(usual, folder, size);
    char kept[4096 + 32];
    snprintf(kept, sizeof kept, found == STARFISH_HOME_USUAL ? "%s" : "%s/.starpu/sampling",
             found == STARFISH_HOME_USUAL ? usual : folder);
    const int removed = starfish_home_mend(kept);
    if (removed > 0)
        starfish_log(context, STARFISH_LOG_WARNING,
                     "%d performance models in %s were not written to their end and are removed", removed, kept);
    switch (found) {
    case STARFISH_HOME_USUAL:
        break;
    case STARFISH_HOME_CACHE:
        *home = folder;
        starfish_log(context, STARFISH_LOG_WARNING, "%s cannot be written: what StarPU measures is kept in %s", usual,
                     folder);
        break;
    case STARFISH_HOME_TEMPORARY:
        *home = folder;
        snprintf(temporary_home, sizeof temporary_home, "%s", folder);
        starfish_log(context, STARFISH_LOG_WARNING,
                     "%s cannot be written, nor can cache folders: what StarPU measures is not kept", usual);
        break;
    case STARFISH_HOME_NOWHERE:
        return starfish_fail(STARFISH_ERROR_RUNTIME,
                             "StarPU needs a folder for what it measures, and neither %s nor a cache folder nor a "
                             "temporary one can be written: set STARPU_HOME",
                             usual);
    }
    return STARFISH_SUCCESS;
}

static void remove_temporary_home(void)
{
    if (*temporary_home)
        starfish_home_remove(temporary_home);
    temporary_home[0] = 0;
}

/* ---- Start and stop ---------------------------------------------------------------------------------------------- */

/* Of StarPU and ours beside the caller's: workers, and one that watches them. */
static int threads_of(const struct starpu_conf *conf)
{
    enum { BESIDE = 1 };
    int cores, numa_nodes;
    starfish_topology_count(&cores, &numa_nodes);
    return (conf->ncpus >= 0 ? conf->ncpus : cores) + (conf->ncuda > 0 ? conf->ncuda : 0) + BESIDE;
}

starfish_status starfish_start_starpu(const struct starfish_context *context,
                                      const struct starfish_context_options *options, struct starfish_crew *crew)
{
    struct starpu_conf conf;
    char folder[4096];
    const char *home;
    starfish_topology_look();
    set_environment_defaults();
    STARFISH_TRY(fill_conf(&conf, options, context, crew));
    STARFISH_TRY(starfish_check_address_space(threads_of(&conf)));
    STARFISH_TRY(find_home(context, folder, sizeof folder, &home));
    int code = initialise(&conf, options, home);
    if (code != 0)
        remove_temporary_home();
    if (code == -ENODEV)
        return starfish_no_worker(options);
    if (code != 0)
        return starfish_fail(STARFISH_ERROR_RUNTIME, "StarPU: starpu_init failed: %s", strerror(-code));
    return STARFISH_SUCCESS;
}

void starfish_stop_starpu(void)
{
    starpu_shutdown();
    if (!starpu_is_initialized())
        remove_temporary_home();
}
