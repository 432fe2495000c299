/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the matrix rows that a rank assembles, from the mesh, before any matrix exists. */
#include "fem/rows.h"

#include <stdlib.h>
#include <string.h>

void starfish_fem_cut_of_rank(const struct starfish_fem_cut *cut, int level, int rank, size_t run[2])
{
    run[0] = run[1] = 0;
    for (size_t p = cut->parts; p-- > 0;)
        if (cut->owner[p].rank == rank) {
            run[0] = cut->first[level][p];
            run[1] = run[1] > 0 ? run[1] : cut->first[level][p + 1];
        }
}

/* Unknowns that are in a cell with one of `from` are added. */
static void add_neighbours(const struct starfish_fem_space *space, const unsigned char *from, unsigned char *rows)
{
    const struct starfish_refined *mesh = space->mesh;

    for (size_t c = 0; c < mesh->cells; c++) {
        const int *cell = mesh->cell + c * mesh->lattice;
        int found = 0;
        for (int n = 0; n < space->basis.count && !found; n++) {
            const int unknown = space->unknown[cell[space->basis.node[n]]];
            found = unknown >= 0 && from[unknown];
        }
        for (int n = 0; n < space->basis.count && found; n++) {
            const int unknown = space->unknown[cell[space->basis.node[n]]];
            if (unknown >= 0)
                rows[unknown] = 1;
        }
    }
}

static starfish_status grow(const struct starfish_fem_space *space, int rings, unsigned char *rows)
{
    unsigned char *before = malloc(space->unknowns + 1);

    STARFISH_FAIL_IF(!before, STARFISH_ERROR_MEMORY, "out of memory for the rows of a rank");
    for (int r = 0; r < rings; r++) {
        memcpy(before, rows, space->unknowns);
        add_neighbours(space, before, rows);
    }
    free(before);
    return STARFISH_SUCCESS;
}

starfish_status starfish_fem_rows_choose(struct starfish_fem_rows *rows, const struct starfish_fem_space *space,
                                         const size_t own[2], const int rings[2], const struct starfish_csr *p,
                                         const size_t coarse[2])
{
    unsigned char **const all[] = {&rows->matrix, &rows->smoother, &rows->prolongation, &rows->own};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        *all[i] = calloc(space->unknowns + 1, 1);
        STARFISH_FAIL_IF(!*all[i], STARFISH_ERROR_MEMORY, "out of memory for the rows of a rank");
        memset(*all[i] + own[0], 1, own[1] - own[0]);
    }
    STARFISH_TRY(grow(space, rings[0], rows->matrix));
    STARFISH_TRY(grow(space, rings[1], rows->smoother));
    /* Rows of the prolongation to this rank's unknowns, and from its coarse ones, which the restriction is made of. */
    for (size_t i = 0; i < p->rows; i++) {
        rows->prolongation[i] = rows->own[i];
        for (int e = p->start[i]; e < p->start[i + 1]; e++)
            if ((size_t)p->column[e] >= coarse[0] && (size_t)p->column[e] < coarse[1])
                rows->prolongation[i] = rows->matrix[i] = 1;
    }
    return STARFISH_SUCCESS;
}

void starfish_fem_rows_destroy(struct starfish_fem_rows *rows)
{
    free(rows->matrix);
    free(rows->smoother);
    free(rows->prolongation);
    free(rows->own);
    *rows = (struct starfish_fem_rows){NULL};
}
