/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The public context (include/starfish/context.h): the runtime's context, with the laboratory attached by its hooks
 * before the first one. */
#include "scheduler/runtime/context.h"
#include "base/arithmetic.h"
#include "scheduler/lab/lab.h"

starfish_status starfish_context_create(starfish_context **context, const struct starfish_context_options *options)
{
    STARFISH_OWN_ARITHMETIC;
    starfish_lab_attach();
    return starfish_runtime_create(context, options);
}
