/* Plans of any kind: their beginning and end, and what they say of themselves. */
#include "solver/gather.h"

#include "base/arithmetic.h"

#include <stdlib.h>
#include <string.h>

/* ---- Structs that are filled ------------------------------------------------------------------------------------- */

starfish_status starfish_filled_check(const void *user, size_t bytes, const char *name)
{
    const size_t many = 64 * bytes; /* more than any later library's */
    size_t size;

    if (!user)
        return STARFISH_SUCCESS;
    memcpy(&size, user, sizeof size);
    if (size > sizeof size && size <= many)
        return STARFISH_SUCCESS;
    return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s.size is %zu: begin with the struct's initialiser, which sets it",
                         name, size);
}

void starfish_filled_copy(void *user, const void *own, size_t bytes)
{
    const size_t begin = sizeof(size_t);
    size_t size;

    if (!user)
        return;
    memcpy(&size, user, sizeof size);
    if (size > bytes)
        memset((char *)user + bytes, 0, size - bytes);
    memcpy((char *)user + begin, (const char *)own + begin, (size < bytes ? size : bytes) - begin);
}

/* ---- Makers ------------------------------------------------------------------------------------------------------ */

starfish_status starfish_plan_begin(struct starfish_context *context, const struct starfish_kind *kind, size_t bytes,
                                    struct starfish_plan **result)
{
    struct starfish_plan *plan = calloc(1, bytes);

    *result = plan;
    if (!plan)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a plan");
    plan->kind = kind;
    plan->context = context;
    plan->about = (struct starfish_about){
        .kind = kind->problems ? kind->problems->name : kind->name, .method = kind->name, .reason = "", .owners = 1};
    plan->run = kind->run;
    starfish_queue_create(&plan->queue);
    return STARFISH_SUCCESS;
}

starfish_status starfish_plan_end(struct starfish_plan *plan, double start, starfish_status status,
                                  struct starfish_plan **result)
{
    if (status != STARFISH_SUCCESS) {
        starfish_plan_destroy(plan);
        return status; /* NOLINT(clang-analyzer-unix.Malloc): a stuck runtime may still use it */
    }
    plan->about.seconds = starfish_now() - start;
    *result = plan;
    return STARFISH_SUCCESS;
}

starfish_status starfish_plan_check(const struct starfish_plan *plan, const struct starfish_kind *kind)
{
    STARFISH_NEED(plan, "plan");
    if (plan->kind == kind)
        return STARFISH_SUCCESS;
    return starfish_fail(STARFISH_ERROR_ARGUMENT, "plan is one of %s, not of %s", plan->kind->name, kind->name);
}

/* ---- Interface --------------------------------------------------------------------------------------------------- */

void starfish_plan_destroy(starfish_plan *plan)
{
    STARFISH_OWN_ARITHMETIC;
    if (!plan || starfish_is_stuck()) /* tasks may still use it */
        return;
    starfish_gather_destroy(plan->gather);
    plan->kind->release(plan);
    starfish_queue_destroy(&plan->queue);
    free(plan);
}

starfish_status starfish_plan_about(const starfish_plan *plan, struct starfish_about *about)
{
    STARFISH_OWN_ARITHMETIC;
    STARFISH_NEED(plan, "plan");
    STARFISH_NEED(about, "about");
    STARFISH_TRY(starfish_filled_check(about, sizeof *about, "about"));
    starfish_filled_copy(about, &plan->about, sizeof *about);
    return STARFISH_SUCCESS;
}

void starfish_plan_tell(starfish_plan *plan, starfish_tell *function, void *data)
{
    if (!plan)
        return;
    plan->tell = function;
    plan->tell_data = data;
}

starfish_status starfish_plan_memory(const starfish_plan *plan, struct starfish_memory *memory)
{
    STARFISH_OWN_ARITHMETIC;
    STARFISH_NEED(plan, "plan");
    STARFISH_NEED(memory, "memory");
    return plan->gather ? starfish_gather_memory(plan->gather, memory) : plan->kind->memory(plan, memory);
}
