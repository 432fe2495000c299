/* A recorded machine (docs/simulation.md): the folder that the variable STARFISH_MACHINE names, as `starfish machine record`
 * leaves it.
 *
 * Where it is set, what a plan would measure comes from there, so that the plan is the same each time. In a program for
 * simulated machines, which works on no other, cores and GPUs are those of the machine too. */
#ifndef STARFISH_SCHEDULER_MACHINE_H
#define STARFISH_SCHEDULER_MACHINE_H

#include "base/status.h"
#include <starfish/context.h>
#include <starfish/types.h>

#include <stddef.h>

enum { STARFISH_MACHINE_NAME = 64, STARFISH_MACHINE_RATES = 32 };

/* What the workers of each kind together do to planes of some size (poisson/trial.c), in planes per second. */
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

struct starfish_machine {
    char name[STARFISH_MACHINE_NAME];
    char models[STARFISH_MACHINE_NAME]; /* the machine in the folder beside whose times of tasks it has; "": its own */
    int cores, numa_nodes, gpus;
    size_t rate_count;
    struct starfish_machine_rates rates[STARFISH_MACHINE_RATES];
};

/* Read FOLDER/machine.json. Errors: FILE, ARGUMENT. */
starfish_status starfish_machine_read(const char *folder, struct starfish_machine *machine);

/* The one that STARFISH_MACHINE names, read at the first call and kept; NULL where none is named or it cannot be read, of which
 * starfish_machine_check says why. */
const struct starfish_machine *starfish_machine_named(void);
/* SUCCESS where none is named, unless this program is for simulated machines. */
starfish_status starfish_machine_check(void);

/* The machine's rates for such planes: those recorded for planes of that size, else those for planes of the most similar size,
 * by bytes. Returns 0 when it has none of that precision. */
int starfish_machine_rates_of(const struct starfish_machine *machine, size_t nx, size_t ny,
                              starfish_precision precision, struct starfish_rates *rates);

#endif
