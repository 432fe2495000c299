/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The graphs of a plan of the slab method: which there are, which one a solve runs, and when one is cut anew. */
#include "poisson/slab.h"

#include "scheduler/runtime/ranks.h"

/* Where the user says how to cut, or there is no GPU, one graph is for all; where there are GPUs alone, one for all
 * data of the host; and only where there are both kinds of workers do their shares depend on the pace. Fields that are
 * spread as the user says have a graph of their own. */
static struct starfish_slab_graph *graph_for(struct starfish_poisson_plan *plan, enum starfish_residence *residence,
                                             enum starfish_pace *pace)
{
    const size_t *workers = plan->base.context->workers_of;
    if (starfish_context_ranks(plan->base.context) > 1) { /* all have the same ones, whatever their workers are */
        *residence = plan->options.slabs > 0 || !plan->here.any_gpu ? STARFISH_PINNED : *residence;
        *pace = STARFISH_LONE;
        return &starfish_slab_state(plan)->graph[*residence][STARFISH_LONE];
    }
    if (*residence == STARFISH_SPREAD && plan->spread.parts > 0) {
        *pace = STARFISH_LONE;
        return &starfish_slab_state(plan)->graph[STARFISH_SPREAD][STARFISH_LONE];
    }
    if (plan->options.slabs > 0 || workers[STARFISH_GPU] == 0 ||
        (workers[STARFISH_CPU] == 0 && *residence == STARFISH_PAGEABLE))
        *residence = STARFISH_PINNED;
    if (plan->options.slabs > 0 || workers[STARFISH_GPU] == 0 || workers[STARFISH_CPU] == 0 ||
        *residence == STARFISH_STAGED || *residence >= STARFISH_ON_DEVICE)
        *pace = STARFISH_LONE;
    return &starfish_slab_state(plan)->graph[*residence][*pace];
}

static starfish_status make_graph(struct starfish_poisson_plan *plan, const struct starfish_slab_shape *shape,
                                  struct starfish_slab_graph *graph)
{
    struct starfish_progress progress;
    starfish_progress_init(&progress, plan->base.context);
    starfish_status status =
        starfish_slab_graph_create(graph, &starfish_slab_state(plan)->space, &plan->direction[2], shape, &progress);
    STARFISH_THEN(status, starfish_progress_wait(&progress));
    status = starfish_ranks_agree(plan->base.context, status);
    if (status == STARFISH_SUCCESS)
        starfish_slab_graph_is_made(graph);
    else
        starfish_slab_graph_destroy(graph);
    starfish_progress_destroy(&progress);
    return status;
}

static starfish_status create_graph(struct starfish_poisson_plan *plan, enum starfish_residence residence,
                                    enum starfish_pace pace, struct starfish_slab_graph *graph)
{
    struct starfish_runs cut = {.parts = 0};
    struct starfish_slab_shape shape = {.cut = &cut};
    const int many = plan->count > 1;
    starfish_status status = many ? starfish_slab_choose_groups(plan, residence, &cut)
                                  : starfish_slab_choose_cut(plan, residence, pace, &cut, &shape);
    STARFISH_THEN(status, many ? starfish_slab_graph_of_problems(graph, &starfish_slab_state(plan)->space, &cut,
                                                                 plan->layout[STARFISH_SOLUTION].strides.row > 0)
                               : make_graph(plan, &shape, graph));
    starfish_runs_free(&cut);
    return status;
}

/* A lone solve is the only one, so that a graph may be released that is to be cut anew; a graph that fields are made
 * for stays as it is. With the lock held. */
static void prepare_for(struct starfish_slab_state *state, enum starfish_residence residence, enum starfish_pace pace)
{
    if (pace == STARFISH_STREAM)
        return;
    if (pace == STARFISH_LONE && state->cut_anew[residence])
        starfish_slab_graph_destroy(&state->graph[residence][STARFISH_LONE]);
    if (pace == STARFISH_FOR_FIELDS)
        state->balance[residence].settled = 1;
    state->cut_anew[residence] = 0;
}

starfish_status starfish_slab_cut_for(struct starfish_poisson_plan *plan, enum starfish_residence residence,
                                      enum starfish_pace pace, const struct starfish_runs **cut)
{
    starfish_status status = STARFISH_SUCCESS;
    pthread_mutex_lock(&plan->base.lock);
    prepare_for(starfish_slab_state(plan), residence, pace);
    pace = pace == STARFISH_FOR_FIELDS ? STARFISH_LONE : pace;
    struct starfish_slab_graph *graph = graph_for(plan, &residence, &pace);
    if (!graph->space)
        status = create_graph(plan, residence, pace, graph);
    pthread_mutex_unlock(&plan->base.lock);
    *cut = &graph->cut;
    return status;
}

static size_t planes_of_cores(const struct starfish_runs *cut)
{
    size_t planes = 0;
    for (size_t s = 0; s < cut->parts; s++)
        planes += cut->owner[s].device == STARFISH_CORES ? starfish_runs_rows(cut, s) : 0;
    return planes;
}

/* How long each team of cores worked on its slab. */
static double cores_seconds(const struct starfish_poisson_job *job)
{
    const size_t workers = job->plan->base.context->workers_of[STARFISH_CPU];
    double busy = 0;
    for (int phase = 0; phase < STARFISH_PHASES; phase++)
        if (phase != STARFISH_PHASE_RESIDUAL)
            busy += job->base.progress.phase[phase].done[STARFISH_CPU].busy_seconds;
    return workers > 0 ? busy / (double)workers : 0;
}

/* A lone solve is done. The next one may be cut in another way. */
void starfish_slab_watch(const struct starfish_poisson_job *job, double seconds)
{
    struct starfish_poisson_plan *plan = job->plan;
    struct starfish_slab_state *state = plan->state;
    if (!job->lone || starfish_context_ranks(plan->base.context) > 1)
        return;
    pthread_mutex_lock(&plan->base.lock);
    const struct starfish_slab_graph *graph = starfish_slab_graph_of(plan, &job->cut);
    for (int r = 0; r < STARFISH_RESIDENCES; r++)
        if (graph && graph == &state->graph[r][STARFISH_LONE] && state->rates[r].lone[STARFISH_GPU] > 0)
            state->cut_anew[r] = starfish_balance_watch(
                &state->balance[r], plan->n[2], planes_of_cores(&graph->cut), starfish_slab_cores_step(plan),
                state->rates[r].lone[STARFISH_GPU], cores_seconds(job), seconds);
    pthread_mutex_unlock(&plan->base.lock);
}

void *starfish_slab_graph_of(struct starfish_poisson_plan *plan, const struct starfish_runs *cut)
{
    for (int residence = 0; residence < STARFISH_RESIDENCES; residence++)
        for (int pace = 0; pace < STARFISH_PACES; pace++) {
            struct starfish_slab_graph *graph = &starfish_slab_state(plan)->graph[residence][pace];
            if (graph->space && starfish_runs_are_same(&graph->cut, cut))
                return graph;
        }
    return NULL;
}

void starfish_slab_destroy_graphs(struct starfish_poisson_plan *plan)
{
    for (int residence = 0; residence < STARFISH_RESIDENCES; residence++)
        for (int pace = 0; pace < STARFISH_PACES; pace++)
            starfish_slab_graph_destroy(&starfish_slab_state(plan)->graph[residence][pace]);
}
