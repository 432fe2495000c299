/* Tables that tasks read (coefficients, eigenvalues, index lists) and arrays that only tasks touch, as runtime data. */
#ifndef STARFISH_SCHEDULER_VECTOR_H
#define STARFISH_SCHEDULER_VECTOR_H

#include "scheduler/context.h"

struct starfish_vector {
    starpu_data_handle_t handle; /* NULL when there is none */
    void *memory;
    size_t count;
};

/* A table of reals, converted from double, or of ints; copied, so the source may go. count may be 0. */
starfish_status starfish_vector_reals(struct starfish_vector *vector, starfish_precision precision,
                                      const double *values, size_t count);
/* The same of floats as they are, which may be other bits. */
starfish_status starfish_vector_floats(struct starfish_vector *vector, const float *values, size_t count);
starfish_status starfish_vector_ints(struct starfish_vector *vector, const int *values, size_t count);
/* `count` doubles that tasks write and the host reads. */
starfish_status starfish_vector_results(struct starfish_vector *vector, size_t count);
void starfish_vector_destroy(struct starfish_vector *vector);

/* An array without memory of its own: the runtime allocates it where a task first writes it. */
starfish_status starfish_array_register(starpu_data_handle_t *handle, size_t count, size_t element_size);
/* Waits for its tasks and lets go of data whose values nobody wants any more. NULL is allowed. */
void starfish_array_unregister(starpu_data_handle_t handle);

#endif
