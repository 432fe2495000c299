/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables for people (table.h): cells are kept as text, columns get the width of their widest cell, and wide tables are
 * folded. */
#include "apps/table.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void begin_row(struct table *table)
{
    void *more = realloc(table->cell, ((size_t)table->rows + 1) * sizeof table->cell[0]);
    table->columns = more ? 0 : TABLE_COLUMNS;
    if (!more)
        return;
    table->cell = more;
    memset(table->cell[table->rows++], 0, sizeof table->cell[0]);
}

void table_cell(struct table *table, const char *format, ...)
{
    va_list arguments;
    if (table->rows == 0 || table->columns == TABLE_COLUMNS)
        return;
    va_start(arguments, format);
    vsnprintf(table->cell[table->rows - 1][table->columns++], TABLE_CELL, format, arguments);
    va_end(arguments);
}

void table_line(struct table *table, const char *format, ...)
{
    char line[TABLE_COLUMNS * TABLE_CELL];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    begin_row(table);
    for (char *cell = line, *tab; cell; cell = tab ? tab + 1 : NULL) {
        tab = strchr(cell, '\t');
        table_cell(table, "%.*s", tab ? (int)(tab - cell) : TABLE_CELL, cell);
    }
}

static int column_width(const struct table *table, int column)
{
    int widest = 0;
    for (int row = 0; row < table->rows; ++row) {
        int width = (int)strlen(table->cell[row][column]);
        widest = width > widest ? width : widest;
    }
    return widest;
}

static int last_cell(const struct table *table, int row)
{
    int column = TABLE_COLUMNS - 1;
    while (column > 0 && !table->cell[row][column][0])
        --column;
    return column;
}

int table_terminal_width(void)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    const int given = columns ? atoi(columns) : 0;
    if (given > 0)
        return given;
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return INT_MAX;
}

static void print_cell(const struct table *table, int row, int column, int width, int first, int last)
{
    const int left = column <= table->left || table->alignment == TABLE_LEFT;
    const int pad = left && last ? 0 : width; /* no blanks at the end of a line */
    printf("%s%*s", first ? "" : "  ", left ? -pad : pad, table->cell[row][column]);
}

/* The columns that identify a row, and those from `from` to before `to`. */
static void print_columns(const struct table *table, const int *width, int keys, int from, int to)
{
    for (int row = 0; row < table->rows; ++row) {
        int last = last_cell(table, row);
        last = last < to ? last : to - 1;
        for (int column = 0; column < keys; ++column)
            print_cell(table, row, column, width[column], column == 0,
                       column == last || (last < from && column == keys - 1));
        for (int column = from; column <= last; ++column)
            print_cell(table, row, column, width[column], keys == 0 && column == from, column == last);
        printf("\n");
    }
}

/* Columns that do not fit beside the others come below, each time behind those that identify the row. */
void table_print(struct table *table)
{
    const int most = table_terminal_width(), keys = table->alignment == TABLE_RIGHT ? table->left + 1 : 1;
    int width[TABLE_COLUMNS], head = 0, count = 0;
    for (int column = 0; column < TABLE_COLUMNS; ++column) {
        width[column] = column_width(table, column);
        count = width[column] > 0 ? column + 1 : count;
    }
    for (int column = 0; column < keys; ++column)
        head += width[column] + 2;
    for (int from = keys, to; from < count || from == keys; from = to) {
        int used = head;
        for (to = from; to < count && (to == from || used + width[to] <= most); ++to)
            used += width[to] + 2;
        if (from > keys)
            printf("\n");
        print_columns(table, width, keys, from, to);
        if (to == from)
            break;
    }
    free(table->cell);
    table->cell = NULL;
    table->rows = table->columns = 0;
}

/* Of a word that is longer than a line, such as a list of names: up to the last comma that fits. */
static int part_of_word(const char *text, int length, int most)
{
    int part = length;
    for (int i = 0; length > most && i < most; ++i)
        if (text[i] == ',')
            part = i + 1;
    return part;
}

void table_print_text(const char *text, int at, int indent)
{
    const int most = table_terminal_width();
    int begun = 0; /* the line has a word of the text */
    while (*text) {
        const int blanks = (int)strspn(text, " ");
        const int whole = (int)strcspn(text + blanks, " \n"), word = part_of_word(text + blanks, whole, most - indent);
        if (text[blanks] == '\n') {
            printf("\n%*s", text[blanks + 1] && text[blanks + 1] != '\n' ? indent : 0, "");
            at = indent;
            begun = 0;
            text += blanks + 1;
            continue;
        }
        if (begun && word > 0 && at + blanks + word > most) {
            printf("\n%*s%.*s", indent, "", word, text + blanks);
            at = indent + word;
        } else if (word > 0) {
            printf("%.*s", blanks + word, text);
            at += blanks + word;
        }
        begun = 1;
        text += blanks + word;
    }
    printf("\n");
}

void table_print_beside(const char *name, int width, const char *text)
{
    const int at = 3 + ((int)strlen(name) > width ? (int)strlen(name) : width);
    printf("  %-*s ", width, name);
    table_print_text(text, at, width + 3);
}
