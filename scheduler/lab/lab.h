/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The laboratory: records and their evaluation, traces, simulated machines, policies. It looks at the runtime, which
 * calls it by hooks alone (runtime/hooks.h). */
#ifndef STARFISH_SCHEDULER_LAB_LAB_H
#define STARFISH_SCHEDULER_LAB_LAB_H

/* Sets the runtime's hooks. Any thread, any number of times. */
void starfish_lab_attach(void);

#endif
