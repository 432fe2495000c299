/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Streaming a field through the memory of devices that hold a part of it at a time.
 *
 * A slab's task waits by a token until one of `slots` places is free, that is until the task `slots` slabs before it
 * has its results back in main memory, and the runtime has its memory on the device for the next slab. So at most
 * `slots` slabs are on devices at a time, and copies in, work and copies out overlap. Devices use memory again for
 * data of the same shape alone; all else is an allocation, which waits for all of the device's work. So there are few
 * shapes: the slabs' ends are registered in main memory, where each slab's separators and heads are one piece for the
 * slabs' tasks, and the lanes of one part of the modes, of all slabs, are one for the reduced systems. */
#ifndef STARFISH_TASKS_SLAB_STREAM_H
#define STARFISH_TASKS_SLAB_STREAM_H

#include "codelets/slab.h"

enum { STARFISH_SLAB_MOST_SLOTS = 3 * 8 };

struct starfish_slab_stream {
    size_t slots; /* 0: no stream, and no other member is set */
    size_t back;  /* places of slabs on their way back, which have no right-hand side beside them */
    size_t slabs, parts;
    starfish_handle token[2 * STARFISH_SLAB_MOST_SLOTS];
    const struct starfish_slab_space *space;
    char *memory; /* separators, heads and coefficients of all slabs, rows of n[0] n[1] reals */
    size_t bytes;
    int constant; /* no device gives up coefficients */
    struct starfish_slab_gathered gathered[STARFISH_MAX_MODE_PARTS];
};

/* slots and parts of the modes, given in `systems`, for `slabs` slabs whose arrays are registered with it, one of each.
 * A stream that was created in part, or not at all and set to zero, may be destroyed. */
starfish_status starfish_slab_stream_create(struct starfish_slab_stream *stream,
                                            const struct starfish_slab_space *space, size_t slots, size_t slabs,
                                            const struct starfish_slab_parts *systems);
void starfish_slab_stream_destroy(struct starfish_slab_stream *stream);
starfish_status starfish_slab_stream_register(const struct starfish_slab_stream *stream, size_t s,
                                              struct starfish_slab *slab);
/* After coefficients are made; the reduced systems' ones do not change any more. on_devices: where these are solved. */
starfish_status starfish_slab_stream_coefficients(struct starfish_slab_stream *stream,
                                                  struct starfish_progress *progress, const struct starfish_slab *slab);
void starfish_slab_stream_is_made(struct starfish_slab_stream *stream, int on_devices);

/* What the forward and the backward task of slab s wait for, NULL where there is no stream; and what is submitted right
 * behind each task, which does nothing without one. */
starfish_handle starfish_slab_stream_token(const struct starfish_slab_stream *stream, size_t s);
starfish_handle starfish_slab_stream_token_back(const struct starfish_slab_stream *stream, size_t s);
starfish_status starfish_slab_stream_after_forward(const struct starfish_slab_stream *stream, size_t s,
                                                   struct starfish_progress *progress,
                                                   const struct starfish_slab_forward_task *task);
starfish_status starfish_slab_stream_after_reduced(const struct starfish_slab_stream *stream, size_t part,
                                                   struct starfish_progress *progress);
starfish_status starfish_slab_stream_after_backward(const struct starfish_slab_stream *stream, size_t s,
                                                    struct starfish_progress *progress,
                                                    const struct starfish_slab_backward_task *task);
/* Between the slabs' tasks and the reduced systems', in both directions. */
starfish_status starfish_slab_stream_gather(const struct starfish_slab_stream *stream,
                                            struct starfish_progress *progress, const struct starfish_slab *slab);
starfish_status starfish_slab_stream_scatter(const struct starfish_slab_stream *stream,
                                             struct starfish_progress *progress, const struct starfish_slab *slab);

#endif
