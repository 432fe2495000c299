/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task that returns data to their original memory; it has no kernel. */
#ifndef STARFISH_CODELETS_BRING_HOME_H
#define STARFISH_CODELETS_BRING_HOME_H

#include "scheduler/runtime/task.h"

/* Without it a result is fetched when its field is given up, after everything else; with it the copy follows the task
 * that wrote the data, beside other tasks and copies. */
starfish_status starfish_submit_bring_home(struct starfish_progress *progress, int phase, starpu_data_handle_t data);

struct starfish_views {
    const starpu_data_handle_t *data;
    size_t count;
};

/* The same of up to STARFISH_SENT_AT_ONCE data, of which those without a home are left out; and the runtime gets back
 * what memory the data have elsewhere, for data of the same shape: it then needs to take none of others, nor to ask a
 * device for more. Whoever writes `token` (NULL: none) after it waits for that. */
enum { STARFISH_SENT_AT_ONCE = 4 };
starfish_status starfish_submit_send_home(struct starfish_progress *progress, int phase,
                                          const struct starfish_views *views, starpu_data_handle_t token);
/* Views are data that were registered over the same main memory. What `from` have there, `to` have from now on, once
 * all of `from` have been brought there; copies of `to` elsewhere are no longer valid. */
starfish_status starfish_submit_hand_over(struct starfish_progress *progress, int phase,
                                          const struct starfish_views *from, const struct starfish_views *to);
/* Waits for all that have read the data, as a task that writes them would, and moves and changes nothing. Data that are
 * read again and again, and never written, need it now and then: StarPU with FxT notes who has read them since the last
 * write, 32 bytes each. */
starfish_status starfish_submit_forget_readers(struct starfish_progress *progress, int phase,
                                               starpu_data_handle_t data);
#endif
