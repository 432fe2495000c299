/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starfish: solvers for elliptic problems on nodes with CPUs and GPUs. Every operation is a StarPU task. This header
 * includes the whole public interface but starfish/mpi.h.
 *
 * A function that fails creates nothing that must be destroyed. Set handles to NULL first, since a failing call may
 * leave them unchanged. Passing NULL for a required pointer is an ARGUMENT error. A function without a status then does
 * nothing and returns 0, NULL, an empty text or NaN. A destroyed handle must not be used again.
 *
 * Structs that may get more members, such as options, begin with their size. The smaller struct of an older program is
 * accepted. Structs without a size that a function fills in need no preparation. A failing function may leave them
 * unchanged. Their members stay the same as long as the shared library has the same name (libstarfish.so.0). */
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
