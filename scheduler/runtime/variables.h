/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The variables of the environment that StarPU reads. It aborts where it does not understand a value. */
#ifndef STARFISH_SCHEDULER_RUNTIME_VARIABLES_H
#define STARFISH_SCHEDULER_RUNTIME_VARIABLES_H

#include "base/status.h"

/* Before StarPU is called. ARGUMENT, naming the variable and its value. Variables STARPU_... that are empty are unset,
 * as StarPU would take them for 0. Changes the environment: not while other threads use it. */
starfish_status starfish_variables_check(void);

#endif
