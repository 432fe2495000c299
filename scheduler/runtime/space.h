/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Spaces and vectors: unknowns cut into parts, and arrays of numbers that live on them.
 *
 * A space says how unknowns are cut into parts, who owns each part, and which elements of its neighbours a part reads:
 * its halos. A vector has one piece of data (StarPU handle) per part, and one per halo, the edge, which holds the
 * elements that a neighbour needs and only those. A task that writes a part also writes its edges; a task that reads
 * beyond a part takes the neighbours' edges, never a whole neighbour (codelets/vectors.h).
 *
 *     rows, planes     part 0         part 1         part 2           a cut: runs of rows (runs.h)
 *                   |==============|==============|==============|
 *                   0           first[1]       first[2]          n
 *     edges                     [a][b]         [c][d]               depth 1; a, c: last rows, b, d: first rows
 *     memory of 1            (a)[==============](d)                 ghosts before[1], own elements, ghosts after[1]
 *
 * Four things make spaces of such runs. A *cut* divides rows among workers (starfish_divide, tasks/shares.h). *Slabs*
 * are the parts of a field, whose rows are planes: pieces are borrowed from the field, lie in the user's memory by the
 * strides of its rows, planes and boxes (field.h), and have edges but no ghosts. A *spread* field has its planes in the
 * memories of several owners, each share a run of slabs (spread.h). A *window* is what a rank has of a table: its own
 * planes and `depth` ones beside them, counted around the ends as a space that `wraps` counts ghosts (halo_window.h).
 *
 * Shared: all parts are runs of rows, or tiles, of one array in one memory, without edges. Kernels see the array; a
 * task finds in place what it reads beyond its part, and takes the tiles beside it only for the sake of order. For
 * cores that share main memory. A space of one part has no halos either, and costs nothing.
 *
 * Apart: every part has memory of its own, wherever its owner is, with ghosts into which the tasks that read beyond the
 * part first copy the neighbours' edges. A kernel's pointers are shifted so that its indices are those of the whole
 * grid; for index sets (unstructured grids) indices are local to the part. A box is a part that is cut in two
 * directions: its memory is an array by itself, in which ghosts stand around its own elements, and indices are local
 * too; its halos are runs of short pieces, which are packed into their edges. A user's array on such a space
 * (starfish_vector_over) is runs of rows without ghosts, and is copied to and from a vector of ours.
 *
 * Spaces must stay as long as vectors on them, and vectors as long as tasks that use them. Nothing here is thread-safe.
 */
#ifndef STARFISH_SCHEDULER_RUNTIME_SPACE_H
#define STARFISH_SCHEDULER_RUNTIME_SPACE_H

#include "base/box_neighbour.h"
#include "scheduler/runtime/coefficient_table.h"
#include "scheduler/runtime/runs.h"

/* `count` elements of part `from` that part `to` reads: elements first, first + 1, ... of `from`, or those of an index
 * set. They become the ghosts at `at`, counted from the first element of `to`, so that those in front of it are
 * negative.
 *
 * Long rows between ranks are two halos: the row beside the cut, which most tasks read, and the `far` ones behind it,
 * which then travel only for those tasks that read them. */
struct starfish_halo {
    size_t from, to, count, first;
    int far;
    struct starfish_coefficient_table index; /* ints; without a handle: a run */
    ptrdiff_t at;
    size_t width; /* between boxes: count / width pieces of so many elements, rows of the parts' arrays; 0: one run */
};

/* A box of cells [own[d][0], own[d][1]) of an array in x (d = 0) and y (d = 1), and what its memory has: ghosts too,
 * which may lie beyond periodic ends. */
struct starfish_box {
    ptrdiff_t own[2][2], array[2][2];
};

struct starfish_space {
    struct starfish_context *context;
    size_t n[2];                  /* columns and rows of the array */
    size_t parts[2];              /* runs of columns (1 where apart) and of rows */
    size_t *first[2];             /* where the runs begin */
    struct starfish_owner *owner; /* of runs of rows */
    int apart, local;             /* local: indices of a part begin at 0 (index sets) */
    int wraps;                    /* apart, with halos between the last part and the first */
    int on_ranks;                 /* owners are of several ranks, */
    int slow;                     /* and rows so long that their bytes count */
    size_t halos;
    struct starfish_halo *halo;
    size_t *before, *after; /* ghosts of each part, in elements */
    /* Of boxes: cells of the whole array in x and y, between which there are so many layers; 0: no boxes. */
    size_t cells[2], layers;
    size_t rim; /* cells around each box in an array that collects them */
    struct starfish_box *box;
};

/* Rows of ghosts that a part has at most on one side, where parts are runs of rows. */
static inline size_t starfish_space_depth(const struct starfish_space *space)
{
    size_t ghosts = 0;

    for (size_t p = 0; p < space->parts[1]; p++) {
        ghosts = space->before[p] > ghosts ? space->before[p] : ghosts;
        ghosts = space->after[p] > ghosts ? space->after[p] : ghosts;
    }
    return ghosts / space->n[0];
}

/* Columns and rows of cells that a box has memory of, or that are its own. */
static inline size_t starfish_box_memory(const struct starfish_box *box, int d)
{
    return (size_t)(box->array[d][1] - box->array[d][0]);
}
static inline size_t starfish_box_own(const struct starfish_box *box, int d)
{
    return (size_t)(box->own[d][1] - box->own[d][0]);
}

/* Rows of so many elements take longer between ranks, at 5 GB/s, than a tenth of a message does by itself: their bytes
 * count, of shorter ones the number of messages. */
static inline int starfish_rows_are_long(size_t columns)
{
    enum { SHORT_ROW = 1 << 13 };

    return columns > SHORT_ROW;
}

/* How many owners have parts of their own; 1 where any worker may have any part. */
int starfish_space_owners(const struct starfish_space *space);

/* The part whose task is to be submitted as the i-th of an operation on all of them: those that have another owner
 * beside them come first, so that their edges travel while the others are computed. */
size_t starfish_space_turn(const struct starfish_space *space, size_t i);

/* How an array is cut into tiles of equal size: at most so many runs of columns and of rows, columns at multiples of
 * `grain` alone (of a 3D array nx, so that rows of x stay whole). */
struct starfish_tiling {
    size_t parts[2], grain;
};

/* A space of so many runs of columns and of rows, which the caller places. The space and those below are new, and end
 * with starfish_space_destroy, also after a failure. Error of all: MEMORY. */
starfish_status starfish_space_begin(struct starfish_space *space, struct starfish_context *context, const size_t n[2],
                                     const size_t parts[2]);
/* Shared. */
starfish_status starfish_space_tiles(struct starfish_space *space, struct starfish_context *context, const size_t n[2],
                                     const struct starfish_tiling *tiling);
/* Runs of rows (runs.h). ARGUMENT where a part has fewer than `depth` rows. The rows of runs between ranks are slow to
 * travel where they are long. */
static inline int starfish_runs_are_slow(const struct starfish_runs *runs, size_t columns)
{
    return starfish_runs_are_on_ranks(runs) && starfish_rows_are_long(columns);
}
starfish_status starfish_space_runs(struct starfish_space *space, struct starfish_context *context, const size_t n[2],
                                    const struct starfish_runs *runs);
/* Index sets: rows[p] unknowns in part p, in one column; halos with `index` given as ints and `at` behind the part's
 * own elements, or in front of them. Apart, indices local. The halos are copied, indices included. */
struct starfish_index_halo {
    size_t from, to, count;
    const int *index; /* elements of part `from`, 0 .. rows[from] - 1 */
    ptrdiff_t at;
};
starfish_status starfish_space_index_sets(struct starfish_space *space, struct starfish_context *context, size_t parts,
                                          const size_t *rows, const struct starfish_owner *owner, size_t halos,
                                          const struct starfish_index_halo *halo);
/* Boxes: apart, indices local. An array has cells[0] x layers x cells[1] elements, x fastest, that of a box likewise.
 * Halos are what lies at most `depth` cells beyond a box in x and y, at its corners too, as far as it has memory for
 * it. Which box has them a table of neighbours says; without one boxes are those of an array, periodic or not. Where
 * axes are exchanged or run backwards, an edge is packed by an index table in the order of its reader. */
struct starfish_boxes {
    size_t cells[2], layers, parts, depth;
    int periodic[2];
    const struct starfish_box *box;
    const struct starfish_owner *owner; /* NULL: STARFISH_ANY */
    size_t neighbours;
    const struct starfish_box_neighbour *neighbour; /* in cells of the array; NULL: made from `periodic` */
    size_t
        rim; /* an array that collects the boxes has them one behind the other in y, each with so many cells around */
};
starfish_status starfish_space_boxes(struct starfish_space *space, struct starfish_context *context,
                                     const struct starfish_boxes *boxes);
void starfish_space_destroy(struct starfish_space *space);

/* Rows of a run of rows. */
static inline size_t starfish_space_rows(const struct starfish_space *space, size_t part)
{
    return space->first[1][part + 1] - space->first[1][part];
}
/* Elements of a part, without ghosts. */
size_t starfish_space_part_size(const struct starfish_space *space, size_t part);
/* The rows of an array of the space that this rank has in its memory: all, or the runs that it owns, one behind the
 * other. */
void starfish_space_rows_here(const struct starfish_space *space, size_t *first, size_t *rows);
/* The rank that a part belongs to. */
int starfish_space_rank(const struct starfish_space *space, size_t part);
/* Whether the context's workers all work in main memory, so that one array may be cut without edges. */
int starfish_context_has_one_memory(const struct starfish_context *context);

struct starfish_vector {
    const struct starfish_space *space; /* NULL: there is none */
    starfish_precision precision;
    int ghosts;                  /* pieces have ghosts, and edges: the space is apart and the memory ours */
    int borrowed;                /* pieces belong to their registrar */
    int strided;                 /* of borrowed pieces: their rows may not be packed */
    starpu_data_handle_t *piece; /* x fastest */
    starpu_data_handle_t *edge;  /* by halo; NULL: no part is read by another one */
    void *memory;                /* ours, or NULL */
};

/* A vector with separate memory. */
starfish_status starfish_vector_create(struct starfish_vector *vector, const struct starfish_space *space,
                                       starfish_precision precision);
/* Over n[0] * n[1] elements of memory on a node of StarPU's, which stay the caller's; until destroy they are the
 * runtime's. On a space on ranks over the rows that this rank owns, NULL where there are none; collective. Error:
 * ARGUMENT (`name`d memory is pinned in parts). */
starfish_status starfish_vector_over(struct starfish_vector *vector, const struct starfish_space *space,
                                     starfish_precision precision, int node, void *memory, const char *name);
/* A vector over handles that the caller has registered, one per part, for instance slabs of a field; the array must
 * stay, and destroy does not unregister them. The space has one run of columns. */
void starfish_vector_borrow(struct starfish_vector *vector, const struct starfish_space *space,
                            starfish_precision precision, const starpu_data_handle_t *piece);
/* Gives a vector over packed pieces edges, in memory of the runtime's: tasks read them in place of ghosts. Error:
 * MEMORY. */
starfish_status starfish_vector_add_edges(struct starfish_vector *vector);
/* Waits for its tasks; what was registered over memory is brought back to it. Does nothing to a vector of zero bytes.
 */
void starfish_vector_destroy(struct starfish_vector *vector);

#endif
