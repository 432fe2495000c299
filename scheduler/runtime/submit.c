/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Submitting one task, and what happens when it has finished (task.h). A small task takes about 10 us. */
#include "scheduler/runtime/hooks.h"
#include "scheduler/runtime/task.h"

#include "base/arithmetic.h"
#include "base/c_locale.h"
#include "scheduler/runtime/fork.h"
#include "scheduler/runtime/idle.h"
#include "scheduler/runtime/memory.h"
#include "scheduler/runtime/owner.h"
#include "scheduler/runtime/ranks.h"
#include "scheduler/runtime/team.h"
#include "scheduler/runtime/watchdog.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef STARFISH_HAVE_GPU
#include <cuda_runtime_api.h>
#endif

struct starfish_hooks starfish_hooks;

void starfish_task_begin(struct starfish_task *task, struct starpu_codelet *codelet, struct starfish_progress *progress,
                         int phase)
{
    task->codelet = codelet;
    task->progress = progress;
    task->phase = phase;
    task->step = -1;
    task->priority = STARPU_DEFAULT_PRIO;
    task->device = STARFISH_ANY;
    task->worker = -1;
    task->rank = -1;
    task->copies = 0;
    task->name = codelet->name;
    task->width = 0;
    task->flops = task->bytes = (double)NAN;
    task->coordinates = 0;
    task->count = 0;
    task->room = STARFISH_TASK_FEW_DATA;
    task->refused = 0;
    task->data = task->few;
}

void starfish_task_drop(struct starfish_task *task)
{
    if (task->data != task->few)
        free(task->data);
    task->data = task->few;
}

static int grow(struct starfish_task *task)
{
    const int room = 4 * task->room < STARFISH_TASK_MAX_DATA ? 4 * task->room : STARFISH_TASK_MAX_DATA;
    struct starfish_task_datum *more = room > task->room ? malloc((size_t)room * sizeof *more) : NULL;
    if (!more)
        return 0;
    memcpy(more, task->data, (size_t)task->count * sizeof *more);
    starfish_task_drop(task);
    task->data = more;
    task->room = room;
    return 1;
}

int starfish_task_stay(struct starfish_task *task, int node)
{
    const struct starfish_context *context = task->progress->context;
    for (size_t i = 0; i < context->workers && node > STARFISH_MAIN_MEMORY; i++)
        if ((int)starpu_worker_get_memory_node((unsigned)context->worker[i]) == node) {
            task->worker = context->worker[i];
            return 1;
        }
    return 0;
}

void starfish_task_data(struct starfish_task *task, starpu_data_handle_t handle, enum starpu_data_access_mode mode)
{
    if (task->count < task->room || grow(task))
        task->data[task->count++] = (struct starfish_task_datum){handle, mode};
    else
        task->refused++;
}

void starfish_task_copy_on(struct starfish_task *task, int rank)
{
    for (int c = 0; c < task->copies; c++)
        if (task->copy[c] == rank)
            return;
    task->copy[task->copies++] = rank;
}

void starfish_task_at(struct starfish_task *task, const char *name, starpu_data_handle_t data, unsigned dimension)
{
    int value[STARFISH_TASK_COORDINATES];
    if (task->coordinates < STARFISH_TASK_COORDINATES &&
        starpu_data_get_coordinates_array(data, STARFISH_TASK_COORDINATES, value) > dimension)
        task->at[task->coordinates++] = (struct starfish_coordinate){name, value[dimension]};
}

uint32_t starfish_task_footprint(struct starpu_task *task)
{
    const struct starfish_task_header *header = task->cl_arg;
    return header->footprint;
}

uint32_t starfish_footprint_of(const size_t *values, size_t count)
{
    const uint32_t hash = starpu_hash_crc32c_be_n(values, count * sizeof *values, 0);
    if (starfish_hooks.note_sizes)
        starfish_hooks.note_sizes(hash, values, count);
    return hash;
}

void starfish_task_run(void (*function)(void *buffers[], void *arguments), void *buffers[], void *arguments)
{
    if (starfish_arithmetic_is_own()) {
        function(buffers, arguments);
        return;
    }
    STARFISH_OWN_ARITHMETIC;
    function(buffers, arguments);
}

double starfish_task_length(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned implementation)
{
    return starfish_hooks.length(task, arch, implementation);
}

int starfish_times_known(const struct starpu_codelet *codelet, const struct starfish_context *context,
                         starfish_worker_kind kind)
{
    return !starfish_hooks.times_known || starfish_hooks.times_known(codelet, context, kind);
}

int starfish_times_known_everywhere(const struct starpu_codelet *codelet, const struct starfish_context *context)
{
    for (int kind = 0; kind < STARFISH_WORKER_KINDS; kind++)
        if (context->workers_of[kind] > 0 && !starfish_times_known(codelet, context, (starfish_worker_kind)kind))
            return 0;
    return 1;
}

void starfish_task_simulated(void *buffers[], void *arguments)
{
    (void)buffers;
    (void)arguments;
}

void starfish_task_check(const struct starfish_task_header *header, const char *operation, int cuda_error)
{
    int none = 0;
#ifdef STARFISH_HAVE_GPU
    if (cuda_error != 0)
        (void)cudaGetLastError(); /* else the next one's launches would find it */
#endif
    if (starfish_is_stuck())
        return; /* no thread waits for the job any more */
    if (cuda_error != 0 && atomic_compare_exchange_strong(&header->progress->error, &none, cuda_error))
        atomic_store(&header->progress->culprit, operation);
}

struct CUstream_st *starfish_task_stream(void)
{
    struct CUstream_st *stream = starfish_context_launch_stream();
#ifdef STARFISH_HAVE_GPU
    if (!stream)
        stream = starpu_cuda_get_local_stream();
#endif
    return stream;
}

static void widen(struct starfish_interval *span, double start, double end)
{
    span->start = fmin(span->start, start);
    span->end = fmax(span->end, end);
}

static void count(struct starfish_tasks_done *done, double start, double end)
{
    done->tasks++;
    done->busy_seconds += end > start ? 1e-6 * (end - start) : 0;
}

static void extend(struct starfish_stretch *stretch, int kind, double start, double end)
{
    count(&stretch->done[kind], start, end);
    widen(&stretch->span, start, end);
}

/* A task that launches on several GPUs counts for each of them. */
static void count_busy(struct starfish_context *context, const struct starfish_task_header *header, int worker,
                       struct starfish_interval span)
{
    const size_t nanoseconds = (size_t)(1e9 * starfish_interval_seconds(span));
    for (size_t gpu = 0; gpu < header->gpus; gpu++)
        atomic_fetch_add(&context->busy[starfish_context_gpu_worker(context, gpu)], nanoseconds);
    if (header->gpus == 0)
        atomic_fetch_add(&context->busy[worker], nanoseconds);
}

/* What StarPU does after a task takes no simulated time, so that a worker would always find the task that it has just
 * made possible before others can. On cores it takes 3 to 4 us a task. */
static void take_a_moment(void)
{
#ifdef STARPU_SIMGRID
    const int worker = starpu_worker_get_id();
    if (worker >= 0 && starpu_worker_get_type(worker) == STARPU_CPU_WORKER)
        starpu_sleep(3.5e-6F);
#endif
}

/* Where a core's reports of a task are that has just ended in this thread; NULL: there are none. */
static const struct starfish_team *team_of(const struct starfish_context *context, int workerid)
{
    if (workerid < 0 || workerid != starpu_worker_get_id())
        return NULL;
    const struct starfish_team *team = &context->team[starfish_context_current_worker(context)];
    return team->log ? team : NULL;
}

static void count_phases(struct starfish_progress *progress, const struct starfish_task_header *header,
                         const struct starfish_team *team, struct starfish_interval span)
{
    double busy[STARFISH_ACTIVITY_PHASES] = {0};
    const int named = team && starfish_team_busy(team, busy);
    if (named || header->uses_all_cores) /* of which others' cores may have done all */
        starfish_progress_divide(progress, span, !header->helps, busy);
    else if (!header->helps)
        widen(&progress->undivided[header->phase], span.start, span.end);
}

/* StarPU calls this after the task, in any thread. Counting comes last: the job may be freed once all are counted. */
static void finished(void *data)
{
    struct starpu_task *task = data;
    struct starfish_task_header *header = task->cl_arg;
    const int ran = task->where != (int32_t)STARPU_NOWHERE;
    if (ran)
        take_a_moment();
    const double now = starpu_timing_now();
    struct starfish_progress *progress = header->progress;
    if (starfish_is_stuck() || !starfish_watchdog_finish_begin(&progress->context->watched, header)) {
        starfish_idle_task_done(); /* and no more: the job may be gone */
        return;
    }
    struct starfish_watchdog *watched = &progress->context->watched;
    const struct starpu_profiling_task_info *info = task->profiling_info;
    const struct starfish_team *team = ran && info ? team_of(progress->context, info->workerid) : NULL;

    if (team)
        starfish_activity_close();
    STARPU_PTHREAD_MUTEX_LOCK(&progress->lock);
    if (ran && info && info->workerid >= 0) {
        int gpu = starpu_worker_get_type(info->workerid) != STARPU_CPU_WORKER;
        double start = starpu_timing_timespec_to_us((struct timespec *)&info->start_time);
        double end = starpu_timing_timespec_to_us((struct timespec *)&info->end_time);
        progress->clock_offset = fmin(progress->clock_offset, now - end);
        count(&progress->done[gpu], start, end);
        extend(&progress->phase[header->phase], gpu, start, end);
        if (header->step >= 0 && progress->step)
            extend(&progress->step[header->step], gpu, start, end);
        count_busy(progress->context, header, info->workerid, (struct starfish_interval){start, end});
        count_phases(progress, header, team, (struct starfish_interval){start, end});
    } else if (!ran && isfinite(progress->clock_offset)) { /* data only, which are now in the requested memory */
        struct starfish_interval *span = &progress->phase[header->phase].span;
        span->end = fmax(span->end, now - progress->clock_offset);
        progress->undivided[header->phase].end = span->end;
    }
    if (header->observer)
        header->observer->finished(header->observer, header, ran ? info : NULL, team, now - progress->clock_offset);
    if (team)
        starfish_team_forget(team);
    starfish_watchdog_finish_end(watched);
    if (atomic_fetch_add(&progress->finished, 1) + 1 == atomic_load(&progress->submitted))
        STARPU_PTHREAD_COND_BROADCAST(&progress->all_done);
    STARPU_PTHREAD_MUTEX_UNLOCK(&progress->lock);
    starfish_idle_task_done();
}

/* A team of cores takes another time than one core. */
static uint32_t with_team(uint32_t footprint, const struct starfish_context *context)
{
    size_t cores = 1;
    for (size_t worker = 0; worker < context->workers; worker++)
        cores = context->team[worker].size > cores ? context->team[worker].size : cores;
    return footprint << 8 | (cores < 0xff ? (uint32_t)cores : 0xff);
}

static starfish_status attach_data(const struct starfish_task *task, struct starpu_task *starpu_task)
{
    starpu_data_handle_t *handles = starpu_task->handles;
    enum starpu_data_access_mode *modes = starpu_task->modes;
    starpu_task->nbuffers = task->count;
    if (task->count > STARPU_NMAXBUFS) { /* StarPU frees these with the task */
        handles = starpu_task->dyn_handles = malloc((size_t)task->count * sizeof *handles);
        modes = starpu_task->dyn_modes = malloc((size_t)task->count * sizeof *modes);
    }
    if (!handles || !modes)
        return STARFISH_ERROR_MEMORY;
    for (int i = 0; i < task->count; i++) {
        handles[i] = task->data[i].handle;
        modes[i] = task->data[i].mode;
    }
    return STARFISH_SUCCESS;
}

/* Returns 1 if the models have times of tasks like this one on that worker. */
static int is_known(struct starpu_task *task, unsigned worker)
{
    return !starfish_hooks.is_known || starfish_hooks.is_known(task, worker);
}

/* A task that StarPU has not taken. */
static void discard(struct starpu_task *task)
{
    task->destroy = 0; /* else it is StarPU's to do, after the task */
    starpu_task_destroy(task);
}

/* StarPU would end a simulation in which a task's length is not known. */
static starfish_status check_length(struct starpu_task *task)
{
    return starfish_hooks.check_length && task->where != (int32_t)STARPU_NOWHERE ? starfish_hooks.check_length(task)
                                                                                 : STARFISH_SUCCESS;
}

/* Which of this rank's workers runs a task, by its owner. */
static void choose_workers(const struct starfish_task *task, struct starpu_task *starpu_task)
{
    const struct starfish_context *context = task->progress->context;
    const uint32_t kinds = (starfish_device_allows(task->device, 0) ? STARPU_CPU : 0) |
                           (starfish_device_allows(task->device, 1) ? STARPU_CUDA : 0);
    const int worker = task->device >= 0 ? starfish_context_gpu_worker(context, (size_t)task->device) : task->worker;
    starpu_task->where = (int32_t)(task->device == STARFISH_NOWHERE ? STARPU_NOWHERE : kinds & task->progress->where);
    if (worker >= 0) {
        starpu_task->execute_on_a_specific_worker = 1;
        starpu_task->workerid = (unsigned)worker;
    }
}

void starfish_task_traced_name(const char *name, char traced[STARFISH_TRACED_NAME])
{
    size_t i;
    for (i = 0; i < STARFISH_TRACED_NAME - 1 && name[i] != '\0'; i++)
        traced[i] = (char)(name[i] == ' ' ? '_' : name[i]);
    traced[i] = '\0';
}

/* StarPU's task, with a copy of the arguments that it owns. */
static starfish_status make(const struct starfish_task *task, void *arguments, size_t size, struct starpu_task **made)
{
    struct starpu_task *starpu_task = starpu_task_create();
    struct starfish_task_header *copy = malloc(size);
    starfish_status status = starpu_task && copy ? attach_data(task, starpu_task) : STARFISH_ERROR_MEMORY;
    if (status != STARFISH_SUCCESS) {
        free(copy);
        if (starpu_task)
            discard(starpu_task);
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a task");
    }
    memcpy(copy, arguments, size);
    copy->progress = task->progress;
    copy->phase = task->phase;
    copy->step = task->step;
    copy->footprint = with_team(copy->footprint, task->progress->context);
    copy->task = starpu_task;
    copy->name = task->name;
    starfish_task_traced_name(task->name, copy->traced);
    copy->coordinates = task->coordinates;
    memcpy(copy->at, task->at, sizeof copy->at);
    starpu_task->cl = task->codelet;
    starpu_task->name = copy->traced;
    starpu_task->flops = isnan(task->flops) ? 0 : task->flops; /* to StarPU 0 is not known */
    choose_workers(task, starpu_task);
    starpu_task->cl_arg = copy;
    starpu_task->cl_arg_size = size;
    starpu_task->cl_arg_free = 1;
    starpu_task->callback_func = finished;
    starpu_task->callback_arg = starpu_task;
    *made = starpu_task;
    return STARFISH_SUCCESS;
}

starfish_status starfish_task_expect(struct starfish_task *task, void *arguments, size_t size,
                                     double seconds[STARFISH_WORKER_KINDS])
{
    const struct starfish_context *context = task->progress->context;
    struct starpu_task *starpu_task;
    const starfish_status status = make(task, arguments, size, &starpu_task);
    starfish_task_drop(task);
    STARFISH_TRY(status);
    for (int kind = 0; kind < STARFISH_WORKER_KINDS; kind++)
        seconds[kind] = (double)NAN;
    for (size_t i = 0; i < context->workers; i++) {
        const unsigned worker = (unsigned)context->worker[i];
        double *expected = &seconds[starfish_context_worker_kind(context, i)];
        if (!isnan(*expected) || !starpu_worker_can_execute_task(worker, starpu_task, 0) ||
            !is_known(starpu_task, worker))
            continue;
        const double microseconds = starpu_task_worker_expected_length(starpu_task, worker, 0, 0);
        *expected = microseconds > 0 ? 1e-6 * microseconds : (double)NAN; /* 0: the model must still be calibrated */
    }
    discard(starpu_task);
    return STARFISH_SUCCESS;
}

/* The first task of a solve. */
static void begin_solve(const struct starfish_progress *progress)
{
    if (starfish_hooks.begin_solve && atomic_load(&progress->submitted) == 0)
        starfish_hooks.begin_solve();
}

/* Of tasks that are submitted from now on; 1 until starfish_tasks_teach is called for the first time. */
static struct {
    atomic_int was_called, teach;
} teaching;

void starfish_tasks_teach(int teach)
{
    atomic_store(&teaching.teach, teach);
    atomic_store(&teaching.was_called, 1);
}

/* StarPU turns it on when it loads the model, which it does when the codelet's first task is submitted. */
static void teach_model(struct starpu_codelet *codelet)
{
    if (atomic_load(&teaching.was_called) && codelet->model)
        codelet->model->benchmarking = (unsigned)atomic_load(&teaching.teach);
}

/* StarPU reads the file of a codelet's model when the codelet's first task is submitted. */
static int submit_in_c_locale(struct starpu_task *starpu_task)
{
    const locale_t before = starfish_c_locale_enter();
    const int code = starpu_task_submit(starpu_task);
    starfish_c_locale_leave(before);
    return code;
}

/* Whoever watches a solve sees which iteration, or without iterations which phase, a task is of. StarPU keeps one such
 * number for all threads that submit, and aborts where two of them change it at once: one does, and a task that another
 * submits meanwhile is counted to the same iteration. */
static int submit_in_iteration(const struct starfish_task *task, struct starpu_task *starpu_task, int watched)
{
    static atomic_flag is_changed = ATOMIC_FLAG_INIT;
    const int iteration = atomic_load(&task->progress->iteration);
    if (!watched || atomic_flag_test_and_set(&is_changed))
        return submit_in_c_locale(starpu_task);
    starpu_iteration_push((unsigned long)(iteration > 0 ? iteration : task->phase));
    const int code = submit_in_c_locale(starpu_task);
    starpu_iteration_pop();
    atomic_flag_clear(&is_changed);
    return code;
}

/* Returns StarPU's code. A task that StarPU refuses is gone. */
static int start(const struct starfish_task *task, struct starpu_task *starpu_task)
{
    struct starfish_progress *progress = task->progress;
    struct starfish_task_header *header = starpu_task->cl_arg;
    struct starpu_codelet *codelet = starpu_task->cl;
    starfish_watchdog_add(&progress->context->watched, header);
    atomic_fetch_add(&progress->submitted, 1);
    starfish_idle_task_begun();
    const int code = submit_in_iteration(task, starpu_task, header->observer != NULL);
    teach_model(codelet);
    if (code != 0) {
        starfish_idle_task_done();
        atomic_fetch_sub(&progress->submitted, 1);
        starfish_watchdog_drop(&progress->context->watched, header);
        discard(starpu_task);
    }
    return code;
}

static starfish_status submit_here(const struct starfish_task *task, void *arguments, size_t size)
{
    struct starpu_task *starpu_task;
    begin_solve(task->progress);
    STARFISH_TRY(make(task, arguments, size, &starpu_task));
    struct starfish_task_header *copy = starpu_task->cl_arg;
    starpu_task->priority = task->priority;
    starpu_task->sched_data = (void *)(uintptr_t)task->width; /* as policies find it (lab/policies/policies.h) */

    starfish_status status = starfish_fit_task(task->progress->context, starpu_task);
    STARFISH_THEN(status, check_length(starpu_task));
    if (status != STARFISH_SUCCESS) {
        discard(starpu_task);
        return status;
    }
    copy->observer = task->progress->context->observer;
    if (copy->observer)
        copy->number = copy->observer->submitted(copy->observer, task, starpu_task);
    const int code = start(task, starpu_task);
    return STARFISH_OR_FAIL(code == 0, STARFISH_ERROR_RUNTIME, "task %s: StarPU refused it: %s", task->name,
                            strerror(-code));
}

static void do_nothing(void *buffers[], void *arguments)
{
    (void)buffers;
    (void)arguments;
}

static struct starpu_codelet in_its_place = {.cpu_funcs = {do_nothing},
#ifdef STARFISH_HAVE_GPU
                                             .cuda_funcs = {do_nothing},
#endif
                                             .nbuffers = STARPU_VARIABLE_NBUFFERS,
                                             .name = "in_its_place"};

/* Other ranks submit the following tasks and wait for the data of this one. So an empty task takes its place, and
 * waiting for the job returns the failure. Data keep their values. */
static starfish_status replace(const struct starfish_task *task, starfish_status failure)
{
    struct starfish_progress *progress = task->progress;
    const struct starfish_context *context = progress->context;
    struct starfish_task_header header = {.observer = NULL};
    struct starpu_task *starpu_task;
    if (progress->refused.status == STARFISH_SUCCESS)
        starfish_failure_keep(&progress->refused, failure);
    STARFISH_TRY(make(task, &header, sizeof header, &starpu_task));
    starpu_task->cl = &in_its_place;
    starpu_task->where = (int32_t)(context->workers_of[STARFISH_CPU] > 0 ? STARPU_CPU : context->where);
    starpu_task->execute_on_a_specific_worker = 0;
    return start(task, starpu_task) == 0 ? STARFISH_SUCCESS : starfish_failure_repeat(&progress->refused);
}

static starfish_status submit(struct starfish_task *task, void *arguments, size_t size)
{
    const struct starfish_context *context = task->progress->context;
    STARFISH_TRY(starfish_fork_check());
    if (starfish_is_stuck())
        return starfish_fail_stuck();
    if (task->progress->recorder)
        return task->progress->recorder->add(task->progress->recorder, task, arguments, size);
    if (task->refused > 0 && task->count < STARFISH_TASK_MAX_DATA)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a task");
    if (task->refused > 0)
        return starfish_fail(STARFISH_ERROR_RUNTIME, "task %s of codelet %s: %d data, but at most %d are possible",
                             task->name, task->codelet->name, task->count + task->refused, STARFISH_TASK_MAX_DATA);
    const struct starfish_executing executing = starfish_ranks_of_task(context, task);
    STARFISH_TRY(starfish_ranks_fetch(context, task, &executing));
    if (executing.here) {
        const starfish_status status = submit_here(task, arguments, size);
        if (status != STARFISH_SUCCESS)
            STARFISH_TRY(starfish_context_ranks(context) > 1 ? replace(task, status) : status);
    }
    return starfish_ranks_give_back(context, task, &executing);
}

/* The one place where tasks are submitted. All ranks come here with every task of a graph: one executes it (or several,
 * each a copy), and those that own what it reads or writes send and receive. */
starfish_status starfish_task_submit(struct starfish_task *task, void *arguments, size_t size)
{
    const starfish_status status = submit(task, arguments, size);
    starfish_task_drop(task);
    return status;
}
