/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The coarsest grid of Q1 multigrid by conjugate gradients (q1_coarse.h): the textbook's steps as kernels at one place,
 * bound by their latency. */
#include "multigrid/kernels/q1_coarse.h"

#include "base/real.h"
#include "krylov/kernels/krylov.h"
#include "multigrid/kernels/q1_steps.h"

STARFISH_PLACE_KERNEL(run_update, starfish_vector_update)
STARFISH_PLACE_KERNEL(run_product, starfish_vector_product)

enum { ALIGNMENT = 256, VECTORS = 4 };

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t vector_bytes(starfish_precision precision, const struct starfish_q1_shape *shape)
{
    return aligned(shape->n[0] * shape->n[1] * starfish_real_size(precision));
}

static const size_t sums_bytes = STARFISH_SUMS * sizeof(double);

/* Its own vectors and scalars, before the work space of steps. */
static size_t own_work(starfish_precision precision, const struct starfish_q1_shape *shape)
{
    return VECTORS * vector_bytes(precision, shape) + aligned(sums_bytes) +
           aligned(STARFISH_KRYLOV_STATE * sizeof(double));
}

size_t starfish_q1_solve_work(const struct starfish_smoothing *smoothing, const void *shape,
                              starfish_precision precision, int gpu)
{
    if (smoothing->coarse.solver == STARFISH_COARSE_DIRECT)
        return 0;
    return own_work(precision, shape) + starfish_q1_work(precision, shape, gpu);
}

/* A solve under way. `image` is -A direction, and between two of them the preconditioner's. */
struct krylov {
    struct starfish_place place; /* whose work space is that of steps */
    const struct starfish_coarse_solving *coarse;
    const struct starfish_grid_step *solve;
    void *residual, *preconditioned, *direction, *image;
    double *sums, *state;
};

static struct krylov lay_out(const struct starfish_place *place, const struct starfish_smoothing *smoothing,
                             const struct starfish_grid_step *s)
{
    const size_t bytes = vector_bytes(place->precision, s->shape);
    char *work = place->work;
    char *sums = work + VECTORS * bytes;
    struct krylov k = {.place = *place,
                       .coarse = &smoothing->coarse,
                       .solve = s,
                       .residual = work,
                       .preconditioned = work + bytes,
                       .direction = work + 2 * bytes,
                       .image = work + 3 * bytes,
                       .sums = (void *)sums,
                       .state = (void *)(sums + aligned(sums_bytes))};

    k.place.work = work + own_work(place->precision, s->shape);
    return k;
}

static int find_scalars(const struct krylov *k, enum starfish_krylov_stage stage, double sign)
{
    const struct starfish_krylov_scalars scalars = {.stage = stage,
                                                    .sign = sign,
                                                    .tolerance = k->coarse->tolerance,
                                                    .parts = 1,
                                                    .sums = {k->sums},
                                                    .state = k->state};

#ifdef STARFISH_CUDA
    if (k->place.gpu)
        return starfish_krylov_scalars_cuda(&scalars, k->place.stream);
#endif
    starfish_krylov_scalars_cpu(&scalars);
    return 0;
}

static int find_product(const struct krylov *k, const void *u, const void *v)
{
    const struct starfish_vector_product product = {
        .nx = k->solve->at.x1, .at = k->solve->at, .u = u, .v = v, .sums = k->sums};

    return run_product(&k->place, &product);
}

/* v = u + factor * correction. */
static int update(const struct krylov *k, enum starfish_krylov_scalar factor, const void *u, const void *correction,
                  void *v)
{
    const struct starfish_vector_update vectors = {.nx = k->solve->at.x1,
                                                   .at = k->solve->at,
                                                   .factor = 1,
                                                   .u = u,
                                                   .correction = correction,
                                                   .pitch = k->solve->at.x1,
                                                   .v = v,
                                                   .scalar = k->state + factor};

    return run_update(&k->place, &vectors);
}

/* result = f - A u, f == NULL being zero, and where `summed` the sum of its squares. */
static int find_residual(const struct krylov *k, const void *u, const void *f, void *result, int summed)
{
    struct starfish_grid_step step = *k->solve;

    step.u = u;
    step.f = f;
    step.result = result;
    step.sums = summed ? k->sums : NULL;
    return starfish_q1_residual_here(&k->place, &step);
}

static int smooth(const struct krylov *k, enum starfish_q1_sweep sweep, double damping, const void *u, void *v)
{
    struct starfish_grid_step step = *k->solve;

    step.sweep = (int)sweep;
    step.damping = damping;
    step.u = u;
    step.f = k->residual;
    step.result = v;
    return starfish_q1_smooth_here(&k->place, &step);
}

/* The damping is that of the smoother: with it no eigenvector grows in a step, so that four of them are positive
 * definite. */
static int precondition(const struct krylov *k)
{
    const double damping = 0.7;

    if (k->coarse->solver == STARFISH_COARSE_CG_JACOBI)
        return smooth(k, STARFISH_Q1_POINTS, 1, NULL, k->preconditioned);
    TRY_LAUNCH(smooth(k, STARFISH_Q1_LINES_X, damping, NULL, k->image));
    TRY_LAUNCH(smooth(k, STARFISH_Q1_LINES_Y, damping, k->image, k->preconditioned));
    TRY_LAUNCH(smooth(k, STARFISH_Q1_LINES_Y, damping, k->preconditioned, k->image));
    return smooth(k, STARFISH_Q1_LINES_X, damping, k->image, k->preconditioned);
}

static int begin(const struct krylov *k)
{
    const struct starfish_grid_step *s = k->solve;

    TRY_LAUNCH(find_residual(k, s->zero ? NULL : s->result, s->f, k->residual, 1));
    TRY_LAUNCH(find_scalars(k, STARFISH_KRYLOV_BEGIN, 1));
    return s->zero ? update(k, STARFISH_KRYLOV_ZERO, NULL, NULL, s->result) : 0;
}

static int iterate(const struct krylov *k)
{
    void *u = k->solve->result;

    TRY_LAUNCH(precondition(k));
    TRY_LAUNCH(find_product(k, k->residual, k->preconditioned));
    TRY_LAUNCH(find_scalars(k, STARFISH_KRYLOV_DIRECTION, 1));
    TRY_LAUNCH(update(k, STARFISH_KRYLOV_BETA, k->preconditioned, k->direction, k->direction));
    TRY_LAUNCH(find_residual(k, k->direction, NULL, k->image, 0));
    TRY_LAUNCH(find_product(k, k->direction, k->image));
    TRY_LAUNCH(find_scalars(k, STARFISH_KRYLOV_STEP, -1));
    TRY_LAUNCH(update(k, STARFISH_KRYLOV_ALPHA, u, k->direction, u));
    TRY_LAUNCH(update(k, STARFISH_KRYLOV_ALPHA, k->residual, k->image, k->residual));
    TRY_LAUNCH(find_product(k, k->residual, k->residual));
    return find_scalars(k, STARFISH_KRYLOV_TEST, 1);
}

int starfish_q1_solve_here(const struct starfish_place *place, const struct starfish_smoothing *smoothing,
                           const struct starfish_grid_step *s)
{
    if (smoothing->coarse.solver == STARFISH_COARSE_DIRECT)
        return starfish_q1_invert_here(place, s);
    const struct krylov k = lay_out(place, smoothing, s);

    TRY_LAUNCH(begin(&k));
    for (int i = 0; i < smoothing->coarse.iterations; i++) {
        if (!place->gpu && k.state[STARFISH_KRYLOV_DONE] != 0)
            return 0;
        TRY_LAUNCH(iterate(&k));
    }
    return 0;
}
