/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads a command line by a table of options, and prints the table as help. */
#include "apps/options.h"

#include "apps/command.h"
#include "apps/table.h"
#include "base/fingerprint.h"
#include "base/meant.h"
#include "solver/solver.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The row of the first kind from *kind on, of those with problems, that has the flag; *kind is then the next one. */
static const struct starfish_option *next_row(const struct option_entry *entry,
                                              const struct starfish_kind *const **kind)
{
    const struct starfish_option *row = NULL;
    for (; !row && **kind; ++*kind)
        if ((**kind)->problems)
            row = starfish_option_of_flag((**kind)->options, entry->name);
    return row;
}

static const struct starfish_option *library_row(const struct option_entry *entry)
{
    const struct starfish_kind *const *kinds = entry->kinds;
    return entry->kind == OPTION_WORD ? next_row(entry, &kinds) : starfish_option_of_flag(entry->table, entry->name);
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
    struct starfish_option row = entry->table || entry->kinds ? *library_row(entry) : rows[entry->kind];
    row.flag = entry->name;
    if (entry->kind == OPTION_POSITIVE)
        row.least = 1;
    if (entry->kind == OPTION_LIST || entry->kind == OPTION_WORD) {
        row.type = STARFISH_OPTION_TEXT;
        row.offset = 0;
    }
    const void *member = (const char *)entry->target + row.offset;
    if (row.type == STARFISH_OPTION_SIZE)
        row.default_value = (double)*(const size_t *)member;
    if (row.type == STARFISH_OPTION_CHOICE || row.type == STARFISH_OPTION_INT)
        row.default_value = *(const int *)member;
    if (row.type == STARFISH_OPTION_REAL)
        row.default_value = *(const double *)member;
    return row;
}

static int takes_value(const struct starfish_option *row)
{
    return row->type != STARFISH_OPTION_SWITCH;
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
        STARFISH_FAIL_IF(texts->count == OPTION_MOST_TEXTS, STARFISH_ERROR_ARGUMENT, "%s: more than %d times",
                         entry->name, OPTION_MOST_TEXTS);
        texts->text[texts->count++] = value;
        value = *i + 1 < argc && argv[*i + 1][0] != '-' && strchr(argv[*i + 1], '=') ? argv[++*i] : NULL;
    }
    return STARFISH_SUCCESS;
}

/* ---- words for kinds --------------------------------------------------------------------------------------------- */

const char **options_word(struct option_words *words, const char *flag)
{
    size_t i = 0;
    while (i < words->count && strcmp(words->flag[i], flag) != 0)
        ++i;
    if (i == words->count && i < OPTION_MOST_WORDS)
        words->flag[words->count++] = flag;
    return &words->word[i < OPTION_MOST_WORDS ? i : OPTION_MOST_WORDS - 1];
}

/* Sizes that may be 0 leave the choice to the library so, which is not to be said. */
static starfish_status set_word(const struct starfish_option *found, void *library, const char *word)
{
    struct starfish_option row = *found;
    if (row.type == STARFISH_OPTION_SIZE && row.least < 1)
        row.least = 1;
    return starfish_option_set(&row, library, word);
}

starfish_status options_set_words(const struct option_words *words, const char *kind,
                                  const struct starfish_option_table *table, void *library)
{
    for (size_t i = 0; i < words->count; ++i) {
        const struct starfish_option *row = starfish_option_of_flag(table, words->flag[i]);
        if (!words->word[i])
            continue;
        STARFISH_FAIL_IF(!row, STARFISH_ERROR_ARGUMENT, "%s: is not for problems of kind %s", words->flag[i], kind);
        STARFISH_TRY(set_word(row, library, words->word[i]));
    }
    return STARFISH_SUCCESS;
}

/* What help calls the value: N, or the first letter of the flag. */
static const char *argument_of(const struct starfish_option *row)
{
    static char letter['z' + 1][2];
    const int first = row->type == STARFISH_OPTION_SIZE || row->type == STARFISH_OPTION_INT ? 'n' : row->flag[2];
    letter[first][0] = (char)toupper(first);
    return letter[first];
}

static int has_entry(const struct option_entry *entry, size_t count, const char *name)
{
    for (size_t i = 0; i < count && entry[i].name; ++i)
        if (strcmp(entry[i].name, name) == 0)
            return 1;
    return 0;
}

const struct option_entry *options_expand(const struct option_entry *own, struct option_entry *whole)
{
    size_t count = 0;
    for (const struct option_entry *entry = own; entry->name; ++entry) {
        const size_t first = count;
        for (const struct starfish_kind *const *kind = entry->kinds; kind && *kind; ++kind)
            for (size_t o = 0; (*kind)->problems && o < (*kind)->options->count; ++o) {
                const struct starfish_option *row = &(*kind)->options->option[o];
                if (!row->flag || has_entry(own, OPTION_MOST, row->flag) ||
                    has_entry(whole + first, count - first, row->flag))
                    continue;
                whole[count] = *entry;
                whole[count].name = row->flag;
                whole[count].kind = OPTION_WORD;
                whole[count].argument = argument_of(row);
                whole[count++].target = options_word(entry->target, row->flag);
            }
        if (!entry->kinds)
            whole[count++] = *entry;
    }
    whole[count] = (struct option_entry){.name = NULL};
    return whole;
}

__attribute__((format(printf, 3, 4))) static void add(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

static starfish_status refuse_unknown(const struct command_line *line, const char *argument)
{
    char known[4096] = "", meant[STARFISH_MEANT];
    for (const struct option_entry *entry = line->options; entry->name; ++entry)
        add(known, sizeof known, "%s, ", entry->name);
    return starfish_fail(STARFISH_ERROR_ARGUMENT, "unknown option %s%s (usage: starfish %s)", argument,
                         starfish_meant(argument, known, ", ", meant), line->usage);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Read the option at argv[*i]; *i moves on to its value. */
static starfish_status read_option(const struct command_line *line, int argc, char **argv, int *i)
{
    const char *value;
    const struct option_entry *entry = find(line->options, argv[*i], &value);
    if (!entry)
        return refuse_unknown(line, argv[*i]);
    const struct starfish_option row = row_of(entry);
    STARFISH_FAIL_IF(!takes_value(&row) && value, STARFISH_ERROR_ARGUMENT, "%s: takes no value", entry->name);
    if (takes_value(&row) && !value) {
        STARFISH_FAIL_IF(*i + 1 == argc, STARFISH_ERROR_ARGUMENT, "%s: needs %s", entry->name, entry->argument);
        value = argv[++*i];
    }
    STARFISH_FAIL_IF(value && !value[0], STARFISH_ERROR_ARGUMENT, "%s: %s is empty", entry->name, entry->argument);
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
        STARFISH_FAIL_IF(operands == line->operand_count, STARFISH_ERROR_ARGUMENT,
                         "unexpected '%s' (usage: starfish %s)", argv[i], line->usage);
        line->operands[operands++] = argv[i];
    }
    STARFISH_FAIL_IF(operands < line->operand_count && !line->may_lack_operands, STARFISH_ERROR_ARGUMENT,
                     "missing operand (usage: starfish %s)", line->usage);
    return STARFISH_SUCCESS;
}

uint64_t options_fingerprint(const struct option_entry *entry)
{
    const struct starfish_option row = row_of(entry);
    const struct option_texts *texts = entry->target;
    uint64_t hash = STARFISH_FINGERPRINT;
    if (entry->kind != OPTION_TEXTS)
        return starfish_option_fingerprint(&row, entry->target);
    for (size_t i = 0; i < texts->count; ++i)
        starfish_fingerprint_text(&hash, texts->text[i]);
    return hash;
}

int options_ask_help(int argc, char **argv)
{
    for (int i = 1; i < argc; ++i)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return 1;
    return 0;
}

/* The names that any of the kinds has, ", " between them; "" where there are none. */
static void word_names(const struct option_entry *entry, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    const struct starfish_kind *const *at = entry->kinds;
    for (const struct starfish_option *row; (row = next_row(entry, &at));)
        for (int v = 0; v < row->value_count && used < size; ++v) {
            const char *name = row->values[v];
            const struct starfish_kind *const *before = entry->kinds;
            const struct starfish_option *other = next_row(entry, &before);
            while (name && other != row && starfish_option_value(other, name) < 0)
                other = next_row(entry, &before);
            if (name && other == row)
                used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", name);
        }
}

/* A row's text; what a zero stands for ("; 0: …"), where it is the default, is what is so without the option. */
static void add_text(char *text, size_t size, const struct starfish_option *row)
{
    const char *says = row->text, *zero = row->default_value == 0 ? strstr(says, "; 0: ") : NULL;
    add(text, size, "%.*s", zero ? (int)(zero - says) : (int)strlen(says), says);
    if (zero)
        add(text, size, "; without, %s", zero + strlen("; 0: "));
}

static void add_default(const struct option_entry *entry, const struct starfish_option *row, char *text, size_t size)
{
    char word[256];
    const char *default_text = NULL;
    const int is_told = row->default_value == 0 && (row->least != 0 || strstr(text, "without, "));
    if (row->type != STARFISH_OPTION_TEXT && takes_value(row) && !is_told)
        default_text = starfish_option_default(row, word, sizeof word);
    if (row->type == STARFISH_OPTION_TEXT && entry->kind != OPTION_TEXTS)
        default_text = *(const char *const *)((const char *)entry->target + row->offset);
    if (default_text)
        add(text, size, "; default %s", default_text);
}

/* Of words: the text, names and default of the first table. */
static void describe_word(const struct option_entry *entry, char *text, size_t size, char *names, size_t names_size)
{
    const struct starfish_option *row = library_row(entry);
    add_text(text, size, row);
    word_names(entry, names, names_size);
    if (row->values)
        add(text, size, "; of %s", names);
    add_default(entry, row, text, size);
}

/* What the option is, its names or range where the library says them, and its default where there is one. */
void options_describe(const struct option_entry *entry, char *text, size_t size, char *names, size_t names_size)
{
    char range[256];
    text[0] = names[0] = '\0';
    if (entry->kind == OPTION_WORD) {
        describe_word(entry, text, size, names, names_size);
        return;
    }
    const struct starfish_option row = row_of(entry);
    const int has_range = entry->table && row.type != STARFISH_OPTION_TEXT && row.most < INT_MAX;
    if (entry->help)
        add(text, size, "%s%s", entry->help, row.text ? ": " : "");
    if (row.text)
        add_text(text, size, &row);
    if (entry->list)
        entry->list(names, names_size);
    if (row.values) {
        snprintf(names, names_size, "%s", starfish_option_range(&row, range, sizeof range));
        add(text, size, "; of %s", names);
    } else if (has_range) {
        add(text, size, "; %s", starfish_option_range(&row, range, sizeof range));
    }
    add_default(entry, &row, text, size);
}

int options_takes_value(const struct option_entry *entry)
{
    const struct starfish_option row = row_of(entry);
    return takes_value(&row);
}

static struct {
    void (*line)(const struct command_line *line);
    void (*commands)(const struct option_commands *list);
} told;

void options_report(void (*line)(const struct command_line *line), void (*commands)(const struct option_commands *list))
{
    told.line = line;
    told.commands = commands;
}

enum { HEAD = 22 }; /* columns of an option's name and argument */

/* Summaries have lines for wide terminals. In a narrower one these are no paragraphs. */
static void print_summary(const char *summary)
{
    enum { WIDE = 120 };
    char text[1024];
    snprintf(text, sizeof text, "%s", summary);
    for (char *at = text; *at && table_terminal_width() < WIDE; ++at)
        if (*at == '\n')
            *at = ' ';
    table_print_text(text, 0, 0);
}

void options_print_help(const struct command_line *line)
{
    char head[64], text[1024], names[512];
    if (told.line) {
        told.line(line);
        return;
    }
    printf("Usage: starfish ");
    table_print_text(line->usage, (int)strlen("Usage: starfish "), 4);
    printf("\n");
    print_summary(line->summary);
    printf("\nOptions\n");
    for (const struct option_entry *entry = line->options; entry->name; ++entry) {
        options_describe(entry, text, sizeof text, names, sizeof names);
        snprintf(head, sizeof head, "%s %s", entry->name, entry->argument ? entry->argument : "");
        table_print_beside(head, HEAD, text);
    }
    table_print_beside("-h, --help", HEAD, "show this");
}

static void list_commands(const struct option_commands *commands)
{
    size_t widest = 0;
    if (told.commands) {
        told.commands(commands);
        return;
    }
    for (size_t i = 0; i < commands->count; ++i)
        widest = strlen(commands->list[i].name) > widest ? strlen(commands->list[i].name) : widest;
    printf("Usage: starfish %s %s [OPTION ...]\n\n", commands->name, commands->argument);
    table_print_text(commands->text, 0, 0);
    for (size_t i = 0; i < commands->count; ++i)
        table_print_beside(commands->list[i].name, (int)widest, commands->list[i].summary);
}

int options_choose(const struct option_commands *commands, int argc, char **argv)
{
    char known[1024] = "", meant[STARFISH_MEANT];
    if (argc < 2 || (argv[1][0] == '-' && options_ask_help(argc, argv))) {
        list_commands(commands);
        return 0;
    }
    for (size_t i = 0; i < commands->count; ++i) {
        if (strcmp(argv[1], commands->list[i].name) == 0)
            return commands->list[i].run(argc - 1, argv + 1);
        add(known, sizeof known, "%s%s", i ? ", " : "", commands->list[i].name);
    }
    return command_fail(starfish_fail(STARFISH_ERROR_ARGUMENT, "no %s '%s'%s; there is %s", commands->noun, argv[1],
                                      starfish_meant(argv[1], known, ", ", meant), known),
                        0);
}

/* In the message of a failure, the row's flag in place of "options.NAME". */
static starfish_status name_flag(const struct starfish_option *row, starfish_status status)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";
    const char *message = starfish_error_message(), *at = message;
    char member[64], text[1024];

    if (status == STARFISH_SUCCESS || !row->name || !row->flag)
        return status;
    const int length = snprintf(member, sizeof member, "options.%s", row->name);
    while ((at = strstr(at, member)) && at[length] && strchr(letters, at[length])) /* a longer name */
        at += length;
    if (!at)
        return status;
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - message), message, row->flag, at + length);
    return name_flag(row, starfish_fail(status, "%s", text));
}

starfish_status options_name_flags(const struct starfish_option_table *table, starfish_status status)
{
    for (size_t i = 0; i < table->count; i++)
        name_flag(&table->option[i], status);
    return status;
}

/* For words, the plan's maker has named the flags: it knows which of their tables counts. */
int options_end(const struct command_line *line, starfish_status status, int json)
{
    for (const struct option_entry *entry = line->options; entry->name; ++entry)
        if (entry->table)
            name_flag(library_row(entry), status);
    return status == STARFISH_SUCCESS ? 0 : command_fail(status, json);
}

int options_run(const struct command_line *line, int argc, char **argv, starfish_status (*run)(void *), void *data)
{
    if (options_ask_help(argc, argv)) {
        options_print_help(line);
        return 0;
    }
    starfish_status status = options_read(line, argc, argv);
    STARFISH_THEN(status, run(data));
    return options_end(line, status, line->json && *line->json);
}
