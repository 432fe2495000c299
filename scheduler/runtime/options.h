/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options of contexts, as a table (base/options.h), which programs and wrappers list with all others. */
#ifndef STARFISH_SCHEDULER_RUNTIME_OPTIONS_H
#define STARFISH_SCHEDULER_RUNTIME_OPTIONS_H

#include "base/options.h"
#include <starfish/context.h>

extern const struct starfish_option_table starfish_context_option_table;

#endif
