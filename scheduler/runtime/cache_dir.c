/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Search for a cache directory that StarPU can read and write. The default choice follows src/common/utils.c and
 * src/core/perfmodel/perfmodel.c of StarPU 1.4.
 *
 * Write access is tested by writing, since rights, quotas and read-only mounts have no common query. In world-writable
 * folders such as /tmp, the directory has the user's number in its name and must belong to this user alone, since
 * another user could have created it. The same holds for StarPU's .starpu there. */
#include "scheduler/runtime/cache_dir.h"

#include "scheduler/runtime/measurements.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LONGEST = STARFISH_CACHE_DIR_PATH,
    /* StarPU cuts paths off at 256 bytes, which name a model: codelets/45/SYMBOL.HOST.PROCESS. */
    LONGEST_FOLDER_AND_HOST = 186,
    HOST = 64,              /* StarPU cuts names of hosts off here */
    LINKS_BYTES = 128 << 10 /* of one file of links; those of nodes with eight GPUs have 20 KB */
};

const char *const starfish_cache_dir_variables[] = {"XDG_CACHE_HOME", "STARPU_HOME", "HOME", NULL};
const char *const starfish_temporary_variables[] = {"TMPDIR", "TEMP", "TMP", NULL};

static int is_folder(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

/* A path of several parts; 0 where it is too long. */
static int join(char path[LONGEST], const char *folder, const char *below)
{
    return snprintf(path, LONGEST, "%s/%s", folder, below) < LONGEST;
}

/* A folder with all above it. */
static int make_folders(const char *path)
{
    char part[LONGEST];
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

/* Is there room for a file of so many bytes? Beyond a limit (ulimit -f) a signal would end the process. */
static int takes_a_file(const char *folder, off_t bytes)
{
    char path[LONGEST];
    struct rlimit limit;
    if (!join(path, folder, "starfish-XXXXXX") ||
        (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < (rlim_t)bytes))
        return 0;
    const int file = mkstemp(path);
    if (file < 0)
        return 0;
    const int written = write(file, "?", 1) == 1 && posix_fallocate(file, 0, bytes) == 0;
    close(file);
    unlink(path);
    return written;
}

/* ---- Files that StarPU could not read ---------------------------------------------------------------------------- */

static int put_aside(struct starfish_cache_dir *home, const char *path)
{
    char other[LONGEST];
    for (int i = 0; i < 10; i++) { /* a folder cannot be replaced unless it is empty */
        snprintf(other, sizeof other, i > 0 ? "%.*s.unreadable%d" : "%.*s.unreadable", LONGEST - 32, path, i);
        if (rename(path, other) != 0)
            continue;
        home->put_aside++;
        snprintf(home->aside, sizeof home->aside, "%s", path);
        return 1;
    }
    return 0;
}

static int check_file(struct starfish_cache_dir *home, const char *path, enum starfish_measurement kind)
{
    return !starfish_measurement_is_bad(path, kind) || put_aside(home, path);
}

/* A folder in StarPU's, in whose place there may be something else. */
static int have_folder(struct starfish_cache_dir *home, char path[LONGEST], const char *folder, const char *below)
{
    struct stat found;
    if (!join(path, folder, below))
        return 0;
    if (lstat(path, &found) == 0 && !is_folder(path) && !put_aside(home, path))
        return 0;
    return make_folders(path);
}

/* StarPU's name of this host. With STARPU_MPI_HOSTNAMES each rank has one of the names; the files of all are
 * checked. */
static void list_hosts(char *hosts, size_t size)
{
    const char *all = getenv("STARPU_MPI_HOSTNAMES"), *one = getenv("STARPU_HOSTNAME");
    hosts[0] = 0;
    if ((all && *all) || (one && *one)) {
        snprintf(hosts, size, "%s", all && *all ? all : one);
        return;
    }
    gethostname(hosts, size < HOST ? size : HOST);
    hosts[HOST - 1] = 0;
    hosts[strcspn(hosts, ".")] = 0;
}

static int check_links(struct starfish_cache_dir *home, const char *folder, const char *host, int *complete)
{
    static const struct {
        const char *end;
        enum starfish_measurement kind;
    } file[] = {{"config", STARFISH_MEASUREMENT_CONFIG},        {"affinity", STARFISH_MEASUREMENT_AFFINITY},
                {"latency", STARFISH_MEASUREMENT_FILE},         {"bandwidth", STARFISH_MEASUREMENT_FILE},
                {"platform.v4.xml", STARFISH_MEASUREMENT_FILE}, {"platform.xml", STARFISH_MEASUREMENT_FILE}};
    int good = 1;
    for (size_t i = 0; good && i < sizeof file / sizeof file[0]; i++) {
        char name[HOST + 32], path[LONGEST];
        snprintf(name, sizeof name, "%s.%s", host, file[i].end);
        good = join(path, folder, name) && check_file(home, path, file[i].kind);
        *complete = *complete && good && access(path, F_OK) == 0;
    }
    return good;
}

static int ends_with(const char *name, const char *end)
{
    const size_t length = strlen(name), most = strlen(end);
    return length > most && name[length - most - 1] == '.' && strcmp(name + length - most, end) == 0;
}

/* Models of this host, SYMBOL.HOST. StarPU replaces those that it has read. */
static int check_models(struct starfish_cache_dir *home, const char *folder, const char *host)
{
    DIR *all = opendir(folder);
    int good = all || errno == ENOENT || errno == ENOTDIR, models = 0;
    for (struct dirent *entry; all && good && (entry = readdir(all));) {
        char path[LONGEST];
        if (entry->d_name[0] == '.' || !ends_with(entry->d_name, host))
            continue;
        good = join(path, folder, entry->d_name) && check_file(home, path, STARFISH_MEASUREMENT_MODEL);
        models++;
    }
    if (all)
        closedir(all);
    return good && (models == 0 || takes_a_file(folder, 1));
}

/* The policy heteroprio keeps a file for each program. */
static int check_heteroprio(struct starfish_cache_dir *home, const char *sampling)
{
    char folder[LONGEST], path[LONGEST], name[NAME_MAX + 8];
    struct stat found;
    snprintf(name, sizeof name, "%.*s.data", NAME_MAX, program_invocation_short_name);
    if (!join(folder, sampling, "heteroprio"))
        return 0;
    if (lstat(folder, &found) == 0 && !is_folder(folder))
        return put_aside(home, folder);
    return join(path, folder, name) && check_file(home, path, STARFISH_MEASUREMENT_FILE);
}

/* All files of one folder of measurements that StarPU would read. */
static int check_files(struct starfish_cache_dir *home, const char *sampling, int *complete)
{
    char hosts[LONGEST], bus[LONGEST], codelets[LONGEST], *rest;
    list_hosts(hosts, sizeof hosts);
    *complete = 1;
    int good = join(bus, sampling, "bus") && join(codelets, sampling, "codelets/" STARFISH_MODEL_VERSION) &&
               check_heteroprio(home, sampling);
    for (char *host = strtok_r(hosts, " ", &rest); good && host; host = strtok_r(NULL, " ", &rest))
        good = check_links(home, bus, host, complete) && check_models(home, codelets, host);
    return good;
}

static int paths_fit(const char *sampling)
{
    char hosts[LONGEST], *rest;
    size_t longest = 0;
    list_hosts(hosts, sizeof hosts);
    for (char *host = strtok_r(hosts, " ", &rest); host; host = strtok_r(NULL, " ", &rest))
        longest = strlen(host) > longest ? strlen(host) : longest;
    return strlen(sampling) + longest <= LONGEST_FOLDER_AND_HOST;
}

/* ---- Folders ----------------------------------------------------------------------------------------------------- */

/* StarPU's folder for measurements and those in it. Files of links are written at once where one is missing. */
static int usable(struct starfish_cache_dir *home, const char *sampling)
{
    char bus[LONGEST], codelets[LONGEST], models[LONGEST];
    int complete;
    return paths_fit(sampling) && have_folder(home, bus, sampling, "bus") &&
           have_folder(home, codelets, sampling, "codelets") &&
           have_folder(home, models, codelets, STARFISH_MODEL_VERSION) && check_files(home, sampling, &complete) &&
           takes_a_file(bus, complete ? 1 : LINKS_BYTES) && takes_a_file(models, 1);
}

/* A folder of this user's alone. */
static int own_folder(const char *folder)
{
    struct stat found;
    mkdir(folder, S_IRWXU);
    return lstat(folder, &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid() &&
           (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static int usable_as_home(struct starfish_cache_dir *home, const char *folder)
{
    char sampling[LONGEST], starpu[LONGEST];
    struct stat found;
    if (!join(starpu, folder, ".starpu") || !join(sampling, folder, ".starpu/sampling"))
        return 0;
    if (stat(folder, &found) == 0 && (found.st_mode & S_IWOTH) && !own_folder(starpu))
        return 0;
    return usable(home, sampling);
}

static const char *first_variable(const char *const *name)
{
    const char *value = NULL;
    for (; *name && !value; name++) {
        value = getenv(*name);
        value = value && *value ? value : NULL;
    }
    return value;
}

static const char *temporary_folder(void)
{
    const char *value = first_variable(starfish_temporary_variables);
    return value ? value : "/tmp";
}

/* StarPU looks for each file in all of these, and writes new ones into the first. */
static int usual_is_usable(struct starfish_cache_dir *home)
{
    const char *first = getenv("STARPU_PERF_MODEL_DIR"), *folder = first_variable(starfish_cache_dir_variables);
    const char *more = getenv("STARPU_PERF_MODEL_PATH"), *above = folder ? folder : temporary_folder();
    char sampling[LONGEST], others[LONGEST], *rest;
    int complete;
    snprintf(others, sizeof others, "%s", more ? more : "");
    snprintf(sampling, sizeof sampling, "%s/.starpu/sampling", above);
    snprintf(home->usual, sizeof home->usual, "%s", first && *first ? first : sampling);
    if (first && *first ? !usable(home, first) || !check_files(home, sampling, &complete)
                        : !usable_as_home(home, above))
        return 0;
    for (char *one = strtok_r(others, ":,", &rest); one; one = strtok_r(NULL, ":,", &rest))
        if (!check_files(home, one, &complete))
            return 0;
    return 1;
}

static int try_cache(struct starfish_cache_dir *home, const char *above, const char *below)
{
    if (!above || !*above || snprintf(home->other, sizeof home->other, "%s%s", above, below) >= LONGEST)
        return 0;
    return is_folder(above) && own_folder(home->other) && usable_as_home(home, home->other);
}

/* The user's home directory by the system's records. The variable HOME may name another one. */
static const char *home_of_user(char *text, size_t size)
{
    struct passwd entry, *found = NULL;
    return getpwuid_r(geteuid(), &entry, text, size, &found) == 0 && found ? entry.pw_dir : NULL;
}

static enum starfish_cache_dir_kind find_other(struct starfish_cache_dir *home)
{
    char user[4096], name[64];
    snprintf(name, sizeof name, "/starfish-%lu", (unsigned long)geteuid());
    if (try_cache(home, home_of_user(user, sizeof user), "/.cache") || try_cache(home, "/var/cache", name) ||
        try_cache(home, "/var/tmp", name))
        return STARFISH_CACHE_DIR_CACHE;
    const char *const places[] = {temporary_folder(), "/tmp", "/dev/shm"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (!join(home->other, places[i], "starfish-XXXXXX") || !mkdtemp(home->other))
            continue;
        if (usable_as_home(home, home->other))
            return STARFISH_CACHE_DIR_TEMPORARY;
        starfish_cache_dir_remove(home->other);
    }
    return STARFISH_CACHE_DIR_NOWHERE;
}

void starfish_cache_dir_mend(struct starfish_cache_dir *home)
{
    home->other[0] = home->aside[0] = 0;
    home->put_aside = 0;
    home->kind = usual_is_usable(home) ? STARFISH_CACHE_DIR_USUAL : STARFISH_CACHE_DIR_NOWHERE;
}

void starfish_cache_dir_find(struct starfish_cache_dir *home)
{
    starfish_cache_dir_mend(home);
    if (home->kind != STARFISH_CACHE_DIR_USUAL)
        home->kind = find_other(home);
}

int starfish_cache_dir_takes_files(const char *folder)
{
    return make_folders(folder) && takes_a_file(folder, 1);
}

static int remove_one(const char *path, const struct stat *found, int kind, struct FTW *where)
{
    (void)found, (void)kind, (void)where;
    remove(path);
    return 0;
}

void starfish_cache_dir_remove(const char *folder)
{
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
