/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stacks of the library's own threads and of StarPU's workers. The system gives a new thread a stack of the limit that
 * the process started with (ulimit -s). A task needs some 150 kB beside the 240 kB that thread-local storage of the
 * libraries below takes of every stack, so each thread has at least STARFISH_STACK_BYTES. */
#ifndef STARFISH_SCHEDULER_RUNTIME_STACKS_H
#define STARFISH_SCHEDULER_RUNTIME_STACKS_H

#include <starpu.h>
#include <stddef.h>

enum { STARFISH_STACK_BYTES = 2 << 20 };

/* Of the library's threads: the system's default, where that is not less. */
size_t starfish_stack_bytes(void);

/* The stacks of threads that others create (starpu_init) become as large, until the size that the first function
 * returns goes to the second one. The setting is the process's: a thread that the host program creates in between has
 * such a stack too. */
size_t starfish_stacks_enlarge(void);
void starfish_stacks_restore(size_t before);

/* pthread_create with such a stack. */
int starfish_thread_create(starpu_pthread_t *thread, void *(*function)(void *), void *argument);

#endif
