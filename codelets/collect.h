/* Tasks: a vector whose parts have memories of their own collected in one array, and spread from it again. What is cut
 * above is solved in one place below: the tail of a hierarchy. A word in and a word out per unknown. */
#ifndef STARFISH_CODELETS_COLLECT_H
#define STARFISH_CODELETS_COLLECT_H

#include "codelets/vectors.h"

/* The parts of `from`, one after the other, become `to`, a vector of one part; and back, with a task per part. */
starfish_status starfish_submit_collect(const struct starfish_algebra *algebra, const struct starfish_vector *from,
                                        const struct starfish_vector *to);
starfish_status starfish_submit_spread(const struct starfish_algebra *algebra, const struct starfish_vector *from,
                                       const struct starfish_vector *to);

#endif
