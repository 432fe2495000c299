/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs many commands of the program in one process. A context of its own keeps one worker alive, since starting workers
 * takes longer than a small solve; commands must ask for one worker.
 *
 * Standard input has a line for each command: a name, the command and its arguments, separated by tabs. A command's
 * standard output goes to NAME.out and its standard error to NAME.err. For each command this program prints NAME, a tab
 * and the exit status. It exits with 2 where it cannot run a line. */
#include "apps/command.h"
#include "tests/common/context.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { MOST_WORDS = 64, MOST_LINE = 4096 };

static int run(int argc, char **argv)
{
    return strcmp(argv[0], "fem") == 0 ? command_fem(argc, argv) : command_solve(argc, argv);
}

/* Returns whether what is written to `stream` goes to `file` from now on. */
static int redirect(FILE *stream, int file)
{
    return file >= 0 && fflush(stream) == 0 && dup2(file, fileno(stream)) >= 0;
}

/* The same of the file NAME.END, which is emptied. */
static int redirect_to(FILE *stream, const char *name, const char *end)
{
    char path[MOST_LINE + 8];
    snprintf(path, sizeof path, "%s.%s", name, end);
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666), done = redirect(stream, file);
    if (file >= 0)
        close(file);
    return done;
}

static int run_line(char *line, const int standard[2])
{
    char *words[MOST_WORDS + 1] = {NULL};
    int count = 0;
    for (char *word = strtok(line, "\t\n"); word && count < MOST_WORDS; word = strtok(NULL, "\t\n"))
        words[count++] = word;
    if (count < 2 || !redirect_to(stdout, words[0], "out") || !redirect_to(stderr, words[0], "err"))
        return 0;
    const int status = run(count - 1, words + 1);
    const int back = redirect(stdout, standard[0]) && redirect(stderr, standard[1]);
    printf("%s\t%d\n", words[0], status);
    return back && fflush(stdout) == 0;
}

int main(void)
{
    static char line[MOST_LINE];
    const int standard[2] = {dup(STDOUT_FILENO), dup(STDERR_FILENO)};
    starfish_context *context = test_context(0, 1, 0);
    if (!context || standard[0] < 0 || standard[1] < 0)
        return 2;
    while (fgets(line, sizeof line, stdin))
        if (!run_line(line, standard))
            return 2;
    starfish_context_destroy(context);
    return 0;
}
