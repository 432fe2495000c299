/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: command lines, one argument per line. Every subcommand runs as far as it can without workers: it reads
 * its options and its problem and checks its outputs, and then gets no context. (The linker puts the functions named
 * __wrap_... in the place of others.) */
#include "tests/fuzz/fuzz.h"

#include "apps/command.h"

#include <starfish/starfish.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const target_words[] = {"solve\n",
                                    "bench\n",
                                    "reproduce\n",
                                    "sched\n",
                                    "trace\n",
                                    "machine\n",
                                    "info\n",
                                    "poisson3d\n",
                                    "tridiag\n",
                                    "blktri\n",
                                    "multigrid\n",
                                    "list\n",
                                    "compare\n",
                                    "derive\n",
                                    "record\n",
                                    "p.json\n",
                                    "--method\n",
                                    "--precision\n",
                                    "--rhs\n",
                                    "--out\n",
                                    "--workers\n",
                                    "--slabs\n",
                                    "--repeat\n",
                                    "--vtk\n",
                                    "--plot\n",
                                    "--json\n",
                                    "--quiet\n",
                                    "--mesh\n",
                                    "--level\n",
                                    "--batch\n",
                                    "--simulate\n",
                                    "--policies\n",
                                    "--policy\n",
                                    "--rounds\n",
                                    "--warmup\n",
                                    "--csv\n",
                                    "--size\n",
                                    "--n\n",
                                    "--bc\n",
                                    "--split\n",
                                    "--cycles\n",
                                    "--smoother\n",
                                    "--krylov\n",
                                    "--matrix\n",
                                    "--storage\n",
                                    "--steps\n",
                                    "--tail\n",
                                    "--algorithm\n",
                                    "--cycle\n",
                                    "--help\n",
                                    "auto",
                                    "slab",
                                    "blktri-product",
                                    "mixed",
                                    "f32",
                                    "cpu:1",
                                    "gpu:0",
                                    "cpu:1,gpu:1",
                                    "all",
                                    "U1",
                                    "A3",
                                    "64x8",
                                    "64x8,periodic",
                                    "u.npy",
                                    "u.h5:/u",
                                    "u.vti",
                                    "u.png",
                                    "-",
                                    "=",
                                    ",",
                                    ";",
                                    ":",
                                    "x",
                                    "here\n",
                                    "--from\n",
                                    "periodic/neumann",
                                    "2147483648",
                                    "4294967297",
                                    "1e9",
                                    "\n",
                                    NULL};

starfish_status __wrap_starfish_context_create(starfish_context **context,
                                               const struct starfish_context_options *options);
starfish_status __wrap_starfish_context_create(starfish_context **context,
                                               const struct starfish_context_options *options)
{
    (void)options;
    *context = NULL;
    return starfish_fail(STARFISH_ERROR_RUNTIME, "there are no workers here");
}

/* No other programs either. */
pid_t __wrap_fork(void);
pid_t __wrap_fork(void)
{
    return -1;
}
int __wrap_execv(const char *path, char *const *arguments);
int __wrap_execv(const char *path, char *const *arguments)
{
    (void)path, (void)arguments;
    return -1;
}

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"info", command_info},   {"solve", command_solve},     {"bench", command_bench}, {"reproduce", command_reproduce},
    {"sched", command_sched}, {"machine", command_machine}, {"trace", command_trace},
};

/* A name that is none stands for some command too: most mutations would find nothing otherwise. */
static int (*command_of(const char *name))(int argc, char **argv)
{
    enum { COMMANDS = sizeof commands / sizeof commands[0] };
    for (size_t i = 0; i < COMMANDS; ++i)
        if (strcmp(name, commands[i].name) == 0)
            return commands[i].run;
    return commands[(unsigned char)name[0] % COMMANDS].run;
}

/* What the commands print is not of interest; what the sanitizers print does not go through these streams. */
static void begin(void)
{
    static const char problem[] = "{\"kind\":\"poisson3d\",\"n\":[4,3,2],\"length\":[1,1,1],\"rhs\":1,"
                                  "\"bc\":{\"x\":\"periodic\",\"y\":\"periodic\",\"z\":[\"dirichlet\",\"neumann\"]}}";
    static int begun;
    static const char machine[] = "{\"name\":\"here\",\"cores\":2,\"numa_nodes\":1}";
    if (begun++)
        return;
    fuzz_write("p.json", problem, sizeof problem - 1);
    if (mkdir(fuzz_path("here"), 0777) != 0 || setenv("STARFISH_MACHINES", fuzz_folder(), 1) != 0)
        exit(2);
    fuzz_write("here/machine.json", machine, sizeof machine - 1);
    stdout = fopen("/dev/null", "w");
    FILE *quiet = fopen("/dev/null", "w");
    if (!stdout || !quiet || chdir(fuzz_folder()) != 0)
        exit(2);
    stderr = quiet;
}

enum { MOST_ARGUMENTS = 64, LONGEST = 4096 };

/* Files elsewhere are not to be touched. */
static int leaves_folder(const char *argument)
{
    const char *value = strchr(argument, '=');
    return argument[0] == '/' || (value && value[1] == '/') || strstr(argument, "..");
}

static int split(char *text, char **argv)
{
    int argc = 0;
    char *rest;
    for (char *word = strtok_r(text, "\n", &rest); word && argc < MOST_ARGUMENTS; word = strtok_r(NULL, "\n", &rest)) {
        if (leaves_folder(word))
            return 0;
        argv[argc++] = word;
    }
    argv[argc] = NULL;
    return argc;
}

int target(const uint8_t *data, size_t size)
{
    char text[LONGEST + 1], *argv[MOST_ARGUMENTS + 1];
    size = size < LONGEST ? size : LONGEST;
    memcpy(text, data, size);
    text[size] = '\0';
    begin();
    fuzz_limit_memory();
    const int argc = split(text, argv);
    if (argc == 0)
        return 0;
    const int status = command_of(argv[0])(argc, argv);
    if (status < 0 || status > 2)
        return fuzz_broken("exit status %d", status);
    return status ? fuzz_check_message(STARFISH_ERROR_ARGUMENT) : 0;
}
