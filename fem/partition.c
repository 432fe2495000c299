/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parts of a mesh (partition.h): recursive bisection of the coarse cells' centres, and the order of unknowns that
 * follows from it. */
#include "fem/partition.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct item {
    double middle[3], key;
    size_t cell;
};

static int compare(const void *a, const void *b)
{
    const struct item *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->cell < y->cell ? -1 : 1;
}

/* The direction in which the cells extend most becomes their key. */
static void set_keys(struct item *item, size_t count)
{
    double most = -1;
    int along = 0;

    for (int x = 0; x < 3; x++) {
        double low = item[0].middle[x], high = low;
        for (size_t i = 1; i < count; i++) {
            low = item[i].middle[x] < low ? item[i].middle[x] : low;
            high = item[i].middle[x] > high ? item[i].middle[x] : high;
        }
        along = high - low > most ? x : along;
        most = high - low > most ? high - low : most;
    }
    for (size_t i = 0; i < count; i++)
        item[i].key = item[i].middle[along];
}

/* Cells get the parts first .. first + parts - 1. At most as deep as there are parts. */
static void bisect(struct item *item, size_t count, size_t first, size_t parts, unsigned char *part)
{
    const size_t low = parts / 2, below = count * low / parts;

    if (parts == 1 || count == 0) {
        for (size_t i = 0; i < count; i++)
            part[item[i].cell] = (unsigned char)first;
        return;
    }
    set_keys(item, count);
    qsort(item, count, sizeof *item, compare);
    bisect(item, below, first, low, part);
    bisect(item + below, count - below, first + low, parts - low, part);
}

starfish_status starfish_fem_partition(const struct starfish_refined *mesh, size_t parts, unsigned char **part)
{
    struct item *item = malloc((mesh->cells + 1) * sizeof *item);

    *part = calloc(mesh->cells + 1, 1);
    if (!item || !*part) {
        free(item);
        free(*part);
        *part = NULL;
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for the parts of a mesh");
    }
    for (size_t c = 0; c < mesh->cells; c++) {
        item[c].cell = c;
        const double *point = mesh->point + 3 * (size_t)mesh->cell[c * mesh->lattice + mesh->lattice / 2];
        for (int x = 0; x < 3; x++)
            item[c].middle[x] = x < mesh->d ? point[x] : 0;
    }
    bisect(item, mesh->cells, 0, parts, *part);
    free(item);
    return STARFISH_SUCCESS;
}

/* The first part of all cells that an unknown is in. */
static void find_parts(const unsigned char *part, int refinements, const struct starfish_fem_space *space,
                       unsigned char *of)
{
    const struct starfish_refined *mesh = space->mesh;

    memset(of, UCHAR_MAX, space->unknowns);
    for (size_t c = 0; c < mesh->cells; c++)
        for (int n = 0; n < space->basis.count; n++) {
            const int unknown = space->unknown[mesh->cell[c * mesh->lattice + (size_t)space->basis.node[n]]];
            const unsigned char here = part[c >> (mesh->d * refinements)];
            if (unknown >= 0 && here < of[unknown])
                of[unknown] = here;
        }
}

starfish_status starfish_fem_partition_order(const unsigned char *part, int refinements, size_t parts,
                                             struct starfish_fem_space *space, size_t *first)
{
    unsigned char *of = malloc(space->unknowns + 1);
    int *new = malloc((space->unknowns + 1) * sizeof *new);
    size_t next = 0;

    if (!of || !new) {
        free(of);
        free(new);
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for the parts of a mesh");
    }
    find_parts(part, refinements, space, of);
    for (size_t p = 0; p < parts; p++) {
        first[p] = next;
        for (size_t i = 0; i < space->unknowns; i++)
            if (of[i] == p)
                new[i] = (int)next++;
    }
    first[parts] = next;
    for (size_t n = 0; n < space->nodes; n++)
        if (space->unknown[n] >= 0)
            space->unknown[n] = new[space->unknown[n]];
    free(of);
    free(new);
    return STARFISH_SUCCESS;
}

static size_t part_of(size_t parts, const size_t *first, int unknown)
{
    size_t p = 0;

    while (p + 1 < parts && (size_t)unknown >= first[p + 1])
        p++;
    return p;
}

/* Bit p of near[i]: unknown i is in a cell with one of part p. */
static void find_near(const struct starfish_fem_space *space, size_t parts, const size_t *first, unsigned *near)
{
    const struct starfish_refined *mesh = space->mesh;

    for (size_t c = 0; c < mesh->cells; c++) {
        const int *cell = mesh->cell + c * mesh->lattice;
        unsigned here = 0;
        for (int n = 0; n < space->basis.count; n++)
            if (space->unknown[cell[space->basis.node[n]]] >= 0)
                here |= 1U << part_of(parts, first, space->unknown[cell[space->basis.node[n]]]);
        for (int n = 0; n < space->basis.count && (here & (here - 1)); n++)
            if (space->unknown[cell[space->basis.node[n]]] >= 0)
                near[space->unknown[cell[space->basis.node[n]]]] |= here;
    }
}

starfish_status starfish_fem_partition_rim(const struct starfish_fem_space *space, size_t parts, const size_t *first,
                                           double *rim)
{
    unsigned *near = calloc(space->unknowns + 1, sizeof *near);

    *rim = 0;
    STARFISH_FAIL_IF(!near, STARFISH_ERROR_MEMORY, "out of memory for the parts of a mesh");
    find_near(space, parts, first, near);
    for (size_t p = 0; p < parts; p++) {
        double count = 0;
        for (size_t i = 0; i < space->unknowns; i++)
            count += (i < first[p] || i >= first[p + 1]) && (near[i] >> p & 1);
        *rim = fmax(*rim, count / (double)(first[p + 1] - first[p]));
    }
    free(near);
    return STARFISH_SUCCESS;
}
