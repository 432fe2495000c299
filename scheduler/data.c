/* Acquiring and unregistering data. */
#include "scheduler/data.h"

#include "scheduler/fork.h"
#include "scheduler/rest.h"

#include <errno.h>

int starfish_data_acquire(starpu_data_handle_t handle, enum starpu_data_access_mode mode)
{
    if (starfish_is_forked())
        return -ENODEV;
    starfish_rest_copies_begin();
    const int code = starpu_data_acquire_on_node(handle, starpu_data_get_home_node(handle), mode);
    starfish_rest_copies_end();
    return code;
}

void starfish_data_release_access(starpu_data_handle_t handle)
{
    if (!starfish_is_forked())
        starpu_data_release_on_node(handle, starpu_data_get_home_node(handle));
}

void starfish_data_unregister(starpu_data_handle_t handle)
{
    if (!handle || starfish_is_forked())
        return;
    starfish_rest_copies_begin();
    starpu_data_unregister(handle);
    starfish_rest_copies_end();
}

void starfish_data_discard(starpu_data_handle_t handle)
{
    if (!handle || starfish_is_forked())
        return;
    starfish_rest_copies_begin();
    starpu_data_unregister_no_coherency(handle);
    starfish_rest_copies_end();
}
