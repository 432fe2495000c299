/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads that drive iterations, and their turns. The holder of a queue's ticket waits until it is served, and finally
 * advances the queue. */
#include "scheduler/runtime/driver.h"

#include "scheduler/runtime/fork.h"
#include "scheduler/runtime/idle.h"
#include "scheduler/runtime/ranks.h"
#include "scheduler/runtime/stacks.h"
#include "scheduler/runtime/watchdog.h"

static void *run(void *data)
{
    struct starfish_driver *driver = data;

    driver->function(driver->argument);
    STARPU_PTHREAD_MUTEX_LOCK(&driver->lock);
    driver->has_ended = 1;
    STARPU_PTHREAD_COND_SIGNAL(&driver->ended);
    STARPU_PTHREAD_MUTEX_UNLOCK(&driver->lock);
    return NULL;
}

static void destroy(struct starfish_driver *driver)
{
    STARPU_PTHREAD_MUTEX_DESTROY(&driver->lock);
    STARPU_PTHREAD_COND_DESTROY(&driver->ended);
}

static starfish_status start(struct starfish_driver *driver, struct starfish_context *context,
                             void (*function)(void *argument), void *argument)
{
    driver->context = context;
    driver->function = function;
    driver->argument = argument;
    driver->has_ended = 0;
    STARPU_PTHREAD_MUTEX_INIT(&driver->lock, NULL);
    STARPU_PTHREAD_COND_INIT(&driver->ended, NULL);
    if (starfish_thread_create(&driver->thread, run, driver) == 0)
        return STARFISH_SUCCESS;
    destroy(driver);
    return starfish_fail(STARFISH_ERROR_RUNTIME, "no thread can be made");
}

static starfish_status join(struct starfish_driver *driver)
{
    struct starfish_patience patience;
    starfish_status status = STARFISH_SUCCESS;

    if (starfish_is_forked())
        return STARFISH_SUCCESS; /* the thread is the parent's */
    starfish_patience_begin(&patience, driver->context);
    STARPU_PTHREAD_MUTEX_LOCK(&driver->lock);
    while (!driver->has_ended && status == STARFISH_SUCCESS)
        status = starfish_patience_wait(&patience, &driver->ended, &driver->lock);
    const int has_ended = driver->has_ended;
    STARPU_PTHREAD_MUTEX_UNLOCK(&driver->lock);
    if (!has_ended)
        return status;
    starpu_pthread_join(driver->thread, NULL);
    destroy(driver);
    return STARFISH_SUCCESS;
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

static void wait_for_turn(struct starfish_queue *queue, size_t ticket)
{
    STARPU_PTHREAD_MUTEX_LOCK(&queue->lock);
    while (queue->serving != ticket && !starfish_is_forked())
        STARPU_PTHREAD_COND_WAIT(&queue->moved, &queue->lock);
    STARPU_PTHREAD_MUTEX_UNLOCK(&queue->lock);
}

static void leave(struct starfish_queue *queue)
{
    STARPU_PTHREAD_MUTEX_LOCK(&queue->lock);
    queue->serving++;
    STARPU_PTHREAD_COND_BROADCAST(&queue->moved);
    STARPU_PTHREAD_MUTEX_UNLOCK(&queue->lock);
}

/* ---- Turns ------------------------------------------------------------------------------------------------------- */

static void run_turn(void *data)
{
    struct starfish_turn *turn = data;

    wait_for_turn(turn->queue, turn->ticket);
    starfish_idle_call_begin();
    turn->solve(turn->job);
    starfish_idle_call_end();
    leave(turn->queue);
}

starfish_status starfish_turn_start(struct starfish_turn *turn, struct starfish_context *context,
                                    struct starfish_queue *queue, int waits, void (*solve)(void *job), void *job)
{
    turn->queue = queue;
    turn->solve = solve;
    turn->job = job;
    turn->has_thread = 0;
    STARPU_PTHREAD_MUTEX_LOCK(&queue->lock);
    turn->ticket = queue->next++;
    STARPU_PTHREAD_MUTEX_UNLOCK(&queue->lock);
    if (waits || starfish_context_ranks(context) > 1) {
        run_turn(turn);
        return STARFISH_SUCCESS;
    }
    const starfish_status status = start(&turn->driver, context, run_turn, turn);

    turn->has_thread = status == STARFISH_SUCCESS;
    if (!turn->has_thread) {
        wait_for_turn(queue, turn->ticket);
        leave(queue);
    }
    return status;
}

starfish_status starfish_turn_wait(struct starfish_turn *turn)
{
    return turn->has_thread ? join(&turn->driver) : STARFISH_SUCCESS;
}
