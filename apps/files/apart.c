/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs work in a separate process (apart.h): a fork with limits on memory, which reports its status through memory that
 * both share. */
#include "apps/files/apart.h"

#include "apps/files/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The sanitizers keep terabytes of addresses, which a limit would take away. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif
#ifndef HAS_SANITIZER
#define HAS_SANITIZER 0
#endif

/* What the other process leaves; it may be broken when it writes this. */
struct report {
    int done;
    starfish_status status;
    char message[1024];
};

void *starfish_apart_share(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void starfish_apart_unshare(void *memory, size_t bytes)
{
    if (memory)
        munmap(memory, bytes);
}

/* ---- the other process ------------------------------------------------------------------------------------------- */

static void limit(int resource, rlim_t most)
{
    struct rlimit bound;
    if (getrlimit(resource, &bound) != 0)
        return;
    bound.rlim_cur = most < bound.rlim_max ? most : bound.rlim_max;
    setrlimit(resource, &bound);
}

static rlim_t addresses_in_use(void)
{
    unsigned long long pages = 0;
    FILE *stream = fopen("/proc/self/statm", "r");
    if (!stream)
        return RLIM_INFINITY / 2;
    const int read = fscanf(stream, "%llu", &pages);
    fclose(stream);
    return read == 1 ? (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) : RLIM_INFINITY / 2;
}

void starfish_apart_end_with(pid_t parent, int number)
{
    prctl(PR_SET_PDEATHSIG, number);
    if (getppid() != parent)
        _exit(1);
}

/* It dies quietly, at once, and not after the one that wants its work. */
static void become_apart(const struct starfish_apart *apart, pid_t parent)
{
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP, SIGXCPU};
    const int nowhere = open("/dev/null", O_WRONLY);
    for (size_t i = 0; i < sizeof deadly / sizeof deadly[0]; ++i)
        signal(deadly[i], SIG_DFL);
    starfish_apart_end_with(parent, SIGKILL);
    if (nowhere >= 0)
        dup2(nowhere, STDERR_FILENO);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, apart->seconds);
    if (!HAS_SANITIZER)
        limit(RLIMIT_AS, addresses_in_use() + apart->bytes);
}

/* ---- this one ---------------------------------------------------------------------------------------------------- */

static starfish_status fail_without_report(const struct starfish_apart *apart, int state)
{
    const int number = WIFSIGNALED(state) ? WTERMSIG(state) : 0;
    STARFISH_FAIL_IF(number == SIGXCPU || number == SIGKILL, STARFISH_ERROR_FILE,
                     "%s: the library for this format does not come to an end with it: the file is corrupt",
                     apart->name);
    return starfish_fail(STARFISH_ERROR_FILE,
                         "%s: the library for this format fails on it (%s): the file is corrupt, or the disk full",
                         apart->name, number ? strsignal(number) : "it ended the process");
}

/* A process that was started for us may have been reaped by others: what counts is the report. */
static starfish_status wait_for(const struct starfish_apart *apart, pid_t child, struct report *report)
{
    const int state = starfish_temporary_wait(child);
    report->message[sizeof report->message - 1] = '\0';
    if (!report->done || (unsigned)report->status > STARFISH_ERROR_RUNTIME)
        return fail_without_report(apart, state);
    return report->status == STARFISH_SUCCESS ? STARFISH_SUCCESS : starfish_fail(report->status, "%s", report->message);
}

starfish_status starfish_apart(const struct starfish_apart *apart, starfish_status (*work)(const void *data),
                               const void *data)
{
    struct report *report = starfish_apart_share(sizeof *report);
    STARFISH_FAIL_IF(!report, STARFISH_ERROR_MEMORY, "%s: no memory to share with a process", apart->name);
    const pid_t parent = getpid(), child = starfish_temporary_fork();
    if (child == 0) {
        become_apart(apart, parent);
        report->status = work(data);
        snprintf(report->message, sizeof report->message, "%s", starfish_error_message());
        report->done = 1;
        _exit(0);
    }
    const starfish_status status =
        child > 0 ? wait_for(apart, child, report)
                  : starfish_fail(STARFISH_ERROR_MEMORY, "%s: no process can be started to read it: %s", apart->name,
                                  strerror(errno));
    starfish_apart_unshare(report, sizeof *report);
    return status;
}
