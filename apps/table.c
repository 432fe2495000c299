/* Tables for people. */
#include "apps/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void table_row(struct table *table)
{
    table->columns = 0;
    if (table->rows < TABLE_ROWS)
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

void table_print(const struct table *table)
{
    int width[TABLE_COLUMNS];
    for (int column = 0; column < TABLE_COLUMNS; ++column)
        width[column] = column_width(table, column);
    for (int row = 0; row < table->rows; ++row) {
        int last = last_cell(table, row);
        for (int column = 0; column <= last; ++column) {
            int left = column <= table->left || table->alignment == TABLE_LEFT;
            int pad = left && column == last ? 0 : width[column]; /* no blanks at the end of a line */
            printf("%s%*s", column ? "  " : "", left ? -pad : pad, table->cell[row][column]);
        }
        printf("\n");
    }
}
