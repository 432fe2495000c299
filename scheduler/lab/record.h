/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A record of what ran: every task of a context while it is kept, with its times on its worker, what StarPU's models
 * expected, and the tasks that it had to wait for; and what each core did inside tasks that cores share. For starfish
 * sched and starfish trace; works without FxT.
 *
 * Dependencies are those that StarPU derives from the data: a task waits for the last one that wrote what it touches,
 * and where it writes, for all that have read since. Keep one solve at a time: successive solves may use one handle for
 * different data. */
#ifndef STARFISH_SCHEDULER_LAB_RECORD_H
#define STARFISH_SCHEDULER_LAB_RECORD_H

#include "scheduler/runtime/hooks.h"
#include "scheduler/runtime/task.h"

#include <math.h>

/* Times in microseconds of the clock that StarPU times tasks with. */
struct starfish_task_span {
    const char *name, *codelet;
    unsigned colour; /* 0xrrggbb */
    int phase, priority;
    int worker; /* the context's number; -1: ran nowhere, data only */
    size_t width, bytes;
    size_t traffic; /* bytes that the task reads and those that it writes, by the task, or of its data once each */
    double flops;   /* NaN: not known */
    size_t memory;  /* what StarPU had got at the worker's memory node when the task ended */
    int coordinates;
    struct starfish_coordinate at[STARFISH_TASK_COORDINATES];
    double submitted, ready, start, end;    /* ready: given to the scheduler. start: of the work, with the data there */
    double fetched;                         /* how long the worker waited for its data before it */
    double expected[STARFISH_WORKER_KINDS]; /* by the models; NaN: not known; infinite: not for that kind */
    int uses_all_cores, helps;              /* as struct starfish_task_header has them */
    size_t pieces;                          /* that its cores reported */
};

/* Work of one core without a break, inside a task or all of it. Pieces of a core do not overlap. */
struct starfish_piece {
    size_t task;
    int worker;
    size_t part;  /* of the worker's cores: which */
    size_t cores; /* that did it: 1, on a simulated machine all of the worker */
    const char *name;
    unsigned colour;
    int phase;
    double start, end;
};

/* Task `to` had to wait for task `from`; from < to. */
struct starfish_edge {
    size_t from, to;
};

/* Do its cores report what they do of it? One that does not report then does nothing. */
static inline int starfish_task_span_is_shared(const struct starfish_task_span *span)
{
    return span->pieces > 0 || span->uses_all_cores || span->helps;
}

/* Self-contained once it is stopped: it may outlive its context. */
struct starfish_record {
    struct starfish_observer observer; /* first: the runtime calls it */
    struct starfish_context *context;  /* while it is kept */
    size_t workers[STARFISH_WORKER_KINDS];
    size_t worker_count;
    struct starfish_worker *worker; /* by the context's number */
    unsigned nodes;
    char node[STARPU_MAXNODES][16]; /* names of memory nodes: main0, gpu0 */
    size_t tasks, edges, pieces;
    struct starfish_task_span *task; /* in the order of submission */
    struct starfish_edge *edge;      /* by `to` */
    struct starfish_piece *piece;    /* of all tasks that ran on a worker */
    struct starfish_links links;     /* bytes that StarPU moved meanwhile, and their sums */
    struct starfish_bytes bytes;
    struct starfish_accesses *accesses; /* while it is kept */
    starpu_pthread_mutex_t lock;
    int incomplete; /* there was no memory for a task */
};

/* One at a time per context, and only while no task is in flight. Errors: ARGUMENT (there is one already), MEMORY. */
starfish_status starfish_record_start(struct starfish_context *context, struct starfish_record **record);
/* Stop keeping it: then it may be read. Error: MEMORY when something is missing. */
starfish_status starfish_record_stop(struct starfish_record *record);
/* Stopped before if need be. NULL is allowed. */
void starfish_record_free(struct starfish_record *record);

/* Of a piece: microseconds of its worker, of which a core is one part of as many as the worker has cores. */
static inline double starfish_piece_busy(const struct starfish_record *record, const struct starfish_piece *piece)
{
    return (piece->end - piece->start) * (double)piece->cores / (double)record->worker[piece->worker].cores;
}

#endif
