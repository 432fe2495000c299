/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plans of FISHPACK's routines on workers of the kind that the first argument names, against the calling thread. Exit
 * status 77 without such workers. */
#include "tests/fishpack/calls.h"

#include <starfish/context.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "cpu";
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    starfish_context *context;
    setenv("STARFISH_FISHPACK_WORKERS", kind, 1);
    setenv("STARFISH_FISHPACK_LEAST", "1", 1);
    if (strcmp(kind, "gpu") == 0)
        options.cpu_workers = 0;
    else
        options.gpu_workers = 0;
    if (starfish_context_create(&context, &options) != STARFISH_SUCCESS) {
        printf("%s\n", starfish_error_message());
        return 77;
    }
    const int bad = test_fishpack_plans();
    starfish_context_destroy(context);
    return bad > 0;
}
