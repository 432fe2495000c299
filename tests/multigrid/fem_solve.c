/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Grids of finite elements on cores: in one part, and in three. */
#include "tests/multigrid/fem_cases.h"

#include <stdio.h>

int main(void)
{
    static const struct starfish_owner owners[][TEST_FEM_PARTS] = {
        {{0, STARFISH_CORES}, {0, STARFISH_CORES}, {0, STARFISH_CORES}},
        {{0, STARFISH_ANY}, {0, STARFISH_CORES}, {0, STARFISH_ANY}}};
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    starfish_context *context;

    options.gpu_workers = 0;
    if (starfish_context_create(&context, &options) != STARFISH_SUCCESS) {
        fprintf(stderr, "%s\n", starfish_error_message());
        return 1;
    }
    const int failed = test_fem_kind_on(context, owners, sizeof owners / sizeof owners[0]);
    starfish_context_destroy(context);
    return failed != 0;
}
