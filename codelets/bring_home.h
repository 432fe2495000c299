/* Task that does nothing but have its data where they came from. */
#ifndef STARFISH_CODELETS_BRING_HOME_H
#define STARFISH_CODELETS_BRING_HOME_H

#include "scheduler/task.h"

/* Without it a result is fetched when its field is given up, after everything else; with it the copy follows the task
 * that wrote the data, beside other tasks and copies. */
starfish_status starfish_submit_bring_home(struct starfish_progress *progress, int phase, starpu_data_handle_t data);

#endif
