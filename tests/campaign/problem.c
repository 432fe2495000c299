/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The generator of random problems. Distributions favour what has been wrong before: thin layers, one-row directions,
 * couplings of very different size to both sides, rows that nothing couples, lambda close to a mode. */
#include "problem.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- Random numbers ---------------------------------------------------------------------------------------------- */

static uint64_t next(struct campaign_random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

struct campaign_random campaign_random_of(uint64_t seed, uint64_t index)
{
    struct campaign_random random = {seed};
    random.state = next(&random) ^ (index * 0xd1342543de82ef95u);
    next(&random);
    return random;
}

double campaign_uniform(struct campaign_random *random, double low, double high)
{
    return low + (high - low) * ((double)(next(random) >> 11) * 0x1p-53);
}

size_t campaign_below(struct campaign_random *random, size_t end)
{
    return (size_t)(next(random) % end);
}

static int chance(struct campaign_random *random, double probability)
{
    return campaign_uniform(random, 0, 1) < probability;
}

/* 10^p, p uniform. */
static double power(struct campaign_random *random, double low, double high)
{
    return pow(10, campaign_uniform(random, low, high));
}

/* ---- Axes -------------------------------------------------------------------------------------------------------- */

static void choose_ends(struct campaign_random *random, struct starfish_axis *axis, int may_be_periodic)
{
    const size_t kind = campaign_below(random, may_be_periodic ? 5 : 4);
    axis->grid = chance(random, 0.5) ? STARFISH_CELL : STARFISH_NODE;
    axis->ends[0] = kind & 1 ? STARFISH_NEUMANN : STARFISH_DIRICHLET;
    axis->ends[1] = kind & 2 ? STARFISH_NEUMANN : STARFISH_DIRICHLET;
    if (kind == 4)
        axis->ends[0] = axis->ends[1] = STARFISH_PERIODIC;
    if (axis->grid == STARFISH_NODE && kind == 3 && axis->n < 2)
        axis->grid = STARFISH_CELL;
}

static const char *make_uniform(struct campaign_random *random, struct starfish_axis *axis)
{
    axis->kind = STARFISH_UNIFORM;
    axis->length = chance(random, 0.5) ? power(random, -6, 6) : power(random, -0.5, 0.5);
    choose_ends(random, axis, 1);
    return "uniform";
}

static const char *make_stretched(struct campaign_random *random, struct starfish_axis *axis,
                                  struct campaign_axis_memory *memory)
{
    const double length = chance(random, 0.3) ? power(random, -6, 6) : power(random, -0.5, 0.5);
    const double spread = chance(random, 0.3) ? 3 : 0.5;
    axis->kind = STARFISH_STRETCHED;
    choose_ends(random, axis, 0);
    const int dirichlet = (axis->ends[0] == STARFISH_DIRICHLET) + (axis->ends[1] == STARFISH_DIRICHLET);
    axis->coordinate_count = axis->grid == STARFISH_CELL ? axis->n + 1 : axis->n + (size_t)dirichlet;
    if (axis->coordinate_count < 2) {
        axis->grid = STARFISH_CELL;
        axis->coordinate_count = axis->n + 1;
    }
    memory->lower[0] = 0;
    for (size_t k = 1; k < axis->coordinate_count; k++)
        memory->lower[k] = memory->lower[k - 1] + length * power(random, -spread, spread) / (double)axis->n;
    axis->coordinates = memory->lower;
    return "stretched";
}

/* Rows of one coefficient: a transform. */
static void constant_rows(struct campaign_random *random, size_t n, struct campaign_axis_memory *m)
{
    const double off = power(random, -3, 3), diag = -2 * off - (chance(random, 0.5) ? 0 : power(random, -6, 3));
    for (size_t k = 0; k < n; k++) {
        m->lower[k] = m->upper[k] = off;
        m->diag[k] = diag;
    }
}

/* Couplings of positive size, rows that sum to `excess` at most: an M-matrix. */
static void m_matrix_rows(struct campaign_random *random, size_t n, int periodic, double asymmetry,
                          struct campaign_axis_memory *m)
{
    const int sums_to_zero = chance(random, 0.4);
    for (size_t k = 0; k < n; k++) {
        m->lower[k] = k > 0 || periodic ? power(random, -asymmetry / 2, asymmetry / 2) : 0;
        m->upper[k] = k + 1 < n || periodic ? power(random, -asymmetry / 2, asymmetry / 2) : 0;
        m->diag[k] = -(m->lower[k] + m->upper[k]) - (sums_to_zero ? 0 : power(random, -8, 1));
    }
    if (n == 1 && !periodic && sums_to_zero)
        m->diag[0] = 0;
}

/* D^-1 S D for periodic rows: symmetric up to a scaling, and close to rows that sum to zero. */
static void scaled_ring(struct campaign_random *random, size_t n, struct campaign_axis_memory *m)
{
    double scale[CAMPAIGN_LONGEST], off[CAMPAIGN_LONGEST];
    const int sums_to_zero = chance(random, 0.5);
    for (size_t k = 0; k < n; k++) {
        scale[k] = power(random, -1, 1);
        off[k] = power(random, -1, 1); /* couples k and k + 1 */
    }
    for (size_t k = 0; k < n; k++) {
        m->upper[k] = off[k] / scale[k];
        m->lower[k] = off[(k + n - 1) % n] / scale[k];
        m->diag[k] = -(m->lower[k] + m->upper[k]) - (sums_to_zero ? 0 : power(random, -6, 1));
    }
}

/* Diagonally dominant rows of any sign, couplings of one sign to both sides. */
static void rows_of_any_sign(struct campaign_random *random, size_t n, int periodic, struct campaign_axis_memory *m)
{
    const double sign = chance(random, 0.5) ? 1 : -1;
    for (size_t k = 0; k < n; k++) {
        m->lower[k] = campaign_uniform(random, -1, 1);
        m->upper[k] = k + 1 < n || periodic ? campaign_uniform(random, -1, 1) : 0;
        if (k > 0)
            m->lower[k] = copysign(m->lower[k], m->upper[k - 1]);
        m->diag[k] = sign * (fabs(m->lower[k]) + fabs(m->upper[k]) + power(random, -3, 1));
    }
    if (periodic)
        m->lower[0] = copysign(m->lower[0], m->upper[n - 1]);
}

static void decouple(struct campaign_random *random, size_t n, struct campaign_axis_memory *m)
{
    for (size_t k = 1; k < n; k++)
        if (chance(random, 0.3))
            m->lower[k] = m->upper[k - 1] = 0;
}

static void scale_rows(struct campaign_random *random, size_t n, double range, struct campaign_axis_memory *m)
{
    for (size_t k = 0; k < n; k++) {
        const double scale = power(random, -range, range);
        m->lower[k] *= scale;
        m->diag[k] *= scale;
        m->upper[k] *= scale;
    }
}

static const char *make_tridiagonal(struct campaign_random *random, struct starfish_axis *axis,
                                    struct campaign_axis_memory *m, int constant_only)
{
    static const char *const names[] = {"constant rows",  "M-matrix",         "asymmetric M-matrix",
                                        "scaled ring",    "any sign",         "ring, asymmetric",
                                        "decoupled rows", "badly scaled rows"};
    const size_t n = axis->n, kind = constant_only ? 0 : campaign_below(random, 8);
    axis->kind = STARFISH_TRIDIAGONAL;
    axis->periodic = kind == 3 || kind == 5 || (kind == 0 && chance(random, 0.5));
    switch (kind) {
    case 0:
        constant_rows(random, n, m);
        break;
    case 1:
    case 6:
    case 7:
        m_matrix_rows(random, n, 0, 1, m);
        break;
    case 2:
    case 5:
        m_matrix_rows(random, n, axis->periodic, chance(random, 0.5) ? 2 : 8, m);
        break;
    case 3:
        scaled_ring(random, n, m);
        break;
    default:
        rows_of_any_sign(random, n, 0, m);
    }
    if (kind == 6)
        decouple(random, n, m);
    if (kind == 7)
        scale_rows(random, n, chance(random, 0.5) ? 3 : 10, m);
    axis->lower = m->lower;
    axis->diag = m->diag;
    axis->upper = m->upper;
    return names[kind];
}

static const char *make_axis(struct campaign_random *random, int direction, int only_tridiagonal,
                             struct starfish_axis *axis, struct campaign_axis_memory *memory)
{
    const double kind = campaign_uniform(random, 0, 1);
    if (direction == 0) /* has a transform */
        return kind < 0.8 ? make_uniform(random, axis) : make_tridiagonal(random, axis, memory, 1);
    if (only_tridiagonal || kind < 0.4)
        return make_tridiagonal(random, axis, memory, 0);
    return kind < 0.8 ? make_uniform(random, axis) : make_stretched(random, axis, memory);
}

/* ---- Problems ---------------------------------------------------------------------------------------------------- */

size_t campaign_unknowns(const struct campaign_problem *p)
{
    return p->axis[0].n * p->axis[1].n * p->axis[2].n;
}

static size_t choose_length(struct campaign_random *random)
{
    return chance(random, 0.15) ? 1 : 1 + campaign_below(random, CAMPAIGN_LONGEST);
}

static void choose_sizes(struct campaign_problem *p, struct campaign_random *random)
{
    do
        for (int d = 0; d < 3; d++)
            p->axis[d].n = d == 0 && p->in_two ? 1 : choose_length(random);
    while (campaign_unknowns(p) > CAMPAIGN_UNKNOWNS);
}

/* Zero or negative for the most part; else anything, which makes many problems indefinite. */
static double choose_lambda(struct campaign_random *random)
{
    const double kind = campaign_uniform(random, 0, 1);
    if (kind < 0.5)
        return 0;
    return kind < 0.75 ? -power(random, -6, 4) : power(random, -3, 3);
}

void campaign_problem_create(struct campaign_problem *p, uint64_t seed, uint64_t index)
{
    struct campaign_random random = campaign_random_of(seed, index);
    memset(p, 0, sizeof *p);
    p->seed = seed;
    p->index = index;
    p->in_two = chance(&random, 0.25);
    p->precision = chance(&random, 0.4) ? STARFISH_F32 : STARFISH_F64;
    choose_sizes(p, &random);
    for (int d = 0; d < 3; d++)
        if (d > 0 || !p->in_two) {
            p->kind[d] = make_axis(&random, d, p->in_two, &p->axis[d], &p->memory[d]);
        } else {
            p->axis[d] = (struct starfish_axis){.kind = STARFISH_TRIDIAGONAL,
                                                .n = 1,
                                                .lower = p->memory[d].lower,
                                                .diag = p->memory[d].diag,
                                                .upper = p->memory[d].upper};
            p->kind[d] = "one layer";
        }
    p->lambda = choose_lambda(&random);
    const size_t most = p->axis[2].n < 4 ? p->axis[2].n : 4;
    p->slabs = 1 + campaign_below(&random, most);
    p->rest = random;
}

static void print_array(FILE *stream, const char *name, const double *values, size_t count)
{
    fprintf(stream, ", \"%s\": [", name);
    for (size_t i = 0; i < count; i++)
        fprintf(stream, "%s%.17g", i > 0 ? ", " : "", values[i]);
    fprintf(stream, "]");
}

static void print_axis(FILE *stream, const struct starfish_axis *a, const char *kind)
{
    static const char *const ends[] = {"periodic", "dirichlet", "neumann"};
    fprintf(stream, "{\"n\": %zu, \"kind\": \"%s\"", a->n, kind);
    if (a->kind == STARFISH_TRIDIAGONAL) {
        fprintf(stream, ", \"periodic\": %s", a->periodic ? "true" : "false");
        print_array(stream, "lower", a->lower, a->n);
        print_array(stream, "diag", a->diag, a->n);
        print_array(stream, "upper", a->upper, a->n);
    } else {
        fprintf(stream, ", \"ends\": [\"%s\", \"%s\"], \"grid\": \"%s\"", ends[a->ends[0]], ends[a->ends[1]],
                a->grid == STARFISH_CELL ? "cell" : "node");
        if (a->kind == STARFISH_UNIFORM)
            fprintf(stream, ", \"length\": %.17g", a->length);
        else
            print_array(stream, "coordinates", a->coordinates, a->coordinate_count);
    }
    fprintf(stream, "}");
}

void campaign_problem_print(FILE *stream, const struct campaign_problem *p)
{
    fprintf(stream, "{\"seed\": %llu, \"index\": %llu, \"precision\": \"%s\", \"slabs\": %zu, \"lambda\": %.17g",
            (unsigned long long)p->seed, (unsigned long long)p->index, p->precision == STARFISH_F32 ? "f32" : "f64",
            p->slabs, p->lambda);
    for (int d = p->in_two ? 1 : 0; d < 3; d++) {
        fprintf(stream, ", \"%c\": ", "xyz"[d]);
        print_axis(stream, &p->axis[d], p->kind[d]);
    }
    fprintf(stream, "}\n");
}
