/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks that the limits of the process suffice for the runtime: threads, address space and sizes of files. */
#ifndef STARFISH_SCHEDULER_RUNTIME_LIMITS_H
#define STARFISH_SCHEDULER_RUNTIME_LIMITS_H

#include "base/status.h"

/* Can so many threads be made (ulimit -u, the number of processes of a control group), is there address space for them,
 * their allocations and the runtime's tables (ulimit -v), and may files be as large as StarPU's (ulimit -f)? Without,
 * StarPU ends the process, or waits for ever. What is tried is given back. MEMORY, RUNTIME. */
starfish_status starfish_check_limits(int threads);

#endif
