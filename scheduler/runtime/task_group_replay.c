/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Launches of tasks as CUDA graphs (task_group_replay.h): captured at the second run with the same key, launched from
 * then on. */
#include "scheduler/runtime/task_group_replay.h"

#include <stdlib.h>
#include <string.h>

void starfish_replay_add_data(struct starfish_replay_key *key, void *buffers[], int count)
{
    for (int i = 0; i < count; i++) {
        const struct starpu_vector_interface *vector = buffers[i];
        const struct starpu_block_interface *block = buffers[i];
        starfish_replay_add(key, vector->id == STARPU_VECTOR_INTERFACE_ID ? vector->ptr : block->ptr);
    }
}

#ifdef STARFISH_HAVE_GPU
#include <cuda_runtime_api.h>

/* Seen once, or captured, or found not to be capturable. */
struct entry {
    struct starfish_replay_key key;
    cudaGraphExec_t graph;
    int used, refused;
};

struct starfish_replay_cache {
    struct entry entry[STARFISH_REPLAYS];
    size_t next;
};

static int same(const struct starfish_replay_key *a, const struct starfish_replay_key *b)
{
    return a->count == b->count && memcmp(a->word, b->word, a->count * sizeof *a->word) == 0;
}

static struct entry *find(struct starfish_replay_cache *cache, const struct starfish_replay_key *key)
{
    for (size_t i = 0; i < STARFISH_REPLAYS; i++)
        if (cache->entry[i].used && same(&cache->entry[i].key, key))
            return &cache->entry[i];
    return NULL;
}

static void remember(struct starfish_replay_cache *cache, const struct starfish_replay_key *key)
{
    struct entry *entry = &cache->entry[cache->next];

    cache->next = (cache->next + 1) % STARFISH_REPLAYS;
    if (entry->graph)
        cudaGraphExecDestroy(entry->graph);
    *entry = (struct entry){.key = *key, .used = 1};
}

/* The stream is no longer capturing after this, whatever happens. */
static void capture(struct entry *entry, struct CUstream_st *stream, int (*launch)(void *data), void *data)
{
    cudaGraph_t graph = NULL;

    entry->refused = 1;
    if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess) {
        cudaGetLastError();
        return;
    }
    const int error = launch(data);
    if (cudaStreamEndCapture(stream, &graph) == cudaSuccess && error == 0 &&
        cudaGraphInstantiate(&entry->graph, graph, 0) == cudaSuccess)
        entry->refused = 0;
    else
        entry->graph = NULL;
    if (graph)
        cudaGraphDestroy(graph);
    cudaGetLastError();
}

int starfish_replay(struct starfish_replays *replays, const struct starfish_replay_key *key, struct CUstream_st *stream,
                    int (*launch)(void *data), void *data)
{
    if (starfish_context_launch_stream()) /* a part of a larger graph */
        return launch(data);
    struct starfish_replay_cache **cache = &replays->cache[starfish_context_current_worker(replays->context)];
    struct entry *entry;

    if (!*cache)
        *cache = calloc(1, sizeof **cache);
    if (!*cache || key->count > STARFISH_REPLAY_KEY)
        return launch(data);
    entry = find(*cache, key);
    if (!entry)
        remember(*cache, key);
    else if (!entry->graph && !entry->refused)
        capture(entry, stream, launch, data);
    return entry && entry->graph ? (int)cudaGraphLaunch(entry->graph, stream) : launch(data);
}

static void forget(void *data, size_t worker)
{
    struct starfish_replays *replays = data;
    struct starfish_replay_cache *cache = replays->cache[worker];

    for (size_t i = 0; cache && i < STARFISH_REPLAYS; i++)
        if (cache->entry[i].graph)
            cudaGraphExecDestroy(cache->entry[i].graph);
    free(cache);
    replays->cache[worker] = NULL;
}
#endif

void starfish_replays_create(struct starfish_replays *replays, struct starfish_context *context)
{
    memset(replays, 0, sizeof *replays);
    replays->context = context;
}

void starfish_replays_destroy(struct starfish_replays *replays)
{
#ifdef STARFISH_HAVE_GPU
    if (replays->context && replays->context->workers_of[STARFISH_GPU] > 0)
        starfish_context_on_each_worker(replays->context, "graphs", forget, replays);
#endif
    replays->context = NULL;
}
