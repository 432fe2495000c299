/* The table of temporary files. A signal may arrive in any thread and at any instruction, so its handler uses nothing
 * but the table, which has a fixed place, and functions that signal handlers may call.
 *
 * Between the moment in which a file is made and the one in which its name stands in the table, the handler would miss
 * it. So a signal that arrives while a thread is in between only leaves its number, and that thread ends the program as
 * soon as the name is there. */
#include "apps/files/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ENTRIES = 16, LONGEST = 4096 };

/* A name may be read while `used` is set, and is written only while it is not. */
static struct entry {
    atomic_int used;
    char path[LONGEST];
} table[ENTRIES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all who write into the table */

/* CALM to MAKING and back by who makes a file; MAKING to CALLED, or CALM to ENDING, by a signal. */
enum state { CALM, MAKING, CALLED, ENDING };
static atomic_int state;
static atomic_int arrived; /* the signal */
static atomic_int writer;  /* a process that may make files of the table anew, or 0 */

/* Changed as the table is, between begin_making and finish_making. */
static struct {
    const char *text;
    size_t length;
} last_words;

/* ---- the signal -------------------------------------------------------------------------------------------------- */

/* The writer first, or it makes again what is removed; files before the folders that they are in. */
static void remove_all(void)
{
    const pid_t process = atomic_load(&writer);
    if (process > 0) {
        kill(process, SIGKILL);
        waitpid(process, NULL, 0); /* fails where another thread has seen its end */
    }
    for (int i = 0; i < ENTRIES; ++i)
        if (atomic_load(&table[i].used))
            unlink(table[i].path);
    for (int i = 0; i < ENTRIES; ++i)
        if (atomic_load(&table[i].used))
            rmdir(table[i].path);
}

static void say_last_words(void)
{
    size_t done = 0;
    while (done < last_words.length) {
        const ssize_t written = write(STDOUT_FILENO, last_words.text + done, last_words.length - done);
        if (written < 0 && errno != EINTR)
            return;
        done += written > 0 ? (size_t)written : 0;
    }
}

/* The program ends by the signal itself, so that who started it sees why. */
static void end(int number)
{
    sigset_t set;
    remove_all();
    say_last_words();
    signal(number, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
}

static void handle(int number)
{
    const int error = errno;
    atomic_store(&arrived, number);
    for (;;) {
        int expected = CALM;
        if (atomic_compare_exchange_strong(&state, &expected, ENDING)) {
            end(number);
            return;
        }
        if (expected != MAKING || atomic_compare_exchange_strong(&state, &expected, CALLED))
            break; /* another thread ends the program, or will */
    }
    errno = error;
}

void starfish_temporary_guard(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART}, older;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; ++i)
        if (sigaction(signals[i], NULL, &older) == 0 && older.sa_handler == SIG_DFL)
            sigaction(signals[i], &action, NULL);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static void begin_making(void)
{
    int expected = CALM;
    pthread_mutex_lock(&lock);
    if (!atomic_compare_exchange_strong(&state, &expected, MAKING))
        for (;;) /* a signal ends the program in another thread */
            pause();
}

static void finish_making(void)
{
    if (atomic_exchange(&state, CALM) == CALLED)
        end(atomic_load(&arrived));
    pthread_mutex_unlock(&lock);
}

void starfish_temporary_last_words(const char *text, size_t length)
{
    begin_making();
    last_words.text = text;
    last_words.length = text ? length : 0;
    finish_making();
}

pid_t starfish_temporary_fork(void)
{
    begin_making();
    const pid_t process = fork();
    const int error = errno;
    if (process == 0)
        atomic_store(&state, CALM); /* a signal that came meanwhile is the parent's */
    atomic_store(&writer, process > 0 ? process : 0);
    if (process == 0)
        pthread_mutex_unlock(&lock);
    else
        finish_making();
    errno = error;
    return process;
}

int starfish_temporary_wait(pid_t process)
{
    int how = 0;
    siginfo_t info;
    /* The number of a process whose end has been seen may become another's. */
    while (waitid(P_PID, (id_t)process, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        ;
    atomic_store(&writer, 0);
    while (waitpid(process, &how, 0) < 0 && errno == EINTR)
        ;
    return how;
}

static struct entry *find(const char *path)
{
    for (int i = 0; i < ENTRIES; ++i)
        if (atomic_load(&table[i].used) && strcmp(table[i].path, path) == 0)
            return &table[i];
    return NULL;
}

static struct entry *find_free(const char *path)
{
    errno = strlen(path) < LONGEST ? EMFILE : ENAMETOOLONG;
    for (int i = 0; errno == EMFILE && i < ENTRIES; ++i)
        if (!atomic_load(&table[i].used))
            return &table[i];
    return NULL;
}

/* `make` is mkstemp, or what looks like it; NULL: another makes it. */
static int enter(char *path, int (*make)(char *))
{
    begin_making();
    struct entry *entry = find_free(path);
    const int made = !entry ? -1 : make ? make(path) : 0, error = errno;
    if (made >= 0) {
        memcpy(entry->path, path, strlen(path) + 1);
        atomic_store(&entry->used, 1);
    }
    finish_making();
    errno = error;
    return made;
}

static int make_file(char *pattern)
{
    return mkostemp(pattern, O_CLOEXEC);
}

static int make_folder(char *pattern)
{
    return mkdtemp(pattern) ? 0 : -1;
}

int starfish_temporary_file(char *pattern)
{
    return enter(pattern, make_file);
}

int starfish_temporary_folder(char *pattern)
{
    return enter(pattern, make_folder);
}

int starfish_temporary_expect(const char *path)
{
    char copy[LONGEST + 1];
    strncpy(copy, path, LONGEST);
    copy[LONGEST] = '\0';
    starfish_temporary_forget(path);
    return enter(copy, NULL);
}

void starfish_temporary_forget(const char *path)
{
    pthread_mutex_lock(&lock);
    struct entry *entry = find(path);
    if (entry)
        atomic_store(&entry->used, 0);
    pthread_mutex_unlock(&lock);
}

void starfish_temporary_remove(const char *path)
{
    if (unlink(path) != 0)
        rmdir(path);
    starfish_temporary_forget(path);
}
