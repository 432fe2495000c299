/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables for people: columns as wide as their widest cell, folded to the width of the terminal; and texts in lines of
 * that width. */
#ifndef STARFISH_APPS_TABLE_H
#define STARFISH_APPS_TABLE_H

enum { TABLE_COLUMNS = 12, TABLE_CELL = 112 };

typedef enum table_alignment { TABLE_LEFT, TABLE_RIGHT } table_alignment;

struct table {
    table_alignment alignment; /* of all columns but the first */
    int left;                  /* how many columns after the first are left-aligned all the same */
    int rows, columns;
    char (*cell)[TABLE_COLUMNS][TABLE_CELL]; /* of each row, until the table is printed */
};

/* Add a row in printf format, with a tab between two cells; it is dropped where there is no memory for it. */
void table_line(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Add a cell to the last row. */
void table_cell(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The columns that a terminal has on standard output, or that the variable COLUMNS says; INT_MAX where it is none. */
int table_terminal_width(void);
/* Print to standard output, and empty the table. Columns that do not fit into the terminal's width come below the
 * others, behind the first column and those that are left-aligned after it once more. */
void table_print(struct table *table);

/* Print text to standard output, in lines that end between words and fit into the terminal's width, and a newline. The
 * first line goes on at column `at`, where the caller has printed; others begin with `indent` blanks. Newlines of the
 * text are kept. */
void table_print_text(const char *text, int at, int indent);
/* Print a name in a column as wide as `width`, and beside it what it is, in as many lines as that takes. */
void table_print_beside(const char *name, int width, const char *text);

#endif
