/* A thread of the library's own that submits tasks and waits for them, and the queue in which threads take turns.
 *
 * Both are made of StarPU's threads and locks, since those of the system know nothing of simulated time. */
#ifndef STARFISH_SCHEDULER_DRIVER_H
#define STARFISH_SCHEDULER_DRIVER_H

#include "scheduler/context.h"

struct starfish_driver {
    struct starfish_context *context;
    starpu_pthread_t thread;
    void (*function)(void *argument);
    void *argument;
    starpu_pthread_mutex_t lock;
    starpu_pthread_cond_t ended;
    int has_ended;
};

/* function(argument) in a thread; driver must stay until starfish_driver_join. RUNTIME where the system refuses. */
starfish_status starfish_driver_start(struct starfish_driver *driver, struct starfish_context *context,
                                      void (*function)(void *argument), void *argument);
/* Wait for its end; once, in any thread. RUNTIME when the runtime is stuck (watch.h): then the thread goes on waiting,
 * and what it uses must stay. */
starfish_status starfish_driver_join(struct starfish_driver *driver);

/* Turns in the order in which tickets were taken. */
struct starfish_queue {
    starpu_pthread_mutex_t lock;
    starpu_pthread_cond_t moved;
    size_t next, serving;
};

void starfish_queue_create(struct starfish_queue *queue);
/* Nobody may be in it. */
void starfish_queue_destroy(struct starfish_queue *queue);
/* A ticket. Whoever has one must wait for its turn and leave again. */
size_t starfish_queue_enter(struct starfish_queue *queue);
void starfish_queue_wait(struct starfish_queue *queue, size_t ticket);
void starfish_queue_leave(struct starfish_queue *queue);

/* As starfish_driver_start, for a function that waits for the ticket's turn and leaves the queue. Where there is no
 * thread for it the turn passes in this one, before it returns. */
starfish_status starfish_driver_start_in_turn(struct starfish_driver *driver, struct starfish_context *context,
                                              struct starfish_queue *queue, size_t ticket,
                                              void (*function)(void *argument), void *argument);

#endif
