/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables and arrays for tasks: memory, registration with StarPU, and the host's access. */
#include "scheduler/runtime/coefficient_table.h"

#include "base/pages.h"
#include "base/real.h"
#include "scheduler/runtime/data.h"
#include "scheduler/runtime/host_loop.h"
#include "scheduler/runtime/ranks.h"
#include "scheduler/runtime/watchdog.h"

#include <stdlib.h>
#include <string.h>

static starfish_status reserve(struct starfish_coefficient_table *vector, size_t count, size_t size)
{
    vector->handle = NULL;
    vector->count = count;
    vector->memory = starfish_pages_alloc((count > 0 ? count : 1) * size);
    STARFISH_FAIL_IF(!vector->memory, STARFISH_ERROR_MEMORY, "out of memory for a table of %zu elements", count);
    memset(vector->memory, 0, size); /* of a table without elements, of which the runtime has one */
    return STARFISH_SUCCESS;
}

static void register_table(struct starfish_coefficient_table *vector, size_t size)
{
    /* StarPU requires at least one element; the memory has room for it. */
    starpu_vector_data_register(&vector->handle, STARPU_MAIN_RAM, (uintptr_t)vector->memory,
                                (uint32_t)(vector->count > 0 ? vector->count : 1), size);
}

void starfish_data_wait(starpu_data_handle_t handle)
{
    if (handle && starpu_data_acquire_on_node(handle, STARPU_ACQUIRE_NO_NODE, STARPU_R) == 0)
        starpu_data_release_on_node(handle, STARPU_ACQUIRE_NO_NODE);
}

void starfish_data_set_constant(starpu_data_handle_t handle, int constant)
{
    if (handle)
        starpu_data_set_sequential_consistency_flag(handle, !constant);
}

/* Whose values stay. */
static void register_constants(struct starfish_coefficient_table *vector, size_t size)
{
    register_table(vector, size);
    starfish_data_set_constant(vector->handle, 1);
}

enum { REALS = 1 << 16 }; /* of a run of a conversion */

struct conversion {
    float *to;
    const double *from;
};

static void convert(void *data, size_t first, size_t last)
{
    const struct conversion *c = data;

    for (size_t i = first; i < last; i++)
        c->to[i] = (float)c->from[i];
}

starfish_status starfish_coefficient_table_reals_of(struct starfish_coefficient_table *vector,
                                                    starfish_precision precision, const double *values, size_t count,
                                                    const struct starfish_spans *spans)
{
    const struct starfish_spans all = starfish_spans_all(count);

    spans = spans ? spans : &all;
    STARFISH_TRY(reserve(vector, count, starfish_real_size(precision)));
    if (precision == STARFISH_F64)
        starfish_spans_copy(spans, vector->memory, values, sizeof *values);
    else
        starfish_spans_loop(spans, REALS, convert, &(struct conversion){vector->memory, values});
    register_constants(vector, starfish_real_size(precision));
    return STARFISH_SUCCESS;
}

starfish_status starfish_coefficient_table_reals(struct starfish_coefficient_table *vector,
                                                 starfish_precision precision, const double *values, size_t count)
{
    return starfish_coefficient_table_reals_of(vector, precision, values, count, NULL);
}

static starfish_status copy(struct starfish_coefficient_table *vector, const void *values, size_t count, size_t size,
                            const struct starfish_spans *spans)
{
    const struct starfish_spans all = starfish_spans_all(count);

    STARFISH_TRY(reserve(vector, count, size));
    starfish_spans_copy(spans ? spans : &all, vector->memory, values, size);
    register_constants(vector, size);
    return STARFISH_SUCCESS;
}

starfish_status starfish_coefficient_table_floats(struct starfish_coefficient_table *vector, const float *values,
                                                  size_t count)
{
    return copy(vector, values, count, sizeof *values, NULL);
}

starfish_status starfish_coefficient_table_ints_of(struct starfish_coefficient_table *vector, const int *values,
                                                   size_t count, const struct starfish_spans *spans)
{
    return copy(vector, values, count, sizeof *values, spans);
}

starfish_status starfish_coefficient_table_ints(struct starfish_coefficient_table *vector, const int *values,
                                                size_t count)
{
    return starfish_coefficient_table_ints_of(vector, values, count, NULL);
}

starfish_status starfish_coefficient_table_results(struct starfish_coefficient_table *vector, size_t count)
{
    STARFISH_TRY(reserve(vector, count, sizeof(double)));
    starfish_host_zero(vector->memory, count * sizeof(double));
    register_table(vector, sizeof(double));
    return STARFISH_SUCCESS;
}

starfish_status starfish_coefficient_table_results_of(struct starfish_coefficient_table *vector,
                                                      const struct starfish_context *context, size_t count, int owner)
{
    STARFISH_TRY(starfish_coefficient_table_results(vector, count));
    starfish_data_set_travelling(context, vector->handle, owner);
    return STARFISH_SUCCESS;
}

starfish_status starfish_coefficient_table_read(const struct starfish_coefficient_table *vector,
                                                struct starfish_context *context, void *values, size_t bytes)
{
    STARFISH_TRY(starfish_data_acquire(context, vector->handle, STARPU_R));
    starfish_host_copy(values, vector->memory, bytes);
    starfish_data_release_access(vector->handle);
    return STARFISH_SUCCESS;
}

void starfish_coefficient_table_destroy(struct starfish_coefficient_table *vector)
{
    if (starfish_is_stuck())
        return; /* tasks may still read it */
    starfish_data_unregister(vector->handle);
    free(vector->memory);
    memset(vector, 0, sizeof *vector);
}

starfish_status starfish_coefficient_table_acquire(const struct starfish_coefficient_table *vector,
                                                   struct starfish_context *context, enum starfish_host_access access)
{
    return starfish_data_acquire(context, vector->handle, access == STARFISH_READ ? STARPU_R : STARPU_W);
}

void starfish_coefficient_table_release(const struct starfish_coefficient_table *vector)
{
    starfish_data_release_access(vector->handle);
}

starfish_status starfish_array_register(starpu_data_handle_t *handle, size_t count, size_t element_size)
{
    return starfish_array_register_at(handle, NULL, count, element_size);
}

starfish_status starfish_array_register_at(starpu_data_handle_t *handle, void *memory, size_t count,
                                           size_t element_size)
{
    STARFISH_REFUSE_IF(count == 0 || count > UINT32_MAX, "a piece of %zu elements: ask for more slabs or mode blocks",
                       count);
    starpu_vector_data_register(handle, memory ? STARPU_MAIN_RAM : -1, (uintptr_t)memory, (uint32_t)count,
                                element_size);
    return STARFISH_SUCCESS;
}

starfish_status starfish_matrix_register_at(starpu_data_handle_t *handle, void *memory,
                                            const struct starfish_matrix *matrix, size_t element_size)
{
    STARFISH_REFUSE_IF(
        matrix->columns == 0 || matrix->rows == 0 || matrix->stride > UINT32_MAX || matrix->rows > UINT32_MAX,
        "a piece of %zu x %zu elements: ask for more slabs or mode blocks", matrix->columns, matrix->rows);
    starpu_matrix_data_register(handle, STARPU_MAIN_RAM, (uintptr_t)memory, (uint32_t)matrix->stride,
                                (uint32_t)matrix->columns, (uint32_t)matrix->rows, element_size);
    return STARFISH_SUCCESS;
}

void starfish_token_register(starpu_data_handle_t *handle)
{
    starpu_void_data_register(handle);
}

void starfish_array_unregister(starpu_data_handle_t handle)
{
    starfish_data_discard(handle);
}

starfish_status starfish_array_over(starpu_data_handle_t *handle, const struct starfish_context *context,
                                    const char *name, const void *memory, size_t count, size_t element_size)
{
    int node;
    STARFISH_TRY(starfish_memory_place(context, name, memory, &node, NULL));
    STARFISH_REFUSE_IF(count == 0 || count > UINT32_MAX, "%s: an array of %zu elements", name, count);
    STARFISH_TRY(starfish_memory_check_pinned(context, name, memory, count * element_size));
    starpu_vector_data_register(handle, node, (uintptr_t)memory, (uint32_t)count, element_size);
    starpu_data_set_name(*handle, name);
    return STARFISH_SUCCESS;
}

void starfish_data_release(starpu_data_handle_t *handle)
{
    starfish_data_unregister(*handle);
    *handle = NULL;
}

void starfish_data_label(starpu_data_handle_t handle, const char *name, size_t coordinate)
{
    starpu_data_set_coordinates(handle, 1, (int)coordinate);
    starpu_data_set_name(handle, name);
}

void starfish_data_label_2d(starpu_data_handle_t handle, const char *name, size_t first, size_t second)
{
    starpu_data_set_coordinates(handle, 2, (int)first, (int)second);
    starpu_data_set_name(handle, name);
}
