/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems by their names: the public functions of starfish/problems.h, which look names up in the tables of all
 * kinds. */
#include "base/arithmetic.h"
#include "solver/kinds.h"

#include <string.h>

const struct starfish_problem_row *starfish_problem_row(size_t index, const struct starfish_kind **kind)
{
    for (size_t k = 0; starfish_kinds[k]; k++)
        for (const struct starfish_problem_row *row = starfish_kinds[k]->problems; row && row->name; row++)
            if (index-- == 0) {
                *kind = starfish_kinds[k];
                return row;
            }
    return NULL;
}

struct named {
    const struct starfish_problem_row *row;
    const struct starfish_kind *kind;
};

static starfish_status find(const char *name, struct named *found)
{
    STARFISH_NEED(name, "name");
    for (size_t i = 0; (found->row = starfish_problem_row(i, &found->kind)); i++)
        if (strcmp(found->row->name, name) == 0)
            return STARFISH_SUCCESS;
    return starfish_fail(STARFISH_ERROR_ARGUMENT, "name is %s, which is no kind of problem", name);
}

const char *starfish_problem_name(size_t index)
{
    STARFISH_OWN_ARITHMETIC;
    const struct starfish_kind *kind;
    const struct starfish_problem_row *row = starfish_problem_row(index, &kind);

    return row ? row->name : NULL;
}

starfish_status starfish_problem(const char *name, struct starfish_problem_description *description)
{
    STARFISH_OWN_ARITHMETIC;
    struct named found;

    STARFISH_NEED(description, "description");
    STARFISH_TRY(find(name, &found));
    *description = (struct starfish_problem_description){
        .options = found.kind->name, .dimensions = found.row->dimensions, .struct_size = found.row->members->size};
    return STARFISH_SUCCESS;
}

starfish_status starfish_problem_member(const char *name, size_t index, struct starfish_member_description *description)
{
    STARFISH_OWN_ARITHMETIC;
    struct named found;

    STARFISH_NEED(description, "description");
    STARFISH_TRY(find(name, &found));
    const struct starfish_member_table *table = found.row->members;
    STARFISH_REFUSE_IF(index >= table->count, "index is %zu, but problem %s has %zu members", index, name,
                       table->count);
    const struct starfish_member *member = &table->member[index];
    *description = (struct starfish_member_description){.name = member->name,
                                                        .type = member->type,
                                                        .value_count = member->value_count,
                                                        .offset = member->offset,
                                                        .bytes = member->bytes,
                                                        .shape = member->shape,
                                                        .values = member->values};
    return STARFISH_SUCCESS;
}

starfish_status starfish_problem_plan_create(starfish_context *context, const char *name, const void *problem,
                                             const void *options, starfish_plan **plan)
{
    STARFISH_OWN_ARITHMETIC;
    struct named found;

    STARFISH_NEED(plan, "plan");
    *plan = NULL;
    STARFISH_NEED(context, "context");
    STARFISH_NEED(problem, "problem");
    STARFISH_TRY(find(name, &found));
    return starfish_plan_make(context, found.kind, found.row->members, problem, options, plan);
}
