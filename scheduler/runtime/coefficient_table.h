/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables that tasks read (coefficients, eigenvalues, index lists), arrays that only tasks touch, and arrays of the user
 * where they lie, as runtime data. */
#ifndef STARFISH_SCHEDULER_RUNTIME_COEFFICIENT_TABLE_H
#define STARFISH_SCHEDULER_RUNTIME_COEFFICIENT_TABLE_H

#include "scheduler/runtime/context.h"

struct starfish_spans;

struct starfish_coefficient_table {
    starpu_data_handle_t handle; /* NULL when there is none */
    void *memory;
    size_t count;
};

/* A table of reals, converted from double, or of ints; copied, so the source may go. count may be 0. No task may write
 * it. */
starfish_status starfish_coefficient_table_reals(struct starfish_coefficient_table *vector,
                                                 starfish_precision precision, const double *values, size_t count);
/* The same where of the values those of the spans alone are there, and of the table nothing else is read
 * (host_loop.h); NULL: all. */
starfish_status starfish_coefficient_table_reals_of(struct starfish_coefficient_table *vector,
                                                    starfish_precision precision, const double *values, size_t count,
                                                    const struct starfish_spans *spans);
starfish_status starfish_coefficient_table_ints_of(struct starfish_coefficient_table *vector, const int *values,
                                                   size_t count, const struct starfish_spans *spans);
/* The same of floats as they are, which may be other bits. */
starfish_status starfish_coefficient_table_floats(struct starfish_coefficient_table *vector, const float *values,
                                                  size_t count);
starfish_status starfish_coefficient_table_ints(struct starfish_coefficient_table *vector, const int *values,
                                                size_t count);
/* `count` doubles that tasks write and the host reads. */
starfish_status starfish_coefficient_table_results(struct starfish_coefficient_table *vector, size_t count);
/* The same of rank `owner`, whose tasks write it, and which others' tasks may read (ranks.h). */
starfish_status starfish_coefficient_table_results_of(struct starfish_coefficient_table *vector,
                                                      const struct starfish_context *context, size_t count, int owner);
/* Wait for the tasks that write it: its first `bytes` bytes. RUNTIME where the runtime refuses, or is stuck. */
starfish_status starfish_coefficient_table_read(const struct starfish_coefficient_table *vector,
                                                struct starfish_context *context, void *values, size_t bytes);
void starfish_coefficient_table_destroy(struct starfish_coefficient_table *vector);

enum starfish_host_access { STARFISH_READ, STARFISH_WRITE };
/* Waits for the tasks that write (WRITE: use) the table, and lets the host read (WRITE: overwrite) its memory until the
 * release. Errors: RUNTIME (inside a task, or the runtime is stuck), MEMORY. */
starfish_status starfish_coefficient_table_acquire(const struct starfish_coefficient_table *vector,
                                                   struct starfish_context *context, enum starfish_host_access access);
void starfish_coefficient_table_release(const struct starfish_coefficient_table *vector);

/* An array without user memory: the runtime allocates it where a task first writes it. */
starfish_status starfish_array_register(starpu_data_handle_t *handle, size_t count, size_t element_size);
/* The same, but its home node is main memory: `count` elements that the library allocates. */
starfish_status starfish_array_register_at(starpu_data_handle_t *handle, void *memory, size_t count,
                                           size_t element_size);
/* The same of a matrix: `rows` rows of `columns` elements, `stride` elements apart. What is between rows is others'. */
struct starfish_matrix {
    size_t columns, rows, stride;
};
starfish_status starfish_matrix_register_at(starpu_data_handle_t *handle, void *memory,
                                            const struct starfish_matrix *matrix, size_t element_size);
/* A token: data without bytes, by which tasks that share nothing else wait for each other. */
void starfish_token_register(starpu_data_handle_t *handle);
/* Waits for its tasks and unregisters the data; their values are discarded. NULL is allowed. */
void starfish_array_unregister(starpu_data_handle_t handle);

/* The user's array of `count` elements, which stays where it is: host memory or, by starfish_memory_place, a GPU's. */
starfish_status starfish_array_over(starpu_data_handle_t *handle, const struct starfish_context *context,
                                    const char *name, const void *memory, size_t count, size_t element_size);
/* Waits for the tasks of *handle, brings its values to the memory that it was registered with, releases it and sets it
 * to NULL. NULL is allowed. */
void starfish_data_release(starpu_data_handle_t *handle);

/* Waits until what has been submitted for the data is done, transfers from other ranks included; brings them nowhere.
 * NULL is allowed. */
void starfish_data_wait(starpu_data_handle_t handle);
/* From now on tasks only read the values, until 0 says that they may be written again. No task that writes them may be
 * running. Where data may be written, StarPU with FxT notes all tasks that have read them since, 32 bytes each, so that
 * memory would grow with every solve. NULL is allowed. */
void starfish_data_set_constant(starpu_data_handle_t handle, int constant);

/* What data are called in traces, and where in the problem they belong: one coordinate, or two. */
void starfish_data_label(starpu_data_handle_t handle, const char *name, size_t coordinate);
void starfish_data_label_2d(starpu_data_handle_t handle, const char *name, size_t first, size_t second);

#endif
