/* What plans take of memories: asked of the method, before the plan is made or after, and compared with what is there.
 */
#include "poisson/methods.h"

#include "base/options.h"
#include "poisson/gathered.h"
#include "scheduler/memory.h"

static starfish_status fill(const struct starfish_poisson_plan *plan, struct starfish_memory *memory)
{
    const size_t room = starfish_device_room(plan->context);
    *memory = (struct starfish_memory){.size = sizeof *memory};
    STARFISH_TRY(plan->method->memory(plan, memory));
    if (plan->context->workers_of[STARFISH_GPU] == 0)
        memory->gpu_work = memory->gpu_data = memory->gpu_least = 0;
    else /* a plan that is there has taken its own */
        memory->gpu_there = room == SIZE_MAX || !plan->state ? room : room + memory->gpu_work;
    return STARFISH_SUCCESS;
}

starfish_status starfish_poisson_check_memory(const struct starfish_poisson_plan *plan)
{
    struct starfish_memory memory;
    STARFISH_TRY(fill(plan, &memory));
    if (plan->context->workers_of[STARFISH_GPU] == 0 || memory.gpu_least <= memory.gpu_there)
        return STARFISH_SUCCESS;
    return starfish_fail(STARFISH_ERROR_MEMORY,
                         "method %s needs %zu bytes of a GPU's memory, %zu of them work space, and there are %zu",
                         starfish_method_list[plan->method->id], memory.gpu_least, memory.gpu_work, memory.gpu_there);
}

/* As far as the caller's struct goes. */
static starfish_status tell(const struct starfish_poisson_plan *plan, struct starfish_memory *user)
{
    struct starfish_memory memory;
    STARFISH_TRY(fill(plan, &memory));
    starfish_options_give(user, &memory, sizeof memory);
    return STARFISH_SUCCESS;
}

static starfish_status check(const struct starfish_memory *memory)
{
    if (!memory)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "memory is NULL");
    if (memory->size < sizeof memory->size)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "memory.size is %zu: start from STARFISH_MEMORY_DEFAULTS",
                             memory->size);
    return STARFISH_SUCCESS;
}

static starfish_status tell_and_destroy(struct starfish_poisson_plan *plan, struct starfish_memory *memory)
{
    const starfish_status status = tell(plan, memory);
    starfish_poisson_plan_destroy(plan);
    return status;
}

starfish_status starfish_poisson_memory(starfish_context *context, const struct starfish_poisson_problem *problem,
                                        const struct starfish_poisson_options *options, struct starfish_memory *memory)
{
    starfish_poisson_plan *plan;
    STARFISH_TRY(check(memory));
    STARFISH_TRY(starfish_poisson_plan_begin(context, problem, options, &plan));
    return tell_and_destroy(plan, memory);
}

starfish_status starfish_separable2d_memory(starfish_context *context, const struct starfish_axis *x,
                                            const struct starfish_axis *y, double lambda,
                                            const struct starfish_poisson_options *options,
                                            struct starfish_memory *memory)
{
    starfish_poisson_plan *plan;
    STARFISH_TRY(check(memory));
    STARFISH_TRY(starfish_separable2d_plan_begin(context, x, y, lambda, options, &plan));
    return tell_and_destroy(plan, memory);
}

starfish_status starfish_poisson_plan_memory(const starfish_poisson_plan *plan, struct starfish_memory *memory)
{
    STARFISH_TRY(check(memory));
    if (!plan)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "plan is NULL");
    return tell(plan->gathered && plan->gathered->whole ? plan->gathered->whole : plan, memory);
}
