/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Types shared by every part of the interface. Precisions of fields, and how workers with separate memories share the
 * grids of multigrid. */
#ifndef STARFISH_TYPES_H
#define STARFISH_TYPES_H

/* Precision of a field and of the arithmetic done on it. */
typedef enum starfish_precision {
    STARFISH_F32 = 0, /* float: 4 bytes */
    STARFISH_F64 = 1  /* double: 8 bytes */
} starfish_precision;

/* Which workers share the fine grids of multigrid, if workers have separate memories. Each owns a run of rows (planes);
 * halos are exchanged between the memories. No effect with a single memory. */
typedef enum starfish_sharing {
    STARFISH_SHARING_AUTO,  /* the fastest by measured task times; without any, GPUs share large grids */
    STARFISH_SHARING_ALONE, /* one GPU owns all fine grids */
    STARFISH_SHARING_GPUS,  /* every GPU owns a part */
    STARFISH_SHARING_ALL,   /* every GPU and CPU worker owns a part, sized by its speed */
    STARFISH_SHARINGS       /* how many there are */
} starfish_sharing;

#endif
