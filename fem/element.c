/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reference elements (element.h): values and slopes of the products of Lagrange polynomials, and the geometry's map at
 * a point. */
#include "fem/element.h"

#include <stdlib.h>
#include <string.h>

void starfish_fem_basis_of(starfish_fem_element element, int d, struct starfish_fem_basis *basis)
{
    const int lattice = d == 2 ? 9 : 27;

    *basis = (struct starfish_fem_basis){.element = element, .d = d};
    for (int l = 0; l < lattice; l++)
        if (element == STARFISH_FEM_Q2 || starfish_lattice_dimension(l) == 0)
            basis->node[basis->count++] = l;
}

/* The polynomial of node `place` of one direction, and its derivative. */
static void polynomial(starfish_fem_element element, int place, double t, double *value, double *slope)
{
    if (element == STARFISH_FEM_Q1) {
        *value = place == 0 ? 1 - t / 2 : t / 2;
        *slope = place == 0 ? -0.5 : 0.5;
    } else if (place == 1) {
        *value = t * (2 - t);
        *slope = 2 - 2 * t;
    } else {
        const double other = place == 0 ? 2 : 0;
        *value = (t - 1) * (t - other) / 2;
        *slope = (2 * t - 1 - other) / 2;
    }
}

void starfish_fem_evaluate(const struct starfish_fem_basis *basis, const double t[3], double *value, double *slope)
{
    for (int n = 0; n < basis->count; n++) {
        double v[3] = {1, 1, 1}, s[3] = {0, 0, 0};
        int place[3];
        starfish_lattice_place(basis->node[n], place);
        for (int i = 0; i < 3 && i < basis->d; i++)
            polynomial(basis->element, place[i], t[i], &v[i], &s[i]);
        value[n] = v[0] * v[1] * v[2];
        for (int i = 0; slope && i < 3; i++)
            slope[3 * n + i] = s[i] * v[(i + 1) % 3] * v[(i + 2) % 3];
    }
}

/* Gauss points and weights on [0,2]. */
static void gauss_points(int count, double *t, double *weight)
{
    static const struct {
        double t, weight;
    } half[STARFISH_FEM_GAUSS][2] = {
        {{0, 2}},
        {{0.57735026918962576451, 1}},
        {{0.77459666924148337704, 0.55555555555555555556}, {0, 0.88888888888888888889}},
        {{0.86113631159405257522, 0.34785484513745385737}, {0.33998104358485626480, 0.65214515486254614263}}};

    for (int i = 0; i < count; i++) {
        const int at = i < count - 1 - i ? i : count - 1 - i;
        t[i] = 1 + (i < count - 1 - i ? -1 : 1) * half[count - 1][at].t;
        weight[i] = half[count - 1][at].weight;
    }
}

starfish_status starfish_fem_rule_create(starfish_fem_element element, int d, int gauss,
                                         struct starfish_fem_rule **created)
{
    struct starfish_fem_rule *rule = calloc(1, sizeof *rule);
    double t[STARFISH_FEM_GAUSS] = {0}, weight[STARFISH_FEM_GAUSS] = {0};

    *created = rule;
    STARFISH_FAIL_IF(!rule, STARFISH_ERROR_MEMORY, "out of memory for an element");
    starfish_fem_basis_of(element, d, &rule->basis);
    starfish_fem_basis_of(STARFISH_FEM_Q2, d, &rule->geometry);
    gauss_points(gauss, t, weight);
    for (int k = 0; k < (d == 3 ? gauss : 1); k++)
        for (int j = 0; j < gauss; j++)
            for (int i = 0; i < gauss; i++) {
                struct starfish_fem_at *at = &rule->at[rule->points++];
                const double point[3] = {t[i], t[j], t[k]};
                at->weight = weight[i] * weight[j] * (d == 3 ? weight[k] : 1);
                starfish_fem_evaluate(&rule->basis, point, at->value, at->slope);
                starfish_fem_evaluate(&rule->geometry, point, at->map, at->map_slope);
            }
    return STARFISH_SUCCESS;
}

/* In 2D the third direction is left as it is. */
void starfish_fem_map_at(const struct starfish_refined *mesh, size_t cell, const double *map, const double *map_slope,
                         struct starfish_fem_map *result)
{
    const int *node = mesh->cell + cell * mesh->lattice;
    double j[3][3] = {{0}}; /* [coordinate][reference direction] */

    memset(result, 0, sizeof *result);
    j[2][2] = mesh->d == 2;
    for (size_t n = 0; n < mesh->lattice; n++)
        for (int x = 0; x < mesh->d; x++) {
            const double coordinate = mesh->point[3 * (size_t)node[n] + (size_t)x];
            result->point[x] += map[n] * coordinate;
            for (int r = 0; r < mesh->d; r++)
                j[x][r] += map_slope[3 * n + (size_t)r] * coordinate;
        }
    for (int x = 0; x < 3; x++)
        for (int r = 0; r < 3; r++)
            result->inverse[x][r] = j[(x + 1) % 3][(r + 1) % 3] * j[(x + 2) % 3][(r + 2) % 3] -
                                    j[(x + 1) % 3][(r + 2) % 3] * j[(x + 2) % 3][(r + 1) % 3];
    for (int r = 0; r < 3; r++)
        result->determinant += j[0][r] * result->inverse[0][r];
    for (int x = 0; x < 3; x++)
        for (int r = 0; r < 3; r++)
            result->inverse[x][r] /= result->determinant;
}
