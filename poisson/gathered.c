/* Plans that one rank solves for all. */
#include "poisson/gathered.h"

#include "poisson/methods.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Plans ------------------------------------------------------------------------------------------------------- */

/* What the first rank's plan says of itself. */
struct about {
    int method, singular, refinements;
    char reason[sizeof((struct starfish_poisson_plan *)0)->reason];
};

static starfish_status make_whole(struct starfish_poisson_plan *plan, const struct starfish_poisson_source *source)
{
    struct starfish_poisson_gathered *gathered = plan->gathered;
    struct starfish_poisson_options options = plan->options;
    options.planes = NULL;
    if (!gathered->base->alone)
        return STARFISH_SUCCESS;
    if (source->flat)
        return starfish_separable2d_plan_create(gathered->base->alone, source->axis[1], source->axis[2], source->lambda,
                                                &options, &gathered->whole);
    const struct starfish_poisson_problem problem = {{*source->axis[0], *source->axis[1], *source->axis[2]},
                                                     source->lambda};
    return starfish_poisson_plan_create(gathered->base->alone, &problem, &options, &gathered->whole);
}

static void describe(const struct starfish_poisson_plan *whole, struct about *about)
{
    about->method = (int)whole->method->id;
    about->singular = whole->singular;
    about->refinements = whole->refinements;
    snprintf(about->reason, sizeof about->reason, "%.200s; solved by the first rank", whole->reason);
}

starfish_status starfish_poisson_gather(struct starfish_poisson_plan *plan,
                                        const struct starfish_poisson_source *source)
{
    struct about about = {.method = 0};
    starfish_status status = STARFISH_SUCCESS;
    plan->gathered = calloc(1, sizeof *plan->gathered);
    if (!plan->gathered)
        status = starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a plan");
    else if (starfish_poisson_has_strides(plan))
        status = starfish_fail(STARFISH_ERROR_UNSUPPORTED,
                               "method %s solves on one rank of several, and wants packed arrays",
                               starfish_method_list[plan->method->id]);
    STARFISH_TRY(starfish_ranks_agree(plan->context, status));
    STARFISH_TRY(starfish_gathered_create(&plan->gathered->base, plan->context, plan->here.planes));
    STARFISH_TRY(starfish_ranks_agree(plan->context, make_whole(plan, source)));
    if (plan->gathered->whole)
        describe(plan->gathered->whole, &about);
    STARFISH_TRY(starfish_ranks_broadcast(plan->context, &about, sizeof about, 0));
    plan->method = starfish_method_rows[about.method];
    plan->singular = about.singular;
    plan->refinements = about.refinements;
    memcpy(plan->reason, about.reason, sizeof plan->reason);
    return STARFISH_SUCCESS;
}

void starfish_poisson_gathered_destroy(struct starfish_poisson_gathered *gathered)
{
    if (!gathered)
        return;
    starfish_poisson_plan_destroy(gathered->whole);
    starfish_gathered_destroy(gathered->base);
    free(gathered);
}

int starfish_poisson_plan_owners(const struct starfish_poisson_plan *plan)
{
    return plan->gathered ? 1 : plan->here.owners;
}

/* ---- Solves ------------------------------------------------------------------------------------------------------ */

/* What a solve came to, until it is waited for. */
struct starfish_gathered_result {
    struct starfish_failure failure;
    struct told {
        struct starfish_info info;
        struct starfish_accuracy accuracy;
    } told;
};

struct solving {
    struct starfish_poisson_plan *whole;
    struct starfish_boundary boundary;
    struct told *told;
};

static starfish_status solve(void *self, const void *rhs, void *solution)
{
    const struct solving *s = self;
    struct starfish_poisson_job *job;
    STARFISH_TRY(starfish_poisson_submit(s->whole, &s->boundary, rhs, solution, &job));
    return starfish_job_wait_accuracy(job, &s->told->info, &s->told->accuracy);
}

/* Other ranks have done nothing, and names of phases are the first one's memory. */
static void tell_other_ranks(struct starfish_info *info)
{
    info->phases = 0;
    memset(info->phase, 0, sizeof info->phase); /* names are another process's */
    memset(info->worker, 0, sizeof info->worker);
    info->host_to_device = info->device_to_host = info->device_to_device = 0;
}

static starfish_status run(struct starfish_poisson_plan *plan, const struct starfish_boundary *boundary,
                           const void *rhs, void *solution, struct told *told)
{
    struct starfish_gathered *base = plan->gathered->base;
    struct solving solving = {.whole = plan->gathered->whole, .told = told};
    const struct starfish_gathered_solve request = {.rhs = rhs,
                                                    .solution = solution,
                                                    .plane_bytes = starfish_poisson_plane_bytes(plan),
                                                    .solve = solve,
                                                    .self = &solving,
                                                    .told = told,
                                                    .told_bytes = sizeof *told};
    STARFISH_TRY(starfish_gathered_boundary(base, plan->n, 2, plan->options.precision, boundary, &solving.boundary));
    const starfish_status status = starfish_gathered_solve(base, &request);
    starfish_gathered_free_boundary(&solving.boundary);
    if (!base->alone)
        tell_other_ranks(&told->info);
    return status;
}

starfish_status starfish_poisson_submit_gathered(struct starfish_poisson_plan *plan,
                                                 const struct starfish_boundary *boundary, const void *rhs,
                                                 void *solution, struct starfish_poisson_job **job)
{
    struct starfish_poisson_job *made = calloc(1, sizeof *made);
    struct starfish_gathered_result *result = calloc(1, sizeof *result);
    const starfish_status status = starfish_ranks_agree(
        plan->context,
        made && result ? STARFISH_SUCCESS : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a job"));
    if (status != STARFISH_SUCCESS || !made || !result) {
        free(made);
        free(result);
        return status;
    }
    made->plan = plan;
    made->gathered = result;
    starfish_failure_keep(&result->failure, run(plan, boundary, rhs, solution, &result->told));
    *job = made;
    return STARFISH_SUCCESS;
}

starfish_status starfish_job_wait_gathered(struct starfish_poisson_job *job, struct starfish_info *info,
                                           struct starfish_accuracy *accuracy)
{
    struct starfish_gathered_result *result = job->gathered;
    const starfish_status status = starfish_failure_repeat(&result->failure);
    if (status == STARFISH_SUCCESS || status == STARFISH_ERROR_NUMERICAL)
        starfish_job_tell(&result->told.info, &result->told.accuracy, info, accuracy);
    atomic_fetch_sub(&job->plan->in_flight, 1);
    free(result);
    free(job);
    return status;
}
