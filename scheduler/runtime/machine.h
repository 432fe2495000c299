/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A recorded machine (docs/simulation.md), as `starfish machine record` leaves it. The program reads its description
 * (apps/machine/read.c) where the variable STARFISH_MACHINE names a folder, and hands it over before it creates a
 * context.
 *
 * A plan then takes measurements from the recorded machine, so it is the same each time. In a program for simulated
 * machines, cores and GPUs are also those of the machine. */
#ifndef STARFISH_SCHEDULER_RUNTIME_MACHINE_H
#define STARFISH_SCHEDULER_RUNTIME_MACHINE_H

#include "base/status.h"
#include <starfish/context.h>
#include <starfish/types.h>

#include <stddef.h>

enum { STARFISH_MACHINE_NAME = 64, STARFISH_MACHINE_RATES = 32 };

/* What the workers of each kind together do to planes of some size (poisson/slab_trial.c), in planes per second. */
struct starfish_rates {
    double lone[STARFISH_WORKER_KINDS];   /* one kind at work, one solve at a time */
    double gpu_stream;                    /* GPUs alone, on a stream of solves */
    double stream[STARFISH_WORKER_KINDS]; /* both kinds at work, on a stream of solves; 0 before the trial */
};

/* For planes of nx x ny. */
struct starfish_machine_rates {
    size_t n[2];
    starfish_precision precision;
    struct starfish_rates rates;
};

/* Sets of workers: cores alone, GPUs alone, both, cores alone as one worker. */
enum starfish_worker_set {
    STARFISH_SET_CORES,
    STARFISH_SET_GPUS,
    STARFISH_SET_ALL,
    STARFISH_SET_TEAM,
    STARFISH_WORKER_SETS
};

/* By what simulated times differed from those measured in the recording, `starfish machine fit`: tasks on cores take so
 * many times as long as their models say, since these leave out what disturbs them, and a solve so many seconds more.
 * 0: not known, nothing is corrected. */
struct starfish_correction {
    double factor, seconds;
};

/* Seconds to choose a worker, if the recording has no value. */
#define STARFISH_MACHINE_CHOOSING 1.5e-6

struct starfish_machine {
    char name[STARFISH_MACHINE_NAME];
    char models[STARFISH_MACHINE_NAME]; /* the machine in the folder beside whose times of tasks it has; "": its own */
    int cores, numa_nodes, gpus;
    double gpu_speed; /* of the recorded one's, for tasks; 1 on a recorded machine */
    struct starfish_correction correction[STARFISH_WORKER_SETS];
    double choosing; /* seconds that a policy with models takes for each worker before it gives a task to one */
    size_t rate_count;
    struct starfish_machine_rates rates[STARFISH_MACHINE_RATES];
};

/* From now on plans take their rates from this machine, which is copied. Call it before the first context is created;
 * not thread-safe. */
void starfish_machine_use(const struct starfish_machine *machine);
/* A machine was named but cannot be used: starfish_machine_check, and so every new context, fails with this status and
 * message. */
void starfish_machine_refuse(starfish_status status, const char *message);

/* Whether this program is for simulated machines. */
int starfish_machine_is_simulated(void);
/* The machine in use; NULL if none was named or it could not be read. starfish_machine_check returns the reason. */
const struct starfish_machine *starfish_machine_named(void);
/* SUCCESS where none is named, unless this program is for simulated machines. */
starfish_status starfish_machine_check(void);

/* The machine's rates for such planes: those recorded for planes of that size, else those for planes of the most
 * similar size, by bytes. Returns 0 when it has none of that precision. */
int starfish_machine_rates_of(const struct starfish_machine *machine, size_t nx, size_t ny,
                              starfish_precision precision, struct starfish_rates *rates);

#endif
