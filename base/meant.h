/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Suggests the known word closest to a misspelt one, for messages about unknown options, keys and names of choices. */
#ifndef STARFISH_BASE_MEANT_H
#define STARFISH_BASE_MEANT_H

enum { STARFISH_MEANT = 80 };

/* `between` and "did you mean NAME?" in `text`, of the name that is most like `word` in `names`, which ", " separates;
 * "" where none is like it. Returns `text`. */
const char *starfish_meant(const char *word, const char *names, const char *between, char text[STARFISH_MEANT]);

#endif
