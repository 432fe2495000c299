/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which policies there are (policies.h): StarPU's list, ours, and those that a plug-in exports; and the check of a
 * name. */
#include "scheduler/lab/policies/policies.h"

#include "base/meant.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct starpu_sched_policy *const own[] = {
#ifdef STARFISH_HAVE_POLICIES
    &starfish_width_policy,
#endif
    NULL};

static struct starpu_sched_policy *find(struct starpu_sched_policy *const *policies, const char *name)
{
    for (; *policies; policies++)
        if (strcmp((*policies)->policy_name, name) == 0)
            return *policies;
    return NULL;
}

struct starpu_sched_policy *starfish_policy_own(const char *name)
{
    return find(own, name);
}

/* Returns 1 if StarPU will find the policy in the plug-in. A plug-in that cannot be loaded has no policies. */
static int plugin_has(const char *library, const char *name)
{
    struct starpu_sched_policy *(*find_policy)(const char *);
    void *const handle = dlopen(library, RTLD_NOW);
    if (!handle)
        return 0;
    *(void **)&find_policy = dlsym(handle, "starpu_get_sched_lib_policy");
    const int found = find_policy && find_policy(name);
    dlclose(handle);
    return found;
}

static void add_names(char *list, size_t size, struct starpu_sched_policy *const *policies)
{
    for (; *policies; policies++) {
        const size_t length = strlen(list);
        snprintf(list + length, size - length, "%s%s", length > 0 ? ", " : "", (*policies)->policy_name);
    }
}

void starfish_policy_list(char *list, size_t size)
{
    list[0] = '\0';
    add_names(list, size, own);
    add_names(list, size, starpu_sched_get_predefined_policies());
}

starfish_status starfish_policy_check(const char *source, const char *name)
{
    const char *library = getenv("STARPU_SCHED_LIB");
    char list[900], plugin[200] = "", meant[STARFISH_MEANT];
    if (find(own, name) || find(starpu_sched_get_predefined_policies(), name) ||
        (library && *library && plugin_has(library, name)))
        return STARFISH_SUCCESS;
    if (library && *library)
        snprintf(plugin, sizeof plugin, " (nor has %s of STARPU_SCHED_LIB)", library);
    starfish_policy_list(list, sizeof list);
    return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s: there is no policy named \"%s\"%s%s; there are %s", source, name,
                         plugin, starfish_meant(name, list, ", ", meant), list);
}
