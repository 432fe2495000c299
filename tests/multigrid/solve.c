/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Q1 multigrid on cores. Arguments: nothing, or `paper` for the paper's figures instead, which take long. */
#include "tests/multigrid/solve_cases.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    starfish_context *context;
    (void)argv;
    options.gpu_workers = 0;
    if (starfish_context_create(&context, &options) != STARFISH_SUCCESS) {
        fprintf(stderr, "%s\n", starfish_error_message());
        return 1;
    }
    const int failed = argc < 2 ? test_multigrid_solves(context, &test_host_memory, 1) +
                                      test_multigrid_paper(context, &test_host_memory, 1)
                                : test_multigrid_paper(context, &test_host_memory, 0);
    starfish_context_destroy(context);
    return failed != 0;
}
