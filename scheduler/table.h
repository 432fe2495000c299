/* Tables that tasks read (coefficients, eigenvalues, index lists) and arrays that only tasks touch, as runtime data. */
#ifndef STARFISH_SCHEDULER_TABLE_H
#define STARFISH_SCHEDULER_TABLE_H

#include "scheduler/context.h"

struct starfish_table {
    starpu_data_handle_t handle; /* NULL when there is none */
    void *memory;
    size_t count;
};

/* A table of reals, converted from double, or of ints; copied, so the source may go. count may be 0. */
starfish_status starfish_table_reals(struct starfish_table *vector, starfish_precision precision, const double *values,
                                     size_t count);
/* The same of floats as they are, which may be other bits. */
starfish_status starfish_table_floats(struct starfish_table *vector, const float *values, size_t count);
starfish_status starfish_table_ints(struct starfish_table *vector, const int *values, size_t count);
/* `count` doubles that tasks write and the host reads. */
starfish_status starfish_table_results(struct starfish_table *vector, size_t count);
void starfish_table_destroy(struct starfish_table *vector);

/* An array without memory of its own: the runtime allocates it where a task first writes it. */
starfish_status starfish_array_register(starpu_data_handle_t *handle, size_t count, size_t element_size);
/* Waits for its tasks and unregisters data whose values nobody needs any more. NULL is allowed. */
void starfish_array_unregister(starpu_data_handle_t handle);

#endif
