/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Workers sleep while nothing is in flight: an idle context uses no CPU time.
 *
 * StarPU's workers look for tasks without end. They are paused (starpu_pause) a moment after the last task has finished
 * and are woken (starpu_resume) by the next one. The moment is an option of contexts. StarPU is the process's, and so
 * is the pause: the longest moment among the contexts counts. A StarPU that the host program has started is never
 * paused, since its own tasks would wait. Tasks of a host program that joins the library's StarPU later are seen
 * within 20 ms. On a simulated machine nobody rests.
 *
 * In flight are tasks, from their submission to their callback, and calls of StarPU that wait for what a worker does.
 * So jobs of every kind count, and a job whose tasks are done but which nobody has waited for does not. Calls in which
 * the library submits and waits count too, so that what lies between their tasks is no rest.
 *
 * Where the moment is chosen and not 0, the workers learn from the time between such calls: after one that was longer
 * than the moment they rest at once, when the next call ends, until a shorter one comes. */
#ifndef STARFISH_SCHEDULER_RUNTIME_IDLE_H
#define STARFISH_SCHEDULER_RUNTIME_IDLE_H

#include "base/status.h"

/* A context whose StarPU the library has started comes, and goes before StarPU is shut down. Not at once in two
 * threads. `seconds`: the moment; infinite: no rest; negative: chosen. `spare_core`: the workers leave one of the
 * machine's. Errors: RUNTIME (the system refuses a thread). */
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

/* Within such a call, around a loop of the host's cores: the workers rest at once, unless something else is in flight
 * or they shall never rest. The next task wakes them. */
void starfish_idle_loop_begin(void);
void starfish_idle_loop_end(void);

/* The same around calls of StarPU that wait for copies between memories; where there is one memory they copy nothing,
 * and nobody need be woken. */
void starfish_idle_copies_begin(void);
void starfish_idle_copies_end(void);

/* Whether the workers are paused by this file; for tests. */
int starfish_idle_is_paused(void);

#endif
