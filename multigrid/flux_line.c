/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts the user's description of a direction to a line of couplings, extras and weights. */
#include "multigrid/flux.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

static starfish_status check_ends(const starfish_end ends[2], int d)
{
    for (int end = 0; end < 2; end++)
        STARFISH_REFUSE_IF((int)ends[end] < STARFISH_PERIODIC || ends[end] > STARFISH_NEUMANN,
                           "problem.ends[%d][%d] is %d", d, end, (int)ends[end]);
    STARFISH_REFUSE_IF((ends[0] == STARFISH_PERIODIC) != (ends[1] == STARFISH_PERIODIC),
                       "problem.ends[%d]: one is periodic, the other is not", d);
    return STARFISH_SUCCESS;
}

/* Not negative, or `strict`: positive. */
static starfish_status check_values(const char *name, int d, const double *values, size_t count, int strict)
{
    STARFISH_REFUSE_IF(!values, "problem.%s[%d] is NULL", name, d);
    for (size_t i = 0; i < count; i++)
        STARFISH_REFUSE_IF(!(strict ? values[i] > 0 : values[i] >= 0) || !isfinite(values[i]),
                           "problem.%s[%d][%zu] is %g, must %s", name, d, i, values[i],
                           strict ? "be positive" : "not be negative");
    return STARFISH_SUCCESS;
}

static starfish_status check_line(const struct starfish_stencil_line *line, int d, size_t n, int periodic)
{
    STARFISH_TRY(check_values("line.coupling", d, line->coupling, n + 1, 0));
    STARFISH_TRY(check_values("line.weight", d, line->weight, n, 1));
    if (line->extra)
        STARFISH_TRY(check_values("line.extra", d, line->extra, n, 0));
    STARFISH_REFUSE_IF(periodic ? line->coupling[0] != line->coupling[n]
                                : line->coupling[0] != 0 || line->coupling[n] != 0,
                       "problem.line[%d].coupling is %g at one end and %g at the other, must be %s", d,
                       line->coupling[0], line->coupling[n], periodic ? "the same" : "0");
    return STARFISH_SUCCESS;
}

/* ---- Kinds of directions ----------------------------------------------------------------------------------------- */

static void copy_line(struct starfish_flux_line *line, const struct starfish_stencil_line *given)
{
    memcpy(line->coupling, given->coupling, (line->n + 1) * sizeof(double));
    memcpy(line->weight, given->weight, line->n * sizeof(double));
    if (given->extra)
        memcpy(line->extra, given->extra, line->n * sizeof(double));
}

static void make_cells(struct starfish_flux_line *line, const starfish_end ends[2], const double *width)
{
    const size_t n = line->n;

    memcpy(line->weight, width, n * sizeof(double));
    for (size_t i = 1; i < n; i++)
        line->coupling[i] = 2 / (width[i - 1] + width[i]);
    if (line->periodic)
        line->coupling[0] = line->coupling[n] = 2 / (width[n - 1] + width[0]);
    if (ends[0] == STARFISH_DIRICHLET)
        line->extra[0] += 2 / width[0];
    if (ends[1] == STARFISH_DIRICHLET)
        line->extra[n - 1] += 2 / width[n - 1];
}

/* Control volumes reach half-way to the neighbours; to none beyond a Neumann end. */
static void make_nodes(struct starfish_flux_line *line, const starfish_end ends[2], const double *width)
{
    const size_t n = line->n, low = ends[0] == STARFISH_DIRICHLET;

    for (size_t i = 0; i + 1 < n; i++) {
        line->coupling[i + 1] = 1 / width[low + i];
        line->weight[i] += width[low + i] / 2;
        line->weight[i + 1] += width[low + i] / 2;
    }
    if (line->periodic) {
        line->coupling[0] = line->coupling[n] = 1 / width[n - 1];
        line->weight[0] += width[n - 1] / 2;
        line->weight[n - 1] += width[n - 1] / 2;
    }
    if (low) {
        line->extra[0] += 1 / width[0];
        line->weight[0] += width[0] / 2;
    }
    if (ends[1] == STARFISH_DIRICHLET) {
        line->extra[n - 1] += 1 / width[low + n - 1];
        line->weight[n - 1] += width[low + n - 1] / 2;
    }
}

static size_t widths_of(const struct starfish_stencil_problem *p, int d)
{
    const size_t dirichlet =
        (size_t)(p->ends[d][0] == STARFISH_DIRICHLET) + (size_t)(p->ends[d][1] == STARFISH_DIRICHLET);

    if (p->grid == STARFISH_CELL || p->ends[d][0] == STARFISH_PERIODIC)
        return p->n[d];
    return p->n[d] + dirichlet - 1;
}

static starfish_status fill(struct starfish_flux_line *line, const struct starfish_stencil_problem *p, int d)
{
    if (p->line[d].coupling) {
        STARFISH_TRY(check_line(&p->line[d], d, line->n, line->periodic));
        copy_line(line, &p->line[d]);
    } else if (!p->width[d] && line->n == 1) {
        line->weight[0] = 1;
    } else {
        STARFISH_TRY(check_values("width", d, p->width[d], widths_of(p, d), 1));
        (p->grid == STARFISH_CELL ? make_cells : make_nodes)(line, p->ends[d], p->width[d]);
    }
    if (line->n == 1) /* a single unknown is its own neighbour */
        line->coupling[0] = line->coupling[1] = 0;
    return STARFISH_OR_FAIL(line->weight[0] > 0, STARFISH_ERROR_ARGUMENT,
                            "problem.n[%d] is 1: a single node between Neumann ends has no width", d);
}

starfish_status starfish_flux_line_create(struct starfish_flux_line *line,
                                          const struct starfish_stencil_problem *problem, int d)
{
    const size_t n = problem->n[d];

    memset(line, 0, sizeof *line);
    STARFISH_TRY(check_ends(problem->ends[d], d));
    STARFISH_REFUSE_IF(problem->line[d].coupling && problem->width[d], "problem.line[%d] and width[%d] are both given",
                       d, d);
    line->n = n;
    line->periodic = problem->ends[d][0] == STARFISH_PERIODIC;
    line->coupling = calloc(n + 1, sizeof(double));
    line->extra = calloc(n, sizeof(double));
    line->weight = calloc(n, sizeof(double));
    const starfish_status status =
        line->coupling && line->extra && line->weight
            ? fill(line, problem, d)
            : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a direction of %zu unknowns", n);
    if (status != STARFISH_SUCCESS)
        starfish_flux_line_destroy(line);
    return status;
}

void starfish_flux_line_destroy(struct starfish_flux_line *line)
{
    free(line->coupling);
    free(line->extra);
    free(line->weight);
    memset(line, 0, sizeof *line);
}

int starfish_flux_line_is_even(const struct starfish_flux_line *line)
{
    const double most = 4;
    double low = INFINITY, high = 0;

    for (size_t i = 1; i < line->n; i++)
        if (line->coupling[i] > 0) {
            const double strength = line->coupling[i] / (line->weight[i - 1] + line->weight[i]);
            low = fmin(low, strength);
            high = fmax(high, strength);
        }
    return high <= most * low || high == 0;
}
