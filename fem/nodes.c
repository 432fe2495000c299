/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbering of the edges, faces and cells of the input mesh, identified by their vertices: one hash table per
 * dimension, with open addressing. Bound by look-ups, 4 per quadrilateral and 18 per hexahedron. */
#include "fem/refined.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* What has these vertices: two, or the least three of four. */
struct thing {
    int vertex[3], node; /* node 0: nothing is here */
};

struct table {
    struct thing *at;
    size_t room, count; /* room: a power of two */
};

static size_t hash_of(const int vertex[3])
{
    size_t hash = (size_t)vertex[0] * 0x9e3779b97f4a7c15u;

    hash = (hash ^ (hash >> 29) ^ (size_t)vertex[1]) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ (hash >> 32) ^ (size_t)(vertex[2] + 1)) * 0x94d049bb133111ebu;
    return hash ^ (hash >> 31);
}

static struct thing *find(const struct table *table, const int vertex[3])
{
    size_t at = hash_of(vertex) & (table->room - 1);

    while (table->at[at].node != 0 && memcmp(table->at[at].vertex, vertex, sizeof table->at[at].vertex) != 0)
        at = (at + 1) & (table->room - 1);
    return &table->at[at];
}

static starfish_status create(struct table *table, size_t room)
{
    *table = (struct table){.room = 64};
    while (table->room < room)
        table->room *= 2;
    table->at = calloc(table->room, sizeof *table->at);
    return STARFISH_OR_FAIL(table->at, STARFISH_ERROR_MEMORY, "out of memory for a mesh");
}

static starfish_status grow(struct table *table)
{
    struct table larger;

    STARFISH_TRY(create(&larger, 2 * table->room));
    for (size_t i = 0; i < table->room; i++)
        if (table->at[i].node != 0)
            *find(&larger, table->at[i].vertex) = table->at[i];
    larger.count = table->count;
    free(table->at);
    *table = larger;
    return STARFISH_SUCCESS;
}

/* The node in the middle of what has the vertices; a new one is the next. */
static starfish_status node_of(struct table *table, const int vertex[3], size_t *next, int *node)
{
    if (3 * table->count > 2 * table->room)
        STARFISH_TRY(grow(table));
    struct thing *thing = find(table, vertex);
    if (thing->node == 0) {
        memcpy(thing->vertex, vertex, sizeof thing->vertex);
        thing->node = (int)(*next)++ + 1;
        table->count++;
    }
    *node = thing->node - 1;
    return STARFISH_SUCCESS;
}

/* The least three vertices, sorted; -1 where there are two. */
static void key_of(const struct starfish_refined *mesh, const int *cell, int l, int key[3])
{
    int place[3], vertex[4] = {0}, count = 0;

    starfish_lattice_place(l, place);
    const unsigned char on[3] = {(unsigned char)place[0], (unsigned char)place[1], (unsigned char)place[2]};
    for (int c = 0; c < (int)mesh->lattice; c++)
        if (starfish_lattice_dimension(c) == 0 && starfish_lattice_on(c, mesh->d, on)) {
            int at = count++;
            for (; at > 0 && vertex[at - 1] > cell[c]; at--)
                vertex[at] = vertex[at - 1];
            vertex[at] = cell[c];
        }
    for (int i = 0; i < 3; i++)
        key[i] = i < count && (count == 4 || i < 2) ? vertex[i] : -1;
}

/* Edges, then faces. */
static starfish_status number_dimension(struct starfish_refined *mesh, int dimension, size_t *next)
{
    struct table table;
    starfish_status status = create(&table, 2 * mesh->cells * (size_t)mesh->d);

    for (size_t c = 0; c < mesh->cells && status == STARFISH_SUCCESS; c++) {
        int *cell = mesh->cell + c * mesh->lattice;
        for (int l = 0; l < (int)mesh->lattice && status == STARFISH_SUCCESS; l++)
            if (starfish_lattice_dimension(l) == dimension) {
                int key[3];
                key_of(mesh, cell, l, key);
                status = node_of(&table, key, next, &cell[l]);
            }
        if (*next > INT_MAX - 64)
            status = starfish_fail(STARFISH_ERROR_UNSUPPORTED, "problem.refinements: more than 2^31 nodes");
    }
    free(table.at);
    return status;
}

starfish_status starfish_refined_number(struct starfish_refined *mesh)
{
    const size_t middle = mesh->lattice / 2;
    size_t next = mesh->vertices;

    if (mesh->vertices > INT_MAX / 2 || mesh->cells > INT_MAX / 2)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "problem.refinements: more than 2^31 nodes");
    for (int dimension = 1; dimension < mesh->d; dimension++) {
        mesh->first[dimension] = next;
        STARFISH_TRY(number_dimension(mesh, dimension, &next));
    }
    mesh->first[mesh->d] = next;
    for (size_t c = 0; c < mesh->cells; c++)
        mesh->cell[c * mesh->lattice + middle] = (int)next++;
    mesh->nodes = mesh->first[mesh->d + 1] = next;
    mesh->point = calloc(3 * mesh->nodes + 1, sizeof *mesh->point);
    return STARFISH_OR_FAIL(mesh->point, STARFISH_ERROR_MEMORY, "out of memory for a mesh");
}
