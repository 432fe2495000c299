/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FISHPACK: compiling the user's copy of it, loading the library, and calling it by its FORTRAN 77 interface. */
#include "bench/peer_fishpack.h"

#include <dlfcn.h>
#include <glob.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_PATH = 1024, MOST_NAME = 32 };

/* The compiler's own arguments, and then the sources. fish.f, the module of version 90, comes first; its second place
 * in the list does no harm. Of several definitions, such as `main` of test programs, the linker takes the first
 * (muldefs). Messages of the compiler go to standard error. */
static int compile(const char *sources, char *modules, char *library)
{
    static char usual[] = "gfortran", module[] = "-J", output[] = "-o";
    static char flags[][26] = {"-O3",   "-march=native",    "-std=legacy",
                               "-w",    "-fdefault-real-8", "-fdefault-double-8",
                               "-fPIC", "-shared",          "-Wl,-z,muldefs"};
    enum { FLAGS = sizeof flags / sizeof flags[0], FIRST = 5 };
    char *const compiler = getenv("FC"), *const first[FIRST] = {compiler ? compiler : usual, module, modules, output,
                                                                library};
    glob_t found;
    pid_t process;
    int status = glob(sources, GLOB_BRACE, NULL, &found);
    char **line = status == 0 ? calloc(FIRST + FLAGS + found.gl_pathc + 1, sizeof *line) : NULL;

    if (line) {
        memcpy(line, first, sizeof first);
        for (size_t i = 0; i < FLAGS; i++)
            line[FIRST + i] = flags[i];
        memcpy(line + FIRST + FLAGS, found.gl_pathv, found.gl_pathc * sizeof *line);
        if (posix_spawnp(&process, line[0], NULL, NULL, line, environ) != 0 || waitpid(process, &status, 0) != process)
            status = 1;
    }
    const int is_compiled = line && status == 0;
    free(line);
    globfree(&found);
    return is_compiled;
}

void *peer_fishpack_open(const char *folder)
{
    char sources[MOST_PATH], place[MOST_PATH], module[MOST_PATH + 32], path[MOST_PATH + 32];
    const char *temporary = getenv("TMPDIR");
    void *library = NULL;

    snprintf(sources, sizeof sources, "%s/{fish.f,*.f}", folder);
    snprintf(place, sizeof place, "%s/starfish-fishpack-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(place))
        return NULL;
    snprintf(module, sizeof module, "%s/fish.mod", place);
    snprintf(path, sizeof path, "%s/fishpack.so", place);
    if (compile(sources, place, path))
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    unlink(path); /* a library that is loaded does not need its file */
    unlink(module);
    rmdir(place);
    return library;
}

void peer_fishpack_close(void *library)
{
    if (library)
        dlclose(library);
}

int peer_fishpack_call(void *library, const char *name, void *const *a)
{
    void (*routine)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                    void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                    void *, void *);
    char symbol[MOST_NAME];
    snprintf(symbol, sizeof symbol, "%s_", name);
    void *const found = dlsym(library, symbol);
    if (!found)
        return 0;
    memcpy(&routine, &found, sizeof routine); /* C has no cast from an object's pointer to a function's */
    routine(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14], a[15], a[16],
            a[17], a[18], a[19], a[20], a[21], a[22], a[23], a[24], a[25]);
    return 1;
}
