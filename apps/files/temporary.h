/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files and folders that must not outlive the program: files being written, and inputs of other programs. Their names
 * are drawn by mkstemp and mkdtemp, so that no link can lie in their way, and are kept in a table. SIGINT,
 * SIGTERM and SIGHUP remove what is in the table, print the last words, and then end the program as they would have.
 *
 * Thread-safe, but for starfish_temporary_guard. */
#ifndef STARFISH_APPS_FILES_TEMPORARY_H
#define STARFISH_APPS_FILES_TEMPORARY_H

#include <stddef.h>
#include <sys/types.h>

/* From now on these signals remove what is in the table. A signal that is ignored stays ignored (nohup). Call it once,
 * before StarPU is started, which calls the handlers that it finds. */
void starfish_temporary_guard(void);

/* As mkstemp: a new file, open for reading and writing, or -1 with errno. `pattern` becomes its name. */
int starfish_temporary_file(char *pattern);
/* As mkdtemp: a new folder; 0, or -1 with errno. */
int starfish_temporary_folder(char *pattern);
/* The same of a folder that is removed with all that is in it, by whomever. */
int starfish_temporary_tree(char *pattern);
/* Makes a folder of that name, which is removed if it is empty then. 0, or -1 with errno, EEXIST where it is there. */
int starfish_temporary_new_folder(const char *path);
/* A file that another function or program will make under this name; no other process makes files there. 0, also when
 * the name was in the table before, or -1 with errno (the table is full, the name too long). */
int starfish_temporary_expect(const char *path);

/* As fork, for a process that writes files of the table: a signal ends it before they are removed. One at a time, and
 * waited for by starfish_temporary_wait, which returns what waitpid says of its end. */
pid_t starfish_temporary_fork(void);
int starfish_temporary_wait(pid_t process);

/* Take a name out of the table: the file has got another name, or is gone. */
void starfish_temporary_forget(const char *path);
/* What such a signal writes to standard output before the program ends: `length` bytes of the caller's, which stay
 * until the next call; NULL: nothing. */
void starfish_temporary_last_words(const char *text, size_t length);

/* Remove a file, an empty folder or a tree, and take its name out of the table; what is not there is no error. */
void starfish_temporary_remove(const char *path);

#endif
