/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Additional results of a solve: phases, levels of block cyclic reduction, the mean subtracted from each right-hand
 * side. */
#include "poisson/job.h"

#include "base/arithmetic.h"
#include "poisson/methods.h"

#include <math.h>
#include <string.h>

static int checks_residual(const struct starfish_poisson_job *job)
{
    return job->plan->options.check_residual && job->plan->refinements == 0;
}

/* That is not part of the solve. */
double starfish_job_residual_tail(const struct starfish_poisson_job *job)
{
    const struct starfish_progress *progress = &job->base.progress;
    const double solved = fmax(1e6 * job->solved, progress->phase[STARFISH_PHASE_BACKWARD].span.end);
    const double tail = progress->phase[STARFISH_PHASE_RESIDUAL].span.end - solved;
    return checks_residual(job) && tail > 0 ? 1e-6 * tail : 0;
}

static void fill_phases(const struct starfish_poisson_job *job, struct starfish_poisson_phases *phases)
{
    static const char *const names[STARFISH_PHASES] = {
        [STARFISH_PHASE_FORWARD] = "forward transform",  [STARFISH_PHASE_MODES] = "modes",
        [STARFISH_PHASE_BACKWARD] = "inverse transform", [STARFISH_PHASE_REFINEMENT] = "refinement",
        [STARFISH_PHASE_RESIDUAL] = "residual check",
    };
    const struct starfish_method_row *method = job->plan->method;
    const int wanted[STARFISH_PHASES] = {method->direct, method->direct, method->direct, job->plan->refinements > 0,
                                         checks_residual(job)};
    if (method->phases)
        method->phases(job, phases);
    for (int phase = 0; phase < STARFISH_PHASES; phase++)
        if (wanted[phase]) {
            phases->phase[phases->phases].name = names[phase];
            phases->phase[phases->phases++].seconds = starfish_progress_phase_seconds(&job->base.progress, phase);
        }
    if (job->wide_seconds > 0) {
        phases->phase[phases->phases].name = "again in f64";
        phases->phase[phases->phases++].seconds = job->wide_seconds;
    }
}

void starfish_job_report_wanted(struct starfish_job *base)
{
    const struct starfish_poisson_job *job = (const struct starfish_poisson_job *)base;
    struct starfish_poisson_phases phases = STARFISH_POISSON_PHASES_DEFAULTS;
    const size_t count = ((const struct starfish_poisson_plan *)base->plan)->count;
    if (job->pertrb_wanted && count > 1)
        memcpy(job->pertrb_wanted, base->kept, count * sizeof(double));
    else if (job->pertrb_wanted)
        *job->pertrb_wanted = base->result.pertrb;
    if (job->phases_wanted && (base->inner || !base->plan->gather))
        fill_phases(base->inner ? (const struct starfish_poisson_job *)base->inner : job, &phases);
    starfish_filled_copy(job->phases_wanted, &phases, sizeof phases);
}

/* ---- Interface --------------------------------------------------------------------------------------------------- */

static starfish_status check(const starfish_job *job)
{
    STARFISH_NEED(job, "job");
    return STARFISH_OR_FAIL(job->plan->kind == &starfish_kind_poisson, STARFISH_ERROR_ARGUMENT,
                            "job is of a plan of %s, not of a separable problem", job->plan->kind->name);
}

starfish_status starfish_poisson_tell_pertrb(starfish_job *job, double *pertrb)
{
    STARFISH_OWN_ARITHMETIC;
    STARFISH_TRY(check(job));
    STARFISH_NEED(pertrb, "pertrb");
    ((struct starfish_poisson_job *)job)->pertrb_wanted = pertrb;
    return STARFISH_SUCCESS;
}

starfish_status starfish_poisson_tell_phases(starfish_job *job, struct starfish_poisson_phases *phases)
{
    STARFISH_OWN_ARITHMETIC;
    STARFISH_TRY(check(job));
    STARFISH_NEED(phases, "phases");
    STARFISH_TRY(starfish_filled_check(phases, sizeof *phases, "phases"));
    ((struct starfish_poisson_job *)job)->phases_wanted = phases;
    return STARFISH_SUCCESS;
}
