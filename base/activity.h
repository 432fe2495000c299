/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Activities: what a core does inside a task that several cores share.
 *
 * To the runtime such a task is one piece, and on cores alone a whole solve may be one. Each core therefore reports
 * what it begins to do, which ends what it did before. These stretches are its stints:
 *
 *     core 0   | transform x | transform y | eliminate z | waits | transform x | ...
 *     core 1   | transform x |  waits  | transform y | eliminate z | ...
 *
 * A report goes into the log of the calling thread. No other thread touches the log until the cores have met at the end
 * of their common function, so there is no lock. A log that is kept costs one look at the clock for each change, some
 * 25 ns. One that is not kept sums the time of each phase and looks at the clock only where the phase changes. Threads
 * without a log report nothing, which costs a comparison. */
#ifndef STARFISH_BASE_ACTIVITY_H
#define STARFISH_BASE_ACTIVITY_H

#include <stddef.h>

enum { STARFISH_ACTIVITY_PHASES = 8, STARFISH_NO_PHASE = -1 };

struct starfish_activity {
    const char *name; /* static; NULL: the task's */
    unsigned colour;  /* 0xrrggbb; where there is no name it is the task's */
    int phase;        /* of the solve; STARFISH_NO_PHASE: the task's */
};

/* The task itself, for functions that report nothing; and what the worker's own core does of a shared task outside of
 * the functions of all cores. */
extern const struct starfish_activity starfish_activity_of_task, starfish_activity_alone;

/* Times are of the log's clock. */
struct starfish_stint {
    const struct starfish_activity *activity;
    double start, end;
};

/* Of one core; zeros to begin with. Logs of cores lie in lines of their own. */
struct starfish_activity_log {
    __attribute__((aligned(128))) const struct starfish_activity *current; /* NULL: the core waits */
    double since; /* when it began, if a phase or a stint depends on it */
    int keeps;    /* stints, and not only sums */
    int lost;     /* there was no memory for one */
    size_t count, room;
    struct starfish_stint *stint;
    double busy[STARFISH_ACTIVITY_PHASES]; /* sums of the activities that name a phase */
    double (*clock)(void);                 /* microseconds */
};

/* From now on the calling thread reports into that log, and begins with that activity (NULL: it waits). */
void starfish_activity_open(struct starfish_activity_log *log, int keeps, const struct starfish_activity *first);
/* Ends what it does; what it does then is not reported. */
void starfish_activity_close(void);
/* From now on the calling thread does this; NULL: it waits for other cores. */
void starfish_activity_begin(const struct starfish_activity *activity);
/* What the calling thread does; NULL: it waits, or has no log. */
const struct starfish_activity *starfish_activity_now(void);

/* Forgets stints and sums. */
void starfish_activity_clear(struct starfish_activity_log *log);
/* Frees what a log holds. */
void starfish_activity_free(struct starfish_activity_log *log);

#endif
