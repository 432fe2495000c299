/* The problem of diffusion as a matrix: checks, means of coefficients at faces, boundary data. */
#include "diffusion/plan.h"

#include "base/real.h"
#include "base/status.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

static starfish_status check_direction(const struct starfish_diffusion_problem *p, size_t d)
{
    const starfish_end low = p->ends[d][0], high = p->ends[d][1];

    if (p->n[d] < 1 || p->n[d] > INT32_MAX)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "problem.n[%zu] is %zu, not in 1 .. 2^31 - 1", d, p->n[d]);
    if (!(p->length[d] > 0) || !isfinite(p->length[d]))
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "problem.length[%zu] is %g, must be positive", d, p->length[d]);
    if (low > STARFISH_NEUMANN || high > STARFISH_NEUMANN || (low == STARFISH_PERIODIC) != (high == STARFISH_PERIODIC))
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "problem.ends[%zu] are %d and %d, no pair of ends", d, (int)low,
                             (int)high);
    return STARFISH_SUCCESS;
}

static starfish_status check(const struct starfish_diffusion_problem *p)
{
    double cells = 1;

    if (p->dimensions != 2 && p->dimensions != 3)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "problem.dimensions is %zu, not 2 or 3", p->dimensions);
    for (size_t d = 0; d < p->dimensions; d++) {
        STARFISH_TRY(check_direction(p, d));
        cells *= (double)p->n[d];
    }
    if (cells > INT32_MAX)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "problem.n: %g unknowns, more than 2^31 - 1", cells);
    if (!isfinite(p->lambda))
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "problem.lambda is not finite");
    if (p->mean != STARFISH_MEAN_HARMONIC && p->mean != STARFISH_MEAN_ARITHMETIC)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "problem.mean is %d", (int)p->mean);
    if (!p->coefficient && !(p->constant_coefficient > 0 && isfinite(p->constant_coefficient)))
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "problem.constant_coefficient is %g, must be positive",
                             p->constant_coefficient);
    return STARFISH_SUCCESS;
}

static starfish_status check_coefficients(const struct starfish_diffusion_problem *p, size_t cells)
{
    for (size_t i = 0; p->coefficient && i < cells; i++)
        if (!(p->coefficient[i] > 0) || !isfinite(p->coefficient[i]))
            return starfish_fail(
                STARFISH_ERROR_ARGUMENT, "problem.coefficient of cell (%zu, %zu, %zu) is %g, must be positive",
                i % p->n[0], i / p->n[0] % p->n[1], p->dimensions == 3 ? i / p->n[0] / p->n[1] : 0, p->coefficient[i]);
    return STARFISH_SUCCESS;
}

/* ---- The matrix -------------------------------------------------------------------------------------------------- */

static void describe(struct starfish_diffusion_box *box, const struct starfish_diffusion_problem *p)
{
    const size_t absent = 3;
    const size_t of[2][3] = {{0, absent, 1}, {0, 1, 2}};

    box->dimensions = p->dimensions;
    box->lambda = p->lambda;
    box->singular = p->lambda == 0;
    box->dirichlet = p->dirichlet_nodes ? 1 : 2;
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
}

static double mean(starfish_mean kind, double a, double b)
{
    return kind == STARFISH_MEAN_ARITHMETIC ? 0.5 * (a + b) : 2 / (1 / a + 1 / b);
}

/* Couplings to the next cell, and at Dirichlet ends, whose faces are half a cell away, the cell's own. */
static void assemble(struct starfish_diffusion_box *box, starfish_mean kind)
{
    const size_t stride[3] = {1, box->n[0], box->n[0] * box->n[1]};

    for (size_t e = 0; e < box->cells; e++) {
        double extra = -box->lambda;
        for (int d = 0; d < 3; d++) {
            const double weight = 1 / (box->spacing[d] * box->spacing[d]);
            const size_t at = e / stride[d] % box->n[d], last = box->n[d] - 1;
            const size_t next = at < last ? e + stride[d] : e - last * stride[d];
            const int joined = box->n[d] > 1 && (at < last || box->periodic[d]);
            box->stored[(size_t)d * box->cells + e] = joined ? weight * mean(kind, box->k[e], box->k[next]) : 0;
            extra += at == 0 && box->ends[d][0] == STARFISH_DIRICHLET ? box->dirichlet * weight * box->k[e] : 0;
            extra += at == last && box->ends[d][1] == STARFISH_DIRICHLET ? box->dirichlet * weight * box->k[e] : 0;
        }
        box->stored[3 * box->cells + e] = extra;
    }
}

starfish_status starfish_diffusion_box_create(struct starfish_diffusion_box *box,
                                              const struct starfish_diffusion_problem *problem)
{
    memset(box, 0, sizeof *box);
    STARFISH_TRY(check(problem));
    describe(box, problem);
    STARFISH_TRY(check_coefficients(problem, box->cells));
    box->stored = malloc(4 * box->cells * sizeof(double));
    box->k = calloc(box->cells, sizeof(double));
    if (!box->stored || !box->k)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a matrix of %zu rows", box->cells);
    for (size_t i = 0; i < box->cells; i++)
        box->k[i] = problem->coefficient ? problem->coefficient[i] : problem->constant_coefficient;
    assemble(box, problem->mean);
    for (size_t i = 0; i < 4 * box->cells; i++)
        if (!isfinite(box->stored[i]))
            return starfish_fail(STARFISH_ERROR_ARGUMENT,
                                 "problem.coefficient of cell %zu over the square of its width "
                                 "is not finite",
                                 i % box->cells);
    return STARFISH_SUCCESS;
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
    return precision == STARFISH_F32 ? (double)((const float *)array)[index] : ((const double *)array)[index];
}

/* A Dirichlet face adds 2 k g / h^2 to what the cell is equal to, a Neumann one the flux k g / h through it, into the
 * cell at the high end. The directions across a face, lower one fastest, count its data. */
static void move_face(const struct starfish_diffusion_box *box, const struct starfish_boundary *boundary,
                      starfish_precision precision, int d, int side, void *extra)
{
    const size_t stride[3] = {1, box->n[0], box->n[0] * box->n[1]};
    const int a = d == 0 ? 1 : 0, b = d == 2 ? 1 : 2;
    const double h = box->spacing[d];
    const double factor = box->ends[d][side] == STARFISH_DIRICHLET ? box->dirichlet / (h * h) : (side ? 1 : -1) / h;

    for (size_t j = 0; j < box->n[b]; j++)
        for (size_t i = 0; i < box->n[a]; i++) {
            const size_t e = i * stride[a] + j * stride[b] + (side ? (box->n[d] - 1) * stride[d] : 0);
            const double g = value_at(boundary, box->user[d], side, precision, i + box->n[a] * j);
            if (precision == STARFISH_F32)
                ((float *)extra)[e] += (float)(factor * box->k[e] * g);
            else
                ((double *)extra)[e] += factor * box->k[e] * g;
        }
}

void starfish_diffusion_move_boundary(const struct starfish_diffusion_box *box,
                                      const struct starfish_boundary *boundary, starfish_precision precision,
                                      void *extra)
{
    for (int d = 0; d < 3; d++)
        for (int side = 0; side < 2; side++)
            if (has_data(box, boundary, d, side))
                move_face(box, boundary, precision, d, side, extra);
}
