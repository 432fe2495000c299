/* Tasks that run nowhere: one for which StarPU fetches its data to the memory node that it names, and one that is there
 * for the order of tasks alone. */
#include "codelets/bring_home.h"

/* One codelet per memory node, since the node is the codelet's; filled in by position. */
#define NODE(n)                                                                                                        \
    {                                                                                                                  \
        .where = STARPU_NOWHERE, .nbuffers = STARPU_VARIABLE_NBUFFERS, .specific_nodes = 1, .nodes = {n, n},           \
        .name = "bring_home"                                                                                           \
    }
static struct starpu_codelet bring_home_codelet[] = {NODE(0),  NODE(1),  NODE(2),  NODE(3), NODE(4),  NODE(5),
                                                     NODE(6),  NODE(7),  NODE(8),  NODE(9), NODE(10), NODE(11),
                                                     NODE(12), NODE(13), NODE(14), NODE(15)};
enum { NODES = sizeof bring_home_codelet / sizeof bring_home_codelet[0] };

starfish_status starfish_submit_bring_home(struct starfish_progress *progress, int phase, starpu_data_handle_t data)
{
    return starfish_submit_bring_home_before(progress, phase, data, NULL);
}

starfish_status starfish_submit_bring_home_before(struct starfish_progress *progress, int phase,
                                                  starpu_data_handle_t data, starpu_data_handle_t token)
{
    const int home = starpu_data_get_home_node(data);
    struct starfish_task task;
    struct starfish_task_header header = {.footprint = 0};
    if (home < 0 || home >= NODES)
        return STARFISH_SUCCESS; /* it will be fetched in the end */
    starfish_task_begin(&task, &bring_home_codelet[home], progress, phase);
    task.name = "bring home";
    task.where = STARPU_NOWHERE;
    starfish_task_at(&task, "slab", data, 0);
    starfish_task_data(&task, data, STARPU_R);
    if (token)
        starfish_task_data(&task, token, STARPU_R);
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
    task.where = STARPU_NOWHERE;
    starfish_task_at(&task, "slab", data, 0);
    starfish_task_data(&task, data, STARPU_RW);
    return starfish_task_submit(&task, &header, sizeof header);
}
