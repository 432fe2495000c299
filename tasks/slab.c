/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The slab method's graph: its data, and the submission of its tasks. */
#include "tasks/slab.h"

#include "base/real.h"
#include "scheduler/runtime/ranks.h"
#include "scheduler/runtime/task_group_gpus.h"
#include "tridiag/kernels/constant_line.h"

#include <stdlib.h>
#include <string.h>

/* ---- A graph's data ---------------------------------------------------------------------------------------------- */

static starfish_status register_array(starfish_handle *handle, const char *name, size_t count, size_t size, size_t s,
                                      size_t p)
{
    STARFISH_TRY(starfish_array_register(handle, count, size));
    starfish_data_label_2d(*handle, name, s, p);
    return STARFISH_SUCCESS;
}

static int rank_of_part(const struct starfish_slab_graph *graph, size_t part)
{
    return graph->reduced_owner[part].rank;
}

/* Arrays of separators, heads and coefficients that a slab has: one for each part of the modes, or each solver. */
static size_t arrays_of(const struct starfish_slab_graph *graph)
{
    return graph->solvers > 1 ? graph->solvers : graph->parts.count;
}

/* Modes of array p. */
static size_t lanes_of(const struct starfish_slab_graph *graph, size_t p)
{
    const size_t *first = graph->parts.first_row, rows = graph->solvers > 1 ? first[1] : first[p + 1] - first[p];
    return graph->space->n[0] * rows;
}

/* The equations of slab s's ends in part p. Their owner is the rank that solves the part's reduced system. Where every
 * owner solves all systems, each has its own copy of what it needs besides. */
static starfish_status register_ends(struct starfish_slab_graph *graph, struct starfish_slab *slab, size_t s, size_t p)
{
    const struct starfish_slab_space *space = graph->space;
    const size_t size = starfish_real_size(space->precision), lanes = lanes_of(graph, p);
    STARFISH_TRY(register_array(&slab->separator[p], "separators", lanes, size, s, p));
    if (graph->solvers > 1)
        return STARFISH_SUCCESS;
    STARFISH_TRY(register_array(&slab->head[p], "heads", lanes, size, s, p));
    starfish_data_set_travelling(space->context, slab->separator[p], rank_of_part(graph, p));
    starfish_data_set_travelling(space->context, slab->head[p], rank_of_part(graph, p));
    return STARFISH_SUCCESS;
}

/* Of singular problems; of the rank that solves the line. */
static starfish_status register_constants(struct starfish_slab_graph *graph, size_t s)
{
    for (int turn = 0; turn < graph->turns && graph->space->constant_lane >= 0; turn++) {
        starfish_handle *const constant = &graph->slab[turn][s].constant;
        STARFISH_TRY(
            register_array(constant, "constant mode", starfish_runs_rows(&graph->cut, s), sizeof(double), s, 0));
        starfish_data_set_travelling(graph->space->context, *constant, rank_of_part(graph, 0));
    }
    return STARFISH_SUCCESS;
}

static starfish_status register_arrays(struct starfish_slab_graph *graph, size_t s)
{
    const struct starfish_slab_space *space = graph->space;
    const size_t size = starfish_real_size(space->precision);
    if (graph->stream.slots > 0)
        return starfish_slab_stream_register(&graph->stream, s, &graph->slab[0][s]);
    for (size_t p = 0; p < arrays_of(graph); p++) {
        starfish_handle *const coefficient = &graph->slab[0][s].coefficient[p];
        STARFISH_TRY(
            register_array(coefficient, "coefficients", STARFISH_SLAB_COEFFICIENTS * lanes_of(graph, p), size, s, p));
        if (graph->solvers == 1)
            starfish_data_set_travelling(space->context, *coefficient, rank_of_part(graph, p));
        for (int turn = 0; turn < graph->turns; turn++) {
            graph->slab[turn][s].coefficient[p] = *coefficient;
            STARFISH_TRY(register_ends(graph, &graph->slab[turn][s], s, p));
        }
    }
    for (int turn = 0; turn < graph->turns && graph->solvers > 1; turn++) {
        starfish_handle *const ends = &graph->slab[turn][s].ends;
        STARFISH_TRY(register_array(ends, "ends", 2 * lanes_of(graph, 0), size, s, 0));
        starfish_data_set_travelling(space->context, *ends, graph->cut.owner[s].rank);
    }
    return STARFISH_SUCCESS;
}

/* Entries of z that couple each slab to the next. */
static starfish_status make_upper(struct starfish_slab_graph *graph, const struct starfish_direction *z)
{
    double upper[STARFISH_SLAB_MAX_SLABS];
    for (size_t s = 0; s < graph->cut.parts; s++)
        upper[s] = z->upper[graph->cut.first[s + 1] - 1];
    return starfish_coefficient_table_reals(&graph->upper, graph->space->precision, upper, graph->cut.parts);
}

static int alone(const struct starfish_slab_graph *graph)
{
    return graph->cut.parts == 1;
}

/* Reduced systems that a GPU, or a core, may have to solve. */
static int may_be_reduced_on(const struct starfish_slab_graph *graph, int gpu)
{
    for (size_t i = 0; i < graph->systems.count * graph->solvers; i++)
        if (starfish_device_allows(graph->reduced_owner[i].device, gpu))
            return 1;
    return 0;
}

/* What the most demanding slab needs, which may be a thin one: fewer planes let kernels take more lanes at a time. */
static size_t workspace_bytes(const struct starfish_slab_graph *graph, starfish_worker_kind kind, int whole)
{
    const size_t slabs = graph->cut.parts;
    size_t most = 0;
    if (whole)
        return kind == STARFISH_CPU ? starfish_slab_whole_workspace(graph->space) : 0;
    if (may_be_reduced_on(graph, kind == STARFISH_GPU))
        most = starfish_slab_reduced_workspace(graph->space, kind, slabs, graph->systems.count);
    if (alone(graph) && kind == STARFISH_GPU && graph->space->constant_lane >= 0) {
        const size_t bytes = starfish_slab_problems_workspace(graph->space, kind, 0); /* one task has the line, too */
        most = bytes > most ? bytes : most;
    }
    for (size_t s = 0; s < slabs; s++) {
        if (!starfish_device_allows(graph->cut.owner[s].device, kind == STARFISH_GPU))
            continue;
        const size_t bytes = starfish_slab_workspace(graph->space, kind, slabs, starfish_runs_rows(&graph->cut, s));
        most = bytes > most ? bytes : most;
    }
    return most;
}

static starfish_status register_graph(struct starfish_slab_graph *graph, const struct starfish_direction *z,
                                      const struct starfish_slab_shape *shape)
{
    const size_t slots = shape->slots;
    for (size_t s = 0; s < graph->cut.parts; s++)
        for (int turn = 0; turn < STARFISH_SLAB_TURNS; turn++) {
            graph->slab[turn][s].first_plane = graph->cut.first[s];
            graph->slab[turn][s].planes = starfish_runs_rows(&graph->cut, s);
            graph->slab[turn][s].owner = graph->cut.owner[s];
        }
    STARFISH_TRY(starfish_workspace_create(&graph->workspace, graph->space->context,
                                           workspace_bytes(graph, STARFISH_CPU, shape->whole),
                                           workspace_bytes(graph, STARFISH_GPU, shape->whole)));
    if (shape->whole)
        return starfish_slab_whole_create(&graph->whole, graph->space, &graph->workspace);
    for (size_t s = 0; s < graph->cut.parts; s++)
        STARFISH_TRY(register_constants(graph, s));
    if (alone(graph))
        return STARFISH_SUCCESS;
    STARFISH_TRY(make_upper(graph, z));
    STARFISH_TRY(starfish_gpu_groups_create(&graph->groups, graph->space->context, shape->joined ? graph->cut.parts : 0,
                                            graph->cut.owner, &graph->replays));
    if (slots > 0)
        STARFISH_TRY(
            starfish_slab_stream_create(&graph->stream, graph->space, slots, graph->cut.parts, &graph->systems));
    for (size_t s = 0; s < graph->cut.parts; s++)
        STARFISH_TRY(register_arrays(graph, s));
    return STARFISH_SUCCESS;
}

/* Steps that may fail on one rank precede the first task that other ranks wait for. */
static starfish_status fill_graph(struct starfish_slab_graph *graph, const struct starfish_direction *z,
                                  const struct starfish_slab_shape *shape, struct starfish_progress *progress)
{
    const size_t slots = shape->slots;
    const int reduced = graph->reduced_owner[0].device, needed_on = reduced >= 0 ? STARFISH_GPUS : reduced;
    const starfish_status registered = register_graph(graph, z, shape);
    if (alone(graph) || shape->whole)
        return registered;
    STARFISH_TRY(starfish_ranks_agree(graph->space->context, registered));
    for (size_t s = 0; s < graph->cut.parts; s++)
        for (size_t solver = 0; solver < graph->solvers; solver++) {
            struct starfish_slab slab = graph->slab[0][s];
            if (slots > 0)
                slab.owner.device = needed_on;
            else if (graph->solvers > 1)
                slab.owner = graph->reduced_owner[solver];
            STARFISH_TRY(starfish_submit_slab_coefficients(progress, STARFISH_PHASE_MODES, graph->space, &graph->parts,
                                                           &slab, solver));
        }
    return starfish_slab_stream_coefficients(&graph->stream, progress, graph->slab[0]);
}

static struct starfish_slab_parts parts_of(const struct starfish_slab_graph *graph, size_t count)
{
    struct starfish_slab_parts parts = {.workspace = &graph->workspace, .count = count};
    starfish_divide(graph->space->n[1], count, parts.first_row);
    return parts;
}

/* The parts of the reduced systems, as many to each owner of slabs, or all to each; where there are none but GPUs alone
 * may solve them, to each GPU. */
static void deal_out(struct starfish_slab_graph *graph, int device)
{
    const size_t parts = graph->systems.count * graph->solvers, owners = starfish_runs_owners(&graph->cut, 0, NULL);
    const size_t gpus = device == STARFISH_GPUS ? graph->space->context->workers_of[STARFISH_GPU] : 0;
    for (size_t part = 0; part < parts; part++) {
        struct starfish_owner *const owner = &graph->reduced_owner[part];
        owner->device = gpus > 1 && parts > 1 ? (int)(part * gpus / parts) : device;
        starfish_runs_owners(&graph->cut, part * owners / parts, owners > 0 ? owner : NULL);
    }
}

/* The graph of a cut without data; none after an error. */
static starfish_status begin(struct starfish_slab_graph *graph, struct starfish_slab_space *space,
                             const struct starfish_runs *cut)
{
    memset(graph, 0, sizeof *graph);
    graph->space = space;
    starfish_replays_create(&graph->replays, space->context);
    int is_complete = starfish_runs_copy(&graph->cut, cut) == STARFISH_SUCCESS;
    for (int turn = 0; turn < STARFISH_SLAB_TURNS; turn++) {
        graph->slab[turn] = calloc(cut->parts, sizeof *graph->slab[turn]);
        graph->modes[turn] = calloc(cut->parts, sizeof *graph->modes[turn]);
        is_complete = is_complete && graph->slab[turn] && graph->modes[turn];
    }
    if (is_complete)
        return STARFISH_SUCCESS;
    graph->turns = 0; /* the arrays that there are hold nothing yet */
    starfish_slab_graph_destroy(graph);
    starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a graph of %zu slabs", cut->parts);
    return STARFISH_ERROR_MEMORY;
}

starfish_status starfish_slab_graph_create(struct starfish_slab_graph *graph, struct starfish_slab_space *space,
                                           const struct starfish_direction *z, const struct starfish_slab_shape *shape,
                                           struct starfish_progress *progress)
{
    STARFISH_TRY(begin(graph, space, shape->cut));
    graph->turns = shape->slots > 0 ? 1 : STARFISH_SLAB_TURNS;
    graph->parts = parts_of(graph, shape->slots > 0 ? 1 : shape->parts);
    graph->systems = parts_of(graph, shape->parts);
    graph->solvers = shape->each_owner ? starfish_runs_owners(&graph->cut, 0, NULL) : 1;
    deal_out(graph, shape->reduced_device);
    starfish_status status = fill_graph(graph, z, shape, progress);
    if (status != STARFISH_SUCCESS) {
        starfish_progress_wait(progress);
        starfish_slab_graph_destroy(graph);
    }
    return status;
}

starfish_status starfish_slab_graph_of_problems(struct starfish_slab_graph *graph, struct starfish_slab_space *space,
                                                const struct starfish_runs *cut, int strided)
{
    STARFISH_TRY(begin(graph, space, cut));
    graph->turns = 1;
    const size_t gpu_bytes = starfish_device_allows(starfish_runs_owner(cut, 0).device, 1) /* of all groups */
                                 ? starfish_slab_problems_workspace(space, STARFISH_GPU, strided)
                                 : 0;
    const starfish_status status = starfish_workspace_create(
        &graph->workspace, space->context, starfish_slab_problems_workspace(space, STARFISH_CPU, strided), gpu_bytes);
    if (status != STARFISH_SUCCESS)
        starfish_slab_graph_destroy(graph);
    return status;
}

void starfish_slab_graph_is_made(struct starfish_slab_graph *graph)
{
    if (graph->whole)
        return;
    if (graph->stream.slots > 0)
        starfish_slab_stream_is_made(&graph->stream, may_be_reduced_on(graph, 1));
    else
        for (size_t s = 0; s < graph->cut.parts; s++)
            for (size_t p = 0; p < arrays_of(graph); p++) {
                /* The ends of other ranks' slabs are still in transfer to the rank that solves the part. */
                if (rank_of_part(graph, p) == starfish_context_rank(graph->space->context))
                    starfish_data_wait(graph->slab[0][s].coefficient[p]);
                starfish_data_set_constant(graph->slab[0][s].coefficient[p], 1);
            }
}

static void release_ends(const struct starfish_slab *slab, size_t parts)
{
    for (size_t p = 0; p < parts; p++) {
        starfish_array_unregister(slab->separator[p]);
        starfish_array_unregister(slab->head[p]);
    }
    starfish_array_unregister(slab->ends);
    starfish_array_unregister(slab->constant);
}

void starfish_slab_graph_destroy(struct starfish_slab_graph *graph)
{
    if (!graph->space)
        return;
    for (size_t s = 0; s < graph->cut.parts && graph->turns > 0; s++) {
        for (size_t p = 0; p < arrays_of(graph); p++)
            starfish_array_unregister(graph->slab[0][s].coefficient[p]);
        for (int turn = 0; turn < graph->turns; turn++) {
            release_ends(&graph->slab[turn][s], arrays_of(graph));
            starfish_array_unregister(graph->modes[turn][s]);
        }
    }
    starfish_gpu_groups_destroy(graph->groups);
    starfish_replays_destroy(&graph->replays);
    starfish_slab_stream_destroy(&graph->stream);
    starfish_coefficient_table_destroy(&graph->upper);
    starfish_slab_whole_destroy(graph->whole);
    graph->whole = NULL;
    starfish_workspace_destroy(&graph->workspace);
    for (int turn = 0; turn < STARFISH_SLAB_TURNS; turn++) {
        free(graph->slab[turn]);
        free(graph->modes[turn]);
    }
    starfish_runs_free(&graph->cut);
    graph->space = NULL;
}

/* ---- Graph ------------------------------------------------------------------------------------------------------- */

/* System i: part i of the modes, or all modes for owner i. */
static struct starfish_slab_reduced_task system_of(const struct starfish_slab_graph *graph,
                                                   const struct starfish_slab *slab, size_t i)
{
    const int each = graph->solvers > 1;
    return (struct starfish_slab_reduced_task){.space = graph->space,
                                               .parts = &graph->systems,
                                               .part = each ? 0 : i,
                                               .solver = each ? i : 0,
                                               .slabs = graph->cut.parts,
                                               .slab = slab,
                                               .gathered = graph->stream.slots > 0 ? &graph->stream.gathered[i] : NULL,
                                               .upper = graph->upper.handle,
                                               .owner = graph->reduced_owner[i]};
}

static starfish_status submit_reduced(const struct starfish_slab_graph *graph, const struct starfish_slab *slab,
                                      struct starfish_progress *progress, starfish_handle removed)
{
    const struct starfish_constant_line_task line = {.space = graph->space,
                                                     .slabs = graph->cut.parts,
                                                     .slab = slab,
                                                     .removed = removed,
                                                     .device = graph->reduced_owner[0].device};
    if (removed)
        STARFISH_TRY(starfish_submit_constant_line(progress, STARFISH_PHASE_MODES, &line));
    if (alone(graph))
        return STARFISH_SUCCESS;
    STARFISH_TRY(starfish_slab_stream_gather(&graph->stream, progress, slab));
    for (size_t i = 0; i < graph->systems.count * graph->solvers; i++) {
        const struct starfish_slab_reduced_task task = system_of(graph, slab, i);
        STARFISH_TRY(starfish_submit_slab_reduced(progress, STARFISH_PHASE_MODES, &task));
        STARFISH_TRY(starfish_slab_stream_after_reduced(&graph->stream, i, progress));
    }
    return starfish_slab_stream_scatter(&graph->stream, progress, slab);
}

static const struct starfish_slab *slab_before(const struct starfish_slab_graph *graph,
                                               const struct starfish_slab *slab, size_t s)
{
    if (s > 0)
        return &slab[s - 1];
    return graph->space->periodic ? &slab[graph->cut.parts - 1] : NULL;
}

/* The owner of a slab among those that solve the reduced systems. */
static size_t solver_of(const struct starfish_slab_graph *graph, size_t s)
{
    size_t solver = 0;
    while (solver + 1 < graph->solvers && !starfish_owner_is(graph->reduced_owner[solver], graph->cut.owner[s]))
        solver++;
    return solver;
}

static starfish_status submit_backward(const struct starfish_slab_graph *graph, const struct starfish_slab *slab,
                                       size_t s, struct starfish_progress *progress,
                                       const struct starfish_vector *solution, const starfish_handle *modes)
{
    const struct starfish_slab_backward_task task = {.space = graph->space,
                                                     .parts = &graph->parts,
                                                     .slab = &slab[s],
                                                     .before = slab_before(graph, slab, s),
                                                     .owner = solver_of(graph, s),
                                                     .alone = alone(graph),
                                                     .modes = modes ? modes[s] : NULL,
                                                     .solution = solution,
                                                     .part = s,
                                                     .token = starfish_slab_stream_token_back(&graph->stream, s)};
    STARFISH_TRY(starfish_submit_slab_backward(progress, STARFISH_PHASE_BACKWARD, &task));
    return starfish_slab_stream_after_backward(&graph->stream, s, progress, &task);
}

/* Where the modes of a solution lie whose rows are not packed; made when the first one comes. */
static const starfish_handle *modes_of(struct starfish_slab_graph *graph, const struct starfish_vector *solution)
{
    starfish_handle *const modes = graph->modes[graph->turn];
    const struct starfish_field_array array = {
        .n = graph->space->n, .precision = graph->space->precision, .context = graph->space->context};
    for (size_t s = 0; s < graph->cut.parts && solution->strided; s++)
        if (!modes[s])
            starfish_slab_register(&modes[s], "modes", &graph->cut, s, &array);
    return solution->strided ? modes : NULL;
}

/* Whether a GPU does all in one task, which solves whole problems: not what a few planes of one are timed with. */
static int is_one_task(const struct starfish_slab_graph *graph, const struct starfish_vector *solution)
{
    return alone(graph) && starfish_owner_is(graph->cut.owner[0], (struct starfish_owner){0, STARFISH_GPUS}) &&
           !solution->strided && starfish_runs_rows(&graph->cut, 0) == graph->space->n[2] &&
           starfish_slab_alone_is_known(graph->space->context);
}

/* The problems of slab s. */
static starfish_status submit_problems_of(struct starfish_slab_graph *graph, struct starfish_progress *progress,
                                          const struct starfish_direct_data *data, size_t s, starfish_handle removed)
{
    const struct starfish_slab_problems_task task = {.space = graph->space,
                                                     .workspace = &graph->workspace,
                                                     .replays = &graph->replays,
                                                     .problems =
                                                         starfish_runs_rows(&graph->cut, s) / graph->space->n[2],
                                                     .device = graph->cut.owner[s].device,
                                                     .alone = graph->space->count == 1,
                                                     .rhs = data->rhs[s],
                                                     .solution = data->solution->piece[s],
                                                     .removed = removed};
    return starfish_submit_slab_problems(progress, STARFISH_PHASE_BACKWARD, &task);
}

static starfish_status submit_alone(struct starfish_slab_graph *graph, struct starfish_progress *progress,
                                    const struct starfish_direct_data *data)
{
    STARFISH_TRY(submit_problems_of(graph, progress, data, 0, data->removed));
    return starfish_graph_edges(progress, STARFISH_PHASE_BACKWARD, data->solution);
}

/* One task for all, and the edges of what it has written. */
static starfish_status submit_whole(const struct starfish_slab_graph *graph, struct starfish_progress *progress,
                                    const struct starfish_direct_data *data, const starfish_handle *modes)
{
    const struct starfish_slab_whole_task task = {.whole = graph->whole,
                                                  .cut = &graph->cut,
                                                  .rhs = data->rhs,
                                                  .boundary = data->boundary,
                                                  .solution = data->solution->piece,
                                                  .modes = modes,
                                                  .removed = data->removed};
    STARFISH_TRY(starfish_submit_slab_whole(progress, STARFISH_PHASE_BACKWARD, &task));
    return starfish_graph_edges(progress, STARFISH_PHASE_BACKWARD, data->solution);
}

static starfish_status submit_problems(struct starfish_slab_graph *graph, struct starfish_progress *progress,
                                       const struct starfish_direct_data *data)
{
    for (size_t s = 0; s < graph->cut.parts; s++)
        STARFISH_TRY(submit_problems_of(graph, progress, data, s,
                                        data->removed_of_slab ? data->removed_of_slab[s].handle : NULL));
    return STARFISH_SUCCESS;
}

/* A solve of slabs. */
struct submission {
    struct starfish_slab_graph *graph;
    const struct starfish_slab *slab;
    struct starfish_progress *progress;
    const struct starfish_direct_data *data;
    const starfish_handle *modes;
};

static starfish_status submit_slabs(void *submission)
{
    const struct submission *s = submission;
    struct starfish_slab_graph *graph = s->graph;
    for (size_t i = 0; i < graph->cut.parts; i++) {
        const struct starfish_slab_forward_task task = {.space = graph->space,
                                                        .parts = &graph->parts,
                                                        .slab = &s->slab[i],
                                                        .alone = alone(graph),
                                                        .rhs = s->data->rhs[i],
                                                        .solution =
                                                            s->modes ? s->modes[i] : s->data->solution->piece[i],
                                                        .token = starfish_slab_stream_token(&graph->stream, i)};
        STARFISH_TRY(starfish_submit_slab_forward(s->progress, STARFISH_PHASE_FORWARD, &task));
        STARFISH_TRY(starfish_slab_stream_after_forward(&graph->stream, i, s->progress, &task));
    }
    STARFISH_TRY(submit_reduced(graph, s->slab, s->progress, s->data->removed));
    for (size_t i = 0; i < graph->cut.parts; i++)
        STARFISH_TRY(submit_backward(graph, s->slab, i, s->progress, s->data->solution, s->modes));
    return STARFISH_SUCCESS;
}

starfish_status starfish_graph_slab(void *of_slabs, struct starfish_progress *progress,
                                    const struct starfish_direct_data *data)
{
    struct starfish_slab_graph *graph = of_slabs;
    const uintptr_t key[STARFISH_GROUP_KEY] = {(uintptr_t)graph->turn};
    struct submission slabs = {graph, graph->slab[graph->turn], progress, data, NULL};
    if (graph->space->count > 1)
        return submit_problems(graph, progress, data);
    slabs.modes = modes_of(graph, data->solution);
    graph->turn = (graph->turn + 1) % graph->turns;
    if (graph->whole)
        return submit_whole(graph, progress, data, slabs.modes);
    if (is_one_task(graph, data->solution))
        return submit_alone(graph, progress, data);
    return starfish_gpu_groups_run(graph->groups, progress, "slabs", STARFISH_PHASE_BACKWARD, key, submit_slabs,
                                   &slabs);
}
