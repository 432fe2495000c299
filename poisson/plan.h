/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plan of the separable solvers, for every method: the problem, the options, and the method with its state
 * (methods.h). Jobs, which are solves, are in job.h. */
#ifndef STARFISH_POISSON_PLAN_H
#define STARFISH_POISSON_PLAN_H

#include "base/real.h"
#include "codelets/volume_mean.h"
#include "poisson/direction.h"
#include "solver/solver.h"
#include "stencil/kernels/ghosts.h"
#include "tasks/separable.h"
#include "tridiag/kernels/tridiag.h"
#include <starfish/poisson.h>

#include <stdatomic.h>

struct starfish_method_row;

/* What a solve goes from and to. */
enum starfish_user_array { STARFISH_RHS, STARFISH_SOLUTION, STARFISH_USER_ARRAYS };
enum { STARFISH_MOST_REFINEMENTS = 10, STARFISH_KEPT_FIELDS = 8 };

/* How far rounding errors may reach (condition.c). Eigenvalues are sums of those of the directions, in magnitude; the
 * mode that a singular problem leaves out is not among them. */
struct starfish_condition {
    int known;       /* 0: eigenvalues need not be real, or were not looked for; the next three mean nothing */
    double smallest; /* of no mode less */
    double stiffest; /* of any direction: the largest of their smallest eigenvalues that are not zero */
    int indefinite;  /* there are sums of both signs */
    double least;    /* not known: of no mode less, by what is known of real parts; 0 where that says nothing */
    double largest;  /* of no mode more: sums of the largest rows */
    double dropped;  /* sums of rows that are zero but for rounding are taken as zero: what they are, at most */
    double scaling;  /* weights that make the directions symmetric: the product of their ratios */
    double rows;     /* the largest row over the smallest, the largest ratio of any direction */
};

/* What a method's arithmetic loses beyond the rounding of its data: set as it is made, for condition.c. */
struct starfish_losses {
    int diagonals; /* steps at most, where rounding errors are of the size of rows although eigenvalues are small: of
                    * eliminations with diagonals in place of row sums, and of a computed basis */
    int pivots;    /* of any size, where signs differ */
    int chains;    /* of products, which badly scaled rows cost digits */
    int steps;     /* of refinement, that its tables are known to need in f64 */
    int like_data; /* whether semidefinite problems lose little more than rounding their right-hand side to the
                    * precision costs, whatever the ratio of eigenvalues: no step subtracts what one is made of */
};

struct starfish_poisson_plan {
    /* The first member: of starfish_kind_poisson. A method's data are shared by all solves with the plan: one solve's
     * tasks are submitted as a whole, with the lock held, before the next one's, so that the runtime's implicit
     * dependencies put them one after the other. */
    struct starfish_plan base;
    struct starfish_poisson_options options;
    const char *const *name; /* what messages call the directions, three */
    int in_plane;            /* two dimensions: y has one unknown, and the user's second direction is z */
    size_t n[3];
    struct starfish_planes_here { /* of this rank, which has all of them where it is the only one */
        size_t first, planes;
        int any_gpu; /* some rank has one */
        int owners;  /* ranks that have planes */
    } here;
    size_t count;                        /* problems of a solve */
    size_t field_n[3];                   /* of a field: of as many planes as all problems have */
    struct starfish_user_layout {        /* of the user's arrays */
        size_t offset;                   /* reals */
        struct starfish_strides strides; /* zero: packed */
    } layout[STARFISH_USER_ARRAYS];
    /* Over arrays of earlier jobs, for later ones (layout.h); guarded by the lock. The next one replaces `oldest`.
     * StarPU has some 30 kB of each. */
    struct starfish_kept_fields {
        struct starfish_field *field[STARFISH_KEPT_FIELDS];
        size_t oldest;
    } kept[STARFISH_USER_ARRAYS];
    struct starfish_ghost_rule ghost[3][2];
    struct starfish_direction direction[3];
    double lambda;
    int singular;
    enum starfish_tridiag_numbers numbers; /* in complex problems x is the two parts of a number, side by side */
    int refinements;                       /* steps after every solve */
    struct starfish_condition condition;   /* of the operator */
    struct starfish_losses losses;         /* of the method */
    struct starfish_operator operator_;
    struct starfish_mean_tables mean_tables; /* of singular problems whose rows are scaled (volume_mean.h) */
    const struct starfish_method_row *method;
    uint32_t where;                       /* kinds of workers that solves are for; 0: all of the context's */
    void *state;                          /* of the method */
    const struct starfish_runs *only_cut; /* of fields, and its graph: of methods that cut in one way (methods.h) */
    void *only_graph;
    int last_resort;             /* all other methods have failed; of the last ones so many have been tried */
    struct starfish_plan *wide;  /* for solves that are repeated (wide.h); NULL: none was yet */
    int on_one_rank;             /* of several: the first one solves for all */
    char reason[256];            /* why it is this method */
    atomic_int in_flight;        /* jobs submitted and not ended */
    size_t *planes;              /* what options.planes points to, where that is not NULL */
    struct starfish_runs spread; /* as the user wants fields spread; no slabs: as the method does */
};

static inline size_t starfish_poisson_plane_bytes(const struct starfish_poisson_plan *plan)
{
    return plan->n[0] * plan->n[1] * starfish_real_size(plan->options.precision);
}

/* Of one problem. */
static inline size_t starfish_poisson_field_bytes(const struct starfish_poisson_plan *plan)
{
    return plan->n[2] * starfish_poisson_plane_bytes(plan);
}

static inline int starfish_poisson_has_strides(const struct starfish_poisson_plan *plan)
{
    return plan->layout[STARFISH_RHS].strides.row > 0 || plan->layout[STARFISH_SOLUTION].strides.row > 0;
}

/* Where rows of the user's arrays are not packed: copies of right-hand side and solution that are, or modes of two
 * solves. Of all problems. */
static inline size_t starfish_poisson_copies_bytes(const struct starfish_poisson_plan *plan)
{
    return starfish_poisson_has_strides(plan) ? 2 * plan->count * starfish_poisson_field_bytes(plan) : 0;
}

/* Elements of a face's data, those of this rank's planes. */
static inline size_t starfish_poisson_face_size(const struct starfish_poisson_plan *plan, int axis)
{
    const size_t n[3] = {plan->n[0], plan->n[1], plan->here.planes};
    return axis == 2 ? n[0] * n[1] * plan->count : n[axis == 0 ? 1 : 0] * n[2] * plan->count;
}

static inline int starfish_poisson_is_complex(const struct starfish_poisson_plan *plan)
{
    return plan->numbers != STARFISH_TRIDIAG_REAL;
}

#endif
