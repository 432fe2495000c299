/* starfish fem: what its files share. */
#ifndef STARFISH_APPS_FEM_FEM_H
#define STARFISH_APPS_FEM_FEM_H

#include "apps/plans/elements.h"

/* files.c */
starfish_status fem_check_outputs(const struct fem_run *run);
starfish_status fem_write_outputs(struct fem_run *run);
/* picture.c: the solution on the plane, or of a solid on the plane through the middle across z. */
starfish_status fem_write_plot(const struct fem_run *run);

/* report.c */
void fem_print_table(const struct fem_run *run);
void fem_print_json(const struct fem_run *run);

#endif
