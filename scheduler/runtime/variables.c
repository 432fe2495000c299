/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The variables that StarPU 1.4.10 reads, and StarPU-MPI, but for those that it takes as any text. Numbers are read by
 * starpu_getenv_number, which aborts at negative ones too, starpu_getenv_float and, in lists, by topology.c.
 *
 * Names are without STARPU_ and are patterns: CUDA_*_MEM stands for CUDA_0_MEM, CUDA_1_MEM, ... */
#include "scheduler/runtime/variables.h"

#include "base/c_locale.h"
#include "scheduler/runtime/cache_dir.h"
#include "scheduler/runtime/context.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char prefix[] = "STARPU_";

enum { LONGEST_HOST = 63 }; /* StarPU cuts longer names off */

/* Is that what the variable must be? */
typedef int is_value(const char *value);
static is_value is_real, is_list_of_units, is_list_of_gpus, is_host_name, are_host_names, is_output, is_input,
    is_topology;

/* What `most` is of numbers whose largest value this machine decides. */
enum { LAST_UNIT = -1, LAST_CORE = -2, LAST_GPU = -3 };

static const struct rule {
    is_value *is_good; /* NULL: a whole number from `least` to `most` */
    long least, most;
    const char *must; /* be: with `least` and `most` in it, or NULL for whole numbers */
    const char *names;
} rules[] = {
    {NULL, 0, 27, NULL, "AUTOHETEROPRIO_PRIORITY_ORDERING_POLICY"},
    {NULL, 0, INT_MAX, NULL,
     "NCPU NCPUS RESERVE_NCPU MIN_PRIO MAX_PRIO NCUDA NHIP NOPENCL NMAX_FPGA NMPI_MS NTCPIP_MS NMPIMSTHREADS "
     "NTCPIPMSTHREADS CALIBRATE BUS_CALIBRATE CALIBRATE_MINIMUM HISTORY_MAX_ERROR PERF_MODEL_HOMOGENEOUS_* "
     "EXPECTED_TRANSFER_TIME_WRITEBACK PCI_FLAT LIMIT_BANDWIDTH"},
    {NULL, 0, INT_MAX, NULL,
     "WORKERS_NOBIND WORKERS_GETBIND MAIN_THREAD_BIND USE_NUMA SINGLE_COMBINED_WORKER MIN_WORKERSIZE MAX_WORKERSIZE "
     "WORKER_TREE DISPLAY_BINDINGS OPENCL_ON_CPUS OPENCL_ONLY_ON_CPUS OPENCL_PIPELINE CUDA_PIPELINE "
     "CUDA_THREAD_PER_DEV CUDA_THREAD_PER_WORKER HIP_PIPELINE HIP_THREAD_PER_DEV HIP_THREAD_PER_WORKER "
     "CUDA_ONLY_FAST_ALLOC_OTHER_MEMNODES ENABLE_CUDA_GPU_GPU_DIRECT "
     "DISABLE_KERNELS DISABLE_PINNING DISABLE_ASYNCHRONOUS_COPY DISABLE_ASYNCHRONOUS_*_COPY ENABLE_MAP "
     "DATA_LOCALITY_ENFORCE CHECK_ENTIRE_PLATFORM GLOBAL_ARBITER"},
    {NULL, 0, INT_MAX, NULL,
     "LIMIT_CPU_MEM LIMIT_CPU_NUMA_MEM LIMIT_CPU_NUMA_*_MEM LIMIT_CUDA_MEM LIMIT_CUDA_*_MEM LIMIT_HIP_MEM "
     "LIMIT_HIP_*_MEM LIMIT_OPENCL_MEM LIMIT_OPENCL_*_MEM LIMIT_MAX_FPGA_MEM LIMIT_MIN_SUBMITTED_TASKS "
     "LIMIT_MAX_SUBMITTED_TASKS MINIMUM_AVAILABLE_MEM TARGET_AVAILABLE_MEM MINIMUM_CLEAN_BUFFERS "
     "TARGET_CLEAN_BUFFERS SUBALLOCATOR PREFETCH DISK_SWAP_SIZE MAX_MEMORY_USE MALLOC_SIMULATION_FOLD"},
    {NULL, 0, INT_MAX, NULL,
     "SCHED_SORTED_ABOVE SCHED_SORTED_BELOW SCHED_READY SCHED_GRAPH_TEST_DESCENDANTS NTASKS_THRESHOLD "
     "HETEROPRIO_CODELET_GROUPING_STRATEGY HETEROPRIO_USE_AUTO_CALIBRATION LAHETEROPRIO_S_* "
     "LAHETEROPRIO_PRIO_STEP_* AUTOHETEROPRIO_*"},
    {NULL, 0, INT_MAX, NULL,
     "STATS MEMORY_STATS BUS_STATS MPI_STATS COMM_STATS FXT_TRACE GENERATE_TRACE CODELET_PROFILING ENERGY_PROFILING "
     "TASK_PROGRESS TASK_BREAK_ON_* SILENT CATCH_SIGNALS WATCHDOG_CRASH WATCHDOG_DELAY RAND_SEED SIMGRID_*_COST"},
    {NULL, 0, INT_MAX, NULL,
     "MPI_CACHE MPI_CACHE_STATS MPI_COOP_SENDS MPI_DEBUG_LEVEL_MIN MPI_DEBUG_LEVEL_MAX MPI_DRIVER_CALL_FREQUENCY "
     "MPI_DRIVER_TASK_FREQUENCY MPI_EARLYDATA_ALLOCATE MPI_FAKE_RANK MPI_FAKE_SIZE MPI_GPUDIRECT MPI_MASTER_NODE "
     "MPI_MEM_THROTTLE MPI_MS_MULTIPLE_THREAD MPI_NDETACHED_SEND MPI_NOBIND MPI_NREADY_PROCESS MPI_PRIORITIES "
     "MPI_PSM2 MPI_RECV_WAIT_FINALIZE MPI_REDUX_ARITY_THRESHOLD MPI_THREAD_MULTIPLE_SEND MPI_TRACE_SYNC_CLOCKS "
     "TCPIP_MS_* TCPIP_USE_LOCAL_SOCKET"},
    {NULL, 0, 1, NULL, "HETEROPRIO_USE_LA"},
    {NULL, 1, STARPU_NMAXWORKERS - 1, NULL, "NWORKER_PER_CUDA NWORKER_PER_HIP"},
    {NULL, 1, 1 << 16, NULL, "BACKOFF_MIN BACKOFF_MAX"}, /* steps for which an idle worker does not poll */
    {NULL, 1, INT_MAX, NULL, "NTHREADS_PER_CORE TRACE_BUFFER_SIZE"},
    {NULL, 2, INT_MAX, NULL, "SYNTHESIZE_ARITY_COMBINED_WORKER"},
#ifndef STARPU_SIMGRID
    {NULL, 0, 0, NULL, "SIMGRID"}, /* 1 requires a StarPU for simulation */
#endif
    {NULL, 0, LAST_UNIT, NULL, "MAIN_THREAD_CPUID MPI_THREAD_CPUID"},
    {NULL, 0, LAST_CORE, NULL, "MAIN_THREAD_COREID MPI_THREAD_COREID"},
    {is_real, 0, 0, "a number",
     "SCHED_ALPHA SCHED_BETA SCHED_GAMMA IDLE_POWER EXP_LEN_THRESHOLD WINDOW_TIME_SIZE HETEROPRIO_*_MULTIPLIER "
     "HETEROPRIO_*_SELECTIVITY HETEROPRIO_*_OFFSET"},
    {is_list_of_units, 0, 0, "a list of numbers such as 0,2,4-7", "WORKERS_CPUID WORKERS_COREID"},
    {is_list_of_gpus, 0, LAST_GPU, "a list of GPUs from %ld to %ld with blanks between", "WORKERS_CUDAID"},
    {is_host_name, LONGEST_HOST, 0, "a name of at most %ld characters without / and blanks", "HOSTNAME"},
    {are_host_names, LONGEST_HOST, 0, "names of at most %ld characters without / and with blanks between",
     "MPI_HOSTNAMES"},
    {starfish_cache_dir_takes_files, 0, 0, "a folder that can be written", "FXT_PREFIX HETEROPRIO_DATA_DIR"},
    {is_output, 0, 0, "a file that can be written", "BUS_STATS_FILE WORKER_STATS_FILE LOGFILENAME IDLE_FILE"},
    {is_input, 0, 0, "a regular file", "SCHED_LIB PROF_TOOL HETEROPRIO_DATA_FILE"},
    {is_topology, 0, 0, "a topology that hwloc can read", "HWLOC_INPUT"},
};

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

static int is_whole(const char *value, long least, long most)
{
    char *end;

    errno = 0;
    const long number = strtol(value, &end, 10);
    return end != value && *end == 0 && errno == 0 && number >= least && number <= most;
}

static long last_gpu(void)
{
#ifdef STARPU_SIMGRID
    return INT_MAX;
#else
    const int gpus = starfish_gpu_count();

    return gpus > 0 ? gpus - 1 : INT_MAX; /* without GPUs it is not read */
#endif
}

static long most_of(const struct rule *rule)
{
    int units = 0, cores = 0;

    if (rule->most == LAST_UNIT || rule->most == LAST_CORE)
        starfish_topology_machine(&units, &cores);
    return rule->most == LAST_UNIT   ? units - 1L
           : rule->most == LAST_CORE ? cores - 1L
           : rule->most == LAST_GPU  ? last_gpu()
                                     : rule->most;
}

static int is_real(const char *value)
{
    char *end;
    const double number = starfish_read_real(value, &end);

    return end != value && *end == 0 && isfinite(number);
}

/* A number without a sign, at most `most`; where it ends, NULL where there is none. */
static const char *after_number(const char *at, long most)
{
    char *end;
    if (*at < '0' || *at > '9')
        return NULL;
    errno = 0;
    return strtol(at, &end, 10) <= most && errno == 0 ? end : NULL;
}

/* 0,2,4-7 and 8-, with commas or blanks between. StarPU wraps numbers around that are too large. */
static int is_list_of_units(const char *value)
{
    const char *at = value;
    do {
        at = after_number(at + strspn(at, " "), INT_MAX / 64);
        if (at && *at == '-')
            at = at[1] && !strchr(" ,", at[1]) ? after_number(at + 1, INT_MAX / 64) : at + 1;
        if (at && *at == ',')
            at++;
        else if (at && *at && *at != ' ')
            at = NULL;
    } while (at && at[strspn(at, " ")]);
    return at != NULL;
}

static int is_list_of_gpus(const char *value)
{
    const long most = last_gpu();
    const char *at = value;
    do {
        at = after_number(at + strspn(at, " "), most);
        if (at && *at && *at != ' ')
            at = NULL;
    } while (at && at[strspn(at, " ")]);
    return at != NULL;
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

/* Names of hosts become parts of names of files. */
static int is_host(const char *name, size_t length)
{
    return length > 0 && length <= LONGEST_HOST && strcspn(name, "/ \t\n") >= length;
}

static int is_host_name(const char *value)
{
    return is_host(value, strlen(value));
}

static int are_host_names(const char *value)
{
    const char *at = value + strspn(value, " ");
    int good = *at != 0;
    for (size_t length; good && *at; at += length + strspn(at + length, " ")) {
        length = strcspn(at, " ");
        good = is_host(at, length);
    }
    return good;
}

/* ---- Paths ------------------------------------------------------------------------------------------------------- */

/* Never waits for a reader of a pipe, and leaves no file that was not there. */
static int is_output(const char *value)
{
    int file = open(value, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0 && errno == ENOENT) {
        file = open(value, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
        if (file >= 0)
            unlink(value);
    }
    return file >= 0 && close(file) == 0;
}

/* What is not there is not read. */
static int is_input(const char *value)
{
    struct stat found;
    return stat(value, &found) != 0 || S_ISREG(found.st_mode);
}

static int is_topology(const char *value)
{
    struct stat found;
    return stat(value, &found) == 0 && S_ISREG(found.st_mode) && starfish_topology_can_read(value);
}

/* ---- All --------------------------------------------------------------------------------------------------------- */

static int is_named(const char *name, const char *names)
{
    char pattern[64];
    for (; *names; names += strspn(names, " ")) {
        const size_t length = strcspn(names, " ");
        memcpy(pattern, names, length);
        pattern[length] = 0;
        if (fnmatch(pattern, name, 0) == 0)
            return 1;
        names += length;
    }
    return 0;
}

static starfish_status check_by(const struct rule *rule, const char *variable, const char *value)
{
    const long most = most_of(rule);
    char must[128];

    if (rule->is_good ? rule->is_good(value) : is_whole(value, rule->least, most))
        return STARFISH_SUCCESS;
    const char *why = rule->is_good == is_output ? strerror(errno) : "";
    snprintf(must, sizeof must, rule->must ? rule->must : "a whole number from %ld to %ld", rule->least, most);
    return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s must be %s, is '%s'%s%s", variable, must, value, *why ? ": " : "",
                         why);
}

static starfish_status check_one(const char *variable, const char *value)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (is_named(variable + sizeof prefix - 1, rules[i].names))
            return check_by(&rules[i], variable, value);
    return STARFISH_SUCCESS;
}

/* The name of an entry NAME=VALUE of the environment if it is StarPU's; 0: it is not, or is too long. */
static int is_starpus(const char *entry, char *name, size_t size)
{
    const size_t length = strcspn(entry, "=");
    if (strncmp(entry, prefix, sizeof prefix - 1) != 0 || entry[length] != '=' || length >= size)
        return 0;
    memcpy(name, entry, length);
    name[length] = 0;
    return 1;
}

/* hwloc has variables of its own, by which it may find nothing. */
static starfish_status check_hwloc(void)
{
    int units, cores;
    starfish_topology_machine(&units, &cores);
    return STARFISH_OR_FAIL(units > 0, STARFISH_ERROR_RUNTIME,
                            "hwloc finds no processing units: is one of its variables HWLOC_... set?");
}

starfish_status starfish_variables_check(void)
{
    char name[128];
    for (size_t i = 0; environ && environ[i];)
        if (is_starpus(environ[i], name, sizeof name) && !environ[i][strlen(name) + 1])
            unsetenv(name); /* the next one takes its place */
        else
            i++;
    for (char **entry = environ; entry && *entry; entry++)
        if (is_starpus(*entry, name, sizeof name))
            STARFISH_TRY(check_one(name, *entry + strlen(name) + 1));
    return check_hwloc();
}
