/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes the problem files of recorded cases to a temporary folder, so that all machines solve the same problems. */
#include "apps/machine/machine.h"

#include "apps/files/array.h"
#include "apps/files/file.h"
#include "apps/files/output.h"
#include "apps/files/temporary.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char faces_name[] = "faces.npy", problem_name[] = "problem.json", mesh_name[] = "mesh.msh";

/* ends: of z. */
static json_t *poisson(const size_t n[3], const char *ends, const char *grid)
{
    return json_pack("{s:s, s:[i,i,i], s:[f,f,f], s:{s:s, s:[s,s], s:[s,s]}, s:{s:s, s:s}, s:f}", "kind", "poisson3d",
                     "n", (int)n[0], (int)n[1], (int)n[2], "length", 1.0, 1.0, 1.0, "bc", "x", "periodic", "y",
                     "neumann", "neumann", "z", ends, ends, "grid", "y", grid, "z", grid, "rhs", 1.0);
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

static starfish_status make_stretched(const char *folder, const size_t n[3], json_t **root)
{
    char path[SIMULATE_PATH];
    snprintf(path, sizeof path, "%s/%s", folder, faces_name);
    STARFISH_TRY(write_faces(path, n[1]));
    *root = poisson(n, "dirichlet", "cell");
    if (*root)
        json_object_set_new(json_object_get(*root, "grid"), "y", json_pack("{s:s}", "faces", faces_name));
    return STARFISH_SUCCESS;
}

/* On a panel; the w of the paper's CFL number. */
static json_t *atmosphere(const size_t n[3])
{
    return json_pack("{s:s, s:s, s:[i,i,i], s:f, s:f, s:f, s:f}", "kind", "atmosphere3d", "geometry", "panel", "n",
                     (int)n[0], (int)n[1], (int)n[2], "height", 0.00785, "omega", 6.6 / (double)n[0], "lambda", 1.0,
                     "rhs", 1.0);
}

/* One coefficient everywhere: the tasks are those of any. */
static json_t *diffusion(const size_t n[3])
{
    return json_pack("{s:s, s:[i,i,i], s:[f,f,f], s:{s:[s,s], s:[s,s], s:[s,s]}, s:f, s:f}", "kind", "diffusion3d", "n",
                     (int)n[0], (int)n[1], (int)n[2], "length", 1.0, 1.0, 1.0, "bc", "x", "dirichlet", "dirichlet", "y",
                     "dirichlet", "dirichlet", "z", "dirichlet", "dirichlet", "coefficient", 1.0, "rhs", 1.0);
}

/* The five-point differences of a square, as lines that the two directions share. */
static json_t *square(const size_t n[3])
{
    return json_pack("{s:s, s:[i,i], s:{s:f, s:f, s:f}, s:{s:f, s:f, s:f}, s:f}", "kind", "separable2d", "n", (int)n[0],
                     (int)n[1], "x", "lower", 1.0, "diag", -2.0, "upper", 1.0, "y", "lower", 1.0, "diag", -2.0, "upper",
                     1.0, "rhs", 1.0);
}

/* Without a given value anywhere. */
static json_t *shell(const size_t n[3])
{
    return json_pack("{s:s, s:[i,i,i], s:{s:[f,f]}, s:{s:s, s:s, s:s}, s:f}", "kind", "shell3d", "n", (int)n[0],
                     (int)n[1], (int)n[2], "range", "r", 0.5, 1.0, "bc", "phi", "periodic", "r", "neumann", "theta",
                     "pole", "rhs", 1.0);
}

static starfish_status make_uniform(const size_t n[3], const char *problem, json_t **root)
{
    static const char cells[] = "cells";
    const int on_cells = strncmp(problem, cells, sizeof cells - 1) == 0;
    const char *const kind = !on_cells ? problem : problem[sizeof cells - 1] ? problem + sizeof cells : "plain";
    const int singular = strcmp(kind, "singular") == 0, boundary = strcmp(kind, "boundary") == 0;
    STARFISH_FAIL_IF(!singular && !boundary && strcmp(kind, "plain") != 0, STARFISH_ERROR_ARGUMENT,
                     "'%s' is no problem of a recorded machine", problem);
    *root = poisson(n, singular ? "neumann" : "dirichlet", on_cells ? "cell" : "node");
    if (*root && boundary)
        json_object_set_new(*root, "boundary", json_pack("{s:f, s:f}", "z0", 1.0, "z1", 2.0));
    return STARFISH_SUCCESS;
}

/* A square of n x n quadrilaterals, whose corners are moved a little, in Gmsh's format 2.2. The four sides are group 1.
 */
static starfish_status write_mesh(const char *path, size_t n)
{
    struct starfish_output output;
    STARFISH_TRY(starfish_output_open(&output, path));
    const size_t row = n + 1;
    fprintf(output.stream, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%zu\n", row * row);
    for (size_t j = 0; j <= n; ++j)
        for (size_t i = 0; i <= n; ++i) {
            const double bend = 0.02 * sin(7.0 * (double)(i * j) / (double)(n * n));
            fprintf(output.stream, "%zu %.17g %.17g 0\n", 1 + i + row * j, (double)i / (double)n + bend,
                    (double)j / (double)n - bend);
        }
    fprintf(output.stream, "$EndNodes\n$Elements\n%zu\n", n * n + 4 * n);
    for (size_t i = 0; i < n; ++i) {
        const size_t at = 4 * i, last = row * n;
        fprintf(output.stream, "%zu 1 2 1 1 %zu %zu\n%zu 1 2 1 1 %zu %zu\n", at + 1, i + 1, i + 2, at + 2, last + i + 1,
                last + i + 2);
        fprintf(output.stream, "%zu 1 2 1 1 %zu %zu\n%zu 1 2 1 1 %zu %zu\n", at + 3, row * i + 1, row * (i + 1) + 1,
                at + 4, row * i + n + 1, row * (i + 1) + n + 1);
    }
    for (size_t j = 0; j < n; ++j)
        for (size_t i = 0; i < n; ++i) {
            const size_t corner = 1 + i + row * j;
            fprintf(output.stream, "%zu 3 2 2 2 %zu %zu %zu %zu\n", 4 * n + 1 + i + n * j, corner, corner + 1,
                    corner + row + 1, corner + row);
        }
    fprintf(output.stream, "$EndElements\n");
    return starfish_output_finish(&output, STARFISH_SUCCESS);
}

static const char elements[] = "elements";

void machine_problem_path(const char *folder, const char *problem, char path[SIMULATE_PATH])
{
    snprintf(path, SIMULATE_PATH, "%s/%s", folder, strcmp(problem, elements) == 0 ? mesh_name : problem_name);
}

starfish_status machine_write_problem(const char *folder, const size_t n[3], const char *problem)
{
    char path[SIMULATE_PATH];
    json_t *root = NULL;
    const size_t size[3] = {n[0], n[1] ? n[1] : n[0], n[1] ? n[2] : n[0]};
    machine_problem_path(folder, problem, path);
    if (strcmp(problem, elements) == 0)
        return write_mesh(path, n[0]);
    if (strcmp(problem, "atmosphere") == 0)
        root = atmosphere(size);
    else if (strcmp(problem, "diffusion") == 0)
        root = diffusion(size);
    else if (strcmp(problem, "square") == 0)
        root = square(size);
    else if (strcmp(problem, "shell") == 0)
        root = shell(size);
    else
        STARFISH_TRY(strcmp(problem, "stretched") == 0 ? make_stretched(folder, size, &root)
                                                       : make_uniform(size, problem, &root));
    const int failed = !root || json_dump_file(root, path, JSON_INDENT(2)) != 0;
    json_decref(root);
    return failed ? starfish_fail(STARFISH_ERROR_FILE, "%s: cannot be written", path) : STARFISH_SUCCESS;
}

static const char *const case_files[] = {problem_name, faces_name, mesh_name, "sched.json"};
enum { CASE_FILES = sizeof case_files / sizeof case_files[0] };

starfish_status machine_expect_case(const char *folder)
{
    char path[SIMULATE_PATH];
    for (size_t i = 0; i < CASE_FILES; ++i) {
        snprintf(path, sizeof path, "%s/%s", folder, case_files[i]);
        STARFISH_FAIL_IF(starfish_temporary_expect(path) != 0, STARFISH_ERROR_FILE, "%s: %s", path, strerror(errno));
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
