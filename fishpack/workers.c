/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Variables of the environment, since programs that call FISHPACK know no other way to say what they want. */
#include "fishpack/workers.h"

#include "base/status.h"
#include "fishpack/kept.h"
#include "scheduler/runtime/context.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LEAST_WITH_GPU = 1 << 15, LEAST_OF_CORES = 1 << 20, FEW_CORES = 3 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *workers; /* NULL: where it pays */
static size_t least;
static starfish_context *the_context;

/* Whether there is a GPU, without a start of CUDA, which takes longer than thousands of small solves. */
static int has_gpu(void)
{
#ifdef STARFISH_HAVE_GPU
    return access("/dev/nvidiactl", F_OK) == 0;
#else
    return 0;
#endif
}

/* From where plans are faster than one core with its data in main memory, measured beside an H200 (docs/fishpack.md).
 * With few cores and no GPU they never are. */
static void read_variables(void)
{
    const char *number = getenv("STARFISH_FISHPACK_LEAST");
    workers = getenv("STARFISH_FISHPACK_WORKERS");
    const int wants_cores = workers && strcmp(workers, "cpu") == 0;
    const int wants_none = workers && strcmp(workers, "none") == 0;
    least = has_gpu() && !wants_cores ? LEAST_WITH_GPU : LEAST_OF_CORES;
    if (number && *number >= '0' && *number <= '9')
        least = (size_t)strtoull(number, NULL, 10);
    else if (!has_gpu() && sysconf(_SC_NPROCESSORS_ONLN) <= FEW_CORES)
        least = SIZE_MAX;
    least = wants_none ? SIZE_MAX : least;
}

size_t starfish_fishpack_least(void)
{
    pthread_once(&once, read_variables);
    return least;
}

int starfish_fishpack_may_plan(size_t unknowns, int must)
{
    pthread_once(&once, read_variables);
    return unknowns >= least || (must && (!workers || strcmp(workers, "none") != 0));
}

/* At the end of the program. */
static void end(void)
{
    if (!starfish_kept_clear())
        return; /* another thread is in a call */
    starfish_context_destroy(the_context);
    the_context = NULL;
}

starfish_status starfish_fishpack_context(starfish_context **context)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    pthread_once(&once, read_variables);
    if (workers && strcmp(workers, "cpu") == 0)
        options.gpu_workers = 0;
    if (workers && strcmp(workers, "gpu") == 0)
        options.cpu_workers = 0;
    if (!the_context) {
        STARFISH_TRY(starfish_context_create(&the_context, &options));
        (void)atexit(end);
    }
    *context = the_context;
    return STARFISH_SUCCESS;
}
