/* Output files that are whole or not there: written under a temporary name in the same folder (temporary.h) and renamed
 * at the end, so that a failure or a signal leaves neither half a file nor an older one destroyed. A file that is
 * replaced hands on its mode, and its owner where we may give files away; other names of it (hard links) keep the older
 * content. A link is followed as open() does, also to a file that is not there yet. What is not a regular file (a pipe,
 * /dev/null) is written in place. Nothing is forced to disk: this is about failing programs, not power. */
#ifndef STARFISH_APPS_FILES_OUTPUT_H
#define STARFISH_APPS_FILES_OUTPUT_H

#include "base/status.h"

#include <stdio.h>

struct starfish_output {
    char *path;      /* where it ends */
    char *temporary; /* where it is written meanwhile; NULL: in place */
    FILE *stream;    /* to write to; NULL between _open_name and _finish */
};

/* Could `path` be written? Asked before work is done whose result would be lost. Error: FILE. */
starfish_status starfish_output_check(const char *path);

/* Start a file. It ends by starfish_output_finish, whatever happens between. Error: FILE. */
starfish_status starfish_output_open(struct starfish_output *output, const char *path);
/* The same for a library that opens files by name: output->temporary, an empty regular file. */
starfish_status starfish_output_open_name(struct starfish_output *output, const char *path);

/* Close, and give the file its name if `written` is SUCCESS and every write got through; else remove the temporary.
 * Returns `written`, or FILE. */
starfish_status starfish_output_finish(struct starfish_output *output, starfish_status written);

#endif
