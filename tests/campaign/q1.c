/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random Q1 multigrid: meshes of few elements of very different widths, any ends, coefficients and reaction, every
 * smoother and cycle, stored and tensor matrices, both precisions and mixed, against dense elimination of the matrix
 * that is assembled here element by element. */
#include "dense.h"
#include "kind.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_ELEMENTS = 10, MOST_UNKNOWNS = (MOST_ELEMENTS + 1) * (MOST_ELEMENTS + 1) };

struct mesh {
    struct starfish_q1_problem problem;
    size_t n[2];
    double width[2][MOST_ELEMENTS], diffusion[2][MOST_ELEMENTS * MOST_ELEMENTS];
    double rhs[MOST_UNKNOWNS], solution[MOST_UNKNOWNS], exact[MOST_UNKNOWNS];
    float narrow_rhs[MOST_UNKNOWNS], narrow_solution[MOST_UNKNOWNS];
};

static double any_of(struct campaign_random *random, double digits)
{
    return pow(10, campaign_uniform(random, -digits, digits));
}

static void choose_direction(struct mesh *m, int d, struct campaign_random *random)
{
    struct starfish_q1_problem *p = &m->problem;
    const double digits = campaign_below(random, 3) == 0 ? 3 : 0.3, scale = any_of(random, 1.5);
    const double growth = campaign_below(random, 4) == 0 ? campaign_uniform(random, 0.2, 4) : 1;
    do {
        p->elements[d] = 1 + campaign_below(random, MOST_ELEMENTS);
        for (int end = 0; end < 2; end++)
            p->ends[d][end] = campaign_below(random, 3) ? STARFISH_DIRICHLET : STARFISH_NEUMANN;
    } while (p->elements[d] == 1 && p->ends[d][0] == STARFISH_DIRICHLET && p->ends[d][1] == STARFISH_DIRICHLET);
    for (size_t e = 0; e < p->elements[d]; e++)
        m->width[d][e] = scale * pow(growth, (double)e) * any_of(random, growth == 1 ? digits / 2 : 0);
    p->width[d] = m->width[d];
}

static int has_dirichlet(const struct starfish_q1_problem *p)
{
    for (int d = 0; d < 2; d++)
        for (int end = 0; end < 2; end++)
            if (p->ends[d][end] == STARFISH_DIRICHLET)
                return 1;
    return 0;
}

static void choose_mesh(struct mesh *m, struct campaign_random *random)
{
    struct starfish_q1_problem *p = &m->problem;
    memset(m, 0, sizeof *m);
    for (int d = 0; d < 2; d++)
        choose_direction(m, d, random);
    const size_t coefficients = campaign_below(random, 3); /* none, mild, jumps */
    for (size_t e = 0; e < MOST_ELEMENTS * MOST_ELEMENTS && coefficients > 0; e++) {
        m->diffusion[0][e] = any_of(random, coefficients == 1 ? 0.3 : 2);
        m->diffusion[1][e] = campaign_below(random, 2) ? m->diffusion[0][e] : any_of(random, 0.3);
    }
    for (int d = 0; d < 2 && coefficients > 0; d++)
        p->coefficient[d] = m->diffusion[d];
    p->reaction = campaign_below(random, 2) || !has_dirichlet(p) ? any_of(random, 2) : 0;
    starfish_q1_unknowns(p, m->n);
}

static void choose_options(struct starfish_multigrid_options *o, struct campaign_random *random)
{
    static const starfish_smoother smoothers[] = {STARFISH_SMOOTHER_AUTO, STARFISH_SMOOTHER_ADI,
                                                  STARFISH_SMOOTHER_JACOBI, STARFISH_SMOOTHER_GAUSS_SEIDEL,
                                                  STARFISH_SMOOTHER_CHEBYSHEV};
    *o = (struct starfish_multigrid_options)STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    const size_t precision = campaign_below(random, 3);
    o->precision = precision == 0 ? STARFISH_F32 : STARFISH_F64;
    o->mixed = precision == 1;
    o->smoother = smoothers[campaign_below(random, sizeof smoothers / sizeof smoothers[0])];
    o->cycle = (starfish_cycle_shape)campaign_below(random, 3);
    o->before = o->after = 1 + (int)campaign_below(random, 3);
    o->krylov =
        o->smoother != STARFISH_SMOOTHER_GAUSS_SEIDEL && o->cycle != STARFISH_CYCLE_F && campaign_below(random, 2)
            ? STARFISH_KRYLOV_CG
            : STARFISH_KRYLOV_NONE;
    o->tolerance = o->precision == STARFISH_F32 ? 1e-5 : 1e-10;
    o->max_iterations = 200;
}

/* ---- The oracle -------------------------------------------------------------------------------------------------- */

/* The unknown of a node; -1 at a Dirichlet end. */
static long unknown_of(const struct mesh *m, size_t i, size_t j)
{
    const struct starfish_q1_problem *p = &m->problem;
    const size_t node[2] = {i, j};
    size_t at[2];
    for (int d = 0; d < 2; d++) {
        if ((node[d] == 0 && p->ends[d][0] == STARFISH_DIRICHLET) ||
            (node[d] == p->elements[d] && p->ends[d][1] == STARFISH_DIRICHLET))
            return -1;
        at[d] = node[d] - (p->ends[d][0] == STARFISH_DIRICHLET);
    }
    return (long)(at[0] + m->n[0] * at[1]);
}

/* Of the linear basis functions of an element of width h: integrals of products of derivatives, and of values. */
static campaign_wide stiffness(campaign_wide h, int a, int b)
{
    return (a == b ? 1 : -1) / h;
}

static campaign_wide mass(campaign_wide h, int a, int b)
{
    return h / (a == b ? 3 : 6);
}

static void add_element(const struct mesh *m, struct campaign_dense *dense, size_t i, size_t j)
{
    const struct starfish_q1_problem *p = &m->problem;
    const campaign_wide hx = (campaign_wide)m->width[0][i], hy = (campaign_wide)m->width[1][j];
    const size_t e = i + p->elements[0] * j;
    const campaign_wide kx = p->coefficient[0] ? (campaign_wide)m->diffusion[0][e] : 1;
    const campaign_wide ky = p->coefficient[1] ? (campaign_wide)m->diffusion[1][e] : 1;
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 4; column++) {
            const int ax = row & 1, ay = row >> 1, bx = column & 1, by = column >> 1;
            const long r = unknown_of(m, i + (size_t)ax, j + (size_t)ay);
            const long c = unknown_of(m, i + (size_t)bx, j + (size_t)by);
            if (r >= 0 && c >= 0)
                campaign_dense_add(dense, (size_t)r, (size_t)c,
                                   kx * stiffness(hx, ax, bx) * mass(hy, ay, by) +
                                       ky * mass(hx, ax, bx) * stiffness(hy, ay, by) +
                                       (campaign_wide)p->reaction * mass(hx, ax, bx) * mass(hy, ay, by));
        }
}

static int find_answer(struct mesh *m, double *condition)
{
    struct campaign_dense dense;
    if (!campaign_dense_create(&dense, m->n[0] * m->n[1]))
        return 0;
    for (size_t j = 0; j < m->problem.elements[1]; j++)
        for (size_t i = 0; i < m->problem.elements[0]; i++)
            add_element(m, &dense, i, j);
    const int regular = campaign_dense_solve(&dense, m->rhs, m->exact, condition);
    campaign_dense_destroy(&dense);
    return regular;
}

/* ---- A trial ----------------------------------------------------------------------------------------------------- */

static starfish_status solve(starfish_context *context, struct mesh *m,
                             const struct starfish_multigrid_options *options, struct starfish_result *info)
{
    const size_t count = m->n[0] * m->n[1];
    starfish_plan *plan;
    starfish_status status = starfish_q1_plan_create(context, &m->problem, options, &plan);
    if (status != STARFISH_SUCCESS)
        return status;
    for (size_t i = 0; i < count; i++)
        m->narrow_rhs[i] = (float)m->rhs[i];
    if (options->precision == STARFISH_F64)
        status = starfish_plan_solve(plan, NULL, m->rhs, m->solution, info);
    else
        status = starfish_plan_solve(plan, NULL, m->narrow_rhs, m->narrow_solution, info);
    for (size_t i = 0; i < count && options->precision == STARFISH_F32; i++)
        m->solution[i] = (double)m->narrow_solution[i];
    starfish_plan_destroy(plan);
    return status;
}

static double largest_of(const double *a, const double *b, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        const double size = fabs(a[i] - (b ? b[i] : 0));
        largest = size <= largest ? largest : size;
    }
    return largest;
}

/* An iteration ends at its tolerance, of the Euclidean norm, which the condition takes to the solution. */
void campaign_run_q1(starfish_context *context, const struct campaign_kind *kind, struct campaign_trial *t)
{
    static struct mesh m;
    struct starfish_multigrid_options options;
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    struct campaign_random random = campaign_random_of(t->seed, t->index);
    double condition = 0;
    (void)kind;
    choose_mesh(&m, &random);
    choose_options(&options, &random);
    const size_t count = m.n[0] * m.n[1];
    t->precision = options.precision;
    t->held = CAMPAIGN_UNUSABLE;
    for (size_t i = 0; i < count; i++) {
        m.rhs[i] = campaign_uniform(&random, -1, 1);
        if (options.precision == STARFISH_F32)
            m.rhs[i] = (double)(float)m.rhs[i];
    }
    if (!find_answer(&m, &condition))
        return;
    if (solve(context, &m, &options, &info) != STARFISH_SUCCESS) {
        t->held = CAMPAIGN_KIND_REFUSED;
        snprintf(t->what, sizeof t->what, "%s", starfish_error_message());
        return;
    }
    campaign_add_bits(&t->bits, m.solution, count);
    snprintf(t->what, sizeof t->what, "smoother %d, cycle %d, %d steps, conjugate gradients %d, %zu x %zu, %d cycles",
             (int)options.smoother, (int)options.cycle, options.before, options.krylov == STARFISH_KRYLOV_CG, m.n[0],
             m.n[1], info.iterations);
    const double norms = sqrt((double)count);
    t->error = largest_of(m.solution, m.exact, count) / largest_of(m.exact, NULL, count);
    t->bound = fmin(0.1, 10 * norms * options.tolerance * condition);
    t->held = t->error <= t->bound ? CAMPAIGN_HELD : CAMPAIGN_BEYOND;
}
