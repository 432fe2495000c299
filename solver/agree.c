/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Walks over the tables of options and problems, for fingerprints of data that must be equal on all ranks. */
#include "solver/agree.h"

#include "base/fingerprint.h"

/* ---- Options ----------------------------------------------------------------------------------------------------- */

/* A number for each rank. */
static uint64_t fingerprint_of_ranks(const size_t *number, int ranks)
{
    uint64_t hash = STARFISH_FINGERPRINT;

    starfish_fingerprint_number(&hash, number != NULL);
    if (number)
        starfish_fingerprint_bytes(&hash, number, (size_t)ranks * sizeof *number);
    return hash;
}

static void add_options(struct starfish_alike *alike, const struct starfish_option_table *table, const void *options,
                        int ranks)
{
    const struct starfish_alike_name all = {.text = "options"};

    for (size_t i = 0; i < table->count; i++) {
        const struct starfish_option *option = &table->option[i];
        const struct starfish_alike_name name = {&all, option->name, 0};
        const void *at = (const char *)options + option->offset;
        if (option->agree == STARFISH_AGREE_RANKS)
            starfish_alike_add(alike, &name, fingerprint_of_ranks(*(const size_t *const *)at, ranks));
        else if (option->agree != STARFISH_AGREE_LOCAL)
            starfish_alike_add(alike, &name, starfish_option_fingerprint(option, options));
    }
}

/* ---- Problems ---------------------------------------------------------------------------------------------------- */

/* A struct of a problem, or the problem itself. */
struct within {
    const struct starfish_member_table *table;
    const void *in, *around;
    int is_idle;
};

/* Of the elements that count. Numbers are compared bit by bit. */
static uint64_t fingerprint_of_elements(const struct starfish_member *member, const void *elements,
                                        const struct starfish_elements *extent)
{
    const size_t size = starfish_member_size(member);
    const char *at = (const char *)elements + extent->first * size;
    uint64_t hash = STARFISH_FINGERPRINT;

    if (member->type == STARFISH_MEMBER_SWITCH)
        for (size_t i = 0; i < extent->used; i++)
            starfish_fingerprint_number(&hash, ((const int *)(const void *)at)[i] != 0);
    else if (extent->used == extent->width)
        starfish_fingerprint_bytes(&hash, at, extent->rows * extent->width * size);
    else
        for (size_t row = 0; row < extent->rows; row++)
            starfish_fingerprint_bytes(&hash, at + row * extent->width * size, extent->used * size);
    return hash;
}

static void add_presence(struct starfish_alike *alike, const struct starfish_alike_name *name, int is_present)
{
    const struct starfish_alike_name whether = {name, " (given or NULL)", 0};

    starfish_alike_add(alike, &whether, 1 + (uint64_t)is_present);
}

static void add_members(struct starfish_alike *alike, const struct starfish_alike_name *name,
                        const struct within *within);

static void add_structs(struct starfish_alike *alike, struct starfish_alike_name *name, const struct within *within,
                        const struct starfish_member *member)
{
    const char *elements = starfish_member_data(member, within->in);
    const struct starfish_elements extent = starfish_member_elements(member, within->in, within->around);
    const size_t count = extent.rows * extent.used;

    if (!elements && count > 0)
        add_presence(alike, name, 0);
    for (size_t i = 0; elements && i < count; i++) {
        const struct within element = {member->table, elements + i * member->table->size, within->in, within->is_idle};
        name->nth = count > 1 ? i + 1 : 0;
        add_members(alike, name, &element);
    }
}

static void add_values(struct starfish_alike *alike, const struct starfish_alike_name *name,
                       const struct within *within, const struct starfish_member *member)
{
    const void *elements = starfish_member_data(member, within->in);
    const struct starfish_elements extent = starfish_member_elements(member, within->in, within->around);

    if (extent.rows * extent.used == 0)
        starfish_alike_add(alike, name, 0);
    else if (!elements)
        add_presence(alike, name, 0);
    else
        starfish_alike_add(alike, name, fingerprint_of_elements(member, elements, &extent));
}

/* Of the members of one struct, and of those that it holds. */
static void add_members(struct starfish_alike *alike, const struct starfish_alike_name *name,
                        const struct within *within)
{
    for (size_t m = 0; m < within->table->count; m++) {
        const struct starfish_member *member = &within->table->member[m];
        struct starfish_alike_name own = {name, member->name, 0};
        if (member->agree == STARFISH_AGREE_LOCAL)
            continue;
        if (member->agree == STARFISH_AGREE_PRESENT && member->shape && within->is_idle)
            starfish_alike_add(alike, &own, 0);
        else if (member->agree == STARFISH_AGREE_PRESENT)
            add_presence(alike, &own, *(const void *const *)((const char *)within->in + member->offset) != NULL);
        else if (member->type == STARFISH_MEMBER_STRUCT)
            add_structs(alike, &own, within, member);
        else
            add_values(alike, &own, within, member);
    }
}

/* ---- Both -------------------------------------------------------------------------------------------------------- */

struct walk {
    const struct starfish_plan_alike *plan;
    int ranks;
};

static void walk_plan(const void *data, struct starfish_alike *alike)
{
    const struct walk *walk = data;
    const struct starfish_plan_alike *plan = walk->plan;
    const struct starfish_alike_name kind = {.text = "the kind of plan"}, problem = {.text = "problem"};
    const struct within whole = {plan->problem_table, plan->problem, NULL, plan->is_idle};
    uint64_t hash = STARFISH_FINGERPRINT;

    starfish_fingerprint_text(&hash, plan->problem_table->name);
    starfish_alike_add(alike, &kind, hash);
    add_members(alike, &problem, &whole);
    add_options(alike, plan->option_table, plan->options, walk->ranks);
}

starfish_status starfish_agree_on_plan(const struct starfish_context *context, starfish_status status,
                                       const struct starfish_plan_alike *plan)
{
    const struct walk walk = {plan, starfish_context_ranks(context)};

    return starfish_ranks_agree_on(context, status, walk_plan, &walk);
}
