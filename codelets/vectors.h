/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Vectors in tasks: how a task takes a part and its neighbours' edges, and the algebra of vectors part by part
 * (krylov/kernels/vectors.h).
 *
 * A task attaches what it reads and writes when it is submitted. On a worker, before its kernel, it fills the ghosts of
 * what it reads beyond its part, and after it copies what it wrote to the edges: starfish_vector_fill,
 * starfish_vector_publish. In the shared layout and for one part both do nothing. */
#ifndef STARFISH_CODELETS_VECTORS_H
#define STARFISH_CODELETS_VECTORS_H

#include "base/place.h"
#include "krylov/kernels/krylov.h"
#include "krylov/kernels/vectors.h"
#include "scheduler/runtime/space.h"
#include "scheduler/runtime/task.h"

/* Columns x0 .. x1-1 of rows y0 .. y1-1, as kernels count them; rows beyond the array are the other end's where
 * `wraps`, else there are none. */
struct starfish_extent {
    ptrdiff_t x0, x1, y0, y1;
    int wraps;
};

/* Which edges of a part its writer publishes: those beside a cut that another rank reads may be computed there, too. */
enum starfish_publishing { STARFISH_NO_EDGES, STARFISH_ALL_EDGES, STARFISH_EDGES_OF_THIS_RANK };

/* How a task finds a vector's elements among its data. Zero it with STARFISH_NO_ACCESS where there is none. */
struct starfish_access {
    int buffer;       /* the first piece among the task's data; -1: none */
    int edge;         /* the first of the edges that it fills ghosts from */
    int leaving;      /* the first of those that it publishes */
    ptrdiff_t origin; /* index of the first element of that piece, as kernels count */
    size_t part;
    const struct starfish_space *space;
    int fills;
    struct starfish_extent filled; /* what it reads, of which the ghosts are filled */
    enum starfish_publishing publishes;
};
#define STARFISH_NO_ACCESS ((struct starfish_access){.buffer = -1})

/* All columns of the rows of a part. */
struct starfish_extent starfish_part_extent(const struct starfish_space *space, size_t part);

/* The part's own elements as rows of *pitch elements, in which an array of it lies, from element (0,0) on as kernels
 * count. */
struct starfish_rectangle starfish_part_elements(const struct starfish_space *space, size_t part, size_t *pitch);

/* Attach what a task on `part` reads (STARPU_R) or writes of a vector. In the shared layout these are all tiles that
 * the extent touches. Apart it is the part, and where the extent goes beyond it the edges of its neighbours. */
struct starfish_access starfish_vector_attach(struct starfish_task *task, const struct starfish_vector *vector,
                                              size_t part, const struct starfish_extent *extent,
                                              enum starpu_data_access_mode mode);
/* Of a vector apart with ghosts, as is said: `part`, fills, filled and publishes of *wanted. */
struct starfish_access starfish_vector_attach_as(struct starfish_task *task, const struct starfish_vector *vector,
                                                 const struct starfish_access *wanted,
                                                 enum starpu_data_access_mode mode);
/* Of a vector without ghosts, the edges of a part that the task has attached as data `buffer` and writes; no access
 * where the vector is NULL or has no edges. */
struct starfish_access starfish_vector_attach_edges(struct starfish_task *task, const struct starfish_vector *vector,
                                                    size_t part, int buffer);
/* Of a vector on runs of rows with halos of one row, the edge that a part reads below or above; NULL at outer ends. */
starpu_data_handle_t starfish_vector_edge_beside(const struct starfish_vector *vector, size_t part, int below);
/* Does an extent reach beyond the part? */
int starfish_extent_goes_beyond(const struct starfish_space *space, size_t part, const struct starfish_extent *extent);
/* The task runs where the owner of the part says; `otherwise` (StarPU's mask, 0: anywhere) where that is STARFISH_ANY.
 */
void starfish_task_of_owner(struct starfish_task *task, const struct starfish_space *space, size_t part,
                            uint32_t otherwise);

/* Every rank that owns a part of the space executes the task, where the owner of its first part says. */
void starfish_task_of_all_owners(struct starfish_task *task, const struct starfish_space *space, uint32_t otherwise);

/* Inside a task: pointer to element (0,0) of the array as kernels count; NULL where there is none. */
void *starfish_vector_here(void *buffers[], const struct starfish_access *access, starfish_precision precision);
/* `count` reals from one array to another in the memory of the place. This and the next three return a cudaError_t, 0
 * on cores. */
int starfish_place_copy(const struct starfish_place *place, void *to, const void *from, size_t count);
/* Rows of `width` reals that are `pitch` reals apart. */
struct starfish_pitched {
    void *first;
    size_t pitch;
};
int starfish_place_copy_rows(const struct starfish_place *place, const struct starfish_pitched *to,
                             const struct starfish_pitched *from, size_t width, size_t rows);
int starfish_vector_fill(const struct starfish_place *place, void *buffers[], const struct starfish_access *access);
int starfish_vector_publish(const struct starfish_place *place, void *buffers[], const struct starfish_access *access);

/* ---- Algebra: a task per part; every vector is on spaces of the same cut -------------------------------------------
 */

/* A factor: a number, times state[scalar] where `state` is not NULL, a table of doubles that stays where iterations run
 * (krylov/kernels/krylov.h). */
struct starfish_factor {
    double number;
    starpu_data_handle_t state;
    int scalar;
    const starpu_data_handle_t *of_part; /* the state as the owner of each part has it; NULL: `state` is everybody's */
};
static inline starpu_data_handle_t starfish_factor_state(const struct starfish_factor *factor, size_t part)
{
    return factor->of_part ? factor->of_part[part] : factor->state;
}

/* What the tasks of one computation have in common. */
struct starfish_algebra {
    struct starfish_progress *progress;
    int phase;
    uint32_t where; /* of parts that STARFISH_ANY owns: StarPU's mask, 0: anywhere */
};

/* v = u + factor * correction; u NULL: zero; correction NULL: v = u (a copy, also between layouts). v may be u or the
 * correction. Where the factor is 0 the correction may be anything. 3 words per unknown. */
starfish_status starfish_submit_update(const struct starfish_algebra *algebra, size_t part,
                                       const struct starfish_vector *u, const struct starfish_factor *factor,
                                       const struct starfish_vector *correction, const struct starfish_vector *v);
/* sums: STARFISH_SUMS doubles that add up to the inner product of u and v. 2 words per unknown. */
starfish_status starfish_submit_product(const struct starfish_algebra *algebra, size_t part,
                                        const struct starfish_vector *u, const struct starfish_vector *v,
                                        starpu_data_handle_t sums);
/* to = factor * from, or += where `adds`, between f64 and f32 in either direction. */
starfish_status starfish_submit_convert(const struct starfish_algebra *algebra, size_t part,
                                        const struct starfish_factor *factor, int adds,
                                        const struct starfish_vector *from, const struct starfish_vector *to);

/* The sums of all parts of one result. */
struct starfish_sums {
    size_t parts;
    struct starfish_coefficient_table *part; /* STARFISH_SUMS doubles each */
    double *total;                           /* of each part, once they are added up */
};
starfish_status starfish_sums_create(struct starfish_sums *sums, size_t parts);
/* The same of the parts of a space, whose ranks write them. */
starfish_status starfish_sums_create_on(struct starfish_sums *sums, const struct starfish_space *space);
void starfish_sums_destroy(struct starfish_sums *sums);
/* Wait for the tasks that write them: their sum in *total, on all ranks. RUNTIME where the runtime refuses, or is
 * stuck. */
starfish_status starfish_sums_total(const struct starfish_sums *sums, struct starfish_context *context, double *total);
/* The same of sums that are no sums: the largest of them, or what is not a number. */
starfish_status starfish_sums_largest(const struct starfish_sums *sums, struct starfish_context *context,
                                      double *largest);

#endif
