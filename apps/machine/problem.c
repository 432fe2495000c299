/* The problem files of recorded cases, in a folder for a moment: so that all machines solve the same. */
#include "apps/machine/machine.h"

#include "apps/files/array.h"
#include "apps/files/file.h"
#include "apps/files/temporary.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char faces_name[] = "faces.npy", problem_name[] = "problem.json";

/* ends: of z. */
static json_t *poisson(size_t n, const char *ends, const char *grid)
{
    return json_pack("{s:s, s:[i,i,i], s:[f,f,f], s:{s:s, s:[s,s], s:[s,s]}, s:{s:s, s:s}, s:f}", "kind", "poisson3d",
                     "n", (int)n, (int)n, (int)n, "length", 1.0, 1.0, 1.0, "bc", "x", "periodic", "y", "neumann",
                     "neumann", "z", ends, ends, "grid", "y", grid, "z", grid, "rhs", 1.0);
}

/* n cells in 0 .. 1, of which each is as many times as wide as the one before. */
static starfish_status write_faces(const char *path, size_t n)
{
    static const double widest_over_least = 1e6;
    const double ratio = pow(widest_over_least, 1 / (double)(n > 1 ? n - 1 : 1));
    struct starfish_array faces;
    const size_t count = n + 1;
    STARFISH_TRY(starfish_array_create(&faces, STARFISH_F64, 1, &count));
    double *face = faces.data, width = 1;
    face[0] = 0;
    for (size_t i = 0; i < n; ++i, width *= ratio)
        face[i + 1] = face[i] + width;
    for (size_t i = 0; i <= n; ++i)
        face[i] /= face[n];
    const starfish_status status = starfish_file_write(path, &faces);
    starfish_array_free(&faces);
    return status;
}

static starfish_status make_stretched(const char *folder, size_t n, json_t **root)
{
    char path[SIMULATE_PATH];
    snprintf(path, sizeof path, "%s/%s", folder, faces_name);
    STARFISH_TRY(write_faces(path, n));
    *root = poisson(n, "dirichlet", "cell");
    if (*root)
        json_object_set_new(json_object_get(*root, "grid"), "y", json_pack("{s:s}", "faces", faces_name));
    return STARFISH_SUCCESS;
}

/* Columns of a quarter as many cells, as many across, on a panel; the w of the paper's CFL number. */
static json_t *atmosphere(size_t n)
{
    return json_pack("{s:s, s:s, s:[i,i,i], s:f, s:f, s:f, s:f}", "kind", "atmosphere3d", "geometry", "panel", "n",
                     (int)n, (int)n, (int)(n / 4), "height", 0.00785, "omega", 6.6 / (double)n, "lambda", 1.0, "rhs",
                     1.0);
}

/* One coefficient everywhere: the tasks are those of any. */
static json_t *diffusion(size_t n)
{
    return json_pack("{s:s, s:[i,i,i], s:[f,f,f], s:{s:[s,s], s:[s,s], s:[s,s]}, s:f, s:f}", "kind", "diffusion3d", "n",
                     (int)n, (int)n, (int)n, "length", 1.0, 1.0, 1.0, "bc", "x", "dirichlet", "dirichlet", "y",
                     "dirichlet", "dirichlet", "z", "dirichlet", "dirichlet", "coefficient", 1.0, "rhs", 1.0);
}

static starfish_status make_uniform(size_t n, const char *problem, json_t **root)
{
    static const char cells[] = "cells";
    const int on_cells = strncmp(problem, cells, sizeof cells - 1) == 0;
    const char *const kind = !on_cells ? problem : problem[sizeof cells - 1] ? problem + sizeof cells : "plain";
    const int singular = strcmp(kind, "singular") == 0, boundary = strcmp(kind, "boundary") == 0;
    if (!singular && !boundary && strcmp(kind, "plain") != 0)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "'%s' is no problem of a recorded machine", problem);
    *root = poisson(n, singular ? "neumann" : "dirichlet", on_cells ? "cell" : "node");
    if (*root && boundary)
        json_object_set_new(*root, "boundary", json_pack("{s:f, s:f}", "z0", 1.0, "z1", 2.0));
    return STARFISH_SUCCESS;
}

starfish_status machine_write_problem(const char *folder, size_t n, const char *problem)
{
    char path[SIMULATE_PATH];
    json_t *root = NULL;
    snprintf(path, sizeof path, "%s/%s", folder, problem_name);
    if (strcmp(problem, "atmosphere") == 0)
        root = atmosphere(n);
    else if (strcmp(problem, "diffusion") == 0)
        root = diffusion(n);
    else
        STARFISH_TRY(strcmp(problem, "stretched") == 0 ? make_stretched(folder, n, &root)
                                                       : make_uniform(n, problem, &root));
    const int failed = !root || json_dump_file(root, path, JSON_INDENT(2)) != 0;
    json_decref(root);
    return failed ? starfish_fail(STARFISH_ERROR_FILE, "%s: cannot be written", path) : STARFISH_SUCCESS;
}

static const char *const case_files[] = {problem_name, faces_name, "sched.json"};
enum { CASE_FILES = sizeof case_files / sizeof case_files[0] };

starfish_status machine_expect_case(const char *folder)
{
    char path[SIMULATE_PATH];
    for (size_t i = 0; i < CASE_FILES; ++i) {
        snprintf(path, sizeof path, "%s/%s", folder, case_files[i]);
        if (starfish_temporary_expect(path) != 0)
            return starfish_fail(STARFISH_ERROR_FILE, "%s: %s", path, strerror(errno));
    }
    return STARFISH_SUCCESS;
}

void machine_remove_case(const char *folder)
{
    char path[SIMULATE_PATH];
    for (size_t i = 0; i < CASE_FILES; ++i) {
        snprintf(path, sizeof path, "%s/%s", folder, case_files[i]);
        starfish_temporary_remove(path);
    }
}
