/* Which kind of plan the command line asks for, and what all kinds have in common. */
#include "apps/plans/plan.h"

#include "apps/recorded/simulate.h"

#include <math.h>
#include <string.h>

enum { PROBLEM = 1, MESH = 2, BATCH = 4 };

/* What is solved is named by one of these. */
static const struct {
    size_t offset; /* of its name in the options */
    int bit;
    const struct plan_kind *kind;
} kinds[] = {
    {offsetof(struct plan_options, problem), PROBLEM, &plan_problem},
    {offsetof(struct plan_options, mesh), MESH, &plan_mesh},
    {offsetof(struct plan_options, batch), BATCH, &plan_batch},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Options that not every kind has. */
static const struct {
    const char *name;
    size_t offset;
    int is_text, kinds;
    const char *whose;
} rules[] = {
    {"--method", offsetof(struct plan_options, method), 1, PROBLEM, "a problem file"},
    {"--rhs", offsetof(struct plan_options, rhs), 1, PROBLEM, "a problem file"},
    {"--level", offsetof(struct plan_options, level), 0, MESH, "--mesh"},
    {"--smoother", offsetof(struct plan_options, smoother), 1, MESH, "--mesh"},
    {"--cycle", offsetof(struct plan_options, cycle), 1, MESH, "--mesh"},
    {"--krylov", offsetof(struct plan_options, krylov), 1, MESH, "--mesh"},
    {"--matrix", offsetof(struct plan_options, matrix), 1, MESH, "--mesh"},
    {"--storage", offsetof(struct plan_options, storage), 1, MESH, "--mesh"},
    {"--steps", offsetof(struct plan_options, steps), 0, MESH, "--mesh"},
    {"--tail", offsetof(struct plan_options, tail), 0, MESH, "--mesh"},
    {"--cycles", offsetof(struct plan_options, cycles), 0, PROBLEM | MESH, "--mesh and --method multigrid"},
    {"--algorithm", offsetof(struct plan_options, algorithm), 1, BATCH, "--batch"},
};

static const char *text_at(const struct plan_options *options, size_t offset)
{
    return *(const char *const *)((const char *)options + offset);
}

static size_t count_at(const struct plan_options *options, size_t offset)
{
    return *(const size_t *)((const char *)options + offset);
}

static starfish_status check_options(const struct plan_options *options, int bit)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; ++i) {
        const int given =
            rules[i].is_text ? text_at(options, rules[i].offset) != NULL : count_at(options, rules[i].offset) > 0;
        if (given && !(rules[i].kinds & bit))
            return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s: is for %s", rules[i].name, rules[i].whose);
    }
    return STARFISH_SUCCESS;
}

static starfish_status find_kind(struct plan *plan)
{
    int found = 0, bit = 0;
    for (size_t i = 0; i < KINDS; ++i)
        if (text_at(&plan->options, kinds[i].offset)) {
            plan->kind = kinds[i].kind;
            bit = kinds[i].bit;
            found++;
        }
    if (found == 1)
        return check_options(&plan->options, bit);
    plan->kind = NULL;
    return starfish_fail(STARFISH_ERROR_ARGUMENT, found == 0
                                                      ? "missing operand: PROBLEM.json, or --mesh or --batch instead"
                                                      : "a problem file, --mesh and --batch: only one of them");
}

starfish_status plan_open(struct plan *plan, size_t parts)
{
    STARFISH_TRY(find_kind(plan));
    STARFISH_TRY(plan->kind->open(plan));
    if (plan->options.slabs == SIZE_MAX)
        plan->options.slabs = parts < plan->rows ? parts : plan->rows;
    return STARFISH_SUCCESS;
}

void plan_close(struct plan *plan)
{
    if (plan->kind)
        plan->kind->close(plan);
}

static starfish_status check_once(struct plan *plan)
{
    STARFISH_TRY(plan->kind->create(plan, 1));
    STARFISH_TRY(plan->kind->solve(plan));
    STARFISH_TRY(plan->kind->check(plan));
    plan->kind->destroy(plan);
    return STARFISH_SUCCESS;
}

starfish_status plan_start(struct plan *plan, starfish_context *context)
{
    plan->context = context;
    for (plan->pinned = 0; plan->pinned < 2; plan->pinned++)
        STARFISH_TRY(starfish_pin(context, plan->array[plan->pinned], plan->bytes));
    plan->residual = (double)NAN;
    if (!SIMULATED)
        STARFISH_TRY(check_once(plan));
    return plan->kind->create(plan, 0);
}

void plan_stop(struct plan *plan)
{
    if (!plan->context)
        return;
    plan->kind->destroy(plan);
    while (plan->pinned > 0)
        starfish_unpin(plan->context, plan->array[--plan->pinned], plan->bytes);
    plan->context = NULL;
}
