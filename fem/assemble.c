/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Assembly by quadrature, on all cores. The pattern is that of B^T B, where B says which unknowns are in which cell.
 * Bound by the look-ups of entries in 2D, by the arithmetic of the quadrature in 3D. */
#include "fem/space.h"

#include "scheduler/runtime/host_loop.h"
#include "sparse/build.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 8192, FEW_CELLS = 64, BATCH_BYTES = 1 << 25, RUN = 32 };

static int unknown_of(const struct starfish_fem_space *space, size_t cell, int n)
{
    return space->unknown[space->mesh->cell[cell * space->mesh->lattice + (size_t)space->basis.node[n]]];
}

/* ---- The pattern ------------------------------------------------------------------------------------------------- */

/* The cells of each unknown whose row is wanted: those of unknown i from start[i] on. */
struct incidence {
    const struct starfish_fem_space *space;
    const unsigned char *rows;
    int *start, *cell;
};

static int is_wanted(const unsigned char *rows, int unknown)
{
    return unknown >= 0 && (!rows || rows[unknown]);
}

/* Each occurrence of an unknown in cells first .. last-1 takes a place behind start[unknown + 1], or counts. */
static void visit_cells(const struct incidence *b, size_t first, size_t last)
{
    for (size_t c = first; c < last; c++)
        for (int n = 0; n < b->space->basis.count; n++) {
            const int unknown = unknown_of(b->space, c, n);
            if (!is_wanted(b->rows, unknown))
                continue;
            const int at = __atomic_fetch_add(&b->start[unknown + 1], 1, __ATOMIC_RELAXED);
            if (b->cell)
                b->cell[at] = (int)c;
        }
}

static void visit(void *data, size_t first, size_t last)
{
    visit_cells(data, first, last);
}

/* Lists of cells are in any order: rows that are made of them are sorted. start[i + 1] is where list i begins until all
 * are filled, and then where it ends. */
static starfish_status list_cells(struct incidence *b)
{
    const size_t n = b->space->unknowns;
    size_t entries = 0;

    b->start = calloc(n + 2, sizeof *b->start);
    STARFISH_FAIL_IF(!b->start, STARFISH_ERROR_MEMORY, "out of memory for the pattern of a matrix");
    starfish_host_loop(b->space->mesh->cells, CELLS, visit, b);
    for (size_t i = 0; i < n; i++) {
        const size_t here = (size_t)b->start[i + 1];
        b->start[i + 1] = (int)entries;
        entries += here;
    }
    STARFISH_FAIL_IF(entries > INT_MAX, STARFISH_ERROR_UNSUPPORTED, "a matrix would have more than 2^31 - 1 entries");
    b->cell = malloc((entries + 1) * sizeof *b->cell);
    STARFISH_FAIL_IF(!b->cell, STARFISH_ERROR_MEMORY, "out of memory for the pattern of a matrix");
    starfish_host_loop(b->space->mesh->cells, CELLS, visit, b);
    return STARFISH_SUCCESS;
}

static size_t most_neighbours(const void *data, size_t i)
{
    const struct incidence *b = data;

    return (size_t)(b->start[i + 1] - b->start[i]) * (size_t)b->space->basis.count;
}

static void find_neighbours(const void *data, size_t i, struct starfish_csr_row *row)
{
    const struct incidence *b = data;

    for (int k = b->start[i]; k < b->start[i + 1]; k++)
        for (int n = 0; n < b->space->basis.count; n++) {
            const int unknown = unknown_of(b->space, (size_t)b->cell[k], n);
            if (unknown >= 0)
                starfish_csr_add(row, unknown, 0);
        }
}

starfish_status starfish_fem_pattern(const struct starfish_fem_space *space, const unsigned char *rows,
                                     struct starfish_csr *a)
{
    struct incidence b = {space, rows, NULL, NULL};
    const struct starfish_csr_source source = {space->unknowns, space->unknowns, most_neighbours, find_neighbours, &b};

    *a = (struct starfish_csr){.rows = 0};
    starfish_status status = list_cells(&b);
    STARFISH_THEN(status, starfish_csr_build(&source, a));
    free(b.start);
    free(b.cell);
    return status;
}

/* ---- A cell ------------------------------------------------------------------------------------------------------ */

/* a: count x count, count being that of the basis. determinant: of the cell's map where that is not positive, else 1.
 */
struct element {
    double *a, *load, *volume, *determinant;
};

static size_t element_size(const struct starfish_fem_space *space)
{
    const size_t count = (size_t)space->basis.count;

    return count * (count + 2) + 1;
}

static void add_point(const struct starfish_fem_problem *problem, const struct starfish_fem_rule *rule, int point,
                      const struct starfish_fem_map *map, const struct element *e)
{
    const struct starfish_fem_at *at = &rule->at[point];
    const double weight = at->weight * map->determinant;
    const double f = problem->source ? problem->source(problem->source_data, map->point) : problem->rhs;
    const int count = rule->basis.count;
    double slope[STARFISH_FEM_LATTICE][3];

    for (int n = 0; n < count; n++) {
        const double *s = at->slope + 3 * n;
        for (int x = 0; x < 3; x++)
            slope[n][x] = map->inverse[x][0] * s[0] + map->inverse[x][1] * s[1] + map->inverse[x][2] * s[2];
        e->load[n] += weight * f * at->value[n];
        e->volume[n] += weight * at->value[n];
    }
    for (int n = 0; n < count; n++)
        for (int m = 0; m <= n; m++)
            e->a[n * count + m] +=
                weight * (slope[n][0] * slope[m][0] + slope[n][1] * slope[m][1] + slope[n][2] * slope[m][2]);
}

static void integrate(const struct starfish_fem_problem *problem, const struct starfish_fem_space *space,
                      const struct starfish_fem_rule *rule, size_t cell, const struct element *e)
{
    const int count = rule->basis.count;

    memset(e->a, 0, element_size(space) * sizeof *e->a);
    for (int point = 0; point < rule->points; point++) {
        struct starfish_fem_map map;
        starfish_fem_map_at(space->mesh, cell, rule->at[point].map, rule->at[point].map_slope, &map);
        *e->determinant = map.determinant > 0 ? 1 : map.determinant;
        if (!(map.determinant > 0))
            return;
        add_point(problem, rule, point, &map, e);
    }
    for (int n = 0; n < count; n++)
        for (int m = 0; m < n; m++)
            e->a[m * count + n] = e->a[n * count + m];
}

/* ---- All cells --------------------------------------------------------------------------------------------------- */

/* Cells are integrated in batches, by one thread where the user's function is called; then each core adds what is in
 * its rows, cell by cell, so that sums do not depend on who was first. Rows are dealt out in short runs, as a batch has
 * neighbouring ones. */
struct assembling {
    const struct starfish_fem_problem *problem;
    const struct starfish_fem_space *space;
    struct starfish_fem_rule *rule;
    const unsigned char *rows;
    const struct starfish_fem_sums *sums;
    double *batch;
    size_t room, first, last; /* cells of a batch, and of this one */
    size_t cores;
};

static struct element element_of(const struct assembling *s, size_t cell)
{
    const size_t count = (size_t)s->space->basis.count;
    double *a = s->batch + (cell - s->first) * element_size(s->space);

    return (struct element){a, a + count * count, a + count * count + count, a + count * count + 2 * count};
}

static int has_wanted_rows(const struct assembling *s, size_t cell)
{
    for (int n = 0; s->rows && n < s->space->basis.count; n++)
        if (is_wanted(s->rows, unknown_of(s->space, cell, n)))
            return 1;
    return !s->rows;
}

static void integrate_cells(void *data, size_t first, size_t last)
{
    const struct assembling *s = data;

    for (size_t k = first; k < last; k++) {
        const struct element e = element_of(s, s->first + k);
        *e.determinant = 1;
        if (has_wanted_rows(s, s->first + k))
            integrate(s->problem, s->space, s->rule, s->first + k, &e);
    }
}

static void add_row(const struct assembling *s, size_t cell, int n, size_t row)
{
    const struct starfish_fem_space *space = s->space;
    const struct element e = element_of(s, cell);
    const int *node = space->mesh->cell + cell * space->mesh->lattice;
    const struct starfish_csr *a = s->sums->a;
    double *load = s->sums->load, *volume = s->sums->volume;

    if (load)
        load[row] += e.load[n];
    if (volume)
        volume[row] += e.volume[n];
    for (int m = 0; m < space->basis.count; m++) {
        const int column = space->unknown[node[space->basis.node[m]]];
        if (column >= 0)
            a->value[starfish_csr_find(a, row, (size_t)column)] += e.a[n * space->basis.count + m];
        else if (load)
            load[row] -= e.a[n * space->basis.count + m] * space->given[node[space->basis.node[m]]];
    }
}

static void scatter(void *data, size_t core, size_t behind)
{
    const struct assembling *s = data;

    (void)behind;
    for (size_t c = s->first; c < s->last; c++)
        for (int n = 0; n < s->space->basis.count; n++) {
            const int row = unknown_of(s->space, c, n);
            if (is_wanted(s->rows, row) && (size_t)row / RUN % s->cores == core)
                add_row(s, c, n, (size_t)row);
        }
}

static starfish_status add_cells(struct assembling *s)
{
    const size_t cells = s->space->mesh->cells;

    for (s->first = 0; s->first < cells; s->first = s->last) {
        s->last = s->first + s->room < cells ? s->first + s->room : cells;
        starfish_host_loop(s->last - s->first, s->problem->source ? s->room : FEW_CELLS, integrate_cells, s);
        for (size_t c = s->first; c < s->last; c++)
            STARFISH_REFUSE_IF(!(*element_of(s, c).determinant > 0),
                               "element %zu is inverted after %d refinements: the determinant of its map is %.3g",
                               starfish_refined_origin(s->problem, s->space->mesh, c), s->space->mesh->level,
                               *element_of(s, c).determinant);
        starfish_host_loop(s->cores, 1, scatter, s);
    }
    return STARFISH_SUCCESS;
}

starfish_status starfish_fem_assemble(const struct starfish_fem_problem *problem,
                                      const struct starfish_fem_space *space, const unsigned char *rows,
                                      const struct starfish_fem_sums *sums)
{
    struct assembling s = {.problem = problem,
                           .space = space,
                           .rows = rows,
                           .sums = sums,
                           .cores = space->mesh->cells < CELLS ? 1 : starfish_host_cores()};

    STARFISH_TRY(starfish_fem_pattern(space, rows, sums->a));
    STARFISH_TRY(starfish_fem_rule_create(problem->element, space->mesh->d, problem->element == STARFISH_FEM_Q1 ? 2 : 3,
                                          &s.rule));
    s.room = BATCH_BYTES / (element_size(space) * sizeof *s.batch);
    s.room = space->mesh->cells < s.room ? space->mesh->cells : s.room;
    s.batch = malloc(s.room * element_size(space) * sizeof *s.batch);
    const starfish_status status =
        s.batch ? add_cells(&s) : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for elements");
    free(s.batch);
    free(s.rule);
    return status;
}
