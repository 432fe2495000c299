/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Describes all option structs to wrappers in other languages: the public functions of starfish/options.h. */
#include "scheduler/runtime/options.h"

#include "base/arithmetic.h"
#include "solver/kinds.h"

#include <string.h>

static const struct starfish_kind of_context = {.name = "context", .options = &starfish_context_option_table};

const char *starfish_options_name(size_t index)
{
    STARFISH_OWN_ARITHMETIC;
    size_t kinds = 0;

    while (starfish_kinds[kinds])
        kinds++;
    return index == 0 ? of_context.name : index <= kinds ? starfish_kinds[index - 1]->name : NULL;
}

starfish_status starfish_option(const char *name, size_t index, struct starfish_option_description *description)
{
    STARFISH_OWN_ARITHMETIC;
    const struct starfish_kind *kind = &of_context;

    STARFISH_NEED(name, "name");
    for (size_t i = 0; kind; kind = starfish_kinds[i++])
        if (strcmp(kind->name, name) == 0)
            return starfish_option_describe(kind->options, index, description);
    return starfish_fail(STARFISH_ERROR_ARGUMENT, "name is '%s', which has no options", name);
}
