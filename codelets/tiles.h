/* A 2D array as runtime data: one block per tile of a rectangular cut. A 3D array is one of nx*ny columns and nz rows.
 *
 * Tasks take rows or columns of tiles, and reach into the tiles beside them. Kernels see one array: all tiles of an
 * array with memory of its own lie where they lie in it, which holds as long as they stay in that memory. So an array
 * is cut only where all workers share one memory, and is one tile otherwise, which the runtime may copy whole. */
#ifndef STARFISH_CODELETS_TILES_H
#define STARFISH_CODELETS_TILES_H

#include "multigrid/kernels/band.h"
#include "scheduler/task.h"

/* Two arrays' tiles and a row of a third's are what a task has at most: STARFISH_TASK_MAX_DATA. */
enum { STARFISH_TILES_MOST_PARTS = 16 };

/* How an array is cut: at most so many parts of either direction, and columns at multiples of `grain` alone (of a 3D
 * array nx, so that rows stay whole). */
struct starfish_tiling {
    size_t parts[2], grain;
};

struct starfish_tiles {
    starfish_precision precision;
    size_t n[2], parts[2];
    size_t first[2][STARFISH_TILES_MOST_PARTS + 1]; /* where the parts of each direction begin */
    starpu_data_handle_t handle[STARFISH_TILES_MOST_PARTS * STARFISH_TILES_MOST_PARTS]; /* x fastest */
    void *memory;                                                                       /* ours, or NULL */
};

/* Over memory on a node of the runtime's. */
void starfish_tiles_over(struct starfish_tiles *tiles, starfish_precision precision, const size_t n[2],
                         const struct starfish_tiling *tiling, int node, void *memory);
/* With memory of its own: on the host, or, for one part alone, where it is first written. */
starfish_status starfish_tiles_create(struct starfish_tiles *tiles, starfish_precision precision, const size_t n[2],
                                      const struct starfish_tiling *tiling, int on_host);
/* Waits for its tasks; what was registered over memory is brought back to it. */
void starfish_tiles_destroy(struct starfish_tiles *tiles);

/* Parts first .. last-1 of both directions. */
struct starfish_rectangle starfish_tiles_rectangle(const struct starfish_tiles *tiles, const size_t first[2],
                                                   const size_t last[2]);

/* How a task finds the array's element (0,0): the first of the tiles that it has, and where in the array that begins.
 */
struct starfish_tile_access {
    int buffer; /* -1: none */
    size_t offset;
};

/* Attach the tiles that a rectangle touches. */
struct starfish_tile_access starfish_tiles_attach(struct starfish_task *task, const struct starfish_tiles *tiles,
                                                  struct starfish_rectangle at, enum starpu_data_access_mode mode);
/* Inside the task; NULL where there is none. */
void *starfish_tiles_here(void *buffers[], struct starfish_tile_access access, starfish_precision precision);

#endif
