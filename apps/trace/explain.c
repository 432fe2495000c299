/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish trace --explain: says in words where the time of a solve went: cores and GPUs, idle time, operations,
 * copies, the chain of tasks that the end waited for, models and bounds. For readers who have not seen the project:
 * what a word means stands where it is used. */
#include "apps/trace/trace.h"

#include "apps/table.h"
#include "codelets/phases.h"
#include "poisson/methods.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* ---- cores and GPUs ---------------------------------------------------------------------------------------------- */

static double busy_of(const struct trace *trace, size_t row)
{
    double busy = 0;
    for (size_t i = 0; i < trace->record->pieces; i++)
        if (trace_row_of(trace, &trace->record->piece[i]) == row)
            busy += trace->record->piece[i].end - trace->record->piece[i].start;
    return busy;
}

static void explain_rows(const struct trace *trace, FILE *out)
{
    size_t most = 0, least = 0;
    char names[2][64];
    for (size_t row = 1; row < trace_rows(trace); row++) {
        most = busy_of(trace, row) > busy_of(trace, most) ? row : most;
        least = busy_of(trace, row) < busy_of(trace, least) ? row : least;
    }
    trace_row_name(trace, most, names[0], sizeof names[0]);
    trace_row_name(trace, least, names[1], sizeof names[1]);
    fprintf(out, "%s was the busiest and worked for %.0f %% of the time", names[0],
            100 * busy_of(trace, most) / trace_total(trace));
    if (most != least)
        fprintf(out, "; the least busy, %s, for %.0f %%", names[1], 100 * busy_of(trace, least) / trace_total(trace));
    fprintf(out, ".\n");
}

/* ---- idle time --------------------------------------------------------------------------------------------------- */

/* Milliseconds for which workers did nothing between two times, all of them together. */
static double idle_between(const struct trace *trace, double from, double to)
{
    const struct starfish_record *record = trace->record;
    double idle = (double)record->worker_count * fmax(to - from, 0);
    for (size_t i = 0; i < record->pieces; i++) {
        const struct starfish_piece *piece = &record->piece[i];
        const double share = (double)piece->cores / (double)record->worker[piece->worker].cores;
        idle -= share * fmax(fmin(piece->end, to) - fmax(piece->start, from), 0);
    }
    return 1e-3 * idle;
}

/* What direct methods solve between their transforms; NULL: the method is no such one, and its phases are others. */
static const char *systems_of(const char *method)
{
    const char *const *names = starfish_method_list;
    if (strcmp(method, names[STARFISH_METHOD_SLAB]) == 0)
        return "the reduced system that couples the slabs";
    return strncmp(method, names[STARFISH_METHOD_BLKTRI], strlen(names[STARFISH_METHOD_BLKTRI])) == 0
               ? "the systems between the transforms"
               : NULL;
}

/* Of a solve in separate tasks: before, while and after these systems are solved. */
static void explain_idle_parts(const struct trace *trace, FILE *out)
{
    const struct starfish_record *record = trace->record;
    const char *systems = systems_of(trace->plan.method);
    double first = (double)INFINITY, last = -(double)INFINITY;
    for (size_t i = 0; i < record->tasks && systems; i++)
        if (record->task[i].phase == STARFISH_PHASE_MODES && record->task[i].worker >= 0) {
            first = fmin(first, record->task[i].start);
            last = fmax(last, record->task[i].end);
        }
    if (first <= last)
        fprintf(out, ": %.3f ms before %s, %.3f ms meanwhile, %.3f ms after",
                idle_between(trace, trace->account.begin, first), systems, idle_between(trace, first, last),
                idle_between(trace, last, trace->account.end));
}

static void explain_idle(const struct trace *trace, FILE *out)
{
    const double workers = (double)trace->record->worker_count;
    const double idle = idle_between(trace, trace->account.begin, trace->account.end);
    fprintf(out, "Workers were idle for %.0f %% of the time, %.3f ms of %.3f ms",
            1e5 * idle / (workers * trace_total(trace)), idle, 1e-3 * workers * trace_total(trace));
    if (workers > 1)
        fprintf(out, ", which is %.0f times the solve", workers);
    explain_idle_parts(trace, out);
    fprintf(out, ".\n");
    if (trace->account.fetching > 0)
        fprintf(out, "For %.3f ms of that, workers that had been given a task waited for its data.\n",
                1e-3 * trace->account.fetching);
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

struct operation {
    const char *name;
    size_t pieces;
    double busy;
};

static int by_time(const void *a, const void *b)
{
    const struct operation *x = a, *y = b;
    return (x->busy < y->busy) - (x->busy > y->busy);
}

/* Fills operations[record->pieces]; returns how many there are. */
static size_t find_operations(const struct starfish_record *record, struct operation *operations)
{
    size_t count = 0;
    for (size_t i = 0; i < record->pieces; i++) {
        const struct starfish_piece *piece = &record->piece[i];
        size_t at = 0;
        while (at < count && strcmp(operations[at].name, piece->name) != 0)
            ++at;
        if (at == count)
            operations[count++] = (struct operation){piece->name, 0, 0};
        operations[at].pieces++;
        operations[at].busy += starfish_piece_busy(record, piece);
    }
    qsort(operations, count, sizeof *operations, by_time);
    return count;
}

static void explain_operations(const struct trace *trace, FILE *out)
{
    enum { TOP = 6 };
    struct operation *operations = calloc(trace->record->pieces + 1, sizeof *operations);
    const double busy = trace->account.busy[STARFISH_CPU] + trace->account.busy[STARFISH_GPU];
    if (!operations)
        return;
    const size_t count = find_operations(trace->record, operations);
    fprintf(out, "The work was");
    for (size_t i = 0; i < count && i < TOP; i++)
        fprintf(out, "%s %.0f %% %s (%zu time%s, %.3f ms each)", i ? "," : "", 100 * operations[i].busy / busy,
                operations[i].name, operations[i].pieces, plural(operations[i].pieces),
                1e-3 * operations[i].busy / (double)operations[i].pieces);
    fprintf(out, ".\n");
    if (trace->record->workers[STARFISH_CPU] > 0 && trace->record->workers[STARFISH_GPU] > 0)
        fprintf(out, "Cores spent %.0f %% of the working time and GPUs %.0f %%.\n",
                100 * trace->account.busy[STARFISH_CPU] / busy, 100 * trace->account.busy[STARFISH_GPU] / busy);
    free(operations);
}

static void explain_rate(const struct trace *trace, FILE *out)
{
    const struct starfish_account *account = &trace->account;
    if (isnan(account->flops))
        return;
    fprintf(
        out,
        "It took at least %.4g million floating-point operations, %.3g billion a second, and read and wrote %.4g MB "
        "of memory.\n",
        1e-6 * account->flops, 1e-3 * account->flops / trace_total(trace), 1e-6 * account->traffic);
}

/* ---- bytes, path, bounds ----------------------------------------------------------------------------------------- */

static void explain_bytes(const struct trace *trace, FILE *out)
{
    const struct starfish_bytes bytes = trace->record->bytes;
    if (trace->record->nodes == 1) {
        fprintf(out, "All workers share one memory: nothing was copied.\n");
        return;
    }
    fprintf(out, "%.1f MB were copied to GPUs, %.1f MB from them and %.1f MB between them.\n",
            1e-6 * (double)bytes.host_to_device, 1e-6 * (double)bytes.device_to_host,
            1e-6 * (double)bytes.device_to_device);
}

static void explain_path(const struct trace *trace, FILE *out)
{
    double on_path = 0;
    size_t tasks = 0;
    for (size_t i = 0; i < trace->record->tasks; i++)
        if (trace->path[i] && trace->record->task[i].worker >= 0) {
            on_path += trace->record->task[i].end - trace->record->task[i].start;
            tasks++;
        }
    const char *which = tasks == 1 ? "one task that took" : "a chain of";
    fprintf(out, "The end had to wait for %s", which);
    if (tasks != 1)
        fprintf(out, " %zu tasks, one after the other, that took", tasks);
    fprintf(out,
            " %.3f ms; the other %.3f ms went by before, between and after: with handing out tasks, waking workers and "
            "waiting.\n",
            1e-3 * on_path, 1e-3 * (trace_total(trace) - on_path));
}

/* Tasks take longer than expected where other programs use the cores, or workers share one memory. */
static void explain_models(const struct trace *trace, FILE *out)
{
    const struct starfish_record *record = trace->record;
    double took = 0, expected = 0;
    for (size_t i = 0; i < record->tasks; i++) {
        const struct starfish_task_span *span = &record->task[i];
        const double length = span->worker >= 0 && !span->helps ? span->expected[record->worker[span->worker].kind] : 0;
        if (length > 0 && isfinite(length)) {
            took += span->end - span->start;
            expected += length;
        }
    }
    if (expected > 0)
        fprintf(out, "Tasks took %.2f times as long as StarPU expected from earlier solves.\n", took / expected);
}

static void explain_bounds(const struct trace *trace, FILE *out)
{
    const struct starfish_account *account = &trace->account;
    fprintf(
        out,
        "With no worker idle the solve would take %.3f ms (%.0f %% of what it took); its longest chain of tasks that "
        "wait for one another takes %.3f ms. %s\n",
        1e-3 * account->area, 100 * account->area / trace_total(trace), 1e-3 * account->critical_path,
        account->complete ? "Both count the times that StarPU expects of tasks."
                          : "Both count the times that StarPU expects of tasks, or else the times measured here.");
}

/* The cores that share one task, and what they did of it. */
static void explain_total(const struct trace *trace, FILE *out)
{
    const struct starfish_record *record = trace->record;
    size_t reported = 0;
    for (size_t i = 0; i < record->tasks; i++)
        reported += record->task[i].pieces;
    fprintf(out,
            "The solve took %.3f ms, from the submission of its first task until the solution was in its memory: %zu "
            "task%s on %zu worker%s, scheduled by the policy %s.\n",
            1e-3 * trace_total(trace), record->tasks, plural(record->tasks), record->worker_count,
            plural(record->worker_count), trace->runtime.policy);
    if (reported > 0 && !trace->runtime.simulated)
        fprintf(out, "Cores that shared a task reported %zu pieces of work, which are bars of the chart.\n", reported);
}

/* Each part of the explanation is a line, however long. */
static void explain_all(const struct trace *trace, FILE *out)
{
    explain_total(trace, out);
    explain_rows(trace, out);
    explain_idle(trace, out);
    explain_operations(trace, out);
    explain_rate(trace, out);
    explain_bytes(trace, out);
    explain_path(trace, out);
    explain_models(trace, out);
    explain_bounds(trace, out);
}

/* Without memory for the text it is not folded. */
void trace_explain(const struct trace *trace)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    printf("\n");
    explain_all(trace, out ? out : stdout);
    if (!out)
        return;
    fclose(out);
    if (text && size > 0) {
        text[size - 1] = '\0'; /* the last newline */
        table_print_text(text, 0, 0);
    }
    free(text);
}
