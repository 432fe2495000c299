/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BLKTRI and CBLKTRI with a handle in place of W (starfish/fishpack.h).
 *
 * The handle caches one plan. Every call passes coefficients, which are compared with those of the plan (m + n values,
 * against m n unknowns). If am, bm or cm differ, the calling thread solves with what is kept of an, bn and cn, where
 * their signs rule out that the system is singular. Else, and when the same coefficients come again, a new plan
 * replaces the old one. Threads that still solve with the old plan keep it until they finish. */
#include "fishpack/directions.h"
#include "fishpack/field.h"
#include "fishpack/kept.h"
#include "poisson/null_space.h"

#include "base/arithmetic.h"
#include "base/status.h"
#include <starfish/fishpack.h>
#include <starfish/poisson.h>

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_M = 5, LEAST_N = 3 };

/* A plan and its coefficients. */
struct prepared {
    starfish_plan *plan;
    struct starfish_axis x, y; /* their arrays are parts of `values` */
    double *values;
    size_t users; /* solves that run with it, and the state as long as it is the current one */
};

struct starfish_blktri_state {
    starfish_context *context;
    int owns_context;
    pthread_mutex_t lock; /* of what follows, and of `users` */
    struct prepared *current;
};

/* One call's arguments but for y. */
struct call {
    struct starfish_axis x, y; /* m and n */
    size_t idimy;
    size_t parts; /* doubles of an element of y: 1, or 2 where x.complex_line is set */
};

/* ---- Error numbers ----------------------------------------------------------------------------------------------- */

static int number_of(starfish_status status)
{
    switch (status) {
    case STARFISH_SUCCESS:
        return STARFISH_BLKTRI_SOLVED;
    case STARFISH_ERROR_NOT_SYMMETRIZABLE:
        return STARFISH_BLKTRI_COEFFICIENTS;
    case STARFISH_ERROR_MEMORY:
        return STARFISH_BLKTRI_MEMORY;
    case STARFISH_ERROR_SINGULAR:
        return STARFISH_BLKTRI_SINGULAR;
    case STARFISH_ERROR_ARGUMENT:
        return STARFISH_BLKTRI_ARGUMENT;
    default:
        return STARFISH_BLKTRI_RUNTIME;
    }
}

/* In FISHPACK's order. */
static starfish_status check_shape(int m, int n, int idimy, int *ierror)
{
    *ierror = m < LEAST_M ? STARFISH_BLKTRI_M : n < LEAST_N ? STARFISH_BLKTRI_N : STARFISH_BLKTRI_IDIMY;
    STARFISH_REFUSE_IF(m < LEAST_M, "m is %d, less than %d (ierror 1)", m, LEAST_M);
    STARFISH_REFUSE_IF(n < LEAST_N, "n is %d, less than %d (ierror 2)", n, LEAST_N);
    STARFISH_REFUSE_IF(idimy < m, "idimy is %d, less than m = %d (ierror 3)", idimy, m);
    *ierror = STARFISH_BLKTRI_SOLVED;
    return STARFISH_SUCCESS;
}

/* The first lower and the last upper coefficient are ignored unless the direction is periodic. */
static int uses_lower(const struct starfish_axis *axis, size_t k)
{
    return k > 0 || axis->periodic;
}

static int uses_upper(const struct starfish_axis *axis, size_t k)
{
    return k + 1 < axis->n || axis->periodic;
}

/* an, bn and cn. The plan would take a sign that FISHPACK refuses where it can transform along i. */
static starfish_status check_rows(const struct starfish_axis *y, int *ierror)
{
    *ierror = STARFISH_BLKTRI_ARGUMENT;
    STARFISH_NEED(y->lower, "an");
    STARFISH_NEED(y->diag, "bn");
    STARFISH_NEED(y->upper, "cn");
    *ierror = STARFISH_BLKTRI_COEFFICIENTS;
    for (size_t j = 0; j < y->n; j++)
        STARFISH_REFUSE_IF((uses_lower(y, j) && !isfinite(y->lower[j])) || !isfinite(y->diag[j]) ||
                               (uses_upper(y, j) && !isfinite(y->upper[j])),
                           "an, bn or cn is not finite in row %zu (ierror 4)", j);
    *ierror = STARFISH_BLKTRI_SIGN;
    const size_t j = starfish_opposed_row(y), before = (j > 0 ? j : y->n) - 1;
    STARFISH_FAIL_IF(j < y->n, STARFISH_ERROR_NOT_SYMMETRIZABLE,
                     "an[%zu] = %g and cn[%zu] = %g have opposite signs (ierror 5)", j, y->lower[j], before,
                     y->upper[before]);
    *ierror = STARFISH_BLKTRI_SOLVED;
    return STARFISH_SUCCESS;
}

/* ---- Plans ------------------------------------------------------------------------------------------------------- */

static size_t doubles_of(const struct starfish_axis *axis)
{
    return axis->complex_line ? 2 * axis->n : axis->n;
}

static int same_axis(const struct starfish_axis *a, const struct starfish_axis *b)
{
    const size_t all = doubles_of(a), first = uses_lower(a, 0) ? 0 : all / a->n, used = all - first;
    return a->n == b->n && a->periodic == b->periodic && a->complex_line == b->complex_line &&
           memcmp(a->lower + first, b->lower + first, used * sizeof(double)) == 0 &&
           memcmp(a->diag, b->diag, all * sizeof(double)) == 0 &&
           memcmp(a->upper, b->upper, used * sizeof(double)) == 0;
}

/* Replaces the axis's arrays by copies at *next, and moves *next behind them. */
static void keep_axis(struct starfish_axis *axis, double **next)
{
    const double **const array[] = {&axis->lower, &axis->diag, &axis->upper};
    for (size_t i = 0; i < sizeof array / sizeof array[0]; i++) {
        memcpy(*next, *array[i], doubles_of(axis) * sizeof **next);
        *array[i] = *next;
        *next += doubles_of(axis);
    }
}

static void destroy(struct prepared *prepared)
{
    starfish_plan_destroy(prepared->plan);
    free(prepared->values);
    free(prepared);
}

/* What FISHPACK refuses, plans may solve by elimination. */
static starfish_status check_method(const starfish_plan *plan)
{
    struct starfish_about about = STARFISH_ABOUT_DEFAULTS;
    STARFISH_TRY(starfish_plan_about(plan, &about));
    return strcmp(about.method, "elimination") == 0
               ? starfish_fail(STARFISH_ERROR_NOT_SYMMETRIZABLE, "%s", about.reason)
               : STARFISH_SUCCESS;
}

static starfish_status create(starfish_context *context, const struct call *call, struct prepared **result)
{
    struct prepared *prepared = calloc(1, sizeof *prepared);
    double *next = malloc(3 * (doubles_of(&call->x) + doubles_of(&call->y)) * sizeof *next);
    if (!prepared || !next) {
        free(prepared);
        free(next);
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for coefficients");
    }
    *prepared = (struct prepared){.x = call->x, .y = call->y, .values = next, .users = 1};
    keep_axis(&prepared->x, &next);
    keep_axis(&prepared->y, &next);
    starfish_status status =
        starfish_separable2d_plan_create(context, &prepared->x, &prepared->y, 0, NULL, &prepared->plan);
    STARFISH_THEN(status, check_method(prepared->plan));
    if (status != STARFISH_SUCCESS) {
        destroy(prepared);
        return status;
    }
    *result = prepared;
    return STARFISH_SUCCESS;
}

/* With the lock held. NULL is allowed. */
static void release(struct prepared *prepared)
{
    if (prepared && --prepared->users == 0)
        destroy(prepared);
}

static starfish_status check_lines(const struct starfish_axis *x)
{
    STARFISH_NEED(x->lower, "am");
    STARFISH_NEED(x->diag, "bm");
    STARFISH_NEED(x->upper, "cm");
    return STARFISH_SUCCESS;
}

static int is_plans(const struct starfish_blktri_state *state, const struct call *call)
{
    return state->current && same_axis(&state->current->x, &call->x) && same_axis(&state->current->y, &call->y);
}

/* Makes the call's plan the current one. With the lock held, so that threads with the same coefficients make one plan.
 */
static starfish_status prepare(struct starfish_blktri_state *state, const struct call *call)
{
    struct prepared *prepared = NULL;
    STARFISH_TRY(check_lines(&call->x));
    if (is_plans(state, call))
        return STARFISH_SUCCESS;
    STARFISH_TRY(create(state->context, call, &prepared));
    release(state->current);
    state->current = prepared;
    return STARFISH_SUCCESS;
}

/* ---- The two kinds of call --------------------------------------------------------------------------------------- */

static starfish_status create_state(starfish_blktri_work *work)
{
    struct starfish_blktri_state *state = calloc(1, sizeof *state);
    STARFISH_FAIL_IF(!state, STARFISH_ERROR_MEMORY, "out of memory for a handle");
    state->context = work->context;
    state->owns_context = !work->context;
    starfish_status status = work->context ? STARFISH_SUCCESS : starfish_context_create(&state->context, NULL);
    if (status != STARFISH_SUCCESS) {
        free(state);
        return status;
    }
    pthread_mutex_init(&state->lock, NULL);
    work->state = state;
    return STARFISH_SUCCESS;
}

/* FISHPACK does not look at am, bm and cm here, so what is wrong with them, or with both directions together, is the
 * first solve's to say. */
static starfish_status initialise(starfish_blktri_work *work, const struct call *call)
{
    if (!work->state)
        STARFISH_TRY(create_state(work));
    pthread_mutex_lock(&work->state->lock);
    starfish_status status = prepare(work->state, call);
    pthread_mutex_unlock(&work->state->lock);
    return status == STARFISH_ERROR_ARGUMENT || status == STARFISH_ERROR_SINGULAR ? STARFISH_SUCCESS : status;
}

static void copy_columns(const struct call *call, double *to, size_t to_stride, const double *from, size_t from_stride)
{
    for (size_t j = 0; j < call->y.n; j++)
        memcpy(to + j * to_stride, from + j * from_stride, call->x.n * call->parts * sizeof *to);
}

static starfish_status solve_columns(starfish_plan *plan, const struct call *call, double *y)
{
    const size_t m = call->x.n * call->parts, idimy = call->idimy * call->parts;
    if (idimy == m)
        return starfish_plan_solve(plan, NULL, y, y, NULL);
    double *dense = malloc(m * call->y.n * sizeof *dense);
    STARFISH_FAIL_IF(!dense, STARFISH_ERROR_MEMORY, "out of memory for y without its rows beyond m");
    copy_columns(call, dense, m, y, idimy);
    starfish_status status = starfish_plan_solve(plan, NULL, dense, dense, NULL);
    if (status == STARFISH_SUCCESS)
        copy_columns(call, y, idimy, dense, m);
    free(dense);
    return status;
}

/* ---- New coefficients -------------------------------------------------------------------------------------------- */

/* Whether am, bm and cm are new, with signs that say that no mode is singular. */
static int may_solve_here(const struct starfish_direct *direct, const struct call *call)
{
    const struct starfish_direction d[3] = {direct->x, direct->y, direct->z};
    struct starfish_key key = {NULL};
    starfish_key_add_axis(&key, &call->x);
    starfish_key_add_axis(&key, &call->y);
    const int is_new = !key.failed && !starfish_kept_seen(&key);
    starfish_key_free(&key);
    return is_new && starfish_is_semidefinite(d, 0) && !(d[0].constant_null && d[2].constant_null);
}

/* In the calling thread; 0 if that cannot be, with y as it was. */
static int solve_here(const struct call *call, const struct starfish_call_array *y)
{
    static const size_t first[2] = {0, 0};
    const struct starfish_direct_axes axes = {.x = call->y, .y = starfish_no_axis(), .z = call->x, .parts = 1};
    struct starfish_direct direct;
    int done = 0;
    if (call->parts > 1 || call->y.n > STARFISH_MOST_DIAGONALISED ||
        starfish_direct_create(&direct, &axes) != STARFISH_SUCCESS)
        return 0;
    struct starfish_direct_way way;
    direct.no_plan = 1;
    if (may_solve_here(&direct, call) && starfish_direct_begin(&direct, &way) == STARFISH_SUCCESS) {
        const struct starfish_plane u = starfish_plane_of(&direct, &way, 0);
        starfish_plane_take(&u, y, first);
        done = starfish_direct_solve(&direct, &way) == STARFISH_SUCCESS;
        if (done)
            starfish_plane_give(&u, y, first);
        starfish_direct_end(&way);
    }
    starfish_direct_free(&direct);
    return done;
}

static starfish_status solve(struct starfish_blktri_state *state, const struct call *call, double *y)
{
    struct prepared *prepared = NULL;
    STARFISH_REFUSE_IF(!state, "no call with iflg = 0 came before");
    STARFISH_NEED(y, "y");
    STARFISH_TRY(check_lines(&call->x));
    pthread_mutex_lock(&state->lock);
    const int differs = !is_plans(state, call);
    pthread_mutex_unlock(&state->lock);
    const struct starfish_call_array array = {y, call->x.n, call->y.n, call->idimy, 1};
    if (differs && solve_here(call, &array))
        return STARFISH_SUCCESS;
    pthread_mutex_lock(&state->lock);
    starfish_status status = prepare(state, call);
    if (status == STARFISH_SUCCESS) {
        prepared = state->current;
        prepared->users++;
    }
    pthread_mutex_unlock(&state->lock);
    if (status != STARFISH_SUCCESS)
        return status;
    status = solve_columns(prepared->plan, call, y);
    pthread_mutex_lock(&state->lock);
    release(prepared);
    pthread_mutex_unlock(&state->lock);
    return status;
}

static starfish_status prepare_or_solve(int iflg, const struct call *call, double *y, int *ierror,
                                        starfish_blktri_work *work)
{
    STARFISH_TRY(check_rows(&call->y, ierror));
    const starfish_status status = iflg == 0 ? initialise(work, call) : solve(work->state, call, y);
    *ierror = number_of(status);
    return status;
}

static starfish_status check_handle(int *ierror, const starfish_blktri_work *work)
{
    STARFISH_NEED(ierror, "ierror");
    *ierror = STARFISH_BLKTRI_ARGUMENT;
    STARFISH_NEED(work, "work");
    return STARFISH_SUCCESS;
}

static struct starfish_axis axis_of(int periodic, int n, const double *lower, const double *diag, const double *upper)
{
    return (struct starfish_axis){.kind = STARFISH_TRIDIAGONAL,
                                  .n = (size_t)n,
                                  .lower = lower,
                                  .diag = diag,
                                  .upper = upper,
                                  .periodic = periodic};
}

starfish_status starfish_blktri(int iflg, int np, int n, const double *an, const double *bn, const double *cn, int mp,
                                int m, const double *am, const double *bm, const double *cm, int idimy, double *y,
                                int *ierror, starfish_blktri_work *work)
{
    STARFISH_OWN_ARITHMETIC;
    STARFISH_TRY(check_handle(ierror, work));
    STARFISH_TRY(check_shape(m, n, idimy, ierror));
    const struct call call = {axis_of(mp == 0, m, am, bm, cm), axis_of(np == 0, n, an, bn, cn), (size_t)idimy, 1};
    return prepare_or_solve(iflg, &call, y, ierror, work);
}

starfish_status starfish_cblktri(int iflg, int np, int n, const double *an, const double *bn, const double *cn, int mp,
                                 int m, const double *am, const double *bm, const double *cm, int idimy, double *y,
                                 int *ierror, starfish_blktri_work *work)
{
    STARFISH_OWN_ARITHMETIC;
    STARFISH_TRY(check_handle(ierror, work));
    STARFISH_TRY(check_shape(m, n, idimy, ierror));
    struct call call = {axis_of(mp == 0, m, am, bm, cm), axis_of(np == 0, n, an, bn, cn), (size_t)idimy, 2};
    call.x.complex_line = 1;
    return prepare_or_solve(iflg, &call, y, ierror, work);
}

void starfish_blktri_free(starfish_blktri_work *work)
{
    STARFISH_OWN_ARITHMETIC;
    if (!work || !work->state)
        return;
    release(work->state->current);
    if (work->state->owns_context)
        starfish_context_destroy(work->state->context);
    pthread_mutex_destroy(&work->state->lock);
    free(work->state);
    work->state = NULL;
}
