/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task: converts a part of a flat domain's array between the user's order and that of grids. Memory-bound. */
#include "codelets/arrange.h"

#include "codelets/kernel_pair.h"
#include "multigrid/kernels/flat_kind.h"

struct arguments {
    struct starfish_task_header header;
    starfish_precision precision;
    struct starfish_flat_arrange arrange; /* pointers are filled in by the task */
    int column, layer;                    /* -1: none */
    struct starfish_access from, to;
    const struct starfish_space *users; /* whose runs of planes are tiles of the users' array */
    int boxes;                          /* a tile has rows of cells, else whole rows as one */
    ptrdiff_t column0;                  /* the column in the table that is (0,0) of the grid's array */
};

/* ---- On a worker ------------------------------------------------------------------------------------------------- */

/* Of one tile of the users' array, whose planes on a device, or of another rank, lie closer together than in all of it.
 */
static struct starfish_flat_arrange with_pointers(void *buffers[], const struct arguments *a, size_t run)
{
    struct starfish_flat_arrange arrange = a->arrange;
    void *const tile = buffers[(size_t)(arrange.back ? a->to : a->from).buffer + run];
    void *const users = (void *)STARPU_BLOCK_GET_PTR(tile);

    arrange.z0 = a->users->first[1][run];
    arrange.z1 = a->users->first[1][run + 1];
    arrange.row = a->boxes ? STARPU_BLOCK_GET_LDY(tile) : arrange.nx;
    arrange.plane = a->boxes ? STARPU_BLOCK_GET_LDZ(tile) : STARPU_BLOCK_GET_LDY(tile);
    arrange.column = starfish_optional(buffers, a->column);
    arrange.column = arrange.column ? arrange.column + a->column0 : NULL;
    arrange.layer = starfish_optional(buffers, a->layer);
    arrange.from = arrange.back ? starfish_vector_here(buffers, &a->from, a->precision) : users;
    arrange.to = arrange.back ? users : starfish_vector_here(buffers, &a->to, a->precision);
    return arrange;
}

static int arrange_share(const struct starfish_place *place, void *data, size_t share, size_t shares)
{
    const struct starfish_task_parameters *task = data;
    const struct arguments *a = task->arguments;

    for (size_t run = 0; run < a->users->parts[1]; run++) {
        struct starfish_flat_arrange arrange = with_pointers(task->buffers, a, run);
        const size_t first = arrange.y0, rows = arrange.y1 - arrange.y0;
        arrange.y0 = first + rows * share / shares;
        arrange.y1 = first + rows * (share + 1) / shares;
        TRY_LAUNCH(starfish_flat_arrange_here(place, &arrange));
    }
    return 0;
}

static void arrange_here(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    struct starfish_task_parameters task = {buffers, a};
    const int error = starfish_place_share(place, a->header.progress->context, arrange_share, &task);

    starfish_task_check(&a->header, "arrange",
                        error || a->arrange.back ? error : starfish_vector_publish(place, buffers, &a->to));
}

STARFISH_PLACE_CODELET(arrange, arguments, a->precision, "arrange", 0x77aaaa);

/* ---- Submission -------------------------------------------------------------------------------------------------- */

/* All tiles of the part. */
static struct starfish_access attach_users(struct starfish_task *task, const struct starfish_vector *users, size_t part,
                                           enum starpu_data_access_mode mode)
{
    const struct starfish_access access = {.buffer = task->count, .space = users->space};

    for (size_t run = 0; run < users->space->parts[1]; run++)
        starfish_task_data(task, users->piece[part + users->space->parts[0] * run], mode);
    return access;
}

/* The cells of a part, as its grid counts them. */
static void describe(const struct starfish_space *space, const struct starfish_arrangement *arrangement, size_t part,
                     struct arguments *a)
{
    const struct starfish_extent rows = starfish_part_extent(space, part);
    const struct starfish_box *box = &space->box[part];

    a->arrange = (struct starfish_flat_arrange){.nx = arrangement->n[0],
                                                .nz = arrangement->n[2],
                                                .x1 = arrangement->n[0],
                                                .y0 = (size_t)rows.y0,
                                                .y1 = (size_t)rows.y1,
                                                .first = (size_t)rows.y0,
                                                .columns = arrangement->n[0],
                                                .back = arrangement->back};
    if (space->layers == 0)
        return;
    a->boxes = 1;
    a->arrange.nx = starfish_box_memory(box, 0);
    a->arrange.x0 = (size_t)(box->own[0][0] - box->array[0][0]);
    a->arrange.x1 = a->arrange.x0 + starfish_box_own(box, 0);
    a->column0 = box->array[0][0] + (ptrdiff_t)arrangement->n[0] * box->array[1][0];
}

starfish_status starfish_submit_arrange(const struct starfish_algebra *algebra,
                                        const struct starfish_arrangement *arrangement, size_t part,
                                        const struct starfish_vector *from, const struct starfish_vector *to)
{
    const struct starfish_vector *grid = arrangement->back ? from : to;
    const struct starfish_space *users = (arrangement->back ? to : from)->space;
    const struct starfish_extent rows = starfish_part_extent(grid->space, part);
    struct arguments a = {.precision = grid->precision, .users = users};
    struct starfish_task task;

    describe(grid->space, arrangement, part, &a);
    const size_t width = a.arrange.x1 - a.arrange.x0, height = a.arrange.y1 - a.arrange.y0;
    starfish_task_begin(&task, &arrange_codelet, algebra->progress, algebra->phase);
    task.width = height;
    task.flops = arrangement->column ? 2.0 * (double)(width * height * arrangement->n[2]) : 0; /* else copies */
    task.rank = grid->space->on_ranks ? starfish_space_rank(grid->space, part) : -1;
    starfish_task_of_owner(&task, grid->space, part, algebra->where);
    a.column = starfish_task_optional(&task, arrangement->column, STARPU_R);
    a.layer = starfish_task_optional(&task, arrangement->layer, STARPU_R);
    a.from = arrangement->back ? starfish_vector_attach(&task, from, part, &rows, STARPU_R)
                               : attach_users(&task, from, part, STARPU_R);
    a.to = arrangement->back ? attach_users(&task, to, part, STARPU_W)
                             : starfish_vector_attach(&task, to, part, &rows, STARPU_W);
    a.header.footprint = STARFISH_FOOTPRINT(grid->precision, width, arrangement->n[2], height,
                                            (size_t)arrangement->back, arrangement->column != NULL);
    return starfish_task_submit(&task, &a, sizeof a);
}
