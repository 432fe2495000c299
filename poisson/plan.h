/* What a plan of the separable solvers holds. */
#ifndef STARFISH_POISSON_PLAN_H
#define STARFISH_POISSON_PLAN_H

#include "base/real.h"
#include "poisson/balance.h"
#include "poisson/direction.h"
#include "scheduler/machine.h"
#include "tasks/slab.h"
#include "tasks/spectral.h"
#include <starfish/multigrid.h>
#include <starfish/poisson.h>
#include <stdatomic.h>

/* A solve that is waited for copies in first and out last; in a stream, one's copies out go with the next one's in. */
enum starfish_pace { STARFISH_LONE, STARFISH_STREAM, STARFISH_PACES };

struct starfish_poisson_plan {
    struct starfish_context *context;
    struct starfish_poisson_options options;
    starfish_method method; /* never AUTO */
    char reason[256];
    double seconds;
    size_t n[3];
    struct starfish_direction direction[3];
    int singular;
    /* In complex problems the first direction is the two parts of a number, side by side. */
    enum starfish_tridiag_numbers numbers;
    int refinements; /* steps after every solve */
    struct starfish_operator operator_;
    struct starfish_spectral spectral; /* of both forms of blktri; its cut is multigrid's too */
    starfish_multigrid_plan *multigrid;
    /* Of method slab: a graph for each place that right-hand side and solution may lie in, since they are cut for the
     * copies that will be needed, and for each pace. Made when the first solve of its kind comes, the one for a lone
     * solve in pinned memory with the plan. */
    struct starfish_slab_space space;
    struct starfish_slab_graph graph[STARFISH_RESIDENCES][STARFISH_PACES];
    struct starfish_rates rates[STARFISH_RESIDENCES];
    struct starfish_balance balance[STARFISH_RESIDENCES]; /* of lone solves */
    int cut_anew[STARFISH_RESIDENCES];                    /* the graph of lone solves, before the next one */
    atomic_int in_flight;                                 /* jobs submitted and not waited for */
    /* A graph's data are shared by all solves with the plan: one solve's tasks are submitted as a whole before the next
     * one's, so that the runtime's implicit dependencies put them one after the other. */
    pthread_mutex_t submission;
};

static inline size_t starfish_poisson_plane_bytes(const struct starfish_poisson_plan *plan)
{
    return plan->n[0] * plan->n[1] * starfish_real_size(plan->options.precision);
}

/* graphs.c: how the field is cut for data of that residence and solves at that pace. Makes the graph where there is
 * none yet. */
starfish_status starfish_poisson_cut(struct starfish_poisson_plan *plan, enum starfish_residence residence,
                                     enum starfish_pace pace, const struct starfish_cut **cut);
/* Fields are made for the cut of lone solves: it stays as it is from now on. */
void starfish_poisson_keep_cut(struct starfish_poisson_plan *plan, enum starfish_residence residence);
/* Before a solve that is the only one: let go of a graph that is to be cut anew. */
void starfish_poisson_renew_cut(struct starfish_poisson_plan *plan, enum starfish_residence residence);
/* A lone solve is done: `seconds` of which the cores worked `cores_seconds` each. The next may be cut in another way.
 */
void starfish_poisson_watch(struct starfish_poisson_plan *plan, const struct starfish_slab_graph *graph,
                            double cores_seconds, double seconds);
/* The graph that a cut belongs to, NULL when it is none of the plan's or the plan has no graphs. */
struct starfish_slab_graph *starfish_poisson_graph_of(struct starfish_poisson_plan *plan,
                                                      const struct starfish_cut *cut);
/* Whether a cut is the plan's. */
int starfish_poisson_is_cut(struct starfish_poisson_plan *plan, const struct starfish_cut *cut);

/* method.c: which method, and why. `names`: what messages call the directions. */
starfish_status starfish_poisson_choose_method(struct starfish_poisson_plan *plan, const char *const names[3]);
/* `form`, or the product form where partial fractions do not suit the last direction. */
/* Of partial fractions, as asked for or chosen. */
int starfish_poisson_radix(const struct starfish_poisson_plan *plan);
starfish_status starfish_poisson_choose_blktri(struct starfish_poisson_plan *plan, const char *const names[3],
                                               starfish_method form, const char *why);
/* Is the basis that has been made still what AUTO would take? STARFISH_ERROR_NOT_SYMMETRIZABLE if not. */
starfish_status starfish_poisson_check_basis(const struct starfish_poisson_plan *plan, const char *name);

/* multigrid.c: the directions as lines of a seven-point problem, and its plan. */
starfish_status starfish_poisson_create_multigrid(struct starfish_poisson_plan *plan, const char *const names[3],
                                                  double lambda);

/* cut.c: choose how to cut the field and its modes for the workers. */
starfish_status starfish_poisson_choose_cut(struct starfish_poisson_plan *plan, enum starfish_residence residence,
                                            enum starfish_pace pace, struct starfish_cut *cut, size_t *parts);

/* Cores' planes are multiples of this: as many for each core of a team. */
size_t starfish_poisson_cores_step(const struct starfish_poisson_plan *plan);

/* trial.c: measure what the workers do, on a few planes. Takes tenths of a second. */
starfish_status starfish_poisson_trial(struct starfish_poisson_plan *plan, enum starfish_residence residence,
                                       struct starfish_rates *rates);

#endif
