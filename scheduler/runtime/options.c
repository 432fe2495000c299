/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options of contexts, as a table (base/options.h): workers, memory and policies, with their ranges and lines of
 * help. */
#include "scheduler/runtime/options.h"

#include <math.h>

#define AT(member) STARFISH_OPTION_AT(starfish_context_options, member)

static const struct starfish_option rows[] = {
    {AT(cpu_workers), .type = STARFISH_OPTION_INT, .default_value = -1, .least = -1, .most = HUGE_VAL,
     .text = "cores that work; -1: as many as there are"},
    {AT(gpu_workers), .type = STARFISH_OPTION_INT, .default_value = -1, .least = -1, .most = HUGE_VAL,
     .text = "GPUs that work; -1: as many as there are"},
    {AT(policy), .type = STARFISH_OPTION_TEXT, .flag = "--policy",
     .text = "StarPU's scheduling policy; without, STARPU_SCHED, else dmdas with a GPU and lws without"},
    {AT(log), .type = STARFISH_OPTION_POINTER, .text = "function that receives messages"},
    {AT(log_data), .type = STARFISH_OPTION_POINTER, .text = "its first argument"},
    {AT(cores_per_worker), .type = STARFISH_OPTION_INT, .most = HUGE_VAL, .flag = "--team",
     .text = "cores that share a CPU worker; 0: one, beside a GPU all of a NUMA node"},
    {AT(idle_seconds), .type = STARFISH_OPTION_REAL, .default_value = -1, .least = -1, .most = HUGE_VAL,
     .text = "seconds without a task after which workers rest; -1: chosen, inf: never"},
    {AT(patience_seconds), .type = STARFISH_OPTION_REAL, .default_value = -1, .least = -1, .most = 1e6,
     .text = "after which a job ends in which nothing moves; 0: never; -1: 60, in a StarPU that is joined never"},
};

const struct starfish_option_table starfish_context_option_table =
    STARFISH_OPTION_TABLE(starfish_context_options, STARFISH_CONTEXT_OPTIONS_DEFAULTS, rows);
