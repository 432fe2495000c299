/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plans of the separable solvers: converts the user's problem to directions as numbers, chooses a method, and rejects
 * problems without a solution. */
#include "poisson/plan.h"

#include "base/arithmetic.h"
#include "base/precision.h"
#include "multigrid/engine.h"
#include "poisson/condition.h"
#include "poisson/coordinates.h"
#include "poisson/ghosts.h"
#include "poisson/layout.h"
#include "poisson/methods.h"
#include "poisson/null_space.h"
#include "poisson/options.h"
#include "poisson/ranks.h"
#include "poisson/volume_mean.h"
#include "poisson/wide.h"
#include "scheduler/runtime/spread.h"
#include "solver/gather.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Creating --------------------------------------------------------------------------------------------------- */

/* n[0] is 2 for the two parts of a number. */
static starfish_status choose_numbers(struct starfish_poisson_plan *plan)
{
    const struct starfish_direction *d = plan->direction;
    if (!plan->options.complex_rhs)
        return STARFISH_SUCCESS;
    STARFISH_FAIL_IF(d[2].imaginary, STARFISH_ERROR_UNSUPPORTED, "%s must be real: its eigenvalues must be real",
                     plan->name[2]);
    plan->numbers = d[1].imaginary ? STARFISH_TRIDIAG_COMPLEX_LINES : STARFISH_TRIDIAG_COMPLEX_VECTORS;
    STARFISH_FAIL_IF(d[1].imaginary && plan->singular, STARFISH_ERROR_SINGULAR,
                     "lambda = 0 makes mode (0, 0, 0) singular: all rows of %s, which is complex, and of %s sum "
                     "to zero",
                     plan->name[1], plan->name[2]);
    return STARFISH_SUCCESS;
}

/* `spectra`: NULL before they are known. */
static starfish_status check_null_space(struct starfish_poisson_plan *plan, const struct starfish_spectra *spectra)
{
    const struct starfish_null_space_problem problem = {.direction = plan->direction,
                                                        .lambda = plan->lambda,
                                                        .eps = starfish_epsilon(plan->options.precision),
                                                        .spectra = spectra,
                                                        .one_layer = plan->options.complex_rhs};
    return starfish_check_null_space(&problem, &plan->singular);
}

/* What eigenvalues say: whether there is a solution, and how far rounding errors may reach. */
static starfish_status look_at_eigenvalues(struct starfish_poisson_plan *plan)
{
    struct starfish_spectra spectra = {.known = 0};
    starfish_status status = STARFISH_SUCCESS;
    if (starfish_poisson_wants_eigenvalues(plan))
        status = starfish_spectra_find(&spectra, plan->direction,
                                       plan->direction[2].weight_x ? STARFISH_FIRST_MODE
                                       : plan->options.complex_rhs ? STARFISH_ONE_LAYER
                                                                   : STARFISH_ALL_MODES);
    if (status == STARFISH_SUCCESS && plan->method->direct)
        status = check_null_space(plan, &spectra);
    STARFISH_THEN(status, starfish_poisson_check_range(plan));
    if (status == STARFISH_SUCCESS)
        starfish_poisson_find_condition(plan, &spectra, &plan->condition);
    starfish_spectra_destroy(&spectra);
    return status;
}

static int is_flat(const struct starfish_poisson_plan *plan)
{
    return plan->base.table == &starfish_separable2d_problem_table;
}

static starfish_status analyse(struct starfish_poisson_plan *plan)
{
    const struct starfish_direction *d = plan->direction;
    for (int axis = 0; axis < 3; axis++)
        plan->n[axis] = d[axis].n;
    const double elements = (double)d[0].n * (double)d[1].n * (double)d[2].n;
    STARFISH_REFUSE_IF(elements * sizeof(double) > (double)(SIZE_MAX / 4) ||
                           (double)d[0].n * (double)d[1].n > (double)UINT32_MAX,
                       "n = %zu x %zu x %zu is too large", d[0].n, d[1].n, d[2].n);
    STARFISH_TRY(starfish_poisson_read_layouts(plan));
    STARFISH_TRY(starfish_poisson_check_ghosts(plan));
    STARFISH_TRY(starfish_poisson_deal_planes(plan));
    STARFISH_TRY(check_null_space(plan, NULL));
    STARFISH_FAIL_IF(starfish_poisson_has_volume_mean(plan) && plan->count > 1, STARFISH_ERROR_UNSUPPORTED,
                     "options.problems is %zu: of singular shells there is one problem at a time", plan->count);
    return choose_numbers(plan);
}

/* Of a problem that is the same on all ranks. */
static starfish_status choose_method(struct starfish_poisson_plan *plan)
{
    STARFISH_TRY(starfish_poisson_choose_method(plan));
    STARFISH_TRY(look_at_eigenvalues(plan));
    STARFISH_TRY(starfish_poisson_create_volume_mean(plan));
    return starfish_operator_create(&plan->operator_, plan->options.precision, plan->direction, plan->lambda,
                                    starfish_poisson_is_complex(plan));
}

static const struct starfish_coordinates *coordinates_of(const struct starfish_plan *base)
{
    if (base->table != &starfish_problem_2d_table && base->table != &starfish_problem_3d_table)
        return NULL;
    return starfish_coordinates_of(((const struct starfish_problem *)base->problem)->kind);
}

/* Of a box x and y, of other kinds x. */
static starfish_status make_spectral(struct starfish_poisson_plan *plan, const struct starfish_axis *const axis[3])
{
    const struct starfish_plan *base = &plan->base;
    const int box = base->table == &starfish_poisson_problem_table;
    const int eigenvalues = is_flat(plan) ? STARFISH_DIFFERENCE
                            : box         ? ((const struct starfish_poisson_problem *)base->problem)->eigenvalues
                                          : ((const struct starfish_problem *)base->problem)->eigenvalues;
    STARFISH_REFUSE_IF(eigenvalues != STARFISH_DIFFERENCE && eigenvalues != STARFISH_SPECTRAL,
                       "problem.eigenvalues is %d, neither STARFISH_DIFFERENCE nor STARFISH_SPECTRAL", eigenvalues);
    for (int d = 0; eigenvalues == STARFISH_SPECTRAL && d < 1 + box; d++)
        STARFISH_TRY(starfish_direction_make_spectral(&plan->direction[d], plan->name[d], axis[d]));
    return STARFISH_SUCCESS;
}

static starfish_status describe(struct starfish_poisson_plan *plan, const struct starfish_axis *const axis[3])
{
    const struct starfish_coordinates *c = coordinates_of(&plan->base);
    for (int a = 0; a < 3; a++)
        STARFISH_TRY(starfish_direction_create(&plan->direction[a], plan->name[a], axis[a],
                                               c ? c->metric[a] : STARFISH_METRIC_NONE, plan->lambda));
    STARFISH_TRY(make_spectral(plan, axis));
    if (plan->direction[1].scale_y) /* which has it now */
        plan->lambda = 0;
    for (int a = 0; a < 3; a++)
        starfish_poisson_ghost_rules(axis[a], plan->ghost[a]);
    if (is_flat(plan))
        plan->direction[0].transform = STARFISH_TRANSFORM_IDENTITY;
    return analyse(plan);
}

static starfish_status check_box(struct starfish_poisson_plan *plan)
{
    const struct starfish_axis *axis = ((const struct starfish_poisson_problem *)plan->base.problem)->axis;
    int separable = 0;
    for (int a = 0; a < 3; a++) {
        STARFISH_FAIL_IF(plan->options.complex_rhs || axis[a].complex_line, STARFISH_ERROR_UNSUPPORTED,
                         "complex numbers are for starfish_separable2d_plan_create alone");
        separable = separable || axis[a].kind == STARFISH_TRIDIAGONAL;
    }
    plan->base.about.kind = separable ? "separable3d" : "poisson3d";
    return describe(plan, (const struct starfish_axis *const[]){&axis[0], &axis[1], &axis[2]});
}

/* Of two dimensions, the first and the last of three directions. */
static starfish_status check_coordinates(struct starfish_poisson_plan *plan)
{
    static const double zero[1] = {0};
    static const struct starfish_axis one_row = {
        .kind = STARFISH_TRIDIAGONAL, .n = 1, .lower = zero, .diag = zero, .upper = zero};
    const struct starfish_problem *problem = plan->base.problem;
    const struct starfish_coordinates *c = coordinates_of(&plan->base);
    const struct starfish_axis *axis[3] = {NULL};
    STARFISH_FAIL_IF(plan->options.complex_rhs, STARFISH_ERROR_UNSUPPORTED,
                     "complex numbers are for starfish_separable2d_plan_create alone");
    for (int d = 0; d < 3; d++)
        axis[d] = c->axis[d] < 0 ? &one_row : &problem->axis[c->axis[d]];
    plan->in_plane = c->dimensions == 2;
    plan->base.about.kind = starfish_kind_name(problem->kind);
    return describe(plan, axis);
}

/* x and y are the last two of three directions. */
static starfish_status check_plane(struct starfish_poisson_plan *plan)
{
    static const double zeros[2] = {0, 0};
    const struct starfish_axis *axis = ((const struct starfish_separable2d_problem *)plan->base.problem)->axis;
    int *const complex = &plan->options.complex_rhs;
    *complex = *complex || axis[0].complex_line || axis[1].complex_line;
    const struct starfish_axis layer = {
        .kind = STARFISH_TRIDIAGONAL, .n = *complex ? 2 : 1, .lower = zeros, .diag = zeros, .upper = zeros};
    plan->base.about.kind = "separable2d";
    return describe(plan, (const struct starfish_axis *const[]){&layer, &axis[0], &axis[1]});
}

/* The user's numbers of planes are there while the plan is made, and a second plan is made later. */
static starfish_status keep_planes(struct starfish_poisson_plan *plan)
{
    const size_t bytes = (size_t)starfish_context_ranks(plan->base.context) * sizeof *plan->planes;
    if (!plan->options.planes)
        return STARFISH_SUCCESS;
    plan->planes = malloc(bytes);
    STARFISH_FAIL_IF(!plan->planes, STARFISH_ERROR_MEMORY, "out of memory for a plan");
    memcpy(plan->planes, plan->options.planes, bytes);
    plan->options.planes = plan->planes;
    return STARFISH_SUCCESS;
}

starfish_status starfish_poisson_check_plan(struct starfish_plan *base)
{
    static const char *const names[2][3] = {{"axis x", "axis y", "axis z"}, {"", "axis x", "axis y"}};
    struct starfish_poisson_plan *plan = (struct starfish_poisson_plan *)base;
    const int flat = is_flat(plan), curved = base->table != &starfish_poisson_problem_table && !flat;
    STARFISH_TRY(starfish_poisson_complete_options(&plan->options));
    STARFISH_TRY(keep_planes(plan));
    if (curved)
        STARFISH_TRY(starfish_coordinates_check(base->problem));
    plan->lambda = flat     ? ((const struct starfish_separable2d_problem *)base->problem)->lambda
                   : curved ? ((const struct starfish_problem *)base->problem)->lambda
                            : ((const struct starfish_poisson_problem *)base->problem)->lambda;
    STARFISH_REFUSE_IF(!isfinite(plan->lambda), "lambda is not finite");
    plan->name = curved ? coordinates_of(base)->name : names[flat];
    plan->refinements = plan->options.refinements > 0 ? plan->options.refinements : 0;
    return flat ? check_plane(plan) : curved ? check_coordinates(plan) : check_box(plan);
}

/* What the plan says of itself, and which way its method goes. */
static void fill_about(struct starfish_poisson_plan *plan)
{
    struct starfish_about *about = &plan->base.about;
    const struct starfish_multigrid_engine *engine = starfish_poisson_engine(plan);
    const size_t numbers = starfish_poisson_is_complex(plan) ? 2 : 1;
    about->method = starfish_method_list[plan->method->id];
    about->reason = plan->reason;
    about->unknowns = plan->n[0] * plan->n[1] * plan->n[2] * plan->count / numbers;
    about->singular = plan->singular;
    about->owners = plan->here.owners;
    about->levels = engine ? engine->graph.all_levels : 0;
    plan->base.run = plan->method->run;
}

/* The first rank solves for all. */
static starfish_status gather(struct starfish_poisson_plan *plan, starfish_gather_make *make)
{
    const starfish_status status = STARFISH_OR_FAIL(!starfish_poisson_has_strides(plan), STARFISH_ERROR_UNSUPPORTED,
                                                    "method %s solves on one rank of several, and wants packed arrays",
                                                    starfish_method_list[plan->method->id]);
    STARFISH_TRY(starfish_ranks_agree(plan->base.context, status));
    plan->options.planes = NULL;
    return starfish_gather_create(&plan->base, plan->n, 2, plan->options.precision, plan->here.planes, make);
}

starfish_status starfish_poisson_create_plan(struct starfish_plan *base)
{
    struct starfish_poisson_plan *plan = (struct starfish_poisson_plan *)base;
    STARFISH_TRY(starfish_poisson_agree_on_method(plan, choose_method(plan)));
    if (base->is_measured)
        return STARFISH_SUCCESS;
    STARFISH_TRY(starfish_poisson_create_method(plan));
    if (plan->on_one_rank)
        return gather(plan, NULL);
    fill_about(plan);
    return STARFISH_SUCCESS;
}

starfish_status starfish_poisson_plan_create(starfish_context *context, const struct starfish_poisson_problem *problem,
                                             const struct starfish_poisson_options *options, starfish_plan **plan)
{
    STARFISH_OWN_ARITHMETIC;
    return starfish_plan_make(context, &starfish_kind_poisson, &starfish_poisson_problem_table, problem, options, plan);
}

starfish_status starfish_plan_create(starfish_context *context, const struct starfish_problem *problem,
                                     const struct starfish_poisson_options *options, starfish_plan **plan)
{
    STARFISH_OWN_ARITHMETIC;
    const int in_plane = problem && problem->kind != STARFISH_CYLINDER3D && problem->kind != STARFISH_SHELL3D;
    return starfish_plan_make(context, &starfish_kind_poisson,
                              in_plane ? &starfish_problem_2d_table : &starfish_problem_3d_table, problem, options,
                              plan);
}

starfish_status starfish_separable2d_plan_create(starfish_context *context, const struct starfish_axis *x,
                                                 const struct starfish_axis *y, double lambda,
                                                 const struct starfish_poisson_options *options, starfish_plan **plan)
{
    STARFISH_OWN_ARITHMETIC;
    struct starfish_separable2d_problem problem;
    STARFISH_TRY(starfish_separable2d_take(context, x, y, lambda, &problem));
    return starfish_plan_make(context, &starfish_kind_poisson, &starfish_separable2d_problem_table, &problem, options,
                              plan);
}

static starfish_status copy_problem(struct starfish_poisson_plan *plan, const struct starfish_poisson_plan *from)
{
    for (int axis = 0; axis < 3; axis++)
        STARFISH_TRY(starfish_direction_copy(&plan->direction[axis], &from->direction[axis]));
    return analyse(plan);
}

/* The same plan, of the first rank alone. */
static starfish_status make_whole(const struct starfish_plan *plan, struct starfish_context *alone,
                                  struct starfish_plan **whole)
{
    const struct starfish_poisson_plan *from = (const struct starfish_poisson_plan *)plan;
    return starfish_poisson_plan_widen(from, alone, from->last_resort > 0, whole);
}

static starfish_status make_wide(struct starfish_poisson_plan *plan, const struct starfish_poisson_plan *from)
{
    STARFISH_TRY(starfish_ranks_agree(plan->base.context, copy_problem(plan, from)));
    STARFISH_TRY(starfish_poisson_agree_on_method(plan, choose_method(plan)));
    STARFISH_TRY(starfish_poisson_create_method(plan));
    if (plan->on_one_rank)
        return gather(plan, make_whole);
    fill_about(plan);
    return STARFISH_SUCCESS;
}

starfish_status starfish_poisson_plan_widen(const struct starfish_poisson_plan *plan, struct starfish_context *context,
                                            int last_resort, struct starfish_plan **result)
{
    struct starfish_plan *base;
    starfish_status status = starfish_plan_begin(context, &starfish_kind_poisson, NULL, &base);
    if (status != STARFISH_SUCCESS)
        return starfish_ranks_agree(context, status);
    struct starfish_poisson_plan *wide = (struct starfish_poisson_plan *)base;
    wide->options = plan->options;
    wide->last_resort = last_resort;
    wide->options.precision = STARFISH_F64;
    wide->options.check_residual = 1;
    wide->options.check_data = wide->options.ghosts = 0;
    memset(&wide->options.rhs_layout, 0, sizeof wide->options.rhs_layout);
    memset(&wide->options.solution_layout, 0, sizeof wide->options.solution_layout);
    wide->name = plan->name;
    wide->in_plane = plan->in_plane;
    wide->lambda = plan->lambda;
    return starfish_plan_end(base, starfish_now(), make_wide(wide, plan), result);
}

void starfish_poisson_release(struct starfish_plan *base)
{
    struct starfish_poisson_plan *plan = (struct starfish_poisson_plan *)base;
    starfish_plan_destroy(plan->wide);
    starfish_poisson_forget_fields(plan);
    free(plan->planes);
    starfish_runs_free(&plan->spread);
    starfish_poisson_destroy_method(plan);
    starfish_operator_destroy(&plan->operator_);
    starfish_poisson_destroy_volume_mean(plan);
    for (int axis = 0; axis < 3; axis++)
        starfish_direction_destroy(&plan->direction[axis]);
}

starfish_status starfish_poisson_cut(struct starfish_poisson_plan *plan, enum starfish_residence residence,
                                     enum starfish_pace pace, const struct starfish_runs **cut)
{
    *cut = plan->only_cut;
    return plan->method->cut ? plan->method->cut(plan, residence, pace, cut) : STARFISH_SUCCESS;
}

void *starfish_poisson_graph_of(struct starfish_poisson_plan *plan, const struct starfish_runs *cut)
{
    if (plan->method->graph_of)
        return plan->method->graph_of(plan, cut);
    return starfish_runs_are_same(plan->only_cut, cut) ? plan->only_graph : NULL;
}

/* The cut that has these shares. The first one to say so says it for all fields of the plan. */
static starfish_status settle_spread(struct starfish_poisson_plan *plan, size_t count,
                                     const struct starfish_field_share *shares, const struct starfish_runs **cut)
{
    struct starfish_runs wanted = {.parts = 0};
    starfish_status status = starfish_spread_cut(plan->base.context, plan->field_n, count, shares, &wanted);
    if (status == STARFISH_SUCCESS && (plan->method->id != STARFISH_METHOD_SLAB || plan->count > 1))
        status = starfish_fail(STARFISH_ERROR_UNSUPPORTED,
                               "shares: method %s%s cuts fields in its own way: without shares, or by method slab",
                               starfish_method_list[plan->method->id], plan->count > 1 ? " for many problems" : "");
    pthread_mutex_lock(&plan->base.lock);
    if (status == STARFISH_SUCCESS && plan->spread.parts == 0)
        status = starfish_runs_copy(&plan->spread, &wanted);
    pthread_mutex_unlock(&plan->base.lock);
    STARFISH_THEN(status, starfish_poisson_cut(plan, STARFISH_SPREAD, STARFISH_FOR_FIELDS, cut));
    if (status == STARFISH_SUCCESS && !starfish_runs_are_same(*cut, &wanted))
        status = starfish_fail(STARFISH_ERROR_ARGUMENT, "shares: fields of the plan are spread in another way already");
    starfish_runs_free(&wanted);
    return status;
}

starfish_status starfish_poisson_field_spread(starfish_plan *base, size_t count,
                                              const struct starfish_field_share *shares, starfish_field **field)
{
    STARFISH_OWN_ARITHMETIC;
    struct starfish_poisson_plan *plan = (struct starfish_poisson_plan *)base;
    const struct starfish_runs *cut;
    STARFISH_TRY(starfish_plan_check(base, &starfish_kind_poisson));
    STARFISH_NEED(field, "field");
    *field = NULL;
    if (starfish_context_ranks(plan->base.context) > 1)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "fields of a plan on several ranks are not spread");
    const struct starfish_field_shape shape = {.precision = plan->options.precision,
                                               .n = {plan->field_n[0], plan->field_n[1], plan->field_n[2]}};
    STARFISH_TRY(count > 0 ? settle_spread(plan, count, shares, &cut)
                           : starfish_poisson_cut(plan, STARFISH_SPREAD, STARFISH_FOR_FIELDS, &cut));
    return starfish_field_spread(plan->base.context, &shape, cut, count > 0 ? shares : NULL, field);
}

starfish_status starfish_poisson_field(starfish_plan *base, void *memory, starfish_field **field)
{
    STARFISH_OWN_ARITHMETIC;
    struct starfish_poisson_plan *plan = (struct starfish_poisson_plan *)base;
    STARFISH_TRY(starfish_plan_check(base, &starfish_kind_poisson));
    STARFISH_FAIL_IF(base->gather, STARFISH_ERROR_UNSUPPORTED,
                     "method %s has no fields on several ranks: one of them solves for all, from arrays",
                     base->about.method);
    int node;
    enum starfish_residence residence = STARFISH_PINNED;
    const struct starfish_runs *cut;
    starfish_status status = STARFISH_SUCCESS;
    if (memory)
        status = starfish_memory_place(plan->base.context, "memory", memory, &node, &residence);
    STARFISH_TRY(starfish_poisson_agree_on_residence(plan, status, &residence));
    STARFISH_TRY(starfish_poisson_cut(plan, residence, STARFISH_FOR_FIELDS, &cut));
    status =
        starfish_field_over(plan->base.context, plan->options.precision, plan->field_n, cut, "memory", memory, field);
    const int made = status == STARFISH_SUCCESS;
    status = starfish_ranks_agree(plan->base.context, status);
    if (made && status != STARFISH_SUCCESS) {
        starfish_field_destroy(*field);
        *field = NULL;
    }
    return status;
}
