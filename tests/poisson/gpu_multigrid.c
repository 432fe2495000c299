/* The method multigrid on GPUs alone and on GPUs beside cores; 77 where there is no GPU. */
#include "tests/poisson/multigrid.h"
#include "tests/poisson/multigrid_jobs.h"

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
    return test_poisson_multigrid_jobs("jobs on a gpu", 0, -1) + test_poisson_multigrid_jobs("jobs on both", -1, -1) +
               test_poisson_multigrid("gpu", 0, -1) + test_poisson_multigrid("cpu and gpu", -1, -1) !=
           0;
}
