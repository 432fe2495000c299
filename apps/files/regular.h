/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input files. Devices and pipes may never end, and opening a pipe may never return, so only regular files are read. */
#ifndef STARFISH_APPS_FILES_REGULAR_H
#define STARFISH_APPS_FILES_REGULAR_H

#include "base/status.h"

#include <stdio.h>

/* Open a regular file for reading. The caller closes *stream, which is NULL on failure. Error: FILE (names it). */
starfish_status starfish_regular_open(const char *path, FILE **stream);

/* The whole file, a 0 behind it. The caller frees *text, also after a failure. Errors: FILE, MEMORY. */
starfish_status starfish_regular_read(const char *path, char **text, size_t *size);

#endif
