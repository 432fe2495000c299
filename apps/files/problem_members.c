/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problem files: keys that are members of the problem's struct, found in the tables of solver/members.h and read by
 * their types. */
#include "apps/files/problem_keys.h"

#include "apps/files/json.h"
#include "base/deal.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Sizes are ints in the libraries below; more unknowns than this no machine holds. */
static const size_t max_extent = INT32_MAX, max_unknowns = (size_t)1 << 40;

/* ---- Where members lie ------------------------------------------------------------------------------------------- */

/* "levels" is the key of what "levels.faces" is a part of. */
static int has_key(const struct starfish_member *member, const char *key)
{
    const char *own = member->key ? member->key : member->name;
    const size_t length = strlen(key);
    return strncmp(own, key, length) == 0 && (own[length] == '\0' || own[length] == '.');
}

static int find_in(const struct starfish_member_table *table, size_t offset, const char *key, struct key_place *place)
{
    for (size_t m = 0; m < table->count; ++m) {
        const struct starfish_member *member = &table->member[m];
        const size_t size = starfish_member_size(member), count = member->shape ? 1 : member->bytes / size;
        if (member->type == STARFISH_MEMBER_STRUCT && !member->shape) {
            if (find_in(member->table, offset + member->offset, key, place)) {
                *place = (struct key_place){place->member, place->offset, size, count, 1};
                return 1;
            }
        } else if (has_key(member, key)) {
            *place = (struct key_place){member, offset, size, count, 0};
            return 1;
        }
    }
    return 0;
}

struct key_place key_find(const struct starfish_problem_row *row, const char *key)
{
    static const struct starfish_member nothing = {.name = "", .optional = 1, .only = "has no member"};
    struct key_place place = {.member = &nothing};
    find_in(row->members, 0, key, &place);
    return place;
}

void *key_at(const struct starfish_read_problem *problem, const struct key_place *place, size_t index)
{
    return (char *)problem->data + place->offset + place->member->offset + index * place->stride;
}

size_t key_count(const struct starfish_read_problem *problem, const struct key_place *place)
{
    const char *in = (const char *)problem->data + place->offset;
    size_t count = 0;
    if (!place->is_of_axes)
        return starfish_member_elements(place->member, in, problem->data).used;
    for (size_t d = 0; d < place->count; ++d)
        count += starfish_member_elements(place->member, in + d * place->stride, problem->data).used > 0;
    return count;
}

struct starfish_axis *key_axes(const struct starfish_read_problem *problem)
{
    const struct starfish_member_table *table = problem->row->members;
    for (size_t m = 0; m < table->count; ++m)
        if (table->member[m].type == STARFISH_MEMBER_STRUCT && strcmp(table->member[m].name, "axis") == 0)
            return (struct starfish_axis *)(void *)((char *)problem->data + table->member[m].offset);
    return NULL;
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

struct item {
    const char *key;
    size_t entry; /* of a list 1, 2, ..., else 0 */
    const struct starfish_member *member;
    void *at;
};

starfish_status key_number(const struct key_reader *reader, const char *key, size_t entry, const json_t *value,
                           starfish_bound bound, double *number)
{
    const char *wanted = bound == STARFISH_BOUND_POSITIVE ? "positive" : "0 or more";
    STARFISH_TRY(starfish_json_number(reader->path, key, value, number));
    if (bound == STARFISH_BOUND_NONE || *number > 0 || (*number == 0 && bound == STARFISH_BOUND_ZERO))
        return STARFISH_SUCCESS;
    return entry > 0 ? starfish_json_fail(reader->path, key, "entry %zu must be %s", entry, wanted)
                     : starfish_json_fail(reader->path, key, "must be %s, is %g", wanted, *number);
}

int key_index(const json_t *value, const char *const *words, int count)
{
    int index = json_is_string(value) ? 0 : count;
    while (index < count && strcmp(json_string_value(value), words[index]) != 0)
        ++index;
    return index < count ? index : -1;
}

starfish_status key_word(const struct key_reader *reader, const char *key, const json_t *value,
                         const char *const *words, int count, int *index)
{
    char list[512];
    size_t used = 0;
    *index = key_index(value, words, count);
    for (int i = 0; *index < 0 && i < count && used < sizeof list; ++i)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s\"%s\"",
                                 i == 0          ? ""
                                 : i + 1 < count ? ", "
                                                 : " or ",
                                 words[i]);
    return *index < 0 ? starfish_json_fail(reader->path, key, "must be %s", list) : STARFISH_SUCCESS;
}

static starfish_status read_real(const struct key_reader *reader, const struct item *item, const json_t *value)
{
    return key_number(reader, item->key, item->entry, value, item->member->bound, item->at);
}

static starfish_status read_size(const struct key_reader *reader, const struct item *item, const json_t *value)
{
    const long long number = json_integer_value(value);
    char entry[40] = "";
    if (item->entry > 0)
        snprintf(entry, sizeof entry, "entry %zu ", item->entry);
    STARFISH_JSON_FAIL_IF(!json_is_integer(value), reader->path, item->key, "%smust be a whole number", entry);
    STARFISH_JSON_FAIL_IF(number < 1 || (size_t)number > max_extent, reader->path, item->key,
                          "%smust be from 1 to %zu, is %lld", entry, max_extent, number);
    *(size_t *)item->at = (size_t)number;
    return STARFISH_SUCCESS;
}

static starfish_status read_word(const struct key_reader *reader, const struct item *item, const json_t *value)
{
    return key_word(reader, item->key, value, item->member->values, item->member->value_count, item->at);
}

static starfish_status read_switch(const struct key_reader *reader, const struct item *item, const json_t *value)
{
    STARFISH_JSON_FAIL_IF(!json_is_boolean(value), reader->path, item->key, "must be true or false");
    *(int *)item->at = json_is_true(value);
    return STARFISH_SUCCESS;
}

static starfish_status (*const types[STARFISH_MEMBER_TYPES])(const struct key_reader *reader, const struct item *item,
                                                             const json_t *value) = {
    [STARFISH_MEMBER_INT] = read_word,
    [STARFISH_MEMBER_SWITCH] = read_switch,
    [STARFISH_MEMBER_SIZE] = read_size,
    [STARFISH_MEMBER_REAL] = read_real,
};

/* ---- Members ----------------------------------------------------------------------------------------------------- */

/* A list of the elements that count. Lengths of axes are read with their grids. */
static starfish_status read_list(const struct key_reader *reader, const char *key, const json_t *value,
                                 const struct key_place *place)
{
    const struct starfish_member *member = place->member;
    const size_t count = key_count(reader->problem, place);
    const int later = place->is_of_axes && member->elements && key_has(reader, "grid");
    STARFISH_TRY(starfish_json_list(reader->path, key, value, count));
    for (size_t i = 0; !later && i < count; ++i) {
        const struct item item = {key, i + 1, member, key_at(reader->problem, place, i)};
        STARFISH_TRY(types[member->type](reader, &item, json_array_get(value, i)));
    }
    return STARFISH_SUCCESS;
}

static starfish_status check(const struct key_reader *reader, const char *key, const struct starfish_member *member)
{
    const starfish_status status = member->check ? member->check(reader->problem->data) : STARFISH_SUCCESS;
    return status == STARFISH_SUCCESS ? status
                                      : starfish_json_wrap(reader->path, member->key ? member->key : key, status);
}

starfish_status key_read_member(const struct key_reader *reader, const char *key, const json_t *value)
{
    const struct key_place place = key_find(reader->problem->row, key);
    const struct starfish_member *member = place.member;
    if (!value && member->optional)
        return STARFISH_SUCCESS;
    if (!member->shape && key_count(reader->problem, &place) == 0)
        return value ? starfish_json_fail(reader->path, key, "%s", member->only) : STARFISH_SUCCESS;
    const struct item item = {key, 0, member, key_at(reader->problem, &place, 0)};
    STARFISH_TRY(member->shape                         ? key_read_array(reader, key, value)
                 : place.count > 1 || place.is_of_axes ? read_list(reader, key, value, &place)
                                                       : types[member->type](reader, &item, value));
    return check(reader, key, member);
}

/* Directions that there are not have one unknown. */
starfish_status key_read_sizes(const struct key_reader *reader, const char *key, const json_t *value)
{
    struct starfish_read_problem *problem = reader->problem;
    const struct key_place place = key_find(problem->row, key);
    size_t unknowns = 1;
    STARFISH_TRY(read_list(reader, key, value, &place));
    for (size_t d = 0; d < 3; ++d) {
        size_t *n = d < place.count ? key_at(problem, &place, d) : NULL;
        problem->n[d] = n && *n > 0 ? *n : 1;
        if (n)
            *n = problem->n[d];
        STARFISH_JSON_FAIL_IF(__builtin_mul_overflow(unknowns, problem->n[d], &unknowns) || unknowns > max_unknowns,
                              reader->path, key, "more than %zu unknowns", max_unknowns);
    }
    const struct starfish_run_of_planes run =
        starfish_deal(problem->n[problem->row->dimensions - 1], reader->rank, reader->ranks);
    problem->first_plane = run.first;
    problem->planes = run.count;
    return check(reader, key, place.member);
}
