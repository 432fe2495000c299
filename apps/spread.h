/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields distributed over the memories of a node, filled from host arrays and copied back. */
#ifndef STARFISH_APPS_SPREAD_H
#define STARFISH_APPS_SPREAD_H

#include "base/status.h"

#include <starfish/starfish.h>

/* Planes of `plane_bytes` each; in a simulation nothing is moved. Errors: RUNTIME. */
starfish_status spread_write(starfish_field *field, const void *array, size_t plane_bytes);
starfish_status spread_read(starfish_field *field, void *array, size_t plane_bytes);

#endif
