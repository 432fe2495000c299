/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plans of any kind: their beginning and end, and what they say of themselves. */
#include "scheduler/runtime/watchdog.h"
#include "solver/gather.h"

#include "base/arithmetic.h"
#include "scheduler/runtime/memory.h"
#include "solver/agree.h"

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
    return STARFISH_OR_FAIL(size > sizeof size && size <= many, STARFISH_ERROR_ARGUMENT,
                            "%s.size is %zu: begin with the struct's initialiser, which sets it", name, size);
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

starfish_status starfish_plan_begin(struct starfish_context *context, const struct starfish_kind *kind,
                                    const struct starfish_member_table *table, struct starfish_plan **result)
{
    struct starfish_plan *plan = calloc(1, kind->plan_bytes + (table ? table->size : 0));

    *result = plan;
    STARFISH_FAIL_IF(!plan, STARFISH_ERROR_MEMORY, "out of memory for a plan");
    plan->kind = kind;
    plan->context = context;
    plan->table = table;
    plan->problem = (char *)plan + kind->plan_bytes;
    plan->about = (struct starfish_about){
        .kind = kind->problems ? kind->problems->name : kind->name, .method = kind->name, .reason = "", .owners = 1};
    plan->run = kind->run;
    starfish_queue_create(&plan->queue);
    pthread_mutex_init(&plan->lock, NULL);
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

static starfish_status take(struct starfish_plan *plan, const void *problem, const void *options)
{
    STARFISH_TRY(starfish_options_read(plan->kind->options, options, starfish_plan_options(plan)));
    STARFISH_TRY(starfish_problem_take(problem, plan->problem, plan->table->size));
    return plan->kind->check ? plan->kind->check(plan) : STARFISH_SUCCESS;
}

/* All ranks go on or none, with the same problem and options. */
static starfish_status agree(struct starfish_context *context, const struct starfish_plan *plan, starfish_status status)
{
    struct starfish_plan_alike alike = {NULL, NULL, NULL, NULL, 0};

    if (plan)
        alike = (struct starfish_plan_alike){plan->kind->options, starfish_plan_options(plan), plan->table,
                                             plan->problem, plan->is_idle};
    return starfish_agree_on_plan(context, status, &alike);
}

static starfish_status make(struct starfish_context *context, const struct starfish_kind *kind,
                            const struct starfish_member_table *table, const void *problem, const void *options,
                            int is_measured, struct starfish_plan **result)
{
    const double start = starfish_now();
    struct starfish_plan *plan;

    STARFISH_NEED(context, "context");
    STARFISH_NEED(result, "plan");
    *result = NULL;
    starfish_status status = starfish_plan_begin(context, kind, table, &plan);
    if (plan) {
        plan->is_measured = is_measured;
        status = take(plan, problem, options);
    }
    if (kind->on_ranks)
        status = agree(context, plan, status);
    STARFISH_THEN(status, kind->create(plan));
    return starfish_plan_end(plan, start, status, result);
}

starfish_status starfish_plan_make(struct starfish_context *context, const struct starfish_kind *kind,
                                   const struct starfish_member_table *table, const void *problem, const void *options,
                                   struct starfish_plan **result)
{
    return make(context, kind, table, problem, options, 0, result);
}

starfish_status starfish_plan_measure(struct starfish_context *context, const struct starfish_kind *kind,
                                      const struct starfish_member_table *table, const void *problem,
                                      const void *options, struct starfish_memory *memory)
{
    struct starfish_plan *plan;

    STARFISH_NEED(memory, "memory");
    STARFISH_TRY(make(context, kind, table, problem, options, 1, &plan));
    *memory = plan->memory;
    const starfish_status status = kind->memory ? kind->memory(plan, memory) : STARFISH_SUCCESS;
    starfish_plan_destroy(plan);
    return status;
}

starfish_status starfish_plan_check(const struct starfish_plan *plan, const struct starfish_kind *kind)
{
    STARFISH_NEED(plan, "plan");
    return STARFISH_OR_FAIL(plan->kind == kind, STARFISH_ERROR_ARGUMENT, "plan is one of %s, not of %s",
                            plan->kind->name, kind->name);
}

void starfish_plan_solved_again(struct starfish_plan *plan, const struct starfish_plan *by)
{
    const struct starfish_about *const further = by ? atomic_load(&by->again) : NULL;

    atomic_store(&plan->again, further || !by ? further : &by->about);
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
    pthread_mutex_destroy(&plan->lock);
    free(plan);
}

starfish_status starfish_plan_about(const starfish_plan *plan, struct starfish_about *about)
{
    STARFISH_OWN_ARITHMETIC;
    STARFISH_NEED(plan, "plan");
    STARFISH_NEED(about, "about");
    STARFISH_TRY(starfish_filled_check(about, sizeof *about, "about"));
    const struct starfish_about *const again = atomic_load(&plan->again);
    struct starfish_about own = plan->about;
    if (again) {
        own.method = again->method;
        own.reason = again->reason;
    }
    starfish_filled_copy(about, &own, sizeof *about);
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
    return plan->gather         ? starfish_gather_memory(plan->gather, memory)
           : plan->kind->memory ? plan->kind->memory(plan, memory)
                                : starfish_memory_report(plan->context, &plan->memory, memory);
}
