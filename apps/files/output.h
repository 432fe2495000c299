/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Output files that are whole or not there: written under a temporary name in the same folder (temporary.h) and renamed
 * at the end, so that a failure or a signal leaves neither half a file nor an older one destroyed. A file that is
 * replaced hands on its mode, and its owner where we may give files away; other names of it (hard links) keep the older
 * content. A link is followed as open() does, also to a file that is not there yet. What is not a regular file (a pipe,
 * /dev/null) is written in place. Nothing is forced to disk: this is about failing programs, not power.
 *
 * The outputs of a command appear together or not at all: in a group they keep their temporary names until its end. Two
 * things are beyond that: what is written in place, and a name that cannot be given (a folder that is removed
 * meanwhile) after others of the group have been. */
#ifndef STARFISH_APPS_FILES_OUTPUT_H
#define STARFISH_APPS_FILES_OUTPUT_H

#include "base/status.h"

#include <stdio.h>

struct starfish_output {
    char *path;      /* where it ends */
    char *temporary; /* where it is written meanwhile; NULL: in place */
    FILE *stream;    /* to write to; NULL between _open_name and _finish */
    FILE *replaced;  /* kept open, and so locked, until the file has its name; or NULL */
    int folder;      /* its lock (starfish_output_lock), kept as long; or -1 */
};

/* Could `path` be written? Asked before work is done whose result would be lost. Error: FILE. */
starfish_status starfish_output_check(const char *path);

/* Start a file. It ends by starfish_output_finish, whatever happens between. Error: FILE. */
starfish_status starfish_output_open(struct starfish_output *output, const char *path);
/* The same for a library that opens files by name: output->temporary, an empty regular file. */
starfish_status starfish_output_open_name(struct starfish_output *output, const char *path);

/* Close, and give the file its name if `written` is SUCCESS and every write got through, in a group at its end; else
 * remove the temporary. Returns `written`, or FILE. */
starfish_status starfish_output_finish(struct starfish_output *output, starfish_status written);

/* Locks the folder of an open output until the file has its name, in a group until its end, so that only one program
 * that locks it writes there at a time: waits for others at most a minute. The lock is on the folder, since a file that
 * is replaced would be a different one afterwards. Nothing is locked where the group has the lock already, or where the
 * file system knows no locks on folders. Errors: FILE, where others do not end; MEMORY. */
starfish_status starfish_output_lock(struct starfish_output *output);

/* A group: files that are finished from now on get their names by starfish_outputs_finish, in the order of their ends,
 * if `written` is SUCCESS; else all are removed. One group at a time, used by one thread. Returns `written`, or
 * FILE. */
void starfish_outputs_begin(void);
starfish_status starfish_outputs_finish(starfish_status written);

/* Of the group, the last file that is to become `path`; NULL: none. */
const struct starfish_output *starfish_outputs_find(const char *path);

/* Does the file's name end so, with something before? NULL does not. */
int starfish_path_ends(const char *path, const char *ending);
/* Is there a file, or a folder, that both names lead to? */
int starfish_path_same(const char *path, const char *other);

#endif
