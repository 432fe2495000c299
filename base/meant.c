/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The known word that is closest to a misspelt one (meant.h), by its distance: letters that are changed, added, removed
 * or swapped. */
#include "base/meant.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 40 };

/* Restricted Damerau distance: the number of letters to change, add, remove or swap with the next. */
static int distance(const char *a, size_t n, const char *b, size_t m)
{
    int d[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= n; ++i)
        for (size_t j = 0; j <= m; ++j) {
            if (i == 0 || j == 0) {
                d[i][j] = (int)(i + j);
                continue;
            }
            const int change = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            const int skip = 1 + (d[i - 1][j] < d[i][j - 1] ? d[i - 1][j] : d[i][j - 1]);
            d[i][j] = change < skip ? change : skip;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < d[i][j])
                d[i][j] = d[i - 2][j - 2] + 1;
        }
    return d[n][m];
}

const char *starfish_meant(const char *word, const char *names, const char *between, char text[STARFISH_MEANT])
{
    const size_t length = strcspn(word, "=");
    int nearest = length < 3 ? 1 : length < 5 ? 2 : 3; /* so many are another word */
    text[0] = '\0';
    for (const char *name = names; *name && length <= LONGEST;) {
        const size_t of_name = strcspn(name, ",");
        int far = of_name <= LONGEST ? distance(word, length, name, of_name) : LONGEST;
        if (far > 2 && length > 4 && strncmp(word, name, length - 1) == 0) /* policy for policies */
            far = 2;
        if (far < nearest) {
            nearest = far;
            snprintf(text, STARFISH_MEANT, "%sdid you mean %.*s?", between, (int)of_name, name);
        }
        name += of_name;
        name += strspn(name, ", ");
    }
    return text;
}
