/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish machine compare, fit: simulates the cases of a recorded machine and collects their rows. */
#ifndef STARFISH_APPS_MACHINE_COMPARE_H
#define STARFISH_APPS_MACHINE_COMPARE_H

#include "apps/machine/machine.h"
#include "scheduler/runtime/machine.h"

struct comparison {
    const char *name, *only, *workers, *csv;
    int markdown, fits; /* fits: what is held out is left out */
    int as_they_are;    /* only sets of workers whose tasks need no correction: not single cores */
    char folder[SIMULATE_PATH], scratch[64];
    json_t *rows;             /* case, workers, policy, measured, simulated */
    size_t estimated;         /* cases in which some tasks have no recorded times */
    size_t simulated, failed; /* cases on a set of workers */
};

/* The kind of worker set that the text names. */
enum starfish_worker_set comparison_set_of(const char *workers);
/* Finds the machine and prepares this process. Errors: FILE, ARGUMENT, MEMORY. */
starfish_status comparison_begin(struct comparison *comparison);
/* Simulates the selected cases and adds their rows; may be called again. Errors: FILE. */
starfish_status comparison_run(struct comparison *comparison);
/* ARGUMENT if the selection matches no measured case. */
starfish_status comparison_check_any(const struct comparison *comparison);
/* UNSUPPORTED if some cases could not be simulated. Call it at the end, after all other cases have been shown. */
starfish_status comparison_check_failed(const struct comparison *comparison);

#endif
