/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Soak test: the cases (cases.h), one after the other and again, each with many solves of one plan, for a time. It held
 * where all solutions are right, and memory, threads and open files are as many at the end as after half of the time:
 * memory is looked at while a plan lives too, since what grows with its solves goes with it. What the libraries keep
 * for good comes with the first round of all cases, so that there are two rounds however slow the machine is.
 *
 *     soak [--minutes M] [--seconds S] [--case NAME] [--solves N]
 *
 * --solves: of each plan. With --case and --solves one plan's memory is printed as it goes. Exit status: 0 held, 1 not,
 * 2 wrong use. */
#include "tests/faults/cases.h"

#include <dirent.h>
#include <malloc.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
/* Of the sanitizer, whose header not every compiler brings. */
size_t __sanitizer_get_current_allocated_bytes(void);
#endif

/* WARM: solves before a plan's memory is first looked at. The bound is a quarter of what a solve left behind when
 * StarPU noted every reader of a table, and some kilobytes that StarPU takes once, as a pool grows. */
enum { WARM = 20, BYTES_PER_SOLVE = 48, BYTES_ONCE = 8192, ROUND_BYTES = 1 << 20, POINTS = 10, LEAST_ROUNDS = 2 };

struct usage {
    long bytes, resident_kib, threads, files;
};

static struct {
    double half, end;
    const char *name;
    long solves;
} request = {.solves = 150};

static struct {
    const struct faults_case *now;
    long solves, all_solves, cases, rounds;
    struct usage warm_plan, warm; /* after a plan's first solves; after the first round and half of the time */
    double most_growth;
    const char *most_growing;
    int failed;
} soak;

static double seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- What the process uses --------------------------------------------------------------------------------------- */

static long bytes_in_use(void)
{
#ifdef __SANITIZE_ADDRESS__
    return (long)__sanitizer_get_current_allocated_bytes();
#else
    return (long)mallinfo2().uordblks + (long)mallinfo2().hblkhd;
#endif
}

static long entries(const char *folder)
{
    long count = 0;
    DIR *directory = opendir(folder);
    while (directory && readdir(directory))
        count++;
    if (directory)
        closedir(directory);
    return count;
}

/* Once StarPU has released the last tasks, which it does after their solve has returned. */
static struct usage measure(void)
{
    long size = 0, resident = 0;
    starpu_task_wait_for_all();
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld", &size, &resident) != 2)
        resident = 0;
    if (file)
        fclose(file);
    return (struct usage){.bytes = bytes_in_use(),
                          .resident_kib = resident * (sysconf(_SC_PAGESIZE) / 1024),
                          .threads = entries("/proc/self/task"),
                          .files = entries("/proc/self/fd")};
}

/* ---- A plan's solves --------------------------------------------------------------------------------------------- */

static void judge_plan(void)
{
    const long solves = soak.solves - WARM, grown = measure().bytes - soak.warm_plan.bytes;
    const double growth = solves > 0 ? (double)grown / (double)solves : 0;
    if (solves <= 0)
        return;
    if (growth > soak.most_growth) {
        soak.most_growth = growth;
        soak.most_growing = soak.now->name;
    }
    if (grown > BYTES_ONCE + BYTES_PER_SOLVE * solves) {
        soak.failed = 1;
        printf("%s: %ld bytes more after %ld solves of one plan\n", soak.now->name, grown, solves);
    }
}

static void print_point(void)
{
    const struct usage usage = measure();
    printf("%s: %ld solves, %ld bytes in use, %ld KiB resident\n", soak.now->name, soak.solves, usage.bytes,
           usage.resident_kib);
}

static int once_more(void)
{
    soak.solves++;
    soak.all_solves++;
    if (soak.solves == WARM)
        soak.warm_plan = measure();
    if (request.name && request.solves >= POINTS && soak.solves % (request.solves / POINTS) == 0)
        print_point();
    if (soak.solves < request.solves && (soak.rounds == 0 || seconds() < request.end))
        return 1;
    judge_plan();
    return 0;
}

/* ---- Rounds ------------------------------------------------------------------------------------------------------ */

static void run_case(const struct faults_case *c, starfish_context *context)
{
    static struct faults_result first, result;
    starfish_status status;
    soak.now = c;
    soak.cases++;
    faults_again = NULL;
    first.count = result.count = 0;
    faults_clear();
    status = c->run(context, c->details, &first);
    soak.solves = 0;
    faults_again = once_more;
    if (status == STARFISH_SUCCESS)
        status = c->run(context, c->details, &result);
    if (status == STARFISH_ERROR_UNSUPPORTED)
        return; /* not on these workers */
    const double difference = status == STARFISH_SUCCESS ? faults_difference(&result, &first) : 0;
    if (status == STARFISH_SUCCESS && difference <= c->tolerance)
        return;
    soak.failed = 1;
    printf("%s: %s, %g off\n", c->name, status == STARFISH_SUCCESS ? "solved" : starfish_error_message(), difference);
}

static void run_round(starfish_context *context)
{
    const struct faults_case *c;
    for (size_t i = 0; (c = faults_case(i)) != NULL; i++) {
        if (c->own_context || (request.name && strcmp(c->name, request.name) != 0))
            continue;
        run_case(c, context);
        if (soak.rounds == 0 || seconds() < request.half)
            soak.warm = measure();
        if (soak.rounds >= LEAST_ROUNDS && seconds() > request.end)
            return;
    }
    soak.rounds++;
}

static void judge_rounds(const struct usage *warm, const struct usage *end)
{
    printf("%ld solves of %ld plans in %ld rounds; most growth while a plan lived %.1f bytes per solve (%s)\n",
           soak.all_solves, 2 * soak.cases, soak.rounds, soak.most_growth, soak.most_growing ? soak.most_growing : "-");
    printf("after half of the time and at the end: %ld and %ld bytes in use, %ld and %ld KiB resident, %ld and %ld "
           "threads, %ld and %ld open files\n",
           warm->bytes, end->bytes, warm->resident_kib, end->resident_kib, warm->threads - 2, end->threads - 2,
           warm->files - 3, end->files - 3);
    soak.failed |= end->bytes > warm->bytes + ROUND_BYTES || end->threads > warm->threads || end->files > warm->files;
    printf("%s\n", soak.failed ? "FAILED" : "held");
}

static int run(void)
{
    starfish_context *context = NULL;
    if (starfish_context_create(&context, NULL) != STARFISH_SUCCESS) {
        printf("no context: %s\n", starfish_error_message());
        return 1;
    }
    do
        run_round(context);
    while (soak.rounds < LEAST_ROUNDS || seconds() < request.end);
    const struct usage end = measure();
    judge_rounds(&soak.warm, &end);
    starfish_context_destroy(context);
    return soak.failed;
}

/* glibc keeps blocks that a thread has freed for its next ones and counts them as in use: tens of kilobytes, which vary
 * with which thread ran which task. Without these caches it counts what is in use. A process has the variable from its
 * beginning. */
static void begin_without_caches_of_threads(char **arguments)
{
    static const char variable[] = "GLIBC_TUNABLES";
    if (getenv(variable))
        return;
    setenv(variable, "glibc.malloc.tcache_count=0", 1);
    execv("/proc/self/exe", arguments);
}

int main(int count, char **arguments)
{
    double time = 60;
    begin_without_caches_of_threads(arguments);
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 1; i < count; i += 2) {
        const char *value = i + 1 < count ? arguments[i + 1] : "";
        const double number = strtod(value, NULL);
        if (strcmp(arguments[i], "--minutes") == 0 && number > 0)
            time = 60 * number;
        else if (strcmp(arguments[i], "--seconds") == 0 && number > 0)
            time = number;
        else if (strcmp(arguments[i], "--solves") == 0 && number >= 1)
            request.solves = (long)number;
        else if (strcmp(arguments[i], "--case") == 0 && faults_case_named(value))
            request.name = value;
        else {
            fprintf(stderr, "%s: not an option; [--minutes M] [--seconds S] [--case NAME] [--solves N]\n",
                    arguments[i]);
            return 2;
        }
    }
    request.end = seconds() + time;
    request.half = request.end - time / 2;
    return run();
}
