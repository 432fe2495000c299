/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Many kernels that a task launches again and again, launched as one CUDA graph: a launch costs the host some 2 us, one
 * kernel after another in a graph half of that, and the host nothing.
 *
 * A key identifies the launches of a task: everything they depend on, in particular pointers. The first time the task
 * runs normally, which loads its kernels; the second time it is captured; from then on it is one launch. */
#ifndef STARFISH_SCHEDULER_RUNTIME_TASK_GROUP_REPLAY_H
#define STARFISH_SCHEDULER_RUNTIME_TASK_GROUP_REPLAY_H

#include "scheduler/runtime/context.h"

struct CUstream_st; /* what a cudaStream_t points to */

enum { STARFISH_REPLAY_KEY = 560, STARFISH_REPLAYS = 32 /* of a worker; one more takes the place of the oldest */ };

struct starfish_replay_key {
    size_t count; /* above STARFISH_REPLAY_KEY: words that did not fit are missing, and it is not replayed */
    uintptr_t word[STARFISH_REPLAY_KEY];
};

static inline void starfish_replay_add(struct starfish_replay_key *key, uintptr_t word)
{
    if (key->count < STARFISH_REPLAY_KEY)
        key->word[key->count] = word;
    key->count++;
}

/* Where the task's data are, `count` vectors or blocks. */
void starfish_replay_add_data(struct starfish_replay_key *key, void *buffers[], int count);

struct starfish_replay_cache;
struct starfish_replays {
    struct starfish_context *context; /* NULL before create and after destroy */
    struct starfish_replay_cache *cache[STARPU_NMAXWORKERS];
};

void starfish_replays_create(struct starfish_replays *replays, struct starfish_context *context);
/* No task that uses them is under way. May be called for ones that are zero. */
void starfish_replays_destroy(struct starfish_replays *replays);

/* Inside a task on a GPU: launch what `launch` launches on the stream, which it is given back in `data`. A key that is
 * too long, or anything that cannot be captured, is launched as it is. Returns a cudaError_t. */
int starfish_replay(struct starfish_replays *replays, const struct starfish_replay_key *key, struct CUstream_st *stream,
                    int (*launch)(void *data), void *data);

#endif
