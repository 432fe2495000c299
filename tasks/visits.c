/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operations on a part between two exchanges of halos.
 *
 * The header explains visits. Where bytes are slow, two kinds of visits ask for no more of them: those that compute
 * nothing twice; and those that begin with a zero solution, whose sweeps read the right-hand side as deep as the tasks
 * one by one would read both. */
#include "tasks/visits.h"

/* Rows of a part for each row beyond it that is computed twice, at least; fewer between ranks, where an exchange takes
 * longer. */
enum { ROWS_PER_EXTRA = 32, ROWS_PER_EXTRA_ON_RANKS = 8 };
/* A visit with transfers has fewer steps. */
enum { MOST_STEPS = 12 };

static int is_empty(const struct starfish_reach *reach)
{
    return reach->x0 == reach->x1;
}

/* Widens the rows of an extent, whose columns are all of the grid's, to those that are read. */
static void widen(struct starfish_extent *extent, const struct starfish_reach *reach, size_t columns)
{
    if (is_empty(reach))
        return;
    if (extent->x0 == extent->x1)
        *extent = (struct starfish_extent){0, (ptrdiff_t)columns, reach->y0, reach->y1, 0};
    extent->y0 = reach->y0 < extent->y0 ? reach->y0 : extent->y0;
    extent->y1 = reach->y1 > extent->y1 ? reach->y1 : extent->y1;
}

/* Rows that there are. */
static void clip(struct starfish_extent *extent, size_t rows)
{
    extent->y0 = extent->y0 < 0 ? 0 : extent->y0;
    extent->y1 = extent->y1 > (ptrdiff_t)rows ? (ptrdiff_t)rows : extent->y1;
}

void starfish_visit_add_sweeps(const struct starfish_visited *visited, int after, int steps, int first, int count,
                               struct starfish_visit *visit)
{
    const struct starfish_grid_kind *kind = visited->kind;
    const struct starfish_smoothing *smoothing = visited->smoothing;
    int sweep[STARFISH_GRID_MOST_SWEEPS];
    const int sweeps = starfish_grid_sweeps(kind, smoothing, visited->shape, after && smoothing->symmetric, sweep);

    for (int i = first; i < first + count && i < steps * sweeps && visit->steps < STARFISH_VISIT_STEPS; i++) {
        visit->step[visit->steps++] = (struct starfish_visit_step){
            .operation = STARFISH_GRID_SMOOTH,
            .sweep = sweep[i % sweeps],
            .damping = starfish_grid_step_damping(kind, smoothing, visited->shape, i / sweeps, steps)};
        visit->sweeps++;
    }
}

static void add_smoothing(const struct starfish_visited *v, int after, struct starfish_visit *visit)
{
    const int steps = after ? v->smoothing->after : v->smoothing->before;

    starfish_visit_add_sweeps(v, after, steps, 0, STARFISH_VISIT_STEPS, visit);
}

/* Sets where an operation writes, `needed` of this grid's solution, and widens what it reads. */
static void find_step(const struct starfish_visited *v, struct starfish_visit *visit, int i,
                      struct starfish_extent *needed)
{
    struct starfish_visit_step *this = &visit->step[i];
    const int restricts = this->operation == STARFISH_GRID_RESTRICT;
    struct starfish_grid_step step = {.shape = v->shape, .coarse_shape = v->coarse_shape, .sweep = this->sweep};
    struct starfish_reach read[3];
    size_t n[2], coarse[2];

    starfish_grid_extent(v->kind, v->shape, n);
    starfish_grid_extent(v->kind, v->coarse_shape, coarse);
    clip(needed, n[1]);
    step.at = restricts ? v->coarse_at
                        : (struct starfish_rectangle){v->at.x0, v->at.x1, (size_t)needed->y0, (size_t)needed->y1};
    this->y0 = (uint32_t)step.at.y0;
    this->y1 = (uint32_t)step.at.y1;
    for (enum starfish_grid_input input = STARFISH_GRID_U; input <= STARFISH_GRID_COARSE; input++)
        read[input] = starfish_grid_reach(v->kind, this->operation, &step, input);
    if (i > 0 || !visit->zero)
        widen(needed, &read[STARFISH_GRID_U], n[0]);
    widen(&visit->f, &read[STARFISH_GRID_F], n[0]);
    if (this->operation == STARFISH_GRID_PROLONG || (i == 0 && visit->adds))
        widen(&visit->coarse, &read[STARFISH_GRID_COARSE], coarse[0]);
}

/* Does a visit have a form that its task can do? */
static int is_possible(const struct starfish_visited *v, const struct starfish_visit *visit)
{
    const struct starfish_grid_step whole = {.shape = v->shape, .at = v->at, .sweep = visit->step[0].sweep};

    if (visit->sweeps == 0 || visit->steps >= MOST_STEPS)
        return 0;
    for (int i = 0; i < visit->steps; i++)
        if (visit->step[i].operation == STARFISH_GRID_SMOOTH &&
            (starfish_grid_runs_along_columns(v->kind, visit->step[i].sweep) ||
             starfish_grid_adds(v->kind, visit->step[i].sweep)))
            return 0;
    return !starfish_grid_reach(v->kind, STARFISH_GRID_RESIDUAL, &whole, STARFISH_GRID_U).wraps;
}

static struct starfish_extent own_rows(const struct starfish_visited *v)
{
    return (struct starfish_extent){(ptrdiff_t)v->at.x0, (ptrdiff_t)v->at.x1, (ptrdiff_t)v->at.y0, (ptrdiff_t)v->at.y1,
                                    0};
}

/* `needed`: of the solution afterwards. */
static int find(const struct starfish_visited *v, struct starfish_extent needed, struct starfish_visit *visit)
{
    const size_t rows = v->at.y1 - v->at.y0;
    const size_t per_extra = v->on_ranks ? ROWS_PER_EXTRA_ON_RANKS : ROWS_PER_EXTRA;
    size_t extra = 0, n[2];

    if (!is_possible(v, visit))
        return 0;
    starfish_grid_extent(v->kind, v->shape, n);
    for (int i = visit->steps - 1; i >= 0; i--) {
        find_step(v, visit, i, &needed);
        const struct starfish_visit_step *step = &visit->step[i];
        if (step->operation == STARFISH_GRID_RESTRICT)
            continue;
        extra = v->at.y0 - step->y0 > extra ? v->at.y0 - step->y0 : extra;
        extra = step->y1 - v->at.y1 > extra ? step->y1 - v->at.y1 : extra;
    }
    clip(&needed, n[1]);
    visit->u = needed;
    visit->copies = !visit->zero && visit->sweeps % 2 == 0;
    return extra == 0 || ((!v->slow || visit->zero) && per_extra * extra <= rows);
}

void starfish_visit_known(const struct starfish_visited *visited, const struct starfish_visit *visit, size_t rows[2])
{
    rows[0] = rows[1] = 0;
    for (int i = 0; i < visit->steps; i++)
        if (visit->step[i].operation == STARFISH_GRID_SMOOTH) {
            rows[0] = visited->at.y0 - visit->step[i].y0;
            rows[1] = visit->step[i].y1 - visited->at.y1;
        }
}

int starfish_visit_down(const struct starfish_visited *visited, int zero, struct starfish_visit *visit)
{
    struct starfish_visit up;

    *visit = (struct starfish_visit){.zero = zero};
    add_smoothing(visited, 0, visit);
    if (visit->steps < STARFISH_VISIT_STEPS)
        visit->step[visit->steps++].operation = STARFISH_GRID_RESTRICT;
    const struct starfish_visit begun = *visit;
    if (zero && starfish_visit_up(visited, &up) && find(visited, up.u, visit)) /* it leaves what the visit up reads */
        return 1;
    *visit = begun;
    return find(visited, own_rows(visited), visit);
}

int starfish_visit_up(const struct starfish_visited *visited, struct starfish_visit *visit)
{
    *visit = (struct starfish_visit){.adds = starfish_grid_adds_correction(visited->kind, visited->smoothing)};
    if (!visit->adds)
        visit->step[visit->steps++].operation = STARFISH_GRID_PROLONG;
    add_smoothing(visited, 1, visit);
    return find(visited, own_rows(visited), visit);
}
