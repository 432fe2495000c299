/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solves in the order of a CUDA stream. Where all of a solve's tasks are for the GPU that the arrays lie on, they are
 * one task (scheduler/runtime/task_group_stream.h), which is ordered by events: the caller's thread waits for its
 * launches alone. Where they are not (cores or several GPUs share the solve, or an iteration looks at its residuals),
 * the caller's thread waits for what is in the stream, and for the solve: what it puts into the stream later comes
 * after both. Holding the stream until the host is done (cuStreamWaitValue32) deadlocked on an H200;
 * task_group_stream.h explains why. */
#include "poisson/methods.h"

#include "base/arithmetic.h"
#include "scheduler/runtime/idle.h"
#include "scheduler/runtime/task_group_stream.h"

/* Both arrays have to be there when the stream comes to them: in device memory. */
static starfish_status check_place(const struct starfish_poisson_plan *plan, const char *name, const void *memory,
                                   int *node)
{
    enum starfish_residence residence;
    STARFISH_TRY(starfish_memory_place(plan->base.context, name, memory, node, &residence));
    STARFISH_REFUSE_IF(residence != STARFISH_ON_DEVICE, "%s is not in CUDA device memory", name);
    return STARFISH_SUCCESS;
}

static starfish_status check(const struct starfish_poisson_plan *plan, const struct starfish_request *request,
                             int node[2])
{
    if (plan->base.context->workers_of[STARFISH_GPU] == 0)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "stream: the context has no GPU");
    STARFISH_TRY(check_place(plan, "rhs", request->rhs, &node[0]));
    return check_place(plan, "solution", request->solution, &node[1]);
}

/* The solve as one task. UNSUPPORTED: it cannot be. */
static starfish_status launch(struct starfish_poisson_plan *plan, struct starfish_request request,
                              struct CUstream_st *stream, int node, starfish_job **job)
{
    STARFISH_FAIL_IF(plan->base.run, STARFISH_ERROR_UNSUPPORTED, "stream: method %s looks at its residuals",
                     starfish_method_list[plan->method->id]);
    STARFISH_TRY(starfish_stream_group_create(&request.group, plan->base.context, stream, node));
    const starfish_status status = starfish_job_create(&plan->base, &request, 0, job);
    if (status != STARFISH_SUCCESS)
        starfish_stream_group_destroy(request.group);
    return status;
}

/* Behind what is in the stream; the solve ends here. */
static starfish_status solve(starfish_plan *plan, const struct starfish_request *request, struct CUstream_st *stream,
                             int node, starfish_job **job)
{
    STARFISH_TRY(starfish_stream_wait(plan->context, stream, node));
    starfish_idle_call_begin();
    const starfish_status status = starfish_job_create(plan, request, 1, job);
    starfish_idle_call_end();
    return status;
}

starfish_status starfish_poisson_submit_on(starfish_plan *base, const struct starfish_boundary *boundary,
                                           const void *rhs, void *solution, struct CUstream_st *stream,
                                           starfish_job **job)
{
    STARFISH_OWN_ARITHMETIC;
    struct starfish_poisson_plan *plan = (struct starfish_poisson_plan *)base;
    const struct starfish_request request = {
        .boundary = boundary, .rhs = rhs, .solution = solution, .boundary_stays = 1};
    int node[2];
    STARFISH_TRY(starfish_plan_check(base, &starfish_kind_poisson));
    STARFISH_NEED(rhs, "rhs");
    STARFISH_NEED(solution, "solution");
    STARFISH_NEED(job, "job");
    *job = NULL;
    STARFISH_TRY(check(plan, &request, node));
    const starfish_status status =
        node[0] == node[1] ? launch(plan, request, stream, node[1], job) : STARFISH_ERROR_UNSUPPORTED;
    if (status != STARFISH_ERROR_UNSUPPORTED && status != STARFISH_ERROR_MEMORY)
        return status;
    return solve(base, &request, stream, node[1], job); /* one after the other they may fit */
}
