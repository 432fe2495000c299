/* Where StarPU keeps what it has measured: performance models and the speed of links.
 *
 * StarPU aborts where it cannot write. So its folder is tried before it starts, and another one is looked for where
 * that one cannot be had: the user's and the system's cache folders, at last a temporary one. */
#ifndef STARFISH_SCHEDULER_HOME_H
#define STARFISH_SCHEDULER_HOME_H

#include <stddef.h>

enum starfish_home {
    STARFISH_HOME_USUAL,     /* StarPU's own choice can be written */
    STARFISH_HOME_CACHE,     /* another folder, to stay */
    STARFISH_HOME_TEMPORARY, /* a folder that is to be removed when StarPU has stopped (starfish_home_remove) */
    STARFISH_HOME_NOWHERE    /* nothing can be written anywhere */
};

/* usual[size] becomes the folder that StarPU would take by its variables, and other[size] the one to take instead,
 * which stands for HOME: StarPU makes .starpu/sampling in it. Both folders are made. */
enum starfish_home starfish_home_find(char *usual, char *other, size_t size);
/* Removes models that a process has not written to their end, since StarPU aborts where it reads one: killed, or with a
 * full disk. `folder` is StarPU's for measurements. How many. */
int starfish_home_mend(const char *folder);
/* A folder and all that is in it. */
void starfish_home_remove(const char *folder);

#endif
