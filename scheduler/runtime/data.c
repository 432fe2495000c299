/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Acquiring and unregistering data. Where the runtime is stuck (watchdog.h), data are left as they are: StarPU would
 * wait for their tasks. */
#include "scheduler/runtime/data.h"

#include "scheduler/runtime/fork.h"
#include "scheduler/runtime/idle.h"
#include "scheduler/runtime/watchdog.h"

#include <stdlib.h>

/* Lives as long as StarPU may call back: where the runtime is stuck, for ever. */
struct acquisition {
    starpu_pthread_mutex_t lock;
    starpu_pthread_cond_t signal;
    int acquired;
};

static void acquired(void *data)
{
    struct acquisition *acquisition = data;
    STARPU_PTHREAD_MUTEX_LOCK(&acquisition->lock);
    acquisition->acquired = 1;
    STARPU_PTHREAD_COND_SIGNAL(&acquisition->signal);
    STARPU_PTHREAD_MUTEX_UNLOCK(&acquisition->lock);
}

static starfish_status wait_for(struct acquisition *acquisition, struct starfish_context *context)
{
    struct starfish_patience patience;
    starfish_status status = STARFISH_SUCCESS;
    starfish_patience_begin(&patience, context);
    STARPU_PTHREAD_MUTEX_LOCK(&acquisition->lock);
    while (!acquisition->acquired && status == STARFISH_SUCCESS)
        status = starfish_patience_wait(&patience, &acquisition->signal, &acquisition->lock);
    STARPU_PTHREAD_MUTEX_UNLOCK(&acquisition->lock);
    return status;
}

static starfish_status acquire(struct starfish_context *context, starpu_data_handle_t handle,
                               enum starpu_data_access_mode mode)
{
    struct acquisition *acquisition = calloc(1, sizeof *acquisition);
    STARFISH_FAIL_IF(!acquisition, STARFISH_ERROR_MEMORY, "out of memory for waiting for data");
    STARPU_PTHREAD_MUTEX_INIT(&acquisition->lock, NULL);
    STARPU_PTHREAD_COND_INIT(&acquisition->signal, NULL);
    const int home = starpu_data_get_home_node(handle);
    const int code = starpu_data_acquire_on_node_cb(handle, home, mode, acquired, acquisition);
    starfish_status status = STARFISH_OR_FAIL(code == 0, STARFISH_ERROR_RUNTIME, "StarPU refused access to data");
    STARFISH_THEN(status, wait_for(acquisition, context));
    if (starfish_is_stuck())
        return status;
    STARPU_PTHREAD_MUTEX_DESTROY(&acquisition->lock);
    STARPU_PTHREAD_COND_DESTROY(&acquisition->signal);
    free(acquisition);
    return status;
}

starfish_status starfish_data_acquire(struct starfish_context *context, starpu_data_handle_t handle,
                                      enum starpu_data_access_mode mode)
{
    STARFISH_TRY(starfish_fork_check());
    if (starfish_is_stuck())
        return starfish_fail_stuck();
    if (starpu_task_get_current())
        return starfish_fail(STARFISH_ERROR_RUNTIME, "StarPU refused access to data: called from inside a task");
    starfish_idle_copies_begin();
    const starfish_status status = acquire(context, handle, mode);
    starfish_idle_copies_end();
    return status;
}

void starfish_data_release_access(starpu_data_handle_t handle)
{
    if (!starfish_is_forked())
        starpu_data_release_on_node(handle, starpu_data_get_home_node(handle));
}

int starfish_data_is_of_host(starpu_data_handle_t handle)
{
    return starpu_data_get_home_node(handle) == STARPU_MAIN_RAM;
}

void starfish_data_send_ahead(const struct starfish_context *context, starpu_data_handle_t handle)
{
    if (starfish_is_forked() || starfish_is_stuck() || context->workers_of[STARFISH_GPU] != 1)
        return;
    const unsigned worker = (unsigned)starfish_context_gpu_worker(context, 0);
    starpu_data_prefetch_on_node(handle, starpu_worker_get_memory_node(worker), 1);
}

static void unregister(starpu_data_handle_t handle, void (*function)(starpu_data_handle_t))
{
    if (!handle || starfish_is_forked() || starfish_is_stuck())
        return;
    starfish_idle_copies_begin();
    function(handle);
    starfish_idle_copies_end();
}

void starfish_data_unregister(starpu_data_handle_t handle)
{
    unregister(handle, starpu_data_unregister);
}

void starfish_data_discard(starpu_data_handle_t handle)
{
    unregister(handle, starpu_data_unregister_no_coherency);
}

void starfish_data_discard_after_tasks(starpu_data_handle_t handle)
{
    if (handle && !starfish_is_forked() && !starfish_is_stuck())
        starpu_data_unregister_submit(handle);
}
