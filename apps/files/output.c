/* Output files that are whole or not there. */
#include "apps/files/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static starfish_status check_folder(const char *path)
{
    size_t length = folder_length(path);
    char *folder = length ? strndup(path, length) : strdup(".");
    struct stat folder_stat;
    starfish_status status = STARFISH_SUCCESS;
    if (!folder)
        return starfish_fail(STARFISH_ERROR_MEMORY, "%s: no memory for its name", path);
    if (stat(folder, &folder_stat) != 0 || access(folder, W_OK | X_OK) != 0)
        status = fail_errno(path, "its folder cannot be written");
    else if (!S_ISDIR(folder_stat.st_mode))
        status = starfish_fail(STARFISH_ERROR_FILE, "%s: %s is not a folder", path, folder);
    free(folder);
    return status;
}

starfish_status starfish_output_check(const char *path)
{
    struct stat existing;
    if (stat(path, &existing) != 0)
        return path[0] ? check_folder(path) : starfish_fail(STARFISH_ERROR_FILE, "an output file has an empty name");
    if (S_ISDIR(existing.st_mode))
        return starfish_fail(STARFISH_ERROR_FILE, "%s: is a directory", path);
    if (access(path, W_OK) != 0)
        return fail_errno(path, "cannot be written");
    return S_ISREG(existing.st_mode) ? check_folder(path) : STARFISH_SUCCESS;
}

static void release(struct starfish_output *output)
{
    free(output->path);
    free(output->temporary);
    *output = (struct starfish_output){.path = NULL};
}

/* The file's own folder, so that the rename stays within one file system. */
static starfish_status make_temporary(struct starfish_output *output)
{
    static const char suffix[] = ".starfish-XXXXXX";
    size_t length = folder_length(output->path);
    int file;
    mode_t mask;
    output->temporary = malloc(length + sizeof suffix);
    if (!output->temporary)
        return starfish_fail(STARFISH_ERROR_MEMORY, "%s: no memory for its name", output->path);
    memcpy(output->temporary, output->path, length);
    memcpy(output->temporary + length, suffix, sizeof suffix);
    file = mkstemp(output->temporary);
    if (file < 0)
        return fail_errno(output->path, "cannot be created");
    /* mkstemp makes private files; results are ordinary ones. */
    mask = umask(0);
    umask(mask);
    (void)!fchmod(file, 0666 & ~mask);
    output->stream = fdopen(file, "wb");
    if (!output->stream) {
        close(file);
        unlink(output->temporary);
        return fail_errno(output->path, "cannot be created");
    }
    return STARFISH_SUCCESS;
}

starfish_status starfish_output_open(struct starfish_output *output, const char *path)
{
    struct stat existing;
    starfish_status status;
    int exists = stat(path, &existing) == 0;
    *output = (struct starfish_output){.path = exists ? realpath(path, NULL) : strdup(path)};
    if (!output->path)
        return fail_errno(path, "its name cannot be resolved");
    status = starfish_output_check(output->path);
    if (status == STARFISH_SUCCESS && exists && !S_ISREG(existing.st_mode)) {
        output->stream = fopen(output->path, "wb");
        if (!output->stream)
            status = fail_errno(path, "cannot be opened");
    } else if (status == STARFISH_SUCCESS) {
        status = make_temporary(output);
    }
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

starfish_status starfish_output_finish(struct starfish_output *output, starfish_status written)
{
    if (output->stream) {
        int bad = ferror(output->stream) || fflush(output->stream) != 0;
        bad |= fclose(output->stream) != 0;
        if (bad && written == STARFISH_SUCCESS)
            written = fail_errno(output->path, "cannot be written");
    }
    if (output->temporary && written == STARFISH_SUCCESS && rename(output->temporary, output->path) != 0)
        written = fail_errno(output->path, "cannot be replaced");
    if (output->temporary && written != STARFISH_SUCCESS)
        unlink(output->temporary);
    release(output);
    return written;
}
