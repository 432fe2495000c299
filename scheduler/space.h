/* Spaces and vectors: unknowns cut into parts, and arrays of numbers that live on them.
 *
 * A space says how unknowns are cut into parts, who owns each part, and which elements of its neighbours a part reads:
 * its halos. A vector has one piece of data (StarPU handle) per part, and one per halo, the edge, which holds the
 * elements that a neighbour needs and only those. A task that writes a part also writes its edges; a task that reads
 * beyond a part takes the neighbours' edges, never a whole neighbour (codelets/vectors.h). A space of one part has no
 * halos and costs nothing.
 *
 * There are two layouts.
 *
 * Shared: all parts are runs of rows, or tiles, of one array in one memory. Kernels see the array; what a task reads
 * beyond its part it finds in place, and takes the tiles beside it only for the sake of order. There are no edges. For
 * cores that share main memory.
 *
 * Apart: every part has memory of its own, wherever its owner is, in which the part's elements stand between ghosts,
 *     [ before[p] ghosts | elements of part p | after[p] ghosts ],
 * into which the tasks that read beyond the part first copy the neighbours' edges. A kernel's pointers are shifted so
 * that its indices are those of the whole grid; for index sets (unstructured grids) indices are local to the part. A
 * user's array on such a space (starfish_vector_over) is runs of rows without ghosts, and is copied to and from a
 * vector of ours.
 *
 * Spaces must stay as long as vectors on them, and vectors as long as tasks that use them. Nothing here is thread-safe.
 */
#ifndef STARFISH_SCHEDULER_SPACE_H
#define STARFISH_SCHEDULER_SPACE_H

#include "scheduler/owner.h"
#include "scheduler/table.h"

enum { STARFISH_SPACE_MOST_PARTS = 16, STARFISH_SPACE_MOST_HALOS = 64 };

/* `count` elements of part `from` that part `to` reads: elements first, first + 1, ... of `from`, or those of an index
 * set. They become the ghosts at `at`, counted from the first element of `to`, so that those in front of it are
 * negative. */
struct starfish_halo {
    size_t from, to, count, first;
    struct starfish_table index; /* ints; without a handle: a run */
    ptrdiff_t at;
};

struct starfish_space {
    struct starfish_context *context;
    size_t n[2];                                            /* columns and rows of the array */
    size_t parts[2];                                        /* runs of columns (1 where apart) and of rows */
    size_t first[2][STARFISH_SPACE_MOST_PARTS + 1];         /* where the runs begin */
    struct starfish_owner owner[STARFISH_SPACE_MOST_PARTS]; /* of runs of rows */
    int apart, local;                                       /* local: indices of a part begin at 0 (index sets) */
    int wraps;                                              /* apart, with halos between the last part and the first */
    int on_ranks;                                           /* owners are of several ranks */
    size_t halos;
    struct starfish_halo halo[STARFISH_SPACE_MOST_HALOS];
    size_t before[STARFISH_SPACE_MOST_PARTS], after[STARFISH_SPACE_MOST_PARTS]; /* ghosts, in elements */
};

/* The part whose task is to be submitted as the i-th of an operation on all of them: those that have another owner
 * beside them come first, so that their edges travel while the others are computed. */
size_t starfish_space_turn(const struct starfish_space *space, size_t i);

/* How an array is cut into tiles of equal size: at most so many runs of columns and of rows, columns at multiples of
 * `grain` alone (of a 3D array nx, so that rows of x stay whole). */
struct starfish_tiling {
    size_t parts[2], grain;
};

/* Shared. */
void starfish_space_tiles(struct starfish_space *space, struct starfish_context *context, const size_t n[2],
                          const struct starfish_tiling *tiling);
/* Runs of rows first[p] .. first[p + 1] - 1 for p = 0 .. parts-1 with owners. Apart where the owners' memories differ
 * or `apart` is set, and then with halos of `depth` rows on both sides of each cut; with `wraps` also between the last
 * part and the first, whose ghosts are then rows -depth .. -1 and n .. n+depth-1. ARGUMENT where a part has fewer than
 * `depth` rows. */
struct starfish_runs {
    size_t parts;
    const size_t *first;
    const struct starfish_owner *owner; /* NULL: STARFISH_ANY */
    size_t depth;
    int apart, wraps;
};
/* Are there owners of several ranks? */
int starfish_runs_are_on_ranks(const struct starfish_runs *runs);
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
void starfish_space_destroy(struct starfish_space *space);

/* Elements of a part, without ghosts. */
size_t starfish_space_part_size(const struct starfish_space *space, size_t part);
/* The rank that a part belongs to. */
int starfish_space_rank(const struct starfish_space *space, size_t part);
/* Whether the context's workers all work in main memory, so that one array may be cut without edges. */
int starfish_context_has_one_memory(const struct starfish_context *context);

struct starfish_vector {
    const struct starfish_space *space; /* NULL: there is none */
    starfish_precision precision;
    int ghosts;   /* pieces have ghosts, and edges: the space is apart and the memory ours */
    int borrowed; /* pieces are somebody else's */
    starpu_data_handle_t piece[STARFISH_SPACE_MOST_PARTS * STARFISH_SPACE_MOST_PARTS]; /* x fastest */
    starpu_data_handle_t edge[STARFISH_SPACE_MOST_HALOS];                              /* by halo */
    void *memory;                                                                      /* ours, or NULL */
};

/* With memory of its own. */
starfish_status starfish_vector_create(struct starfish_vector *vector, const struct starfish_space *space,
                                       starfish_precision precision);
/* Over n[0] * n[1] elements of memory on a node of StarPU's, which stay the caller's; until destroy they are the
 * runtime's. Error: ARGUMENT (`name`d memory is pinned in parts). */
starfish_status starfish_vector_over(struct starfish_vector *vector, const struct starfish_space *space,
                                     starfish_precision precision, int node, void *memory, const char *name);
/* Of a space on ranks, over the rows of this rank's parts, which are one run in `memory`; what other ranks have is
 * theirs, and has no memory here. Error: ARGUMENT, as above. */
starfish_status starfish_vector_over_own(struct starfish_vector *vector, const struct starfish_space *space,
                                         starfish_precision precision, int node, void *memory, const char *name);
/* Over handles that somebody else has registered, one per part, for instance slabs of a field; destroy leaves them
 * alone. The space has one run of columns. */
void starfish_vector_borrow(struct starfish_vector *vector, const struct starfish_space *space,
                            starfish_precision precision, const starpu_data_handle_t *piece);
/* Waits for its tasks; what was registered over memory is brought back to it. Does nothing to a vector of zero bytes.
 */
void starfish_vector_destroy(struct starfish_vector *vector);

#endif
