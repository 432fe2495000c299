/* Work in the order of a CUDA stream of the caller's: what has to come before it is an event that is recorded there
 * now, and what comes after it waits, on the device, for a number in memory of the host's that is written when the work
 * is done, or has failed. So no thread of the caller's ever waits, and no stream of the runtime's.
 *
 * CUDA does not see that order. It may give two streams one hardware connection (CUDA_DEVICE_MAX_CONNECTIONS, 8 unless
 * the environment says otherwise, at most 32), and what waits at its head then holds up all that is behind: where a
 * program has more streams than connections, the work may never be done. starfish_stream_turn_release frees the
 * caller's stream in any case. */
#ifndef STARFISH_SCHEDULER_STREAM_H
#define STARFISH_SCHEDULER_STREAM_H

#include "scheduler/context.h"

struct CUstream_st; /* what a cudaStream_t points to */

/* Numbers that streams wait for, one for each turn in flight. Zero before the first turn and after the end; turns of
 * several threads are taken under a lock of the caller's. */
enum { STARFISH_STREAM_TURNS = 64 };
struct starfish_stream_turns {
    volatile uint32_t *number; /* NULL: not made yet */
    uint32_t last[STARFISH_STREAM_TURNS];
    int taken[STARFISH_STREAM_TURNS];
};
void starfish_stream_turns_destroy(struct starfish_stream_turns *turns);

struct starfish_stream_turn {
    struct starfish_stream_turns *turns;
    size_t index;
    void *event;
    int device;
};

/* Takes a turn on the stream, of the device that `memory` lies on: from here on the stream waits for its release.
 * Errors: UNSUPPORTED (no CUDA; a stream that is captured; a driver without such waits), ARGUMENT (`memory` is not on a
 * device; calls it `name`), RUNTIME (CUDA; too many turns). */
starfish_status starfish_stream_turn_take(struct starfish_stream_turns *turns, struct CUstream_st *stream,
                                          const char *name, const void *memory, struct starfish_stream_turn *turn);
/* In any thread: waits for what was in the stream before. Errors: RUNTIME. */
starfish_status starfish_stream_turn_wait(const struct starfish_stream_turn *turn);
/* Lets the stream go on; from any thread, once. */
void starfish_stream_turn_release(const struct starfish_stream_turn *turn);
/* After the release, under the lock: the turn may be taken again. */
void starfish_stream_turn_end(struct starfish_stream_turn *turn);

#endif
