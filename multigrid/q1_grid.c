/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Grids of a hierarchy: widths, coefficients, and interpolation from the next coarser grid. */
#include "multigrid/q1.h"

#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *copy(const double *values, size_t count)
{
    double *copied = malloc(count * sizeof *copied);

    if (copied && values)
        memcpy(copied, values, count * sizeof *copied);
    return copied;
}

static void count_unknowns(struct starfish_q1_grid *grid)
{
    for (int d = 0; d < 2; d++)
        grid->n[d] = grid->elements[d] + 1 - (size_t)(grid->dirichlet[d][0] + grid->dirichlet[d][1]);
}

static starfish_status refuse_memory(struct starfish_q1_grid *grid)
{
    const size_t elements = grid->elements[0] * grid->elements[1];

    starfish_q1_grid_destroy(grid);
    return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a grid of %zu elements", elements);
}

starfish_status starfish_q1_grid_create(struct starfish_q1_grid *grid, const struct starfish_q1_problem *problem)
{
    *grid = (struct starfish_q1_grid){.elements = {problem->elements[0], problem->elements[1]},
                                      .reaction = problem->reaction};
    for (int d = 0; d < 2; d++) {
        for (int end = 0; end < 2; end++)
            grid->dirichlet[d][end] = problem->ends[d][end] == STARFISH_DIRICHLET;
        grid->width[d] = copy(problem->width[d], problem->elements[d]);
        if (problem->coefficient[d])
            grid->diffusion[d] = copy(problem->coefficient[d], problem->elements[0] * problem->elements[1]);
        if (!grid->width[d] || (problem->coefficient[d] && !grid->diffusion[d]))
            return refuse_memory(grid);
    }
    count_unknowns(grid);
    return STARFISH_SUCCESS;
}

void starfish_q1_grid_destroy(struct starfish_q1_grid *grid)
{
    for (int d = 0; d < 2; d++) {
        free(grid->width[d]);
        free(grid->diffusion[d]);
        free(grid->left[d]);
        free(grid->right[d]);
    }
    memset(grid, 0, sizeof *grid);
}

/* Strengths of an element's couplings in x and y, kx hy / hx and ky hx / hy, and of its reaction, c hx hy. */
struct strengths {
    double x, y, reaction;
};

static struct strengths strengths_of(const struct starfish_q1_grid *grid, size_t ex, size_t ey)
{
    const size_t e = ex + ey * grid->elements[0];
    const double hx = grid->width[0][ex], hy = grid->width[1][ey];
    const double kx = grid->diffusion[0] ? grid->diffusion[0][e] : 1;
    const double ky = grid->diffusion[1] ? grid->diffusion[1][e] : 1;

    return (struct strengths){kx * (hy / hx), ky * (hx / hy), grid->reaction * hx * hy};
}

double starfish_q1_anisotropy(const struct starfish_q1_grid *grid)
{
    double most = 1;

    for (size_t ey = 0; ey < grid->elements[1]; ey++)
        for (size_t ex = 0; ex < grid->elements[0]; ex++) {
            const struct strengths s = strengths_of(grid, ex, ey);
            most = fmax(most, fmax(s.x / s.y, s.y / s.x));
        }
    return most;
}

/* The eigenvectors of an element's S and M are (1,1) and (1,-1), with 0 and 2/h, h/2 and h/6; all four diagonal entries
 * are the same. Nodes at Dirichlet ends, which are left out, only make eigenvalues smaller. */
double starfish_q1_largest_eigenvalue(const struct starfish_q1_grid *grid)
{
    double most = 0;

    for (size_t ey = 0; ey < grid->elements[1]; ey++)
        for (size_t ex = 0; ex < grid->elements[0]; ex++) {
            const struct strengths s = strengths_of(grid, ex, ey);
            const double diag = (s.x + s.y) / 3 + s.reaction / 9;
            const double even = s.reaction / 4, odd = (s.x + s.y) / 3 + s.reaction / 36;
            const double mixed = fmax(s.x, s.y) + s.reaction / 12;
            most = fmax(most, fmax(fmax(even, odd), mixed) / diag);
        }
    return most;
}

/* ---- Coarsening -------------------------------------------------------------------------------------------------- */

/* A direction must keep an unknown: two elements between Dirichlet ends, one otherwise. */
static int coarsens(const struct starfish_q1_grid *grid, int d)
{
    return grid->elements[d] > (grid->dirichlet[d][0] && grid->dirichlet[d][1] ? 2u : 1u);
}

int starfish_q1_grid_coarsens(const struct starfish_q1_grid *grid)
{
    return coarsens(grid, 0) || coarsens(grid, 1);
}

/* Mean over the area of the elements that become one. */
static double mean(const struct starfish_q1_grid *fine, const struct starfish_q1_grid *coarse, int d, size_t ex,
                   size_t ey)
{
    double sum = 0, area = 0;

    for (size_t j = coarse->stride[1] * ey; j < coarse->stride[1] * (ey + 1) && j < fine->elements[1]; j++)
        for (size_t i = coarse->stride[0] * ex; i < coarse->stride[0] * (ex + 1) && i < fine->elements[0]; i++) {
            /* relative to the coarse element, so that tiny elements do not underflow */
            const double part = (fine->width[0][i] / coarse->width[0][ex]) * (fine->width[1][j] / coarse->width[1][ey]);
            sum += part * fine->diffusion[d][i + j * fine->elements[0]];
            area += part;
        }
    return sum / area;
}

static void merge_coefficients(const struct starfish_q1_grid *fine, struct starfish_q1_grid *coarse, int d)
{
    for (size_t ey = 0; ey < coarse->elements[1]; ey++)
        for (size_t ex = 0; ex < coarse->elements[0]; ex++)
            coarse->diffusion[d][ex + ey * coarse->elements[0]] = mean(fine, coarse, d, ex, ey);
}

/* The coarse basis function at the fine node within the element below its own node, and within the one above. An
 * element that was not merged has no node within: its two nodes are both coarse, and its basis functions vanish at each
 * other's; but then it is the last, and its high node, an unknown when that end is Neumann, is one past where the
 * stride leads. */
static void set_weights(const struct starfish_q1_grid *fine, struct starfish_q1_grid *coarse, int d)
{
    const double *width = fine->width[d];

    coarse->origin[d] = coarse->stride[d] == 2 ? (size_t)coarse->dirichlet[d][0] : 0;
    for (size_t i = 0; i < coarse->n[d]; i++) {
        const size_t node = i + (size_t)coarse->dirichlet[d][0]; /* of the coarse grid */
        const size_t above = 2 * node;                           /* first fine element above it */
        coarse->left[d][i] = coarse->right[d][i] = 0;
        if (coarse->stride[d] == 1)
            continue;
        if (node > 0 && above <= fine->elements[d])
            coarse->left[d][i] = width[above - 2] / (width[above - 2] + width[above - 1]);
        else if (node > 0)
            coarse->left[d][i] = 1;
        if (above + 1 < fine->elements[d])
            coarse->right[d][i] = width[above + 1] / (width[above] + width[above + 1]);
    }
}

starfish_status starfish_q1_grid_coarsen(const struct starfish_q1_grid *fine, struct starfish_q1_grid *coarse)
{
    *coarse = (struct starfish_q1_grid){.reaction = fine->reaction};
    memcpy(coarse->dirichlet, fine->dirichlet, sizeof fine->dirichlet);
    for (int d = 0; d < 2; d++) {
        coarse->stride[d] = coarsens(fine, d) ? 2 : 1;
        coarse->elements[d] = (fine->elements[d] + coarse->stride[d] - 1) / coarse->stride[d];
    }
    count_unknowns(coarse);
    for (int d = 0; d < 2; d++) {
        coarse->width[d] = copy(NULL, coarse->elements[d]);
        coarse->left[d] = copy(NULL, coarse->n[d]);
        coarse->right[d] = copy(NULL, coarse->n[d]);
        coarse->diffusion[d] = fine->diffusion[d] ? copy(NULL, coarse->elements[0] * coarse->elements[1]) : NULL;
        if (!coarse->width[d] || !coarse->left[d] || !coarse->right[d] || (fine->diffusion[d] && !coarse->diffusion[d]))
            return refuse_memory(coarse);
        /* The last element of an odd number stays as it is. */
        const size_t stride = coarse->stride[d];

        for (size_t e = 0; e < coarse->elements[d]; e++) {
            coarse->width[d][e] = fine->width[d][stride * e];
            if (stride == 2 && 2 * e + 1 < fine->elements[d])
                coarse->width[d][e] += fine->width[d][2 * e + 1];
        }
        set_weights(fine, coarse, d);
    }
    for (int d = 0; d < 2; d++)
        if (fine->diffusion[d])
            merge_coefficients(fine, coarse, d);
    return STARFISH_SUCCESS;
}
