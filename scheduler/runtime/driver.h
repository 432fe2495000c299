/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solves of a plan that take turns, each in the caller's thread or in one of the library's own, which submits tasks and
 * waits for them.
 *
 * Threads and queues use StarPU's threads and locks, since those of the system ignore simulated time. */
#ifndef STARFISH_SCHEDULER_RUNTIME_DRIVER_H
#define STARFISH_SCHEDULER_RUNTIME_DRIVER_H

#include "scheduler/runtime/context.h"

/* A thread. */
struct starfish_driver {
    struct starfish_context *context;
    starpu_pthread_t thread;
    void (*function)(void *argument);
    void *argument;
    starpu_pthread_mutex_t lock;
    starpu_pthread_cond_t ended;
    int has_ended;
};

/* Turns in the order in which tickets were taken. */
struct starfish_queue {
    starpu_pthread_mutex_t lock;
    starpu_pthread_cond_t moved;
    size_t next, serving;
};

void starfish_queue_create(struct starfish_queue *queue);
/* No thread may be in it. */
void starfish_queue_destroy(struct starfish_queue *queue);

/* One solve of a plan whose solves take turns, as they share its vectors. */
struct starfish_turn {
    struct starfish_queue *queue;
    size_t ticket;
    void (*solve)(void *job);
    void *job;
    int has_thread;
    struct starfish_driver driver; /* of the thread, where there is one */
};

/* Calls solve(job) after all that entered the queue before, in a thread of its own; the place in the queue is taken
 * before this returns. turn must stay until starfish_turn_wait. RUNTIME where the system refuses the thread: then the
 * turn passes before this returns. In this thread where it `waits`, and in a context on several ranks, whose threads
 * must agree in one order. */
starfish_status starfish_turn_start(struct starfish_turn *turn, struct starfish_context *context,
                                    struct starfish_queue *queue, int waits, void (*solve)(void *job), void *job);
/* Waits for the solve's end, however it was begun; once, in any thread. RUNTIME when the runtime is stuck (watchdog.h):
 * then the thread goes on waiting, and what it uses must stay. */
starfish_status starfish_turn_wait(struct starfish_turn *turn);

#endif
