/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish machine: the table of its subcommands, the list of machines, and what record and compare share: names
 * and folders. */
#include "apps/machine/machine.h"

#include "apps/command.h"
#include "apps/files/temporary.h"

#include "apps/options.h"
#include "apps/table.h"
#include "scheduler/runtime/machine.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which of them ----------------------------------------------------------------------------------------------- */

static const struct option_command subcommands[] = {
    {"list", machine_list, "machines that can be simulated"},
    {"record", machine_record, "measure this machine, for simulations of it elsewhere"},
    {"compare", machine_compare, "simulated times beside those that were measured on the machine"},
    {"fit", machine_fit, "correct simulations by what was measured on the machine"},
    {"derive", machine_derive, "a machine like a recorded one, with other numbers of GPUs and cores"},
};

int command_machine(int argc, char **argv)
{
    static const struct option_commands commands = {
        .name = "machine",
        .noun = "subcommand of machine",
        .argument = "WHAT",
        .text = "Machines that were recorded, for `--simulate NAME` of sched and trace.\n",
        .list = subcommands,
        .count = sizeof subcommands / sizeof subcommands[0],
    };
    if (argc > 1 && strcmp(argv[1], "pass") == 0) /* record calls it */
        return machine_pass(argc - 1, argv + 1);
    return options_choose(&commands, argc, argv);
}

/* ---- list -------------------------------------------------------------------------------------------------------- */

static void add_machine(struct table *table, const char *name, const char *folder)
{
    struct starfish_machine machine;
    if (name[0] == '.' || machine_read(folder, &machine) != STARFISH_SUCCESS)
        return;
    table_line(table, "%s\t%d\t%d\t%d\t%s\t%s", name, machine.gpus, machine.cores, machine.numa_nodes,
               machine.models[0] ? machine.models : "its own", folder);
}

static void add_place(struct table *table, const char *place)
{
    struct dirent **entry;
    const int count = scandir(place, &entry, NULL, alphasort);
    for (int i = 0; i < count; ++i) {
        char folder[SIMULATE_PATH];
        if (snprintf(folder, sizeof folder, "%s/%s", place, entry[i]->d_name) < SIMULATE_PATH)
            add_machine(table, entry[i]->d_name, folder);
        free(entry[i]);
    }
    if (count >= 0)
        free(entry);
}

static starfish_status list(void *data)
{
    struct table table = {.alignment = TABLE_LEFT};
    char place[SIMULATE_PATH];
    (void)data;
    table_line(&table, "machine\tGPUs\tcores\tNUMA nodes\ttimes of tasks\tfolder");
    for (int which = 0; simulate_place(which, place); ++which)
        add_place(&table, place);
    table_print(&table);
    return STARFISH_SUCCESS;
}

int machine_list(int argc, char **argv)
{
    const struct option_entry options[] = {{.name = NULL}};
    const struct command_line line = {
        .usage = "machine list", .summary = "List the machines that can be simulated.", .options = options};
    return options_run(&line, argc, argv, list, NULL);
}

/* ---- what record and compare share ------------------------------------------------------------------------------- */

starfish_status machine_make_folder(const char *path)
{
    STARFISH_FAIL_IF(starfish_temporary_new_folder(path) != 0 && errno != EEXIST, STARFISH_ERROR_FILE,
                     "%s: cannot be made: %s", path, strerror(errno));
    return STARFISH_SUCCESS;
}

starfish_status machine_check_name(const char *name)
{
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");
    STARFISH_FAIL_IF(length == 0 || length != strlen(name) || length >= STARFISH_MACHINE_NAME, STARFISH_ERROR_ARGUMENT,
                     "'%s' is no name for a machine: letters, digits, - and _, at most %d", name,
                     STARFISH_MACHINE_NAME - 1);
    return STARFISH_SUCCESS;
}
