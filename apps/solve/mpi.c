/* --mpi: the library that knows MPI, which is loaded when it is asked for, and the files that all ranks write. */
#include "apps/solve/solve.h"

#include "apps/files/planes.h"
#include "scheduler/ranks.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- The library ------------------------------------------------------------------------------------------------- */

static const char library_name[] = "libstarfish_mpi.so.0";
typedef const struct starfish_transport *open_function(char *text, size_t size);
typedef void close_function(const struct starfish_transport *transport);
static close_function *close_mpi;

/* Beside the program, in ../lib as it is built and installed, or where the system looks. */
static void *load(void)
{
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    void *library = NULL;
    if (length > 0) {
        path[length] = '\0';
        for (int up = 0; up < 2 && strrchr(path, '/'); up++)
            *strrchr(path, '/') = '\0';
        const size_t used = strlen(path);
        if ((size_t)snprintf(path + used, sizeof path - used, "/lib/%s", library_name) < sizeof path - used)
            library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    }
    return library ? library : dlopen(library_name, RTLD_NOW | RTLD_GLOBAL);
}

starfish_status solve_open_mpi(struct solve_run *run)
{
    char text[256];
    void *library = load();
    open_function *open_mpi = NULL;
    if (library) { /* functions are no objects to C: copied as what dlsym says */
        *(void **)&open_mpi = dlsym(library, "starfish_mpi_open");
        *(void **)&close_mpi = dlsym(library, "starfish_mpi_close");
    }
    if (!open_mpi || !close_mpi)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "--mpi: %s cannot be loaded: %s", library_name, dlerror());
    run->solver.transport = open_mpi(text, sizeof text);
    return run->solver.transport ? STARFISH_SUCCESS : starfish_fail(STARFISH_ERROR_RUNTIME, "--mpi: %s", text);
}

void solve_close_mpi(struct solve_run *run)
{
    if (run->solver.transport)
        close_mpi(run->solver.transport);
    run->solver.transport = NULL;
}

int solve_is_first_launched(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *rank = getenv(names[i]);
        if (rank)
            return atoi(rank) == 0;
    }
    return 1;
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

/* The first rank's struct on all; its messages are short enough for that. */
static starfish_status tell_all(const struct problem_run *run, struct starfish_planes_file *file)
{
    const struct starfish_transport *transport = run->transport;
    if (transport->broadcast(transport->state, file, sizeof *file, 0) != 0)
        return starfish_fail(STARFISH_ERROR_RUNTIME, "MPI: %s", transport->text(transport->state));
    return STARFISH_SUCCESS;
}

static starfish_status write_planes(const struct problem_run *run, const struct starfish_planes_file *file)
{
    starfish_status status = STARFISH_SUCCESS;
    for (int turn = 0; turn < (file->one_at_a_time ? run->transport->ranks : 1); turn++) {
        if (status == STARFISH_SUCCESS && (!file->one_at_a_time || turn == run->transport->rank))
            status = starfish_planes_write(file, run->problem.first_plane, &run->solution);
        status = starfish_transport_agree(run->transport, status);
    }
    return status;
}

/* The whole solution but for its data. */
static struct starfish_array whole(const struct problem_run *run)
{
    struct starfish_array array = {.precision = run->precision, .axes = run->solution.axes};
    array.rank = starfish_problem_shape(&run->problem, array.shape);
    return array;
}

starfish_status solve_write_together(const struct problem_run *run, const char *name,
                                     const struct starfish_vtk_axis *axis)
{
    struct starfish_planes_output *output = calloc(1, sizeof *output); /* two of its kind are large for a stack */
    const struct starfish_array array = whole(run);
    const int first = run->transport->rank == 0;
    starfish_status status =
        output ? STARFISH_SUCCESS : starfish_fail(STARFISH_ERROR_MEMORY, "%s: no memory for its name", name);
    if (first && output)
        status =
            axis ? starfish_planes_begin_vtk(output, name, axis, &array) : starfish_planes_begin(output, name, &array);
    const int begun = first && status == STARFISH_SUCCESS;
    status = starfish_transport_agree(run->transport, status);
    if (output && status == STARFISH_SUCCESS)
        status = tell_all(run, &output->file);
    if (output && status == STARFISH_SUCCESS)
        status = write_planes(run, &output->file);
    if (begun)
        status = starfish_planes_finish(output, status);
    free(output);
    return starfish_transport_agree(run->transport, status);
}
