/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Locks on folders (lock.h): flock on the opened folder, tried every 10 ms for a minute, after which it fails. */
#include "apps/files/lock.h"

#include "apps/files/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

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

starfish_status starfish_lock_folder(const char *path, int *lock)
{
    char *folder;
    STARFISH_TRY(starfish_file_folder(path, &folder));
    *lock = open(folder[0] ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    const starfish_status status = *lock < 0 ? STARFISH_ERROR_UNSUPPORTED : wait_for(*lock, path);
    if (status != STARFISH_SUCCESS)
        starfish_lock_release(*lock);
    if (status == STARFISH_SUCCESS)
        return status;
    *lock = -1;
    return status == STARFISH_ERROR_UNSUPPORTED ? STARFISH_SUCCESS : status;
}

void starfish_lock_release(int lock)
{
    if (lock >= 0)
        close(lock);
}
