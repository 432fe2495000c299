/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starfish: elliptic problems on CPU+GPU nodes, every operation a StarPU task. The whole public interface.
 *
 * Where a function fails it has made nothing that needs destroying; set handles to NULL at first, since a call that
 * fails may leave them as they were. NULL for a pointer that must not be NULL is an ARGUMENT error; a function that
 * returns no status then does nothing, and returns 0, NULL, an empty text or NaN. A handle that has been destroyed must
 * not be used again.
 *
 * Structs that the caller fills in and that may get more members, the options, begin with their size, and an older
 * program's smaller one is accepted. Structs that a function fills in, as results of a solve, need no
 * preparation: a function that fails may leave them as they were, and they have the same members as long as the shared
 * library has the same name (libstarfish.so.0). */
#ifndef STARFISH_STARFISH_H
#define STARFISH_STARFISH_H

#define STARFISH_VERSION_MAJOR 0 /* first number of the version, and of the shared library's name */
#define STARFISH_VERSION_MINOR 1 /* second number */
#define STARFISH_VERSION_PATCH 0 /* third number */
#define STARFISH_VERSION "0.1.0" /* all three as text */

#include <starfish/atmosphere.h>
#include <starfish/context.h>
#include <starfish/diffusion.h>
#include <starfish/fem.h>
#include <starfish/field.h>
#include <starfish/fishpack.h>
#include <starfish/memory.h>
#include <starfish/multigrid.h>
#include <starfish/options.h>
#include <starfish/poisson.h>
#include <starfish/problems.h>
#include <starfish/solve.h>
#include <starfish/status.h>
#include <starfish/tridiag.h>
#include <starfish/types.h>

#endif
