/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish bench poisson3d: the pieces of one run. The cases come from the command line, each is solved by Starfish and
 * by its peers, and copies give the limits. */
#ifndef STARFISH_APPS_BENCH_POISSON3D_H
#define STARFISH_APPS_BENCH_POISSON3D_H

#include "apps/frame/frame.h"
#include "apps/lists.h"
#include "apps/names.h"
#include "bench/peers.h"

#include <starfish/starfish.h>

/* What one set of ends is called on the command line. */
struct poisson3d_ends {
    const char *name;
    starfish_end ends[2];
};

/* One problem: what is solved, whoever solves it. */
struct poisson3d_case {
    size_t n[3];
    starfish_precision precision;
    const struct poisson3d_ends *x, *y, *z;
    starfish_grid grid;
    int stretched; /* y */
    int kind; /* 0: a box; else a cylinder with its axis, or a shell with its poles: y and z are z and r, r and theta */
    double *coordinates;
    struct starfish_poisson_problem problem; /* points to `coordinates` */
    char size[80];                           /* and precision */
    char name[144];                          /* all of it */
};

enum { POISSON3D_MOST_IN_FLIGHT = 64 };
enum poisson3d_where { POISSON3D_PAGEABLE, POISSON3D_PINNED, POISSON3D_DEVICE, POISSON3D_SPREAD, POISSON3D_PLACES };

/* Bytes per second of plain copies of a case's field, measured in the same run; NaN where they could not be. */
struct poisson3d_limits {
    double cores;          /* read and written by all cores */
    double device;         /* read and written in device memory */
    double up, down, both; /* over the link; both: sum of both directions at once */
};

/* What is combined: cases, and how each is solved. */
enum poisson3d_axes {
    POISSON3D_N,
    POISSON3D_PRECISION,
    POISSON3D_BC,
    POISSON3D_GRID,
    POISSON3D_Y,
    POISSON3D_KIND,
    POISSON3D_METHOD,
    POISSON3D_STREAM,
    POISSON3D_AXES
};

struct poisson3d {
    struct bench bench; /* the first, so that bench_main's callback finds the rest */
    struct axis axis[POISSON3D_AXES];
    struct bench_sets sets;
    const char *where;                       /* NULL: chosen by what the machine has */
    int peers;                               /* enum poisson3d_peers */
    struct starfish_poisson_options library; /* --slabs */
    size_t cases, places;
    struct poisson3d_case *each; /* [cases] */
    struct poisson3d_limits *limits;
    size_t place[LIST_MOST]; /* places == 0 is all that make sense */
    size_t solves;           /* rows of ours so far */
    double seconds[BENCH_MOST_REPEATS];
};

extern const char *const poisson3d_places[];
enum poisson3d_peers { POISSON3D_ALL_PEERS, POISSON3D_FAST_PEERS, POISSON3D_NO_PEERS };
/* The benchmark's own choices. */
extern const struct starfish_option_table poisson3d_table;

/* Cases (bench_poisson3d_cases.c): all requested combinations, and room for their limits. */
starfish_status poisson3d_read_cases(struct poisson3d *run);
void poisson3d_free_cases(struct poisson3d *run);
/* Its plan; NULL options: defaults. */
starfish_status poisson3d_plan(starfish_context *context, const struct poisson3d_case *c,
                               const struct starfish_poisson_options *options, starfish_plan **plan);
/* Bytes of a field of the case. */
size_t poisson3d_bytes(const struct poisson3d_case *c);
/* The keys of a row that say how large a field is, and the others that say what was solved. */
void poisson3d_describe_size(json_t *row, const struct poisson3d_case *c);
void poisson3d_describe(json_t *row, const struct poisson3d_case *c);

/* Plain copies: fills run->limits and adds their rows (bench_poisson3d_peers.c). */
void poisson3d_measure_limits(struct poisson3d *run);
/* Other people's solvers: adds their rows. Error: MEMORY. */
starfish_status poisson3d_measure_peers(struct poisson3d *run);
/* Our solves with one of the run's sets; data: the run (poisson3d_solves.c). */
starfish_status poisson3d_measure_solves(void *data);

/* A field of pseudo-random numbers in [-1/2, 1/2), aligned to 64 bytes, the same every time; free() releases it. */
starfish_status poisson3d_random_field(const struct poisson3d_case *c, void **field);

#endif
