/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The copies of a slab's first and last plane (edges.h), made in the task that writes the slab or in one of their
 * own. */
#include "codelets/edges.h"

#include "codelets/kernel_pair.h"
#include "codelets/vectors.h"

enum { ABSENT = -1 };

struct starfish_edges starfish_edges_attach(struct starfish_task *task, starfish_precision precision, const size_t n[3],
                                            const starpu_data_handle_t *edge)
{
    struct starfish_edges edges = {precision, n[0] * n[1], n[2], {ABSENT, ABSENT}};
    for (int end = 0; end < STARFISH_EDGES && edge; end++)
        if (edge[end]) {
            edges.at[end] = task->count;
            starfish_task_data(task, edge[end], STARPU_W);
        }
    return edges;
}

static const void *plane_at(const struct starfish_edges *edges, const void *slab, int end)
{
    const size_t plane = end == STARFISH_FIRST_PLANE ? 0 : edges->planes - 1;
    return starfish_real_at((void *)(uintptr_t)slab, edges->precision, plane * edges->plane);
}

int starfish_edges_publish(const struct starfish_place *place, const struct starfish_edges *edges, void *buffers[],
                           const void *slab)
{
    for (int end = 0; end < STARFISH_EDGES; end++)
        if (edges->at[end] != ABSENT)
            TRY_LAUNCH(starfish_place_copy(place, STARFISH_VECTOR(buffers, edges->at[end]), plane_at(edges, slab, end),
                                           edges->plane));
    return 0;
}

/* ---- A task of their own ----------------------------------------------------------------------------------------- */

/* Data: the slab, then its edges. */
struct arguments {
    struct starfish_task_header header;
    struct starfish_edges edges;
};

static void edges_here(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    starfish_task_check(&a->header, "edges of a slab",
                        starfish_edges_publish(place, &a->edges, buffers, STARFISH_SLAB(buffers, 0)));
}

STARFISH_PLACE_CODELET(edges, arguments, a->edges.precision, "edges", 0x99aa33);

starfish_status starfish_submit_edges(struct starfish_progress *progress, int phase,
                                      const struct starfish_edges_task *d)
{
    struct starfish_task task;
    starfish_task_begin(&task, &edges_codelet, progress, phase);
    task.where = d->where;
    task.flops = 0; /* copies */
    starfish_task_at(&task, "slab", d->slab, 0);
    starfish_task_data(&task, d->slab, STARPU_R);
    struct arguments arguments = {.edges = starfish_edges_attach(&task, d->precision, d->n, d->edge)};
    arguments.header.footprint = STARFISH_FOOTPRINT(d->precision, d->n[0] * d->n[1], (size_t)task.count);
    return starfish_task_submit(&task, &arguments, sizeof arguments);
}
