/* Threads that drive iterations, and their turns. */
#include "scheduler/driver.h"

#include "scheduler/fork.h"

static void *run(void *data)
{
    const struct starfish_driver *driver = data;

    driver->function(driver->argument);
    return NULL;
}

starfish_status starfish_driver_start(struct starfish_driver *driver, void (*function)(void *argument), void *argument)
{
    driver->function = function;
    driver->argument = argument;
    if (starpu_pthread_create(&driver->thread, NULL, run, driver) != 0)
        return starfish_fail(STARFISH_ERROR_RUNTIME, "no thread can be made");
    return STARFISH_SUCCESS;
}

void starfish_driver_join(struct starfish_driver *driver)
{
    if (!starfish_is_forked()) /* the thread is the parent's */
        starpu_pthread_join(driver->thread, NULL);
}

void starfish_queue_create(struct starfish_queue *queue)
{
    STARPU_PTHREAD_MUTEX_INIT(&queue->lock, NULL);
    STARPU_PTHREAD_COND_INIT(&queue->moved, NULL);
    queue->next = queue->serving = 0;
}

void starfish_queue_destroy(struct starfish_queue *queue)
{
    STARPU_PTHREAD_MUTEX_DESTROY(&queue->lock);
    STARPU_PTHREAD_COND_DESTROY(&queue->moved);
}

size_t starfish_queue_enter(struct starfish_queue *queue)
{
    STARPU_PTHREAD_MUTEX_LOCK(&queue->lock);
    const size_t ticket = queue->next++;
    STARPU_PTHREAD_MUTEX_UNLOCK(&queue->lock);
    return ticket;
}

void starfish_queue_wait(struct starfish_queue *queue, size_t ticket)
{
    STARPU_PTHREAD_MUTEX_LOCK(&queue->lock);
    while (queue->serving != ticket && !starfish_is_forked())
        STARPU_PTHREAD_COND_WAIT(&queue->moved, &queue->lock);
    STARPU_PTHREAD_MUTEX_UNLOCK(&queue->lock);
}

void starfish_queue_leave(struct starfish_queue *queue)
{
    STARPU_PTHREAD_MUTEX_LOCK(&queue->lock);
    queue->serving++;
    STARPU_PTHREAD_COND_BROADCAST(&queue->moved);
    STARPU_PTHREAD_MUTEX_UNLOCK(&queue->lock);
}
