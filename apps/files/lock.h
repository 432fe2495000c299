/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One writer at a time in a folder, of all programs that use this lock. It is on the folder, since a file that is
 * replaced is another one afterwards, and needs no file of its own. */
#ifndef STARFISH_APPS_FILES_LOCK_H
#define STARFISH_APPS_FILES_LOCK_H

#include "base/status.h"

/* Lock the folder of `path`, waiting for the others at most a minute. *lock is for starfish_lock_release; -1 where the
 * file system knows no locks on folders, which is no error. Error: FILE, when the others do not end. */
starfish_status starfish_lock_folder(const char *path, int *lock);
void starfish_lock_release(int lock);

#endif
