/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* --mpi: the files that all ranks write together (apps/files/planes.h), each its planes of the solution; the first rank
 * names them. */
#include "apps/solve/solve.h"

#include "apps/files/planes.h"
#include "scheduler/runtime/ranks.h"

#include <stdlib.h>

/* The first rank's struct on all; its messages are short enough for that. */
static starfish_status report_all(const struct problem_run *run, struct starfish_planes_file *file)
{
    const struct starfish_transport *transport = run->transport;
    STARFISH_FAIL_IF(transport->broadcast(transport->state, file, sizeof *file, 0) != 0, STARFISH_ERROR_RUNTIME,
                     "MPI: %s", transport->text(transport->state));
    return STARFISH_SUCCESS;
}

static starfish_status write_planes(const struct problem_run *run, const struct starfish_planes_file *file,
                                    const struct starfish_array *planes)
{
    starfish_status status = STARFISH_SUCCESS;
    for (int turn = 0; turn < (file->one_at_a_time ? run->transport->ranks : 1); turn++) {
        if (status == STARFISH_SUCCESS && (!file->one_at_a_time || turn == run->transport->rank))
            status = starfish_planes_write(file, run->problem.first_plane, planes);
        status = starfish_transport_agree(run->transport, status);
    }
    return status;
}

/* The whole of what `planes` are a part of, but for its data. */
static struct starfish_array whole(const struct problem_run *run, const struct starfish_array *planes)
{
    struct starfish_array array = {.precision = run->precision, .axes = run->solution.axes};
    array.rank = starfish_problem_shape(&run->problem, array.shape);
    array.shape[array.rank - 1] = planes->shape[planes->rank - 1];
    return array;
}

starfish_status solve_write_together(const struct problem_run *run, const char *name,
                                     const struct starfish_vtk_grid *grid, const struct starfish_array *planes)
{
    struct starfish_planes_output *output = calloc(1, sizeof *output); /* two of its kind are large for a stack */
    const struct starfish_array array = whole(run, planes);
    const int first = run->transport->rank == 0;
    starfish_status status =
        output ? STARFISH_SUCCESS : starfish_fail(STARFISH_ERROR_MEMORY, "%s: no memory for its name", name);
    if (first && output)
        status =
            grid ? starfish_planes_begin_vtk(output, name, grid, &array) : starfish_planes_begin(output, name, &array);
    const int begun = first && status == STARFISH_SUCCESS;
    status = starfish_transport_agree(run->transport, status);
    if (output && status == STARFISH_SUCCESS)
        status = report_all(run, &output->file);
    if (output && status == STARFISH_SUCCESS)
        status = write_planes(run, &output->file, planes);
    if (begun)
        status = starfish_planes_finish(output, status);
    free(output);
    return starfish_transport_agree(run->transport, status);
}
