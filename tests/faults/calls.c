/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The counter of calls that may fail, and the set of blocks that are in use: a table of addresses with open addressing,
 * emptied by a free() that stands in for the whole program's, since what our code allocates the runtime may free. */
#include "tests/faults/calls.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static atomic_long chosen, count, data;
static _Atomic(const char *) failed;

void faults_choose(long number)
{
    atomic_store(&failed, NULL);
    atomic_store(&count, 0);
    atomic_store(&chosen, number);
}

long faults_end(void)
{
    atomic_store(&chosen, 0);
    return atomic_load(&count);
}

const char *faults_failed(void)
{
    return atomic_load(&failed);
}

int faults_fails(const char *function)
{
    const long number = atomic_load(&chosen);
    if (number == 0 || atomic_fetch_add(&count, 1) + 1 != number)
        return 0;
    atomic_store(&failed, function);
    return 1;
}

void faults_note_data(int more)
{
    atomic_fetch_add(&data, more);
}

long faults_data(void)
{
    return atomic_load(&data);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
void faults_note(void *block)
{
    (void)block;
}

void faults_forget(const void *block)
{
    (void)block;
}

long faults_blocks(void)
{
    return 0;
}
#else
enum { PLACES = 1 << 20 };
static void *place[PLACES];
static void *const was_here = &place; /* where there was one: a search goes on */
static long blocks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static size_t first_place(const void *block)
{
    return ((uintptr_t)block >> 4) * 2654435761u % PLACES;
}

void faults_note(void *block)
{
    if (!block)
        return;
    pthread_mutex_lock(&lock);
    size_t at = first_place(block);
    while (place[at] && place[at] != was_here)
        at = (at + 1) % PLACES;
    place[at] = block;
    blocks++;
    pthread_mutex_unlock(&lock);
}

void faults_forget(const void *block)
{
    if (!block)
        return;
    pthread_mutex_lock(&lock);
    size_t at = first_place(block);
    while (place[at] && place[at] != block)
        at = (at + 1) % PLACES;
    if (place[at]) {
        place[at] = place[(at + 1) % PLACES] ? was_here : NULL;
        blocks--;
    }
    pthread_mutex_unlock(&lock);
}

long faults_blocks(void)
{
    pthread_mutex_lock(&lock);
    const long number = blocks;
    pthread_mutex_unlock(&lock);
    return number;
}

/* The C library's own free(), under its other name. */
void __libc_free(void *block);

/* The runtime's library is to call it too. */
/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): the declaration has a reserved name. */
__attribute__((visibility("default"))) void free(void *block)
{
    faults_forget(block);
    __libc_free(block);
}
#endif
