/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keeping a record of tasks (record.h): dependencies from their data, spans on workers, copies over links, and what
 * models expected. */
#include "scheduler/lab/record.h"

#include "scheduler/runtime/team.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Arrays that grow -------------------------------------------------------------------------------------------- */

/* Room for one more element; 0 without memory. Sizes are powers of two. */
static int make_room(void **array, size_t count, size_t size)
{
    if (count > 0 && (count & (count - 1)) != 0)
        return 1;
    void *larger = realloc(*array, (count > 0 ? 2 * count : 1) * size);
    if (larger)
        *array = larger;
    return larger != NULL;
}

/* ---- Who touched which data -------------------------------------------------------------------------------------- */

enum { NOBODY = -1, BUCKETS = 1024 };

struct reader {
    size_t task;
    ptrdiff_t next; /* of the same data */
};

struct touched {
    starpu_data_handle_t handle;
    ptrdiff_t writer, readers; /* the last writer, and the readers since */
    ptrdiff_t next;            /* of the same bucket */
};

struct starfish_accesses {
    ptrdiff_t bucket[BUCKETS];
    size_t touched_count, reader_count;
    struct touched *touched;
    struct reader *reader;
};

static size_t bucket_of(starpu_data_handle_t handle)
{
    return ((uintptr_t)handle >> 6) * 2654435761u % BUCKETS;
}

/* NULL without memory. */
static struct touched *find(struct starfish_accesses *accesses, starpu_data_handle_t handle)
{
    ptrdiff_t *const first = &accesses->bucket[bucket_of(handle)];
    for (ptrdiff_t at = *first; at != NOBODY; at = accesses->touched[at].next)
        if (accesses->touched[at].handle == handle)
            return &accesses->touched[at];
    if (!make_room((void **)&accesses->touched, accesses->touched_count, sizeof *accesses->touched))
        return NULL;
    struct touched *touched = &accesses->touched[accesses->touched_count];
    *touched = (struct touched){handle, NOBODY, NOBODY, *first};
    *first = (ptrdiff_t)accesses->touched_count++;
    return touched;
}

static int add_edge(struct starfish_record *record, ptrdiff_t from, size_t to)
{
    if (from == NOBODY || (size_t)from == to)
        return 1;
    if (!make_room((void **)&record->edge, record->edges, sizeof *record->edge))
        return 0;
    record->edge[record->edges++] = (struct starfish_edge){(size_t)from, to};
    return 1;
}

static int add_reader(struct starfish_accesses *accesses, struct touched *touched, size_t task)
{
    if (!make_room((void **)&accesses->reader, accesses->reader_count, sizeof *accesses->reader))
        return 0;
    accesses->reader[accesses->reader_count] = (struct reader){task, touched->readers};
    touched->readers = (ptrdiff_t)accesses->reader_count++;
    return 1;
}

static int touch(struct starfish_record *record, size_t task, starpu_data_handle_t handle,
                 enum starpu_data_access_mode mode)
{
    struct starfish_accesses *accesses = record->accesses;
    struct touched *touched = find(accesses, handle);
    if (!touched)
        return 0;
    int kept = add_edge(record, touched->writer, task);
    if (!(mode & STARPU_W))
        return add_reader(accesses, touched, task) && kept;
    for (ptrdiff_t at = touched->readers; at != NOBODY; at = accesses->reader[at].next)
        kept = add_edge(record, (ptrdiff_t)accesses->reader[at].task, task) && kept;
    touched->writer = (ptrdiff_t)task;
    touched->readers = NOBODY;
    return kept;
}

/* ---- Tasks ------------------------------------------------------------------------------------------------------- */

/* By the models of one worker of each kind. */
static void fill_expected(struct starfish_task_span *span, const struct starfish_context *context,
                          struct starpu_task *starpu_task)
{
    for (int kind = 0; kind < STARFISH_WORKER_KINDS; kind++)
        span->expected[kind] = starpu_task->where == (int32_t)STARPU_NOWHERE ? 0 : (double)INFINITY;
    for (size_t i = 0; i < context->workers && starpu_task->where != (int32_t)STARPU_NOWHERE; i++) {
        const unsigned worker = (unsigned)context->worker[i];
        double *expected = &span->expected[starfish_context_worker_kind(context, i)];
        if (isinf(*expected) && starpu_worker_can_execute_task(worker, starpu_task, 0))
            *expected = starpu_task_worker_expected_length(starpu_task, worker, 0, 0);
    }
}

static void count_bytes(struct starfish_task_span *span, const struct starfish_task *task)
{
    for (int i = 0; i < task->count; i++) {
        const size_t size = starpu_data_get_size(task->data[i].handle);
        span->bytes += size;
        span->traffic += task->data[i].mode & STARPU_R ? size : 0;
        span->traffic += task->data[i].mode & STARPU_W ? size : 0;
    }
    if (!isnan(task->bytes))
        span->traffic = (size_t)task->bytes;
}

static size_t submitted(struct starfish_observer *observer, const struct starfish_task *task,
                        struct starpu_task *starpu_task)
{
    struct starfish_record *record = (struct starfish_record *)observer;
    struct starfish_task_span span = {.name = task->name,
                                      .codelet = task->codelet->name,
                                      .colour = task->codelet->color,
                                      .phase = task->phase,
                                      .priority = task->priority,
                                      .worker = -1,
                                      .width = task->width,
                                      .flops = task->flops,
                                      .coordinates = task->coordinates};
    memcpy(span.at, task->at, sizeof span.at);
    count_bytes(&span, task);
    fill_expected(&span, record->context, starpu_task);
    STARPU_PTHREAD_MUTEX_LOCK(&record->lock);
    const size_t number = record->tasks;
    if (make_room((void **)&record->task, number, sizeof span)) {
        record->task[record->tasks++] = span;
        for (int i = 0; i < task->count; i++)
            record->incomplete |= !touch(record, number, task->data[i].handle, task->data[i].mode);
    } else {
        record->incomplete = 1;
    }
    STARPU_PTHREAD_MUTEX_UNLOCK(&record->lock);
    return number;
}

static double microseconds(const struct timespec *time)
{
    return starpu_timing_timespec_to_us((struct timespec *)(uintptr_t)time);
}

static size_t memory_in_use(int worker)
{
#if STARPU_MAJOR_VERSION > 1 || STARPU_MINOR_VERSION >= 4
    return starpu_memory_get_used(starpu_worker_get_memory_node((unsigned)worker));
#else
    (void)worker;
    return 0;
#endif
}

static int number_of_worker(const struct starfish_context *context, int id)
{
    for (size_t i = 0; i < context->workers; i++)
        if (context->worker[i] == id)
            return (int)i;
    return -1;
}

static void add_piece(struct starfish_record *record, const struct starfish_piece *piece)
{
    if (make_room((void **)&record->piece, record->pieces, sizeof *piece))
        record->piece[record->pieces++] = *piece;
    else
        record->incomplete = 1;
}

static void add_stint(struct starfish_record *record, size_t task, size_t part, const struct starfish_stint *stint)
{
    const struct starfish_task_span *span = &record->task[task];
    const struct starfish_activity *activity = stint->activity;
    const struct starfish_piece piece = {.task = task,
                                         .worker = span->worker,
                                         .part = part,
                                         .cores = 1,
                                         .name = activity->name ? activity->name : span->name,
                                         .colour = activity->name ? activity->colour : span->colour,
                                         .phase = activity->phase < 0 ? span->phase : activity->phase,
                                         .start = fmax(stint->start, span->start),
                                         .end = fmin(stint->end, span->end)};
    if (piece.start < piece.end)
        add_piece(record, &piece);
}

/* The worker's own core has prepared the task before its first report. What a core did before the task, in none that is
 * recorded, is left out. */
static void add_stints(struct starfish_record *record, size_t task, const struct starfish_team *team)
{
    const size_t before = record->pieces;
    const struct starfish_activity_log *own = &team->log[0];
    if (!starfish_team_reports(team) && !starfish_task_span_is_shared(&record->task[task]))
        return;
    if (own->count > 0)
        add_stint(record, task, 0,
                  &(struct starfish_stint){&starfish_activity_alone, record->task[task].start, own->stint[0].start});
    for (size_t part = 0; part < team->size; part++) {
        for (size_t i = 0; i < team->log[part].count; i++)
            add_stint(record, task, part, &team->log[part].stint[i]);
        record->incomplete |= team->log[part].lost;
    }
    record->task[task].pieces = record->pieces - before;
}

/* Where the task ran nowhere, it has ended at `now`. */
static void finished(struct starfish_observer *observer, const struct starfish_task_header *header,
                     const struct starpu_profiling_task_info *info, const struct starfish_team *team, double now)
{
    struct starfish_record *record = (struct starfish_record *)observer;
    STARPU_PTHREAD_MUTEX_LOCK(&record->lock);
    struct starfish_task_span *span = header->number < record->tasks ? &record->task[header->number] : NULL;
    if (span && info && info->workerid >= 0) {
        span->worker = number_of_worker(record->context, info->workerid);
        span->memory = memory_in_use(info->workerid);
        span->submitted = microseconds(&info->submit_time);
        span->ready = microseconds(&info->push_start_time);
        span->start = microseconds(&info->start_time);
        span->end = microseconds(&info->end_time);
        span->fetched = microseconds(&info->acquire_data_end_time) - microseconds(&info->acquire_data_start_time);
        span->uses_all_cores = header->uses_all_cores;
        span->helps = header->helps;
        if (team)
            add_stints(record, header->number, team);
    } else if (span) {
        /* StarPU's clock is unknown until the first task has reported its times. */
        span->submitted = span->ready = span->start = span->end = isfinite(now) ? now : (double)NAN;
    }
    STARPU_PTHREAD_MUTEX_UNLOCK(&record->lock);
}

/* ---- Beginning and end ------------------------------------------------------------------------------------------- */

static void name_nodes(struct starfish_record *record)
{
    record->nodes = starpu_memory_nodes_get_count();
    for (unsigned node = 0; node < record->nodes; node++) {
        const int gpu = starpu_node_get_kind(node) == STARPU_CUDA_RAM;
        snprintf(record->node[node], sizeof record->node[node], gpu ? "gpu%d" : "main%d",
                 gpu ? starpu_memory_node_get_devid(node) : (int)node);
    }
}

/* NULL without memory. */
static struct starfish_record *create(struct starfish_context *context)
{
    struct starfish_record *record = calloc(1, sizeof *record);
    if (!record)
        return NULL;
    record->observer = (struct starfish_observer){submitted, finished};
    record->context = context;
    record->worker_count = context->workers;
    record->accesses = calloc(1, sizeof *record->accesses);
    record->worker = calloc(context->workers, sizeof *record->worker);
    STARPU_PTHREAD_MUTEX_INIT(&record->lock, NULL);
    if (!record->accesses || !record->worker) {
        starfish_record_free(record);
        return NULL;
    }
    for (size_t b = 0; b < BUCKETS; b++)
        record->accesses->bucket[b] = NOBODY;
    memcpy(record->workers, context->workers_of, sizeof record->workers);
    for (size_t i = 0; i < context->workers; i++)
        starfish_context_worker(context, i, &record->worker[i]);
    name_nodes(record);
    starfish_context_links(context, &record->links);
    return record;
}

starfish_status starfish_record_start(struct starfish_context *context, struct starfish_record **record)
{
    *record = NULL;
    STARFISH_REFUSE_IF(context->observer, "a record of this context's tasks is being kept already");
    *record = create(context);
    STARFISH_FAIL_IF(!*record, STARFISH_ERROR_MEMORY, "out of memory for a record of tasks");
    context->observer = &(*record)->observer;
    return STARFISH_SUCCESS;
}

/* Tasks that ran nowhere and whose time is not known: it is that when all had ended that they waited for, or else the
 * first submission. Needs edges in the order of `to`. */
static void date_spans(struct starfish_record *record)
{
    double first = (double)INFINITY;
    for (size_t i = 0; i < record->tasks; i++)
        first = fmin(first, record->task[i].submitted); /* of NaN the other */
    for (size_t i = 0, e = 0; i < record->tasks; i++) {
        struct starfish_task_span *span = &record->task[i];
        double moment = isfinite(first) ? first : 0;
        for (; e < record->edges && record->edge[e].to == i; e++)
            moment = fmax(moment, record->task[record->edge[e].from].end);
        if (isnan(span->end))
            span->submitted = span->ready = span->start = span->end = moment;
    }
}

/* StarPU records a task's start at its launch; on the GPU it begins when the task before has ended. */
static void separate_spans(struct starfish_record *record)
{
    for (size_t next = 0; next < record->tasks; next++) {
        struct starfish_task_span *span = &record->task[next];
        for (size_t other = 0; other < record->tasks && span->worker >= 0; other++) {
            const struct starfish_task_span *before = &record->task[other];
            if (before->worker == span->worker && before->end > span->start && before->end < span->end)
                span->start = before->end;
        }
    }
}

static void add_whole_task(struct starfish_record *record, size_t task, size_t worker, size_t cores)
{
    const struct starfish_task_span *span = &record->task[task];
    const struct starfish_piece piece = {.task = task,
                                         .worker = (int)worker,
                                         .cores = cores,
                                         .name = span->name,
                                         .colour = span->colour,
                                         .phase = span->phase,
                                         .start = span->start,
                                         .end = span->end};
    add_piece(record, &piece);
}

#ifdef STARPU_SIMGRID
/* Nothing runs that could report: a task keeps all cores of its worker, or of all workers. */
static void add_whole_tasks(struct starfish_record *record)
{
    for (size_t i = 0; i < record->tasks; i++) {
        struct starfish_task_span *span = &record->task[i];
        const size_t before = record->pieces;
        for (size_t worker = 0; worker < record->worker_count && span->worker >= 0; worker++)
            if (span->worker == (int)worker || (span->uses_all_cores && record->worker[worker].kind == STARFISH_CPU))
                add_whole_task(record, i, worker, (size_t)record->worker[worker].cores);
        span->pieces = span->uses_all_cores ? record->pieces - before : 0;
    }
}
#else
/* Those of which nothing is reported. */
static void add_whole_tasks(struct starfish_record *record)
{
    for (size_t i = 0; i < record->tasks; i++)
        if (record->task[i].worker >= 0 && !starfish_task_span_is_shared(&record->task[i]))
            add_whole_task(record, i, (size_t)record->task[i].worker, 1);
}
#endif

static int by_target(const void *a, const void *b)
{
    const struct starfish_edge *x = a, *y = b;
    return x->to != y->to ? (x->to > y->to) - (x->to < y->to) : (x->from > y->from) - (x->from < y->from);
}

static void release_accesses(struct starfish_record *record)
{
    if (!record->accesses)
        return;
    free(record->accesses->touched);
    free(record->accesses->reader);
    free(record->accesses);
    record->accesses = NULL;
}

starfish_status starfish_record_stop(struct starfish_record *record)
{
    if (!record->context)
        return STARFISH_SUCCESS;
    const struct starfish_links before = record->links;
    starfish_context_links(record->context, &record->links);
    for (unsigned from = 0; from < STARPU_MAXNODES; from++)
        for (unsigned to = 0; to < STARPU_MAXNODES; to++)
            record->links.moved[from][to] -= before.moved[from][to];
    record->bytes = starfish_bytes_of_links(&record->links);
    record->context->observer = NULL;
    record->context = NULL;
    release_accesses(record);
    if (record->edges > 0)
        qsort(record->edge, record->edges, sizeof *record->edge, by_target);
    date_spans(record);
    separate_spans(record);
    add_whole_tasks(record);
    return record->incomplete ? starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a record of tasks")
                              : STARFISH_SUCCESS;
}

void starfish_record_free(struct starfish_record *record)
{
    if (!record)
        return;
    if (record->context && record->context->observer == &record->observer)
        starfish_record_stop(record);
    release_accesses(record);
    STARPU_PTHREAD_MUTEX_DESTROY(&record->lock);
    free(record->worker);
    free(record->task);
    free(record->edge);
    free(record->piece);
    free(record);
}
