/* Fields: registration of user memory as slabs, without copies. */
#include "scheduler/field.h"

#include "base/real.h"

#include <stdlib.h>

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

static void register_slabs(struct starfish_field *field, const char *name, int node)
{
    const size_t size = starfish_real_size(field->precision), plane = field->n[0] * field->n[1];
    for (size_t s = 0; s < field->cut.slabs; s++) {
        uintptr_t address = (uintptr_t)field->memory + field->cut.first_plane[s] * plane * size;
        uint32_t planes = (uint32_t)starfish_cut_planes(&field->cut, s);
        starpu_block_data_register(&field->handle[s], node, address, (uint32_t)field->n[0], (uint32_t)plane,
                                   (uint32_t)field->n[0], (uint32_t)field->n[1], planes, size);
        starpu_data_set_coordinates(field->handle[s], 1, (int)s);
        starpu_data_set_name(field->handle[s], name);
    }
}

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
    register_slabs(field, name, node);
    *result = field;
    return STARFISH_SUCCESS;
}

void starfish_field_destroy(starfish_field *field)
{
    if (!field)
        return;
    for (size_t s = 0; s < field->cut.slabs; s++)
        starpu_data_unregister(field->handle[s]);
    if (field->owned_bytes > 0)
        starfish_free(field->context, field->memory, field->owned_bytes);
    free(field);
}

starfish_status starfish_field_acquire(starfish_field *field, void **memory)
{
    if (!field || !memory)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "field acquire: NULL argument");
    for (size_t s = 0; s < field->cut.slabs; s++) {
        int home = starpu_data_get_home_node(field->handle[s]);
        if (starpu_data_acquire_on_node(field->handle[s], home, STARPU_RW) != 0) {
            while (s-- > 0)
                starpu_data_release_on_node(field->handle[s], starpu_data_get_home_node(field->handle[s]));
            return starfish_fail(STARFISH_ERROR_RUNTIME, "field acquire: StarPU refused (called from inside a task?)");
        }
    }
    *memory = field->memory;
    return STARFISH_SUCCESS;
}

starfish_status starfish_field_release(starfish_field *field)
{
    if (!field)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "field release: field is NULL");
    for (size_t s = 0; s < field->cut.slabs; s++)
        starpu_data_release_on_node(field->handle[s], starpu_data_get_home_node(field->handle[s]));
    return STARFISH_SUCCESS;
}
