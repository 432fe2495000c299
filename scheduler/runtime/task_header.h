/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the runtime keeps of a task from its submission to its end: the head of each argument struct. */
#ifndef STARFISH_SCHEDULER_RUNTIME_TASK_HEADER_H
#define STARFISH_SCHEDULER_RUNTIME_TASK_HEADER_H

#include <stddef.h>
#include <stdint.h>

struct starfish_observer;
struct starfish_progress;
struct starpu_task;

/* Where in the problem a task works, for people: "slab" 3. */
struct starfish_coordinate {
    const char *name;
    int value;
};
enum { STARFISH_TASK_COORDINATES = 2, STARFISH_TRACED_NAME = 40 };

/* A codelet's relation between the sizes in its footprint and its time: writes terms, none of them negative, and
 * returns 1; 0 where the sizes are not those of the codelet. */
enum { STARFISH_GROWTH_TERMS = 6 };
typedef int starfish_growth(const size_t *sizes, size_t count, double term[STARFISH_GROWTH_TERMS]);

struct starfish_task_header {
    struct starfish_progress *progress;
    int phase;
    int step;
    uint32_t footprint;                 /* hash of everything that makes tasks of one codelet take different time */
    struct starfish_observer *observer; /* of its context, or NULL (hooks.h) */
    size_t number;                      /* the observer's */
    size_t draw;                        /* in a simulation: which random number its length depends on, */
    int chosen;                         /* and whether a policy has looked at it */
    starfish_growth *growth;            /* of the codelet's time with its sizes, for simulations; NULL: by bytes */
    int uses_all_cores;                 /* while it runs no other task has one (codelets/gang.h); */
    int helps;                          /* or it helps such a task with its cores, and is part of it */
    size_t gpus;                        /* it launches on so many of the context's first GPUs; 0: on its worker */
    /* For the watchdog (watchdog.h). */
    struct starfish_task_header *before, *after;
    struct starpu_task *task;
    const char *name;
    char traced[STARFISH_TRACED_NAME]; /* the name as StarPU writes it */
    int coordinates;
    struct starfish_coordinate at[STARFISH_TASK_COORDINATES];
};

#endif
