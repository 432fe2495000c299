/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The transforms of whole xy-planes with plans for every worker: in x a fast transform, in y a fast transform or a
 * change of basis. */
#ifndef STARFISH_CODELETS_PLANE_SET_H
#define STARFISH_CODELETS_PLANE_SET_H

#include "base/place.h"
#include "codelets/basis_set.h"
#include "codelets/transform_set.h"
#include "scheduler/runtime/workspace.h"

struct starfish_plane_set {
    struct starfish_transform_set x, y; /* y only where it has a transform */
    struct starfish_basis_set basis;    /* of y, where it has none */
    size_t n[2], max_planes;
    starfish_precision precision;
};

/* How y is transformed: by `kind`, or by `operator_y` (not NULL) and its eigenvectors. Planes are done at most
 * `max_planes` at a time. */
starfish_status starfish_plane_set_create(struct starfish_plane_set *set, struct starfish_context *context,
                                          const enum starfish_transform_kind kind[2], const size_t n[2],
                                          const struct starfish_basis_operator *operator_y, size_t max_planes,
                                          starfish_precision precision);
void starfish_plane_set_destroy(struct starfish_plane_set *set);
/* Is y a change of basis? */
int starfish_plane_set_has_basis(const struct starfish_plane_set *set);
/* What forward and backward together multiply a field by. */
double starfish_plane_set_scale(const struct starfish_plane_set *set);
/* Bytes of work space that a task needs on a worker of each kind: on the CPU, for each core. */
size_t starfish_plane_set_workspace(const struct starfish_plane_set *set, starfish_worker_kind kind);

/* Of a set that is not made yet: bytes of a GPU's memory, work space and matrices. */
size_t starfish_plane_set_device_bytes(struct starfish_context *context, const enum starfish_transform_kind kind[2],
                                       const size_t n[2], int has_basis_y, size_t max_planes,
                                       starfish_precision precision);

/* Inside a task. Element (i,j,k) at [i + nx*(j + ny*k)], of `in` (read only, unless it is `out`) and `out`; with
 * strides as fft/kernels/planes.h says, values where these have them, and BACKWARD overwrites `in`. */
struct starfish_planes {
    enum starfish_transform_direction direction;
    size_t planes;
    const void *in;
    void *out;
    double scale;
    void *workspace;
    struct starfish_strides strides;
};
/* On one core, or all on a GPU. Returns a cudaError_t, 0 on a core. */
int starfish_plane_set_here(const struct starfish_place *place, const struct starfish_plane_set *set,
                            const struct starfish_planes *planes);
/* The same, shared by the cores of the running worker's team; planes->workspace is not looked at. */
int starfish_plane_set_share(const struct starfish_place *place, const struct starfish_plane_set *set,
                             const struct starfish_workspace *workspace, const struct starfish_planes *planes);

#endif
