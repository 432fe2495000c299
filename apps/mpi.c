/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* --mpi: loads the library that uses MPI when it is needed, and makes sure that all ranks run the same command line. */
#include "apps/mpi.h"

#include "apps/command.h"
#include "base/fingerprint.h"
#include "scheduler/runtime/ranks.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static starfish_status mpi_open(const struct starfish_transport **transport)
{
    char text[256];
    void *library = load();
    open_function *open_mpi = NULL;
    if (library) { /* functions are no objects to C: copied as what dlsym says */
        *(void **)&open_mpi = dlsym(library, "starfish_mpi_open");
        *(void **)&close_mpi = dlsym(library, "starfish_mpi_close");
    }
    STARFISH_FAIL_IF(!open_mpi || !close_mpi, STARFISH_ERROR_UNSUPPORTED, "--mpi: %s cannot be loaded: %s",
                     library_name, dlerror());
    *transport = open_mpi(text, sizeof text);
    return *transport ? STARFISH_SUCCESS : starfish_fail(STARFISH_ERROR_RUNTIME, "--mpi: %s", text);
}

void mpi_close(const struct starfish_transport *transport)
{
    if (transport)
        close_mpi(transport);
}

/* Whether this is the first of the processes that a launcher has started, by its variables: who speaks while there is
 * no MPI. */
static int is_first_launched(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *rank = getenv(names[i]);
        if (rank)
            return atoi(rank) == 0;
    }
    return 1;
}

static starfish_status begin(int argc, char **argv, int *asked, const struct starfish_transport **transport)
{
    *asked = 0;
    for (int i = 1; i < argc && !options_ask_help(argc, argv); i++)
        *asked |= strcmp(argv[i], "--mpi") == 0;
    if (!*asked)
        return STARFISH_SUCCESS;
    command_set_silent(!is_first_launched());
    STARFISH_TRY(mpi_open(transport));
    command_set_silent((*transport)->rank > 0);
    return STARFISH_SUCCESS;
}

/* All ranks run one subcommand, with the same options. */
static void walk(const void *data, struct starfish_alike *alike)
{
    const struct command_line *line = data;
    uint64_t usage = STARFISH_FINGERPRINT;
    starfish_fingerprint_text(&usage, line->usage);
    starfish_alike_add(alike, &(struct starfish_alike_name){.text = "the subcommand"}, usage);
    for (const struct option_entry *entry = line->options; entry->name; ++entry)
        if (!entry->may_differ)
            starfish_alike_add(alike, &(struct starfish_alike_name){.text = entry->name}, options_fingerprint(entry));
}

int mpi_run(const struct command_line *line, int argc, char **argv, int *asked,
            const struct starfish_transport **transport, starfish_status (*run)(void *), void *data)
{
    starfish_status status = begin(argc, argv, asked, transport);
    if (status == STARFISH_SUCCESS && !*transport)
        return options_run(line, argc, argv, run, data);
    STARFISH_THEN(status, starfish_transport_agree_on(*transport, options_read(line, argc, argv), walk, line));
    STARFISH_THEN(status, run(data));
    return options_end(line, status, line->json && *line->json);
}
