/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ranks (ranks.h): owners of data, what travels around a task, and agreement. A message takes 60 to 100 us. */
#include "scheduler/runtime/ranks.h"

#include "base/arithmetic.h"
#include "base/fingerprint.h"
#include "scheduler/runtime/idle.h"
#include "scheduler/runtime/options.h"
#include "scheduler/runtime/task.h"
#include "scheduler/runtime/team.h"
#include "scheduler/runtime/watchdog.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct starfish_transport *transport_of(const struct starfish_context *context)
{
    return context->ranks ? context->ranks->transport : NULL;
}

int starfish_context_rank(const struct starfish_context *context)
{
    return context && context->ranks ? context->ranks->transport->rank : 0;
}

int starfish_context_ranks(const struct starfish_context *context)
{
    return context && context->ranks ? context->ranks->transport->ranks : 1;
}

/* ---- Owners ------------------------------------------------------------------------------------------------------ */

/* Stored in the data's user pointer: 0 without an owner, else 2 (rank + 1), plus 1 if they travel. */
void starfish_data_set_owner(const struct starfish_context *context, starpu_data_handle_t data, int rank)
{
    if (data && transport_of(context))
        starpu_data_set_user_data(data, (void *)(2 * ((intptr_t)rank + 1)));
}

void starfish_data_set_travelling(const struct starfish_context *context, starpu_data_handle_t data, int owner)
{
    const struct starfish_transport *transport = transport_of(context);
    if (!data || !transport)
        return;
    starpu_data_set_user_data(data, (void *)(2 * ((intptr_t)owner + 1) + 1));
    transport->name(transport->state, data, context->ranks->next_tag++, owner);
}

int starfish_data_owner(starpu_data_handle_t data)
{
    return data ? (int)((intptr_t)starpu_data_get_user_data(data) / 2) - 1 : -1;
}

/* Of data that other ranks alone have there is no handle. */
static int travels(starpu_data_handle_t data)
{
    return data && ((intptr_t)starpu_data_get_user_data(data) & 1) != 0;
}

/* ---- Around a task ----------------------------------------------------------------------------------------------- */

/* The owner of the first of its data that is accessed so. */
static int owner_of(const struct starfish_task *task, enum starpu_data_access_mode mode)
{
    for (int i = 0; i < task->count; i++)
        if ((task->data[i].mode & mode) && starfish_data_owner(task->data[i].handle) >= 0)
            return starfish_data_owner(task->data[i].handle);
    return -1;
}

static int rank_of_task(const struct starfish_context *context, const struct starfish_task *task)
{
    if (!context->ranks)
        return 0;
    int rank = task->rank >= 0 ? task->rank : owner_of(task, STARPU_W);
    if (rank < 0)
        rank = owner_of(task, STARPU_R);
    return rank >= 0 ? rank : context->ranks->transport->rank;
}

struct starfish_executing starfish_ranks_of_task(const struct starfish_context *context,
                                                 const struct starfish_task *task)
{
    struct starfish_executing executing = {.ranks = task->copies, .rank = task->copy};
    if (!context->ranks || task->copies == 0) {
        executing.one = rank_of_task(context, task);
        executing.ranks = 1;
        executing.rank = NULL;
    }
    for (int r = 0; r < executing.ranks; r++)
        executing.here |= starfish_executing_rank(&executing, r) == starfish_context_rank(context);
    return executing;
}

/* What a function of the transport has returned. */
static starfish_status check(const struct starfish_transport *transport, int code)
{
    return STARFISH_OR_FAIL(code == 0, STARFISH_ERROR_RUNTIME, "StarPU-MPI: %s", transport->text(transport->state));
}

static void travelled(void *nothing)
{
    (void)nothing;
    starfish_idle_task_done();
}

typedef int travel(void *state, starpu_data_handle_t data, int rank, int priority, void (*done)(void *));

/* Workers stay awake until the data are away: those that a GPU has computed are copied by its worker first. */
static starfish_status move_all(const struct starfish_context *context, const struct starfish_task *task, int executing,
                                enum starpu_data_access_mode mode, travel *move)
{
    const struct starfish_transport *transport = context->ranks->transport;
    for (int i = 0; i < task->count; i++) {
        if (!(task->data[i].mode & mode) || !travels(task->data[i].handle))
            continue;
        starfish_idle_task_begun();
        const int posted = move(transport->state, task->data[i].handle, executing, task->priority, travelled);
        if (posted != 1)
            starfish_idle_task_done();
        STARFISH_TRY(check(transport, posted < 0));
    }
    return STARFISH_SUCCESS;
}

starfish_status starfish_ranks_fetch(const struct starfish_context *context, const struct starfish_task *task,
                                     const struct starfish_executing *executing)
{
    for (int r = 0; r < executing->ranks && context->ranks; r++)
        STARFISH_TRY(
            move_all(context, task, starfish_executing_rank(executing, r), STARPU_R, context->ranks->transport->fetch));
    return STARFISH_SUCCESS;
}

starfish_status starfish_ranks_give_back(const struct starfish_context *context, const struct starfish_task *task,
                                         const struct starfish_executing *executing)
{
    if (!context->ranks)
        return STARFISH_SUCCESS;
    const struct starfish_transport *transport = context->ranks->transport;
    if (task->copies == 0)
        return move_all(context, task, executing->one, STARPU_W, transport->give_back);
    for (int i = 0; i < task->count; i++)
        if ((task->data[i].mode & STARPU_W) && travels(task->data[i].handle))
            transport->keep(transport->state, task->data[i].handle, executing->ranks, executing->rank);
    return STARFISH_SUCCESS;
}

/* ---- What must be alike ------------------------------------------------------------------------------------------ */

/* Appends to text, of which `used` bytes are there; returns how many there are then. */
static size_t print_name(const struct starfish_alike_name *name, char *text, size_t used)
{
    if (name->in)
        used = print_name(name->in, text, used);
    const char *point = name->in && name->text[0] != ' ' ? "." : "";
    const size_t left = used < STARFISH_MESSAGE ? STARFISH_MESSAGE - used : 0;
    return used + (size_t)(name->nth > 0 ? snprintf(text + used, left, "%s%s[%zu]", point, name->text, name->nth - 1)
                                         : snprintf(text + used, left, "%s%s", point, name->text));
}

void starfish_alike_add(struct starfish_alike *alike, const struct starfish_alike_name *name, uint64_t fingerprint)
{
    starfish_fingerprint_number(&alike->all, fingerprint);
    if (alike->each && alike->count < alike->most)
        alike->each[alike->count] = fingerprint;
    if (alike->name && alike->count == alike->wanted)
        print_name(name, alike->name, 0);
    alike->count++;
}

/* The fingerprints of one thing, `count` apart, where zeros are not compared. */
static int are_alike(const uint64_t *fingerprint, size_t count, int ranks)
{
    uint64_t first = 0;
    for (size_t rank = 0; rank < (size_t)ranks; rank++) {
        const uint64_t own = fingerprint[rank * count];
        if (first != 0 && own != 0 && own != first)
            return 0;
        first = first != 0 ? first : own;
    }
    return 1;
}

/* The first thing that differs among `count` ones, which all ranks have at least. */
static starfish_status find_difference(const struct starfish_transport *transport, starfish_alike_walk *walk,
                                       const void *data, size_t count)
{
    uint64_t *all = malloc(((size_t)transport->ranks + 1) * count * sizeof *all);
    char name[STARFISH_MESSAGE] = "";
    STARFISH_FAIL_IF(!all, STARFISH_ERROR_MEMORY, "out of memory for the agreement of %d ranks", transport->ranks);
    uint64_t *own = all + (size_t)transport->ranks * count;
    struct starfish_alike alike = {.each = own, .most = count};
    walk(data, &alike);
    starfish_status status = check(transport, transport->gather(transport->state, own, count * sizeof *own, all));
    size_t i = 0;
    while (status == STARFISH_SUCCESS && i < count && are_alike(all + i, count, transport->ranks))
        i++;
    free(all);
    if (status != STARFISH_SUCCESS || i == count)
        return status;
    walk(data, &(struct starfish_alike){.name = name, .wanted = i});
    return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s differs between ranks", name);
}

/* ---- Agreement --------------------------------------------------------------------------------------------------- */

/* What every rank reports of a step. The fingerprint covers the `count` values that must be equal on all ranks. */
struct vote {
    int64_t status, tag;
    uint64_t fingerprint, count;
};

/* The failing rank's message on all others; rank 0's are everybody's, and are not marked. */
static starfish_status pass_on(const struct starfish_transport *transport, const struct vote *vote, int rank)
{
    char message[STARFISH_MESSAGE] = "";
    const starfish_status status = (starfish_status)vote[rank].status;
    if (transport->rank == rank)
        snprintf(message, sizeof message, "%s", starfish_error_message());
    STARFISH_TRY(check(transport, transport->broadcast(transport->state, message, sizeof message, rank)));
    return rank == 0 ? starfish_fail(status, "%s", message) : starfish_fail(status, "rank %d: %s", rank, message);
}

/* The rank whose failure is reported; -1: none. */
static int failed_rank_of(const struct vote *all, int ranks)
{
    int failed_rank = -1;
    for (int rank = 0; rank < ranks; rank++)
        if (all[rank].status != STARFISH_SUCCESS &&
            (failed_rank < 0 ||
             (all[failed_rank].status == STARFISH_ERROR_NUMERICAL && all[rank].status != STARFISH_ERROR_NUMERICAL)))
            failed_rank = rank;
    return failed_rank;
}

/* Of ranks that have not failed. Those that have nothing to compare are at another step than those that have. */
static starfish_status compare(const struct starfish_transport *transport, const struct vote *all,
                               starfish_alike_walk *walk, const void *data)
{
    uint64_t least = UINT64_MAX, most = 0;
    int different = 0;
    for (int rank = 0; rank < transport->ranks; rank++) {
        different |= all[rank].fingerprint != all[0].fingerprint;
        least = all[rank].count < least ? all[rank].count : least;
        most = all[rank].count > most ? all[rank].count : most;
    }
    STARFISH_REFUSE_IF(least == 0 && most > 0, "the kind of plan differs between ranks");
    return different && walk ? find_difference(transport, walk, data, (size_t)least) : STARFISH_SUCCESS;
}

/* *next_tag: the largest of all, since a rank that has failed may have named fewer data. */
static starfish_status agree(const struct starfish_transport *transport, starfish_status status,
                             starfish_alike_walk *walk, const void *data, int64_t *next_tag)
{
    struct starfish_alike alike = {.count = 0};
    struct vote *all = malloc((size_t)transport->ranks * sizeof *all);
    if (!all) /* a few bytes for each rank: the system is about to end the process anyway */
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for the agreement of %d ranks", transport->ranks);
    if (walk && status == STARFISH_SUCCESS)
        walk(data, &alike);
    const struct vote own = {(int64_t)status, *next_tag, alike.all, alike.count};
    starfish_status gathered = check(transport, transport->gather(transport->state, &own, sizeof own, all));
    for (int rank = 0; rank < transport->ranks && gathered == STARFISH_SUCCESS; rank++)
        *next_tag = all[rank].tag > *next_tag ? all[rank].tag : *next_tag;
    const int failed_rank = gathered == STARFISH_SUCCESS ? failed_rank_of(all, transport->ranks) : -1;
    if (failed_rank >= 0)
        gathered = pass_on(transport, all, failed_rank);
    else if (gathered == STARFISH_SUCCESS)
        gathered = compare(transport, all, walk, data);
    free(all);
    return gathered;
}

starfish_status starfish_ranks_first_failure(const struct starfish_context *context, starfish_status status)
{
    return starfish_ranks_agree_on(context, status, NULL, NULL);
}

starfish_status starfish_ranks_agree_on(const struct starfish_context *context, starfish_status status,
                                        starfish_alike_walk *walk, const void *data)
{
    if (!context->ranks)
        return status;
    return agree(context->ranks->transport, status, walk, data, &context->ranks->next_tag);
}

starfish_status starfish_transport_agree_on(const struct starfish_transport *transport, starfish_status status,
                                            starfish_alike_walk *walk, const void *data)
{
    int64_t next_tag = 0;
    return transport ? agree(transport, status, walk, data, &next_tag) : status;
}

starfish_status starfish_transport_agree(const struct starfish_transport *transport, starfish_status status)
{
    return starfish_transport_agree_on(transport, status, NULL, NULL);
}

starfish_status starfish_ranks_gather(const struct starfish_context *context, const void *own, size_t bytes, void *all)
{
    const struct starfish_transport *transport = transport_of(context);
    if (transport)
        return check(transport, transport->gather(transport->state, own, bytes, all));
    memcpy(all, own, bytes);
    return STARFISH_SUCCESS;
}

/* MPI counts bytes in ints. */
starfish_status starfish_ranks_broadcast(const struct starfish_context *context, void *data, size_t bytes, int from)
{
    const size_t most = (size_t)1 << 30;
    const struct starfish_transport *transport = transport_of(context);
    for (size_t at = 0; transport && at < bytes; at += most)
        STARFISH_TRY(check(transport, transport->broadcast(transport->state, (char *)data + at,
                                                           bytes - at < most ? bytes - at : most, from)));
    return STARFISH_SUCCESS;
}

starfish_status starfish_ranks_collect(const struct starfish_context *context, const void *own, const size_t *bytes,
                                       void *all)
{
    const struct starfish_transport *transport = transport_of(context);
    if (transport)
        return check(transport, transport->collect(transport->state, own, bytes, all));
    memcpy(all, own, bytes[0]);
    return STARFISH_SUCCESS;
}

/* The values of all ranks, joined in their order. */
static starfish_status fold(const struct starfish_context *context, double *values, size_t count,
                            double (*join)(double, double))
{
    const size_t ranks = (size_t)starfish_context_ranks(context);
    if (!context->ranks)
        return STARFISH_SUCCESS;
    double *all = malloc(ranks * count * sizeof *all);
    STARFISH_FAIL_IF(!all, STARFISH_ERROR_MEMORY, "out of memory for %zu values of %zu ranks", count, ranks);
    const starfish_status status = starfish_ranks_gather(context, values, count * sizeof *values, all);
    for (size_t i = 0; i < ranks * count && status == STARFISH_SUCCESS; i++)
        values[i % count] = i < count ? all[i] : join(values[i % count], all[i]);
    free(all);
    return status;
}

static double larger(double a, double b)
{
    return isnan(a) || isnan(b) ? (double)NAN : fmax(a, b);
}

static double sum(double a, double b)
{
    return a + b;
}

starfish_status starfish_ranks_maximum(const struct starfish_context *context, double *values, size_t count)
{
    return fold(context, values, count, larger);
}

starfish_status starfish_ranks_sum(const struct starfish_context *context, double *values, size_t count)
{
    return fold(context, values, count, sum);
}

starfish_status starfish_ranks_agree_maximum(const struct starfish_context *context, starfish_status status,
                                             double *values, size_t count)
{
    STARFISH_TRY(starfish_ranks_agree(context, status));
    return starfish_ranks_maximum(context, values, count);
}

/* ---- Contexts ---------------------------------------------------------------------------------------------------- */

static starfish_status join(struct starfish_context *context, const struct starfish_transport *transport)
{
    struct starfish_ranks *ranks = calloc(1, sizeof *ranks);
    starfish_status status = starfish_transport_agree(
        transport, STARFISH_OR_FAIL(ranks, STARFISH_ERROR_MEMORY, "out of memory for a context"));
    STARFISH_THEN(status, check(transport, transport->start(transport->state)));
    if (!ranks || status != STARFISH_SUCCESS) {
        free(ranks);
        return status;
    }
    ranks->transport = transport;
    context->ranks = ranks;
    starfish_outside_begin(context); /* tasks may wait for another rank for as long as it works */
    return STARFISH_SUCCESS;
}

void starfish_ranks_destroy(struct starfish_context *context)
{
    const struct starfish_transport *transport = transport_of(context);
    if (!transport)
        return;
    starfish_outside_end(context);
    transport->stop(transport->state);
    free(context->ranks);
    context->ranks = NULL;
    if (transport->release)
        transport->release(transport->state);
}

/* On this rank's share of its node, unless the user's options select workers. */
static starfish_status create_here(struct starfish_context **context, const struct starfish_context_options *user,
                                   const struct starfish_transport *transport)
{
    struct starfish_context_options options;
    struct starfish_node_share share = {.gpus = starfish_gpu_count(), .gpu_workers = -1};
    const starfish_status taken = starfish_options_take(&starfish_context_option_table, user, &options);
    void *binding = starfish_topology_binding();
    const int code = transport->take_share(transport->state, options.cpu_workers, &share);
    starfish_status status = starfish_transport_agree(transport, code == 0 ? taken : check(transport, code));
    options.gpu_workers = options.gpu_workers < 0 ? share.gpu_workers : options.gpu_workers;
    STARFISH_THEN(status, starfish_transport_agree(transport, starfish_runtime_create(context, &options)));
    starfish_topology_bind_again(binding);
    return status;
}

starfish_status starfish_context_create_ranked(struct starfish_context **context,
                                               const struct starfish_context_options *options,
                                               const struct starfish_transport *transport, const char *text)
{
    STARFISH_OWN_ARITHMETIC;
    STARFISH_NEED(context, "context");
    *context = NULL;
    STARFISH_FAIL_IF(!transport || transport->size != sizeof *transport, STARFISH_ERROR_RUNTIME, "%s",
                     transport ? "libstarfish_mpi is of another version than libstarfish" : text);
    starfish_status status = create_here(context, options, transport);
    STARFISH_THEN(status, join(*context, transport));
    if (status == STARFISH_SUCCESS)
        return STARFISH_SUCCESS;
    starfish_context_destroy(*context);
    *context = NULL;
    if (transport->release)
        transport->release(transport->state);
    return status;
}

starfish_status starfish_context_create_alone(const struct starfish_context *shared, struct starfish_context **alone)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    size_t cores = 0;
    options.cpu_workers = shared->workers_of[STARFISH_CPU] > 0 ? -1 : 0;
    options.gpu_workers = shared->workers_of[STARFISH_GPU] > 0 ? -1 : 0;
    options.patience_seconds = isfinite(shared->watched.patience) ? shared->watched.patience : 0;
    options.log = shared->log;
    options.log_data = shared->log_data;
    STARFISH_TRY(starfish_runtime_create(alone, &options));
    for (size_t worker = 0; worker < shared->workers; worker++)
        if (starfish_context_worker_kind(shared, worker) == STARFISH_CPU)
            cores += shared->team[worker].size;
    starfish_team_destroy(*alone); /* the same cores; joining a running StarPU does not set them */
    const starfish_status status = starfish_team_create(*alone, cores);
    if (status == STARFISH_SUCCESS)
        return STARFISH_SUCCESS;
    starfish_context_destroy(*alone);
    *alone = NULL;
    return status;
}

starfish_status starfish_context_tell_rank(const struct starfish_context *context, int *rank, int *ranks)
{
    STARFISH_NEED(context, "context");
    STARFISH_NEED(rank, "rank");
    STARFISH_NEED(ranks, "ranks");
    *rank = starfish_context_rank(context);
    *ranks = starfish_context_ranks(context);
    return STARFISH_SUCCESS;
}

starfish_status starfish_context_deal(const struct starfish_context *context, size_t n, int rank, size_t *first,
                                      size_t *count)
{
    const int ranks = starfish_context_ranks(context);
    STARFISH_NEED(context, "context");
    STARFISH_NEED(first, "first");
    STARFISH_NEED(count, "count");
    STARFISH_REFUSE_IF(rank < 0 || rank >= ranks, "rank is %d, but there are %d ranks", rank, ranks);
    const struct starfish_run_of_planes run = starfish_deal(n, rank, ranks);
    *first = run.first;
    *count = run.count;
    return STARFISH_SUCCESS;
}
