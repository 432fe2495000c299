/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Work on untrusted files in a separate process: the HDF5 library ends the program on some corrupt files, or allocates
 * as much memory as they request. The process is a fork: it takes about a millisecond and sees all memory of the
 * program. Its results must be in shared memory.
 *
 * Thread-safe. In a program with several threads, the work must not wait for a lock that another thread may hold;
 * malloc is safe. */
#ifndef STARFISH_APPS_FILES_APART_H
#define STARFISH_APPS_FILES_APART_H

#include "base/status.h"

#include <stddef.h>
#include <sys/types.h>

struct starfish_apart {
    const char *name; /* of the file, for messages */
    size_t bytes;     /* what the work may allocate beside what there is; not kept under the sanitizers */
    unsigned seconds; /* of processor time */
};

/* Run `work` and return its status, with its message. Errors besides: FILE, when the work ended its process, was out of
 * time or out of memory without saying so; MEMORY. */
starfish_status starfish_apart(const struct starfish_apart *apart, starfish_status (*work)(const void *data),
                               const void *data);

/* In a fork, before all else: signal `number` ends it when the process that forked it, `parent`, ends in any way. It
 * stays so over exec. */
void starfish_apart_end_with(pid_t parent, int number);

/* Memory that a process shares with its forks: zeros, taking pages when they are used. NULL when there is none. */
void *starfish_apart_share(size_t bytes);
void starfish_apart_unshare(void *memory, size_t bytes);

#endif
