/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Colour maps whose lightness is even to the eye: curves in the OKLab space (Ottosson 2020). */
#ifndef STARFISH_APPS_PICTURES_COLOUR_H
#define STARFISH_APPS_PICTURES_COLOUR_H

typedef enum starfish_colour_map {
    STARFISH_SEQUENTIAL, /* dark indigo to light yellow */
    STARFISH_DIVERGING   /* blue, white in the middle, red */
} starfish_colour_map;

enum { STARFISH_COLOURS = 256 };

/* The map as sRGB bytes. */
void starfish_colour_table(starfish_colour_map map, unsigned char table[STARFISH_COLOURS][3]);

#endif
