/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts StarPU's trace in Paje's format to what programs that read it expect: events in order, and states that
 * begin. */
#ifndef STARFISH_SCHEDULER_LAB_PAJE_H
#define STARFISH_SCHEDULER_LAB_PAJE_H

#include "base/status.h"

/* Puts the events of FOLDER/paje.trace in the order of their times, and takes out ends of states that have no
 * beginning, which stand there where tracing began while a worker was in such a state. Where there is no such file
 * nothing is done. Error: FILE (it stays as it was). */
starfish_status starfish_paje_mend(const char *folder);

#endif
