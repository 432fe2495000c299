/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The scheduling policy starfish-width, made of StarPU's scheduling components:
 *
 *                      width                      decides where a task goes (rule.h)
 *                    /       \
 *      queue by priority   queue by priority ...  one for each memory node: the cores' and each GPU's
 *            |                    |
 *     the node's workers    the node's worker     take from it as they become free
 *
 * Cores that share a memory share a queue: who is free takes the next, so on a machine of cores alone nothing depends
 * on models. StarPU's dm policies count every transfer as if it were alone; here each link has an account of the copies
 * that tasks were promised, and the next one's come after them. The account is put right whenever a task starts: then
 * its copies are done. Copies of which the scheduler is not told (results brought home) are not in it. */
#include "scheduler/lab/policies/policies.h"

#ifdef STARFISH_HAVE_POLICIES

#include "scheduler/lab/policies/rule.h"

#include <starpu_sched_component.h>

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* What a task was promised by a link. */
struct promise {
    const struct starpu_task *task;
    struct starfish_link *link;
    double promised;
};

/* Guarded by `lock`: decisions are made one at a time, as each counts on the last. */
struct width {
    starpu_pthread_mutex_t lock;
    size_t wide;
    struct starfish_link link[STARPU_MAXNODES][STARPU_MAXNODES]; /* [from][to] */
    struct promise *promise; /* of tasks that have not started, `room` of them at most */
    size_t promises, room;
    struct starpu_sched_component *place[STARPU_NMAXWORKERS]; /* that offer to take a task, */
    struct starfish_offer offer[STARPU_NMAXWORKERS];          /* and what they offer */
};

/* The copies that a task needs at a memory node, by the node that they come from: microseconds of the link. */
struct copies {
    double from[STARPU_MAXNODES];
};

static int is_there(starpu_data_handle_t handle, unsigned node)
{
    int allocated, valid, loading, requested;
    starpu_data_query_status2(handle, (int)node, &allocated, &valid, &loading, &requested);
    return valid || loading || requested;
}

/* How long a copy has the link for itself. StarPU's own prediction counts with others at the same time, which the
 * accounts do better. */
static double copy_time(unsigned from, unsigned to, size_t size)
{
    const double time = (double)size / starpu_transfer_bandwidth(from, to) + starpu_transfer_latency(from, to);
    return time >= 0 ? time : 0; /* where StarPU has not measured the link it is not a number */
}

/* Adds the copy of a handle to `node`, from the memory that is quickest; nothing if no memory has its value. */
static void add_copy(struct copies *copies, starpu_data_handle_t handle, unsigned node)
{
    const size_t size = starpu_data_get_size(handle);
    double least = INFINITY;
    unsigned source = 0;
    if (is_there(handle, node))
        return;
    for (unsigned other = 0; other < starpu_memory_nodes_get_count(); other++) {
        const double time = other != node && is_there(handle, other) ? copy_time(other, node, size) : (double)INFINITY;
        if (time < least) {
            least = time;
            source = other;
        }
    }
    if (isfinite(least))
        copies->from[source] += least;
}

static struct copies copies_to(struct starpu_task *task, unsigned node)
{
    struct copies copies = {{0}};
    for (unsigned i = 0; i < STARPU_TASK_GET_NBUFFERS(task); i++)
        if (STARPU_TASK_GET_MODE(task, i) & STARPU_R)
            add_copy(&copies, STARPU_TASK_GET_HANDLE(task, i), node);
    return copies;
}

static int first_worker(const struct starpu_sched_component *place)
{
    return starpu_bitmap_first((struct starpu_bitmap *)(uintptr_t)&place->workers_in_ctx);
}

static unsigned node_of(const struct starpu_sched_component *place)
{
    return starpu_worker_get_memory_node((unsigned)first_worker(place));
}

static void add_transfers(struct starfish_offer *offer, const struct width *width, const struct copies *copies,
                          unsigned node, double now)
{
    offer->arrival = now;
    for (unsigned from = 0; from < STARPU_MAXNODES; from++)
        if (copies->from[from] > 0) {
            offer->copies += copies->from[from];
            offer->arrival = fmax(offer->arrival, starfish_link_end(&width->link[from][node], copies->from[from], now));
        }
}

/* What a place offers; 0 when it cannot run the task. */
static int get_offer(struct starfish_offer *offer, const struct width *width, struct starpu_sched_component *place,
                     struct starpu_task *task, double now)
{
    const int worker = first_worker(place);
    *offer = (struct starfish_offer){.free = now};
    if (worker < 0 || !starpu_sched_component_execute_preds(place, task, &offer->length))
        return 0;
    const struct copies copies = copies_to(task, node_of(place));
    offer->accelerator = starpu_worker_get_type(worker) != STARPU_CPU_WORKER;
    offer->free = fmax(place->estimated_end(place), now);
    offer->load = place->estimated_load(place);
    add_transfers(offer, width, &copies, node_of(place), now);
    return 1;
}

/* If memory runs out the promise is lost; the next task on this link corrects the account. */
static void remember(struct width *width, const struct starpu_task *task, struct starfish_link *link, double promised)
{
    if (width->promises == width->room) {
        const size_t room = width->room > 0 ? 2 * width->room : 64;
        struct promise *more = realloc(width->promise, room * sizeof *more);
        if (!more)
            return;
        width->promise = more;
        width->room = room;
    }
    width->promise[width->promises++] = (struct promise){task, link, promised};
}

/* Adds the task's copies to the accounts of their links, and stores the expected times in the task. The queue counts
 * the workers' time alone, as tasks with their data in place overtake those that wait for data. */
static void accept_offer(const struct starfish_offer *offer, struct width *width,
                         const struct starpu_sched_component *place, struct starpu_task *task, double now)
{
    const unsigned node = node_of(place);
    const struct copies copies = copies_to(task, node);
    for (unsigned from = 0; from < STARPU_MAXNODES; from++)
        if (copies.from[from] > 0) {
            struct starfish_link *link = &width->link[from][node];
            remember(width, task, link, starfish_link_promise(link, copies.from[from], now));
        }
    task->predicted = isnan(offer->length) ? 0 : offer->length;
    task->predicted_transfer = 0;
}

/* Called when a task starts: its copies are done, and so are all that were promised earlier on the same links. */
static void finish_copies(struct width *width, const struct starpu_task *task)
{
    const double now = starpu_timing_now();
    for (size_t i = width->promises; i-- > 0;) {
        if (width->promise[i].task != task)
            continue;
        starfish_link_finish(width->promise[i].link, width->promise[i].promised, now);
        width->promise[i] = width->promise[--width->promises];
    }
}

static int push(struct starpu_sched_component *component, struct starpu_task *task)
{
    struct width *width = component->data;
    struct starpu_sched_component **const place = width->place;
    struct starfish_offer *const offer = width->offer;
    size_t count = 0;
    STARPU_COMPONENT_MUTEX_LOCK(&width->lock);
    const double now = starpu_timing_now();
    for (unsigned i = 0; i < component->nchildren; i++) {
        place[count] = component->children[i];
        count += (size_t)get_offer(&offer[count], width, place[count], task, now);
    }
    int refused = 1;
    if (count > 0) {
        const size_t best = starfish_offer_choose(offer, count, starfish_policy_width(task), width->wide, now);
        accept_offer(&offer[best], width, place[best], task, now);
        refused = starpu_sched_component_push_task(component, place[best], task);
    }
    STARPU_COMPONENT_MUTEX_UNLOCK(&width->lock);
    return refused;
}

/* A policy cannot report to StarPU that there is no memory, so the first one of a process, mostly the only one,
 * allocates none. */
static struct width first;
static atomic_flag first_is_taken = ATOMIC_FLAG_INIT;

static struct width *allocate(void)
{
    if (!atomic_flag_test_and_set(&first_is_taken)) {
        memset(&first, 0, sizeof first);
        return &first;
    }
    struct width *width = calloc(1, sizeof *width);
    STARPU_ASSERT_MSG(width, "out of memory for a second policy starfish-width");
    return width;
}

static void release(struct starpu_sched_component *component)
{
    struct width *width = component->data;
    STARPU_PTHREAD_MUTEX_DESTROY(&width->lock);
    free(width->promise);
    if (width == &first)
        atomic_flag_clear(&first_is_taken);
    else
        free(width);
}

static struct starpu_sched_component *create(struct starpu_sched_tree *tree, void *argument)
{
    (void)argument;
    const char *wide = getenv("STARFISH_WIDE");
    struct starpu_sched_component *component = starpu_sched_component_create(tree, "width");
    struct width *width = allocate();
    STARPU_PTHREAD_MUTEX_INIT(&width->lock, NULL);
    width->wide = wide && atol(wide) > 0 ? (size_t)atol(wide) : STARFISH_WIDE;
    component->data = width;
    component->push_task = push;
    component->deinit_data = release;
    return component;
}

static void initialise(unsigned scheduling_context)
{
    starpu_sched_component_initialize_simple_scheduler(
        create, NULL,
        STARPU_SCHED_SIMPLE_DECIDE_MEMNODES | STARPU_SCHED_SIMPLE_DECIDE_ALWAYS | STARPU_SCHED_SIMPLE_FIFOS_BELOW |
            STARPU_SCHED_SIMPLE_FIFOS_BELOW_PRIO | STARPU_SCHED_SIMPLE_FIFOS_BELOW_READY |
            STARPU_SCHED_SIMPLE_FIFOS_BELOW_EXP | STARPU_SCHED_SIMPLE_FIFOS_BELOW_NOLIMIT | STARPU_SCHED_SIMPLE_IMPL,
        scheduling_context);
}

static void before_execution(struct starpu_task *task, unsigned scheduling_context)
{
    struct width *width = starpu_sched_tree_get(scheduling_context)->root->data;
    STARPU_COMPONENT_MUTEX_LOCK(&width->lock);
    finish_copies(width, task);
    STARPU_COMPONENT_MUTEX_UNLOCK(&width->lock);
    starpu_sched_component_worker_pre_exec_hook(task, scheduling_context);
}

struct starpu_sched_policy starfish_width_policy = {
    .init_sched = initialise,
    .deinit_sched = starpu_sched_tree_deinitialize,
    .add_workers = starpu_sched_tree_add_workers,
    .remove_workers = starpu_sched_tree_remove_workers,
    .push_task = starpu_sched_tree_push_task,
    .pop_task = starpu_sched_tree_pop_task,
    .pre_exec_hook = before_execution,
    .post_exec_hook = starpu_sched_component_worker_post_exec_hook,
    .prefetches = 1,
    .policy_name = "starfish-width",
    .policy_description = "wide steps to GPUs, narrow ones to cores, transfers counted on shared links",
    .worker_type = STARPU_WORKER_LIST,
};

#endif
