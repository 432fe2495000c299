/* Looking for a folder that StarPU can write. Its own choice is that of src/common/utils.c and
 * src/core/perfmodel/perfmodel.c of StarPU 1.4.
 *
 * Whether a folder can be written is not asked but tried, since rights, quotas and read-only mounts have no common
 * question. In folders that everybody may write, like /tmp, ours has the user's number in its name and must belong to
 * this user alone: another one could have made it. */
#include "scheduler/home.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST = 3072 };

static int is_folder(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

/* A folder with all above it. */
static int make_folders(const char *path)
{
    char part[LONGEST + 128];
    if (snprintf(part, sizeof part, "%s", path) >= (int)sizeof part)
        return 0;
    for (char *at = part + 1; (at = strchr(at, '/')); at++) {
        *at = 0;
        mkdir(part, S_IRWXU); /* what fails here fails at the last */
        *at = '/';
    }
    mkdir(part, S_IRWXU);
    return is_folder(part);
}

static int takes_a_file(const char *folder)
{
    char path[LONGEST + 1024];
    snprintf(path, sizeof path, "%s/starfish-XXXXXX", folder);
    const int file = mkstemp(path);
    if (file < 0)
        return 0;
    const int written = write(file, "?", 1) == 1;
    close(file);
    unlink(path);
    return written;
}

/* Whether files that are in a folder can be read and written, and folders in it take files. */
static int contents_usable(const char *folder)
{
    DIR *all = opendir(folder);
    int good = all != NULL;
    for (struct dirent *entry; good && (entry = readdir(all));) {
        char path[LONGEST + 512];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        good = is_folder(path) ? takes_a_file(path) : access(path, R_OK | W_OK) == 0;
    }
    if (all)
        closedir(all);
    return good;
}

/* StarPU's folder for measurements and those in it. */
static int usable(const char *sampling)
{
    static const char *const parts[] = {"bus", "codelets"};
    int good = strlen(sampling) < LONGEST;
    for (size_t i = 0; good && i < sizeof parts / sizeof parts[0]; i++) {
        char folder[LONGEST + 32];
        snprintf(folder, sizeof folder, "%s/%s", sampling, parts[i]);
        good = make_folders(folder) && takes_a_file(folder) && contents_usable(folder);
    }
    return good;
}

static int usable_as_home(const char *home)
{
    char sampling[LONGEST + 32];
    return snprintf(sampling, sizeof sampling, "%s/.starpu/sampling", home) < (int)sizeof sampling && usable(sampling);
}

static const char *first_variable(const char *const *name)
{
    const char *value = NULL;
    for (; *name && !value; name++)
        value = getenv(*name);
    return value;
}

static const char *temporary_folders(void)
{
    static const char *const names[] = {"TMPDIR", "TEMP", "TMP", NULL};
    const char *value = first_variable(names);
    return value && *value ? value : "/tmp";
}

static void find_usual(char *usual, size_t size)
{
    static const char *const names[] = {"XDG_CACHE_HOME", "STARPU_HOME", "HOME", NULL};
    const char *directly = getenv("STARPU_PERF_MODEL_DIR"), *home = first_variable(names);
    if (directly)
        snprintf(usual, size, "%s", directly);
    else
        snprintf(usual, size, "%s/.starpu/sampling", home ? home : temporary_folders());
}

/* A folder of this user's alone. */
static int own_folder(const char *folder)
{
    struct stat found;
    mkdir(folder, S_IRWXU);
    return lstat(folder, &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid() &&
           (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static int try_cache(const char *above, const char *below, char *other, size_t size)
{
    if (!above || !*above || snprintf(other, size, "%s%s", above, below) >= (int)size)
        return 0;
    return is_folder(above) && own_folder(other) && usable_as_home(other);
}

/* The home that the system knows of the user; HOME may say something else. */
static const char *home_of_user(char *text, size_t size)
{
    struct passwd entry, *found = NULL;
    return getpwuid_r(geteuid(), &entry, text, size, &found) == 0 && found ? entry.pw_dir : NULL;
}

enum starfish_home starfish_home_find(char *usual, char *other, size_t size)
{
    find_usual(usual, size);
    if (usable(usual))
        return STARFISH_HOME_USUAL;
    char user[4096], name[64];
    snprintf(name, sizeof name, "/starfish-%lu", (unsigned long)geteuid());
    if (try_cache(home_of_user(user, sizeof user), "/.cache", other, size) ||
        try_cache("/var/cache", name, other, size) || try_cache("/var/tmp", name, other, size))
        return STARFISH_HOME_CACHE;
    const char *const places[] = {temporary_folders(), "/tmp", "/dev/shm"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (snprintf(other, size, "%s/starfish-XXXXXX", places[i]) >= (int)size || !mkdtemp(other))
            continue;
        if (usable_as_home(other))
            return STARFISH_HOME_TEMPORARY;
        starfish_home_remove(other);
    }
    return STARFISH_HOME_NOWHERE;
}

/* A model ends with an empty line. One that is locked is being written. */
static int is_incomplete(const char *path)
{
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    char end[2] = "";
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    const int regular = !is_folder(path), unlocked = fcntl(file, F_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
    const off_t bytes = lseek(file, 0, SEEK_END);
    const int known = bytes >= 2 && pread(file, end, 2, bytes - 2) == 2;
    close(file);
    return regular && unlocked && bytes > 0 && !(known && end[0] == '\n' && end[1] == '\n');
}

static int mend_folder(const char *folder)
{
    DIR *all = opendir(folder);
    int removed = 0;
    for (struct dirent *entry; all && (entry = readdir(all));) {
        char path[LONGEST + 1024];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.' && is_incomplete(path))
            removed += unlink(path) == 0;
    }
    if (all)
        closedir(all);
    return removed;
}

/* codelets/VERSION/MODEL */
int starfish_home_mend(const char *folder)
{
    char codelets[LONGEST + 32];
    if (snprintf(codelets, sizeof codelets, "%s/codelets", folder) >= (int)sizeof codelets)
        return 0;
    DIR *versions = opendir(codelets);
    int removed = 0;
    for (struct dirent *entry; versions && (entry = readdir(versions));) {
        char path[LONGEST + 512];
        snprintf(path, sizeof path, "%s/%s", codelets, entry->d_name);
        if (entry->d_name[0] != '.')
            removed += mend_folder(path);
    }
    if (versions)
        closedir(versions);
    return removed;
}

static int remove_one(const char *path, const struct stat *found, int kind, struct FTW *where)
{
    (void)found, (void)kind, (void)where;
    remove(path);
    return 0;
}

void starfish_home_remove(const char *folder)
{
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
