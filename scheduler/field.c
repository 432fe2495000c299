/* Fields: registration of user memory as slabs, without copies. */
#include "scheduler/field.h"

#include "base/real.h"
#include "scheduler/data.h"

#include <stdlib.h>
#include <string.h>

void starfish_divide(size_t n, size_t parts, size_t *first)
{
    for (size_t part = 0; part <= parts; part++)
        first[part] = n / parts * part + (part < n % parts ? part : n % parts);
}

struct starfish_cut starfish_cut_equally(size_t planes, size_t slabs)
{
    struct starfish_cut cut = {.slabs = slabs};
    starfish_divide(planes, slabs, cut.first_plane);
    return cut;
}

int starfish_cut_is_same(const struct starfish_cut *a, const struct starfish_cut *b)
{
    return a->slabs == b->slabs &&
           memcmp(a->first_plane, b->first_plane, (a->slabs + 1) * sizeof a->first_plane[0]) == 0 &&
           memcmp(a->where, b->where, a->slabs * sizeof a->where[0]) == 0;
}

static starfish_status check(const starfish_context *context, starfish_precision precision, const size_t n[3],
                             starfish_field **result)
{
    if (!context || !n || !result)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "field: context, n or field is NULL");
    if (precision != STARFISH_F32 && precision != STARFISH_F64)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "field: precision is neither STARFISH_F32 nor STARFISH_F64");
    for (int axis = 0; axis < 3; axis++)
        if (n[axis] == 0 || n[axis] > UINT32_MAX)
            return starfish_fail(STARFISH_ERROR_ARGUMENT, "field: n[%d] is %zu", axis, n[axis]);
    if (n[0] > SIZE_MAX / 8 / n[1] || n[0] * n[1] > SIZE_MAX / 8 / n[2] || n[0] * n[1] > UINT32_MAX)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "field: %zu x %zu x %zu overflows", n[0], n[1], n[2]);
    return STARFISH_SUCCESS;
}

void starfish_slab_register(starpu_data_handle_t *handle, const char *name, const struct starfish_cut *cut, size_t slab,
                            const struct starfish_cut_array *array)
{
    const size_t size = starfish_real_size(array->precision), *n = array->n, plane = n[0] * n[1];
    const uintptr_t start = cut->first_plane[slab] * plane * size;
    const uintptr_t address = array->memory ? (uintptr_t)array->memory + start : 0;
    starpu_block_data_register(handle, array->memory ? array->node : -1, address, (uint32_t)n[0], (uint32_t)plane,
                               (uint32_t)n[0], (uint32_t)n[1], (uint32_t)starfish_cut_planes(cut, slab), size);
    starfish_data_label(*handle, name, slab);
}

/* Whether any slab reads that plane of another slab. */
static int is_read(const struct starfish_cut *cut, size_t slab, int end, int periodic)
{
    const int outer = end == STARFISH_FIRST_PLANE ? slab == 0 : slab + 1 == cut->slabs;
    return cut->slabs > 1 && (periodic || !outer);
}

starfish_status starfish_edges_create(struct starfish_slabs *slabs, const struct starfish_cut *cut, const size_t n[3],
                                      starfish_precision precision, int periodic)
{
    for (size_t s = 0; s < cut->slabs; s++)
        for (int end = 0; end < STARFISH_EDGES; end++)
            if (is_read(cut, s, end, periodic)) {
                STARFISH_TRY(starfish_array_register(&slabs->edge[s][end], n[0] * n[1], starfish_real_size(precision)));
                starfish_data_label_2d(slabs->edge[s][end], "edge", s, (size_t)end);
            }
    return STARFISH_SUCCESS;
}

void starfish_edges_release(struct starfish_slabs *slabs, const struct starfish_cut *cut)
{
    for (size_t s = 0; s < cut->slabs; s++)
        for (int end = 0; end < STARFISH_EDGES; end++) {
            starfish_array_unregister(slabs->edge[s][end]);
            slabs->edge[s][end] = NULL;
        }
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

static starfish_status acquire_slabs(const struct starfish_cut *cut, const starpu_data_handle_t *slab,
                                     enum starpu_data_access_mode mode)
{
    for (size_t s = 0; s < cut->slabs; s++)
        if (starfish_data_acquire(slab[s], mode) != 0) {
            const struct starfish_cut acquired = {.slabs = s};
            starfish_slabs_release(&acquired, slab);
            return starfish_fail(STARFISH_ERROR_RUNTIME, "field acquire: StarPU refused (called from inside a task?)");
        }
    return STARFISH_SUCCESS;
}

starfish_status starfish_slabs_acquire(const struct starfish_cut *cut, const starpu_data_handle_t *slab,
                                       enum starfish_host_access access)
{
    return acquire_slabs(cut, slab, access == STARFISH_READ ? STARPU_R : STARPU_W);
}

void starfish_slabs_release(const struct starfish_cut *cut, const starpu_data_handle_t *slab)
{
    for (size_t s = 0; s < cut->slabs; s++)
        starfish_data_release_access(slab[s]);
}

/* ---- Fields ------------------------------------------------------------------------------------------------------ */

starfish_status starfish_field_create(starfish_context *context, starfish_precision precision, const size_t n[3],
                                      size_t slabs, void *memory, starfish_field **field)
{
    STARFISH_TRY(check(context, precision, n, field));
    if (slabs == 0 || slabs > n[2] || slabs > STARFISH_MAX_SLABS)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "field: slabs is %zu, not in 1..%zu", slabs,
                             n[2] < STARFISH_MAX_SLABS ? n[2] : (size_t)STARFISH_MAX_SLABS);
    const struct starfish_cut cut = starfish_cut_equally(n[2], slabs);
    return starfish_field_over(context, precision, n, &cut, "memory", memory, field);
}

starfish_status starfish_field_over(struct starfish_context *context, starfish_precision precision, const size_t n[3],
                                    const struct starfish_cut *cut, const char *name, void *memory,
                                    struct starfish_field **result)
{
    STARFISH_TRY(check(context, precision, n, result));
    *result = NULL;
    int node = STARPU_MAIN_RAM;
    enum starfish_residence residence;
    if (memory)
        STARFISH_TRY(starfish_memory_place(context, name, memory, &node, &residence));
    struct starfish_field *field = calloc(1, sizeof *field);
    if (!field)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a field");
    *field = (struct starfish_field){
        .context = context, .precision = precision, .n = {n[0], n[1], n[2]}, .cut = *cut, .memory = memory};
    if (!memory) {
        field->owned_bytes = n[0] * n[1] * n[2] * starfish_real_size(precision);
        starfish_status status = starfish_alloc(context, field->owned_bytes, &field->memory);
        if (status != STARFISH_SUCCESS) {
            free(field);
            return status;
        }
    }
    STARPU_PTHREAD_MUTEX_INIT(&field->lock, NULL);
    STARPU_PTHREAD_COND_INIT(&field->released, NULL);
    const struct starfish_cut_array array = {n, precision, field->memory, node};
    for (size_t s = 0; s < cut->slabs; s++)
        starfish_slab_register(&field->handle[s], name, cut, s, &array);
    *result = field;
    return STARFISH_SUCCESS;
}

void starfish_field_destroy(starfish_field *field)
{
    if (!field)
        return;
    starfish_field_wait_for_holders(field);
    for (size_t s = 0; s < field->cut.slabs; s++)
        starfish_data_unregister(field->handle[s]);
    STARPU_PTHREAD_MUTEX_DESTROY(&field->lock);
    STARPU_PTHREAD_COND_DESTROY(&field->released);
    if (field->owned_bytes > 0)
        starfish_free(field->context, field->memory, field->owned_bytes);
    free(field);
}

starfish_status starfish_field_acquire(starfish_field *field, void **memory)
{
    if (!field || !memory)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "field acquire: NULL argument");
    starfish_field_wait_for_holders(field);
    STARFISH_TRY(acquire_slabs(&field->cut, field->handle, STARPU_RW));
    *memory = field->memory;
    return STARFISH_SUCCESS;
}

starfish_status starfish_field_release(starfish_field *field)
{
    if (!field)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "field release: field is NULL");
    starfish_slabs_release(&field->cut, field->handle);
    return STARFISH_SUCCESS;
}
