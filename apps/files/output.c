/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Output files that are complete or absent, and groups of them (output.h): links are followed, and mode and owner of a
 * replaced file kept. */
#include "apps/files/output.h"

#include "apps/files/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int starfish_path_ends(const char *path, const char *ending)
{
    const size_t length = path ? strlen(path) : 0, end = strlen(ending);
    return length > end && strcmp(path + length - end, ending) == 0;
}

static starfish_status fail_errno(const char *path, const char *what)
{
    return starfish_fail(STARFISH_ERROR_FILE, "%s: %s: %s", path, what, strerror(errno));
}

/* Folder of a path, with the slash; "" when it has none. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Its name, "." when it has none, which the caller frees; NULL without memory. */
static char *folder_of(const char *path)
{
    const size_t length = folder_length(path);
    return length ? strndup(path, length) : strdup(".");
}

static starfish_status check_folder(const char *path)
{
    char *folder = folder_of(path);
    struct stat folder_stat;
    starfish_status status = STARFISH_SUCCESS;
    STARFISH_FAIL_IF(!folder, STARFISH_ERROR_MEMORY, "%s: no memory for its name", path);
    if (stat(folder, &folder_stat) != 0 || access(folder, W_OK | X_OK) != 0)
        status = fail_errno(path, "its folder cannot be written");
    else if (!S_ISDIR(folder_stat.st_mode))
        status = starfish_fail(STARFISH_ERROR_FILE, "%s: %s is not a folder", path, folder);
    free(folder);
    return status;
}

/* ---- links ------------------------------------------------------------------------------------------------------- */

/* What a link at `path` points to, as seen from where we are; NULL, with errno, when it cannot be read. */
static char *read_link(const char *path)
{
    char target[PATH_MAX];
    const ssize_t length = readlink(path, target, sizeof target);
    if (length < 0 || length == sizeof target) {
        errno = length < 0 ? errno : ENAMETOOLONG;
        return NULL;
    }
    const size_t folder = target[0] == '/' ? 0 : folder_length(path);
    char *result = malloc(folder + (size_t)length + 1);
    if (!result)
        return NULL;
    memcpy(result, path, folder);
    memcpy(result + folder, target, (size_t)length);
    result[folder + (size_t)length] = '\0';
    return result;
}

/* The file that open() would open, or make where a link points to what is not there yet. The caller frees it. NULL,
 * with errno: links in a circle, no memory. */
static char *follow(const char *path)
{
    enum { MOST_LINKS = 40 }; /* as Linux */
    struct stat there;
    char *at = strdup(path);
    for (int links = 0; at && lstat(at, &there) == 0 && S_ISLNK(there.st_mode); ++links) {
        char *next = links < MOST_LINKS ? read_link(at) : NULL;
        if (links == MOST_LINKS)
            errno = ELOOP;
        free(at);
        at = next;
    }
    return at;
}

/* ---- what can be written ----------------------------------------------------------------------------------------- */

/* `path` is no link. */
static starfish_status check_followed(const char *path)
{
    struct stat existing;
    if (stat(path, &existing) != 0)
        return path[0] ? check_folder(path) : starfish_fail(STARFISH_ERROR_FILE, "an output file has an empty name");
    STARFISH_FAIL_IF(S_ISDIR(existing.st_mode), STARFISH_ERROR_FILE, "%s: is a directory", path);
    STARFISH_FAIL_IF(access(path, W_OK) != 0, STARFISH_ERROR_FILE, "%s: cannot be written: %s", path, strerror(errno));
    return S_ISREG(existing.st_mode) ? check_folder(path) : STARFISH_SUCCESS;
}

starfish_status starfish_output_check(const char *path)
{
    char *followed = follow(path);
    STARFISH_FAIL_IF(!followed, STARFISH_ERROR_FILE, "%s: its name cannot be resolved: %s", path, strerror(errno));
    const starfish_status status = check_followed(followed);
    free(followed);
    return status;
}

/* ---- the temporary file ------------------------------------------------------------------------------------------ */

static void release(struct starfish_output *output)
{
    if (output->replaced)
        fclose(output->replaced);
    if (output->folder >= 0)
        close(output->folder);
    free(output->path);
    free(output->temporary);
    *output = (struct starfish_output){.folder = -1};
}

/* A file that is replaced hands on its mode, and its owner and group where we may give a file away. A new file gets the
 * mode of any new file; mkstemp's would be private. */
static void set_mode(int file, const struct stat *existing)
{
    if (existing) {
        if (fchown(file, existing->st_uid, existing->st_gid) != 0)
            (void)!fchown(file, (uid_t)-1, existing->st_gid);
        (void)!fchmod(file, existing->st_mode & 07777);
        return;
    }
    const mode_t mask = umask(0);
    umask(mask);
    (void)!fchmod(file, 0666 & ~mask);
}

/* The file's own folder, so that the rename stays within one file system. `existing`: what is replaced, or NULL. */
static starfish_status make_temporary(struct starfish_output *output, const struct stat *existing)
{
    static const char suffix[] = ".starfish-XXXXXX";
    const size_t length = folder_length(output->path);
    output->temporary = malloc(length + sizeof suffix);
    STARFISH_FAIL_IF(!output->temporary, STARFISH_ERROR_MEMORY, "%s: no memory for its name", output->path);
    memcpy(output->temporary, output->path, length);
    memcpy(output->temporary + length, suffix, sizeof suffix);
    const int file = starfish_temporary_file(output->temporary);
    STARFISH_FAIL_IF(file < 0, STARFISH_ERROR_FILE, "%s: cannot be created: %s", output->path, strerror(errno));
    set_mode(file, existing);
    output->stream = fdopen(file, "wb");
    if (!output->stream) {
        const starfish_status status = fail_errno(output->path, "cannot be created");
        close(file);
        starfish_temporary_remove(output->temporary);
        return status;
    }
    return STARFISH_SUCCESS;
}

static starfish_status open_followed(struct starfish_output *output)
{
    struct stat existing;
    const int exists = stat(output->path, &existing) == 0;
    STARFISH_TRY(check_followed(output->path));
    if (!exists || S_ISREG(existing.st_mode))
        return make_temporary(output, exists ? &existing : NULL);
    output->stream = fopen(output->path, "wb");
    return output->stream ? STARFISH_SUCCESS : fail_errno(output->path, "cannot be opened");
}

starfish_status starfish_output_open(struct starfish_output *output, const char *path)
{
    *output = (struct starfish_output){.path = follow(path), .folder = -1};
    STARFISH_FAIL_IF(!output->path, STARFISH_ERROR_FILE, "%s: its name cannot be resolved: %s", path, strerror(errno));
    const starfish_status status = open_followed(output);
    if (status != STARFISH_SUCCESS)
        release(output);
    return status;
}

starfish_status starfish_output_open_name(struct starfish_output *output, const char *path)
{
    STARFISH_TRY(starfish_output_open(output, path));
    if (!output->temporary)
        return starfish_output_finish(output,
                                      starfish_fail(STARFISH_ERROR_FILE, "%s: is not a regular file", output->path));
    fclose(output->stream);
    output->stream = NULL;
    return STARFISH_SUCCESS;
}

/* Of a write that failed before the last one, the reason is not known any more. */
static starfish_status close_stream(const struct starfish_output *output)
{
    errno = 0;
    const int bad = fflush(output->stream) != 0 || ferror(output->stream), reason = errno;
    errno = 0;
    const int closed = fclose(output->stream) == 0;
    errno = reason ? reason : errno;
    if (!bad && closed)
        return STARFISH_SUCCESS;
    return errno ? fail_errno(output->path, "cannot be written")
                 : starfish_fail(STARFISH_ERROR_FILE, "%s: cannot be written to its end: is the disk full?",
                                 output->path);
}

/* The file gets its name, or is removed. */
static starfish_status give_name(const struct starfish_output *output, starfish_status written)
{
    if (written == STARFISH_SUCCESS && rename(output->temporary, output->path) != 0)
        written = fail_errno(output->path, "cannot be replaced");
    if (written == STARFISH_SUCCESS)
        starfish_temporary_forget(output->temporary);
    else
        starfish_temporary_remove(output->temporary);
    return written;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

enum { MOST_OUTPUTS = 16 }; /* as many as temporary.c can remove */

static struct {
    int is_open;
    size_t count;
    struct starfish_output output[MOST_OUTPUTS]; /* whole files, under their temporary names */
} group;

void starfish_outputs_begin(void)
{
    group.is_open = 1;
}

starfish_status starfish_outputs_finish(starfish_status written)
{
    for (size_t i = 0; i < group.count; ++i)
        written = give_name(&group.output[i], written);
    for (size_t i = 0; i < group.count; ++i)
        release(&group.output[i]); /* locks, of which one may be for several files */
    group.count = 0;
    group.is_open = 0;
    return written;
}

int starfish_path_same(const char *path, const char *other)
{
    struct stat found[2];
    return stat(path, &found[0]) == 0 && stat(other, &found[1]) == 0 && found[0].st_dev == found[1].st_dev &&
           found[0].st_ino == found[1].st_ino;
}

/* Do two files lie in one folder, whatever it is called? */
static int share_folder(const char *path, const char *other)
{
    char *const folder = folder_of(path), *const others = folder_of(other);
    const int same = folder && others && starfish_path_same(folder, others);
    free(folder);
    free(others);
    return same;
}

const struct starfish_output *starfish_outputs_find(const char *path)
{
    for (size_t i = group.count; i-- > 0;) {
        const char *other = group.output[i].path;
        if (strcmp(other + folder_length(other), path + folder_length(path)) == 0 && share_folder(other, path))
            return &group.output[i];
    }
    return NULL;
}

/* ---- locks ------------------------------------------------------------------------------------------------------- */

enum { MOMENT = 10, MOST_MOMENTS = 6000 }; /* a moment is 10 ms */

static starfish_status wait_for(int folder, const char *path)
{
    const struct timespec moment = {0, MOMENT * 1000000L};
    for (int i = 0; i < MOST_MOMENTS; ++i) {
        if (flock(folder, LOCK_EX | LOCK_NB) == 0)
            return STARFISH_SUCCESS;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return STARFISH_ERROR_UNSUPPORTED;
        nanosleep(&moment, NULL);
    }
    return starfish_fail(STARFISH_ERROR_FILE, "%s: another program has been writing into its folder for %d s", path,
                         MOMENT * MOST_MOMENTS / 1000);
}

starfish_status starfish_output_lock(struct starfish_output *output)
{
    for (size_t i = 0; i < group.count; ++i)
        if (group.output[i].folder >= 0 && share_folder(group.output[i].path, output->path))
            return STARFISH_SUCCESS;
    char *folder = folder_of(output->path);
    STARFISH_FAIL_IF(!folder, STARFISH_ERROR_MEMORY, "%s: no memory for its name", output->path);
    const int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    const starfish_status status = lock < 0 ? STARFISH_ERROR_UNSUPPORTED : wait_for(lock, output->path);
    if (status == STARFISH_SUCCESS)
        output->folder = lock;
    else if (lock >= 0)
        close(lock);
    return status == STARFISH_ERROR_UNSUPPORTED ? STARFISH_SUCCESS : status;
}

starfish_status starfish_output_finish(struct starfish_output *output, starfish_status written)
{
    if (output->stream && written == STARFISH_SUCCESS)
        written = close_stream(output);
    else if (output->stream)
        fclose(output->stream);
    if (output->temporary && written == STARFISH_SUCCESS && group.is_open && group.count < MOST_OUTPUTS) {
        group.output[group.count++] = *output;
        *output = (struct starfish_output){.folder = -1};
        return written;
    }
    if (output->temporary)
        written = give_name(output, written);
    release(output);
    return written;
}
