/* Reads a command line by a table of options, and prints the table as help. */
#include "apps/options.h"

#include "apps/command.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* The row of the first of the tables from *table on that has the flag; *table is then that of the next. */
static const struct starfish_option *next_row(const struct option_entry *entry,
                                              const struct starfish_option_table *const **table)
{
    const struct starfish_option *row = NULL;
    while (!row && **table)
        row = starfish_option_of_flag(*(*table)++, entry->name);
    return row;
}

static const struct starfish_option *library_row(const struct option_entry *entry)
{
    const struct starfish_option_table *const *tables = entry->tables;
    return entry->kind == OPTION_WORD ? next_row(entry, &tables) : starfish_option_of_flag(entry->table, entry->name);
}

/* The entry as a row: the library's or one of the program's, by its kind, with the target's value as default. */
static struct starfish_option row_of(const struct option_entry *entry)
{
    static const struct starfish_option rows[] = {
        [OPTION_FLAG] = {.type = STARFISH_OPTION_SWITCH},
        [OPTION_TEXT] = {.type = STARFISH_OPTION_TEXT},
        [OPTION_TEXTS] = {.type = STARFISH_OPTION_TEXT},
        [OPTION_COUNT] = {.type = STARFISH_OPTION_SIZE, .least = 1, .most = INT_MAX},
        [OPTION_NUMBER] = {.type = STARFISH_OPTION_SIZE, .most = INT_MAX},
    };
    struct starfish_option row = entry->table || entry->tables ? *library_row(entry) : rows[entry->kind];
    row.flag = entry->name;
    if (entry->kind == OPTION_POSITIVE)
        row.least = 1;
    if (entry->kind == OPTION_LIST || entry->kind == OPTION_WORD) {
        row.type = STARFISH_OPTION_TEXT;
        row.offset = 0;
    }
    if (row.type == STARFISH_OPTION_SIZE)
        row.default_value = (double)*(const size_t *)((const char *)entry->target + row.offset);
    if (row.type == STARFISH_OPTION_CHOICE)
        row.default_value = *(const int *)((const char *)entry->target + row.offset);
    return row;
}

static int takes_value(const struct starfish_option *row)
{
    return row->type != STARFISH_OPTION_SWITCH || row->values;
}

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

/* The value, and the words behind it that look like further ones. */
static starfish_status read_texts(const struct option_entry *entry, const char *value, int argc, char **argv, int *i)
{
    struct option_texts *texts = entry->target;
    while (value) {
        if (texts->count == OPTION_MOST_TEXTS)
            return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s: more than %d times", entry->name, OPTION_MOST_TEXTS);
        texts->text[texts->count++] = value;
        value = *i + 1 < argc && argv[*i + 1][0] != '-' && strchr(argv[*i + 1], '=') ? argv[++*i] : NULL;
    }
    return STARFISH_SUCCESS;
}

/* Read the option at argv[*i]; *i moves on to its value. */
static starfish_status read_option(const struct command_line *line, int argc, char **argv, int *i)
{
    const char *value;
    const struct option_entry *entry = find(line->options, argv[*i], &value);
    if (!entry)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "unknown option %s (usage: starfish %s)", argv[*i], line->usage);
    const struct starfish_option row = row_of(entry);
    if (!takes_value(&row) && value)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s: takes no value", entry->name);
    if (takes_value(&row) && !value) {
        if (*i + 1 == argc)
            return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s: needs %s", entry->name, entry->argument);
        value = argv[++*i];
    }
    if (value && !value[0])
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s: %s is empty", entry->name, entry->argument);
    if (entry->given)
        *entry->given = entry->name;
    if (entry->kind == OPTION_TEXTS)
        return read_texts(entry, value, argc, argv, i);
    return starfish_option_set(&row, entry->target, value);
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

/* The names that any of the tables has, ", " between them; "" where there are none. */
static void word_names(const struct option_entry *entry, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    const struct starfish_option_table *const *at = entry->tables;
    for (const struct starfish_option *row; (row = next_row(entry, &at));)
        for (int v = 0; v < row->value_count && used < size; ++v) {
            const char *name = row->values[v];
            const struct starfish_option_table *const *before = entry->tables;
            const struct starfish_option *other = next_row(entry, &before);
            while (name && other != row && starfish_option_value(other, name) < 0)
                other = next_row(entry, &before);
            if (name && other == row)
                used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", name);
        }
}

/* Of words: the text, names and default of the first table. */
static void print_word(const struct option_entry *entry, const char *head)
{
    const struct starfish_option *row = library_row(entry);
    const char *says = row->text, *zero = strstr(says, "; 0: ");
    char text[256];
    printf("  %-22s %.*s", head, zero ? (int)(zero - says) : (int)strlen(says), says);
    if (zero)
        printf("; without, %s", zero + strlen("; 0: "));
    word_names(entry, text, sizeof text);
    if (row->values)
        printf("; of %s; default %s\n", text, row->values[(int)row->default_value]);
    else
        printf("\n");
}

/* What the option is, its names or range where the library says them, and its default where there is one. */
static void print_option(const struct option_entry *entry)
{
    const struct starfish_option row = row_of(entry);
    const int is_text = row.type == STARFISH_OPTION_TEXT;
    const char *given = is_text && entry->kind != OPTION_TEXTS
                            ? *(const char *const *)((const char *)entry->target + row.offset)
                            : NULL;
    const char *says = row.text ? row.text : "";
    const char *zero =
        entry->kind == OPTION_POSITIVE ? strstr(says, "; 0: ") : NULL; /* what is so without the option */
    char head[64], text[256];
    snprintf(head, sizeof head, "%s %s", entry->name, entry->argument ? entry->argument : "");
    if (entry->kind == OPTION_WORD) {
        print_word(entry, head);
        return;
    }
    printf("  %-22s %s%s%.*s", head, entry->help ? entry->help : "", entry->help && row.text ? ": " : "",
           zero ? (int)(zero - says) : (int)strlen(says), says);
    if (zero)
        printf("; without, %s", zero + strlen("; 0: "));
    if (row.values)
        printf("; of %s", starfish_option_range(&row, text, sizeof text));
    else if (entry->table && !is_text && row.most < INT_MAX)
        printf("; %s", starfish_option_range(&row, text, sizeof text));
    if (given || (!is_text && takes_value(&row) && (row.default_value != 0 || row.least == 0)))
        printf("; default %s", is_text ? given : starfish_option_default(&row, text, sizeof text));
    printf("\n");
}

void options_print_help(const struct command_line *line)
{
    printf("Usage: starfish %s\n\n%s\n", line->usage, line->summary);
    printf("\nOptions\n");
    for (const struct option_entry *entry = line->options; entry->name; ++entry)
        print_option(entry);
    printf("  %-22s %s\n", "--help", "show this");
}

int options_run(const struct command_line *line, int argc, char **argv, starfish_status (*run)(void *), void *data)
{
    if (options_ask_help(argc, argv)) {
        options_print_help(line);
        return 0;
    }
    starfish_status status = options_read(line, argc, argv);
    if (status == STARFISH_SUCCESS)
        status = run(data);
    return status == STARFISH_SUCCESS ? 0 : command_fail(status, line->json && *line->json);
}
