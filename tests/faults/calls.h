/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls that may fail, counted from the moment that one of them is chosen, in all threads. Which calls these are is in
 * allocations.c and cuda_calls.c: the linker gives our own objects a function __wrap_NAME for NAME (its option --wrap),
 * and leaves those of the libraries below us as they are. */
#ifndef STARFISH_TESTS_FAULTS_CALLS_H
#define STARFISH_TESTS_FAULTS_CALLS_H

/* The number-th of the calls to come fails, 1 or more. */
void faults_choose(long number);
/* No call fails any more. How many there were since faults_choose. */
long faults_end(void);
/* The function that failed since faults_choose, NULL for none. */
const char *faults_failed(void);

/* For the wrapping functions: whether this call fails. */
int faults_fails(const char *function);

/* For the wrapping functions: a block that our code got. Under a sanitizer, which sees to leaks itself, nothing is
 * noted. */
void faults_note(void *block);
/* The same block, which is about to be released by other means than free(). NULL is allowed. */
void faults_forget(const void *block);
/* Blocks that our code got and nobody has freed, and data registered with the runtime and not unregistered. */
long faults_blocks(void);
long faults_data(void);
/* For the wrapping functions. */
void faults_note_data(int more);

#endif
