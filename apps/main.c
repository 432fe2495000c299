/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The program `starfish`: the table of its subcommands. In the program for simulated machines StarPU must rename main,
 * which is what its header does. */
#include "apps/command.h"
#include "apps/files/temporary.h"
#include "apps/manual.h"
#include "apps/options.h"
#include "apps/recorded/recorded.h"
#include "apps/recorded/simulate.h"
#include "apps/table.h"
#include "base/arithmetic.h"
#include "base/meant.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <starfish/starfish.h>
#include <starpu.h> /* for a simulated machine, StarPU must know main */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int command_help(int argc, char **argv);
static int command_version(int argc, char **argv);

static int command_man(int argc, char **argv);
static int command_completion(int argc, char **argv);

static const struct option_command commands[] = {
    {"info", command_info, "workers, devices, StarPU version and features"},
    {"solve", command_solve, "solve the problem that a problem file describes"},
    {"fem", command_fem, "solve on an unstructured mesh by finite elements"},
    {"bench", command_bench, "one benchmark, with its peers in the same run"},
    {"reproduce", command_reproduce, "the papers' experiments, paper beside ours"},
    {"sched", command_sched, "one problem under several scheduling policies and sets of workers"},
    {"machine", command_machine, "record this machine for simulations; compare them with it"},
    {"trace", command_trace, "watch a solve: Gantt chart, Perfetto and StarPU traces, an explanation"},
    {"completion", command_completion, "a script by which bash, zsh or fish complete command lines"},
    {"man", command_man, "a page of the manual"},
    {"help", command_help, "this list, or the options of a command"},
    {"version", command_version, "the version of Starfish"},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const struct option_command *find(const char *name)
{
    static const char *const aliases[][2] = {
        {"--help", "help"}, {"-h", "help"}, {"--version", "version"}, {"-V", "version"}};
    char known[512], meant[STARFISH_MEANT];
    size_t used = 0;
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; ++i)
        if (strcmp(name, aliases[i][0]) == 0)
            name = aliases[i][1];
    for (int i = 0; i < COMMANDS; ++i) {
        if (strcmp(name, commands[i].name) == 0)
            return &commands[i];
        used += (size_t)snprintf(known + used, sizeof known - used, "%s, ", commands[i].name);
    }
    starfish_fail(STARFISH_ERROR_ARGUMENT, "unknown command '%s'%s; `starfish help` lists them", name,
                  starfish_meant(name, known, ", ", meant));
    return NULL;
}

static int command_man(int argc, char **argv)
{
    return manual_man(commands, COMMANDS, argc, argv);
}

static int command_completion(int argc, char **argv)
{
    return manual_completion(commands, COMMANDS, argc, argv);
}

static int command_version(int argc, char **argv)
{
    (void)argc, (void)argv;
    printf("starfish %s\n", STARFISH_VERSION);
    return 0;
}

static int command_help(int argc, char **argv)
{
    if (argc > 1) {
        char help[] = "--help", *arguments[] = {argv[1], argc > 2 ? argv[2] : help, help, NULL};
        const struct option_command *command = find(argv[1]);
        if (!command)
            return command_fail(STARFISH_ERROR_ARGUMENT, 0);
        if (command->run != command_help)
            return command->run(3, arguments);
    }
    printf("Usage: starfish COMMAND ...\n\nElliptic problems on CPU+GPU nodes through StarPU.\n\n");
    for (int i = 0; i < COMMANDS; ++i)
        table_print_beside(commands[i].name, 10, commands[i].summary);
    printf("\n");
    table_print_text("Exit status: 0 solved, 1 not converged or numerically wrong, 2 bad usage or input.\n"
                     "STARPU_* environment variables keep their usual meaning.",
                     0, 0);
    return 0;
}

/* Standard streams that are closed would be the numbers of the next files that are opened, which then would get what is
 * printed. A file that grows beyond a limit (ulimit -f) shall be an error of the write. */
static void prepare_process(void)
{
    int file;
    do
        file = open("/dev/null", O_RDONLY);
    while (file >= 0 && file <= STDERR_FILENO);
    if (file >= 0)
        close(file);
    signal(SIGXFSZ, SIG_IGN);
    if (SIMULATED) /* SimGrid would end the program in the middle, and what is temporary would stay */
        signal(SIGINT, SIG_DFL);
    starfish_temporary_guard();
}

/* A result that could not be printed, as on a full disk, is no success. */
static int finish_output(int exit_status)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout) && !command_print_failed())
        return exit_status;
    fprintf(stderr, "starfish: standard output: %s\n", errno ? strerror(errno) : "not all could be written");
    return exit_status ? exit_status : 1;
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        starfish_fail(STARFISH_ERROR_ARGUMENT, "no command; `starfish help` lists them");
        return command_fail(STARFISH_ERROR_ARGUMENT, 0);
    }
    machine_use_named();
    const struct option_command *command = find(argv[1]);
    return command ? command->run(argc - 1, argv + 1) : command_fail(STARFISH_ERROR_ARGUMENT, 0);
}

int main(int argc, char **argv)
{
    STARFISH_OWN_ARITHMETIC; /* a library that is loaded first may have set traps */
    prepare_process();
    const starfish_status begun = SIMULATED ? simulate_begin() : STARFISH_SUCCESS;
    const int exit_status = finish_output(begun == STARFISH_SUCCESS ? run(argc, argv) : command_fail(begun, 0));
    if (SIMULATED)
        simulate_discard();
    return exit_status;
}
