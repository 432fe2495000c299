/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Meshes by refinement (Goeddeke and Strzodka 2011, section 4.1), and integrals over them by Gauss points: load vectors
 * and errors. */
#include "multigrid/q1.h"

#include "base/arithmetic.h"
#include "multigrid/plan.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- Meshes ------------------------------------------------------------------------------------------------------ */

enum { MOST_LEVELS = 24, MOST_ELEMENTS = 1 << MOST_LEVELS };

/* 2^level widths from one of the whole length; `last`: the layer is at the high end. */
static void refine(double length, double nu, int level, int last, double *width)
{
    width[0] = length;
    for (size_t count = 1; count < (size_t)1 << level; count *= 2) {
        const size_t layer = last ? count - 1 : 0;
        for (size_t e = count; e-- > 0;) {
            const double whole = width[e], part = e == layer ? nu / 2 : 0.5;
            width[2 * e + (size_t)last] = part * whole;
            width[2 * e + (size_t)!last] = e == layer ? (1 - nu / 2) * whole : 0.5 * whole;
        }
    }
}

starfish_status starfish_q1_refine(const struct starfish_q1_refinement *refinement, double *width_x, double *width_y)
{
    STARFISH_OWN_ARITHMETIC;
    STARFISH_NEED(refinement, "refinement");
    STARFISH_NEED(width_x, "width_x");
    STARFISH_NEED(width_y, "width_y");
    for (int d = 0; d < 2; d++)
        STARFISH_REFUSE_IF(!(refinement->length[d] > 0) || !isfinite(refinement->length[d]),
                           "refinement.length[%d] is %g, must be positive", d, refinement->length[d]);
    STARFISH_REFUSE_IF(!(refinement->nu > 0 && refinement->nu <= 1), "refinement.nu is %g, must be in (0, 1]",
                       refinement->nu);
    STARFISH_REFUSE_IF(refinement->level < 0 || refinement->level > MOST_LEVELS,
                       "refinement.level is %d, must be in 0 .. %d", refinement->level, MOST_LEVELS);
    refine(refinement->length[0], refinement->nu, refinement->level, 1, width_x);
    refine(refinement->length[1], refinement->nu, refinement->level, 0, width_y);
    return STARFISH_SUCCESS;
}

starfish_status starfish_q1_named(const char *name, struct starfish_q1_refinement *refinement)
{
    static const struct {
        const char *name;
        double length, nu;
    } known[] = {{"U1", 1, 1},   {"U2", 0.25, 1}, {"U3", 0.0625, 1}, {"A1", 1, 0.75},
                 {"A2", 1, 0.5}, {"A3", 1, 0.25}, {"A4", 1, 0.0625}, {"A5", 1, 0.03125}};

    STARFISH_NEED(refinement, "refinement");
    for (size_t i = 0; name && i < sizeof known / sizeof known[0]; i++)
        if (strcmp(name, known[i].name) == 0) {
            refinement->length[0] = known[i].length;
            refinement->length[1] = 1;
            refinement->nu = known[i].nu;
            return STARFISH_SUCCESS;
        }
    return starfish_fail(STARFISH_ERROR_ARGUMENT, "no mesh '%s'; there is U1, U2, U3, A1, A2, A3, A4, A5",
                         name ? name : "(NULL)");
}

starfish_status starfish_q1_check_direction(const struct starfish_q1_problem *p, int d)
{
    STARFISH_REFUSE_IF(p->elements[d] < 1 || p->elements[d] > MOST_ELEMENTS,
                       "problem.elements[%d] is %zu, not in 1 .. %d", d, p->elements[d], MOST_ELEMENTS);
    for (int end = 0; end < 2; end++)
        STARFISH_REFUSE_IF(p->ends[d][end] != STARFISH_DIRICHLET && p->ends[d][end] != STARFISH_NEUMANN,
                           "problem.ends[%d][%d] is neither STARFISH_DIRICHLET nor STARFISH_NEUMANN", d, end);
    STARFISH_REFUSE_IF(!p->width[d], "problem.width[%d] is NULL", d);
    return starfish_multigrid_check_positive("width", d, p->width[d], p->elements[d]);
}

void starfish_q1_unknowns(const struct starfish_q1_problem *problem, size_t n[2])
{
    for (int d = 0; problem && n && d < 2; d++)
        n[d] = problem->elements[d] + 1 - (problem->ends[d][0] == STARFISH_DIRICHLET) -
               (problem->ends[d][1] == STARFISH_DIRICHLET);
}

/* ---- Integrals --------------------------------------------------------------------------------------------------- */

enum { MOST_POINTS = 4 };
struct rule {
    int points;
    double at[MOST_POINTS], weight[MOST_POINTS]; /* on [0,1] */
};

/* Abramowitz and Stegun, table 25.4. */
static const struct rule gauss3 = {
    3, {0.5 - 0.387298334620741688518, 0.5, 0.5 + 0.387298334620741688518}, {5.0 / 18, 8.0 / 18, 5.0 / 18}};
static const struct rule gauss4 = {
    4,
    {0.5 - 0.430568155797026287612, 0.5 - 0.169990521792428132401, 0.5 + 0.169990521792428132401,
     0.5 + 0.430568155797026287612},
    {0.173927422568726928687, 0.326072577431273071313, 0.326072577431273071313, 0.173927422568726928687}};

/* Distances of the nodes from the low and from the high end of each direction. */
struct distances {
    double *low[2], *high[2];
};

static void forget_distances(struct distances *distances)
{
    for (int d = 0; d < 2; d++) {
        free(distances->low[d]);
        free(distances->high[d]);
    }
}

static starfish_status find_distances(const struct starfish_q1_problem *p, struct distances *distances)
{
    *distances = (struct distances){{NULL, NULL}, {NULL, NULL}};
    for (int d = 0; d < 2; d++)
        STARFISH_TRY(starfish_q1_check_direction(p, d));
    for (int d = 0; d < 2; d++) {
        const size_t count = p->elements[d];
        double *low = distances->low[d] = malloc((count + 1) * sizeof *low);
        double *high = distances->high[d] = malloc((count + 1) * sizeof *high);
        if (!low || !high) {
            forget_distances(distances);
            return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for %zu distances", count + 1);
        }
        low[0] = high[count] = 0;
        for (size_t e = 0; e < count; e++)
            low[e + 1] = low[e] + p->width[d][e];
        for (size_t e = count; e-- > 0;)
            high[e] = high[e + 1] + p->width[d][e];
    }
    return STARFISH_SUCCESS;
}

/* A Gauss point of an element. */
struct sample {
    struct starfish_q1_point point;
    double at[2], weight; /* within the element, 0 .. 1; the area that the point stands for */
};

static struct sample sample_of(const struct starfish_q1_problem *p, const struct distances *distances,
                               const struct rule *rule, const size_t e[2], int q)
{
    const int number[2] = {q % rule->points, q / rule->points};
    struct sample s = {.weight = 1};

    for (int d = 0; d < 2; d++) {
        const double width = p->width[d][e[d]];
        s.at[d] = rule->at[number[d]];
        s.weight *= rule->weight[number[d]] * width;
        s.point.low[d] = distances->low[d][e[d]] + s.at[d] * width;
        s.point.high[d] = distances->high[d][e[d] + 1] + (1 - s.at[d]) * width;
    }
    return s;
}

/* The unknown of an element's node (low or high in x and y), or SIZE_MAX for a node that is none. */
static size_t unknown_of(const struct starfish_q1_problem *p, const size_t n[2], const size_t e[2], int node)
{
    size_t unknown[2];

    for (int d = 0; d < 2; d++) {
        const size_t at = e[d] + (size_t)(d == 0 ? node % 2 : node / 2), low = p->ends[d][0] == STARFISH_DIRICHLET;
        if (at < low || at - low >= n[d])
            return SIZE_MAX;
        unknown[d] = at - low;
    }
    return unknown[0] + unknown[1] * n[0];
}

static double basis(const struct sample *s, int node)
{
    return (node % 2 ? s->at[0] : 1 - s->at[0]) * (node / 2 ? s->at[1] : 1 - s->at[1]);
}

static void load_element(const struct starfish_q1_problem *p, const struct distances *distances, const size_t n[2],
                         const size_t e[2], starfish_q1_function *f, void *data, double *load)
{
    for (int q = 0; q < gauss3.points * gauss3.points; q++) {
        const struct sample s = sample_of(p, distances, &gauss3, e, q);
        const double value = s.weight * f(data, &s.point);
        for (int node = 0; node < 4; node++) {
            const size_t unknown = unknown_of(p, n, e, node);
            if (unknown != SIZE_MAX)
                load[unknown] += value * basis(&s, node);
        }
    }
}

starfish_status starfish_q1_load(const struct starfish_q1_problem *problem, starfish_q1_function *f, void *data,
                                 double *load)
{
    STARFISH_OWN_ARITHMETIC;
    struct starfish_q1_problem own;
    struct distances distances;
    size_t n[2] = {0, 0}, e[2];

    STARFISH_NEED(f, "f");
    STARFISH_NEED(load, "load");
    STARFISH_TRY(starfish_problem_take(problem, &own, sizeof own));
    STARFISH_TRY(find_distances(&own, &distances));
    starfish_q1_unknowns(&own, n);
    memset(load, 0, n[0] * n[1] * sizeof *load);
    for (e[1] = 0; e[1] < own.elements[1]; e[1]++)
        for (e[0] = 0; e[0] < own.elements[0]; e[0]++)
            load_element(&own, &distances, n, e, f, data, load);
    forget_distances(&distances);
    return STARFISH_SUCCESS;
}

/* A solution beside the function that it approximates. */
struct approximation {
    const double *solution;
    starfish_q1_function *exact;
    void *data;
};

/* Adds the element's part of the squared norms of error and exact solution. */
static void error_element(const struct starfish_q1_problem *p, const struct distances *distances, const size_t n[2],
                          const size_t e[2], const struct approximation *a, double sum[2])
{
    for (int q = 0; q < gauss4.points * gauss4.points; q++) {
        const struct sample s = sample_of(p, distances, &gauss4, e, q);
        const double value = a->exact(a->data, &s.point);
        double difference = -value;
        for (int node = 0; node < 4; node++) {
            const size_t unknown = unknown_of(p, n, e, node);
            if (unknown != SIZE_MAX)
                difference += a->solution[unknown] * basis(&s, node);
        }
        sum[0] += s.weight * difference * difference;
        sum[1] += s.weight * value * value;
    }
}

starfish_status starfish_q1_error(const struct starfish_q1_problem *problem, starfish_q1_function *exact, void *data,
                                  const double *solution, double *error)
{
    STARFISH_OWN_ARITHMETIC;
    const struct approximation approximation = {solution, exact, data};
    struct starfish_q1_problem own;
    struct distances distances;
    double sum[2] = {0, 0};
    size_t n[2], e[2];

    STARFISH_NEED(exact, "exact");
    STARFISH_NEED(solution, "solution");
    STARFISH_NEED(error, "error");
    STARFISH_TRY(starfish_problem_take(problem, &own, sizeof own));
    STARFISH_TRY(find_distances(&own, &distances));
    starfish_q1_unknowns(&own, n);
    for (e[1] = 0; e[1] < own.elements[1]; e[1]++)
        for (e[0] = 0; e[0] < own.elements[0]; e[0]++)
            error_element(&own, &distances, n, e, &approximation, sum);
    forget_distances(&distances);
    *error = sqrt(sum[0] / sum[1]);
    return STARFISH_SUCCESS;
}
