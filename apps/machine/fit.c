/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish machine fit: determines costs that simulations omit, by simulating the recorded cases. Held-out cases are
 * not used. */
#include "apps/machine/compare.h"

#include "apps/files/json.h"
#include "apps/files/temporary.h"
#include "apps/options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How bad a correction is for a set's rows that the models have seen: the sum of what their logarithms are off by, each
 * no more than a factor of 1.2 counts: rows that are further off are so for other reasons than what is corrected. */
static double badness(const struct comparison *comparison, enum starfish_worker_set set,
                      struct starfish_correction correction)
{
    double sum = 0;
    const json_t *row;
    size_t i;
    json_array_foreach (comparison->rows, i, row) {
        if (json_is_true(json_object_get(row, "held_out")) ||
            comparison_set_of(starfish_json_text_of(row, "workers")) != set)
            continue;
        const double said = starfish_json_number_of(row, "simulated") * correction.factor + correction.seconds;
        sum += fmin(fabs(log(said / starfish_json_number_of(row, "measured"))), log(1.2));
    }
    return sum;
}

/* The best one, by trial, and how bad it is. GPUs' tasks are measured on the GPU, where nothing disturbs them: their
 * factor is 1, and so is that of both, where tasks on cores are no measure of the whole. */
static struct starfish_correction best_correction(const struct comparison *comparison, enum starfish_worker_set set,
                                                  double *badness_of_best)
{
    struct starfish_correction best = {1, 0};
    double least = badness(comparison, set, best);
    for (int f = set == STARFISH_SET_CORES ? 80 : 100; f <= (set == STARFISH_SET_CORES ? 160 : 100); ++f)
        for (int s = 0; s <= 200; ++s) {
            const struct starfish_correction trial = {0.01 * f, 5e-5 * s};
            const double bad = badness(comparison, set, trial);
            if (bad < least - 1e-9) {
                least = bad;
                best = trial;
            }
        }
    *badness_of_best = least;
    return best;
}

/* The machine's description with other corrections, in `folder`. */
static starfish_status write_corrections(const struct comparison *comparison, json_t *corrections, const char *folder)
{
    char path[SIMULATE_PATH + 16];
    json_t *root;
    snprintf(path, sizeof path, "%s/machine.json", comparison->folder);
    STARFISH_TRY(starfish_json_load(path, &root));
    json_object_set(root, "corrections", corrections);
    snprintf(path, sizeof path, "%s/machine.json", folder);
    const starfish_status status = starfish_json_write(path, root);
    json_decref(root);
    return status;
}

/* ---- a machine to try corrections on ----------------------------------------------------------------------------- */

/* A folder like the machine's, with a link to its models: the machine itself is changed at the end alone, so that a fit
 * that fails or is stopped leaves it as it was. */
struct trial {
    char folder[32], machine[48], sampling[48];
};

static void remove_trial(const struct trial *trial)
{
    starfish_temporary_remove(trial->machine);
    starfish_temporary_remove(trial->sampling);
    starfish_temporary_remove(trial->folder);
}

/* Errors: FILE, MEMORY. */
static starfish_status make_trial(const struct comparison *comparison, struct trial *trial)
{
    char *models = NULL, folder[SIMULATE_PATH + 16];
    snprintf(trial->folder, sizeof trial->folder, "/tmp/starfish-fit-XXXXXX");
    snprintf(folder, sizeof folder, "%s/sampling", comparison->folder);
    STARFISH_FAIL_IF(starfish_temporary_folder(trial->folder) != 0, STARFISH_ERROR_FILE,
                     "/tmp: no folder can be made there: %s", strerror(errno));
    snprintf(trial->machine, sizeof trial->machine, "%s/machine.json", trial->folder);
    snprintf(trial->sampling, sizeof trial->sampling, "%s/sampling", trial->folder);
    models = realpath(folder, NULL);
    starfish_status status = STARFISH_SUCCESS;
    if (!models || starfish_temporary_expect(trial->machine) != 0 || starfish_temporary_expect(trial->sampling) != 0 ||
        symlink(models, trial->sampling) != 0) {
        status = starfish_fail(STARFISH_ERROR_FILE, "%s: %s", folder, strerror(errno));
        remove_trial(trial);
    }
    free(models);
    return status;
}

/* ---- fitting ----------------------------------------------------------------------------------------------------- */

/* What choosing a worker may take, for each worker, in seconds: it makes the more of a solve the more workers there
 * are, and is fitted to cores alone. Solves are simulated with the first and the last; times of others lie between. */
enum { CHOOSINGS = 21 };
static const double least_choosing = 5e-7, most_choosing = STARFISH_MACHINE_CHOOSING;

static json_t *json_of_correction(struct starfish_correction correction)
{
    return json_pack("{s:f, s:f}", "factor", correction.factor, "seconds", correction.seconds);
}

/* Simulates with one of these, and with no other correction; the rows are comparison->rows. */
static starfish_status simulate_choosing(struct comparison *comparison, const struct trial *trial, double seconds)
{
    json_t *alone = json_pack("{s:f}", "choosing", seconds);
    json_array_clear(comparison->rows);
    starfish_status status = write_corrections(comparison, alone, trial->folder);
    json_decref(alone);
    STARFISH_THEN(status, simulate_environment(trial->folder));
    return status == STARFISH_SUCCESS ? comparison_run(comparison) : status;
}

/* Rows of two simulations of the same cases, a share of the way from the first to the second. NULL without memory. */
static json_t *between(const json_t *first, const json_t *second, double share)
{
    json_t *rows = json_deep_copy(first), *row;
    size_t i;
    json_array_foreach (rows, i, row) {
        const double low = starfish_json_number_of(row, "simulated");
        const double high = starfish_json_number_of(json_array_get(second, i), "simulated");
        json_object_set_new(row, "simulated", json_real(low + share * (high - low)));
    }
    return rows;
}

static void keep_best_choosing(const struct comparison *comparison, const json_t *with_least, const json_t *with_most,
                               json_t *corrections)
{
    double least = HUGE_VAL;
    for (int i = 0; i < CHOOSINGS; ++i) {
        const double share = (double)i / (CHOOSINGS - 1);
        struct comparison trial = *comparison;
        double bad;
        trial.rows = between(with_least, with_most, share);
        const struct starfish_correction best = best_correction(&trial, STARFISH_SET_CORES, &bad);
        json_decref(trial.rows);
        if (bad >= least)
            continue;
        least = bad;
        json_object_set_new(corrections, "choosing",
                            json_real(least_choosing + share * (most_choosing - least_choosing)));
        json_object_set_new(corrections, machine_set_names[STARFISH_SET_CORES], json_of_correction(best));
    }
}

static starfish_status fit_cores(struct comparison *comparison, const struct trial *trial, json_t *corrections)
{
    comparison->workers = machine_set_names[STARFISH_SET_CORES];
    STARFISH_TRY(simulate_choosing(comparison, trial, least_choosing));
    json_t *with_least = json_deep_copy(comparison->rows);
    const starfish_status status = simulate_choosing(comparison, trial, most_choosing);
    if (status == STARFISH_SUCCESS && json_array_size(with_least) == json_array_size(comparison->rows))
        keep_best_choosing(comparison, with_least, comparison->rows, corrections);
    json_decref(with_least);
    STARFISH_TRY(status);
    const json_t *best = json_object_get(corrections, machine_set_names[STARFISH_SET_CORES]);
    printf("cpu: tasks on cores %.2f times as long, %.3g ms more per solve; choosing takes %.3g us for each worker\n",
           starfish_json_number_of(best, "factor"), 1e3 * starfish_json_number_of(best, "seconds"),
           1e6 * starfish_json_number_of(corrections, "choosing"));
    return STARFISH_SUCCESS;
}

/* Sets of workers whose tasks take what they took in the recording: a team has nothing beside it either. */
static starfish_status fit_others(struct comparison *comparison, const struct trial *trial, json_t *corrections)
{
    static const enum starfish_worker_set sets[] = {STARFISH_SET_GPUS, STARFISH_SET_ALL, STARFISH_SET_TEAM};
    comparison->workers = NULL;
    comparison->as_they_are = 1;
    STARFISH_TRY(simulate_choosing(comparison, trial, starfish_json_number_of(corrections, "choosing")));
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; ++i) {
        double bad;
        const struct starfish_correction best = best_correction(comparison, sets[i], &bad);
        json_object_set_new(corrections, machine_set_names[sets[i]], json_of_correction(best));
        printf("%s: %.3g ms more per solve\n", machine_set_names[sets[i]], 1e3 * best.seconds);
    }
    return STARFISH_SUCCESS;
}

/* Corrections that leave out what could not be simulated would be of something else. */
static starfish_status find_corrections(struct comparison *comparison, const struct trial *trial, json_t *corrections)
{
    STARFISH_TRY(fit_cores(comparison, trial, corrections));
    STARFISH_TRY(comparison_check_any(comparison));
    STARFISH_TRY(comparison_check_failed(comparison));
    STARFISH_TRY(fit_others(comparison, trial, corrections));
    return comparison_check_failed(comparison);
}

static starfish_status fit(void *data)
{
    struct comparison *comparison = data;
    struct trial trial;
    STARFISH_TRY(comparison_begin(comparison));
    STARFISH_TRY(machine_share_links(comparison->folder));
    STARFISH_TRY(make_trial(comparison, &trial));
    json_t *corrections = json_pack("{s:f, s:o}", "choosing", most_choosing, machine_set_names[STARFISH_SET_CORES],
                                    json_of_correction((struct starfish_correction){1, 0}));
    starfish_status status = find_corrections(comparison, &trial, corrections);
    STARFISH_THEN(status, write_corrections(comparison, corrections, comparison->folder));
    json_decref(corrections);
    remove_trial(&trial);
    return status;
}

int machine_fit(int argc, char **argv)
{
    struct comparison comparison = {.rows = json_array(), .fits = 1};
    const struct option_entry options[] = {{.name = NULL}};
    const struct command_line line = {
        .usage = "machine fit NAME",
        .summary =
            "Correct simulations of a recorded machine by what its recorded solves took, those that are held out\n"
            "aside: writes \"corrections\" into its machine.json.",
        .options = options,
        .operands = &comparison.name,
        .operand_count = 1,
    };
    const int exit_status = options_run(&line, argc, argv, fit, &comparison);
    json_decref(comparison.rows);
    return exit_status;
}
