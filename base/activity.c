/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Logs of what cores do inside a task (activity.h): a list of stints per core, written by that core alone, without
 * locks. */
#include "base/activity.h"

#include <stdlib.h>

const struct starfish_activity starfish_activity_of_task = {.phase = STARFISH_NO_PHASE};
const struct starfish_activity starfish_activity_alone = {"begin and end", 0xbbbbbb, STARFISH_NO_PHASE};

static const double least_us = 1; /* a shorter stint is taken for one of its neighbours' */

static _Thread_local struct starfish_activity_log *own_log;

static int phase_of(const struct starfish_activity *activity)
{
    return activity ? activity->phase : STARFISH_NO_PHASE;
}

static int make_room(struct starfish_activity_log *log)
{
    const size_t room = log->room > 0 ? 2 * log->room : 64;

    if (log->stint && log->count < log->room)
        return 1;
    struct starfish_stint *more = realloc(log->stint, room * sizeof *more);
    if (!more) {
        log->lost = 1;
        return 0;
    }
    log->stint = more;
    log->room = room;
    return 1;
}

/* A core that waited for less than a microsecond goes on with the stint before. */
static void keep_stint(struct starfish_activity_log *log, double now)
{
    struct starfish_stint *last = log->count > 0 ? &log->stint[log->count - 1] : NULL;

    if (last && last->activity == log->current && log->since - last->end < least_us)
        last->end = now;
    else if (now - log->since >= least_us && make_room(log))
        log->stint[log->count++] = (struct starfish_stint){log->current, log->since, now};
}

static void change(struct starfish_activity_log *log, const struct starfish_activity *next)
{
    const int phase = phase_of(log->current);

    if (log->keeps || phase != phase_of(next)) {
        const double now = log->clock();
        if (phase != STARFISH_NO_PHASE)
            log->busy[phase] += now - log->since;
        if (log->keeps && log->current)
            keep_stint(log, now);
        log->since = now;
    }
    log->current = next;
}

void starfish_activity_open(struct starfish_activity_log *log, int keeps, const struct starfish_activity *first)
{
    own_log = log;
    log->keeps = keeps;
    log->current = NULL;
    if (first)
        change(log, first);
}

void starfish_activity_close(void)
{
    starfish_activity_begin(NULL);
    own_log = NULL;
}

void starfish_activity_begin(const struct starfish_activity *activity)
{
    struct starfish_activity_log *log = own_log;

    if (log && log->current != activity)
        change(log, activity);
}

const struct starfish_activity *starfish_activity_now(void)
{
    return own_log ? own_log->current : NULL;
}

void starfish_activity_clear(struct starfish_activity_log *log)
{
    log->count = 0;
    log->lost = 0;
    for (int phase = 0; phase < STARFISH_ACTIVITY_PHASES; phase++)
        log->busy[phase] = 0;
}

void starfish_activity_free(struct starfish_activity_log *log)
{
    free(log->stint);
    log->stint = NULL;
    log->count = log->room = 0;
}
