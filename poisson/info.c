/* What a finished solve tells: the residual, what was taken off the right-hand side, phases, workers, bytes. */
#include "poisson/layout.h"

#include "poisson/methods.h"

#include <math.h>
#include <string.h>

static starfish_status read_removed(const struct starfish_poisson_job *job, struct starfish_info *info)
{
    double removed[2];
    STARFISH_TRY(starfish_job_read_removed(job, removed));
    info->pertrb = removed[0];
    info->pertrb_imaginary = starfish_poisson_is_complex(job->plan) ? removed[1] : 0;
    return STARFISH_SUCCESS;
}

/* How long the residual check ran on after the solution was there: not part of the solve. */
static double residual_tail(const struct starfish_poisson_job *job)
{
    const struct starfish_progress *progress = &job->progress;
    const double solved = fmax(1e6 * job->solved, progress->phase[STARFISH_PHASE_BACKWARD].span.end);
    const double tail = progress->phase[STARFISH_PHASE_RESIDUAL].span.end - solved;
    const int checks = job->plan->options.check_residual && job->plan->refinements == 0;
    return checks && tail > 0 ? 1e-6 * tail : 0;
}

static void add_phases(const struct starfish_poisson_job *job, struct starfish_info *info)
{
    static const char *const names[STARFISH_PHASES] = {
        [STARFISH_PHASE_FORWARD] = "forward transform",  [STARFISH_PHASE_MODES] = "modes",
        [STARFISH_PHASE_BACKWARD] = "inverse transform", [STARFISH_PHASE_REFINEMENT] = "refinement",
        [STARFISH_PHASE_RESIDUAL] = "residual check",
    };
    const int direct = job->plan->method->direct;
    const int refines = job->plan->refinements > 0, checks = job->plan->options.check_residual && !refines;
    const int wanted[STARFISH_PHASES] = {direct, direct, direct, refines, checks};
    for (int phase = 0; phase < STARFISH_PHASES; phase++)
        if (wanted[phase]) {
            info->phase[info->phases].name = names[phase];
            info->phase[info->phases++].seconds = starfish_progress_phase_seconds(&job->progress, phase);
        }
}

starfish_status starfish_job_fill_info(const struct starfish_poisson_job *job, double seconds,
                                       const struct starfish_accuracy *accuracy, struct starfish_info *info)
{
    const struct starfish_bytes before = job->progress.bytes_before;
    const struct starfish_bytes after = starfish_context_bytes(job->plan->context);
    memset(info, 0, sizeof *info);
    info->seconds = seconds - residual_tail(job);
    info->residual = job->plan->options.check_residual ? accuracy->residual : (double)NAN;
    info->refinements = accuracy->refinements;
    STARFISH_TRY(read_removed(job, info));
    memcpy(info->worker, job->progress.done, sizeof info->worker);
    info->host_to_device = after.host_to_device - before.host_to_device;
    info->device_to_host = after.device_to_host - before.device_to_host;
    info->device_to_device = after.device_to_device - before.device_to_device;
    if (job->plan->method->info)
        job->plan->method->info(job, info);
    add_phases(job, info);
    return STARFISH_SUCCESS;
}

void starfish_job_tell(const struct starfish_info *info, const struct starfish_accuracy *accuracy,
                       struct starfish_info *to_info, struct starfish_accuracy *to_accuracy)
{
    if (to_info)
        *to_info = *info;
    if (to_accuracy)
        *to_accuracy = *accuracy;
}
