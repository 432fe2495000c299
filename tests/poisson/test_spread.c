/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields that are spread over memories, on cores alone: one share in main memory, which must solve like a plain
 * field. */
#include "tests/poisson/spread.h"

#include <stdio.h>
#include <string.h>

static void copy(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

int main(void)
{
    static const int cores[] = {STARFISH_CORES_SHARE};
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    starfish_context *context;
    options.gpu_workers = 0;
    if (starfish_context_create(&context, &options) != STARFISH_SUCCESS) {
        fprintf(stderr, "%s\n", starfish_error_message());
        return 1;
    }
    const int failed = test_spread(context, cores, 1, copy);
    starfish_context_destroy(context);
    return failed != 0;
}
