/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The refinement of a mesh: cells cut into 2^d, nodes numbered and placed, on all cores and without look-ups by
 * vertices.
 *
 * A lattice node of a child lies in the middle of an edge, face or cell of the fine mesh. That is known by two lattice
 * nodes of the parent: `middle`, the middle of the smallest part of the parent that the fine one lies in, and `end`,
 * where that part's boundary is nearest in the directions in which the fine one extends. Of all fine ones in the same
 * part the rank of `end` by node numbers tells which it is, from whatever parent the part is seen. So each has a key,
 * and keys have no gaps. Numbers are given in the order of cells: the first cell that has a node numbers and places it.
 * Bound by memory. */
#include "fem/element.h"

#include "scheduler/runtime/host_loop.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 4096, MOST_ENDS = 12 };

/* A lattice node of a child, in lattice nodes of the parent. */
struct child_node {
    int dimension, vertex; /* vertex: where it is, dimension 0 alone */
    int middle, middle_dimension, end, ends, all_ends[MOST_ENDS];
    int weights, from[STARFISH_FEM_LATTICE]; /* the geometry's functions that are not 0 there */
    double weight[STARFISH_FEM_LATTICE];
};

struct refining {
    const struct starfish_refined *coarse;
    struct starfish_refined *mesh;
    struct child_node node[STARFISH_FEM_CORNERS][STARFISH_FEM_LATTICE];
    int dimension;        /* that is numbered now */
    size_t base[4];       /* the first key, by the dimension of `middle` */
    atomic_size_t *owner; /* by key: cell * lattice + lattice node that has it first */
    int *number;          /* by key */
    size_t *new_nodes;    /* by run of cells: how many, then the number of the first */
};

/* ---- Children in the lattice of their parent --------------------------------------------------------------------- */

static int lattice_node(const int place[3])
{
    return place[0] + 3 * place[1] + 9 * place[2];
}

static void list_ends(int d, int dimension, const int middle[3], struct child_node *node)
{
    const unsigned char on[3] = {(unsigned char)middle[0], (unsigned char)middle[1], (unsigned char)middle[2]};

    for (int l = 0; l < (d == 2 ? 9 : 27); l++)
        if (starfish_lattice_on(l, d, on) && starfish_lattice_dimension(l) == dimension)
            node->all_ends[node->ends++] = l;
}

static void describe_weights(int d, int child, int l, struct child_node *node)
{
    struct starfish_fem_basis geometry;
    double value[STARFISH_FEM_LATTICE] = {0};
    int place[3];

    starfish_lattice_place(l, place);
    const double t[3] = {(child & 1) + 0.5 * place[0], (child >> 1 & 1) + 0.5 * place[1],
                         (child >> 2) + 0.5 * place[2]};
    starfish_fem_basis_of(STARFISH_FEM_Q2, d, &geometry);
    starfish_fem_evaluate(&geometry, t, value, NULL);
    for (int n = 0; n < geometry.count; n++)
        if (value[n] != 0) {
            node->from[node->weights] = n;
            node->weight[node->weights++] = value[n];
        }
}

static void describe(int d, int child, int l, struct child_node *node)
{
    int place[3] = {0, 0, 0}, middle[3] = {0, 0, 0}, end[3] = {0, 0, 0};

    memset(node, 0, sizeof *node);
    starfish_lattice_place(l, place);
    for (int i = 0; i < d && i < 3; i++) {
        const int fifth = 2 * (child >> i & 1) + place[i]; /* place in the parent, 0 .. 4 */
        middle[i] = fifth % 2 ? 1 : fifth / 2;
        end[i] = fifth % 2 ? fifth / 2 * 2 : fifth / 2; /* 1: 0, 3: 2 */
    }
    node->dimension = starfish_lattice_dimension(l);
    node->vertex = node->middle = lattice_node(middle);
    node->middle_dimension = starfish_lattice_dimension(node->middle);
    node->end = lattice_node(end);
    if (node->dimension > 0 && node->dimension < d)
        list_ends(d, starfish_lattice_dimension(node->end), middle, node);
    describe_weights(d, child, l, node);
}

/* ---- Cells ------------------------------------------------------------------------------------------------------- */

static const int *parent_of(const struct refining *r, size_t cell)
{
    return r->coarse->cell + (cell >> r->mesh->d) * r->coarse->lattice;
}

static const struct child_node *nodes_of(const struct refining *r, size_t cell)
{
    return r->node[cell & (((size_t)1 << r->mesh->d) - 1)];
}

/* Corners of children are lattice nodes of their parents, and middles of cells are numbered as cells are. */
static void cut_cells(void *data, size_t first, size_t last)
{
    const struct refining *r = data;
    const size_t lattice = r->mesh->lattice;

    for (size_t c = first; c < last; c++)
        for (size_t l = 0; l < lattice; l++) {
            const struct child_node *node = &nodes_of(r, c)[l];
            if (node->dimension == 0)
                r->mesh->cell[c * lattice + l] = parent_of(r, c)[node->vertex];
        }
}

/* ---- Keys -------------------------------------------------------------------------------------------------------- */

static size_t key_of(const struct refining *r, const int *parent, const struct child_node *node)
{
    const size_t part = (size_t)parent[node->middle] - r->coarse->first[node->middle_dimension];
    const int end = parent[node->end];
    size_t rank = 0;

    for (int k = 0; k < node->ends; k++)
        rank += parent[node->all_ends[k]] < end;
    return r->base[node->middle_dimension] + part * (size_t)node->ends + rank;
}

/* The least of what all threads bring. */
static void lower(atomic_size_t *least, size_t value)
{
    size_t seen = atomic_load_explicit(least, memory_order_relaxed);

    while (value < seen &&
           !atomic_compare_exchange_weak_explicit(least, &seen, value, memory_order_relaxed, memory_order_relaxed))
        continue;
}

static void find_keys(void *data, size_t first, size_t last)
{
    const struct refining *r = data;
    const size_t lattice = r->mesh->lattice;

    for (size_t c = first; c < last; c++)
        for (size_t l = 0; l < lattice; l++) {
            const struct child_node *node = &nodes_of(r, c)[l];
            if (node->dimension != r->dimension)
                continue;
            const size_t key = key_of(r, parent_of(r, c), node);
            r->mesh->cell[c * lattice + l] = (int)key;
            lower(&r->owner[key], c * lattice + l);
        }
}

/* ---- Numbers and places ------------------------------------------------------------------------------------------ */

static void place_node(const struct refining *r, size_t cell, size_t l, size_t number)
{
    const struct child_node *node = &nodes_of(r, cell)[l];
    const int *parent = parent_of(r, cell);
    double *point = r->mesh->point + 3 * number;

    point[0] = point[1] = point[2] = 0;
    for (int n = 0; n < node->weights; n++)
        for (int i = 0; i < 3; i++)
            point[i] += node->weight[n] * r->coarse->point[3 * (size_t)parent[node->from[n]] + (size_t)i];
}

static int is_first(const struct refining *r, size_t cell, size_t l)
{
    const size_t at = cell * r->mesh->lattice + l;

    return nodes_of(r, cell)[l].dimension == r->dimension && r->owner[r->mesh->cell[at]] == at;
}

static void count_new(void *data, size_t first, size_t last)
{
    const struct refining *r = data;
    size_t count = 0;

    for (size_t c = first; c < last; c++)
        for (size_t l = 0; l < r->mesh->lattice; l++)
            count += (size_t)is_first(r, c, l);
    r->new_nodes[first / CELLS] = count;
}

static void number_new(void *data, size_t first, size_t last)
{
    const struct refining *r = data;
    const size_t lattice = r->mesh->lattice;
    size_t next = r->new_nodes[first / CELLS];

    for (size_t c = first; c < last; c++)
        for (size_t l = 0; l < lattice; l++)
            if (is_first(r, c, l)) {
                place_node(r, c, l, next);
                r->number[r->mesh->cell[c * lattice + l]] = (int)next++;
            }
}

static void take_numbers(void *data, size_t first, size_t last)
{
    const struct refining *r = data;
    const size_t lattice = r->mesh->lattice;

    for (size_t c = first; c < last; c++)
        for (size_t l = 0; l < lattice; l++)
            if (nodes_of(r, c)[l].dimension == r->dimension)
                r->mesh->cell[c * lattice + l] = r->number[r->mesh->cell[c * lattice + l]];
}

static void number_cells(void *data, size_t first, size_t last)
{
    const struct refining *r = data;
    const size_t lattice = r->mesh->lattice, middle = lattice / 2;

    for (size_t c = first; c < last; c++) {
        const size_t number = r->mesh->first[r->mesh->d] + c;
        r->mesh->cell[c * lattice + middle] = (int)number;
        place_node(r, c, middle, number);
    }
}

size_t starfish_refined_inside(int d, int dimension, int of)
{
    static const size_t in[4][4] = {{1, 1, 1, 1}, {0, 2, 4, 6}, {0, 0, 4, 12}, {0, 0, 0, 8}};

    return of <= d ? in[dimension][of] : 0;
}

/* Keys of fine edges or faces; how many there are. */
static size_t count_keys(struct refining *r, int dimension)
{
    const int d = r->mesh->d;
    size_t count = 0;

    r->dimension = dimension;
    for (int of = dimension; of <= d; of++) {
        r->base[of] = count;
        count += (r->coarse->first[of + 1] - r->coarse->first[of]) * starfish_refined_inside(d, dimension, of);
    }
    return count;
}

static starfish_status number_dimension(struct refining *r)
{
    const size_t cells = r->mesh->cells, runs = (cells + CELLS - 1) / CELLS;
    const size_t first = r->mesh->first[r->dimension], count = r->mesh->first[r->dimension + 1] - first;
    starfish_status status = STARFISH_SUCCESS;

    r->owner = malloc((count + 1) * sizeof *r->owner);
    r->number = malloc((count + 1) * sizeof *r->number);
    r->new_nodes = malloc((runs + 1) * sizeof *r->new_nodes);
    if (r->owner && r->number && r->new_nodes) {
        for (size_t key = 0; key < count; key++)
            atomic_init(&r->owner[key], SIZE_MAX);
        starfish_host_loop(cells, CELLS, find_keys, r);
        starfish_host_loop(cells, CELLS, count_new, r);
        for (size_t k = 0, next = first; k < runs; k++) {
            const size_t here = r->new_nodes[k];
            r->new_nodes[k] = next;
            next += here;
        }
        starfish_host_loop(cells, CELLS, number_new, r);
        starfish_host_loop(cells, CELLS, take_numbers, r);
    } else {
        status = starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a mesh");
    }
    free(r->owner);
    free(r->number);
    free(r->new_nodes);
    return status;
}

/* first[k]: the first node in the middle of something of dimension k. */
static starfish_status count_nodes(struct refining *r)
{
    struct starfish_refined *mesh = r->mesh;
    const int d = mesh->d;

    mesh->vertices = mesh->first[1] = r->coarse->nodes;
    for (int k = 1; k < d; k++)
        mesh->first[k + 1] = mesh->first[k] + count_keys(r, k);
    mesh->nodes = mesh->first[d + 1] = mesh->first[d] + mesh->cells;
    if (mesh->nodes > INT_MAX - 64)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "problem.refinements: more than 2^31 nodes");
    mesh->point = malloc((3 * mesh->nodes + 1) * sizeof *mesh->point);
    return STARFISH_OR_FAIL(mesh->point, STARFISH_ERROR_MEMORY, "out of memory for a mesh");
}

static starfish_status refine(struct refining *r)
{
    const int d = r->mesh->d;

    for (int child = 0; child < 1 << d; child++)
        for (int l = 0; l < (int)r->mesh->lattice; l++)
            describe(d, child, l, &r->node[child][l]);
    STARFISH_TRY(count_nodes(r));
    memcpy(r->mesh->point, r->coarse->point, 3 * r->coarse->nodes * sizeof *r->mesh->point);
    starfish_host_loop(r->mesh->cells, CELLS, cut_cells, r);
    for (int k = 1; k < d; k++) {
        count_keys(r, k);
        STARFISH_TRY(number_dimension(r));
    }
    starfish_host_loop(r->mesh->cells, CELLS, number_cells, r);
    return STARFISH_SUCCESS;
}

starfish_status starfish_refined_children(const struct starfish_refined *coarse, struct starfish_refined *mesh)
{
    struct refining *r = calloc(1, sizeof *r);

    STARFISH_FAIL_IF(!r, STARFISH_ERROR_MEMORY, "out of memory for a mesh");
    r->coarse = coarse;
    r->mesh = mesh;
    const starfish_status status = refine(r);
    free(r);
    return status;
}
