/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The domains of Geveler et al.: a square (cube) around the hole, whose points lie on rays from the hole to its surface
 * in layers, and behind it a channel of rectangular cells. */
#include "apps/plans/domain.h"

#include "apps/files/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The square [0, SIDE]^d, the hole in it, the channel's length, and how they are cut. */
static const double side_length = 0.41, centre = 0.2, radius = 0.05, channel_length = 1.79;
static const struct cut {
    int side, layers, columns; /* cells along a side of the square, from the hole outwards, and along the channel */
} cuts[] = {[2] = {4, 4, 14}, [3] = {3, 2, 9}};

enum { MOST_SIDE = 3 * FEM_MOST_CUTS + 1, MOST_LATTICE = MOST_SIDE * MOST_SIDE * MOST_SIDE }; /* points */

struct making {
    struct fem_domain *domain;
    int d;
    struct cut cut;
    size_t rays, faces, section; /* points and cells of the square's surface; points of the channel's section */
    int number[MOST_LATTICE];    /* rays by the lattice of the square's (side + 1)^d points */
    size_t cell;                 /* the next one */
};

/* ---- The square around the hole ---------------------------------------------------------------------------------- */

static int lattice_stride(const struct making *m, int x)
{
    const int points = m->cut.side + 1;

    return x == 0 ? 1 : x == 1 ? points : points * points;
}

static size_t power(int base, int exponent)
{
    return exponent == 0 ? 1 : (size_t)base * power(base, exponent - 1);
}

/* Numbers of the lattice's points on the surface. */
static void number_rays(struct making *m)
{
    for (int p = 0; p < (int)power(m->cut.side + 1, m->d); ++p) {
        int outside = 0;
        for (int x = 0; x < m->d; ++x) {
            const int at = p / lattice_stride(m, x) % (m->cut.side + 1);
            outside = outside || at == 0 || at == m->cut.side;
        }
        m->number[p] = outside ? (int)m->rays++ : -1;
    }
}

static int ring_point(const struct making *m, int lattice, int layer)
{
    return m->number[lattice] * (m->cut.layers + 1) + layer;
}

/* Layers become thicker outwards. */
static void place_ring(const struct making *m)
{
    for (int p = 0; p < (int)power(m->cut.side + 1, m->d); ++p) {
        double way[3] = {0, 0, 0}, length = 0;
        for (int x = 0; x < m->d; ++x) {
            way[x] = side_length * (p / lattice_stride(m, x) % (m->cut.side + 1)) / m->cut.side - centre;
            length += way[x] * way[x];
        }
        for (int l = 0; l <= m->cut.layers && m->number[p] >= 0; ++l) {
            const double t = (double)l / m->cut.layers, out = t * (0.6 + 0.4 * t);
            double *point = m->domain->point + 3 * (size_t)ring_point(m, p, l);
            for (int x = 0; x < m->d; ++x)
                point[x] = centre + way[x] * ((1 - out) * radius / sqrt(length) + out);
        }
    }
}

static void set_corner(const struct making *m, int corner, int point)
{
    const size_t lattice = m->d == 2 ? 9 : 27;

    m->domain->cell[m->cell * lattice + (size_t)(2 * (corner & 1) + 6 * (corner >> 1 & 1) + 18 * (corner >> 2))] =
        point;
}

static void add_mark(const struct making *m, int direction, int high, int group)
{
    struct starfish_fem_mark mark = {m->cell, group, {1, 1, 1}};

    mark.place[direction] = (unsigned char)(2 * high);
    m->domain->mark[m->domain->mesh.marks++] = mark;
}

/* The corners of a cell of the surface: with outwards as the last direction the sense is right. */
static void find_face(const struct making *m, int x, int high, int face, int corner[4])
{
    const int u = lattice_stride(m, (x + 1) % m->d), v = m->d == 3 ? lattice_stride(m, (x + 2) % m->d) : 0;
    const int turned = m->d == 2 ? (x == 0) == high : !high;
    const int first = m->cut.side * high * lattice_stride(m, x) + face % m->cut.side * u + face / m->cut.side * v;

    for (int c = 0; c < 4; ++c) {
        const int i = m->d == 2 ? (c & 1) ^ turned : turned ? c >> 1 : c & 1, j = turned ? c & 1 : c >> 1;
        corner[c] = first + i * u + j * v;
    }
}

/* The face at the end of x is the channel's first. */
static void make_ring(struct making *m)
{
    const int out = m->d - 1, half = 1 << out;
    int corner[4];

    for (int x = 0; x < m->d; ++x)
        for (int high = 0; high < 2; ++high)
            for (int face = 0; face < (int)power(m->cut.side, m->d - 1); ++face) {
                find_face(m, x, high, face, corner);
                for (int l = 0; l < m->cut.layers; ++l, ++m->cell) {
                    for (int c = 0; c < 1 << m->d; ++c)
                        set_corner(m, c, ring_point(m, corner[c % half], l + c / half));
                    if (l == 0)
                        add_mark(m, out, 0, FEM_HOLE);
                    if (l == m->cut.layers - 1 && !(x == 0 && high))
                        add_mark(m, out, 1, FEM_OUTSIDE);
                }
            }
}

/* ---- The channel ------------------------------------------------------------------------------------------------- */

/* Point (j,k) of the section at a column; column 0 is the square's side. */
static int channel_point(const struct making *m, int column, int j, int k)
{
    const int points = m->cut.side + 1, at = j + points * k;
    const size_t first = m->rays * (size_t)(m->cut.layers + 1);

    if (column == 0)
        return ring_point(m, m->cut.side + points * at, m->cut.layers);
    return (int)(first + (size_t)(column - 1) * m->section) + at;
}

static void place_channel(const struct making *m)
{
    for (int column = 1; column <= m->cut.columns; ++column)
        for (int at = 0; at < (int)m->section; ++at) {
            const int j = at % (m->cut.side + 1), k = at / (m->cut.side + 1);
            double *point = m->domain->point + 3 * (size_t)channel_point(m, column, j, k);
            point[0] = side_length + channel_length * column / m->cut.columns;
            point[1] = side_length * j / m->cut.side;
            point[2] = m->d == 3 ? side_length * k / m->cut.side : 0;
        }
}

static void make_channel(struct making *m)
{
    for (int column = 0; column < m->cut.columns; ++column)
        for (int at = 0; at < (int)power(m->cut.side, m->d - 1); ++at, ++m->cell) {
            const int place[3] = {column, at % m->cut.side, at / m->cut.side};
            for (int c = 0; c < 1 << m->d; ++c)
                set_corner(m, c, channel_point(m, column + (c & 1), place[1] + (c >> 1 & 1), place[2] + (c >> 2)));
            if (column == m->cut.columns - 1)
                add_mark(m, 0, 1, FEM_OUTSIDE);
            for (int x = 1; x < m->d; ++x)
                for (int high = 0; high < 2; ++high)
                    if (place[x] == (high ? m->cut.side - 1 : 0))
                        add_mark(m, x, high, FEM_OUTSIDE);
        }
}

/* ---- The mesh ---------------------------------------------------------------------------------------------------- */

static starfish_status make(struct making *m)
{
    struct fem_domain *domain = m->domain;
    const size_t lattice = m->d == 2 ? 9 : 27;
    number_rays(m);
    m->section = power(m->cut.side + 1, m->d - 1);
    m->faces = 2 * (size_t)m->d * power(m->cut.side, m->d - 1);
    const size_t points = m->rays * (size_t)(m->cut.layers + 1) + (size_t)m->cut.columns * m->section;
    const size_t cells = m->faces * (size_t)m->cut.layers + (size_t)m->cut.columns * power(m->cut.side, m->d - 1);
    domain->point = calloc(3 * points + 1, sizeof *domain->point);
    domain->cell = malloc((lattice * cells + 1) * sizeof *domain->cell);
    domain->mark = calloc(2 * (size_t)m->d * cells + 1, sizeof *domain->mark);
    STARFISH_FAIL_IF(!domain->point || !domain->cell || !domain->mark, STARFISH_ERROR_MEMORY,
                     "out of memory for a mesh");
    memset(domain->cell, 0xff, lattice * cells * sizeof *domain->cell); /* middles are not given */
    domain->mesh = (struct starfish_fem_mesh){.dimensions = m->d,
                                              .points = points,
                                              .point = domain->point,
                                              .cells = cells,
                                              .cell = domain->cell,
                                              .mark = domain->mark};
    domain->curve =
        (struct starfish_fem_curve){.group = FEM_HOLE, .centre = {centre, centre, centre}, .radius = radius};
    place_ring(m);
    place_channel(m);
    make_ring(m);
    make_channel(m);
    return STARFISH_SUCCESS;
}

starfish_status fem_domain_create(int d, size_t times, struct fem_domain *domain)
{
    const int n = (int)times;
    memset(domain, 0, sizeof *domain);
    STARFISH_FAIL_IF(times < 1 || times > FEM_MOST_CUTS, STARFISH_ERROR_ARGUMENT,
                     "edges of the coarse mesh are cut into 1 to %d", FEM_MOST_CUTS);
    const struct cut cut = {n * cuts[d].side, n * cuts[d].layers, n * cuts[d].columns};
    struct making m = {.domain = domain, .d = d, .cut = cut};
    const starfish_status status = make(&m);
    if (status != STARFISH_SUCCESS)
        fem_domain_free(domain);
    return status;
}

void fem_domain_free(struct fem_domain *domain)
{
    free(domain->point);
    free(domain->cell);
    free(domain->mark);
    memset(domain, 0, sizeof *domain);
}

/* ---- Gmsh -------------------------------------------------------------------------------------------------------- */

/* Corners in Gmsh's order: lattice places of a cell, in 2D the first four. */
static const int corners[] = {0, 2, 8, 6, 18, 20, 26, 24};

static void write_element(FILE *stream, size_t number, int type, int group)
{
    fprintf(stream, "%zu %d 2 %d %d", number, type, group, group);
}

static void write_face(FILE *stream, const struct fem_domain *domain, const struct starfish_fem_mark *mark)
{
    const int d = domain->mesh.dimensions, *cell = domain->cell + mark->cell * (d == 2 ? 9 : 27);
    static const int edge[] = {0, 1}, face[] = {0, 1, 3, 2};
    int at[4], count = 0;
    for (int l = 0; l < (d == 2 ? 9 : 27); ++l) {
        const int place[3] = {l % 3, l / 3 % 3, l / 9};
        int inside = 1;
        for (int x = 0; x < 3; ++x)
            if (x < d && (place[x] == 1 || (mark->place[x] != 1 && mark->place[x] != place[x])))
                inside = 0;
        if (inside)
            at[count++] = cell[l] + 1;
    }
    for (int n = 0; n < count; ++n)
        fprintf(stream, " %d", at[(d == 2 ? edge : face)[n]]);
    fprintf(stream, "\n");
}

static void write_mesh(FILE *stream, const struct fem_domain *domain)
{
    const struct starfish_fem_mesh *mesh = &domain->mesh;
    const int d = mesh->dimensions;
    const size_t lattice = d == 2 ? 9 : 27;
    fprintf(stream, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n%d %d \"outside\"\n%d %d \"hole\"\n",
            d - 1, FEM_OUTSIDE, d - 1, FEM_HOLE);
    fprintf(stream, "%d 3 \"domain\"\n$EndPhysicalNames\n$Nodes\n%zu\n", d, mesh->points);
    for (size_t p = 0; p < mesh->points; ++p)
        fprintf(stream, "%zu %.17g %.17g %.17g\n", p + 1, domain->point[3 * p], domain->point[3 * p + 1],
                domain->point[3 * p + 2]);
    fprintf(stream, "$EndNodes\n$Elements\n%zu\n", mesh->marks + mesh->cells);
    for (size_t m = 0; m < mesh->marks; ++m) {
        write_element(stream, m + 1, d == 2 ? 1 : 3, domain->mark[m].group);
        write_face(stream, domain, &domain->mark[m]);
    }
    for (size_t c = 0; c < mesh->cells; ++c) {
        write_element(stream, mesh->marks + c + 1, d == 2 ? 3 : 5, 3);
        for (int n = 0; n < 1 << d; ++n)
            fprintf(stream, " %d", domain->cell[c * lattice + (size_t)corners[n]] + 1);
        fprintf(stream, "\n");
    }
    fprintf(stream, "$EndElements\n");
}

starfish_status fem_domain_write(const struct fem_domain *domain, const char *path)
{
    struct starfish_output output;
    STARFISH_TRY(starfish_output_open(&output, path));
    write_mesh(output.stream, domain);
    return starfish_output_finish(&output, STARFISH_SUCCESS);
}

struct starfish_fem_problem fem_domain_problem(const struct fem_domain *domain, starfish_fem_element element,
                                               int refinements)
{
    static const struct starfish_fem_dirichlet dirichlet[] = {{.group = FEM_OUTSIDE}, {.group = FEM_HOLE, .value = 1}};
    return (struct starfish_fem_problem){.mesh = &domain->mesh,
                                         .refinements = refinements > 0 ? refinements : 0,
                                         .element = element,
                                         .rhs = 1,
                                         .dirichlets = 2,
                                         .dirichlet = dirichlet,
                                         .curves = 1,
                                         .curve = &domain->curve};
}
