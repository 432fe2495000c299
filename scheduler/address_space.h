/* Room for the runtime in a process whose address space is limited (ulimit -v). */
#ifndef STARFISH_SCHEDULER_ADDRESS_SPACE_H
#define STARFISH_SCHEDULER_ADDRESS_SPACE_H

#include "base/status.h"

/* Is there room for so many threads of the runtime, with their stacks and what the C library sets aside for their
 * allocations, and for its tables? Without it StarPU ends the process, or waits for ever. MEMORY, saying how much is
 * needed; always success where there is no limit. */
starfish_status starfish_check_address_space(int threads);

#endif
