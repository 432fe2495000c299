/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Workers sleep while nothing is in flight: an idle context uses no CPU time.
 *
 * StarPU's workers poll for tasks without end. They are paused (starpu_pause) a moment after the last task has finished
 * and are woken (starpu_resume) by the next one. The moment is an option of contexts. A process has one StarPU, which
 * is paused as a whole: the longest moment among the contexts counts. A StarPU that the host program has started is
 * never paused, since its own tasks would wait. Tasks of a host program that joins the library's StarPU later are found
 * within 20 ms. On a simulated machine workers are never paused.
 *
 * In flight are tasks, from their submission to their callback, and calls of StarPU that wait for a worker. So jobs of
 * every kind count until their tasks are done. Calls in which the library submits and waits count too, so that workers
 * are not paused between their tasks.
 *
 * Where the moment is chosen and not 0, it adapts to the time between such calls. After a time longer than the moment
 * workers are paused as soon as the next call ends, until a shorter time occurs. */
#ifndef STARFISH_SCHEDULER_RUNTIME_IDLE_H
#define STARFISH_SCHEDULER_RUNTIME_IDLE_H

#include "base/status.h"

/* Adds a context whose StarPU the library has started, and removes it before StarPU is shut down. Not by two threads at
 * once. `seconds`: the moment; infinite: never paused; negative: chosen. `spare_core`: the workers leave one core of
 * the machine free. Errors: RUNTIME (the system refuses a thread). */
starfish_status starfish_idle_join(double seconds, int spare_core);
/* The last one to go leaves the workers awake. */
void starfish_idle_quit(void);

/* One more in flight: the workers are awake when this returns, until starfish_idle_task_done. Any thread, any nesting.
 * */
void starfish_idle_task_begun(void);
void starfish_idle_task_done(void);

/* The same without waking anybody: around a call of the library's in which tasks come and go. */
void starfish_idle_call_begin(void);
void starfish_idle_call_end(void);

/* Within such a call, around a loop over the host's cores: pauses the workers at once, unless something else is in
 * flight or they are never paused. The next task wakes them. */
void starfish_idle_loop_begin(void);
void starfish_idle_loop_end(void);

/* The same around calls of StarPU that wait for copies between memories. With a single memory they copy nothing, so no
 * worker is woken. */
void starfish_idle_copies_begin(void);
void starfish_idle_copies_end(void);

/* Whether the workers are paused by this file; for tests. */
int starfish_idle_is_paused(void);

#endif
