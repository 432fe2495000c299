/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Naive references of the kernels on a 3D grid (flux.h, weigh.h): triple loops in f64, straight from the definitions.
 * They belong to the tests, not to the library; nothing here is fast. */
#include "multigrid/kernels/flux_ref.h"

#include <stdlib.h>

/* ---- The matrix, entry by entry ---------------------------------------------------------------------------------- */

static size_t element(const size_t n[3], const size_t at[3])
{
    return at[0] + n[0] * (at[1] + n[1] * at[2]);
}

static void place(const size_t n[3], size_t e, size_t at[3])
{
    at[0] = e % n[0];
    at[1] = e / n[0] % n[1];
    at[2] = e / n[0] / n[1];
}

/* The neighbour of `at` in direction d, which wraps around a periodic end; 0 when there is none. */
static int neighbour(const size_t n[3], const int periodic[3], const size_t at[3], int d, int above, size_t to[3])
{
    const size_t last = n[d] - 1;

    for (int e = 0; e < 3; e++)
        to[e] = at[e];
    if (above)
        to[d] = at[d] == last ? 0 : at[d] + 1;
    else
        to[d] = at[d] == 0 ? last : at[d] - 1;
    return periodic[d] || at[d] != (above ? last : 0);
}

static double value(const void *array, size_t index)
{
    return ((const double *)array)[index];
}

/* The coupling of the face of unknown `at` below or above it in direction d. */
static double coupling(const struct starfish_flux_ref *ref, const struct starfish_flux_matrix *m, const size_t at[3],
                       int d, int above)
{
    size_t owner[3];

    if (!m->face[0]) {
        double product = value(m->axis[d].coupling, at[d] + (size_t)above);
        for (int e = 0; e < 3; e++)
            product *= e == d ? 1 : value(m->axis[e].weight, at[e]);
        return product;
    }
    if (!m->face[d])
        return 0;
    if (!above)
        return value(m->face[d], element(ref->n, at));
    return neighbour(ref->n, ref->periodic, at, d, 1, owner) ? value(m->face[d], element(ref->n, owner)) : 0;
}

static double rest(const struct starfish_flux_ref *ref, const struct starfish_flux_matrix *m, const size_t at[3])
{
    if (m->face[0])
        return m->rest ? value(m->rest, element(ref->n, at)) : 0;
    const double wx = value(m->axis[0].weight, at[0]), wy = value(m->axis[1].weight, at[1]);
    const double wz = value(m->axis[2].weight, at[2]);
    return value(m->axis[0].extra, at[0]) * wy * wz + wx * value(m->axis[1].extra, at[1]) * wz +
           wx * wy * value(m->axis[2].extra, at[2]) + m->lambda * wx * wy * wz;
}

int starfish_flux_ref_create(struct starfish_flux_ref *ref, const struct starfish_flux_matrix *m)
{
    *ref = (struct starfish_flux_ref){.count = 1};
    for (int d = 0; d < 3; d++) {
        ref->n[d] = m->axis[d].n;
        ref->periodic[d] = m->axis[d].periodic;
        ref->count *= ref->n[d];
    }
    ref->entries = calloc(ref->count * STARFISH_FLUX_REF_ENTRIES, sizeof *ref->entries);
    for (size_t e = 0; ref->entries && e < ref->count; e++) {
        double *entry = ref->entries + e * STARFISH_FLUX_REF_ENTRIES;
        size_t at[3];
        place(ref->n, e, at);
        entry[STARFISH_FLUX_REF_DIAGONAL] = rest(ref, m, at);
        for (int side = 0; side < STARFISH_FLUX_REF_DIAGONAL; side++) {
            const double c = coupling(ref, m, at, side / 2, side % 2);
            entry[STARFISH_FLUX_REF_DIAGONAL] += c;
            entry[side] = m->axis[side / 2].decoupled ? 0 : -c;
        }
    }
    return ref->entries ? 0 : -1;
}

void starfish_flux_ref_destroy(struct starfish_flux_ref *ref)
{
    free(ref->entries);
    *ref = (struct starfish_flux_ref){.count = 0};
}

/* ---- Residual and point smoothers -------------------------------------------------------------------------------- */

void starfish_flux_ref_residual(const struct starfish_flux_ref *ref, const double *u, const double *f, double *result)
{
    size_t at[3], to[3];

    for (size_t e = 0; e < ref->count; e++) {
        const double *entry = ref->entries + e * STARFISH_FLUX_REF_ENTRIES;
        result[e] = f[e] - entry[STARFISH_FLUX_REF_DIAGONAL] * u[e];
        place(ref->n, e, at);
        for (int side = 0; side < STARFISH_FLUX_REF_DIAGONAL; side++)
            if (neighbour(ref->n, ref->periodic, at, side / 2, side % 2, to))
                result[e] -= entry[side] * u[element(ref->n, to)];
    }
}

/* Unknowns of one colour, i + j + k even (0) or odd (1), from the values before the step. */
static void relax_colour(const struct starfish_flux_ref *ref, size_t colour, double damping, const double *f, double *v,
                         double *residual)
{
    size_t at[3];

    starfish_flux_ref_residual(ref, v, f, residual);
    for (size_t e = 0; e < ref->count; e++) {
        place(ref->n, e, at);
        if ((at[0] + at[1] + at[2]) % 2 == colour)
            v[e] += damping * residual[e] / ref->entries[e * STARFISH_FLUX_REF_ENTRIES + STARFISH_FLUX_REF_DIAGONAL];
    }
}

void starfish_flux_ref_smooth(const struct starfish_flux_ref *ref, enum starfish_flux_order order, double damping,
                              const double *f, double *v, double *residual)
{
    if (order != STARFISH_FLUX_AT_ONCE) {
        const size_t first = order == STARFISH_FLUX_ODD_FIRST;
        relax_colour(ref, first, damping, f, v, residual);
        relax_colour(ref, 1 - first, damping, f, v, residual);
        return;
    }
    starfish_flux_ref_residual(ref, v, f, residual);
    for (size_t e = 0; e < ref->count; e++)
        v[e] += damping * residual[e] / ref->entries[e * STARFISH_FLUX_REF_ENTRIES + STARFISH_FLUX_REF_DIAGONAL];
}

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

double starfish_flux_ref_along_line(const struct starfish_flux_ref *ref, int d, const double *x, size_t e)
{
    const double *entry = ref->entries + e * STARFISH_FLUX_REF_ENTRIES;
    double sum = entry[STARFISH_FLUX_REF_DIAGONAL] * x[e];
    size_t at[3], to[3];

    place(ref->n, e, at);
    for (int above = 0; above < 2; above++)
        if (neighbour(ref->n, ref->periodic, at, d, above, to))
            sum += entry[2 * d + above] * x[element(ref->n, to)];
    return sum;
}

/* One line as an arrow: rows 0 .. n-2 are tridiagonal but for the column `last` of unknown n-1, whose own row is
 * `bottom`. A cyclic line has entries at the ends of both; those of an open one are 0 there. */
struct arrow {
    size_t n;
    double *lower, *diag, *upper, *last, *bottom, *x;
};

static void read_line(const struct starfish_flux_ref *ref, int d, size_t first, size_t stride, struct arrow *a)
{
    for (size_t i = 0; i < a->n; i++) {
        const double *entry = ref->entries + (first + i * stride) * STARFISH_FLUX_REF_ENTRIES;
        const int open_below = i == 0 && !ref->periodic[d], open_above = i + 1 == a->n && !ref->periodic[d];
        a->lower[i] = open_below ? 0 : entry[2 * d];
        a->diag[i] = entry[STARFISH_FLUX_REF_DIAGONAL];
        a->upper[i] = open_above ? 0 : entry[2 * d + 1];
        a->last[i] = a->bottom[i] = 0;
    }
    const size_t end = a->n - 1;
    if (end == 0) {
        a->diag[0] += a->lower[0] + a->upper[0];
        return;
    }
    a->last[0] += a->lower[0];
    a->last[end - 1] += a->upper[end - 1];
    a->bottom[0] += a->upper[end];
    a->bottom[end - 1] += a->lower[end];
}

/* Gaussian elimination without interchanges: the line is diagonally dominant. */
static void solve_line(struct arrow *a)
{
    const size_t end = a->n - 1;

    for (size_t i = 0; i < end; i++) {
        const double next = i + 1 < end ? a->lower[i + 1] / a->diag[i] : 0, under = a->bottom[i] / a->diag[i];
        if (i + 1 < end) {
            a->diag[i + 1] -= next * a->upper[i];
            a->last[i + 1] -= next * a->last[i];
            a->x[i + 1] -= next * a->x[i];
            a->bottom[i + 1] -= under * a->upper[i];
        }
        a->diag[end] -= under * a->last[i];
        a->x[end] -= under * a->x[i];
    }
    a->x[end] /= a->diag[end];
    for (size_t i = end; i-- > 0;)
        a->x[i] = (a->x[i] - a->last[i] * a->x[end] - (i + 1 < end ? a->upper[i] * a->x[i + 1] : 0)) / a->diag[i];
}

int starfish_flux_ref_lines(const struct starfish_flux_ref *ref, int d, enum starfish_flux_lines_of which,
                            double damping, const double *f, double *v)
{
    const size_t n = ref->n[d], stride = d == 0 ? 1 : d == 1 ? ref->n[0] : ref->n[0] * ref->n[1];
    double *residual = malloc(ref->count * sizeof *residual), *line = malloc(6 * n * sizeof *line);
    struct arrow a = {n, line, line + n, line + 2 * n, line + 3 * n, line + 4 * n, line + 5 * n};
    const int ok = residual && line;
    size_t at[3];

    if (ok)
        starfish_flux_ref_residual(ref, v, f, residual);
    for (size_t e = 0; ok && e < ref->count; e++) {
        place(ref->n, e, at);
        const size_t odd = (at[0] + at[1] + at[2] - at[d]) % 2;
        if (at[d] > 0 || (which != STARFISH_FLUX_ALL_LINES && odd != (which == STARFISH_FLUX_ODD_LINES)))
            continue;
        read_line(ref, d, e, stride, &a);
        for (size_t i = 0; i < n; i++)
            a.x[i] = residual[e + i * stride];
        solve_line(&a);
        for (size_t i = 0; i < n; i++)
            v[e + i * stride] += damping * a.x[i];
    }
    free(residual);
    free(line);
    return ok ? 0 : -1;
}

/* ---- Transfers between two grids --------------------------------------------------------------------------------- */

enum { MOST_WEIGHTS = 4 };

/* Unknowns of the other grid, of `n` in a direction, with their weights. */
struct sources {
    size_t count, index[MOST_WEIGHTS];
    double weight[MOST_WEIGHTS];
};

/* Adds an unknown unless it leads out of the grid. */
static void add_source(struct sources *s, long index, size_t n, int periodic, double weight)
{
    const long size = (long)n;

    if (!periodic && (index < 0 || index >= size))
        return;
    s->index[s->count] = (size_t)((index + size) % size);
    s->weight[s->count++] = weight;
}

/* What coarse unknown I gathers from fine ones. */
static struct sources fine_of(const struct starfish_flux_transfer *t, size_t I)
{
    struct sources s = {.count = 0};

    if (t->fine == t->coarse)
        add_source(&s, (long)I, t->fine, t->periodic, 1);
    else
        for (int tap = 0; tap < 4; tap++)
            add_source(&s, 2 * (long)I - 1 + tap, t->fine, t->periodic, value(t->gather[tap], I));
    return s;
}

/* What fine unknown i takes from coarse ones. */
static struct sources coarse_of(const struct starfish_flux_transfer *t, size_t i)
{
    const long below = i == 0 ? -1 : ((long)i - 1) / 2;
    struct sources s = {.count = 0};

    if (t->fine == t->coarse)
        add_source(&s, (long)i, t->coarse, t->periodic, 1);
    else {
        add_source(&s, below, t->coarse, t->periodic, value(t->lower, i));
        add_source(&s, below + 1, t->coarse, t->periodic, value(t->upper, i));
    }
    return s;
}

/* The weighted sum over all combinations of sources, of an array of nx * ny * ... unknowns. */
static double weighted(const struct sources s[3], size_t nx, size_t ny, const double *array)
{
    double sum = 0;

    for (size_t c = 0; c < s[2].count; c++)
        for (size_t b = 0; b < s[1].count; b++)
            for (size_t a = 0; a < s[0].count; a++)
                sum += s[0].weight[a] * s[1].weight[b] * s[2].weight[c] *
                       array[s[0].index[a] + nx * (s[1].index[b] + ny * s[2].index[c])];
    return sum;
}

void starfish_flux_ref_restrict(const struct starfish_flux_transfer t[3], const double *fine, double *coarse)
{
    for (size_t K = 0; K < t[2].coarse; K++)
        for (size_t J = 0; J < t[1].coarse; J++)
            for (size_t I = 0; I < t[0].coarse; I++) {
                const struct sources s[3] = {fine_of(&t[0], I), fine_of(&t[1], J), fine_of(&t[2], K)};
                coarse[I + t[0].coarse * (J + t[1].coarse * K)] = weighted(s, t[0].fine, t[1].fine, fine);
            }
}

void starfish_flux_ref_prolong(const struct starfish_flux_transfer t[3], const double *coarse, double *fine)
{
    for (size_t k = 0; k < t[2].fine; k++)
        for (size_t j = 0; j < t[1].fine; j++)
            for (size_t i = 0; i < t[0].fine; i++) {
                const struct sources s[3] = {coarse_of(&t[0], i), coarse_of(&t[1], j), coarse_of(&t[2], k)};
                fine[i + t[0].fine * (j + t[1].fine * k)] += weighted(s, t[0].coarse, t[1].coarse, coarse);
            }
}

/* ---- Volumes ----------------------------------------------------------------------------------------------------- */

static double volume_of(const struct starfish_volumes *v, size_t e)
{
    size_t at[3];

    place(v->n, e, at);
    return value(v->weight[0], at[0]) * value(v->weight[1], at[1]) * value(v->weight[2], at[2]);
}

void starfish_weigh_ref(const struct starfish_weigh *a)
{
    const size_t plane = a->at.n[0] * a->at.n[1];
    double *result = a->result;

    for (size_t e = a->at.z0 * plane; e < a->at.z1 * plane; e++) {
        const double volume = volume_of(&a->at, e);
        result[e] =
            a->scale * value(a->v, e) * (a->weighs_values ? volume : 1) + a->offset * (a->weighs_offset ? volume : 1);
    }
}

double starfish_volume_sum_ref(const struct starfish_volume_sum *a)
{
    const size_t plane = a->at.n[0] * a->at.n[1];
    double sum = 0;

    for (size_t e = a->at.z0 * plane; e < a->at.z1 * plane; e++)
        sum += value(a->v, e) * (a->weighs_values ? volume_of(&a->at, e) : 1);
    return sum;
}
