/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Windows of arrays of planes (halo_window.h): which planes, and how ranks get those of others. */
#include "scheduler/runtime/halo_window.h"

#include <stdlib.h>
#include <string.h>

/* ---- Which planes ------------------------------------------------------------------------------------------------ */

struct starfish_halo_window starfish_halo_window_whole(size_t planes)
{
    return (struct starfish_halo_window){.planes = planes, .depth = planes};
}

struct starfish_halo_window starfish_halo_window_of_runs(const struct starfish_context *context,
                                                         const struct starfish_runs *runs, size_t planes, size_t depth)
{
    return (struct starfish_halo_window){.context = context, .planes = planes, .depth = depth, .runs = runs};
}

static int rank_of(const struct starfish_halo_window *w, size_t part)
{
    return w->runs->owner[part].rank;
}

/* Whether the planes of another rank begin with a part. */
static int begins(const struct starfish_halo_window *w, size_t part)
{
    return part == 0 || rank_of(w, part) != rank_of(w, part - 1);
}

/* All planes of the rank whose parts begin with this one. */
static struct starfish_run_of_planes planes_of(const struct starfish_halo_window *w, size_t part)
{
    const size_t finest = starfish_runs_end(w->runs), begin = w->runs->first[part];
    size_t end = part + 1;

    while (end < w->runs->parts && !begins(w, end))
        end++;
    const size_t first = (begin * w->planes + finest / 2) / finest;
    return (struct starfish_run_of_planes){first, (w->runs->first[end] * w->planes + finest / 2) / finest - first};
}

struct starfish_run_of_planes starfish_halo_window_own(const struct starfish_halo_window *w)
{
    if (!w->context)
        return (struct starfish_run_of_planes){0, w->planes};
    for (size_t part = 0; part < w->runs->parts; part++)
        if (rank_of(w, part) == starfish_context_rank(w->context))
            return planes_of(w, part);
    return (struct starfish_run_of_planes){0, 0};
}

struct starfish_halo_window starfish_halo_window_with_depth(const struct starfish_halo_window *window, size_t depth)
{
    struct starfish_halo_window other = *window;

    other.depth = depth;
    return other;
}

/* The window as at most two runs of planes. */
static int runs_of(const struct starfish_halo_window *w, struct starfish_run_of_planes run[2])
{
    const struct starfish_run_of_planes own = starfish_halo_window_own(w);
    const size_t n = w->planes;

    run[0] = (struct starfish_run_of_planes){0, n};
    if (!w->context || w->depth >= n || (own.count > 0 && own.count + 2 * w->depth >= n))
        return 1;
    if (own.count == 0)
        return 0;
    const size_t first = (own.first + n - w->depth) % n, count = own.count + 2 * w->depth;
    if (first + count <= n) {
        run[0] = (struct starfish_run_of_planes){first, count};
        return 1;
    }
    run[0] = (struct starfish_run_of_planes){0, first + count - n};
    run[1] = (struct starfish_run_of_planes){first, n - first};
    return 2;
}

struct starfish_spans starfish_halo_window_spans(const struct starfish_halo_window *window, size_t arrays, size_t plane)
{
    struct starfish_run_of_planes run[2];
    struct starfish_spans spans = {.count = 0};
    const int runs = runs_of(window, run);

    for (size_t array = 0; array < arrays; array++)
        for (int r = 0; r < runs; r++)
            spans.span[spans.count++] =
                (struct starfish_span){(array * window->planes + run[r].first) * plane, run[r].count * plane};
    return spans;
}

/* ---- Exchange ---------------------------------------------------------------------------------------------------- */

struct exchange {
    const struct starfish_halo_window *window;
    char *array, *received; /* received: room for `depth` planes; NULL where ranks need all planes */
    size_t plane_bytes;
    struct starfish_run_of_planes needed[2];
    int runs;
};

/* Some planes of a part's rank to all ranks, which keep those in their windows. */
static starfish_status send_planes(const struct exchange *x, size_t part, size_t first, size_t count)
{
    const int from = rank_of(x->window, part), own = from == starfish_context_rank(x->window->context);
    char *const place = x->array + first * x->plane_bytes;

    STARFISH_TRY(starfish_ranks_broadcast(x->window->context, own || !x->received ? place : x->received,
                                          count * x->plane_bytes, from));
    for (int r = 0; r < x->runs && x->received && !own; r++) {
        const size_t begin = first > x->needed[r].first ? first : x->needed[r].first;
        const size_t end = x->needed[r].first + x->needed[r].count;
        const size_t last = first + count < end ? first + count : end;
        if (begin < last)
            memcpy(x->array + begin * x->plane_bytes, x->received + (begin - first) * x->plane_bytes,
                   (last - begin) * x->plane_bytes);
    }
    return STARFISH_SUCCESS;
}

/* Others need those at the ends of a rank's run, which begins with a part. */
static starfish_status send_ends(const struct exchange *x, size_t part)
{
    const struct starfish_run_of_planes run = planes_of(x->window, part);
    const size_t depth = x->window->depth < run.count ? x->window->depth : run.count;
    const size_t upper = run.count - depth > depth ? run.count - depth : depth;

    if (!x->received)
        return send_planes(x, part, run.first, run.count);
    STARFISH_TRY(send_planes(x, part, run.first, depth));
    return upper < run.count ? send_planes(x, part, run.first + upper, run.count - upper) : STARFISH_SUCCESS;
}

starfish_status starfish_halo_window_exchange(const struct starfish_halo_window *window, starfish_status status,
                                              void *array, size_t plane_bytes)
{
    struct exchange x = {.window = window, .array = array, .plane_bytes = plane_bytes};

    if (!window->context)
        return status;
    x.runs = runs_of(window, x.needed);
    if (window->depth < window->planes && status == STARFISH_SUCCESS) {
        x.received = malloc(window->depth * plane_bytes + 1);
        status = STARFISH_OR_FAIL(x.received, STARFISH_ERROR_MEMORY, "out of memory for %zu planes of others",
                                  window->depth);
    }
    status = starfish_ranks_agree(window->context, status);
    for (size_t part = 0; part < window->runs->parts && status == STARFISH_SUCCESS; part++)
        status = begins(window, part) ? send_ends(&x, part) : status;
    free(x.received);
    return status;
}

/* ---- Lists ------------------------------------------------------------------------------------------------------- */

static starfish_status allocated(const void *memory, const char *what)
{
    return STARFISH_OR_FAIL(memory, STARFISH_ERROR_MEMORY, "out of memory for %s of all ranks", what);
}

/* all: count[r] elements of each rank. */
static starfish_status send_lists(const struct starfish_context *context, size_t size, const size_t *count,
                                  const void *own, char *all)
{
    for (int rank = 0; rank < starfish_context_ranks(context); rank++) {
        const size_t bytes = count[rank] * size;
        if (rank == starfish_context_rank(context) && bytes > 0)
            memcpy(all, own, bytes);
        STARFISH_TRY(starfish_ranks_broadcast(context, all, bytes, rank));
        all += bytes;
    }
    return STARFISH_SUCCESS;
}

static starfish_status join(const struct starfish_context *context, size_t size, size_t *counts, size_t *count,
                            void **list)
{
    size_t all = 0;

    STARFISH_TRY(starfish_ranks_gather(context, count, sizeof *count, counts));
    for (int rank = 0; rank < starfish_context_ranks(context); rank++)
        all += counts[rank];
    void *joined = malloc(all * size + 1);
    starfish_status status = starfish_ranks_agree(context, allocated(joined, "the lists"));
    STARFISH_THEN(status, send_lists(context, size, counts, *list, joined));
    if (status != STARFISH_SUCCESS) {
        free(joined);
        return status;
    }
    free(*list);
    *list = joined;
    *count = all;
    return STARFISH_SUCCESS;
}

starfish_status starfish_halo_window_join(const struct starfish_halo_window *window, size_t size, size_t *count,
                                          void **list)
{
    if (!window->context)
        return STARFISH_SUCCESS;
    size_t *counts = calloc((size_t)starfish_context_ranks(window->context), sizeof *counts);
    starfish_status status = starfish_ranks_agree(window->context, allocated(counts, "the lengths of lists"));

    STARFISH_THEN(status, join(window->context, size, counts, count, list));
    free(counts);
    return status;
}
