/* The state of the slab method: graphs for the ways in which fields are cut, and what is known of the workers' speed.
 *
 * There is a graph for each place that right-hand side and solution may lie in, since they are cut for the copies that
 * will be needed, and for each pace. It is made when the first solve of its kind comes, the one for a lone solve in
 * pinned memory with the plan. */
#ifndef STARFISH_POISSON_SLAB_H
#define STARFISH_POISSON_SLAB_H

#include "poisson/balance.h"
#include "poisson/methods.h"
#include "scheduler/machine.h"
#include "tasks/slab.h"

struct starfish_slab_state {
    struct starfish_slab_space space;
    struct starfish_slab_graph graph[STARFISH_RESIDENCES][STARFISH_PACES];
    struct starfish_rates rates[STARFISH_RESIDENCES];
    struct starfish_balance balance[STARFISH_RESIDENCES]; /* of lone solves */
    int cut_anew[STARFISH_RESIDENCES];                    /* the graph of lone solves, before the next one */
};

static inline struct starfish_slab_state *starfish_slab_state(const struct starfish_poisson_plan *plan)
{
    return plan->state;
}

/* slab_graphs.c: members of the method's row, and the end of all graphs. */
starfish_status starfish_slab_cut_for(struct starfish_poisson_plan *plan, enum starfish_residence residence,
                                      enum starfish_pace pace, const struct starfish_cut **cut);
int starfish_slab_has_cut(struct starfish_poisson_plan *plan, const struct starfish_cut *cut);
void starfish_slab_watch(const struct starfish_job *job, double seconds);
void starfish_slab_destroy_graphs(struct starfish_poisson_plan *plan);
/* The graph of that cut, NULL where there is none. With plan->submission locked. */
struct starfish_slab_graph *starfish_slab_graph_of(struct starfish_poisson_plan *plan, const struct starfish_cut *cut);

/* slab_cut.c: how to cut the field and its modes for the workers. */
starfish_status starfish_slab_choose_cut(struct starfish_poisson_plan *plan, enum starfish_residence residence,
                                         enum starfish_pace pace, struct starfish_cut *cut, size_t *parts);
/* The same of a field of many problems, between them. */
starfish_status starfish_slab_choose_groups(const struct starfish_poisson_plan *plan, enum starfish_residence residence,
                                            struct starfish_cut *cut);
/* Cores' planes are multiples of this: as many for each core of a team. */
size_t starfish_slab_cores_step(const struct starfish_poisson_plan *plan);

/* slab_trial.c: measure what the workers do, on a few planes. Takes tenths of a second. */
starfish_status starfish_slab_trial(struct starfish_poisson_plan *plan, enum starfish_residence residence,
                                    struct starfish_rates *rates);

#endif
