/* The families of plans, a row for each starfish_kind(NAME) in the CMakeLists.txt of a folder. The table is written
 * when a build is configured (StarfishTargets.cmake), since this folder knows no family. */
#ifndef STARFISH_SOLVER_KINDS_H
#define STARFISH_SOLVER_KINDS_H

#include "base/options.h"

struct starfish_kind_row {
    const char *name;
    const struct starfish_option_table *options; /* of struct starfish_NAME_options */
};

extern const struct starfish_kind_row starfish_kinds[]; /* behind the last a row without a name */

#endif
