/* A fixed font for pictures: printable ASCII, 5 pixels wide, 8 high with descenders. */
#ifndef STARFISH_APPS_PICTURES_FONT_H
#define STARFISH_APPS_PICTURES_FONT_H

enum { STARFISH_FONT_WIDTH = 5, STARFISH_FONT_HEIGHT = 8, STARFISH_FONT_ADVANCE = 6 };

/* 1 when the glyph of `c` covers the pixel `column`, `row` (from its top left); other characters show as '?'. */
int starfish_font_pixel(char c, int column, int row);

#endif
