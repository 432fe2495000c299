/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Multigrid on three uneven parts of cores: of one array, and each with memory and halos of its own. */
#include "tests/multigrid/parts_cases.h"

#include <stdio.h>

int main(void)
{
    static const struct test_owners owners[] = {
        {"cores, one array", 0, {{0, STARFISH_CORES}, {0, STARFISH_CORES}, {0, STARFISH_CORES}}},
        {"cores, parts apart", 1, {{0, STARFISH_CORES}, {0, STARFISH_ANY}, {0, STARFISH_CORES}}},
    };
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    starfish_context *context;

    options.gpu_workers = 0;
    if (starfish_context_create(&context, &options) != STARFISH_SUCCESS) {
        fprintf(stderr, "%s\n", starfish_error_message());
        return 1;
    }
    const int failed = test_parts(context, owners, sizeof owners / sizeof owners[0]) +
                       test_asked_parts(context, STARFISH_SHARING_AUTO) +
                       test_asked_parts(context, STARFISH_SHARING_ALL);
    starfish_context_destroy(context);
    return failed != 0;
}
