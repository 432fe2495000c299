/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of temporary files. A signal may arrive in any thread and at any instruction, so its handler uses nothing
 * but the table, which has a fixed place, and functions that signal handlers may call.
 *
 * Between the moment in which a file is made and the one in which its name stands in the table, the handler would miss
 * it. So a signal that arrives while a thread is in between only leaves its number, and that thread ends the program as
 * soon as the name is there. */
#include "apps/files/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ENTRIES = 16, LONGEST = 4096 };

/* A name may be read while `used` is set, and is written only while it is not. */
static struct entry {
    atomic_int used;
    int is_tree;
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

/* All that is in an open folder. Functions that list folders allocate memory, which a handler may not. What somebody
 * still makes is looked for again, but not for ever. */
static void empty(int folder)
{
    enum { LOOKS = 100 };
    char room[4096] __attribute__((aligned(__alignof__(struct dirent64))));
    ssize_t length = 1, found = 1;
    for (int look = 0; look < LOOKS && found > 0; ++look) {
        lseek(folder, 0, SEEK_SET);
        for (found = 0; (length = getdents64(folder, room, sizeof room)) > 0;)
            for (ssize_t at = 0; at < length; at += ((struct dirent64 *)(void *)(room + at))->d_reclen) {
                const char *name = ((struct dirent64 *)(void *)(room + at))->d_name;
                if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
                    continue;
                ++found;
                const int inner =
                    unlinkat(folder, name, 0) == 0 ? -1 : openat(folder, name, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
                if (inner < 0)
                    continue;
                empty(inner);
                close(inner);
                unlinkat(folder, name, AT_REMOVEDIR);
            }
    }
}

static void remove_tree(const char *path)
{
    const int folder = open(path, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0) {
        empty(folder);
        close(folder);
    }
    rmdir(path);
}

/* The writer first, or it makes again what is removed; files before the folders that they are in, and folders before
 * those that were made before them. */
static void remove_all(void)
{
    const pid_t process = atomic_load(&writer);
    if (process > 0) {
        kill(process, SIGKILL);
        waitpid(process, NULL, 0); /* fails where another thread has seen its end */
    }
    for (int i = 0; i < ENTRIES; ++i)
        if (atomic_load(&table[i].used))
            table[i].is_tree ? remove_tree(table[i].path) : (void)unlink(table[i].path);
    for (int i = ENTRIES - 1; i >= 0; --i)
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
static int enter(char *path, int (*make)(char *), int is_tree)
{
    begin_making();
    struct entry *entry = find_free(path);
    const int made = !entry ? -1 : make ? make(path) : 0, error = errno;
    if (made >= 0) {
        memcpy(entry->path, path, strlen(path) + 1);
        entry->is_tree = is_tree;
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
    return enter(pattern, make_file, 0);
}

int starfish_temporary_folder(char *pattern)
{
    return enter(pattern, make_folder, 0);
}

int starfish_temporary_tree(char *pattern)
{
    return enter(pattern, make_folder, 1);
}

static int make_named(char *path)
{
    return mkdir(path, 0777);
}

/* The same under a name that is given; one that is too long is too long for the table, too. */
static int enter_named(const char *path, int (*make)(char *))
{
    char copy[LONGEST + 1];
    strncpy(copy, path, LONGEST);
    copy[LONGEST] = '\0';
    return enter(copy, make, 0);
}

int starfish_temporary_new_folder(const char *path)
{
    return enter_named(path, make_named);
}

int starfish_temporary_expect(const char *path)
{
    starfish_temporary_forget(path);
    return enter_named(path, NULL);
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
    pthread_mutex_lock(&lock);
    const struct entry *entry = find(path);
    const int is_tree = entry && entry->is_tree;
    pthread_mutex_unlock(&lock);
    if (is_tree)
        remove_tree(path);
    else if (unlink(path) != 0)
        rmdir(path);
    starfish_temporary_forget(path);
}
