/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ghosts: rules from the axes, and the job's task that fills them in the user's array. */
#include "poisson/ghosts.h"

#include "codelets/ghosts.h"

#include <string.h>

/* The distance that Neumann data are multiplied with at an end: to the ghost of a cell, and to the unknown next to the
 * end's own of a node. */
static double distance_at(const struct starfish_axis *axis, int end)
{
    const int dirichlet = (axis->ends[0] == STARFISH_DIRICHLET) + (axis->ends[1] == STARFISH_DIRICHLET);
    const size_t last = axis->coordinate_count - 1;
    if (axis->kind == STARFISH_STRETCHED)
        return end ? axis->coordinates[last] - axis->coordinates[last - 1]
                   : axis->coordinates[1] - axis->coordinates[0];
    if (axis->grid == STARFISH_CELL)
        return axis->length / (double)axis->n;
    return axis->length / ((double)axis->n - 1 + dirichlet);
}

static struct starfish_ghost_rule rule_at(const struct starfish_axis *axis, int end)
{
    struct starfish_ghost_rule rule = {.kind = STARFISH_GHOST_FORMULA};
    const int cell = axis->grid == STARFISH_CELL, dirichlet = axis->ends[end] == STARFISH_DIRICHLET;
    if (dirichlet) {
        rule.near = cell ? -1 : 0;
        rule.datum = cell ? 2 : 1;
        return rule;
    }
    rule.datum = (end ? 1 : -1) * (cell ? 1 : 2) * distance_at(axis, end);
    if (cell)
        rule.near = 1;
    else if (axis->n > 1)
        rule.next = 1;
    else
        rule.other = 1; /* beyond the only unknown is the other end's Dirichlet value */
    return rule;
}

void starfish_poisson_ghost_rules(const struct starfish_axis *axis, struct starfish_ghost_rule rule[2])
{
    const int matrix = axis->kind == STARFISH_TRIDIAGONAL;
    const int wraps = matrix ? axis->periodic : axis->ends[0] == STARFISH_PERIODIC;
    for (int end = 0; end < 2; end++) {
        rule[end] = (struct starfish_ghost_rule){.kind = wraps ? STARFISH_GHOST_WRAPS : STARFISH_GHOST_NONE};
        if (!wraps && !matrix && axis->ends[end] <= STARFISH_ROBIN)
            rule[end] = rule_at(axis, end);
    }
}

starfish_status starfish_poisson_check_ghosts(const struct starfish_poisson_plan *plan)
{
    const struct starfish_user_layout *layout = &plan->layout[STARFISH_SOLUTION];
    const struct starfish_strides *strides = &layout->strides;
    const size_t *n = plan->n;
    const char *member = NULL;
    if (!plan->options.ghosts)
        return STARFISH_SUCCESS;
    if (plan->direction[0].transform == STARFISH_TRANSFORM_IDENTITY || plan->in_plane)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "options.ghosts is for three dimensions");
    if (strides->row < n[0] + 2)
        member = "row";
    else if (strides->plane < strides->row * (n[1] + 2))
        member = "plane";
    else if (plan->count > 1 && strides->box < strides->plane * (n[2] + 2))
        member = "problem";
    else if (layout->offset < 1 + strides->row + strides->plane)
        member = "offset";
    STARFISH_REFUSE_IF(member, "options.solution_layout.%s leaves no room for the ghosts that options.ghosts asks for",
                       member);
    return STARFISH_SUCCESS;
}

/* The array from its first ghost on, on memory that the slabs are on, too. */
static void register_array(struct starfish_poisson_job *job)
{
    const struct starfish_poisson_plan *plan = job->plan;
    const size_t n[3] = {plan->n[0] + 2, plan->n[1] + 2, (plan->n[2] + 2) * plan->count};
    const size_t size = starfish_real_size(plan->options.precision);
    struct starfish_field_array array = {.n = n,
                                         .precision = plan->options.precision,
                                         .node = starfish_slab_home(job->solution->handle[0]),
                                         .strides = job->solution->strides};
    const struct starfish_runs whole = {.parts = 1, .first = (size_t[]){0, n[2]}};
    array.memory = (char *)job->solution->memory - (1 + array.strides.row + array.strides.plane) * size;
    array.strides.height = n[1];
    array.strides.depth = plan->n[2] + 2;
    starfish_slab_register(&job->ghosted, "ghosts", &whole, 0, &array);
}

starfish_status starfish_job_submit_ghosts(struct starfish_poisson_job *job)
{
    const struct starfish_poisson_plan *plan = job->plan;
    if (!plan->options.ghosts || !job->owns_fields)
        return STARFISH_SUCCESS;
    register_array(job);
    struct starfish_ghosts_task task = {.precision = plan->options.precision,
                                        .n = {plan->n[0], plan->n[1], plan->n[2]},
                                        .problems = plan->count,
                                        .array = job->ghosted,
                                        .slabs = job->cut.parts,
                                        .slab = job->solution->handle};
    memcpy(task.rule, plan->ghost, sizeof task.rule);
    memcpy(task.constant, job->boundary.constant, sizeof task.constant);
    memcpy(task.face, job->boundary.face, sizeof task.face);
    return starfish_submit_ghosts(&job->base.progress, STARFISH_PHASE_BACKWARD, &task);
}
