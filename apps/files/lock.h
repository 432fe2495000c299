/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Locks a folder, so that only one writer at a time uses it among all programs with this lock. The lock is on the
 * folder: a replaced file would be a different one afterwards, and no lock file is needed. */
#ifndef STARFISH_APPS_FILES_LOCK_H
#define STARFISH_APPS_FILES_LOCK_H

#include "base/status.h"

/* Lock the folder of `path`, waiting for the others at most a minute. *lock is for starfish_lock_release; -1 where the
 * file system knows no locks on folders, which is no error. Error: FILE, when the others do not end. */
starfish_status starfish_lock_folder(const char *path, int *lock);
void starfish_lock_release(int lock);

#endif
