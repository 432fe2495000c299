/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starting the program for simulated machines (simulate.h): finds the machine's folder and that program, and sets the
 * variables that StarPU reads. */
#include "apps/recorded/simulate.h"

#include "apps/command.h"
#include "apps/files/temporary.h"
#include "apps/options.h"
#include "apps/recorded/recorded.h"
#include "base/meant.h"
#include "scheduler/lab/simulated.h"
#include "scheduler/lab/sizes.h"

#include <dirent.h>
#include <errno.h>
#include <fftw3.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

/* ---- where things are -------------------------------------------------------------------------------------------- */

/* A path relative to the folder of this program. */
static int beside(const char *relative, char path[SIMULATE_PATH])
{
    char program[SIMULATE_PATH / 2];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0)
        return 0;
    program[length] = '\0';
    char *end = strrchr(program, '/');
    if (!end)
        return 0;
    *end = '\0';
    return snprintf(path, SIMULATE_PATH, "%s/%s", program, relative) < SIMULATE_PATH;
}

int simulate_place(int which, char folder[SIMULATE_PATH])
{
    const char *given = getenv("STARFISH_MACHINES");
    const int from_variable = given && *given && strlen(given) < SIMULATE_PATH;
    if (which == 0 && from_variable) {
        snprintf(folder, SIMULATE_PATH, "%s", given);
        return 1;
    }
    return which == from_variable && beside("../share/starfish/machines", folder);
}

starfish_status simulate_program(char path[SIMULATE_PATH])
{
    static const char *const places[] = {"starfish-simulated", "../libexec/starfish/starfish-simulated"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i)
        if (beside(places[i], path) && access(path, X_OK) == 0)
            return STARFISH_SUCCESS;
    return starfish_fail(STARFISH_ERROR_UNSUPPORTED,
                         "this Starfish was built without StarPU for SimGrid: ./bootstrap simulation makes it");
}

/* ---- machines ---------------------------------------------------------------------------------------------------- */

static int is_machine(const char *folder)
{
    char path[SIMULATE_PATH + 32];
    snprintf(path, sizeof path, "%s/machine.json", folder);
    return access(path, R_OK) == 0;
}

static int is_machine_in(const char *place, const char *name, char folder[SIMULATE_PATH])
{
    return name[0] != '.' && snprintf(folder, SIMULATE_PATH, "%s/%s", place, name) < SIMULATE_PATH &&
           is_machine(folder);
}

void simulate_list(char *text, size_t size)
{
    char place[SIMULATE_PATH], folder[SIMULATE_PATH];
    size_t length = 0;
    for (int which = 0; simulate_place(which, place); ++which) {
        struct dirent **entry;
        const int count = scandir(place, &entry, NULL, alphasort);
        for (int i = 0; i < count; ++i) {
            if (is_machine_in(place, entry[i]->d_name, folder) && length < size)
                length += (size_t)snprintf(text + length, size - length, "%s%s", length ? ", " : "", entry[i]->d_name);
            free(entry[i]);
        }
        if (count >= 0)
            free(entry);
    }
    if (length == 0)
        snprintf(text, size, "none");
}

starfish_status simulate_find(const char *name, char folder[SIMULATE_PATH])
{
    char place[SIMULATE_PATH], known[1024], meant[STARFISH_MEANT];
    if (strchr(name, '/')) {
        if (strlen(name) < SIMULATE_PATH && is_machine(name)) {
            snprintf(folder, SIMULATE_PATH, "%s", name);
            return STARFISH_SUCCESS;
        }
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s: no machine.json there", name);
    }
    for (int which = 0; simulate_place(which, place); ++which)
        if (is_machine_in(place, name, folder))
            return STARFISH_SUCCESS;
    simulate_list(known, sizeof known);
    return starfish_fail(STARFISH_ERROR_ARGUMENT, "no machine named '%s'%s; there is %s", name,
                         starfish_meant(name, known, ", ", meant), known);
}

/* ---- the other program ------------------------------------------------------------------------------------------- */

/* Value of --simulate, NULL without. */
static const char *machine_asked_for(int argc, char **argv)
{
    static const char option[] = "--simulate";
    const size_t length = sizeof option - 1;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], option) == 0)
            return i + 1 < argc ? argv[i + 1] : NULL;
        if (strncmp(argv[i], option, length) == 0 && argv[i][length] == '=')
            return argv[i] + length + 1;
    }
    return NULL;
}

int simulate_wanted(int argc, char **argv)
{
    return !SIMULATED && !options_ask_help(argc, argv) && machine_asked_for(argc, argv);
}

starfish_status simulate_set(const char *variable, const char *value)
{
    STARFISH_FAIL_IF(setenv(variable, value, 1) != 0, STARFISH_ERROR_MEMORY, "out of memory for variables");
    return STARFISH_SUCCESS;
}

starfish_status simulate_environment(const char *folder)
{
    static char absolute[PATH_MAX], sampling[PATH_MAX + 16], models[PATH_MAX + 128];
    struct starfish_machine machine;
    STARFISH_TRY(machine_read(folder, &machine));
    STARFISH_FAIL_IF(!realpath(folder, absolute), STARFISH_ERROR_FILE, "%s: %s", folder, strerror(errno));
    snprintf(sampling, sizeof sampling, "%s/sampling", absolute);
    snprintf(models, sizeof models, "%s/../%s/sampling", absolute, machine.models);
    const char *const variables[][2] = {{"STARPU_PERF_MODEL_PATH", models}, /* of another machine, or not set */
                                        {"STARFISH_MACHINE", absolute},
                                        {"STARPU_PERF_MODEL_DIR", sampling},
                                        {"STARPU_HOSTNAME", machine.models[0] ? machine.models : machine.name},
                                        {"STARPU_PERF_MODEL_HOMOGENEOUS_CUDA", "1"},
                                        {"STARPU_NOPENCL", "0"}};
    for (size_t i = machine.models[0] ? 0 : 1; i < sizeof variables / sizeof variables[0]; ++i)
        STARFISH_TRY(simulate_set(variables[i][0], variables[i][1]));
    /* As contexts do (scheduler/runtime/start.c), but the simulating StarPU reads its folders before there is one, and
     * would say that an installation which has been moved has none of models. */
    STARFISH_FAIL_IF(setenv("STARPU_SILENT", "1", 0) != 0, STARFISH_ERROR_MEMORY, "out of memory for variables");
    return STARFISH_SUCCESS;
}

starfish_status simulate_isolate(const char *folder)
{
    struct starfish_machine machine;
    char topology[64];
    STARFISH_TRY(machine_read(folder, &machine));
    snprintf(topology, sizeof topology, "numa:%d core:%d pu:1", machine.numa_nodes,
             (machine.cores + machine.numa_nodes - 1) / machine.numa_nodes);
    STARFISH_TRY(simulate_set("HWLOC_SYNTHETIC", topology));
    personality(ADDR_NO_RANDOMIZE);
    return STARFISH_SUCCESS;
}

static struct {
    char folder[32], file[48];
} learnt;

void simulate_discard(void)
{
    if (!learnt.file[0])
        return;
    starfish_temporary_remove(learnt.file);
    starfish_temporary_remove(learnt.folder);
    learnt.file[0] = '\0';
}

starfish_status simulate_learn_anew(void)
{
    simulate_discard();
    snprintf(learnt.folder, sizeof learnt.folder, "/tmp/starfish-XXXXXX");
    STARFISH_FAIL_IF(starfish_temporary_folder(learnt.folder) != 0, STARFISH_ERROR_FILE,
                     "/tmp: no folder can be made there: %s", strerror(errno));
    snprintf(learnt.file, sizeof learnt.file, "%s/heteroprio", learnt.folder);
    STARFISH_FAIL_IF(starfish_temporary_expect(learnt.file) != 0, STARFISH_ERROR_MEMORY, "out of memory for variables");
    return simulate_set("STARPU_HETEROPRIO_DATA_FILE", learnt.file);
}

/* What footprints of the recorded tasks were made of lies beside the models. */
static starfish_status read_sizes(void)
{
    static const char *const variables[] = {"STARPU_PERF_MODEL_DIR", "STARPU_PERF_MODEL_PATH"};
    char path[SIMULATE_PATH + 16];
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; ++i) {
        const char *folder = getenv(variables[i]);
        snprintf(path, sizeof path, "%s/sizes", folder ? folder : "");
        if (folder && strlen(folder) < SIMULATE_PATH)
            STARFISH_TRY(starfish_sizes_read(path));
    }
    return STARFISH_SUCCESS;
}

starfish_status simulate_begin(void)
{
    json_object_seed(1);
    fftw_set_timelimit(0); /* FFTW measures its plans, which are never used here */
    fftwf_set_timelimit(0);
    STARFISH_TRY(read_sizes());
    return simulate_learn_anew();
}

static void describe_machine(const char *name, char *text, size_t size)
{
    const struct starfish_recorded_counts counts = starfish_recorded_count();
    if (counts.estimated == 0)
        snprintf(text, size, "simulated: machine %s, with recorded times of all tasks", name);
    else
        snprintf(text, size, "simulated: machine %s; of %zu of %zu tasks the times are estimates from other sizes%s",
                 name, counts.estimated, counts.submitted,
                 2 * counts.far > counts.run ? ", most of them more than 4 times larger or smaller" : "");
}

void simulate_describe(char *text, size_t size)
{
    text[0] = '\0';
    if (SIMULATED && starfish_machine_named())
        describe_machine(starfish_machine_named()->name, text, size);
}

static starfish_status become(const char *name, int argc, char **argv)
{
    char program[SIMULATE_PATH], folder[SIMULATE_PATH];
    STARFISH_FAIL_IF(simulate_find(name, folder) != STARFISH_SUCCESS, STARFISH_ERROR_ARGUMENT, "--simulate: %s",
                     starfish_error_message());
    STARFISH_TRY(simulate_program(program));
    STARFISH_TRY(simulate_check(folder));
    STARFISH_TRY(simulate_environment(folder));
    STARFISH_TRY(simulate_isolate(folder));
    char quiet[] = "--log=root.thres:warning", **arguments = calloc((size_t)argc + 3, sizeof *arguments);
    STARFISH_FAIL_IF(!arguments, STARFISH_ERROR_MEMORY, "out of memory for arguments");
    arguments[0] = program;
    arguments[1] = quiet; /* SimGrid takes it away again */
    memcpy(arguments + 2, argv, (size_t)argc * sizeof *arguments);
    execv(program, arguments);
    const starfish_status status = starfish_fail(STARFISH_ERROR_FILE, "%s: %s", program, strerror(errno));
    free(arguments);
    return status;
}

int simulate_instead(int argc, char **argv)
{
    const char *name = machine_asked_for(argc, argv);
    return command_fail(become(name, argc, argv), 0);
}
