/* The coarsest grid of Q1 multigrid by conjugate gradients. */
#include "codelets/q1_coarse.h"

#include "base/place.h"
#include "base/real.h"
#include "krylov/kernels/krylov.h"

STARFISH_PLACE_KERNEL(run_update, starfish_vector_update)

enum { ALIGNMENT = 256, VECTORS = 5 };

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t vector_bytes(starfish_precision precision, const struct starfish_q1_shape *shape)
{
    return aligned(shape->n[0] * shape->n[1] * starfish_real_size(precision));
}

static const size_t sums_bytes = STARFISH_SUMS * sizeof(double);

size_t starfish_q1_coarse_work(const struct starfish_q1_coarse *coarse, starfish_precision precision,
                               const struct starfish_q1_shape *shape)
{
    if (coarse->solver == STARFISH_COARSE_DIRECT)
        return 0;
    return VECTORS * vector_bytes(precision, shape) + aligned(sums_bytes) +
           aligned(STARFISH_KRYLOV_STATE * sizeof(double));
}

/* A solve under way. `image` is -A direction, and between two of them the preconditioner's. */
struct krylov {
    const struct starfish_place *place;
    const struct starfish_q1_coarse_solve *solve;
    struct starfish_rectangle at;
    void *residual, *preconditioned, *direction, *image, *zero;
    double *sums, *state;
};

static struct krylov lay_out(const struct starfish_place *place, const struct starfish_q1_coarse_solve *s)
{
    const size_t bytes = vector_bytes(place->precision, &s->shape);
    char *work = s->work;
    char *sums = work + VECTORS * bytes;

    return (struct krylov){place,
                           s,
                           {0, s->shape.n[0], 0, s->shape.n[1]},
                           work,
                           work + bytes,
                           work + 2 * bytes,
                           work + 3 * bytes,
                           work + 4 * bytes,
                           (void *)sums,
                           (void *)(sums + aligned(sums_bytes))};
}

static int find_scalars(const struct krylov *k, enum starfish_krylov_stage stage, double sign)
{
    const struct starfish_krylov_scalars scalars = {.stage = stage,
                                                    .sign = sign,
                                                    .tolerance = k->solve->coarse.tolerance,
                                                    .parts = 1,
                                                    .sums = {k->sums},
                                                    .state = k->state};

#ifdef STARFISH_CUDA
    if (k->place->gpu)
        return starfish_krylov_scalars_cuda(&scalars, k->place->stream);
#endif
    starfish_krylov_scalars_cpu(&scalars);
    return 0;
}

static int find_product(const struct krylov *k, const void *u, const void *v)
{
    return starfish_q1_product_here(k->place, &k->solve->shape, k->at, u, v, k->sums);
}

/* v = u + factor * correction. */
static int update(const struct krylov *k, enum starfish_krylov_scalar factor, const void *u, const void *correction,
                  void *v)
{
    const struct starfish_vector_update vectors = {.nx = k->at.x1,
                                                   .at = k->at,
                                                   .factor = 1,
                                                   .u = u,
                                                   .correction = correction,
                                                   .pitch = k->at.x1,
                                                   .v = v,
                                                   .scalar = k->state + factor};

    return run_update(k->place, &vectors);
}

/* result = f - A u, and where `summed` the sum of its squares. */
static int find_residual(const struct krylov *k, const void *u, const void *f, void *result, int summed)
{
    const struct starfish_q1_residual residual = {.shape = k->solve->shape,
                                                  .at = k->at,
                                                  .table = k->solve->table,
                                                  .u = u,
                                                  .f = f,
                                                  .result = result,
                                                  .sums = summed ? k->sums : NULL};

    return starfish_q1_residual_here(k->place, &residual);
}

static int smooth(const struct krylov *k, enum starfish_q1_direction direction, double damping, const void *u, void *v)
{
    const struct starfish_q1_smooth step = {.shape = k->solve->shape,
                                            .direction = direction,
                                            .at = k->at,
                                            .damping = damping,
                                            .table = k->solve->table,
                                            .u = u,
                                            .f = k->residual,
                                            .v = v};

    return starfish_q1_smooth_here(k->place, &step);
}

/* The damping is that of the smoother: with it no eigenvector grows in a step, so that four of them are positive
 * definite. */
static int precondition(const struct krylov *k)
{
    const double damping = 0.7;

    if (k->solve->coarse.solver == STARFISH_COARSE_CG_JACOBI)
        return smooth(k, STARFISH_Q1_POINTS, 1, NULL, k->preconditioned);
    TRY_LAUNCH(smooth(k, STARFISH_Q1_LINES_X, damping, NULL, k->image));
    TRY_LAUNCH(smooth(k, STARFISH_Q1_LINES_Y, damping, k->image, k->preconditioned));
    TRY_LAUNCH(smooth(k, STARFISH_Q1_LINES_Y, damping, k->preconditioned, k->image));
    return smooth(k, STARFISH_Q1_LINES_X, damping, k->image, k->preconditioned);
}

static int begin(const struct krylov *k)
{
    const struct starfish_q1_coarse_solve *s = k->solve;

    TRY_LAUNCH(find_residual(k, s->zero ? NULL : s->u, s->f, k->residual, 1));
    TRY_LAUNCH(find_scalars(k, STARFISH_KRYLOV_BEGIN, 1));
    if (s->zero)
        TRY_LAUNCH(update(k, STARFISH_KRYLOV_ZERO, NULL, NULL, s->u));
    return update(k, STARFISH_KRYLOV_ZERO, NULL, NULL, k->zero);
}

static int iterate(const struct krylov *k)
{
    void *u = k->solve->u;

    TRY_LAUNCH(precondition(k));
    TRY_LAUNCH(find_product(k, k->residual, k->preconditioned));
    TRY_LAUNCH(find_scalars(k, STARFISH_KRYLOV_DIRECTION, 1));
    TRY_LAUNCH(update(k, STARFISH_KRYLOV_BETA, k->preconditioned, k->direction, k->direction));
    TRY_LAUNCH(find_residual(k, k->direction, k->zero, k->image, 0));
    TRY_LAUNCH(find_product(k, k->direction, k->image));
    TRY_LAUNCH(find_scalars(k, STARFISH_KRYLOV_STEP, -1));
    TRY_LAUNCH(update(k, STARFISH_KRYLOV_ALPHA, u, k->direction, u));
    TRY_LAUNCH(update(k, STARFISH_KRYLOV_ALPHA, k->residual, k->image, k->residual));
    TRY_LAUNCH(find_product(k, k->residual, k->residual));
    return find_scalars(k, STARFISH_KRYLOV_TEST, 1);
}

int starfish_q1_coarse_here(const struct starfish_place *place, const struct starfish_q1_coarse_solve *s)
{
    if (s->coarse.solver == STARFISH_COARSE_DIRECT)
        return starfish_q1_solve_here(place, &s->shape, s->table, s->f, s->u);
    const struct krylov k = lay_out(place, s);

    TRY_LAUNCH(begin(&k));
    for (int i = 0; i < s->coarse.iterations; i++) {
        if (!place->gpu && k.state[STARFISH_KRYLOV_DONE] != 0)
            return 0;
        TRY_LAUNCH(iterate(&k));
    }
    return 0;
}
