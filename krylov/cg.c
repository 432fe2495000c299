/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conjugate gradients: `step` below is a step as textbooks have it, and the functions above it are its lines. */
#include "krylov/cg.h"

/* q is A p, or where the matrix does not multiply the residual 0 - A p. */
static double sign_of_q(const struct starfish_cg *cg)
{
    return cg->matrix.multiply ? 1 : -1;
}

static int is_flexible(const struct starfish_cg *cg)
{
    return !cg->recurrence && !cg->fused;
}

static starfish_status product(const struct starfish_cg *cg, const struct starfish_vector *u,
                               const struct starfish_vector *v, const struct starfish_sums *sums)
{
    return sums ? starfish_algebra_product(cg->algebra, u, v, sums) : STARFISH_SUCCESS;
}

static starfish_status find_scalar(const struct starfish_cg *cg, enum starfish_krylov_stage stage, double sign,
                                   const struct starfish_sums *sums, const struct starfish_sums *more)
{
    const struct starfish_scalars_task task = {.stage = stage, .sign = sign, .sums = sums, .more = more};

    return starfish_scalars_advance(cg->scalars, cg->algebra, &task);
}

/* z = M^-1 r, and (r, z) unless rz is NULL. */
static starfish_status precondition(const struct starfish_cg *cg, int number, const struct starfish_vector *r,
                                    const struct starfish_sums *rz, int most, int *cycles)
{
    const struct starfish_preconditioner *m = &cg->preconditioner;

    if (m->apply_and_sum)
        return m->apply_and_sum(m->self, r, cg->z, rz);
    STARFISH_TRY(m->apply ? m->apply(m->self, number, r, cg->z, most, cycles)
                          : starfish_algebra_update(cg->algebra, r, NULL, NULL, cg->z));
    return product(cg, r, cg->z, rz);
}

/* Deflated: z = (P' M^-1 + Q) r = y + Q (r - A y), y = M^-1 r, and (r, z). */
static starfish_status deflate(const struct starfish_cg *cg, int number, int *cycles)
{
    const struct starfish_cells_deflation *q = cg->deflation;
    const int bare = !cg->preconditioner.apply && !cg->preconditioner.apply_and_sum;
    const struct starfish_vector *const y = bare ? cg->r : cg->z;

    if (!bare)
        STARFISH_TRY(precondition(cg, number, cg->r, NULL, 1, cycles));
    if (cg->product_with_az)
        STARFISH_TRY(cg->matrix.residual(cg->matrix.self, y, cg->r, cg->q, NULL));
    STARFISH_TRY(cg->product_with_az ? starfish_deflation_solve(q, cg->algebra, cg->q, NULL)
                                     : starfish_deflation_solve(q, cg->algebra, cg->r, y));
    return starfish_deflation_prolong(q, cg->algebra, y, cg->r, cg->z, cg->rz);
}

/* beta = (r, z) / (last r, last z); flexible: -(z, A p) / (p, A p). */
static starfish_status find_beta(const struct starfish_cg *cg, int number)
{
    if (!is_flexible(cg))
        return find_scalar(cg, cg->recurrence ? STARFISH_KRYLOV_DIRECTION : STARFISH_KRYLOV_TURN, 1, cg->rz, NULL);
    if (number == 0)
        return STARFISH_SUCCESS;
    STARFISH_TRY(product(cg, cg->z, cg->q, cg->pq));
    return find_scalar(cg, STARFISH_KRYLOV_CONJUGATE, sign_of_q(cg), cg->pq, NULL);
}

/* q = A p, and (p, q) unless pq is NULL. */
static starfish_status multiply(const struct starfish_cg *cg, const struct starfish_sums *pq)
{
    if (cg->matrix.multiply)
        return cg->matrix.multiply(cg->matrix.self, cg->p[0], cg->q, pq);
    STARFISH_TRY(cg->matrix.residual(cg->matrix.self, cg->p[0], NULL, cg->q, NULL));
    return product(cg, cg->p[0], cg->q, pq);
}

/* p = z + beta p, the first p is z; q = A p, (p, q). */
static starfish_status turn(struct starfish_cg *cg, int number)
{
    const struct starfish_factor beta = starfish_scalars_factor(cg->scalars, 1, STARFISH_KRYLOV_BETA);
    struct starfish_operator_step step = {.u = cg->z, .sums = cg->pq, .energy = 1};

    if (!cg->fused) {
        STARFISH_TRY(number == 0 ? starfish_algebra_update(cg->algebra, cg->z, NULL, NULL, cg->p[0])
                                 : starfish_algebra_update(cg->algebra, cg->z, &beta, cg->p[0], cg->p[0]));
        return multiply(cg, cg->pq);
    }
    if (number > 0) {
        step.correction = cg->p[cg->turned];
        step.factor = beta;
    }
    cg->turned = !cg->turned;
    step.v = cg->p[cg->turned];
    return cg->matrix.combine(cg->matrix.self, &step);
}

/* alpha = (r, z) / (p, q); flexible: (p, r) / (p, q). */
static starfish_status find_alpha(const struct starfish_cg *cg, const struct starfish_vector *r)
{
    if (cg->recurrence)
        return find_scalar(cg, STARFISH_KRYLOV_STEP, sign_of_q(cg), cg->pq, NULL);
    if (is_flexible(cg))
        STARFISH_TRY(product(cg, cg->p[0], r, cg->rz));
    return find_scalar(cg, STARFISH_KRYLOV_MINIMISE, sign_of_q(cg), cg->pq, cg->rz);
}

/* x = x + alpha p, fused: with the next residual; by the recurrence also r = r - alpha q, and (r, r) unless norm is
 * NULL. */
static starfish_status advance(struct starfish_cg *cg, int zero, struct starfish_factor alpha,
                               const struct starfish_sums *norm)
{
    struct starfish_factor of_x = alpha;

    cg->pending = cg->recurrence || !cg->fused ? 0 : zero ? 2 : 1;
    if (cg->pending)
        return STARFISH_SUCCESS;
    if (!cg->recurrence)
        return starfish_algebra_update(cg->algebra, zero ? NULL : cg->x[0], &alpha, cg->p[0], cg->x[0]);
    of_x.number = cg->unscale;
    alpha.number = -sign_of_q(cg);
    if (cg->matrix.advance)
        return cg->matrix.advance(cg->matrix.self, &of_x, cg->p[0], cg->q, cg->x[0], cg->r, norm);
    STARFISH_TRY(starfish_algebra_update(cg->algebra, cg->x[0], &of_x, cg->p[0], cg->x[0]));
    STARFISH_TRY(starfish_algebra_update(cg->algebra, cg->r, &alpha, cg->q, cg->r));
    return product(cg, cg->r, cg->r, norm);
}

/* Fused: x = x + alpha p, where that is pending, r = b - A x and (r, r). An x of 0 is never read. */
static starfish_status combined_residual(struct starfish_cg *cg, int zero, const struct starfish_sums *sums)
{
    struct starfish_operator_step step = {.f = cg->b, .result = zero ? NULL : cg->r, .sums = sums};

    step.u = zero || cg->pending == 2 ? NULL : cg->x[cg->now];
    if (cg->pending) {
        step.correction = cg->p[cg->turned];
        step.factor = starfish_scalars_factor(cg->scalars, 1, STARFISH_KRYLOV_ALPHA);
        cg->now = !cg->now;
        step.v = cg->x[cg->now];
        cg->pending = 0;
    }
    return cg->matrix.combine(cg->matrix.self, &step);
}

/* r = b - A x and (r, r); the recurrence has them from the last step, but at first the norm. */
static starfish_status residual(void *self, int zero, const struct starfish_sums *sums)
{
    struct starfish_cg *cg = self;

    if (cg->recurrence)
        return zero ? product(cg, cg->r, cg->r, sums) : STARFISH_SUCCESS;
    if (cg->fused)
        return combined_residual(cg, zero, sums);
    return cg->matrix.residual(cg->matrix.self, zero ? NULL : cg->x[0], cg->b, zero ? NULL : cg->r, sums);
}

/* Deflated: x = x + Q r, r = r - A Q r. */
static starfish_status begin(struct starfish_cg *cg)
{
    if (!cg->deflation)
        return STARFISH_SUCCESS;
    STARFISH_TRY(starfish_deflation_solve(cg->deflation, cg->algebra, cg->r, NULL));
    STARFISH_TRY(starfish_deflation_prolong(cg->deflation, cg->algebra, NULL, NULL, cg->p[0], NULL));
    STARFISH_TRY(multiply(cg, NULL));
    return advance(cg, 0, (struct starfish_factor){.number = 1}, NULL);
}

/* Words per unknown that a step reads + writes, besides M with (r, z), and the entries of A:
 *
 *                        flexible    fused    recurrence, of cells    of other matrices
 *     (z, q)              2
 *     p = z + beta p      2 + 1      2 + 1          2 + 1                   2 + 1
 *     q = A p             1 + 1                     1 + 1                   1 + 1
 *     (p, q)              2                                                 2
 *     (p, r)              2
 *     x = x + alpha p     2 + 1      2 + 1          2 + 1                   2 + 1
 *     r                   2 + 1      1 + 1          2 + 1                   2 + 1
 *     (r, r)                                                                1
 *     sum                17          8             11                      14
 *
 * Deflation adds 5. Several steps as one task take 10 words a step on a GPU and 9 on cores, where x follows one step
 * later. */
static starfish_status step(void *self, int number, int zero, int most, int *cycles)
{
    struct starfish_cg *cg = self;
    const struct starfish_factor alpha = starfish_scalars_factor(cg->scalars, 1, STARFISH_KRYLOV_ALPHA);
    const struct starfish_vector *const r = zero && !cg->recurrence ? cg->b : cg->r;

    *cycles = 1;
    if (number == 0)
        STARFISH_TRY(begin(cg));
    STARFISH_TRY(cg->deflation ? deflate(cg, number, cycles) /* z = M^-1 r */
                               : precondition(cg, number, r, is_flexible(cg) ? NULL : cg->rz, most, cycles));
    STARFISH_TRY(find_beta(cg, number));       /* beta = (r, z) / (last r, last z) */
    STARFISH_TRY(turn(cg, number));            /* p = z + beta p, q = A p */
    STARFISH_TRY(find_alpha(cg, r));           /* alpha = (r, z) / (p, q) */
    return advance(cg, zero, alpha, cg->norm); /* x = x + alpha p, r = r - alpha q */
}

/* Several steps as one task. */
static starfish_status steps(void *self, int first, int count)
{
    struct starfish_cg *cg = self;
    const struct starfish_cells_deflation *d = cg->deflation;
    struct starfish_gradients_task task = *cg->several;

    if (d) {
        task.coarse = &d->coarse;
        task.chunks = d->chunks;
        task.domain = d->domain.handle;
    }
    task.r = cg->r;
    task.z = cg->z;
    task.p[0] = cg->p[0];
    task.p[1] = cg->p[1];
    task.q = cg->q;
    task.x = cg->x[0];
    task.state = cg->scalars->state.handle;
    task.norm = cg->norm->part[0].handle;
    task.product = cg->pq->part[0].handle;
    task.rz = cg->rz->part[0].handle;
    task.first = first;
    task.count = count;
    if (first == 0)
        STARFISH_TRY(begin(cg));
    return starfish_submit_gradients(cg->algebra, &task);
}

struct starfish_iteration starfish_cg_iteration(struct starfish_cg *cg, int most_ahead)
{
    return (struct starfish_iteration){.self = cg,
                                       .residual = residual,
                                       .step = step,
                                       .steps = cg->recurrence && cg->fused ? steps : NULL,
                                       .algebra = cg->algebra,
                                       .scalars = cg->scalars,
                                       .sums = cg->norm,
                                       .needs_residual = 1,
                                       .most_ahead = most_ahead};
}

starfish_status starfish_cg_end(struct starfish_cg *cg)
{
    const struct starfish_factor alpha = starfish_scalars_factor(cg->scalars, 1, STARFISH_KRYLOV_ALPHA);
    const struct starfish_vector *const x = cg->pending == 2 ? NULL : cg->x[cg->now];
    const int pending = cg->pending, moved = cg->now != 0;

    cg->pending = cg->now = 0;
    if (pending)
        return starfish_algebra_update(cg->algebra, x, &alpha, cg->p[cg->turned], cg->x[0]);
    return moved ? starfish_algebra_update(cg->algebra, x, NULL, NULL, cg->x[0]) : STARFISH_SUCCESS;
}
