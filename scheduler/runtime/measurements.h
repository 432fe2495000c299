/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks that StarPU can read a file of its measurements. It aborts if a file is truncated, has decimal commas or holds
 * something else, and waits forever on a pipe without a writer. */
#ifndef STARFISH_SCHEDULER_RUNTIME_MEASUREMENTS_H
#define STARFISH_SCHEDULER_RUNTIME_MEASUREMENTS_H

enum starfish_measurement {
    STARFISH_MEASUREMENT_FILE,     /* any content: StarPU measures again where it does not understand it */
    STARFISH_MEASUREMENT_CONFIG,   /* bus/HOST.config: how many devices of each kind were measured */
    STARFISH_MEASUREMENT_AFFINITY, /* bus/HOST.affinity: NUMA nodes of each GPU, the nearest first */
    STARFISH_MEASUREMENT_MODEL     /* codelets/45/SYMBOL.HOST: times of a codelet */
};

/* The folder of models below codelets/ in the format of StarPU 1.3 and 1.4. */
#define STARFISH_MODEL_VERSION "45"

/* Is there a file that StarPU cannot read or not write? No: none, a good one, or one that is being written (locked).
 * Never waits. */
int starfish_measurement_is_bad(const char *path, enum starfish_measurement kind);

#endif
