/* Names of what the command line chooses from: one list for each kind of thing, by its number in the library, ended by
 * NULL. Every option, help text, table and JSON of the program takes its names from here. */
#ifndef STARFISH_APPS_NAMES_H
#define STARFISH_APPS_NAMES_H

#include "base/status.h"

#include <stddef.h>

extern const char *const names_methods[];      /* by starfish_method */
extern const char *const names_precisions[];   /* by starfish_precision */
extern const char *const names_arithmetics[];  /* the same, and "mixed" at NAMES_MIXED: f64 with cycles in f32 */
extern const char *const names_smoothers[];    /* by starfish_smoother */
extern const char *const names_cycles[];       /* by starfish_cycle_shape */
extern const char *const names_matrices[];     /* by starfish_matrix_form */
extern const char *const names_storages[];     /* by starfish_storage */
extern const char *const names_iterations[];   /* 0: cycles alone; 1: conjugate gradients with cycles */
extern const char *const names_algorithms[];   /* by starfish_algorithm, then STARFISH_BATCH_CR_IN_PLACE */
extern const char *const names_layouts[];      /* of the lines of a batch: 0 contiguous, 1 interleaved */
extern const char *const names_coefficients[]; /* by enum batch_coefficients (plans/batch_case.h) */
extern const char *const names_workers[];      /* by starfish_worker_kind */

enum { NAMES_MIXED = 2 };

/* The number of a name that is in the list. */
size_t names_index(const char *const *names, const char *name);

#endif
