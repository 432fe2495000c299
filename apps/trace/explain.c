/* starfish trace --explain: says in words where the time of a solve went: workers, idle time, operations, copies, what
 * the end waited for, models and bounds. */
#include "apps/trace/trace.h"

#include "apps/table.h"
#include "poisson/methods.h"
#include "tasks/separable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double span_of(const struct trace *trace)
{
    return trace->account.end - trace->account.begin;
}

/* ---- workers ----------------------------------------------------------------------------------------------------- */

static double busy_of(const struct starfish_record *record, size_t worker)
{
    double busy = 0;
    for (size_t i = 0; i < record->tasks; i++)
        if (record->task[i].worker == (int)worker)
            busy += record->task[i].end - record->task[i].start;
    return busy;
}

static void explain_workers(const struct trace *trace, FILE *out)
{
    const struct starfish_record *record = trace->record;
    size_t most = 0, least = 0;
    char names[2][64];
    for (size_t i = 1; i < record->worker_count; i++) {
        most = busy_of(record, i) > busy_of(record, most) ? i : most;
        least = busy_of(record, i) < busy_of(record, least) ? i : least;
    }
    trace_worker_name(names[0], sizeof names[0], &record->worker[most]);
    trace_worker_name(names[1], sizeof names[1], &record->worker[least]);
    fprintf(out, "The busiest worker was %s, %.0f %% of the time", names[0],
            100 * busy_of(record, most) / span_of(trace));
    if (most != least)
        fprintf(out, "; the least busy %s, %.0f %%", names[1], 100 * busy_of(record, least) / span_of(trace));
    fprintf(out, ".\n");
}

/* ---- idle time --------------------------------------------------------------------------------------------------- */

/* Milliseconds for which workers did nothing between two times, all of them together. */
static double idle_between(const struct trace *trace, double from, double to)
{
    double idle = (double)trace->record->worker_count * fmax(to - from, 0);
    for (size_t i = 0; i < trace->record->tasks; i++) {
        const struct starfish_span *span = &trace->record->task[i];
        if (span->worker >= 0)
            idle -= fmax(fmin(span->end, to) - fmax(span->start, from), 0);
    }
    return 1e-3 * idle;
}

static void explain_idle(const struct trace *trace, FILE *out)
{
    double first = (double)INFINITY, last = -(double)INFINITY;
    const double workers = (double)trace->record->worker_count;
    const double idle = idle_between(trace, trace->account.begin, trace->account.end);
    for (size_t i = 0; i < trace->record->tasks; i++)
        if (trace->record->task[i].phase == STARFISH_PHASE_MODES && trace->record->task[i].worker >= 0) {
            first = fmin(first, trace->record->task[i].start);
            last = fmax(last, trace->record->task[i].end);
        }
    fprintf(out, "Workers were idle for %.0f %% of the time, %.3f ms in all", 1e5 * idle / (workers * span_of(trace)),
            idle);
    if (first <= last)
        fprintf(out, ": %.3f before %s, %.3f meanwhile, %.3f after", idle_between(trace, trace->account.begin, first),
                strcmp(trace->plan.method, starfish_method_list[STARFISH_METHOD_SLAB]) == 0
                    ? "the reduced system"
                    : "the systems of the modes",
                idle_between(trace, first, last), idle_between(trace, last, trace->account.end));
    fprintf(out, ".\n");
    if (trace->account.fetching > 0)
        fprintf(out, "Of that, workers with a task in hand waited %.3f ms for its data.\n",
                1e-3 * trace->account.fetching);
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

struct operation {
    const char *name;
    size_t tasks;
    double busy;
};

static int by_time(const void *a, const void *b)
{
    const struct operation *x = a, *y = b;
    return (x->busy < y->busy) - (x->busy > y->busy);
}

/* Fills operations[record->tasks]; returns how many there are. */
static size_t find_operations(const struct starfish_record *record, struct operation *operations)
{
    size_t count = 0;
    for (size_t i = 0; i < record->tasks; i++) {
        const struct starfish_span *span = &record->task[i];
        size_t at = 0;
        if (span->worker < 0)
            continue;
        while (at < count && strcmp(operations[at].name, span->name) != 0)
            ++at;
        if (at == count)
            operations[count++] = (struct operation){span->name, 0, 0};
        operations[at].tasks++;
        operations[at].busy += span->end - span->start;
    }
    qsort(operations, count, sizeof *operations, by_time);
    return count;
}

static void explain_operations(const struct trace *trace, FILE *out)
{
    enum { TOP = 5 };
    struct operation *operations = calloc(trace->record->tasks + 1, sizeof *operations);
    const double busy = trace->account.busy[STARFISH_CPU] + trace->account.busy[STARFISH_GPU];
    if (!operations)
        return;
    const size_t count = find_operations(trace->record, operations);
    fprintf(out, "The work was");
    for (size_t i = 0; i < count && i < TOP; i++)
        fprintf(out, "%s %.0f %% %s (%zu task%s of %.3f ms)", i ? "," : "", 100 * operations[i].busy / busy,
                operations[i].name, operations[i].tasks, operations[i].tasks == 1 ? "" : "s",
                1e-3 * operations[i].busy / (double)operations[i].tasks);
    fprintf(out, ".\n");
    free(operations);
}

static void explain_rate(const struct trace *trace, FILE *out)
{
    const struct starfish_account *account = &trace->account;
    if (isnan(account->flops))
        return;
    fprintf(out,
            "It took at least %.4g million floating-point operations, %.3g billion a second, and tasks read and wrote "
            "%.4g MB.\n",
            1e-6 * account->flops, 1e-3 * account->flops / span_of(trace), 1e-6 * account->traffic);
}

/* ---- bytes, path, bounds ----------------------------------------------------------------------------------------- */

static void explain_bytes(const struct trace *trace, FILE *out)
{
    const struct starfish_bytes bytes = trace->record->bytes;
    if (trace->record->nodes == 1) {
        fprintf(out, "All workers share one memory: nothing was copied.\n");
        return;
    }
    fprintf(out, "StarPU moved %.1f MB to GPUs, %.1f MB from them and %.1f MB between them.\n",
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
    fprintf(out,
            "What the end had to wait for, backwards, is %zu task%s of %.3f ms together; in the other %.3f ms of the "
            "solve nothing of it ran.\n",
            tasks, tasks == 1 ? "" : "s", 1e-3 * on_path, 1e-3 * (span_of(trace) - on_path));
}

/* Tasks take longer than the models expect where other programs use the cores, or workers share one memory. */
static void explain_models(const struct trace *trace, FILE *out)
{
    const struct starfish_record *record = trace->record;
    double took = 0, expected = 0;
    for (size_t i = 0; i < record->tasks; i++) {
        const struct starfish_span *span = &record->task[i];
        const double length = span->worker >= 0 ? span->expected[record->worker[span->worker].kind] : 0;
        if (length > 0 && isfinite(length)) {
            took += span->end - span->start;
            expected += length;
        }
    }
    if (expected > 0)
        fprintf(out, "Tasks took %.2f times as long as StarPU's models expect of them.\n", took / expected);
}

static void explain_bounds(const struct trace *trace, FILE *out)
{
    const struct starfish_account *account = &trace->account;
    fprintf(out,
            "With no worker idle it would take %.3f ms (%.0f %% of what it took); the longest chain of tasks takes "
            "%.3f ms. %s\n",
            1e-3 * account->area, 100 * account->area / span_of(trace), 1e-3 * account->critical_path,
            account->complete ? "Both by StarPU's models."
                              : "Both by StarPU's models where they know a task, else as measured.");
}

/* Each part of the explanation is a line, however long. */
static void explain_all(const struct trace *trace, FILE *out)
{
    const struct starfish_record *record = trace->record;
    fprintf(out,
            "The solve took %.3f ms from its submission to the solution in its memory: %zu tasks on %zu worker%s, "
            "policy %s.\n",
            1e-3 * span_of(trace), record->tasks, record->worker_count, record->worker_count == 1 ? "" : "s",
            trace->runtime.policy);
    explain_workers(trace, out);
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
