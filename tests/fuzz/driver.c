/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs a target on a corpus, and then on mutations of it, until the time is over:
 *
 *     NAME [--seconds S] [--runs N] [--seed X] [--failures DIR] [--hang S] PATH...
 *
 * PATH is an input, or a folder of them. An input on which the target crashes, hangs, or finds that something does not
 * hold is kept in DIR; the first two end the program. Exit status: 0 all held, 1 not. */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutate.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { MOST_SEEDS = 1024, MOST_BROKEN = 20 };

static struct {
    double seconds;
    size_t runs, seed;
    unsigned hang;
    const char *failures;
} options = {.seconds = 10, .runs = SIZE_MAX, .seed = 1, .hang = 20, .failures = "."};

static struct fuzz_input *corpus[MOST_SEEDS];
static size_t corpus_size;
static struct fuzz_input current; /* what the target is given now */
static size_t tried, broken;

/* ---- inputs that fail -------------------------------------------------------------------------------------------- */

/* Where the current input would be kept, known before the target is called: signal handlers may not print. */
enum way { BROKEN, CRASH, HANG, WAYS };
static char paths[WAYS][512];

static void name_paths(void)
{
    static const char *const names[WAYS] = {"broken", "crash", "hang"};
    for (int way = 0; way < WAYS; ++way)
        snprintf(paths[way], sizeof paths[way], "%s/%s-%zu-%zu", options.failures, names[way], options.seed, tried);
}

static void keep(enum way way)
{
    static const char said[] = "an input that fails is kept as ";
    const int file = open(paths[way], O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0 || write(file, current.data, current.size) != (ssize_t)current.size)
        return;
    close(file);
    if (write(STDERR_FILENO, said, sizeof said - 1) < 0 || write(STDERR_FILENO, paths[way], strlen(paths[way])) < 0 ||
        write(STDERR_FILENO, "\n", 1) < 0)
        return;
}

static void on_crash(void)
{
    keep(CRASH);
}

static void on_signal(int number)
{
    const int hangs = number == SIGALRM || number == SIGPROF;
    keep(hangs ? HANG : CRASH);
    signal(number, SIG_DFL);
    if (hangs)
        _exit(1);
    raise(number);
}

/* Of the sanitizers, where there is one: it prints first, and then calls this. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void watch(void)
{
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
    signal(SIGALRM, on_signal);
    signal(SIGPROF, on_signal);
    if (__sanitizer_set_death_callback) {
        __sanitizer_set_death_callback(on_crash);
        return;
    }
    for (size_t i = 0; i < sizeof deadly / sizeof deadly[0]; ++i)
        signal(deadly[i], on_signal);
}

/* A target hangs that takes so many seconds of a core, or ten times as many on a machine that others use too. */
static void set_limits(unsigned seconds)
{
    const struct itimerval limit = {.it_value.tv_sec = seconds};
    setitimer(ITIMER_PROF, &limit, NULL);
    alarm(10 * seconds);
}

static void try_current(void)
{
    name_paths();
    set_limits(options.hang);
    if (target(current.data, current.size) != 0 && ++broken <= MOST_BROKEN)
        keep(BROKEN);
    set_limits(0);
    ++tried;
}

/* ---- the corpus -------------------------------------------------------------------------------------------------- */

static void read_seed(const char *path)
{
    FILE *stream = fopen(path, "rb");
    struct fuzz_input *input = malloc(sizeof *input);
    if (!stream || !input || corpus_size == MOST_SEEDS) {
        perror(path);
        exit(2);
    }
    input->size = fread(input->data, 1, FUZZ_LONGEST, stream);
    fclose(stream);
    corpus[corpus_size++] = input;
}

static void read_path(const char *path)
{
    struct stat file;
    struct dirent **entry;
    char name[1024];
    if (stat(path, &file) == 0 && !S_ISDIR(file.st_mode)) {
        read_seed(path);
        return;
    }
    const int count = scandir(path, &entry, NULL, alphasort);
    for (int i = 0; i < count; ++i) {
        snprintf(name, sizeof name, "%s/%s", path, entry[i]->d_name);
        if (entry[i]->d_name[0] != '.')
            read_seed(name);
        free(entry[i]);
    }
    if (count >= 0)
        free(entry);
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void run(void)
{
    const double end = now() + options.seconds;
    struct fuzz_random random = {options.seed};
    for (size_t i = 0; i < corpus_size; ++i) {
        current = *corpus[i];
        try_current();
    }
    while (corpus_size > 0 && tried < options.runs && broken < MOST_BROKEN && now() < end) {
        current = *corpus[fuzz_below(&random, corpus_size)];
        fuzz_mutate(&random, &current, corpus[fuzz_below(&random, corpus_size)], target_words);
        try_current();
    }
}

static void read_option(const char *name, const char *value)
{
    if (strcmp(name, "--seconds") == 0)
        options.seconds = atof(value);
    else if (strcmp(name, "--runs") == 0)
        options.runs = strtoull(value, NULL, 10);
    else if (strcmp(name, "--seed") == 0)
        options.seed = strtoull(value, NULL, 10);
    else if (strcmp(name, "--hang") == 0)
        options.hang = (unsigned)atoi(value);
    else if (strcmp(name, "--failures") == 0)
        options.failures = value;
    else {
        fprintf(stderr, "unknown option %s\n", name);
        exit(2);
    }
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; ++i)
        if (strncmp(argv[i], "--", 2) == 0 && i + 1 < argc) {
            read_option(argv[i], argv[i + 1]);
            ++i;
        } else {
            read_path(argv[i]);
        }
    watch();
    const double start = now();
    run();
    dprintf(STDOUT_FILENO, "%zu inputs from %zu seeds, seed %zu, %.0f s: %s\n", tried, corpus_size, options.seed,
            now() - start, broken ? "NOT all held" : "all held");
    for (size_t i = 0; i < corpus_size; ++i)
        free(corpus[i]);
    return broken || corpus_size == 0;
}
