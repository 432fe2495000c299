/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* StarPU's own traces, if it was built with FxT: paje.trace for ViTE, tasks.rec, dag.dot; and the copies in them, which
 * StarPU reports only there. */
#ifndef STARFISH_SCHEDULER_LAB_FXT_H
#define STARFISH_SCHEDULER_LAB_FXT_H

#include "scheduler/lab/record.h"

int starfish_fxt_available(void);

/* Before the first context: StarPU shall write into `folder` what happens between _begin and _end. Error: MEMORY. */
starfish_status starfish_fxt_prepare(const char *folder);
void starfish_fxt_begin(void);
void starfish_fxt_end(void);
/* After the last context: make the files. Errors: RUNTIME, FILE (the disk is full, or a limit of sizes cuts them off).
 */
starfish_status starfish_fxt_convert(const char *folder);

/* One copy between memory nodes, in the times of a record. */
struct starfish_copy {
    unsigned from, to;
    unsigned number; /* StarPU's */
    size_t bytes;
    double start, end;
};

/* The copies in the folder's paje.trace; its clock is set by the first of the record's tasks in tasks.rec. The caller
 * frees *copies. None where there are no such files. Error: MEMORY. */
starfish_status starfish_fxt_copies(const char *folder, const struct starfish_record *record,
                                    struct starfish_copy **copies, size_t *count);

#endif
