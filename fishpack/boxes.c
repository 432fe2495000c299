/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* POIS3D and HW3CRT. Fields have FISHPACK's order: the first two directions are transformed, the third one has the
 * lines. */
#include "fishpack/directions.h"
#include "fishpack/kept.h"
#include "fishpack/systems.h"

#include <stdint.h>
#include <string.h>

/* ---- Boxes of unknowns inside an array --------------------------------------------------------------------------- */

/* An array of l x m x n numbers with strides of columns and planes, and the unknowns in it. */
struct box {
    double *array, *u;
    size_t row, plane;           /* of the array */
    size_t first[3], n[3], size; /* of the unknowns */
};

static double *element(const struct box *box, const size_t at[3])
{
    return box->array + at[0] + box->row * (at[1] + box->plane * at[2]);
}

static void copy(const struct box *box, int back)
{
    const size_t *n = box->n, bytes = n[0] * sizeof(double);
    for (size_t k = 0; k < n[2]; k++)
        for (size_t j = 0; j < n[1]; j++) {
            double *const inside = box->u + n[0] * (j + n[1] * k);
            double *const outside = element(box, (const size_t[]){box->first[0], box->first[1] + j, box->first[2] + k});
            memcpy(back ? outside : inside, back ? inside : outside, bytes);
        }
}

/* The array as a grid of columns, of which `mdim` make a plane. */
static struct starfish_call_array take(struct starfish_call *call, int k, const size_t n[3], size_t ldim, size_t mdim)
{
    return starfish_call_array(call, k, &(struct starfish_call_array){NULL, n[0], mdim * (n[2] - 1) + n[1], ldim, 1});
}

/* ---- POIS3D ------------------------------------------------------------------------------------------------------ */

static int error_of_pois3d(const struct starfish_call *call, const struct starfish_rows *rows)
{
    const int code[2] = {starfish_call_integer(call, 0), starfish_call_integer(call, 3)};
    const int n[3] = {starfish_call_integer(call, 1), starfish_call_integer(call, 4), starfish_call_integer(call, 7)};
    const int nperod = starfish_call_integer(call, 6);
    int number = 0;
    for (int d = 0; d < 2; d++) {
        number = code[d] < 0 || code[d] > 4 ? 2 * d + 1 : number;
        number = n[d] < 3 ? 2 * d + 2 : number;
    }
    number = nperod < 0 || nperod > 1 ? 5 : number;
    number = n[2] < 3 ? 6 : number;
    number = starfish_call_integer(call, 11) < n[0] ? 7 : number;
    number = starfish_call_integer(call, 12) < n[1] ? 8 : number;
    for (size_t k = 0; nperod != 1 && k < rows->n; k++)
        if (rows->lower[k] != rows->upper[0] || rows->upper[k] != rows->upper[0] || rows->diag[k] != rows->diag[0])
            number = 9;
    return nperod == 1 && rows->n > 0 && (rows->lower[0] != 0 || rows->upper[rows->n - 1] != 0) ? 10 : number;
}

starfish_status starfish_pois3d_call(struct starfish_call *call)
{
    const int planes = starfish_call_integer(call, 7), nperod = starfish_call_integer(call, 6);
    const struct starfish_rows rows = starfish_rows_read(call, 8, planes > 0 ? (size_t)planes : 0, nperod == 0, 1);
    STARFISH_FAIL_IF(call->out_of_memory, STARFISH_ERROR_MEMORY, "out of memory for coefficients");
    const int number = error_of_pois3d(call, &rows);
    starfish_call_set_integer(call, 14, number);
    STARFISH_REFUSE_IF(number != 0, "a test of arguments has failed (ierror %d)", number);
    const size_t n[3] = {(size_t)starfish_call_integer(call, 1), (size_t)starfish_call_integer(call, 4), rows.n};
    const size_t ldim = (size_t)starfish_call_integer(call, 11), mdim = (size_t)starfish_call_integer(call, 12);
    const struct starfish_call_array f = take(call, 13, n, ldim, mdim);
    struct box box = {.array = f.at, .row = f.row, .plane = mdim, .n = {n[0], n[1], n[2]}};
    STARFISH_FAIL_IF(call->out_of_memory, STARFISH_ERROR_MEMORY, "out of memory for right-hand sides");
    const struct starfish_direct *direct;
    STARFISH_TRY(starfish_direct_find(
        &(struct starfish_direct_axes){.x = starfish_axis_of_period(starfish_call_integer(call, 0), n[0], 0),
                                       .y = starfish_axis_of_period(starfish_call_integer(call, 3), n[1], 0),
                                       .z = starfish_axis_of_rows(&rows),
                                       .parts = 1,
                                       .factor = {starfish_call_real(call, 2), starfish_call_real(call, 5)}},
        &direct));
    struct starfish_direct_way way;
    starfish_status status = starfish_direct_begin(direct, &way);
    if (status == STARFISH_SUCCESS) {
        box.u = way.field;
        copy(&box, 0);
        status = starfish_direct_solve(direct, &way);
        if (status == STARFISH_SUCCESS)
            copy(&box, 1);
        starfish_direct_end(&way);
    }
    starfish_kept_release((void *)(uintptr_t)direct);
    if (status == STARFISH_SUCCESS)
        starfish_call_give(call, 13, &f, ldim);
    return status;
}

/* ---- HW3CRT ------------------------------------------------------------------------------------------------------ */

struct driver {
    double low[3], high[3], lambda;
    int panels[3], code[3], ldim, mdim;
};

static struct driver driver_of(const struct starfish_call *call)
{
    struct driver p = {.lambda = starfish_call_real(call, 18),
                       .ldim = starfish_call_integer(call, 19),
                       .mdim = starfish_call_integer(call, 20)};
    for (int d = 0; d < 3; d++) {
        p.low[d] = starfish_call_real(call, 6 * d);
        p.high[d] = starfish_call_real(call, 6 * d + 1);
        p.panels[d] = starfish_call_integer(call, 6 * d + 2);
        p.code[d] = starfish_call_integer(call, 6 * d + 3);
    }
    return p;
}

static int error_of_hw3crt(const struct driver *p)
{
    int number = 0, closed = 1;
    for (int d = 0; d < 3; d++) {
        number = p->low[d] >= p->high[d] ? 3 * d + 1 : number;
        number = p->panels[d] < 5 ? 3 * d + 2 : number;
        number = p->code[d] < 0 || p->code[d] > 4 ? 3 * d + 3 : number;
        closed = closed && (p->code[d] == 0 || p->code[d] == 3);
    }
    number = p->ldim < p->panels[0] + 1 ? 10 : number;
    number = p->mdim < p->panels[1] + 1 ? 11 : number;
    return number == 0 && closed && p->lambda > 0 ? 12 : number;
}

static struct starfish_axis axis_of(const struct driver *p, int d, size_t *first)
{
    struct starfish_axis axis = starfish_axis_of_period(p->code[d], 1, 0);
    const int low = axis.ends[0] == STARFISH_DIRICHLET, high = axis.ends[1] == STARFISH_DIRICHLET;
    axis.n = (size_t)p->panels[d] + (p->code[d] == 0 ? 0 : 1 - (size_t)low - (size_t)high);
    axis.origin = p->low[d];
    axis.length = p->high[d] - p->low[d];
    *first = low && p->code[d] != 0;
    return axis;
}

/* The datum of an end of direction d: f itself, or an array over both other directions, of which the first has as many
 * numbers from one of the second to the next as f has. */
struct face {
    const double *flux;
    size_t row;
    int d, end;
};

static void move_face(const struct box *box, const struct driver *p, const struct face *face, double weight)
{
    const int d = face->d, a = d == 0 ? 1 : 0, b = d == 2 ? 1 : 2;
    size_t at[3] = {0};
    at[d] = face->end == 0 ? 0 : (size_t)p->panels[d];
    for (size_t j = 0; j < box->n[b]; j++)
        for (size_t i = 0; i < box->n[a]; i++) {
            size_t unknown[3] = {0};
            unknown[a] = i;
            unknown[b] = j;
            unknown[d] = face->end == 0 ? 0 : box->n[d] - 1;
            at[a] = i + box->first[a];
            at[b] = j + box->first[b];
            box->u[unknown[0] + box->n[0] * (unknown[1] + box->n[1] * unknown[2])] -=
                weight * (face->flux ? face->flux[at[a] + face->row * at[b]] : *element(box, at));
        }
}

static void move_data(struct starfish_call *call, const struct box *box, const struct driver *p,
                      const struct starfish_direct *direct)
{
    const struct starfish_direction *const direction[3] = {&direct->x, &direct->y, &direct->z};
    const size_t rows[3] = {(size_t)p->mdim, (size_t)p->ldim, (size_t)p->ldim};
    for (int d = 0; d < 3; d++)
        for (int end = 0; end < 2; end++) {
            const double weight = direction[d]->boundary_weight[end];
            const size_t last = (size_t)p->panels[d == 2 ? 1 : 2] + 1;
            struct face face = {.row = rows[d], .d = d, .end = end};
            if (direct->axis[d].ends[end] == STARFISH_NEUMANN)
                face.flux = starfish_call_reals(call, 6 * d + 4 + end, rows[d] * last);
            if (weight != 0 && !call->out_of_memory)
                move_face(box, p, &face, weight);
        }
}

/* Of singular problems; the product of the directions' weights is that of an unknown. */
static double mean(const struct box *box, const struct starfish_direct *direct)
{
    double sum = 0;
    for (size_t k = 0; k < box->n[2]; k++)
        for (size_t j = 0; j < box->n[1]; j++)
            for (size_t i = 0; i < box->n[0]; i++)
                sum += direct->x.weight[i] * direct->y.weight[j] * direct->z.weight[k] *
                       box->u[i + box->n[0] * (j + box->n[1] * k)];
    return sum;
}

static void subtract(const struct box *box, double value)
{
    for (size_t e = 0; e < box->size; e++)
        box->u[e] -= value;
}

static void close_periods(const struct box *box, const struct driver *p)
{
    size_t at[3];
    for (int d = 0; d < 3; d++) {
        const int a = d == 0 ? 1 : 0, b = d == 2 ? 1 : 2;
        for (at[b] = 0; p->code[d] == 0 && at[b] <= (size_t)p->panels[b]; at[b]++)
            for (at[a] = 0; at[a] <= (size_t)p->panels[a]; at[a]++) {
                at[d] = 0;
                const double value = *element(box, at);
                at[d] = (size_t)p->panels[d];
                *element(box, at) = value;
            }
    }
}

static starfish_status solve_field(struct starfish_call *call, const struct driver *p,
                                   const struct starfish_direct *direct, const struct box *box,
                                   const struct starfish_direct_way *way)
{
    const int singular = direct->x.constant_null && direct->y.constant_null && direct->z.constant_null;
    copy(box, 0);
    move_data(call, box, p, direct);
    STARFISH_FAIL_IF(call->out_of_memory, STARFISH_ERROR_MEMORY, "out of memory for data at walls");
    const double pertrb = singular ? mean(box, direct) : 0;
    if (singular)
        subtract(box, pertrb);
    STARFISH_TRY(starfish_direct_solve(direct, way));
    if (singular)
        subtract(box, mean(box, direct));
    starfish_call_set_real(call, 22, pertrb);
    copy(box, 1);
    close_periods(box, p);
    return STARFISH_SUCCESS;
}

static starfish_status solve_driver(struct starfish_call *call, const struct driver *p,
                                    const struct starfish_direct *direct, struct box *box)
{
    struct starfish_direct_way way;
    STARFISH_TRY(starfish_direct_begin(direct, &way));
    box->u = way.field;
    const starfish_status status = solve_field(call, p, direct, box, &way);
    starfish_direct_end(&way);
    return status;
}

starfish_status starfish_hw3crt_call(struct starfish_call *call)
{
    const struct driver p = driver_of(call);
    const int number = error_of_hw3crt(&p);
    starfish_call_set_integer(call, 23, number);
    STARFISH_REFUSE_IF(number != 0 && number != 12, "a test of arguments has failed (ierror %d)", number);
    const size_t whole[3] = {(size_t)p.panels[0] + 1, (size_t)p.panels[1] + 1, (size_t)p.panels[2] + 1};
    const struct starfish_call_array f = take(call, 21, whole, (size_t)p.ldim, (size_t)p.mdim);
    struct box box = {.array = f.at, .row = f.row, .plane = (size_t)p.mdim};
    struct starfish_direct_axes axes = {.parts = 1, .lambda = p.lambda};
    struct starfish_axis *const axis[3] = {&axes.x, &axes.y, &axes.z};
    const struct starfish_direct *direct;
    box.size = 1;
    for (int d = 0; d < 3; d++) {
        *axis[d] = axis_of(&p, d, &box.first[d]);
        box.size *= box.n[d] = axis[d]->n;
    }
    STARFISH_FAIL_IF(call->out_of_memory, STARFISH_ERROR_MEMORY, "out of memory for right-hand sides");
    STARFISH_TRY(starfish_direct_find(&axes, &direct));
    const starfish_status status = solve_driver(call, &p, direct, &box);
    starfish_kept_release((void *)(uintptr_t)direct);
    if (status == STARFISH_SUCCESS)
        starfish_call_give(call, 21, &f, (size_t)p.ldim);
    return status;
}
