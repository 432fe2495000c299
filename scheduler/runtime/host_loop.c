/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loops over the host's cores, through OpenMP (host_loop.h): as many threads as the process has cores and quota. */
#include "scheduler/runtime/host_loop.h"

#include "base/arithmetic.h"
#include "scheduler/runtime/context.h"
#include "scheduler/runtime/idle.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { BYTES = 1 << 20 }; /* of a run of a copy */

#ifdef STARPU_SIMGRID
size_t starfish_host_cores(void)
{
    return 1; /* to SimGrid threads are one */
}
#else
/* Reading the quota takes 70 us, as long as a short loop, so it is read once per process. */
static int quota_once;
static void ask_once(void)
{
    quota_once = starfish_topology_quota();
}

size_t starfish_host_cores(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int cores, numa_nodes;

    pthread_once(&once, ask_once);
    const int quota = quota_once;

    starfish_topology_count(&cores, &numa_nodes);
    cores = quota > 0 && quota < cores ? quota : cores;
    return cores > 1 ? (size_t)cores : 1;
}
#endif

void starfish_host_loop(size_t count, size_t run, starfish_host_body *body, void *data)
{
    const size_t runs = (count + run - 1) / run, cores = runs > 1 ? starfish_host_cores() : 1;
    const int threads = (int)(runs < cores ? runs : cores);

    if (threads <= 1) {
        for (size_t r = 0; r < runs; r++)
            body(data, r * run, r + 1 == runs ? count : (r + 1) * run);
        return;
    }
    /* OpenMP's threads are the host program's too: their environment stays its own between loops. */
    const int suspended = starfish_arithmetic_suspend();
#pragma omp parallel num_threads(threads)
    {
        STARFISH_OWN_ARITHMETIC;
#pragma omp for schedule(dynamic)
        for (size_t r = 0; r < runs; r++)
            body(data, r * run, r + 1 == runs ? count : (r + 1) * run);
    }
    starfish_arithmetic_resume(suspended);
}

void starfish_host_loop_in_call(size_t count, size_t run, starfish_host_body *body, void *data)
{
    starfish_idle_loop_begin();
    starfish_host_loop(count, run, body, data);
    starfish_idle_loop_end();
}

struct copy {
    char *to;
    const char *from;
};

static void copy_bytes(void *data, size_t first, size_t last)
{
    const struct copy *copy = data;

    memcpy(copy->to + first, copy->from + first, last - first);
}

static void zero_bytes(void *data, size_t first, size_t last)
{
    memset((char *)data + first, 0, last - first);
}

void starfish_host_copy(void *to, const void *from, size_t bytes)
{
    struct copy copy = {to, from};

    starfish_host_loop(bytes, BYTES, copy_bytes, &copy);
}

void starfish_host_zero(void *at, size_t bytes)
{
    starfish_host_loop(bytes, BYTES, zero_bytes, at);
}

struct search {
    const double *values;
    double least, most;
    atomic_size_t found; /* the lowest so far */
};

static void search_values(void *data, size_t first, size_t last)
{
    struct search *search = data;
    size_t i = first, found = atomic_load(&search->found);

    while (i < last && search->values[i] >= search->least && search->values[i] <= search->most)
        i++;
    while (i < last && i < found && !atomic_compare_exchange_weak(&search->found, &found, i))
        ;
}

size_t starfish_host_find_beyond(const double *values, size_t count, double least, double most)
{
    struct search search = {.values = values, .least = least, .most = most, .found = count};

    starfish_host_loop(count, BYTES / sizeof *values, search_values, &search);
    return atomic_load(&search.found);
}

/* ---- Spans ------------------------------------------------------------------------------------------------------- */

struct starfish_spans starfish_spans_all(size_t count)
{
    return (struct starfish_spans){.count = 1, .span = {{0, count}}};
}

size_t starfish_spans_elements(const struct starfish_spans *spans)
{
    size_t count = 0;

    for (int s = 0; s < spans->count; s++)
        count += spans->span[s].count;
    return count;
}

struct shifted {
    starfish_host_body *body;
    void *data;
    size_t by;
};

static void shifted_body(void *data, size_t first, size_t last)
{
    const struct shifted *shifted = data;

    shifted->body(shifted->data, first + shifted->by, last + shifted->by);
}

void starfish_spans_loop(const struct starfish_spans *spans, size_t run, starfish_host_body *body, void *data)
{
    for (int s = 0; s < spans->count; s++) {
        struct shifted shifted = {body, data, spans->span[s].first};
        starfish_host_loop(spans->span[s].count, run, shifted_body, &shifted);
    }
}

void starfish_spans_copy(const struct starfish_spans *spans, void *to, const void *from, size_t element_size)
{
    for (int s = 0; s < spans->count; s++) {
        const size_t at = spans->span[s].first * element_size;
        starfish_host_copy((char *)to + at, (const char *)from + at, spans->span[s].count * element_size);
    }
}

size_t starfish_spans_find_beyond(const struct starfish_spans *spans, const double *values, double least, double most,
                                  size_t none)
{
    for (int s = 0; s < spans->count; s++) {
        const struct starfish_span *span = &spans->span[s];
        const size_t found = starfish_host_find_beyond(values + span->first, span->count, least, most);
        if (found < span->count)
            return span->first + found;
    }
    return none;
}
