/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loops of the thread that creates a plan, over all cores that the process may use. Work done once per plan on the host
 * alone (meshes, matrices, tables) needs no tasks, and no CPU worker in a context with GPUs only. StarPU's workers are
 * paused meanwhile (idle.h). On a simulated machine one core does all.
 *
 * A body receives runs of items, in any order and on any thread; results must not depend on that. */
#ifndef STARFISH_SCHEDULER_RUNTIME_HOST_LOOP_H
#define STARFISH_SCHEDULER_RUNTIME_HOST_LOOP_H

#include <stddef.h>

/* Items first .. last-1; first is a multiple of the loop's run. */
typedef void starfish_host_body(void *data, size_t first, size_t last);

/* Cores that a loop has, 1 at least. */
size_t starfish_host_cores(void);
/* Items 0 .. count-1 in runs of `run`. Returns when all are done. */
void starfish_host_loop(size_t count, size_t run, starfish_host_body *body, void *data);

/* The same within a call that has submitted tasks. Its workers would poll for more, and a thread of the loop that
 * shares a core with one of them would get time slices of some milliseconds. So they are paused until the loop ends
 * (idle.h). */
void starfish_host_loop_in_call(size_t count, size_t run, starfish_host_body *body, void *data);

/* memcpy and memset to 0. */
void starfish_host_copy(void *to, const void *from, size_t bytes);
void starfish_host_zero(void *at, size_t bytes);
/* The index of the first value that is no number from `least` to `most`; `count` where there is none. */
size_t starfish_host_find_beyond(const double *values, size_t count, double least, double most);

/* Runs of elements of an array, in increasing order. */
struct starfish_span {
    size_t first, count;
};
enum { STARFISH_MOST_SPANS = 16 };
struct starfish_spans {
    int count;
    struct starfish_span span[STARFISH_MOST_SPANS];
};

/* All `count` elements. */
struct starfish_spans starfish_spans_all(size_t count);
size_t starfish_spans_elements(const struct starfish_spans *spans);
/* Loops, copies and searches as above, over the elements of spans; a body's `first` may be any. */
void starfish_spans_loop(const struct starfish_spans *spans, size_t run, starfish_host_body *body, void *data);
void starfish_spans_copy(const struct starfish_spans *spans, void *to, const void *from, size_t element_size);
/* `none` where there is no such value. */
size_t starfish_spans_find_beyond(const struct starfish_spans *spans, const double *values, double least, double most,
                                  size_t none);

#endif
