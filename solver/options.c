/* What wrappers in other languages are told of all option structs: the public functions of starfish/options.h. */
#include "scheduler/options.h"

#include "base/arithmetic.h"
#include "solver/kinds.h"

#include <string.h>

static const struct starfish_kind_row of_context = {"context", &starfish_context_option_table};

/* Row `index` of all, NULL past the last. */
static const struct starfish_kind_row *row_at(size_t index)
{
    if (index == 0)
        return &of_context;
    for (size_t i = 0; starfish_kinds[i].name; i++)
        if (i + 1 == index)
            return &starfish_kinds[i];
    return NULL;
}

const char *starfish_options_name(size_t index)
{
    STARFISH_OWN_ARITHMETIC;
    const struct starfish_kind_row *row = row_at(index);

    return row ? row->name : NULL;
}

starfish_status starfish_option(const char *name, size_t index, struct starfish_option_description *description)
{
    STARFISH_OWN_ARITHMETIC;
    const struct starfish_kind_row *row;

    STARFISH_NEED(name, "name");
    for (size_t i = 0; (row = row_at(i)) != NULL; i++)
        if (strcmp(row->name, name) == 0)
            return starfish_option_describe(row->options, index, description);
    return starfish_fail(STARFISH_ERROR_ARGUMENT, "name is '%s', which has no options", name);
}
