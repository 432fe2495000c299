/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* In the calling thread the kernels are those of the slab method: rows of x are transformed, lanes of modes are
 * eliminated along z. Complex lines are the chains of block cyclic reduction with one step. */
#include "fishpack/direct.h"

#include "base/sizes.h"
#include "fishpack/kept.h"
#include "fishpack/workers.h"

#include "fft/kernels/basis.h"
#include "fft/kernels/planes.h"
#include "tasks/slab.h"
#include "tridiag/kernels/slab_lines.h"
#include "tridiag/kernels/tridiag.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static size_t unknowns(const struct starfish_direct *direct)
{
    return direct->x.n * direct->y.n * direct->z.n;
}

/* Whose eigenvectors would take too long. */
static int is_long(const struct starfish_direct *direct)
{
    return !direct->x.has_transform && direct->x.n > STARFISH_MOST_DIAGONALISED;
}

/* ---- What is kept of x and y ------------------------------------------------------------------------------------- */

/* A plan, or a basis in x, or transforms in x and y; and memory, which is lent to one solve at a time. */
struct starfish_prepared {
    starfish_plan *plan;
    struct starfish_basis basis; /* n = 0: none */
    struct starfish_transform_cpu *x, *y;
    starfish_context *context; /* of the memory; NULL: it is malloc's */
    atomic_flag is_lent;
    void *memory;
    size_t bytes;
};

enum { ALIGNMENT = 64, MOST_MEMORY = 4 << 20 }; /* of solves in the calling thread, to stay for the next one */

static void free_memory(struct starfish_prepared *p)
{
    if (p->context)
        starfish_free(p->context, p->memory, p->bytes);
    else
        free(p->memory);
    p->memory = NULL;
    p->bytes = 0;
}

static void destroy(void *object)
{
    struct starfish_prepared *p = object;
    free_memory(p);
    starfish_plan_destroy(p->plan);
    starfish_transform_cpu_destroy(p->x);
    starfish_transform_cpu_destroy(p->y);
    starfish_basis_destroy(&p->basis);
    free(p);
}

static starfish_status fill(const struct starfish_direct *direct, struct starfish_prepared *p, size_t *bytes)
{
    const struct starfish_direction *x = &direct->x, *y = &direct->y;
    const struct starfish_basis_operator op = {.n = x->n,
                                               .periodic = x->periodic,
                                               .lower = x->lower,
                                               .diag = x->diag,
                                               .upper = x->upper,
                                               .reflection = STARFISH_BASIS_EXACT,
                                               .sum = x->sum,
                                               .weight = x->scale_y};
    *bytes = sizeof *p + 64 * (x->n + y->n) + MOST_MEMORY;
    if (!x->has_transform) {
        *bytes += 2 * x->n * x->n * sizeof(double);
        return starfish_basis_create(&p->basis, &op, STARFISH_F64);
    }
    STARFISH_TRY(starfish_transform_cpu_create(&p->x, x->transform, x->n, STARFISH_F64));
    return starfish_transform_cpu_create(&p->y, y->transform, y->n, STARFISH_F64);
}

static starfish_status make(const void *from, void **object, size_t *bytes)
{
    struct starfish_prepared *p = calloc(1, sizeof *p);
    STARFISH_FAIL_IF(!p, STARFISH_ERROR_MEMORY, "out of memory for a transform");
    const starfish_status status = fill(from, p, bytes);
    if (status != STARFISH_SUCCESS)
        destroy(p);
    else
        *object = p;
    return status;
}

static starfish_status find(const struct starfish_direct *direct, struct starfish_prepared **prepared)
{
    static const struct starfish_kept_kind kind = {make, destroy};
    const struct starfish_direction *d[2] = {&direct->x, &direct->y};
    struct starfish_key key = {NULL};
    for (int i = 0; i < 2; i++) {
        const size_t what[3] = {d[i]->n, d[i]->has_transform ? (size_t)d[i]->transform : SIZE_MAX,
                                (size_t)d[i]->periodic};
        const double *const rows[] = {d[i]->lower, d[i]->diag, d[i]->upper, d[i]->scale_y};
        starfish_key_add(&key, what, sizeof what);
        for (size_t r = 0; r < sizeof rows / sizeof rows[0] && !d[i]->has_transform; r++)
            starfish_key_add(&key, rows[r], rows[r] ? d[i]->n * sizeof(double) : 0);
    }
    void *object = NULL;
    const starfish_status status = starfish_kept_find(&kind, &key, direct, &object);
    starfish_key_free(&key);
    *prepared = object;
    return status;
}

starfish_status starfish_direct_prepare(struct starfish_direct *direct)
{
    return is_long(direct) ? STARFISH_SUCCESS : find(direct, &direct->prepared);
}

void starfish_direct_unprepare(struct starfish_direct *direct)
{
    if (direct->prepared)
        starfish_kept_release(direct->prepared);
    direct->prepared = NULL;
}

void starfish_direct_free(struct starfish_direct *direct)
{
    starfish_direct_unprepare(direct);
    starfish_direction_destroy(&direct->x);
    starfish_direction_destroy(&direct->y);
    starfish_direction_destroy(&direct->z);
}

/* ---- In the calling thread --------------------------------------------------------------------------------------- */

/* A solve. `other` is a second field, where transforms or lines cannot work in place. */
struct work {
    const struct starfish_direct *direct;
    const struct starfish_prepared *prepared;
    double *field, *other, *weight;
    char *workspace;
};

static const double *eigenvalues(const struct work *work)
{
    return work->prepared->basis.n > 0 ? work->prepared->basis.eigenvalue : work->direct->x.eigenvalue;
}

static void swap_fields(struct work *work)
{
    double *field = work->field;
    work->field = work->other;
    work->other = field;
}

static void transform_pairs(const struct work *work, enum starfish_transform_direction direction, double scale)
{
    const struct starfish_transform_columns columns = {.inner = work->direct->parts,
                                                       .outer = work->direct->z.n,
                                                       .data = work->field,
                                                       .scale = scale,
                                                       .workspace = work->workspace};
    starfish_transform_columns_cpu(work->prepared->x, direction, &columns);
}

static void transform(struct work *work, enum starfish_transform_direction direction)
{
    const struct starfish_direct *direct = work->direct;
    const struct starfish_prepared *t = work->prepared;
    if (t->basis.n > 0) {
        starfish_basis_columns_cpu(
            &t->basis, direction,
            &(struct starfish_basis_columns){direct->parts, direct->z.n, work->field, work->other, 1});
        swap_fields(work);
        return;
    }
    const double scale = direction == STARFISH_BACKWARD
                             ? 1
                             : 1 / (starfish_transform_scale(direct->x.transform, direct->x.n) *
                                    (direct->y.n > 1 ? starfish_transform_scale(direct->y.transform, direct->y.n) : 1));
    const struct starfish_transform_planes planes = {
        .planes = direct->z.n, .in = work->field, .out = work->field, .scale = scale, .workspace = work->workspace};
    const struct starfish_transform_rows rows = {.count = direct->z.n,
                                                 .rows = work->field,
                                                 .tiles = 1,
                                                 .tile = {work->field},
                                                 .first_mode = {0, direct->x.n},
                                                 .scale = scale,
                                                 .workspace = work->workspace};
    if (direct->parts > 1)
        transform_pairs(work, direction, scale);
    else if (direct->y.n > 1)
        starfish_transform_planes_cpu(t->x, t->y, direction, &planes);
    else
        starfish_transform_rows_cpu(t->x, direction, &rows);
}

/* The lane of constants, where constants are in the null space; else -1. */
static ptrdiff_t constant_lane(const struct work *work)
{
    const struct starfish_direct *direct = work->direct;
    const struct starfish_basis *basis = &work->prepared->basis;
    if (!direct->x.constant_null || !direct->y.constant_null || !direct->z.constant_null)
        return -1;
    return basis->n == 0 ? 0 : basis->constant < basis->n ? (ptrdiff_t)basis->constant : -1;
}

static void solve_real_lines(const struct work *work)
{
    const struct starfish_direct *direct = work->direct;
    const struct starfish_direction *z = &direct->z;
    const int sums = direct->x.has_transform && (z->signs & STARFISH_SIGN_LAPLACIAN) != 0;
    const struct starfish_slab_lines lines = {.rows = z->n,
                                              .lower = z->lower,
                                              .diag = sums ? z->sum : z->diag,
                                              .upper = z->upper,
                                              .inner = direct->x.n,
                                              .outer = direct->y.n,
                                              .plane = direct->x.n * direct->y.n,
                                              .shift_inner = eigenvalues(work),
                                              .shift_outer = direct->y.n > 1 ? direct->y.eigenvalue : NULL,
                                              .weight = work->weight,
                                              .row_sums = sums,
                                              .parts = 1,
                                              .first_outer = {0, direct->y.n}};
    starfish_slab_solve_cpu_f64(&(struct starfish_slab_solve){.lines = lines,
                                                              .data = work->field,
                                                              .out = work->field,
                                                              .periodic = z->periodic,
                                                              .pinned_lane = constant_lane(work),
                                                              .workspace = work->workspace});
}

/* lower, diag and upper as pairs, behind each other. */
static starfish_status solve_complex_lines(struct work *work)
{
    const struct starfish_direction *z = &work->direct->z;
    const double zero = 0, one = 1, *const rows[] = {z->lower, z->diag, z->upper};
    const int first = 0, steps = 1, pinned = constant_lane(work) == 0 ? 0 : -1;
    double *pairs = malloc(6 * z->n * sizeof *pairs);
    STARFISH_FAIL_IF(!pairs, STARFISH_ERROR_MEMORY, "out of memory for %zu complex rows", z->n);
    for (size_t r = 0; r < 3; r++)
        for (size_t k = 0; k < z->n; k++) {
            pairs[2 * (r * z->n + k)] = rows[r][k];
            pairs[2 * (r * z->n + k) + 1] = z->imaginary ? z->imaginary[r * z->n + k] : 0;
        }
    starfish_tridiag_chain_cpu_f64(&(struct starfish_tridiag_chain){.line = {.n = z->n,
                                                                             .periodic = z->periodic,
                                                                             .lower = pairs,
                                                                             .diag = pairs + 2 * z->n,
                                                                             .upper = pairs + 4 * z->n,
                                                                             .numbers = STARFISH_TRIDIAG_COMPLEX_LINES},
                                                                    .lanes = work->direct->x.n,
                                                                    .shift_lane = eigenvalues(work),
                                                                    .vectors = 1,
                                                                    .max_steps = 1,
                                                                    .input_row = &first,
                                                                    .first_step = &first,
                                                                    .steps = &steps,
                                                                    .mu = &zero,
                                                                    .keep = &zero,
                                                                    .gain = &one,
                                                                    .pinned_step = pinned,
                                                                    .input = work->field,
                                                                    .output = work->other,
                                                                    .workspace = work->workspace,
                                                                    .method = STARFISH_TRIDIAG_THOMAS});
    swap_fields(work);
    free(pairs);
    return STARFISH_SUCCESS;
}

static size_t workspace_bytes(const struct work *work)
{
    const struct starfish_direct *direct = work->direct;
    const struct starfish_prepared *t = work->prepared;
    const size_t nz = direct->z.n, lanes = direct->x.n * direct->y.n;
    const size_t lines =
        direct->parts > 1 ? starfish_tridiag_chain_workspace_cpu(nz, lanes, 1, direct->z.periodic, 2 * sizeof(double))
                          : starfish_slab_solve_workspace_cpu(nz, lanes, direct->z.periodic, sizeof(double));
    return t->basis.n > 0 ? lines : starfish_larger(lines, starfish_transform_planes_cpu_workspace(t->x, t->y));
}

/* Numbers of a field, of a second one, and of weights, which come before work space. */
static size_t numbers_of(const struct starfish_direct *direct, const struct starfish_prepared *t, size_t count[3])
{
    count[0] = direct->parts * unknowns(direct);
    count[1] = !t->plan && (t->basis.n > 0 || direct->parts > 1) ? count[0] : 0;
    count[2] = !t->plan && direct->z.weight_x ? direct->z.n : 0;
    return count[0] + count[1] + count[2];
}

static void lay_out(struct work *work, double *field)
{
    enum { LINE = 8 }; /* doubles of a line of the cache */
    const struct starfish_direct *direct = work->direct;
    size_t count[3];
    const size_t numbers = numbers_of(direct, work->prepared, count);
    work->field = field;
    work->other = field + count[0];
    work->weight = count[2] > 0 ? work->other + count[1] : NULL;
    work->workspace = (char *)(field + (numbers / LINE + 1) * LINE);
    if (count[2] > 0) {
        memcpy(work->weight, direct->z.weight_x, count[2] * sizeof(double));
        starfish_weigh_points(eigenvalues(work), direct->x.n, &direct->z, STARFISH_F64, work->weight);
    }
}

static starfish_status solve_here(const struct starfish_direct *direct, const struct starfish_direct_way *way)
{
    struct work work = {.direct = direct, .prepared = way->prepared};
    lay_out(&work, way->field);
    transform(&work, STARFISH_FORWARD);
    starfish_status status = STARFISH_SUCCESS;
    if (direct->parts > 1)
        status = solve_complex_lines(&work);
    else
        solve_real_lines(&work);
    transform(&work, STARFISH_BACKWARD);
    if (work.field != way->field)
        memcpy(way->field, work.field, direct->parts * unknowns(direct) * sizeof *work.field);
    return status;
}

/* The memory that is kept, so large at least. */
static void *lend(struct starfish_prepared *p, size_t bytes)
{
    if (p->bytes >= bytes)
        return p->memory;
    free_memory(p);
    if (p->context && starfish_alloc(p->context, bytes, &p->memory) != STARFISH_SUCCESS)
        p->memory = NULL;
    if (!p->context)
        p->memory = aligned_alloc(ALIGNMENT, bytes);
    p->bytes = p->memory ? bytes : 0;
    return p->memory;
}

/* From what is kept, where that is not lent already and may stay; else the solve's own. */
static starfish_status take_memory(const struct starfish_direct *direct, struct starfish_direct_way *way)
{
    struct starfish_prepared *p = way->prepared;
    const struct work work = {.direct = direct, .prepared = p};
    size_t count[3];
    const size_t bytes =
        numbers_of(direct, p, count) * sizeof(double) + (p->plan ? 0 : workspace_bytes(&work)) + 2 * ALIGNMENT;
    const size_t whole = (bytes / ALIGNMENT + 1) * ALIGNMENT;
    way->is_lent = (p->plan || whole <= MOST_MEMORY) && !atomic_flag_test_and_set(&p->is_lent);
    if (way->is_lent)
        way->field = lend(p, whole);
    else
        way->field = way->memory = aligned_alloc(ALIGNMENT, whole);
    return STARFISH_OR_FAIL(way->field, STARFISH_ERROR_MEMORY, "out of memory for %zu unknowns", unknowns(direct));
}

/* ---- By plans ---------------------------------------------------------------------------------------------------- */

void starfish_key_add_axis(struct starfish_key *key, const struct starfish_axis *axis)
{
    const size_t reals = axis->n * (axis->complex_line ? 2 : 1);
    const size_t what[] = {
        (size_t)axis->kind,     axis->n, (size_t)axis->ends[0], (size_t)axis->ends[1], (size_t)axis->grid,
        (size_t)axis->periodic, reals};
    const double where[] = {axis->origin, axis->length};
    const double *const rows[] = {axis->lower, axis->diag, axis->upper};
    starfish_key_add(key, what, sizeof what);
    starfish_key_add(key, where, sizeof where);
    for (size_t r = 0; r < 3 && axis->kind == STARFISH_TRIDIAGONAL; r++)
        starfish_key_add(key, rows[r], reals * sizeof(double));
}

static starfish_status create_plan(const struct starfish_direct *direct, struct starfish_prepared *p)
{
    const struct starfish_axis *axis = direct->axis;
    const struct starfish_problem problem = {.size = sizeof problem,
                                             .kind = (starfish_kind)direct->kind,
                                             .axis = {axis[0], axis[2]},
                                             .lambda = direct->lambda};
    const struct starfish_poisson_problem plain = {
        .size = sizeof plain, .axis = {axis[0], axis[1], axis[2]}, .lambda = direct->lambda};
    STARFISH_TRY(starfish_fishpack_context(&p->context));
    if (axis[0].kind == STARFISH_TRIDIAGONAL)
        return starfish_separable2d_plan_create(p->context, &axis[2], &axis[0], 0, NULL, &p->plan);
    return direct->kind == STARFISH_DIRECT_PLAIN ? starfish_poisson_plan_create(p->context, &plain, NULL, &p->plan)
                                                 : starfish_plan_create(p->context, &problem, NULL, &p->plan);
}

/* A problem that no plan solves is kept too, without one. */
static starfish_status make_plan(const void *from, void **object, size_t *bytes)
{
    const struct starfish_direct *direct = from;
    struct starfish_prepared *p = *object = calloc(1, sizeof *p);
    STARFISH_FAIL_IF(!p, STARFISH_ERROR_MEMORY, "out of memory for a plan");
    *bytes = create_plan(direct, p) == STARFISH_SUCCESS ? unknowns(direct) * sizeof(double) : sizeof *p;
    return STARFISH_SUCCESS;
}

/* The plan of a real problem that is large enough, and has been seen before; else NULL. */
static struct starfish_prepared *find_plan(const struct starfish_direct *direct)
{
    static const struct starfish_kept_kind kind = {make_plan, destroy};
    const double what[] = {direct->kind, direct->lambda};
    struct starfish_key key = {NULL};
    void *prepared = NULL;
    if (direct->no_plan || direct->parts > 1 || !starfish_fishpack_may_plan(unknowns(direct), is_long(direct)))
        return NULL;
    starfish_key_add(&key, what, sizeof what);
    for (int d = 0; d < 3; d++)
        if (direct->axis[d].n > 1)
            starfish_key_add_axis(&key, &direct->axis[d]);
    if (!key.failed && (is_long(direct) || starfish_kept_seen(&key)))
        (void)starfish_kept_find(&kind, &key, direct, &prepared);
    starfish_key_free(&key);
    struct starfish_prepared *p = prepared;
    if (p && p->plan)
        return p;
    starfish_kept_release(p);
    return NULL;
}

starfish_status starfish_direct_begin(const struct starfish_direct *direct, struct starfish_direct_way *way)
{
    *way = (struct starfish_direct_way){.x = 1, .z = direct->x.n, .prepared = find_plan(direct)};
    way->is_found = way->prepared || !direct->prepared;
    if (!way->prepared && way->is_found)
        STARFISH_TRY(find(direct, &way->prepared));
    else if (!way->prepared)
        way->prepared = direct->prepared;
    way->by_plan = way->prepared->plan != NULL;
    if (way->by_plan && direct->axis[0].kind == STARFISH_TRIDIAGONAL) {
        way->x = direct->z.n;
        way->z = 1;
    }
    const starfish_status status = take_memory(direct, way);
    if (status != STARFISH_SUCCESS)
        starfish_direct_end(way);
    return status;
}

starfish_status starfish_direct_solve(const struct starfish_direct *direct, const struct starfish_direct_way *way)
{
    starfish_plan *plan = way->prepared->plan;
    return plan ? starfish_plan_solve(plan, NULL, way->field, way->field, NULL) : solve_here(direct, way);
}

void starfish_direct_end(struct starfish_direct_way *way)
{
    if (way->is_lent)
        atomic_flag_clear(&way->prepared->is_lent);
    free(way->memory);
    if (way->is_found)
        starfish_kept_release(way->prepared);
}
