/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Colour maps whose lightness is even to the eye (colour.h): anchors in OKLab, joined by Catmull-Rom splines and
 * converted to sRGB. */
#include "apps/pictures/colour.h"

#include <math.h>

/* Equidistant anchors: lightness 0..1, chroma, hue in degrees. */
struct anchor {
    double lightness, chroma, hue;
};
static const struct anchor sequential[] = {
    {0.22, 0.09, 295}, {0.37, 0.11, 275}, {0.52, 0.09, 230}, {0.67, 0.10, 185}, {0.82, 0.14, 140}, {0.96, 0.14, 108},
};
static const struct anchor diverging[] = {
    {0.34, 0.13, 262}, {0.52, 0.14, 255}, {0.74, 0.09, 245}, {0.97, 0.00, 0},
    {0.76, 0.11, 45},  {0.56, 0.18, 30},  {0.36, 0.14, 25},
};
static const struct {
    const struct anchor *anchors;
    int count;
} maps[] = {
    [STARFISH_SEQUENTIAL] = {sequential, sizeof sequential / sizeof sequential[0]},
    [STARFISH_DIVERGING] = {diverging, sizeof diverging / sizeof diverging[0]},
};

static unsigned char srgb(double linear)
{
    double value = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
    return (unsigned char)lround(255 * fmin(fmax(value, 0), 1));
}

static void oklab_to_srgb(const double lab[3], unsigned char rgb[3])
{
    double l = lab[0] + 0.3963377774 * lab[1] + 0.2158037573 * lab[2];
    double m = lab[0] - 0.1055613458 * lab[1] - 0.0638541728 * lab[2];
    double s = lab[0] - 0.0894841775 * lab[1] - 1.2914855480 * lab[2];
    l *= l * l;
    m *= m * m;
    s *= s * s;
    rgb[0] = srgb(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
    rgb[1] = srgb(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
    rgb[2] = srgb(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s);
}

static void anchor_to_oklab(const struct anchor *anchor, double lab[3])
{
    const double degree = 0.017453292519943295;
    lab[0] = anchor->lightness;
    lab[1] = anchor->chroma * cos(degree * anchor->hue);
    lab[2] = anchor->chroma * sin(degree * anchor->hue);
}

/* Catmull-Rom through four anchors: a kink would show as an edge that is not in the data. */
static double spline(double before, double low, double high, double after, double t)
{
    double slope_low = 0.5 * (high - before), slope_high = 0.5 * (after - low);
    double curve = 3 * (high - low) - 2 * slope_low - slope_high, twist = 2 * (low - high) + slope_low + slope_high;
    return low + t * (slope_low + t * (curve + t * twist));
}

void starfish_colour_table(starfish_colour_map map, unsigned char table[STARFISH_COLOURS][3])
{
    const struct anchor *anchors = maps[map].anchors;
    const int last = maps[map].count - 1;
    for (int i = 0; i < STARFISH_COLOURS; ++i) {
        double t = (double)i * last / (STARFISH_COLOURS - 1), lab[4][3], mixed[3];
        int low = t >= last ? last - 1 : (int)t;
        anchor_to_oklab(&anchors[low > 0 ? low - 1 : 0], lab[0]);
        anchor_to_oklab(&anchors[low], lab[1]);
        anchor_to_oklab(&anchors[low + 1], lab[2]);
        anchor_to_oklab(&anchors[low + 2 <= last ? low + 2 : last], lab[3]);
        for (int c = 0; c < 3; ++c)
            mixed[c] = spline(lab[0][c], lab[1][c], lab[2][c], lab[3][c], t - low);
        oklab_to_srgb(mixed, table[i]);
    }
}
