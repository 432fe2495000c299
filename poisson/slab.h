/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of the slab method: graphs for the ways in which fields are cut, and what is known of the workers' speed.
 *
 * There is a graph for each place that right-hand side and solution may lie in, since they are cut for the copies that
 * will be needed, and for each pace. It is made when the first solve of its kind comes, the one for a lone solve in
 * pinned memory with the plan. */
#ifndef STARFISH_POISSON_SLAB_H
#define STARFISH_POISSON_SLAB_H

#include "poisson/methods.h"
#include "scheduler/runtime/balance.h"
#include "scheduler/runtime/machine.h"
#include "tasks/slab.h"

/* How a field goes through the GPUs' memory. */
struct starfish_slab_fit {
    enum starfish_slab_fits {
        STARFISH_SLAB_RESIDENT, /* all of it fits */
        STARFISH_SLAB_STREAMED, /* slabs of `planes` planes take turns in `slots` places on each GPU */
        STARFISH_SLAB_ON_CORES  /* not even that, and cores do it */
    } fits;
    size_t planes, slots, parts; /* parts: of the modes, where a GPU solves the reduced systems */
    size_t groups;               /* of many problems in main memory, which are never streamed */
    /* Of each GPU's memory: for good; with what must be there at once; and data, if all are there. */
    size_t work_bytes, least_bytes, data_bytes;
};

struct starfish_slab_state {
    struct starfish_slab_fit fit; /* of data in main memory */
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
                                      enum starfish_pace pace, const struct starfish_runs **cut);
void *starfish_slab_graph_of(struct starfish_poisson_plan *plan, const struct starfish_runs *cut);
void starfish_slab_watch(const struct starfish_poisson_job *job, double seconds);
void starfish_slab_destroy_graphs(struct starfish_poisson_plan *plan);

/* slab_cut.c: whether GPUs get all planes of arrays in pageable memory, which cores copy for them through pinned
 * memory, of a field that fits so; and the member of the method's row. */
int starfish_slab_would_stage(const struct starfish_poisson_plan *plan, const struct starfish_slab_fit *fit);
int starfish_slab_stages(const struct starfish_poisson_plan *plan);
/* How to cut the field and its modes for the workers. */
starfish_status starfish_slab_choose_cut(struct starfish_poisson_plan *plan, enum starfish_residence residence,
                                         enum starfish_pace pace, struct starfish_runs *cut,
                                         struct starfish_slab_shape *shape);
/* The same of a field of many problems, between them. */
starfish_status starfish_slab_choose_groups(const struct starfish_poisson_plan *plan, enum starfish_residence residence,
                                            struct starfish_runs *cut);
/* Slabs per GPU of a field that its memory holds, where there are enough planes. */
enum { STARFISH_SLABS_PER_GPU = 11 };
/* Slabs of such a field, those of cores and of other ranks too: at most so many, wherever its data lie. */
size_t starfish_slab_most_resident(const struct starfish_poisson_plan *plan);
/* Groups that GPUs take of many problems in main memory, if their memory holds them. */
size_t starfish_slab_groups_of_gpus(const struct starfish_poisson_plan *plan);

/* slab_fit.c: whether and how the GPUs' memory holds the field. MEMORY, with the bytes, where it cannot, and there are
 * no cores. */
starfish_status starfish_slab_find_fit(const struct starfish_poisson_plan *plan, struct starfish_slab_fit *fit);
/* Member of the method's row. */
starfish_status starfish_slab_report_memory(const struct starfish_poisson_plan *plan, struct starfish_memory *memory);
/* Cores' planes are multiples of this: as many for each core of a team. */
size_t starfish_slab_cores_step(const struct starfish_poisson_plan *plan);

/* slab_trial.c: measure what the workers do, on a few planes. Takes tenths of a second. */
starfish_status starfish_slab_trial(struct starfish_poisson_plan *plan, enum starfish_residence residence,
                                    struct starfish_rates *rates);

#endif
