/* The tests of the direct solvers and their interface on GPUs alone and on GPUs and cores together; 77 where there is
 * no GPU. */
#include "tests/poisson/direct.h"
#include "tests/poisson/interface.h"

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
    int failed = test_interface("gpu", 0, -1) + test_interface("cpu and gpu", -1, -1);
    failed += test_direct_solvers("gpu", 0, -1, 0) + test_direct_solvers("cpu and gpu", -1, -1, 0);
    failed += test_direct_solvers("single cores and gpu", -1, -1, 1);
    return failed == 0 ? 0 : 1;
}
