/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks limits of the process by allocating and freeing the address space and threads that the runtime will need. */
#include "scheduler/runtime/limits.h"

#include "scheduler/runtime/stacks.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* ---- Address space ----------------------------------------------------------------------------------------------- */

/* The C library reserves twice an arena for each thread that allocates, and keeps the aligned half (glibc, 64-bit). */
#define ARENA ((size_t)64 << 20)
/* Tables of StarPU, of FFTW and OpenBLAS, and of a small problem. */
#define TABLES ((size_t)96 << 20)

static starfish_status check_address_space(int threads)
{
    struct rlimit limit;
    const size_t bytes = TABLES + (size_t)threads * (starfish_stack_bytes() + ARENA);
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return STARFISH_SUCCESS;
    void *const room = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    STARFISH_FAIL_IF(room == MAP_FAILED, STARFISH_ERROR_MEMORY,
                     "the limit of address space (ulimit -v) leaves less than the %zu MB that %d threads of "
                     "the runtime need: raise it, or ask for fewer workers",
                     bytes >> 20, threads);
    munmap(room, bytes);
    return STARFISH_SUCCESS;
}

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

#ifdef STARPU_SIMGRID

static starfish_status check_threads(int threads)
{
    (void)threads; /* SimGrid simulates them */
    return STARFISH_SUCCESS;
}

#else

static void *pass(void *gate)
{
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

/* All at once, as the runtime will have them. */
static starfish_status check_threads(int threads)
{
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_t *const thread = malloc((size_t)threads * sizeof *thread);
    int made = 0, code = 0;
    STARFISH_FAIL_IF(!thread, STARFISH_ERROR_MEMORY, "out of memory for %d threads", threads);
    pthread_mutex_lock(&gate);
    while (made < threads && (code = starfish_thread_create(&thread[made], pass, &gate)) == 0)
        made++;
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < made; i++)
        pthread_join(thread[i], NULL);
    pthread_mutex_destroy(&gate);
    free(thread);
    return STARFISH_OR_FAIL(code == 0, STARFISH_ERROR_RUNTIME,
                            "only %d of the %d threads of the runtime can be made (%s): raise the limit of processes "
                            "(ulimit -u, or the container's), or ask for fewer workers",
                            made, threads, strerror(code));
}

#endif

/* ---- Files ------------------------------------------------------------------------------------------------------- */

/* A write beyond the limit is a signal, which ends a process that neither ignores nor handles it. */
static starfish_status check_files(void)
{
    enum { LARGEST = 128 << 10 }; /* of StarPU's: links and models */
    struct rlimit limit;
    struct sigaction action;
    return STARFISH_OR_FAIL(
        getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= LARGEST || sigaction(SIGXFSZ, NULL, &action) != 0 ||
            action.sa_handler != SIG_DFL,
        STARFISH_ERROR_RUNTIME,
        "files may have %zu bytes (ulimit -f), and what StarPU measures may need %d: raise the limit, or "
        "ignore the signal SIGXFSZ",
        (size_t)limit.rlim_cur, LARGEST);
}

starfish_status starfish_check_limits(int threads)
{
    STARFISH_TRY(check_address_space(threads));
    STARFISH_TRY(check_threads(threads));
    return check_files();
}
