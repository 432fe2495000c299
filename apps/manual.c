/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pages of the manual, and completion of command lines (manual.h): commands report their tables, which are printed for
 * troff or for a shell. */
#include "apps/manual.h"

#include "apps/command.h"

#include <starfish/starfish.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 1024, NAMES = 1024, WORDS = 8 };

static const struct option_command *run_of(const struct option_command *commands, size_t count, const char *name)
{
    for (size_t i = 0; i < count; ++i)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

/* Commands that say nothing of themselves: they have no table. */
static int has_table(const char *name)
{
    static const char *const others[] = {"help", "version", "man", "completion"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i)
        if (strcmp(name, others[i]) == 0)
            return 0;
    return 1;
}

/* Let a command, and where there is a second word what is below it, tell its table or its list. */
static void ask(const struct option_command *command, const char *below)
{
    char help[] = "--help", first[64], second[64], *arguments[] = {first, help, NULL, NULL};
    snprintf(first, sizeof first, "%s", command->name);
    snprintf(second, sizeof second, "%s", below ? below : "");
    if (below) {
        arguments[1] = second;
        arguments[2] = help;
    }
    command->run(below ? 3 : 2, arguments);
}

/* ---- the manual -------------------------------------------------------------------------------------------------- */

/* Text for troff: no line begins with a control character, and no character is one. */
static void print_plain(const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", stdout);
    for (; *text; ++text)
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else if (*text == '\n' && text[1] == '\n')
            fputs("\n.PP", stdout);
        else if (*text == '`')
            fputs("'", stdout);
        else
            putchar(*text);
}

static void print_head(const char *title)
{
    printf(".TH \"STARFISH");
    for (const char *at = title; *at; ++at)
        putchar(*at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at == ' ' ? '-' : *at);
    printf("\" \"1\" \"\" \"Starfish %s\" \"User Commands\"\n", STARFISH_VERSION);
}

static void print_option(const struct option_entry *entry)
{
    char text[TEXT], names[NAMES];
    options_describe(entry, text, sizeof text, names, sizeof names);
    printf(".TP\n\\fB");
    print_plain(entry->name);
    printf("\\fR");
    if (entry->argument)
        printf(" \\fI%s\\fR", entry->argument);
    putchar('\n');
    print_plain(text);
    putchar('\n');
}

static const char *page_of; /* the command that tells now, as it is called */
static const char *page_summary;

static void print_name(void)
{
    print_head(page_of[0] ? page_of - 1 : page_of); /* with the blank before it */
    printf(".SH NAME\nstarfish");
    print_plain(page_of[0] ? page_of - 1 : page_of);
    printf(" \\- ");
    print_plain(page_summary);
    putchar('\n');
}

static void print_line(const struct command_line *line)
{
    print_name();
    printf(".SH SYNOPSIS\n.B starfish\n");
    print_plain(line->usage);
    printf("\n.SH DESCRIPTION\n");
    print_plain(line->summary);
    printf("\n.SH OPTIONS\n");
    for (const struct option_entry *entry = line->options; entry->name; ++entry)
        print_option(entry);
    printf(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nshow this\n"
           ".SH EXIT STATUS\n0 solved, 1 not converged or numerically wrong, 2 bad usage or input.\n"
           ".SH SEE ALSO\n.BR starfish (1)\n");
}

static void print_commands(const struct option_commands *list)
{
    if (page_of)
        print_name();
    printf(".SH SYNOPSIS\n.B starfish\n");
    print_plain(list->name);
    printf("%s%s [OPTION ...]\n.SH DESCRIPTION\n", list->name[0] ? " " : "", list->argument);
    print_plain(list->text);
    printf(".SH COMMANDS\n");
    for (size_t i = 0; i < list->count; ++i) {
        printf(".TP\n\\fB");
        print_plain(list->list[i].name);
        printf("\\fR\n");
        print_plain(list->list[i].summary);
        putchar('\n');
    }
}

/* The summary of what is below a command, from its list. */
static const char *wanted_below;
static void find_summary(const struct option_commands *list)
{
    const struct option_command *found = run_of(list->list, list->count, wanted_below);
    page_summary = found ? found->summary : NULL;
}
static void ignore_line(const struct command_line *line)
{
    (void)line;
}

static const struct option_entry no_options[] = {{.name = NULL}};

static void print_first_page(const struct option_command *commands, size_t count)
{
    const struct option_commands all = {.name = "",
                                        .argument = "COMMAND",
                                        .text = "Elliptic problems on CPU+GPU nodes through StarPU.\n",
                                        .list = commands,
                                        .count = count};
    print_head("");
    printf(".SH NAME\nstarfish \\- elliptic problems on CPU+GPU nodes\n");
    print_commands(&all);
}

/* The command that has a page, or below which `below` has one (not NULL), and that page's summary in page_summary; NULL
 * where there is no such page. */
static const struct option_command *find_page(const struct option_command *commands, size_t count, const char *name,
                                              const char *below)
{
    const struct option_command *command = has_table(name) ? run_of(commands, count, name) : NULL;
    if (!command)
        return NULL;
    page_summary = command->summary;
    if (below) {
        wanted_below = below;
        page_summary = NULL;
        options_report(ignore_line, find_summary);
        ask(command, NULL);
    }
    return page_summary ? command : NULL;
}

int manual_man(const struct option_command *commands, size_t count, int argc, char **argv)
{
    static char title[160];
    const struct command_line line = {.usage = "man [COMMAND [NAME]]",
                                      .summary = "Print a page of the manual, for `man -l`: of the program, of a "
                                                 "command, or of a benchmark, experiment or action of a command.",
                                      .options = no_options};
    if (options_ask_help(argc, argv)) {
        options_print_help(&line);
        return 0;
    }
    if (argc < 2) {
        print_first_page(commands, count);
        return 0;
    }
    const char *below = argc > 2 ? argv[2] : NULL;
    const struct option_command *command = argc > 3 ? NULL : find_page(commands, count, argv[1], below);
    if (!command)
        return command_fail(starfish_fail(STARFISH_ERROR_ARGUMENT,
                                          "man: there is no page of '%s'; `starfish help` "
                                          "lists the commands",
                                          below ? below : argv[1]),
                            0);
    snprintf(title, sizeof title, " %s%s%s", argv[1], below ? " " : "", below ? below : "");
    page_of = title + 1;
    options_report(print_line, print_commands);
    ask(command, below);
    options_report(NULL, NULL);
    return 0;
}

/* ---- completion -------------------------------------------------------------------------------------------------- */

static const char *last_word; /* of those before the one that is being written */

/* The names of the option that was written last; nothing where its value is free, since a file may be meant; else all
 * options. */
static void offer_options(const struct command_line *line)
{
    char text[TEXT], names[NAMES];
    for (const struct option_entry *entry = line->options; entry->name; ++entry)
        if (strcmp(last_word, entry->name) == 0 && options_takes_value(entry)) {
            options_describe(entry, text, sizeof text, names, sizeof names);
            for (const char *at = names; *at;) {
                const size_t length = strcspn(at, ",");
                printf("%.*s\n", (int)length, at);
                at += length + strspn(at + length, ", ");
            }
            return;
        }
    for (const struct option_entry *entry = line->options; entry->name; ++entry)
        printf("%s\n", entry->name);
    printf("--help\n");
}

static void offer_commands(const struct option_commands *list)
{
    for (size_t i = 0; i < list->count; ++i)
        printf("%s\n", list->list[i].name);
}

static int is_list;
static void note_list(const struct option_commands *list)
{
    (void)list;
    is_list = 1;
}

static int offer(const struct option_command *commands, size_t count, int argc, char **argv)
{
    const struct option_commands all = {.list = commands, .count = count};
    if (argc == 0) {
        offer_commands(&all);
        return 0;
    }
    const struct option_command *command = has_table(argv[0]) ? run_of(commands, count, argv[0]) : NULL;
    if (!command)
        return 0;
    options_report(ignore_line, note_list);
    ask(command, NULL);
    last_word = argv[argc - 1];
    options_report(offer_options, offer_commands);
    command_set_silent(1); /* a word below that is none */
    ask(command, is_list && argc > 1 ? argv[1] : NULL);
    options_report(NULL, NULL);
    return 0;
}

static const struct {
    const char *shell, *script;
} scripts[] = {
    {"bash", "_starfish() {\n"
             "    local word=${COMP_WORDS[COMP_CWORD]}\n"
             "    local words\n"
             "    words=$(starfish completion words \"${COMP_WORDS[@]:1:COMP_CWORD-1}\" 2>/dev/null)\n"
             "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
             "}\n"
             "complete -o default -F _starfish starfish\n"},
    {"zsh", "#compdef starfish\n"
            "_starfish() {\n"
            "    local -a found\n"
            "    found=(${(f)\"$(starfish completion words ${words[2,CURRENT-1]} 2>/dev/null)\"})\n"
            "    (( $#found )) && compadd -a found || _files\n"
            "    [[ ${words[CURRENT]} != -* ]] && _files\n"
            "}\n"
            "compdef _starfish starfish\n"},
    {"fish", "complete -c starfish -a '(starfish completion words (commandline -opc)[2..-1] 2>/dev/null)'\n"},
};

int manual_completion(const struct option_command *commands, size_t count, int argc, char **argv)
{
    const char *shell = NULL;
    const struct command_line line = {.usage = "completion bash|zsh|fish",
                                      .summary = "Print a script by which a shell completes command lines: commands, "
                                                 "options, and names that options may have.",
                                      .options = no_options,
                                      .operands = &shell,
                                      .operand_count = 1};
    if (argc > 1 && strcmp(argv[1], "words") == 0)
        return offer(commands, count, argc - 2, argv + 2);
    if (options_ask_help(argc, argv)) {
        options_print_help(&line);
        return 0;
    }
    starfish_status status = options_read(&line, argc, argv);
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0] && status == STARFISH_SUCCESS; ++i)
        if (strcmp(shell, scripts[i].shell) == 0) {
            fputs(scripts[i].script, stdout);
            return 0;
        }
    STARFISH_THEN(status,
                  starfish_fail(STARFISH_ERROR_ARGUMENT, "completion: '%s' is not one of bash, zsh, fish", shell));
    return command_fail(status, 0);
}
