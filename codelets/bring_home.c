/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks without a kernel. StarPU fetches their data to a named memory node; or they only order other tasks. */
#include "codelets/bring_home.h"

/* One codelet per memory node, since the node is the codelet's; filled in by position. */
#define NODE(n)                                                                                                        \
    {                                                                                                                  \
        .where = STARPU_NOWHERE, .nbuffers = STARPU_VARIABLE_NBUFFERS, .specific_nodes = 1,                            \
        .nodes = {n, n, n, n, n, n}, .name = "bring_home"                                                              \
    }
static struct starpu_codelet bring_home_codelet[] = {NODE(0),  NODE(1),  NODE(2),  NODE(3), NODE(4),  NODE(5),
                                                     NODE(6),  NODE(7),  NODE(8),  NODE(9), NODE(10), NODE(11),
                                                     NODE(12), NODE(13), NODE(14), NODE(15)};
enum { NODES = sizeof bring_home_codelet / sizeof bring_home_codelet[0] };
_Static_assert((int)STARFISH_SENT_AT_ONCE + 1 <= 6, "a node for each of the data and the token");

enum { NOWHERE_KNOWN = -1 };

static int home_of(starpu_data_handle_t data)
{
    const int home = starpu_data_get_home_node(data);
    return home < NODES ? home : NOWHERE_KNOWN;
}

/* At the home of the first one. */
static starfish_status submit_at_home(struct starfish_progress *progress, int phase, const struct starfish_views *views,
                                      enum starpu_data_access_mode mode, starpu_data_handle_t token)
{
    struct starfish_task task;
    struct starfish_task_header header = {.footprint = 0};
    starfish_task_begin(&task, &bring_home_codelet[home_of(views->data[0])], progress, phase);
    task.name = mode == STARPU_R ? "bring home" : "stay home";
    task.device = STARFISH_NOWHERE;
    starfish_task_at(&task, "slab", views->data[0], 0);
    for (size_t i = 0; i < views->count; i++)
        starfish_task_data(&task, views->data[i], mode);
    if (token)
        starfish_task_data(&task, token, STARPU_R);
    return starfish_task_submit(&task, &header, sizeof header);
}

starfish_status starfish_submit_bring_home(struct starfish_progress *progress, int phase, starpu_data_handle_t data)
{
    if (home_of(data) < 0)
        return STARFISH_SUCCESS; /* it will be fetched in the end */
    if (progress->recorder)
        return STARFISH_SUCCESS; /* on the GPU where the data are at home */
    return submit_at_home(progress, phase, &(const struct starfish_views){&data, 1}, STARPU_R, NULL);
}

/* To StarPU, values are forgotten and then written where they are; nobody touches them. Two tasks for all: each task
 * costs the runtime some 20 us, which is as long as a slab of 1 MB is on its way. */
starfish_status starfish_submit_send_home(struct starfish_progress *progress, int phase,
                                          const struct starfish_views *views, starpu_data_handle_t token)
{
    starpu_data_handle_t with_home[STARFISH_SENT_AT_ONCE];
    struct starfish_views sent = {with_home, 0};
    for (size_t i = 0; i < views->count; i++)
        if (home_of(views->data[i]) >= 0)
            with_home[sent.count++] = views->data[i];
    if (sent.count == 0)
        return STARFISH_SUCCESS;
    STARFISH_TRY(submit_at_home(progress, phase, &sent, STARPU_R, NULL)); /* while they are recorded: UNSUPPORTED */
    for (size_t i = 0; i < sent.count; i++)
        starpu_data_invalidate_submit(sent.data[i]);
    return submit_at_home(progress, phase, &sent, STARPU_W, token);
}

static int in_main_memory[STARFISH_TASK_MAX_DATA]; /* the node of each, 0 */

static struct starpu_codelet hand_over_codelet = {.where = STARPU_NOWHERE,
                                                  .nbuffers = STARPU_VARIABLE_NBUFFERS,
                                                  .specific_nodes = 1,
                                                  .dyn_nodes = in_main_memory,
                                                  .name = "hand_over"};

starfish_status starfish_submit_hand_over(struct starfish_progress *progress, int phase,
                                          const struct starfish_views *from, const struct starfish_views *to)
{
    struct starfish_task task;
    struct starfish_task_header header = {.footprint = 0};
    starfish_task_begin(&task, &hand_over_codelet, progress, phase);
    task.name = "hand over";
    task.device = STARFISH_NOWHERE;
    for (size_t i = 0; i < from->count; i++)
        starfish_task_data(&task, from->data[i], STARPU_R);
    for (size_t i = 0; i < to->count; i++)
        starfish_task_data(&task, to->data[i], STARPU_W);
    return starfish_task_submit(&task, &header, sizeof header);
}

static struct starpu_codelet forget_readers_codelet = {
    .where = STARPU_NOWHERE, .nbuffers = 1, .modes = {STARPU_RW}, .name = "forget_readers"};

starfish_status starfish_submit_forget_readers(struct starfish_progress *progress, int phase, starpu_data_handle_t data)
{
    struct starfish_task task;
    struct starfish_task_header header = {.footprint = 0};
    starfish_task_begin(&task, &forget_readers_codelet, progress, phase);
    task.name = "forget readers";
    task.device = STARFISH_NOWHERE;
    starfish_task_at(&task, "slab", data, 0);
    starfish_task_data(&task, data, STARPU_RW);
    return starfish_task_submit(&task, &header, sizeof header);
}
