/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finite element plans: checks, and the public queries of a plan's space. */
#include "fem/plan.h"

#include "base/arithmetic.h"
#include "base/precision.h"
#include "base/real.h"
#include "fem/ranks.h"
#include "multigrid/kernels/fem_kind.h"
#include "multigrid/options.h"
#include "scheduler/runtime/host_loop.h"
#include "scheduler/runtime/ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static starfish_status check_curves(const struct starfish_fem_problem *problem)
{
    for (size_t k = 0; k < problem->curves; k++) {
        const struct starfish_fem_curve *curve = &problem->curve[k];
        int found = 0;
        STARFISH_REFUSE_IF(!(curve->radius > 0) || !isfinite(curve->radius) || !isfinite(curve->centre[0]) ||
                               !isfinite(curve->centre[1]) || !isfinite(curve->centre[2]),
                           "problem.curve[%zu]: the radius is %g, must be positive, or the centre not finite", k,
                           curve->radius);
        for (size_t m = 0; m < problem->mesh->marks; m++)
            found = found || problem->mesh->mark[m].group == curve->group;
        STARFISH_REFUSE_IF(!found, "problem.curve[%zu]: the mesh has no group %d", k, curve->group);
    }
    return STARFISH_SUCCESS;
}

starfish_status starfish_fem_check_plan(struct starfish_plan *base)
{
    const struct starfish_fem_problem *problem = base->problem;
    struct starfish_fem_options *o = &((struct starfish_fem_plan *)base)->options;

    STARFISH_TRY(starfish_complete_options(o->precision, o->mixed, &o->tolerance));
    STARFISH_NEED(problem->mesh, "problem.mesh");
    STARFISH_NEED(problem->mesh->point, "problem.mesh.point");
    STARFISH_NEED(problem->mesh->cell, "problem.mesh.cell");
    if (problem->mesh->marks > 0)
        STARFISH_NEED(problem->mesh->mark, "problem.mesh.mark");
    STARFISH_REFUSE_IF(problem->refinements < 0 || problem->refinements > STARFISH_FEM_MOST_REFINEMENTS,
                       "problem.refinements is %d, not in 0 .. %d", problem->refinements,
                       STARFISH_FEM_MOST_REFINEMENTS);
    STARFISH_REFUSE_IF((int)problem->element < 0 || problem->element >= STARFISH_FEM_ELEMENTS, "problem.element is %d",
                       (int)problem->element);
    STARFISH_REFUSE_IF(!problem->source && !isfinite(problem->rhs), "problem.rhs is not finite");
    if (problem->dirichlets > 0)
        STARFISH_NEED(problem->dirichlet, "problem.dirichlet");
    if (problem->curves > 0)
        STARFISH_NEED(problem->curve, "problem.curve");
    return check_curves(problem);
}

/* Cells as nodes of the space, without the lattice nodes that it has not. */
static starfish_status list_cells(struct starfish_fem_plan *plan)
{
    const size_t count = (size_t)plan->space.basis.count;

    plan->cells = malloc((plan->mesh.cells * count + 1) * sizeof *plan->cells);
    STARFISH_FAIL_IF(!plan->cells, STARFISH_ERROR_MEMORY, "out of memory for the cells");
    for (size_t c = 0; c < plan->mesh.cells; c++)
        for (size_t n = 0; n < count; n++)
            plan->cells[c * count + n] = plan->mesh.cell[c * plan->mesh.lattice + (size_t)plan->space.basis.node[n]];
    return STARFISH_SUCCESS;
}

static size_t bytes_of_vector(const struct starfish_fem_plan *plan)
{
    return (plan->space.unknowns + 1) * sizeof(double);
}

/* Right-hand side and solution. Memory distributed to ranks is not pinned, since pinning would touch all of it. */
static starfish_status take_arrays(struct starfish_fem_plan *plan)
{
    void **const array[] = {&plan->f, &plan->u};

    for (int i = 0; i < 2 && !plan->is_dealt; i++)
        STARFISH_TRY(starfish_alloc(plan->plan.context, bytes_of_vector(plan), array[i]));
    for (int i = 0; i < 2 && plan->is_dealt; i++) {
        *array[i] = calloc(1, bytes_of_vector(plan));
        STARFISH_FAIL_IF(!*array[i], STARFISH_ERROR_MEMORY, "out of memory for a solution");
    }
    return STARFISH_SUCCESS;
}

static void convert_load(void *data, size_t first, size_t last)
{
    const struct starfish_fem_plan *plan = data;

    for (size_t i = plan->own[0] + first; i < plan->own[0] + last; i++)
        starfish_element_set(plan->f, plan->options.precision, i, plan->load[i]);
}

static void give_arrays_back(struct starfish_fem_plan *plan)
{
    void *const array[] = {plan->f, plan->u};

    for (int i = 0; i < 2; i++) {
        if (plan->is_dealt)
            free(array[i]);
        else
            starfish_free(plan->plan.context, array[i], bytes_of_vector(plan));
    }
}

/* What the plan consists of. */
static void describe(struct starfish_fem_plan *plan)
{
    static const char *const after[] = {[STARFISH_KRYLOV_AUTO] = ", else in conjugate gradients or BiCGStab",
                                        [STARFISH_KRYLOV_NONE] = "",
                                        [STARFISH_KRYLOV_CG] = " in conjugate gradients",
                                        [STARFISH_KRYLOV_BICGSTAB] = " in BiCGStab"};
    const struct starfish_fem_options *o = &plan->options;
    struct starfish_about *about = &plan->plan.about;

    snprintf(plan->reason, sizeof plan->reason, "%s cycles, smoothed by %s, unknowns in order %s%s",
             starfish_cycle_names[o->cycle], starfish_fem_smoother_names[o->smoother],
             starfish_fem_numbering_names[o->numbering], after[o->fixed && !o->krylov ? 1 : o->krylov]);
    about->method = "multigrid";
    about->reason = plan->reason;
    about->unknowns = plan->space.unknowns;
    about->singular = plan->floating.count > 0;
}

/* The engine's, and of all nodes their points, unknowns and values, of cells their nodes, and right-hand side and
 * solution of the unknowns that this rank has. */
static void measure(struct starfish_fem_plan *plan)
{
    struct starfish_memory *all = &plan->plan.memory;
    const size_t own = plan->own[1] - plan->own[0];
    const size_t of_cell = plan->mesh.lattice + (size_t)plan->space.basis.count;

    if (plan->multigrid)
        *all = plan->multigrid->memory;
    all->main_bytes += plan->mesh.nodes * (4 * sizeof(double) + sizeof(int)) +
                       plan->mesh.cells * of_cell * sizeof(int) +
                       own * (2 * starfish_real_size(plan->options.precision) + (plan->volume ? sizeof(double) : 0));
}

static starfish_status complete(struct starfish_fem_plan *plan)
{
    STARFISH_TRY(starfish_fem_build(plan, plan->plan.problem));
    STARFISH_TRY(list_cells(plan));
    STARFISH_TRY(take_arrays(plan));
    /* The load becomes the right-hand side of all solves. */
    enum { RUN = 1 << 16 };
    starfish_host_loop(plan->own[1] - plan->own[0], RUN, convert_load, plan);
    free(plan->load);
    plan->load = NULL;
    describe(plan);
    measure(plan);
    return STARFISH_SUCCESS;
}

starfish_status starfish_fem_create_plan(struct starfish_plan *base)
{
    struct starfish_fem_plan *plan = (struct starfish_fem_plan *)base;

    plan->element = ((const struct starfish_fem_problem *)base->problem)->element;
    return starfish_ranks_agree(base->context, complete(plan));
}

starfish_status starfish_fem_plan_create(starfish_context *context, const struct starfish_fem_problem *problem,
                                         const struct starfish_fem_options *options, starfish_plan **plan)
{
    STARFISH_OWN_ARITHMETIC;
    return starfish_plan_make(context, &starfish_kind_fem, &starfish_fem_problem_table, problem, options, plan);
}

void starfish_fem_release(struct starfish_plan *base)
{
    struct starfish_fem_plan *plan = (struct starfish_fem_plan *)base;

    starfish_multigrid_engine_destroy(plan->multigrid);
    give_arrays_back(plan);
    starfish_fem_space_destroy(&plan->space);
    starfish_refined_destroy(&plan->mesh);
    free(plan->cells);
    free(plan->load);
    free(plan->volume);
    starfish_csr_destroy(&plan->finest);
    starfish_fem_floating_destroy(&plan->floating);
}

/* ---- What a cycle moves ------------------------------------------------------------------------------------------ */

/* Of a product: entries as they are stored, and some vectors of that many rows. */
static double product_bytes(const struct starfish_fem_shape *shape, enum starfish_fem_matrix matrix, double real,
                            double vectors)
{
    return (double)shape->matrix[matrix].entries * (real + sizeof(int)) + vectors * real;
}

/* A level once: smoothing, and where there is a coarser one the way there and back. */
static double level_bytes(const struct starfish_fem_shape *shape, int steps, int has_coarse, double real)
{
    const double rows = (double)shape->rows, coarse = (double)shape->coarse_rows;
    const double step = product_bytes(shape, STARFISH_FEM_A, real, (shape->diagonal ? 4 : 3) * rows) +
                        (shape->diagonal ? 0 : product_bytes(shape, STARFISH_FEM_M, real, 3 * rows));
    const double way = product_bytes(shape, STARFISH_FEM_R, real, rows + coarse) +
                       product_bytes(shape, STARFISH_FEM_RA, real, rows + 2 * coarse) +
                       product_bytes(shape, STARFISH_FEM_P, real, 2 * rows + coarse);

    return has_coarse ? steps * step + way : 0;
}

/* An F cycle is on level l once more than on the one above; V once, W twice as often. */
double starfish_fem_cycle_bytes(const starfish_plan *base)
{
    const struct starfish_fem_plan *plan = (const struct starfish_fem_plan *)base;
    const struct starfish_multigrid_engine *m = plan->multigrid;
    const struct starfish_fem_shape *shape = m ? m->shapes : NULL;
    const int levels = m ? m->graph.all_levels : 0;
    const double real = (double)starfish_real_size(plan->options.mixed ? STARFISH_F32 : plan->options.precision);
    double bytes = m ? product_bytes(shape, STARFISH_FEM_A, (double)starfish_real_size(plan->options.precision),
                                     2 * (double)plan->space.unknowns)
                     : 0;

    for (int l = 0, visits = 1; l < levels; l++) {
        bytes += visits * level_bytes(&shape[l], m->options.before + m->options.after, l + 1 < levels, real);
        visits = m->options.cycle == STARFISH_CYCLE_F   ? visits + 1
                 : m->options.cycle == STARFISH_CYCLE_W ? 2 * visits
                                                        : 1;
    }
    return bytes;
}

/* ---- What a plan tells of its space ------------------------------------------------------------------------------ */

/* NULL if it is not a finite element plan. */
static const struct starfish_fem_plan *fem_of(const starfish_plan *base)
{
    return base && base->kind == &starfish_kind_fem ? (const struct starfish_fem_plan *)base : NULL;
}

size_t starfish_fem_nodes(const starfish_plan *base)
{
    const struct starfish_fem_plan *plan = fem_of(base);

    return plan ? plan->space.nodes : 0;
}

const double *starfish_fem_points(const starfish_plan *base)
{
    const struct starfish_fem_plan *plan = fem_of(base);

    return plan ? plan->mesh.point : NULL;
}

size_t starfish_fem_cells(const starfish_plan *base, const int **cell)
{
    const struct starfish_fem_plan *plan = fem_of(base);

    if (cell)
        *cell = plan ? plan->cells : NULL;
    return plan ? plan->mesh.cells : 0;
}

starfish_status starfish_fem_matrices(const starfish_plan *base, struct starfish_fem_matrices *matrices)
{
    STARFISH_OWN_ARITHMETIC;
    const struct starfish_fem_plan *plan = (const struct starfish_fem_plan *)base;

    STARFISH_TRY(starfish_plan_check(base, &starfish_kind_fem));
    STARFISH_NEED(matrices, "matrices");
    STARFISH_TRY(starfish_filled_check(matrices, sizeof *matrices, "matrices"));
    const struct starfish_fem_matrices own = {.nonzeros = plan->nonzeros,
                                              .smoother_nonzeros = plan->smoother_nonzeros,
                                              .smoother_seconds = plan->smoother_seconds};
    starfish_filled_copy(matrices, &own, sizeof own);
    return STARFISH_SUCCESS;
}

starfish_status starfish_fem_error(const starfish_plan *base, const double *u, starfish_fem_function *exact, void *data,
                                   double *error)
{
    STARFISH_OWN_ARITHMETIC;
    const struct starfish_fem_plan *plan = (const struct starfish_fem_plan *)base;
    struct starfish_fem_rule *rule;
    double sum = 0;

    STARFISH_TRY(starfish_plan_check(base, &starfish_kind_fem));
    STARFISH_NEED(u, "u");
    STARFISH_NEED(exact, "exact");
    STARFISH_NEED(error, "error");
    const int count = plan->space.basis.count;
    STARFISH_TRY(starfish_fem_rule_create(plan->element, plan->mesh.d, STARFISH_FEM_GAUSS, &rule));
    for (size_t c = 0; c < plan->mesh.cells; c++)
        for (int point = 0; point < rule->points; point++) {
            const struct starfish_fem_at *at = &rule->at[point];
            struct starfish_fem_map map;
            double value = 0;
            starfish_fem_map_at(&plan->mesh, c, at->map, at->map_slope, &map);
            for (int n = 0; n < count; n++)
                value += at->value[n] * u[plan->cells[c * (size_t)count + (size_t)n]];
            value -= exact(data, map.point);
            sum += at->weight * map.determinant * value * value;
        }
    free(rule);
    *error = sqrt(sum);
    return STARFISH_SUCCESS;
}
