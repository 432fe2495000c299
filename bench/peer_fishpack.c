/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FISHPACK's BLKTRI: compiling the user's copy of it, loading the library, and calling it by its FORTRAN 77
 * interface. */
#include "bench/peer_fishpack.h"

#include "bench/clock.h"

#include <dlfcn.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_PATH = 4096, SOURCES = 3, SLACK = 4096 };

/* In version 4.1 `work` is a derived type that begins as zeros, and memory behind it; before, an array of reals. */
typedef void blktri_function(const int *flag, const int *np, const int *n, const double *an, const double *bn,
                             const double *cn, const int *mp, const int *m, const double *am, const double *bm,
                             const double *cm, const int *row, double *y, int *error, double *work);

/* ---- Compiling --------------------------------------------------------------------------------------------------- */

struct build {
    char folder[MOST_PATH], library[MOST_PATH + 32];
    char source[SOURCES][MOST_PATH];
    int sources;
};

static void add_source(struct build *build, const char *folder, const char *name)
{
    char *path = build->source[build->sources];
    snprintf(path, MOST_PATH, "%s/%s", folder, name);
    build->sources += access(path, R_OK) == 0;
}

/* What it says goes to standard error only where the compiler is not quiet about old FORTRAN. */
static int run_compiler(struct build *build)
{
    static char usual[] = "gfortran", folder[] = "-J", output[] = "-o";
    static char flags[][20] = {"-O3",   "-march=native", "-std=legacy", "-w", "-fdefault-real-8", "-fdefault-double-8",
                               "-fPIC", "-shared"};
    char *const compiler = getenv("FC");
    char *arguments[16 + SOURCES] = {compiler ? compiler : usual, folder, build->folder, output, build->library};
    int count = 5, status = 1;
    pid_t process;

    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        arguments[count++] = flags[i];
    for (int i = 0; i < build->sources; i++)
        arguments[count++] = build->source[i];
    if (posix_spawnp(&process, arguments[0], NULL, NULL, arguments, environ) != 0)
        return 0;
    return waitpid(process, &status, 0) == process && status == 0;
}

static int compile(struct build *build, const char *folder)
{
    const char *temporary = getenv("TMPDIR");

    *build = (struct build){.sources = 0};
    snprintf(build->folder, sizeof build->folder, "%s/starfish-fishpack-XXXXXX", temporary ? temporary : "/tmp");
    add_source(build, folder, "fish.f");
    add_source(build, folder, "comf.f");
    add_source(build, folder, "blktri.f");
    if (build->sources == 0 || !mkdtemp(build->folder))
        return 0;
    snprintf(build->library, sizeof build->library, "%s/blktri.so", build->folder);
    return run_compiler(build);
}

/* A library that is loaded needs its file no more. */
static void remove_files(const struct build *build)
{
    char module[MOST_PATH + 32];

    snprintf(module, sizeof module, "%s/fish.mod", build->folder);
    unlink(module);
    unlink(build->library);
    rmdir(build->folder);
}

/* ---- Solving ----------------------------------------------------------------------------------------------------- */

struct axis {
    double *lower, *diag, *upper;
};

static int make_axis(struct axis *axis, size_t n)
{
    const double h = 1 / ((double)n + 1);
    axis->lower = calloc(3 * n, sizeof(double));
    if (!axis->lower)
        return 0;
    axis->diag = axis->lower + n;
    axis->upper = axis->diag + n;
    for (size_t k = 0; k < n; k++) {
        axis->lower[k] = k > 0 ? 1 / (h * h) : 0;
        axis->diag[k] = -2 / (h * h);
        axis->upper[k] = k + 1 < n ? 1 / (h * h) : 0;
    }
    return 1;
}

/* Reals that BLKTRI wants for its work. */
static size_t work_size(size_t m, size_t n)
{
    size_t k = 1;
    while ((size_t)1 << k <= n)
        k++;
    const size_t longer = 2 * n > 6 * m ? 2 * n : 6 * m;
    return k * ((size_t)2 << k) + k + 5 + longer + SLACK;
}

static int solve(blktri_function *blktri, const struct peer_fishpack_problem *p, const struct axis axis[2],
                 double *work, int prepared)
{
    const int open = 1, m = (int)p->m, n = (int)p->n;
    int error = 0;
    blktri(&prepared, &open, &n, axis[1].lower, axis[1].diag, axis[1].upper, &open, &m, axis[0].lower, axis[0].diag,
           axis[0].upper, &m, p->solution, &error, work);
    return error == 0;
}

static int measure(blktri_function *blktri, const struct peer_fishpack_problem *p, int repeat, double *seconds)
{
    struct axis axis[2] = {{NULL}, {NULL}};
    double *const work = calloc(work_size(p->m, p->n), sizeof *work);
    int good = work && make_axis(&axis[0], p->m) && make_axis(&axis[1], p->n) && solve(blktri, p, axis, work, 0);

    for (int r = -1; r < repeat && good; r++) { /* once for memory that was not touched before */
        memcpy(p->solution, p->rhs, p->m * p->n * sizeof *p->rhs);
        const double start = clock_now();
        good = solve(blktri, p, axis, work, 1);
        if (r >= 0)
            seconds[r] = clock_now() - start;
    }
    free(work);
    free(axis[0].lower);
    free(axis[1].lower);
    return good;
}

int peer_fishpack(const char *folder, const struct peer_fishpack_problem *problem, int repeat, double *seconds)
{
    static struct build build;
    blktri_function *blktri = NULL;
    const int compiled = compile(&build, folder);
    void *library = compiled ? dlopen(build.library, RTLD_NOW | RTLD_LOCAL) : NULL;
    void *symbol = library ? dlsym(library, "blktri_") : NULL;

    memcpy(&blktri, &symbol, sizeof blktri); /* C has no cast from an object's pointer to a function's */
    const int good = blktri && measure(blktri, problem, repeat, seconds);
    if (library)
        dlclose(library);
    remove_files(&build);
    return good;
}
