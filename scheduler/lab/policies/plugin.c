/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Our policies as a plug-in for any StarPU program:
 *
 *     STARPU_SCHED_LIB=/where/it/is/starfish-policies.so STARPU_SCHED=starfish-width program */
#include "scheduler/lab/policies/policies.h"

#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

static struct starpu_sched_policy *policies[] = {&starfish_width_policy, NULL};

/* What StarPU looks for. */
EXPORTED struct starpu_sched_policy *starpu_get_sched_lib_policy(const char *name)
{
    for (struct starpu_sched_policy **policy = policies; *policy; policy++)
        if (strcmp((*policy)->policy_name, name) == 0)
            return *policy;
    return NULL;
}

EXPORTED struct starpu_sched_policy **starpu_get_sched_lib_policies(void)
{
    return policies;
}
