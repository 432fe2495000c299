/* Assembly by quadrature. The pattern is that of B^T B, where B says which unknowns are in which cell. Bound by the
 * look-ups of entries in 2D, by the arithmetic of the quadrature in 3D. */
#include "fem/space.h"

#include <stdlib.h>
#include <string.h>

static int unknown_of(const struct starfish_fem_space *space, size_t cell, int n)
{
    return space->unknown[space->mesh->cell[cell * space->mesh->lattice + (size_t)space->basis.node[n]]];
}

static starfish_status incidence(const struct starfish_fem_space *space, struct starfish_csr *b)
{
    size_t entries = 0;

    for (size_t c = 0; c < space->mesh->cells; c++)
        for (int n = 0; n < space->basis.count; n++)
            entries += unknown_of(space, c, n) >= 0;
    STARFISH_TRY(starfish_csr_create(b, space->mesh->cells, space->unknowns, entries));
    for (size_t c = 0; c < space->mesh->cells; c++) {
        int at = b->start[c];
        for (int n = 0; n < space->basis.count; n++)
            if (unknown_of(space, c, n) >= 0) {
                b->column[at] = unknown_of(space, c, n);
                b->value[at++] = 1;
            }
        b->start[c + 1] = at;
    }
    return STARFISH_SUCCESS;
}

starfish_status starfish_fem_pattern(const struct starfish_fem_space *space, struct starfish_csr *a)
{
    struct starfish_csr b, transposed = {.rows = 0};

    *a = (struct starfish_csr){.rows = 0};
    STARFISH_TRY(incidence(space, &b));
    starfish_status status = starfish_csr_transpose(&b, &transposed);
    if (status == STARFISH_SUCCESS)
        status = starfish_csr_product(&transposed, NULL, &b, a);
    starfish_csr_destroy(&b);
    starfish_csr_destroy(&transposed);
    return status;
}

/* ---- A cell ------------------------------------------------------------------------------------------------------ */

struct element_matrix {
    double a[STARFISH_FEM_LATTICE][STARFISH_FEM_LATTICE], load[STARFISH_FEM_LATTICE], volume[STARFISH_FEM_LATTICE];
};

static void add_point(const struct starfish_fem_problem *problem, const struct starfish_fem_rule *rule, int point,
                      const struct starfish_fem_map *map, struct element_matrix *e)
{
    const struct starfish_fem_at *at = &rule->at[point];
    const double weight = at->weight * map->determinant;
    const double f = problem->source ? problem->source(problem->source_data, map->point) : problem->rhs;
    double slope[STARFISH_FEM_LATTICE][3];

    for (int n = 0; n < rule->basis.count; n++) {
        const double *s = at->slope + 3 * n;
        for (int x = 0; x < 3; x++)
            slope[n][x] = map->inverse[x][0] * s[0] + map->inverse[x][1] * s[1] + map->inverse[x][2] * s[2];
        e->load[n] += weight * f * at->value[n];
        e->volume[n] += weight * at->value[n];
    }
    for (int n = 0; n < rule->basis.count; n++)
        for (int m = 0; m <= n; m++)
            e->a[n][m] += weight * (slope[n][0] * slope[m][0] + slope[n][1] * slope[m][1] + slope[n][2] * slope[m][2]);
}

static starfish_status integrate(const struct starfish_fem_problem *problem, const struct starfish_fem_space *space,
                                 const struct starfish_fem_rule *rule, size_t cell, struct element_matrix *e)
{
    memset(e, 0, sizeof *e);
    for (int point = 0; point < rule->points; point++) {
        struct starfish_fem_map map;
        starfish_fem_map_at(space->mesh, cell, rule->at[point].map, rule->at[point].map_slope, &map);
        if (!(map.determinant > 0))
            return starfish_fail(STARFISH_ERROR_ARGUMENT,
                                 "element %zu is inverted after %d refinements: the determinant of its map is %.3g",
                                 starfish_refined_origin(problem, space->mesh, cell), space->mesh->level,
                                 map.determinant);
        add_point(problem, rule, point, &map, e);
    }
    for (int n = 0; n < rule->basis.count; n++)
        for (int m = 0; m < n; m++)
            e->a[m][n] = e->a[n][m];
    return STARFISH_SUCCESS;
}

/* ---- All cells --------------------------------------------------------------------------------------------------- */

struct sums {
    struct starfish_csr *a;
    double *load, *volume;
};

static void scatter(const struct starfish_fem_space *space, size_t cell, const struct element_matrix *e,
                    const struct sums *sums)
{
    const int *node = space->mesh->cell + cell * space->mesh->lattice;

    for (int n = 0; n < space->basis.count; n++) {
        const int row = unknown_of(space, cell, n);
        if (row < 0)
            continue;
        if (sums->load)
            sums->load[row] += e->load[n];
        if (sums->volume)
            sums->volume[row] += e->volume[n];
        for (int m = 0; m < space->basis.count; m++) {
            const int column = unknown_of(space, cell, m);
            if (column >= 0)
                sums->a->value[starfish_csr_find(sums->a, (size_t)row, (size_t)column)] += e->a[n][m];
            else if (sums->load)
                sums->load[row] -= e->a[n][m] * space->given[node[space->basis.node[m]]];
        }
    }
}

static starfish_status add_cells(const struct starfish_fem_problem *problem, const struct starfish_fem_space *space,
                                 const struct sums *sums)
{
    struct starfish_fem_rule *rule;
    struct element_matrix *e = malloc(sizeof *e);
    starfish_status status =
        starfish_fem_rule_create(problem->element, space->mesh->d, problem->element == STARFISH_FEM_Q1 ? 2 : 3, &rule);

    if (!e)
        status = starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for an element");
    for (size_t c = 0; c < space->mesh->cells && status == STARFISH_SUCCESS; c++) {
        status = integrate(problem, space, rule, c, e);
        if (status == STARFISH_SUCCESS)
            scatter(space, c, e, sums);
    }
    free(rule);
    free(e);
    return status;
}

starfish_status starfish_fem_assemble(const struct starfish_fem_problem *problem,
                                      const struct starfish_fem_space *space, struct starfish_csr *a, double *load,
                                      double *volume)
{
    const struct sums sums = {a, load, volume};

    STARFISH_TRY(starfish_fem_pattern(space, a));
    memset(a->value, 0, starfish_csr_entries(a) * sizeof *a->value);
    for (size_t i = 0; i < space->unknowns; i++) {
        if (load)
            load[i] = 0;
        if (volume)
            volume[i] = 0;
    }
    return add_cells(problem, space, &sums);
}
