/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problem files: values of fields, and arrays that members point to. Both may be numbers or array files; each is
 * checked as it is read. */
#include "apps/files/problem_keys.h"

#include "apps/files/file.h"
#include "apps/files/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

starfish_status key_array(const struct key_reader *reader, const char *key, const struct starfish_wanted *wanted,
                          int is_needed, struct starfish_array *array)
{
    struct starfish_read_problem *problem = reader->problem;
    char *path;
    *array = (struct starfish_array){.data = NULL};
    if (reader->only_shapes && !is_needed) {
        array->rank = wanted->rank;
        memcpy(array->shape, wanted->shape, sizeof array->shape);
        return STARFISH_SUCCESS;
    }
    STARFISH_TRY(starfish_file_join(wanted->name == reader->rhs ? NULL : problem->folder, wanted->name, &path));
    const starfish_status status = starfish_file_read(path, wanted, array);
    if (status == STARFISH_SUCCESS && problem->inputs < STARFISH_PROBLEM_INPUTS)
        problem->input[problem->inputs++] = path;
    else
        free(path);
    return status == STARFISH_SUCCESS ? status : starfish_json_wrap(reader->path, key, status);
}

starfish_status key_values(const struct key_reader *reader, const char *key, const json_t *value,
                           struct starfish_wanted wanted, int is_needed, struct starfish_values *values)
{
    values->given = 1;
    wanted.name = json_string_value(value);
    wanted.reason = "";
    if (wanted.name)
        return key_array(reader, key, &wanted, is_needed, &values->array);
    STARFISH_JSON_FAIL_IF(value && !json_is_number(value), reader->path, key, "must be a number or the name of a file");
    return starfish_json_number(reader->path, key, value, &values->constant);
}

static struct starfish_wanted field_of(const struct starfish_read_problem *problem)
{
    struct starfish_wanted wanted = {.part = 1, .first = problem->first_plane, .count = problem->planes};
    wanted.rank = starfish_problem_shape(problem, wanted.shape);
    return wanted;
}

starfish_status key_read_rhs(const struct key_reader *reader, const char *key, const json_t *value)
{
    struct starfish_values *values = &reader->problem->rhs;
    struct starfish_wanted wanted = field_of(reader->problem);
    if (!reader->rhs)
        return key_values(reader, key, value, wanted, 0, values);
    values->given = 1;
    wanted.name = reader->rhs;
    wanted.reason = "";
    return key_array(reader, key, &wanted, 0, &values->array);
}

starfish_status key_read_exact(const struct key_reader *reader, const char *key, const json_t *value)
{
    return value ? key_values(reader, key, value, field_of(reader->problem), 0, &reader->problem->exact)
                 : STARFISH_SUCCESS;
}

/* ---- Arrays of the problem's struct ------------------------------------------------------------------------------ */

static starfish_status keep(struct starfish_read_problem *problem, void *memory)
{
    void **grown = realloc(problem->kept, (problem->kept_count + 1) * sizeof *grown);
    if (grown)
        problem->kept = grown;
    if (!grown || !memory) {
        free(memory);
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a problem");
    }
    problem->kept[problem->kept_count++] = memory;
    return STARFISH_SUCCESS;
}

starfish_status key_keep(struct starfish_read_problem *problem, struct starfish_array *array, const double **data)
{
    if (!array->data)
        return STARFISH_SUCCESS;
    const starfish_status status = starfish_array_convert(array, STARFISH_F64);
    if (status != STARFISH_SUCCESS) {
        starfish_array_free(array);
        return status;
    }
    *data = array->data;
    return keep(problem, array->data);
}

/* The number of this process's first cell. */
static size_t first_cell(const struct starfish_read_problem *problem)
{
    return problem->first_plane * problem->n[0] * (problem->row->dimensions == 3 ? problem->n[1] : 1);
}

/* A cell as people count it: "cell (3, 1)" in x and y. */
static starfish_status fail_cell(const struct key_reader *reader, const char *key, size_t cell, double value)
{
    const size_t *n = reader->problem->n;
    cell += first_cell(reader->problem);
    const size_t at[3] = {cell % n[0], cell / n[0] % n[1], cell / n[0] / n[1]};
    char place[80];
    if (reader->problem->row->dimensions == 2)
        snprintf(place, sizeof place, "(%zu, %zu)", at[0], at[1]);
    else
        snprintf(place, sizeof place, "(%zu, %zu, %zu)", at[0], at[1], at[2]);
    return starfish_json_fail(reader->path, key, "must be positive, is %g in cell %s", value, place);
}

/* A number in the place of a field; in a simulation, where values do not matter, 1. */
static starfish_status set_constant(const struct key_reader *reader, const char *key,
                                    const struct starfish_member *member, const struct starfish_values *values)
{
    double *constant = (double *)(void *)((char *)reader->problem->data + member->constant);
    const double *data = values->array.data ? values->array.data : constant;
    const size_t count = values->array.data ? starfish_array_count(&values->array) : 1;
    *constant = values->array.rank > 0 ? 1 : values->constant;
    for (size_t i = 0; member->bound == STARFISH_BOUND_POSITIVE && i < count; ++i)
        if (!(data[i] > 0))
            return fail_cell(reader, key, i, data[i]);
    return STARFISH_SUCCESS;
}

/* Whole numbers of any type; files are read as doubles, which are exact up to 2^53. */
static starfish_status set_numbers(const struct key_reader *reader, const char *key, const double *data, size_t count,
                                   const long long **member)
{
    long long *numbers = malloc((count + 1) * sizeof *numbers);
    STARFISH_TRY(keep(reader->problem, numbers));
    *member = numbers;
    for (size_t i = 0; data && i < count; ++i) {
        STARFISH_JSON_FAIL_IF(!(fabs(data[i]) <= 0x1p53) || data[i] != floor(data[i]), reader->path, key,
                              "must be whole numbers of at most 2^53, cell %zu has %g", first_cell(reader->problem) + i,
                              data[i]);
        numbers[i] = (long long)data[i];
    }
    return STARFISH_SUCCESS;
}

/* The value of "faces" in {"faces": file}. */
static starfish_status look_into(const struct key_reader *reader, const char *key, const char *part,
                                 const json_t **value)
{
    const char *known[] = {part, NULL};
    char prefix[64];
    STARFISH_JSON_FAIL_IF(!json_is_object(*value), reader->path, key, "must be an object with \"%s\"", part);
    snprintf(prefix, sizeof prefix, "%s.", key);
    STARFISH_TRY(starfish_json_known(reader->path, *value, prefix, known));
    *value = json_object_get(*value, part);
    return STARFISH_SUCCESS;
}

starfish_status key_read_array(const struct key_reader *reader, const char *key, const json_t *value)
{
    struct starfish_read_problem *problem = reader->problem;
    const struct key_place place = key_find(problem->row, key);
    const struct starfish_member *member = place.member;
    const char *dot = member->key ? strchr(member->key, '.') : NULL;
    void *at = key_at(problem, &place, 0);
    struct starfish_wanted wanted = {.rank = 1, .shape = {key_count(problem, &place)}};
    struct starfish_values values = {.given = 0};
    const double *data = NULL;
    if (dot) {
        STARFISH_TRY(look_into(reader, key, dot + 1, &value));
        key = member->key;
    }
    if (member->agree == STARFISH_AGREE_PRESENT)
        wanted = field_of(problem);
    STARFISH_JSON_FAIL_IF(member->constant == 0 && !json_is_string(value), reader->path, key,
                          "must be the name of a file");
    STARFISH_TRY(key_values(reader, key, value, wanted, member->constant == 0, &values));
    STARFISH_TRY(key_keep(problem, &values.array, &data));
    if (member->type == STARFISH_MEMBER_LONG)
        return set_numbers(reader, key, data, starfish_array_count(&values.array), at);
    *(const double **)at = data;
    return member->constant > 0 ? set_constant(reader, key, member, &values) : STARFISH_SUCCESS;
}
