/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task: a damped Jacobi step, or none, on a run of lines, and the norms before it. */
#include "tests/solver/helmholtz1d/plan.h"

#include "base/precision.h"
#include "codelets/kernel_pair.h"

#include <math.h>

struct arguments {
    struct starfish_task_header header;
    struct starfish_helmholtz1d_problem problem;
    struct helmholtz1d_sweep sweep;
    size_t lines;
    starfish_precision precision;
};

/* Of a part, in the maximum norm; two doubles of a table. */
struct norms {
    double rhs, residual;
};

struct helmholtz1d_row helmholtz1d_row(const struct starfish_helmholtz1d_problem *p, size_t k)
{
    const double h = p->length / (double)p->n[0], w = 1 / (h * h);
    const int is_end[2] = {k == 0, k + 1 == p->n[0]};
    double side[2], diag = p->lambda;

    for (int s = 0; s < 2; s++) {
        const int mirrored = is_end[s] && p->ends[s] != STARFISH_PERIODIC;
        side[s] = mirrored ? 0 : w;
        diag -= !mirrored ? w : p->ends[s] == STARFISH_DIRICHLET ? 2 * w : 0;
    }
    return (struct helmholtz1d_row){side[0], diag, side[1]};
}

static double larger(double a, double b)
{
    return isnan(a) || b <= a ? a : b;
}

/* In place: the values before the step of the row above and of the first row are kept. */
static void sweep_line(const struct arguments *a, const void *f, void *u, size_t begin, struct norms *norms)
{
    const size_t n = a->problem.n[0];
    const int begins = a->sweep.begins;
    const double first = begins ? 0 : starfish_element(u, a->precision, begin);
    double above = begins ? 0 : starfish_element(u, a->precision, begin + n - 1);

    for (size_t k = 0; k < n; k++) {
        const struct helmholtz1d_row row = helmholtz1d_row(&a->problem, k);
        const double old = begins ? 0 : starfish_element(u, a->precision, begin + k);
        const double below = k + 1 == n ? first : begins ? 0 : starfish_element(u, a->precision, begin + k + 1);
        const double rhs = starfish_element(f, a->precision, begin + k);
        const double r = rhs - row.lower * above - row.diag * old - row.upper * below;
        norms->rhs = larger(norms->rhs, fabs(rhs));
        norms->residual = larger(norms->residual, fabs(r));
        above = old;
        starfish_element_set(u, a->precision, begin + k, old + a->sweep.damping * r / row.diag);
    }
}

/* Data: f, u, norms. */
static void sweep_cpu(void *buffers[], void *arguments)
{
    const struct arguments *a = arguments;
    struct norms *norms = STARFISH_VECTOR(buffers, 2);

    *norms = (struct norms){0, 0};
    for (size_t line = 0; line < a->lines; line++)
        sweep_line(a, STARFISH_VECTOR(buffers, 0), STARFISH_VECTOR(buffers, 1), line * a->problem.n[0], norms);
}
STARFISH_CORES_CODELET(sweep, "helmholtz1d", 0x557733);

static starfish_status submit(struct helmholtz1d_job *job, const struct helmholtz1d_sweep *sweep, size_t part)
{
    const struct helmholtz1d_plan *plan = (const struct helmholtz1d_plan *)job->job.plan;
    struct arguments arguments = {.problem = *helmholtz1d_problem(plan),
                                  .sweep = *sweep,
                                  .lines = helmholtz1d_first(plan, part + 1) - helmholtz1d_first(plan, part),
                                  .precision = plan->options.precision};
    const size_t sizes[] = {arguments.problem.n[0], arguments.lines, (size_t)arguments.precision};
    struct starfish_task task;

    starfish_task_begin(&task, &sweep_codelet, &job->job.progress, 0);
    starfish_task_data(&task, job->rhs[part], STARPU_R);
    starfish_task_data(&task, job->solution[part], sweep->begins ? STARPU_W : STARPU_RW);
    starfish_task_data(&task, job->norms[part].handle, STARPU_W);
    arguments.header.footprint = starfish_footprint_of(sizes, sizeof sizes / sizeof sizes[0]);
    return starfish_task_submit(&task, &arguments, sizeof arguments);
}

starfish_status helmholtz1d_sweep(struct helmholtz1d_job *job, struct helmholtz1d_sweep sweep, double *residual)
{
    const struct helmholtz1d_plan *plan = (const struct helmholtz1d_plan *)job->job.plan;
    struct norms all = {0, 0}, part;

    for (size_t p = 0; p < plan->parts; p++)
        STARFISH_TRY(submit(job, &sweep, p));
    STARFISH_TRY(starfish_progress_wait(&job->job.progress));
    for (size_t p = 0; p < plan->parts; p++) {
        STARFISH_TRY(starfish_coefficient_table_read(&job->norms[p], plan->plan.context, &part, sizeof part));
        all = (struct norms){larger(all.rhs, part.rhs), larger(all.residual, part.residual)};
    }
    *residual = all.residual > 0 ? all.residual / all.rhs : all.residual;
    return STARFISH_SUCCESS;
}
