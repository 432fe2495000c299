/* Reads a command line by a table of options, and prints the table as help. */
#include "apps/options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static starfish_status read_flag(const struct option_entry *entry, const char *value)
{
    (void)value;
    *(int *)entry->target = 1;
    return STARFISH_SUCCESS;
}

static starfish_status read_text(const struct option_entry *entry, const char *value)
{
    if (!value[0])
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s: %s is empty", entry->name, entry->argument);
    *(const char **)entry->target = value;
    return STARFISH_SUCCESS;
}

static starfish_status read_from(const struct option_entry *entry, const char *value, long least)
{
    char *end;
    errno = 0;
    long number = strtol(value, &end, 10);
    if (end == value || *end || errno || number < least || number > INT_MAX)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s: must be a whole number from %ld, is '%s'", entry->name,
                             least, value);
    *(size_t *)entry->target = (size_t)number;
    return STARFISH_SUCCESS;
}

static starfish_status read_count(const struct option_entry *entry, const char *value)
{
    return read_from(entry, value, 1);
}

static starfish_status read_number(const struct option_entry *entry, const char *value)
{
    return read_from(entry, value, 0);
}

static starfish_status read_choice(const struct option_entry *entry, const char *value)
{
    char list[256] = "";
    size_t length = 0;
    for (size_t i = 0; entry->choices[i]; ++i) {
        if (strcmp(value, entry->choices[i]) == 0) {
            *(const char **)entry->target = entry->choices[i];
            return STARFISH_SUCCESS;
        }
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", i ? ", " : "", entry->choices[i]);
    }
    return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s: '%s' is not one of %s", entry->name, value, list);
}

static const struct {
    int takes_value;
    starfish_status (*read)(const struct option_entry *entry, const char *value);
} kinds[] = {
    [OPTION_FLAG] = {0, read_flag},     [OPTION_TEXT] = {1, read_text},     [OPTION_COUNT] = {1, read_count},
    [OPTION_NUMBER] = {1, read_number}, [OPTION_CHOICE] = {1, read_choice},
};

/* The entry that `argument` names; *value is what follows its '=', or NULL. */
static const struct option_entry *find(const struct option_entry *options, const char *argument, const char **value)
{
    size_t length = strcspn(argument, "=");
    *value = argument[length] ? argument + length + 1 : NULL;
    for (; options->name; ++options)
        if (strlen(options->name) == length && strncmp(options->name, argument, length) == 0)
            return options;
    return NULL;
}

/* Read the option at argv[*i]; *i moves on to its value. */
static starfish_status read_option(const struct command_line *line, int argc, char **argv, int *i)
{
    const char *value;
    const struct option_entry *entry = find(line->options, argv[*i], &value);
    if (!entry)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "unknown option %s (usage: starfish %s)", argv[*i], line->usage);
    if (!kinds[entry->kind].takes_value && value)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s: takes no value", entry->name);
    if (kinds[entry->kind].takes_value && !value) {
        if (*i + 1 == argc)
            return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s: needs %s", entry->name, entry->argument);
        value = argv[++*i];
    }
    return kinds[entry->kind].read(entry, value);
}

starfish_status options_read(const struct command_line *line, int argc, char **argv)
{
    size_t operands = 0;
    for (int i = 1; i < argc; ++i) {
        if (argv[i][0] == '-' && argv[i][1]) {
            STARFISH_TRY(read_option(line, argc, argv, &i));
            continue;
        }
        if (operands == line->operand_count)
            return starfish_fail(STARFISH_ERROR_ARGUMENT, "unexpected '%s' (usage: starfish %s)", argv[i], line->usage);
        line->operands[operands++] = argv[i];
    }
    if (operands < line->operand_count && !line->may_lack_operands)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "missing operand (usage: starfish %s)", line->usage);
    return STARFISH_SUCCESS;
}

int options_ask_help(int argc, char **argv)
{
    for (int i = 1; i < argc; ++i)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return 1;
    return 0;
}

void options_print_help(const struct command_line *line)
{
    printf("Usage: starfish %s\n\n%s\n", line->usage, line->summary);
    if (line->operand_help)
        printf("\n%s\n", line->operand_help);
    printf("\nOptions\n");
    for (const struct option_entry *entry = line->options; entry->name; ++entry) {
        char head[64];
        snprintf(head, sizeof head, "%s %s", entry->name, entry->argument ? entry->argument : "");
        printf("  %-22s %s", head, entry->help);
        for (size_t i = 0; entry->choices && entry->choices[i]; ++i)
            printf("%s%s", i ? ", " : ": ", entry->choices[i]);
        printf("\n");
    }
    printf("  %-22s %s\n", "--help", "show this");
}
