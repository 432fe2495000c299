/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* StarPU's cache directory for its measurements: performance models and the speed of links.
 *
 * StarPU aborts if it cannot write there, or cannot read a file left by an earlier run, a full disk or another program.
 * Its folders and files are therefore checked before it starts. Unreadable files are renamed, with .unreadable
 * appended. If a folder is not usable another one is tried: the user's and the system's cache folders, finally a
 * temporary one. */
#ifndef STARFISH_SCHEDULER_RUNTIME_CACHE_DIR_H
#define STARFISH_SCHEDULER_RUNTIME_CACHE_DIR_H

/* Longer paths are too long for StarPU. */
enum { STARFISH_CACHE_DIR_PATH = 1024 };

enum starfish_cache_dir_kind {
    STARFISH_CACHE_DIR_USUAL,     /* StarPU's own choice can be read and written */
    STARFISH_CACHE_DIR_CACHE,     /* another folder, to stay */
    STARFISH_CACHE_DIR_TEMPORARY, /* a folder to be removed when StarPU has stopped (starfish_cache_dir_remove) */
    STARFISH_CACHE_DIR_NOWHERE    /* nothing can be written anywhere */
};

struct starfish_cache_dir {
    enum starfish_cache_dir_kind kind;
    char usual[STARFISH_CACHE_DIR_PATH]; /* the folder of measurements that StarPU would take by its variables */
    char other[STARFISH_CACHE_DIR_PATH]; /* CACHE, TEMPORARY: to take for HOME; StarPU makes .starpu/sampling in it */
    int put_aside;                       /* files, of which this is one */
    char aside[STARFISH_CACHE_DIR_PATH];
};

/* Variables whose value is a folder for StarPU, the first that is set counts; an empty one counts as not set. */
extern const char *const starfish_cache_dir_variables[]; /* for HOME, ends with NULL */
extern const char *const starfish_temporary_variables[];

/* Makes the folders, and puts files aside. */
void starfish_cache_dir_find(struct starfish_cache_dir *home);
/* Puts files of the usual folder aside, for a StarPU that runs already. kind: USUAL or NOWHERE. */
void starfish_cache_dir_mend(struct starfish_cache_dir *home);
/* Can files be written in a folder? It is made where it is missing. */
int starfish_cache_dir_takes_files(const char *folder);
/* A folder and all that is in it. */
void starfish_cache_dir_remove(const char *folder);

#endif
