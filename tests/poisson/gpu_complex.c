/* 2D problems in complex numbers on GPUs alone and on GPUs and cores together; 77 where there is no GPU. */
#include "tests/poisson/complex.h"

#include <starfish/starfish.h>
#include <stdio.h>

int main(void)
{
    starfish_context *context = NULL;
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    if (starfish_context_create(&context, &options) != STARFISH_SUCCESS) {
        fprintf(stderr, "%s\n", starfish_error_message());
        return 1;
    }
    const size_t gpus = starfish_context_workers_of(context, STARFISH_GPU);
    starfish_context_destroy(context);
    if (gpus == 0)
        return 77;
    return test_complex("gpu", 0, -1, 0) + test_complex("cpu and gpu", -1, -1, 0) == 0 ? 0 : 1;
}
