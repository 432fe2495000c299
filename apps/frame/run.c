/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes with a time limit, and solves in them (run.h): a temporary folder has the problem file and the JSON that is
 * printed. */
#include "apps/frame/run.h"

#include "apps/files/apart.h"
#include "apps/files/temporary.h"
#include "apps/recorded/simulate.h"
#include "bench/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void become_child(const char *const arguments[], const char *output, pid_t parent)
{
    starfish_apart_end_with(parent, SIGTERM); /* by which it removes its files */
    const int file = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0 || dup2(file, STDOUT_FILENO) < 0)
        _exit(127);
    execv(arguments[0], (char *const *)(uintptr_t)arguments);
    _exit(127);
}

/* The state of a process when it has ended; after `seconds` it is ended. */
static int wait_for(pid_t child, double seconds)
{
    const double end = clock_now() + seconds;
    const struct timespec moment = {0, 20000000};
    int state = 0;
    while (waitpid(child, &state, WNOHANG) == 0) {
        if (clock_now() > end)
            kill(child, SIGKILL);
        nanosleep(&moment, NULL);
    }
    return state;
}

starfish_status run_program(const char *const arguments[], const char *output, double seconds)
{
    fflush(NULL);
    const pid_t parent = getpid(), child = fork();
    if (child == 0)
        become_child(arguments, output, parent);
    STARFISH_FAIL_IF(child < 0, STARFISH_ERROR_RUNTIME, "no process can be started: %s", strerror(errno));
    const int state = wait_for(child, seconds);
    if (WIFEXITED(state) && WEXITSTATUS(state) == 0)
        return STARFISH_SUCCESS;
    STARFISH_FAIL_IF(WIFSIGNALED(state) && WTERMSIG(state) == SIGKILL, STARFISH_ERROR_RUNTIME,
                     "%s %s was ended after %.0f s", arguments[0], arguments[1], seconds);
    return starfish_fail(STARFISH_ERROR_RUNTIME, "%s %s failed; what it said is above", arguments[0], arguments[1]);
}

const char run_problem[] = "problem.json";

void run_add_words(struct run_line *line, const char *const words[])
{
    while (*words && line->words < RUN_ARGUMENTS)
        line->word[line->words++] = *words++;
    line->word[line->words] = NULL;
}

const char *run_self(void)
{
    static char path[SIMULATE_PATH];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    return path;
}

/* What a run leaves in its folder. */
struct files {
    char folder[64], problem[96], printed[96];
};

static starfish_status make_files(struct files *files)
{
    snprintf(files->folder, sizeof files->folder, "/tmp/starfish-run-XXXXXX");
    STARFISH_FAIL_IF(starfish_temporary_folder(files->folder) != 0, STARFISH_ERROR_FILE, "%s: %s", files->folder,
                     strerror(errno));
    snprintf(files->problem, sizeof files->problem, "%s/problem.json", files->folder);
    snprintf(files->printed, sizeof files->printed, "%s/printed.json", files->folder);
    STARFISH_FAIL_IF(starfish_temporary_expect(files->problem) != 0 || starfish_temporary_expect(files->printed) != 0,
                     STARFISH_ERROR_FILE, "%s: %s", files->folder, strerror(errno));
    return STARFISH_SUCCESS;
}

static starfish_status write_problem(const char *path, const size_t n[3])
{
    json_t *root =
        json_pack("{s:s, s:[I,I,I], s:[f,f,f], s:{s:s, s:[s,s], s:[s,s]}, s:{s:s, s:s}, s:f}", "kind", "poisson3d", "n",
                  (json_int_t)n[0], (json_int_t)n[1], (json_int_t)n[2], "length", 1.0, 1.0, 1.0, "bc", "x", "periodic",
                  "y", "neumann", "neumann", "z", "dirichlet", "neumann", "grid", "y", "cell", "z", "cell", "rhs", 1.0);
    const int failed = !root || json_dump_file(root, path, 0) != 0;
    json_decref(root);
    return failed ? starfish_fail(STARFISH_ERROR_FILE, "%s: cannot be written", path) : STARFISH_SUCCESS;
}

static starfish_status run(const struct files *files, const struct run_line *line, double seconds, json_t **printed)
{
    struct run_line whole = *line;
    json_error_t error;
    for (size_t i = 0; i < whole.words; ++i)
        if (whole.word[i] == run_problem)
            whole.word[i] = files->problem;
    STARFISH_TRY(run_program(whole.word, files->printed, seconds));
    *printed = json_load_file(files->printed, 0, &error);
    return *printed ? STARFISH_SUCCESS
                    : starfish_fail(STARFISH_ERROR_RUNTIME, "%s %s printed no JSON: %s", whole.word[0], whole.word[1],
                                    error.text);
}

/* n: NULL without a problem file. */
static starfish_status run_in_folder(const size_t *n, const struct run_line *line, double seconds, json_t **printed)
{
    struct files files = {.folder = ""};
    *printed = NULL;
    starfish_status status = make_files(&files);
    if (n)
        STARFISH_THEN(status, write_problem(files.problem, n));
    STARFISH_THEN(status, run(&files, line, seconds, printed));
    starfish_temporary_remove(files.problem);
    starfish_temporary_remove(files.printed);
    starfish_temporary_remove(files.folder);
    return status;
}

starfish_status run_json(const struct run_line *line, double seconds, json_t **printed)
{
    return run_in_folder(NULL, line, seconds, printed);
}

starfish_status run_box(const size_t n[3], const struct run_line *line, json_t **printed)
{
    return run_in_folder(n, line, RUN_SECONDS, printed);
}
