/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Barriers for threads that have a core each and meet every few microseconds: they look for each other instead of
 * sleeping.
 *
 * In round r thread i tells thread i + 2^r and waits for thread i - 2^r, counted around: after log2(threads) rounds
 * each has heard of all (Hensgen, Finkel, Manber, Two algorithms for barrier synchronization, 1988). Every flag has a
 * cache line of its own, which one thread writes and one reads. */
#ifndef STARFISH_BASE_BARRIER_H
#define STARFISH_BASE_BARRIER_H

#include <stddef.h>

#if defined(__x86_64__) || defined(__i386__)
#define STARFISH_BREATHE() __builtin_ia32_pause()
#else
#define STARFISH_BREATHE() ((void)0)
#endif

struct starfish_barrier;

/* For so many threads, 1 at least. NULL: out of memory. */
struct starfish_barrier *starfish_barrier_create(size_t threads);
/* No thread may be waiting. NULL is allowed. */
void starfish_barrier_destroy(struct starfish_barrier *barrier);

/* Returns when all of threads 0 .. threads-1 have called it as often as this one, which is thread `self`. `threads` is
 * the same in all calls, at most what the barrier was made for. What threads wrote before is seen by all after it. */
void starfish_barrier_wait(struct starfish_barrier *barrier, size_t self, size_t threads);

/* The same among neighbours: returns when threads self - 1 and self + 1, where these are among 0 .. threads-1, have
 * called it as often with this one as it has with them. What they wrote before is seen after it. Neighbours may be one
 * call apart, others as many as their numbers are. */
void starfish_barrier_wait_beside(struct starfish_barrier *barrier, size_t self, size_t threads);

#endif
