/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Detects that a process was forked while contexts existed. Threads are not copied: the child has StarPU's data, but no
 * workers. It may exit. Functions that need workers fail there, and functions that would wait for workers do
 * nothing. */
#ifndef STARFISH_SCHEDULER_RUNTIME_FORK_H
#define STARFISH_SCHEDULER_RUNTIME_FORK_H

#include "base/status.h"

/* A context comes or goes. */
void starfish_fork_watch(int contexts);
/* Whether this is such a child. */
int starfish_is_forked(void);
/* RUNTIME in a forked child, with a message that explains what to do. */
starfish_status starfish_fork_check(void);

#endif
