/* The plan of a run, and its solves. */
#include "apps/plans/elements.h"

#include <stdio.h>

/* Errors of arguments are about the mesh. */
static starfish_status name_mesh(const struct fem_run *run, starfish_status status)
{
    char message[1024];
    if (status != STARFISH_ERROR_ARGUMENT)
        return status;
    snprintf(message, sizeof message, "%s", starfish_error_message());
    return starfish_fail(status, "%s: %s", run->path, message);
}

starfish_status fem_make_plan(struct fem_run *run, starfish_context *context)
{
    const struct starfish_about about = STARFISH_ABOUT_DEFAULTS;
    const struct starfish_fem_matrices matrices = STARFISH_FEM_MATRICES_DEFAULTS;
    run->about = about;
    run->matrices = matrices;
    STARFISH_TRY(name_mesh(run, starfish_fem_plan_create(context, &run->problem, &run->options.library, &run->plan)));
    STARFISH_TRY(starfish_plan_about(run->plan, &run->about));
    STARFISH_TRY(starfish_fem_matrices(run->plan, &run->matrices));
    const size_t nodes = starfish_fem_nodes(run->plan);
    return fem_is_first(run) ? starfish_array_create(&run->u, run->options.library.precision, 1, &nodes)
                             : STARFISH_SUCCESS;
}

starfish_status fem_solve(struct fem_run *run)
{
    const struct starfish_result unknown = STARFISH_RESULT_DEFAULTS;
    run->result = unknown;
    const starfish_status status = starfish_plan_solve(run->plan, NULL, NULL, run->u.data, &run->result);
    const int has_outcome = status == STARFISH_SUCCESS || status == STARFISH_ERROR_NUMERICAL;
    run->status = has_outcome ? starfish_outcome_name(run->result.outcome) : NULL;
    return status;
}

void fem_destroy_plan(struct fem_run *run)
{
    starfish_plan_destroy(run->plan);
    starfish_array_free(&run->u);
    run->plan = NULL;
}

int fem_is_first(const struct fem_run *run)
{
    return !run->transport || run->transport->rank == 0;
}
