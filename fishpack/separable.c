/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Second order: three points, at ends with du/dx + alpha u = g mirrored about the end node. Fourth order: the leading
 * error term of the first solution, by differences, goes to the right-hand side of a second solve. */
#include "fishpack/separable.h"

#include "fishpack/directions.h"
#include "fishpack/field.h"
#include "fishpack/work.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Where arguments stand in the two lists. */
struct places {
    int order, first[2], alpha[2], cofx, grhs, usol, idmn, work, pertrb, ierror;
};
static const struct places of_sepeli = {1, {2, 10}, {7, 15}, 18, 20, 21, 22, 23, 24, 25},
                           of_sepx4 = {0, {1, 9}, {6, -1}, 15, 16, 17, 18, 19, 20, 21};

/* A direction: coefficients a u'' + b u' + c u at panels + 1 nodes. */
struct side {
    double low, high, h, robin[2];
    int panels, code;
    double *a, *b, *c;
    const double *datum[2];
};

struct driver {
    struct starfish_call *call;
    const struct places *at;
    struct side side[2];
    int constant_y;
    struct starfish_axis axis[2];
    size_t first[2];
    struct starfish_direct direct; /* x is the second direction */
    struct starfish_call_array f, u;
    double pertrb, pertrb_before;
};

static int is_given(const struct side *side, int end)
{
    return side->code == 1 || side->code == (end == 0 ? 2 : 4);
}

/* ---- Coefficients ------------------------------------------------------------------------------------------------ */

typedef void function_f64(double *, double *, double *, double *);
typedef void function_f32(float *, float *, float *, float *);

static void call_function(const struct starfish_call *call, int k, double x, double value[3])
{
    if (call->single) {
        float at = (float)x, values[3] = {0, 0, 0};
        function_f32 *function;
        memcpy(&function, &call->at[k], sizeof function);
        function(&at, &values[0], &values[1], &values[2]);
        for (int i = 0; i < 3; i++)
            value[i] = (double)values[i];
    } else {
        function_f64 *function;
        memcpy(&function, &call->at[k], sizeof function);
        function(&x, &value[0], &value[1], &value[2]);
    }
}

static starfish_status read_coefficients(struct driver *s, int d)
{
    struct side *side = &s->side[d];
    const size_t nodes = (size_t)side->panels + 1;
    side->a = starfish_call_room(s->call, 3 * nodes);
    STARFISH_FAIL_IF(!side->a, STARFISH_ERROR_MEMORY, "out of memory for coefficients");
    side->b = side->a + nodes;
    side->c = side->b + nodes;
    for (size_t k = 0; k < nodes; k++) {
        double value[3] = {1, 0, 0};
        if (d == 0 || !s->constant_y)
            call_function(s->call, s->at->cofx + d, side->low + (double)k * side->h, value);
        side->a[k] = value[0];
        side->b[k] = value[1];
        side->c[k] = value[2];
    }
    return STARFISH_SUCCESS;
}

/* ---- Arguments --------------------------------------------------------------------------------------------------- */

static void read_sides(struct driver *s)
{
    const struct starfish_call *call = s->call;
    for (int d = 0; d < 2; d++) {
        struct side *side = &s->side[d];
        const int k = s->at->first[d];
        side->low = starfish_call_real(call, k);
        side->high = starfish_call_real(call, k + 1);
        side->panels = starfish_call_integer(call, k + 2);
        side->code = starfish_call_integer(call, k + 3);
        side->h = (side->high - side->low) / side->panels;
        for (int end = 0; end < 2 && s->at->alpha[d] >= 0; end++)
            side->robin[end] =
                is_given(side, end) || side->code == 0 ? 0 : starfish_call_real(call, s->at->alpha[d] + 2 * end);
    }
}

/* The first test that fails; but for the coefficients' one. */
static int error_of(const struct driver *s)
{
    const struct side *x = &s->side[0], *y = &s->side[1];
    const int idmn = starfish_call_integer(s->call, s->at->idmn), order = starfish_call_integer(s->call, s->at->order);
    const int intl = s->constant_y ? 0 : starfish_call_integer(s->call, 0);
    return x->low >= x->high || y->low >= y->high  ? 1
           : x->code < 0 || x->code > 4            ? 2
           : y->code < 0 || y->code > 4            ? 3
           : idmn < 7                              ? 5
           : x->panels < 6 || x->panels > idmn - 1 ? 6
           : y->panels < 5                         ? 7
           : order != 2 && order != 4              ? 8
           : intl != 0 && intl != 1                ? 9
                                                   : 0;
}

/* 10: not elliptic at a node inside. */
static int error_of_coefficients(const struct driver *s)
{
    const struct side *x = &s->side[0], *y = &s->side[1];
    for (int i = 1; i < x->panels; i++)
        for (int j = 1; j < y->panels; j++)
            if (x->a[i] * y->a[j] <= 0)
                return 10;
    return 0;
}

/* 11: W is too short; W(1) becomes what is needed. */
static int error_of_work(const struct driver *s)
{
    if (s->call->keeps_work)
        return 0;
    const int periodic = s->side[1].code == 0;
    const double needed = s->constant_y ? starfish_work_of_sepx4(s->side[0].panels, s->side[1].panels)
                                        : starfish_work_of_sepeli(s->side[0].panels, s->side[1].panels, periodic);
    const double given = starfish_call_real(s->call, s->at->work);
    starfish_call_set_real(s->call, s->at->work, needed);
    return given < needed ? 11 : 0;
}

static void read_arrays(struct driver *s)
{
    const size_t nodes[2] = {(size_t)s->side[0].panels + 1, (size_t)s->side[1].panels + 1};
    const struct starfish_call_array shape = {NULL, nodes[0], nodes[1],
                                              (size_t)starfish_call_integer(s->call, s->at->idmn), 1};
    for (int d = 0; d < 2; d++)
        for (int end = 0; end < 2; end++) {
            const int between = s->at->alpha[d] >= 0 ? 2 : 1;
            if (s->side[d].code != 0 && !is_given(&s->side[d], end))
                s->side[d].datum[end] = starfish_call_reals(s->call, s->at->first[d] + 4 + between * end, nodes[1 - d]);
        }
    s->f = starfish_call_array(s->call, s->at->grhs, &shape);
    s->u = starfish_call_array(s->call, s->at->usol, &shape);
}

/* ---- Directions -------------------------------------------------------------------------------------------------- */

/* The second derivative alone. */
static struct starfish_axis plain_axis(const struct side *side)
{
    struct starfish_axis axis = starfish_axis_of_period(side->code, 1, 0);
    axis.n = (size_t)side->panels + (side->code == 0 ? 0 : 1) - (size_t)(is_given(side, 0) + is_given(side, 1));
    axis.origin = side->low;
    axis.length = side->high - side->low;
    return axis;
}

/* Rows of the unknowns; `weight`: what data at ends are multiplied by. */
static starfish_status make_rows(struct driver *s, int d, struct starfish_rows *rows, double weight[2])
{
    const struct side *side = &s->side[d];
    const size_t n = plain_axis(side).n, last = n - 1;
    double *const lower = starfish_call_room(s->call, 3 * n);
    STARFISH_FAIL_IF(!lower, STARFISH_ERROR_MEMORY, "out of memory for %zu rows", n);
    double *const diag = lower + n, *const upper = diag + n, h = side->h;
    for (size_t k = 0; k < n; k++) {
        const size_t node = k + s->first[d];
        lower[k] = side->a[node] / (h * h) - side->b[node] / (2 * h);
        diag[k] = -2 * side->a[node] / (h * h) + side->c[node];
        upper[k] = side->a[node] / (h * h) + side->b[node] / (2 * h);
    }
    *rows = (struct starfish_rows){n, 1, side->code == 0, lower, diag, upper};
    if (side->code == 0)
        return STARFISH_SUCCESS;
    const double outward[2] = {lower[0], upper[last]};
    weight[0] = is_given(side, 0) ? outward[0] : -2 * h * outward[0];
    weight[1] = is_given(side, 1) ? outward[1] : 2 * h * outward[1];
    diag[0] += is_given(side, 0) ? 0 : 2 * h * side->robin[0] * outward[0];
    diag[last] -= is_given(side, 1) ? 0 : 2 * h * side->robin[1] * outward[1];
    upper[0] += is_given(side, 0) ? 0 : outward[0];
    lower[last] += is_given(side, 1) ? 0 : outward[1];
    lower[0] = upper[last] = 0;
    return STARFISH_SUCCESS;
}

static starfish_status make_direct(struct driver *s)
{
    struct starfish_direct_axes axes = {.y = starfish_no_axis(), .parts = 1};
    struct starfish_axis *const axis[2] = {&axes.z, &axes.x};
    struct starfish_rows rows[2];
    double weight[2][2] = {{0, 0}, {0, 0}};
    for (int d = 0; d < 2; d++) {
        s->first[d] = (size_t)is_given(&s->side[d], 0);
        STARFISH_TRY(make_rows(s, d, &rows[d], weight[d]));
        *axis[d] = d == 1 && s->constant_y ? plain_axis(&s->side[d]) : starfish_axis_of_rows(&rows[d]);
    }
    STARFISH_TRY(starfish_direct_create(&s->direct, &axes));
    memcpy(s->direct.z.boundary_weight, weight[0], sizeof weight[0]);
    memcpy(s->direct.x.boundary_weight, weight[1], sizeof weight[1]);
    return STARFISH_SUCCESS;
}

/* ---- Solving ----------------------------------------------------------------------------------------------------- */

static const struct starfish_direction *direction(const struct driver *s, int d)
{
    return d == 0 ? &s->direct.z : &s->direct.x;
}

/* To f itself, once for all solves. */
static void move_data(const struct driver *s)
{
    for (int d = 0; d < 2; d++)
        for (int end = 0; end < 2; end++) {
            const struct side *side = &s->side[d];
            const double weight = direction(s, d)->boundary_weight[end];
            for (size_t k = 0; weight != 0 && k < direction(s, 1 - d)->n; k++) {
                const size_t other = k + s->first[1 - d], wall = end == 0 ? 0 : (size_t)side->panels;
                const size_t near = end == 0 ? s->first[d] : s->first[d] + direction(s, d)->n - 1;
                const double g = side->datum[end] ? side->datum[end][other]
                                                  : s->u.at[d == 0 ? wall + s->u.row * other : other + s->u.row * wall];
                s->f.at[d == 0 ? near + s->f.row * other : other + s->f.row * near] -= weight * g;
            }
        }
}

static starfish_status solve(struct driver *s)
{
    const double *const weight[2] = {s->direct.z.weight, s->direct.x.weight};
    const int singular = s->direct.x.constant_null && s->direct.z.constant_null;
    struct starfish_direct_way way;
    STARFISH_TRY(starfish_direct_begin(&s->direct, &way));
    const struct starfish_plane u = starfish_plane_of(&s->direct, &way, 0);
    starfish_plane_take(&u, &s->f, s->first);
    s->pertrb = singular ? starfish_plane_mean(&u, weight) : 0;
    starfish_plane_add(&u, -s->pertrb);
    const starfish_status status = starfish_direct_solve(&s->direct, &way);
    if (singular && status == STARFISH_SUCCESS)
        starfish_plane_add(&u, -starfish_plane_mean(&u, weight));
    if (status == STARFISH_SUCCESS)
        starfish_plane_give(&u, &s->u, s->first);
    starfish_direct_end(&way);
    STARFISH_TRY(status);
    const size_t m = (size_t)s->side[0].panels, n = (size_t)s->side[1].panels;
    for (size_t i = 0; s->side[1].code == 0 && i <= m; i++)
        s->u.at[i + s->u.row * n] = s->u.at[i];
    for (size_t j = 0; s->side[0].code == 0 && j <= n; j++)
        s->u.at[m + s->u.row * j] = s->u.at[s->u.row * j];
    return STARFISH_SUCCESS;
}

/* ---- The deferred correction ------------------------------------------------------------------------------------- */

/* h^3 u''' and h^4 u'''' at node k of panels + 1 along a line, second-order differences, on one side at the ends. */
static void differences(const double *u, size_t stride, int k, const struct side *side, double derivative[2])
{
    static const double third[3][5] = {{-5, 18, -24, 14, -3}, {-3, 10, -12, 6, -1}, {-1, 2, 0, -2, 1}};
    static const double fourth[3][6] = {{3, -14, 26, -24, 11, -2}, {2, -9, 16, -14, 6, -1}, {1, -4, 6, -4, 1, 0}};
    const int n = side->panels, periodic = side->code == 0;
    const int from_end = n - k, mirrored = !periodic && from_end < 2;
    const int row = periodic ? 2 : mirrored ? from_end : k < 2 ? k : 2;
    const int start = row < 2 ? (mirrored ? n : 0) : k - 2, step = mirrored ? -1 : 1;
    derivative[0] = derivative[1] = 0;
    for (int p = 0; p < 6; p++) {
        const int node = start + step * p, inside = periodic ? (node + n) % n : node;
        if (fourth[row][p] == 0 && (p > 4 || third[row][p] == 0))
            continue;
        const double value = u[(size_t)inside * stride];
        derivative[0] += p < 5 ? third[row][p] * value : 0;
        derivative[1] += fourth[row][p] * value;
    }
    derivative[0] *= 0.5 * step;
}

/* h^2 times the error term of direction d at a node. */
static double error_term(const struct driver *s, int d, const size_t node[2])
{
    const struct side *side = &s->side[d];
    const size_t stride = d == 0 ? 1 : s->u.row, k = node[d];
    const double *line = s->u.at + (d == 0 ? s->u.row * node[1] : node[0]);
    double u[2];
    differences(line, stride, (int)k, side, u);
    const double h2 = side->h * side->h, third = u[0] / side->h, fourth = u[1] / h2; /* times h^2 */
    if (side->code != 0 && (k == 0 || k == (size_t)side->panels))
        return side->a[k] / 3 * (fourth / 4 + (k == 0 ? third : -third) / side->h);
    return side->a[k] * fourth / 12 + side->b[k] * third / 6;
}

static void correct(const struct driver *s)
{
    for (size_t j = 0; j < s->direct.x.n; j++)
        for (size_t i = 0; i < s->direct.z.n; i++) {
            const size_t node[2] = {i + s->first[0], j + s->first[1]};
            s->f.at[node[0] + s->f.row * node[1]] += error_term(s, 0, node) + error_term(s, 1, node);
        }
}

/* SEPX4 multiplies by the square of the second spacing. */
static void return_results(struct driver *s)
{
    struct starfish_call *call = s->call;
    const size_t idmn = (size_t)starfish_call_integer(call, s->at->idmn);
    const double scale = s->constant_y ? s->side[1].h * s->side[1].h : 1;
    for (size_t j = 0; s->constant_y && j < s->f.columns; j++)
        for (size_t i = 0; i < s->f.rows; i++)
            s->f.at[i + s->f.row * j] *= scale;
    starfish_call_give(call, s->at->grhs, &s->f, idmn);
    starfish_call_give(call, s->at->usol, &s->u, idmn);
    starfish_call_set_real(call, s->at->pertrb, scale * (s->pertrb - s->pertrb_before));
}

static starfish_status run(struct driver *s)
{
    move_data(s);
    STARFISH_TRY(solve(s));
    if (starfish_call_integer(s->call, s->at->order) == 4) {
        s->pertrb_before = s->constant_y ? s->pertrb : 0;
        correct(s);
        STARFISH_TRY(solve(s));
    }
    return_results(s);
    return STARFISH_SUCCESS;
}

static starfish_status prepare(struct driver *s)
{
    int number = error_of(s);
    for (int d = 0; d < 2 && number == 0; d++)
        STARFISH_TRY(read_coefficients(s, d));
    number = number > 0 ? number : error_of_coefficients(s);
    number = number > 0 ? number : error_of_work(s);
    starfish_call_set_integer(s->call, s->at->ierror, number);
    STARFISH_REFUSE_IF(number != 0, "a test of arguments has failed (ierror %d)", number);
    read_arrays(s);
    STARFISH_FAIL_IF(s->call->out_of_memory, STARFISH_ERROR_MEMORY, "out of memory for arguments");
    return make_direct(s);
}

starfish_status starfish_sepeli_call(struct starfish_call *call, int constant_y)
{
    struct driver s = {.call = call, .at = constant_y ? &of_sepx4 : &of_sepeli, .constant_y = constant_y};
    read_sides(&s);
    STARFISH_TRY(prepare(&s));
    const starfish_status status = run(&s);
    starfish_direct_free(&s.direct);
    if (status == STARFISH_ERROR_NOT_SYMMETRIZABLE)
        starfish_call_set_integer(call, s.at->ierror, 5);
    return status;
}
