/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Types shared by every part of the interface. */
#ifndef STARFISH_TYPES_H
#define STARFISH_TYPES_H

/* Precision of a field and of the arithmetic done on it. */
typedef enum starfish_precision {
    STARFISH_F32 = 0, /* float: 4 bytes */
    STARFISH_F64 = 1  /* double: 8 bytes */
} starfish_precision;

/* Who shares the fine grids of multigrid, where workers have several memories: runs of rows (planes) are owned by them,
 * and halos travel between their memories. Without several memories it says nothing. */
typedef enum starfish_sharing {
    STARFISH_SHARING_AUTO, /* as measured times of tasks say is fastest; where there are none, GPUs share large grids */
    STARFISH_SHARING_ALONE, /* one GPU has all of them */
    STARFISH_SHARING_GPUS,  /* every GPU has a part */
    STARFISH_SHARING_ALL,   /* every GPU and every CPU worker, by their speeds */
    STARFISH_SHARINGS       /* how many there are */
} starfish_sharing;

#endif
