/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Assembly of the diffusion problem: checks, means of coefficients at faces, boundary data. */
#include "diffusion/plan.h"

#include "base/pages.h"
#include "base/precision.h"
#include "scheduler/runtime/host_loop.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

static starfish_status check_direction(const struct starfish_diffusion_problem *p, size_t d)
{
    const starfish_end low = p->ends[d][0], high = p->ends[d][1];

    STARFISH_REFUSE_IF(p->n[d] < 1 || p->n[d] > INT32_MAX, "problem.n[%zu] is %zu, not in 1 .. 2^31 - 1", d, p->n[d]);
    STARFISH_REFUSE_IF(!(p->length[d] > 0) || !isfinite(p->length[d]), "problem.length[%zu] is %g, must be positive", d,
                       p->length[d]);
    const double width = p->length[d] / (double)p->n[d];
    STARFISH_REFUSE_IF(!isnormal(1 / (width * width)),
                       "problem.length[%zu] is %g: the reciprocal square of a cell's width, %g, is beyond f64", d,
                       p->length[d], width);
    STARFISH_REFUSE_IF(low > STARFISH_NEUMANN || high > STARFISH_NEUMANN ||
                           (low == STARFISH_PERIODIC) != (high == STARFISH_PERIODIC),
                       "problem.ends[%zu] are %d and %d, no pair of ends", d, (int)low, (int)high);
    return STARFISH_SUCCESS;
}

static starfish_status check(const struct starfish_diffusion_problem *p)
{
    double cells = 1;

    STARFISH_REFUSE_IF(p->dimensions != 2 && p->dimensions != 3, "problem.dimensions is %zu, not 2 or 3",
                       p->dimensions);
    for (size_t d = 0; d < p->dimensions; d++) {
        STARFISH_TRY(check_direction(p, d));
        cells *= (double)p->n[d];
    }
    STARFISH_REFUSE_IF(cells > INT32_MAX, "problem.n: %g unknowns, more than 2^31 - 1", cells);
    STARFISH_REFUSE_IF(!isfinite(p->lambda), "problem.lambda is not finite");
    STARFISH_REFUSE_IF(p->mean != STARFISH_MEAN_HARMONIC && p->mean != STARFISH_MEAN_ARITHMETIC, "problem.mean is %d",
                       (int)p->mean);
    STARFISH_REFUSE_IF(!p->coefficient && !(p->constant_coefficient > 0 && isfinite(p->constant_coefficient)),
                       "problem.constant_coefficient is %g, must be positive", p->constant_coefficient);
    return STARFISH_SUCCESS;
}

/* Of this rank's planes, which begin at plane `first`. */
static starfish_status check_coefficients(const struct starfish_diffusion_problem *p, size_t cells, size_t first)
{
    const size_t i = p->coefficient ? starfish_host_find_beyond(p->coefficient, cells, DBL_TRUE_MIN, DBL_MAX) : cells;
    const int solid = p->dimensions == 3;

    return STARFISH_OR_FAIL(i == cells, STARFISH_ERROR_ARGUMENT,
                            "problem.coefficient of cell (%zu, %zu, %zu) is %g, must be positive", i % p->n[0],
                            solid ? i / p->n[0] % p->n[1] : i / p->n[0] + first,
                            solid ? i / p->n[0] / p->n[1] + first : 0, p->coefficient[i]);
}

enum { CELLS = 1 << 16 }; /* of a run of a loop over all of them */

/* ---- The matrix -------------------------------------------------------------------------------------------------- */

static void describe(struct starfish_diffusion_box *box, const struct starfish_diffusion_problem *p)
{
    const size_t absent = 3;
    const size_t of[2][3] = {{0, absent, 1}, {0, 1, 2}};

    box->dimensions = p->dimensions;
    box->lambda = p->lambda;
    box->singular = p->lambda == 0;
    box->cells = 1;
    for (int d = 0; d < 3; d++) {
        const size_t user = box->user[d] = of[p->dimensions - 2][d];
        box->n[d] = user == absent ? 1 : p->n[user];
        box->spacing[d] = user == absent ? 1 : p->length[user] / (double)p->n[user];
        for (int side = 0; side < 2; side++) {
            box->ends[d][side] = user == absent ? STARFISH_NEUMANN : p->ends[user][side];
            box->singular = box->singular && box->ends[d][side] != STARFISH_DIRICHLET;
        }
        box->periodic[d] = box->ends[d][0] == STARFISH_PERIODIC;
        box->cells *= box->n[d];
    }
    box->window = starfish_halo_window_whole(box->n[2]);
}

static double mean(starfish_mean kind, double a, double b)
{
    return kind == STARFISH_MEAN_ARITHMETIC ? 0.5 * (a + b) : 2 / (1 / a + 1 / b);
}

struct assembly {
    struct starfish_diffusion_box *box;
    const struct starfish_diffusion_problem *problem;
    struct starfish_run_of_planes own;
};

/* Couplings of a row to the next cells in direction d, and what Dirichlet ends, whose faces are half a cell away, add
 * to its rest: the cells' own. */
static void assemble_row(const struct assembly *a, size_t row, int d)
{
    const struct starfish_diffusion_box *box = a->box;
    const size_t nx = box->n[0], at_row[3] = {0, row % box->n[1], row / box->n[1]};
    const size_t stride[3] = {1, nx, nx * box->n[1]}, last = box->n[d] - 1;
    const double weight = 1 / (box->spacing[d] * box->spacing[d]), *k = box->k + row * nx;
    double *face = box->stored + (size_t)d * box->cells + row * nx, *rest = box->stored + 3 * box->cells + row * nx;

    for (size_t i = 0; i < nx; i++) {
        const size_t at = d == 0 ? i : at_row[d];
        const double next = at < last ? k[i + stride[d]] : *(k + i - last * stride[d]);
        const int joined = box->n[d] > 1 && (at < last || box->periodic[d]);
        const int ends =
            (at == 0 && box->ends[d][0] == STARFISH_DIRICHLET) + (at == last && box->ends[d][1] == STARFISH_DIRICHLET);
        face[i] = joined ? weight * mean(a->problem->mean, k[i], next) : 0;
        rest[i] += ends * box->dirichlet * weight * k[i];
    }
}

/* The problem's arrays have this rank's planes alone. */
static void fill_coefficients(void *data, size_t first, size_t last)
{
    const struct assembly *a = data;
    const size_t begin = a->own.first * a->box->n[0] * a->box->n[1];

    for (size_t e = first; e < last; e++)
        a->box->k[e] = a->problem->coefficient ? a->problem->coefficient[e - begin] : a->problem->constant_coefficient;
}

static void assemble_rows(void *data, size_t first, size_t last)
{
    const struct assembly *a = data;
    const size_t nx = a->box->n[0];

    for (size_t row = first; row < last; row++) {
        for (size_t i = 0; i < nx; i++)
            a->box->stored[3 * a->box->cells + row * nx + i] = -a->box->lambda;
        for (int d = 0; d < 3; d++)
            assemble_row(a, row, d);
    }
}

starfish_status starfish_diffusion_box_describe(struct starfish_diffusion_box *box,
                                                const struct starfish_diffusion_problem *problem)
{
    memset(box, 0, sizeof *box);
    STARFISH_TRY(check(problem));
    describe(box, problem);
    return STARFISH_SUCCESS;
}

static starfish_status allocate(struct starfish_diffusion_box *box)
{
    box->stored = starfish_pages_alloc(4 * box->cells * sizeof(double));
    box->k = starfish_pages_alloc(box->cells * sizeof(double));
    return STARFISH_OR_FAIL(box->stored && box->k, STARFISH_ERROR_MEMORY, "out of memory for a matrix of %zu rows",
                            box->cells);
}

starfish_status starfish_diffusion_box_assemble(struct starfish_diffusion_box *box,
                                                const struct starfish_diffusion_problem *problem)
{
    const size_t plane = box->n[0] * box->n[1];
    struct assembly assembly = {box, problem, starfish_halo_window_own(&box->window)};
    const struct starfish_halo_window own = starfish_halo_window_with_depth(&box->window, 0);
    const struct starfish_halo_window wider = starfish_halo_window_with_depth(&box->window, box->window.depth + 1);
    const struct starfish_spans cells = starfish_halo_window_spans(&own, 1, plane);
    const struct starfish_spans rows = starfish_halo_window_spans(&box->window, 1, box->n[1]);
    const struct starfish_spans couplings = starfish_halo_window_spans(&box->window, 4, plane);

    starfish_status status = check_coefficients(problem, assembly.own.count * plane, assembly.own.first);
    STARFISH_THEN(status, allocate(box));
    if (status == STARFISH_SUCCESS)
        starfish_spans_loop(&cells, CELLS, fill_coefficients, &assembly);
    STARFISH_TRY(starfish_halo_window_exchange(&wider, status, box->k, plane * sizeof *box->k));
    starfish_spans_loop(&rows, CELLS / box->n[0] + 1, assemble_rows, &assembly);
    const size_t beyond = starfish_spans_find_beyond(&couplings, box->stored, -DBL_MAX, DBL_MAX, SIZE_MAX);
    return STARFISH_OR_FAIL(beyond == SIZE_MAX, STARFISH_ERROR_ARGUMENT,
                            "problem.coefficient of cell %zu over the square of its width is not finite",
                            beyond % box->cells);
}

void starfish_diffusion_box_destroy(struct starfish_diffusion_box *box)
{
    free(box->stored);
    free(box->k);
    box->stored = box->k = NULL;
}

/* ---- Boundary data ----------------------------------------------------------------------------------------------- */

static int has_data(const struct starfish_diffusion_box *box, const struct starfish_boundary *b, int d, int side)
{
    return box->user[d] < 3 && !box->periodic[d] &&
           (b->array[box->user[d]][side] || b->constant[box->user[d]][side] != 0);
}

int starfish_diffusion_has_boundary(const struct starfish_diffusion_box *box, const struct starfish_boundary *boundary)
{
    for (int d = 0; boundary && d < 3; d++)
        if (has_data(box, boundary, d, 0) || has_data(box, boundary, d, 1))
            return 1;
    return 0;
}

static double value_at(const struct starfish_boundary *b, size_t user, int side, starfish_precision precision,
                       size_t index)
{
    const void *array = b->array[user][side];

    if (!array)
        return b->constant[user][side];
    return starfish_element(array, precision, index);
}

/* A face of a run of planes. */
struct face {
    int direction, side;
    struct starfish_run_of_planes planes;
};

/* A Dirichlet face adds 2 k g / h^2 to what the cell is equal to, a Neumann one the flux k g / h through it, into the
 * cell at the high end. The directions across a face, lower one fastest, count its data. */
static double move_face(const struct starfish_diffusion_box *box, const struct starfish_boundary *boundary,
                        starfish_precision precision, const struct face *face, void *extra)
{
    const int d = face->direction, a = d == 0 ? 1 : 0, b = d == 2 ? 1 : 2;
    const size_t stride[3] = {1, box->n[0], box->n[0] * box->n[1]}, first = face->planes.first;
    const size_t at = face->side ? (box->n[d] - 1) * stride[d] : 0, begin = b == 2 ? first : 0;
    const size_t rows = b == 2 ? face->planes.count : box->n[b];
    const double h = box->spacing[d];
    const double factor =
        box->ends[d][face->side] == STARFISH_DIRICHLET ? box->dirichlet / (h * h) : (face->side ? 1 : -1) / h;
    double largest = 0;

    for (size_t j = 0; j < rows; j++)
        for (size_t i = 0; i < box->n[a]; i++) {
            const size_t e = at + i * stride[a] + (begin + j) * stride[b], own = e - first * stride[2];
            const double g = value_at(boundary, box->user[d], face->side, precision, i + box->n[a] * j);
            const double moved = factor * box->k[e] * g;
            largest = fmax(largest, fabs(moved));
            starfish_element_set(extra, precision, own, starfish_element(extra, precision, own) + moved);
        }
    return largest;
}

double starfish_diffusion_move_boundary(const struct starfish_diffusion_box *box,
                                        const struct starfish_boundary *boundary, starfish_precision precision,
                                        const struct starfish_run_of_planes *planes, void *extra)
{
    double largest = 0;

    for (int d = 0; d < 3; d++)
        for (int side = 0; side < 2; side++) {
            const struct face face = {d, side, *planes};
            const int is_here = d < 2 || (side ? planes->first + planes->count == box->n[2] : planes->first == 0);
            if (is_here && has_data(box, boundary, d, side))
                largest = fmax(largest, move_face(box, boundary, precision, &face, extra));
        }
    return largest;
}
