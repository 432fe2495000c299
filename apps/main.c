/* The program `starfish`: the table of its subcommands. In the program for simulated machines StarPU must rename main,
 * which is what its header does. */
#include "apps/command.h"
#include "apps/files/temporary.h"
#include "apps/recorded/recorded.h"
#include "apps/recorded/simulate.h"

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

static const struct command {
    const char *name;
    const char *alias;
    int (*run)(int argc, char **argv);
    const char *summary;
} commands[] = {
    {"info", NULL, command_info, "workers, devices, StarPU version and features"},
    {"solve", NULL, command_solve, "solve the problem that a problem file describes"},
    {"fem", NULL, command_fem, "solve on an unstructured mesh by finite elements"},
    {"bench", NULL, command_bench, "one benchmark, with its peers in the same run"},
    {"reproduce", NULL, command_reproduce, "the papers' experiments, paper beside ours"},
    {"sched", NULL, command_sched, "one problem under several scheduling policies and sets of workers"},
    {"machine", NULL, command_machine, "record this machine for simulations; compare them with it"},
    {"trace", NULL, command_trace, "watch a solve: Gantt chart, Perfetto and StarPU traces, an explanation"},
    {"help", "--help", command_help, "this list, or the options of a command"},
    {"version", "--version", command_version, "the version of Starfish"},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const struct command *find(const char *name)
{
    for (int i = 0; i < COMMANDS; ++i)
        if (strcmp(name, commands[i].name) == 0 || (commands[i].alias && strcmp(name, commands[i].alias) == 0))
            return &commands[i];
    starfish_fail(STARFISH_ERROR_ARGUMENT, "unknown command '%s'; `starfish help` lists them", name);
    return NULL;
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
        const struct command *command = find(argv[1]);
        if (!command)
            return command_fail(STARFISH_ERROR_ARGUMENT, 0);
        if (command->run != command_help)
            return command->run(3, arguments);
    }
    printf("Usage: starfish COMMAND ...\n\nElliptic problems on CPU+GPU nodes through StarPU.\n\n");
    for (int i = 0; i < COMMANDS; ++i)
        printf("  %-9s %s\n", commands[i].name, commands[i].summary);
    printf("\nExit status: 0 solved, 1 not converged or numerically wrong, 2 bad usage or input.\n"
           "STARPU_* environment variables keep their usual meaning.\n");
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
    starfish_temporary_guard();
}

/* A result that could not be printed, as on a full disk, is no success. */
static int finish_output(int exit_status)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
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
    const struct command *command = find(argv[1]);
    return command ? command->run(argc - 1, argv + 1) : command_fail(STARFISH_ERROR_ARGUMENT, 0);
}

int main(int argc, char **argv)
{
    prepare_process();
    const starfish_status begun = SIMULATED ? simulate_begin() : STARFISH_SUCCESS;
    const int exit_status = finish_output(begun == STARFISH_SUCCESS ? run(argc, argv) : command_fail(begun, 0));
    if (SIMULATED)
        simulate_discard();
    return exit_status;
}
