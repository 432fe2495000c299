/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ties the laboratory to the runtime (lab.h): sets the hooks of the runtime once, before the first context is made. */
#include "scheduler/lab/lab.h"

#include "scheduler/lab/policies/policies.h"
#include "scheduler/lab/simulated.h"
#include "scheduler/lab/sizes.h"
#include "scheduler/runtime/hooks.h"

#include <pthread.h>

static void attach(void)
{
    starfish_hooks = (struct starfish_hooks){
#ifdef STARPU_SIMGRID
        .length = starfish_recorded_length,
        .is_known = starfish_recorded_is_known,
        .times_known = starfish_recorded_knows,
        .check_length = starfish_recorded_check,
        .begin_solve = starfish_recorded_begin,
#endif
        .check_policy = starfish_policy_check,
        .find_policy = starfish_policy_own,
        .note_sizes = starfish_sizes_note};
}

void starfish_lab_attach(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, attach);
}
