/* The graphs of a plan of the slab method: which there are, and which one a solve runs. */
#include "poisson/plan.h"

#include <string.h>

/* Where the user says how to cut, or there is no GPU, one graph is for all; where there are GPUs alone, one for all
 * data of the host; and only where there are both kinds of workers do their shares depend on the pace. */
static struct starfish_slab_graph *graph_for(struct starfish_poisson_plan *plan, enum starfish_residence *residence,
                                             enum starfish_pace *pace)
{
    const size_t *workers = plan->context->workers_of;
    if (plan->options.slabs > 0 || workers[STARFISH_GPU] == 0 ||
        (workers[STARFISH_CPU] == 0 && *residence == STARFISH_PAGEABLE))
        *residence = STARFISH_PINNED;
    if (plan->options.slabs > 0 || workers[STARFISH_GPU] == 0 || workers[STARFISH_CPU] == 0 ||
        *residence == STARFISH_ON_DEVICE)
        *pace = STARFISH_LONE;
    return &plan->graph[*residence][*pace];
}

static starfish_status create_graph(struct starfish_poisson_plan *plan, enum starfish_residence residence,
                                    enum starfish_pace pace, struct starfish_slab_graph *graph)
{
    struct starfish_cut cut;
    size_t parts = 1;
    struct starfish_progress progress;
    STARFISH_TRY(starfish_poisson_choose_cut(plan, residence, pace, &cut, &parts));
    /* Where slabs have kinds of workers, the reduced system is the GPU's. */
    const uint32_t where = cut.where[cut.slabs - 1];
    starfish_progress_init(&progress, plan->context);
    starfish_status status =
        starfish_slab_graph_create(graph, &plan->space, &plan->direction[2], &cut, parts, where, &progress);
    if (status == STARFISH_SUCCESS) {
        status = starfish_progress_wait(&progress);
        if (status != STARFISH_SUCCESS)
            starfish_slab_graph_destroy(graph);
    }
    starfish_progress_destroy(&progress);
    return status;
}

starfish_status starfish_poisson_cut(struct starfish_poisson_plan *plan, enum starfish_residence residence,
                                     enum starfish_pace pace, const struct starfish_cut **cut)
{
    starfish_status status = STARFISH_SUCCESS;
    *cut = &plan->spectral.cut;
    if (plan->method != STARFISH_METHOD_SLAB)
        return STARFISH_SUCCESS;
    struct starfish_slab_graph *graph = graph_for(plan, &residence, &pace);
    pthread_mutex_lock(&plan->submission);
    if (!graph->space)
        status = create_graph(plan, residence, pace, graph);
    pthread_mutex_unlock(&plan->submission);
    *cut = &graph->cut;
    return status;
}

void starfish_poisson_keep_cut(struct starfish_poisson_plan *plan, enum starfish_residence residence)
{
    pthread_mutex_lock(&plan->submission);
    plan->balance[residence].settled = 1;
    plan->cut_anew[residence] = 0;
    pthread_mutex_unlock(&plan->submission);
}

void starfish_poisson_renew_cut(struct starfish_poisson_plan *plan, enum starfish_residence residence)
{
    pthread_mutex_lock(&plan->submission);
    if (plan->cut_anew[residence])
        starfish_slab_graph_destroy(&plan->graph[residence][STARFISH_LONE]);
    plan->cut_anew[residence] = 0;
    pthread_mutex_unlock(&plan->submission);
}

static size_t planes_of_cores(const struct starfish_cut *cut)
{
    size_t planes = 0;
    for (size_t s = 0; s < cut->slabs; s++)
        planes += cut->where[s] == STARPU_CPU ? starfish_cut_planes(cut, s) : 0;
    return planes;
}

void starfish_poisson_watch(struct starfish_poisson_plan *plan, const struct starfish_slab_graph *graph,
                            double cores_seconds, double seconds)
{
    pthread_mutex_lock(&plan->submission);
    for (int r = 0; r < STARFISH_RESIDENCES; r++)
        if (graph == &plan->graph[r][STARFISH_LONE] && plan->rates[r].lone[STARFISH_GPU] > 0)
            plan->cut_anew[r] = starfish_balance_watch(&plan->balance[r], plan->n[2], planes_of_cores(&graph->cut),
                                                       starfish_poisson_cores_step(plan),
                                                       plan->rates[r].lone[STARFISH_GPU], cores_seconds, seconds);
    pthread_mutex_unlock(&plan->submission);
}

static int same_cut(const struct starfish_cut *a, const struct starfish_cut *b)
{
    return a->slabs == b->slabs &&
           memcmp(a->first_plane, b->first_plane, (a->slabs + 1) * sizeof a->first_plane[0]) == 0 &&
           memcmp(a->where, b->where, a->slabs * sizeof a->where[0]) == 0;
}

static struct starfish_slab_graph *search(struct starfish_poisson_plan *plan, const struct starfish_cut *cut)
{
    for (int residence = 0; residence < STARFISH_RESIDENCES; residence++)
        for (int pace = 0; pace < STARFISH_PACES; pace++) {
            struct starfish_slab_graph *graph = &plan->graph[residence][pace];
            if (graph->space && same_cut(&graph->cut, cut))
                return graph;
        }
    return NULL;
}

struct starfish_slab_graph *starfish_poisson_graph_of(struct starfish_poisson_plan *plan,
                                                      const struct starfish_cut *cut)
{
    pthread_mutex_lock(&plan->submission);
    struct starfish_slab_graph *graph = search(plan, cut);
    pthread_mutex_unlock(&plan->submission);
    return graph;
}

int starfish_poisson_is_cut(struct starfish_poisson_plan *plan, const struct starfish_cut *cut)
{
    return plan->method == STARFISH_METHOD_SLAB ? starfish_poisson_graph_of(plan, cut) != NULL
                                                : same_cut(&plan->spectral.cut, cut);
}
