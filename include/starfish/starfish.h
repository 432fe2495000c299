/* Starfish: elliptic problems on CPU+GPU nodes, every operation a StarPU task. The whole public interface. */
#ifndef STARFISH_STARFISH_H
#define STARFISH_STARFISH_H

#define STARFISH_VERSION_MAJOR 0
#define STARFISH_VERSION_MINOR 1
#define STARFISH_VERSION_PATCH 0
#define STARFISH_VERSION "0.1.0"

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
#include <starfish/status.h>
#include <starfish/tridiag.h>
#include <starfish/types.h>

#endif
