/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts the contents of a Gmsh file to a mesh: the points used by cells, and groups as marks of cells. */
#include "apps/files/gmsh_mesh.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Lattice places of the nodes: x + 3 y + 9 z, each 0, 1 or 2. */
static const unsigned char square[] = {0, 2, 8, 6, 1, 5, 7, 3, 4};
static const unsigned char cube[] = {0,  2,  8,  6,  18, 20, 26, 24, 1,  3,  9,  5,  11, 7,
                                     17, 15, 19, 21, 23, 25, 4,  10, 12, 14, 16, 22, 13};

static const struct starfish_gmsh_type types[] = {{15, 0, 1, 1, NULL},  {1, 1, 2, 2, NULL},    {8, 1, 3, 2, NULL},
                                                  {3, 2, 4, 4, square}, {10, 2, 9, 4, square}, {5, 3, 8, 8, cube},
                                                  {12, 3, 27, 8, cube}};

const struct starfish_gmsh_type *starfish_gmsh_type(int type)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i)
        if (types[i].type == type)
            return &types[i];
    return NULL;
}

void starfish_gmsh_free(struct starfish_gmsh *gmsh)
{
    free((void *)(uintptr_t)gmsh->mesh.point);
    free((void *)(uintptr_t)gmsh->mesh.cell);
    free((void *)(uintptr_t)gmsh->mesh.mark);
    free((void *)(uintptr_t)gmsh->mesh.number);
    free(gmsh->group);
    memset(gmsh, 0, sizeof *gmsh);
}

/* Those of the name that are below the cells' dimension, or that are not. */
static size_t find_named(const struct starfish_gmsh *gmsh, const char *name, int below, int *group)
{
    size_t count = 0;

    for (size_t i = 0; i < gmsh->groups; ++i)
        if (gmsh->group[i].name[0] && strcmp(gmsh->group[i].name, name) == 0 &&
            (gmsh->group[i].dimension < gmsh->mesh.dimensions) == below)
            group[count++] = (int)i;
    return count;
}

static size_t find_numbered(const struct starfish_gmsh *gmsh, const char *name, int *group)
{
    char *end;
    const long number = strtol(name, &end, 10);
    size_t count = 0;

    for (size_t i = 0; *name && !*end && i < gmsh->groups; ++i)
        if (gmsh->group[i].number == number && gmsh->group[i].dimension < gmsh->mesh.dimensions &&
            (count == 0 || gmsh->group[i].dimension > gmsh->group[*group].dimension)) {
            *group = (int)i;
            count = 1;
        }
    return count;
}

size_t starfish_gmsh_find(const struct starfish_gmsh *gmsh, const char *name, int *group)
{
    size_t count = find_named(gmsh, name, 1, group);

    if (count == 0)
        count = find_named(gmsh, name, 0, group);
    return count > 0 ? count : find_numbered(gmsh, name, group);
}

/* ---- Nodes ------------------------------------------------------------------------------------------------------- */

struct numbered {
    long number;
    size_t at;
};

struct making {
    const char *path;
    struct starfish_gmsh_raw *raw;
    struct numbered *node; /* sorted */
    int has_gaps;          /* between the numbers of nodes */
    int *point_of;         /* the mesh's point of a node, by its place in the file; -1: it is in no cell */
    size_t points;
    int *first, *cell_of; /* cells of a point: cell_of[first[p]] .. */
    int *cell;
    size_t *number;
    struct starfish_fem_mark *mark;
    int d;
    size_t lattice, cells, marks;
};

static int by_number(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static starfish_status sort_nodes(struct making *m)
{
    const size_t count = m->raw->nodes;
    int sorted = 1;

    m->node = calloc(count + 1, sizeof *m->node);
    STARFISH_FAIL_IF(!m->node, STARFISH_ERROR_MEMORY, "%s: out of memory", m->path);
    for (size_t n = 0; n < count; ++n) {
        m->node[n] = (struct numbered){m->raw->number[n], n};
        sorted = sorted && (n == 0 || m->raw->number[n] > m->raw->number[n - 1]);
    }
    if (!sorted)
        qsort(m->node, count, sizeof *m->node, by_number);
    for (size_t n = 1; n < count; ++n) {
        STARFISH_FAIL_IF(m->node[n].number == m->node[n - 1].number, STARFISH_ERROR_FILE, "%s: node %ld is there twice",
                         m->path, m->node[n].number);
        m->has_gaps |= m->node[n].number != m->node[n - 1].number + 1;
    }
    return STARFISH_SUCCESS;
}

/* Without gaps between numbers, as most files are, a node is where its number says. */
static const struct numbered *look_up(const struct making *m, long number)
{
    const struct numbered wanted = {number, 0};

    if (m->has_gaps || m->raw->nodes == 0)
        return bsearch(&wanted, m->node, m->raw->nodes, sizeof *m->node, by_number);
    const long first = m->node[0].number, last = m->node[m->raw->nodes - 1].number;
    return number < first || number > last ? NULL : &m->node[number - first];
}

/* *place: that of the node in the file. */
static starfish_status find_node(const struct making *m, const struct starfish_gmsh_element *element, int n, int *place)
{
    const long number = m->raw->node[element->node + (size_t)n];
    const struct numbered *found = look_up(m, number);

    STARFISH_FAIL_IF(!found, STARFISH_ERROR_FILE, "%s: element %ld has node %ld, which is not there", m->path,
                     element->number, number);
    *place = (int)found->at;
    return STARFISH_SUCCESS;
}

/* ---- Cells ------------------------------------------------------------------------------------------------------- */

/* Elements of format 4.1 that are in several groups follow one another. */
static int is_cell(const struct making *m, size_t e)
{
    const struct starfish_gmsh_element *element = &m->raw->element[e];

    return starfish_gmsh_type(element->type)->dimension == m->d && (e == 0 || element[-1].node != element->node);
}

static starfish_status count_cells(struct making *m)
{
    for (size_t e = 0; e < m->raw->elements; ++e) {
        const int dimension = starfish_gmsh_type(m->raw->element[e].type)->dimension;
        m->d = dimension > m->d ? dimension : m->d;
    }
    STARFISH_FAIL_IF(m->d < 2, STARFISH_ERROR_FILE, "%s: there are no quadrilaterals and no hexahedra", m->path);
    m->lattice = m->d == 2 ? 9 : 27;
    for (size_t e = 0; e < m->raw->elements; ++e)
        m->cells += is_cell(m, e) != 0;
    return m->cells <= INT_MAX / m->lattice
               ? STARFISH_SUCCESS
               : starfish_fail(STARFISH_ERROR_FILE, "%s: more than %zu cells", m->path, INT_MAX / m->lattice);
}

static starfish_status make_cells(struct making *m)
{
    size_t c = 0;

    m->cell = malloc((m->cells * m->lattice + 1) * sizeof *m->cell);
    m->number = malloc((m->cells + 1) * sizeof *m->number);
    STARFISH_FAIL_IF(!m->cell || !m->number, STARFISH_ERROR_MEMORY, "%s: out of memory", m->path);
    memset(m->cell, 0xff, m->cells * m->lattice * sizeof *m->cell); /* -1 */
    for (size_t e = 0; e < m->raw->elements; ++e) {
        const struct starfish_gmsh_element *element = &m->raw->element[e];
        const struct starfish_gmsh_type *type = starfish_gmsh_type(element->type);
        if (!is_cell(m, e))
            continue;
        m->number[c] = (size_t)element->number;
        for (int n = 0; n < type->nodes; ++n)
            STARFISH_TRY(find_node(m, element, n, &m->cell[c * m->lattice + type->place[n]]));
        ++c;
    }
    return STARFISH_SUCCESS;
}

/* Points are the nodes of cells, in the order of the file. */
static starfish_status make_points(struct making *m)
{
    const size_t nodes = m->raw->nodes, all = m->cells * m->lattice;

    m->point_of = malloc((nodes + 1) * sizeof *m->point_of);
    STARFISH_FAIL_IF(!m->point_of, STARFISH_ERROR_MEMORY, "%s: out of memory", m->path);
    memset(m->point_of, 0xff, nodes * sizeof *m->point_of); /* -1 */
    for (size_t at = 0; at < all; ++at)
        if (m->cell[at] >= 0)
            m->point_of[m->cell[at]] = 0;
    for (size_t n = 0; n < nodes; ++n)
        if (m->point_of[n] == 0) {
            memmove(m->raw->point + 3 * m->points, m->raw->point + 3 * n, 3 * sizeof *m->raw->point);
            m->point_of[n] = (int)m->points++;
        }
    for (size_t at = 0; at < all; ++at)
        if (m->cell[at] >= 0)
            m->cell[at] = m->point_of[m->cell[at]];
    return STARFISH_SUCCESS;
}

/* In 2D points are in one plane. */
static starfish_status check_plane(const struct making *m)
{
    const double *point = m->raw->point;

    for (size_t n = 0; m->d == 2 && n < m->raw->nodes; ++n) {
        const int p = m->point_of[n];
        STARFISH_FAIL_IF(p >= 0 && fabs(point[3 * p + 2] - point[2]) > 1e-10 * (1 + fabs(point[2])),
                         STARFISH_ERROR_FILE, "%s: node %ld is not in the plane z = %g of the others", m->path,
                         m->raw->number[n], point[2]);
    }
    return STARFISH_SUCCESS;
}

/* ---- Marks ------------------------------------------------------------------------------------------------------- */

/* The cells at every point. */
static starfish_status list_cells(struct making *m)
{
    const size_t all = m->cells * m->lattice;

    m->first = calloc(m->points + 2, sizeof *m->first);
    m->cell_of = malloc((all + 1) * sizeof *m->cell_of);
    STARFISH_FAIL_IF(!m->first || !m->cell_of, STARFISH_ERROR_MEMORY, "%s: out of memory", m->path);
    for (size_t at = 0; at < all; ++at)
        if (m->cell[at] >= 0)
            m->first[m->cell[at] + 2]++;
    for (size_t n = 0; n < m->points; ++n)
        m->first[n + 2] += m->first[n + 1];
    for (size_t at = 0; at < all; ++at)
        if (m->cell[at] >= 0)
            m->cell_of[m->first[m->cell[at] + 1]++] = (int)(at / m->lattice);
    return STARFISH_SUCCESS;
}

/* Where in a cell the corners are: what they have in common, if they are all that a corner, edge or face has. */
static int place_in(const struct making *m, const int *cell, const int *corner, int corners, unsigned char place[3])
{
    int met = 0;

    for (int l = 0; l < (int)m->lattice; ++l) {
        const unsigned char here[3] = {(unsigned char)(l % 3), (unsigned char)(l / 3 % 3), (unsigned char)(l / 9)};
        const int is_corner = here[0] != 1 && here[1] != 1 && (m->d == 2 || here[2] != 1);
        for (int c = 0; is_corner && c < corners; ++c)
            if (corner[c] == cell[l]) {
                for (int i = 0; i < 3; ++i)
                    place[i] = met == 0 || place[i] == here[i] ? here[i] : 1;
                ++met;
            }
    }
    const int varying = (place[0] == 1) + (place[1] == 1) + (place[2] == 1);
    return met == corners && 1 << varying == corners;
}

static starfish_status add_mark(struct making *m, const struct starfish_gmsh_element *element)
{
    const struct starfish_gmsh_type *type = starfish_gmsh_type(element->type);
    struct starfish_fem_mark mark = {.group = element->group};
    int corner[8] = {0}, inside = 1;

    for (int n = 0; n < type->corners; ++n) {
        STARFISH_TRY(find_node(m, element, n, &corner[n]));
        corner[n] = m->point_of[corner[n]];
        inside &= corner[n] >= 0;
    }
    if (!inside) /* geometry that carries no cell: centres of arcs, lines to them */
        return STARFISH_SUCCESS;
    for (int k = m->first[corner[0]]; k < m->first[corner[0] + 1]; ++k) {
        mark.cell = (size_t)m->cell_of[k];
        if (place_in(m, m->cell + mark.cell * m->lattice, corner, type->corners, mark.place)) {
            m->mark[m->marks++] = mark;
            return STARFISH_SUCCESS;
        }
    }
    return starfish_fail(STARFISH_ERROR_FILE, "%s: element %ld lies on no cell", m->path, element->number);
}

static starfish_status make_marks(struct making *m)
{
    m->mark = malloc((m->raw->elements + 1) * sizeof *m->mark);
    STARFISH_FAIL_IF(!m->mark, STARFISH_ERROR_MEMORY, "%s: out of memory", m->path);
    for (size_t e = 0; e < m->raw->elements; ++e)
        if (m->raw->element[e].group >= 0)
            STARFISH_TRY(add_mark(m, &m->raw->element[e]));
    return STARFISH_SUCCESS;
}

static starfish_status make(struct making *m)
{
    STARFISH_TRY(count_cells(m));
    STARFISH_TRY(sort_nodes(m));
    STARFISH_TRY(make_cells(m));
    STARFISH_TRY(make_points(m));
    STARFISH_TRY(check_plane(m));
    STARFISH_TRY(list_cells(m));
    return make_marks(m);
}

starfish_status starfish_gmsh_make(const char *path, struct starfish_gmsh_raw *raw, struct starfish_gmsh *gmsh)
{
    struct making m = {.path = path, .raw = raw};
    const starfish_status status = make(&m);

    gmsh->mesh = (struct starfish_fem_mesh){.dimensions = m.d,
                                            .points = m.points,
                                            .point = raw->point,
                                            .cells = m.cells,
                                            .cell = m.cell,
                                            .marks = m.marks,
                                            .mark = m.mark,
                                            .number = m.number};
    gmsh->groups = raw->groups;
    gmsh->group = raw->group;
    raw->point = NULL; /* now the mesh's */
    raw->group = NULL;
    free(m.node);
    free(m.point_of);
    free(m.first);
    free(m.cell_of);
    return status;
}
