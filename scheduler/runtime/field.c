/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields (field.h): registration of user memory as slabs, without copies; and equal cuts of planes. */
#include "scheduler/runtime/field.h"

#include "base/arithmetic.h"
#include "base/real.h"
#include "scheduler/runtime/data.h"
#include "scheduler/runtime/ranks.h"
#include "scheduler/runtime/watchdog.h"

#include <stdlib.h>
#include <string.h>

/* The planes from this rank's first slab to its last one, of which it may have none. */
static void planes_of_rank(const struct starfish_context *context, const struct starfish_runs *cut, size_t *first,
                           size_t *planes)
{
    *first = *planes = 0;
    for (size_t s = 0; s < cut->parts; s++)
        if (starfish_run_is_here(context, cut, s)) {
            *first = *planes > 0 ? *first : cut->first[s];
            *planes = cut->first[s + 1] - *first;
        }
}

static starfish_status check(const starfish_context *context, starfish_precision precision, const size_t n[3],
                             starfish_field **result)
{
    STARFISH_NEED(context, "context");
    STARFISH_NEED(n, "n");
    STARFISH_NEED(result, "field");
    if (precision != STARFISH_F32 && precision != STARFISH_F64)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "field: precision is neither STARFISH_F32 nor STARFISH_F64");
    for (int axis = 0; axis < 3; axis++)
        if (n[axis] == 0 || n[axis] > UINT32_MAX)
            return starfish_fail(STARFISH_ERROR_ARGUMENT, "field: n[%d] is %zu", axis, n[axis]);
    if (n[0] > SIZE_MAX / 8 / n[1] || n[0] * n[1] > SIZE_MAX / 8 / n[2] || n[0] * n[1] > UINT32_MAX)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "field: %zu x %zu x %zu overflows", n[0], n[1], n[2]);
    return STARFISH_SUCCESS;
}

/* Boxes that do not follow one another are data of four dimensions, which the runtime has from 1.4 on. */
#if STARPU_MAJOR_VERSION > 1 || STARPU_MINOR_VERSION >= 4
enum { HAS_BOXES = 1 };

static void register_boxes(starpu_data_handle_t *handle, int node, uintptr_t address, const size_t n[4],
                           const struct starfish_strides *strides, size_t size)
{
    starpu_tensor_data_register(handle, node, address, (uint32_t)strides->row, (uint32_t)strides->plane,
                                (uint32_t)strides->box, (uint32_t)n[0], (uint32_t)n[1], (uint32_t)n[2], (uint32_t)n[3],
                                size);
}

static int is_boxes(const void *buffer)
{
    return ((const struct starpu_tensor_interface *)buffer)->id == STARPU_TENSOR_INTERFACE_ID;
}

static void *boxes_memory(void *buffer)
{
    return (void *)STARPU_TENSOR_GET_PTR(buffer);
}

static struct starfish_strides boxes_strides(void *buffer)
{
    return (struct starfish_strides){STARPU_TENSOR_GET_LDY(buffer), STARPU_TENSOR_GET_LDZ(buffer),
                                     STARPU_TENSOR_GET_LDT(buffer), STARPU_TENSOR_GET_NY(buffer),
                                     STARPU_TENSOR_GET_NZ(buffer)};
}

static size_t boxes_width(void *buffer)
{
    return STARPU_TENSOR_GET_NX(buffer);
}
#else
enum { HAS_BOXES = 0 };

static void register_boxes(starpu_data_handle_t *handle, int node, uintptr_t address, const size_t n[4],
                           const struct starfish_strides *strides, size_t size)
{
    (void)handle, (void)node, (void)address, (void)n, (void)strides, (void)size;
}

static int is_boxes(const void *buffer)
{
    (void)buffer;
    return 0;
}

static void *boxes_memory(void *buffer)
{
    return buffer;
}

static struct starfish_strides boxes_strides(void *buffer)
{
    (void)buffer;
    return (struct starfish_strides){0};
}

static size_t boxes_width(void *buffer)
{
    (void)buffer;
    return 0;
}
#endif

static int boxes_are_apart(const struct starfish_strides *strides, size_t planes)
{
    return strides->row > 0 && planes > strides->depth && strides->box != strides->depth * strides->plane;
}

void starfish_slab_register(starpu_data_handle_t *handle, const char *name, const struct starfish_runs *cut,
                            size_t slab, const struct starfish_field_array *array)
{
    const size_t size = starfish_real_size(array->precision), *n = array->n, planes = starfish_runs_rows(cut, slab);
    const struct starfish_strides strides = starfish_strides_or_packed(array->strides, n[0], n[1], n[2]);
    const int has_memory = array->memory && starfish_run_is_here(array->context, cut, slab);
    size_t first, planes_here;
    planes_of_rank(array->context, cut, &first, &planes_here);
    const uintptr_t start = has_memory ? starfish_strides_plane(&strides, cut->first[slab] - first) * size : 0;
    const uintptr_t address = has_memory ? (uintptr_t)array->memory + start : 0;
    const int node = has_memory ? array->node : -1;
    if (boxes_are_apart(&array->strides, planes))
        register_boxes(handle, node, address, (const size_t[]){n[0], n[1], strides.depth, planes / strides.depth},
                       &strides, size);
    else
        starpu_block_data_register(handle, node, address, (uint32_t)strides.row, (uint32_t)strides.plane,
                                   (uint32_t)n[0], (uint32_t)n[1], (uint32_t)planes, size);
    if (array->context)
        starfish_data_set_owner(array->context, *handle, starfish_runs_owner(cut, slab).rank);
    starfish_data_label(*handle, name, slab);
}

static int is_valid_on(starpu_data_handle_t handle, unsigned node)
{
    int valid = 0;
    starpu_data_query_status(handle, (int)node, NULL, &valid, NULL);
    return valid;
}

int starfish_field_is_on_device_only(const struct starfish_field *field)
{
    const int home = field->cut.parts > 0 ? starpu_data_get_home_node(field->handle[0]) : -1;
    int alone = home > STARPU_MAIN_RAM;
    for (size_t s = 0; s < field->cut.parts && alone; s++) {
        alone = starpu_data_get_home_node(field->handle[s]) == home;
        for (unsigned node = 0; node < starpu_memory_nodes_get_count() && alone; node++)
            alone = is_valid_on(field->handle[s], node) == ((int)node == home);
    }
    return alone && starpu_node_get_kind((unsigned)home) != STARPU_CPU_RAM;
}

int starfish_slab_home(starpu_data_handle_t handle)
{
    return starpu_data_get_home_node(handle);
}

void *starfish_slab_memory(void *buffer)
{
    return is_boxes(buffer) ? boxes_memory(buffer) : (void *)STARPU_BLOCK_GET_PTR(buffer);
}

struct starfish_strides starfish_slab_strides(void *buffer, size_t depth)
{
    const int boxes = is_boxes(buffer);
    const size_t width = boxes ? boxes_width(buffer) : STARPU_BLOCK_GET_NX(buffer);
    struct starfish_strides strides = {.depth = depth};
    if (boxes) {
        strides = boxes_strides(buffer);
    } else {
        strides.row = STARPU_BLOCK_GET_LDY(buffer);
        strides.plane = STARPU_BLOCK_GET_LDZ(buffer);
        strides.box = depth * strides.plane;
        strides.height = STARPU_BLOCK_GET_NY(buffer);
    }
    if (strides.row == width && strides.plane == width * strides.height && strides.box == strides.plane * strides.depth)
        return (struct starfish_strides){0};
    return strides;
}

/* ---- Holds ------------------------------------------------------------------------------------------------------- */

void starfish_field_hold(struct starfish_field *field)
{
    STARPU_PTHREAD_MUTEX_LOCK(&field->lock);
    field->holders++;
    STARPU_PTHREAD_MUTEX_UNLOCK(&field->lock);
}

void starfish_field_release_hold(struct starfish_field *field)
{
    STARPU_PTHREAD_MUTEX_LOCK(&field->lock);
    field->holders--;
    STARPU_PTHREAD_COND_BROADCAST(&field->released);
    STARPU_PTHREAD_MUTEX_UNLOCK(&field->lock);
}

void starfish_field_wait_for_holders(struct starfish_field *field)
{
    STARPU_PTHREAD_MUTEX_LOCK(&field->lock);
    while (field->holders > 0)
        STARPU_PTHREAD_COND_WAIT(&field->released, &field->lock);
    STARPU_PTHREAD_MUTEX_UNLOCK(&field->lock);
}

/* ---- The host's access ------------------------------------------------------------------------------------------- */

/* Slabs of other ranks' have no memory. */
static int is_here(starpu_data_handle_t slab)
{
    return starpu_data_get_home_node(slab) >= 0;
}

static void release_slabs(const struct starfish_field *field, size_t count)
{
    for (size_t s = 0; s < count; s++)
        if (is_here(field->handle[s]))
            starfish_data_release_access(field->handle[s]);
}

static starfish_status acquire_slabs(const struct starfish_field *field)
{
    for (size_t s = 0; s < field->cut.parts; s++) {
        const starfish_status status = is_here(field->handle[s])
                                           ? starfish_data_acquire(field->context, field->handle[s], STARPU_RW)
                                           : STARFISH_SUCCESS;
        if (status != STARFISH_SUCCESS) {
            release_slabs(field, s);
            return status;
        }
    }
    return STARFISH_SUCCESS;
}

/* ---- Fields ------------------------------------------------------------------------------------------------------ */

starfish_status starfish_field_create(starfish_context *context, starfish_precision precision, const size_t n[3],
                                      size_t slabs, void *memory, starfish_field **field)
{
    STARFISH_OWN_ARITHMETIC;
    STARFISH_TRY(check(context, precision, n, field));
    if (slabs == 0 || slabs > n[2] || slabs > STARFISH_FIELD_MOST_SLABS)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "field: slabs is %zu, not in 1..%zu", slabs,
                             n[2] < STARFISH_FIELD_MOST_SLABS ? n[2] : (size_t)STARFISH_FIELD_MOST_SLABS);
    struct starfish_runs cut = {.parts = 0};
    starfish_status status = starfish_runs_equally(&cut, n[2], slabs);
    STARFISH_THEN(status, starfish_field_over(context, precision, n, &cut, "memory", memory, field));
    starfish_runs_free(&cut);
    return status;
}

starfish_status starfish_field_over(struct starfish_context *context, starfish_precision precision, const size_t n[3],
                                    const struct starfish_runs *cut, const char *name, void *memory,
                                    struct starfish_field **result)
{
    STARFISH_TRY(check(context, precision, n, result));
    const struct starfish_field_shape shape = {.precision = precision, .n = {n[0], n[1], n[2]}};
    return starfish_field_shaped(context, &shape, cut, name, memory, result);
}

static void discard(struct starfish_field *field)
{
    STARPU_PTHREAD_MUTEX_DESTROY(&field->lock);
    STARPU_PTHREAD_COND_DESTROY(&field->released);
    starfish_runs_free(&field->cut);
    free(field->handle);
    free(field);
}

struct starfish_field *starfish_field_empty(struct starfish_context *context, const struct starfish_field_shape *shape,
                                            const struct starfish_runs *cut)
{
    struct starfish_field *field = calloc(1, sizeof *field);
    if (!field) {
        starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a field");
        return NULL;
    }
    field->context = context;
    field->precision = shape->precision;
    memcpy(field->n, shape->n, sizeof field->n);
    field->strides = shape->strides;
    STARPU_PTHREAD_MUTEX_INIT(&field->lock, NULL);
    STARPU_PTHREAD_COND_INIT(&field->released, NULL);
    field->handle = calloc(cut->parts + 1, sizeof *field->handle); /* of a rank without planes, too */
    if (field->handle && starfish_runs_copy(&field->cut, cut) == STARFISH_SUCCESS)
        return field;
    starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a field");
    discard(field);
    return NULL;
}

/* The runtime copies packed slabs as they are, and of others plane by plane. */
static starfish_status check_pinned(const struct starfish_context *context, const struct starfish_field_shape *shape,
                                    const struct starfish_runs *cut, const char *name, const void *memory)
{
    const size_t size = starfish_real_size(shape->precision), *n = shape->n;
    const struct starfish_strides strides = starfish_strides_or_packed(shape->strides, n[0], n[1], n[2]);
    const size_t plane_bytes = ((n[1] - 1) * strides.row + n[0]) * size;
    size_t here, planes;
    planes_of_rank(context, cut, &here, &planes);
    for (size_t s = 0; s < cut->parts && context->workers_of[STARFISH_GPU] > 0; s++) {
        const size_t at_once = shape->strides.row > 0 ? 1 : starfish_runs_rows(cut, s);
        const size_t bytes = (at_once - 1) * strides.plane * size + plane_bytes;
        for (size_t k = cut->first[s]; k < cut->first[s + 1]; k += at_once)
            if (starfish_run_is_here(context, cut, s)) {
                const char *const start = (const char *)memory + starfish_strides_plane(&strides, k - here) * size;
                STARFISH_TRY(starfish_memory_check_pinned(context, name, start, bytes));
            }
    }
    return STARFISH_SUCCESS;
}

starfish_status starfish_field_shaped(struct starfish_context *context, const struct starfish_field_shape *shape,
                                      const struct starfish_runs *cut, const char *name, void *memory,
                                      struct starfish_field **result)
{
    const size_t *const n = shape->n;
    STARFISH_TRY(check(context, shape->precision, n, result));
    *result = NULL;
    int node = STARPU_MAIN_RAM;
    enum starfish_residence residence;
    if (memory)
        STARFISH_TRY(starfish_memory_place(context, name, memory, &node, &residence));
    for (size_t s = 0; s < cut->parts && !HAS_BOXES; s++)
        STARFISH_FAIL_IF(boxes_are_apart(&shape->strides, starfish_runs_rows(cut, s)), STARFISH_ERROR_UNSUPPORTED,
                         "%s: problems that do not follow one another without gaps "
                         "need StarPU 1.4",
                         name);
    if (memory && residence != STARFISH_ON_DEVICE)
        STARFISH_TRY(check_pinned(context, shape, cut, name, memory));
    struct starfish_field *field = starfish_field_empty(context, shape, cut);
    if (!field)
        return STARFISH_ERROR_MEMORY;
    field->memory = memory;
    size_t first, planes = n[2];
    if (context->ranks)
        planes_of_rank(context, cut, &first, &planes);
    if (!memory && planes > 0) {
        field->owned_bytes = n[0] * n[1] * planes * starfish_real_size(shape->precision);
        starfish_status status = starfish_alloc(context, field->owned_bytes, &field->memory);
        if (status != STARFISH_SUCCESS) {
            discard(field);
            return status;
        }
    }
    const struct starfish_field_array array = {n, shape->precision, field->memory, node, shape->strides, context};
    for (size_t s = 0; s < cut->parts; s++)
        starfish_slab_register(&field->handle[s], name, cut, s, &array);
    *result = field;
    return STARFISH_SUCCESS;
}

void starfish_field_destroy(starfish_field *field)
{
    STARFISH_OWN_ARITHMETIC;
    if (!field)
        return;
    if (starfish_is_stuck())
        return; /* tasks may still touch it */
    if (field->is_acquired)
        starfish_field_release(field);
    starfish_field_wait_for_holders(field);
    for (size_t s = 0; s < field->cut.parts; s++)
        starfish_data_unregister(field->handle[s]);
    if (field->owned_bytes > 0)
        starfish_free(field->context, field->memory, field->owned_bytes);
    starfish_spread_release(field->context, field->spread);
    discard(field);
}

starfish_status starfish_field_acquire(starfish_field *field, void **memory)
{
    STARFISH_OWN_ARITHMETIC;
    STARFISH_NEED(field, "field");
    STARFISH_NEED(memory, "memory");
    STARPU_PTHREAD_MUTEX_LOCK(&field->lock);
    const int twice = field->is_acquired && pthread_equal(field->acquirer, pthread_self());
    STARPU_PTHREAD_MUTEX_UNLOCK(&field->lock);
    STARFISH_FAIL_IF(twice, STARFISH_ERROR_ARGUMENT, "field acquire: this thread has acquired the field already");
    starfish_field_wait_for_holders(field);
    STARFISH_TRY(acquire_slabs(field));
    STARPU_PTHREAD_MUTEX_LOCK(&field->lock);
    field->is_acquired = 1;
    field->acquirer = pthread_self();
    STARPU_PTHREAD_MUTEX_UNLOCK(&field->lock);
    starfish_outside_begin(field->context);
    *memory = starfish_field_shares(field) == 1 ? field->memory : NULL;
    return STARFISH_SUCCESS;
}

starfish_status starfish_field_release(starfish_field *field)
{
    STARFISH_OWN_ARITHMETIC;
    STARFISH_NEED(field, "field");
    STARPU_PTHREAD_MUTEX_LOCK(&field->lock);
    const int was_acquired = field->is_acquired;
    field->is_acquired = 0;
    STARPU_PTHREAD_MUTEX_UNLOCK(&field->lock);
    STARFISH_FAIL_IF(!was_acquired, STARFISH_ERROR_ARGUMENT, "field release: the field is not acquired");
    release_slabs(field, field->cut.parts);
    starfish_outside_end(field->context);
    return STARFISH_SUCCESS;
}
