/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* StarPU's own traces (fxt.h): the conversion runs in a process of its own, and copies between memories are read from
 * its file. */
#include "scheduler/lab/fxt.h"

#include "base/c_locale.h"
#include "scheduler/lab/paje.h"
#include "scheduler/runtime/task.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

/* Its options have a folder since 1.4. */
#if defined(STARPU_USE_FXT) && (STARPU_MAJOR_VERSION > 1 || STARPU_MINOR_VERSION >= 4)
#define STARFISH_HAVE_FXT 1
#endif

/* ---- Making them ------------------------------------------------------------------------------------------------- */

int starfish_fxt_available(void)
{
#ifdef STARFISH_HAVE_FXT
    return 1;
#else
    return 0;
#endif
}

/* FxT ends the process if the disk has no room for the beginning of a trace, and a truncated write leaves no error to
 * report. Every trace is longer than this file. */
static starfish_status check_room(const char *folder)
{
    static const char nothing[4096];
    enum { PIECES = 16 };
    char path[4096];
    int written = 0;
    snprintf(path, sizeof path, "%s/room", folder);
    FILE *file = fopen(path, "wb");
    while (file && written < PIECES && fwrite(nothing, sizeof nothing, 1, file) == 1 && fflush(file) == 0)
        written++;
    const int error = errno;
    if (file)
        fclose(file);
    unlink(path);
    return STARFISH_OR_FAIL(written == PIECES, STARFISH_ERROR_FILE, "%s: StarPU's trace cannot be written: %s", folder,
                            strerror(error));
}

starfish_status starfish_fxt_prepare(const char *folder)
{
    STARFISH_TRY(check_room(folder));
    STARFISH_FAIL_IF(setenv("STARPU_FXT_TRACE", "1", 1) != 0 || setenv("STARPU_FXT_PREFIX", folder, 1) != 0 ||
                         setenv("STARPU_FXT_SUFFIX", "trace", 1) != 0,
                     STARFISH_ERROR_MEMORY, "out of memory for variables");
    starpu_fxt_autostart_profiling(0);
    return STARFISH_SUCCESS;
}

void starfish_fxt_begin(void)
{
    starpu_fxt_start_profiling();
}

void starfish_fxt_end(void)
{
    starpu_fxt_stop_profiling();
}

#ifdef STARFISH_HAVE_FXT
static void convert(const char *folder, const char *trace)
{
    static struct starpu_fxt_options options; /* of some 30 KB */
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
        return;
    starfish_c_locale_enter(); /* for the rest of this process */
    starpu_fxt_options_init(&options);
    options.ninputfiles = 1;
    options.filenames[0] = strdup(trace);
    options.file_prefix = "";
    options.file_rank = -1;
    options.dir = strdup(folder);
    starpu_fxt_generate_trace(&options);
}
#endif

#ifdef STARFISH_HAVE_FXT
/* StarPU does not check whether its files could be written. */
static starfish_status check_disk(const char *folder)
{
    struct statvfs disk;
    return STARFISH_OR_FAIL(statvfs(folder, &disk) != 0 || disk.f_blocks == 0 ||
                                (geteuid() == 0 ? disk.f_bfree : disk.f_bavail) > 0,
                            STARFISH_ERROR_FILE, "%s: the disk is full, and StarPU's traces are not whole", folder);
}

/* Files that end where a limit ends them (ulimit -f). */
static starfish_status check_limit(const char *folder)
{
    struct rlimit most;
    struct dirent **entry;
    starfish_status status = STARFISH_SUCCESS;
    const int count = getrlimit(RLIMIT_FSIZE, &most) != 0 || most.rlim_cur == RLIM_INFINITY
                          ? -1
                          : scandir(folder, &entry, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char path[4096];
        struct stat file;
        snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
        if (stat(path, &file) == 0 && S_ISREG(file.st_mode) && (rlim_t)file.st_size >= most.rlim_cur)
            status =
                starfish_fail(STARFISH_ERROR_FILE, "%s: is cut off at the largest size of files (ulimit -f)", path);
        free(entry[i]);
    }
    if (count >= 0)
        free(entry);
    return status;
}
#endif

/* In a separate process without output: StarPU ends it if it cannot parse a trace. */
starfish_status starfish_fxt_convert(const char *folder)
{
#ifdef STARFISH_HAVE_FXT
    char trace[4096];
    int state = 1;
    snprintf(trace, sizeof trace, "%s/trace_0", folder);
    if (access(trace, R_OK) != 0) /* StarPU would make the folder */
        return starfish_fail(STARFISH_ERROR_RUNTIME, "%s: StarPU has left no trace", trace);
    STARFISH_TRY(check_disk(folder));
    STARFISH_TRY(check_limit(folder));
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        convert(folder, trace);
        _exit(0);
    }
    if (child > 0)
        waitpid(child, &state, 0);
    STARFISH_TRY(check_disk(folder));
    STARFISH_TRY(check_limit(folder));
    if (state == 0)
        return starfish_paje_mend(folder);
    return starfish_fail(STARFISH_ERROR_RUNTIME, "%s: StarPU cannot convert its trace", trace);
#else
    (void)folder;
    return starfish_fail(STARFISH_ERROR_RUNTIME, "this StarPU was built without FxT");
#endif
}

/* ---- Reading copies ---------------------------------------------------------------------------------------------- */

/* Copies that have begun and not ended are those with end < start. */
struct copies {
    struct starfish_copy *copy;
    size_t count;
};

static int is_recorded(const struct starfish_record *record, const char *name)
{
    char traced[STARFISH_TRACED_NAME];
    for (size_t i = 0; i < record->tasks; i++) {
        starfish_task_traced_name(record->task[i].name, traced);
        if (strcmp(traced, name) == 0)
            return 1;
    }
    return 0;
}

/* What must be added to the trace's time, in microseconds, to be the record's; NaN when no task is in both. */
static double offset_of(FILE *tasks, const struct starfish_record *record)
{
    char line[1024], name[256] = "";
    double traced = (double)INFINITY, recorded = (double)INFINITY, time;
    while (fgets(line, sizeof line, tasks)) {
        sscanf(line, "Name: %255[^\n]", name);
        if (sscanf(line, "StartTime: %lf", &time) == 1 && is_recorded(record, name))
            traced = fmin(traced, 1e3 * time);
    }
    for (size_t i = 0; i < record->tasks; i++)
        if (record->task[i].worker >= 0)
            recorded = fmin(recorded, record->task[i].start);
    return isfinite(traced) && isfinite(recorded) ? recorded - traced : (double)NAN;
}

static int begin_copy(struct copies *copies, const struct starfish_copy *copy)
{
    struct starfish_copy *more = realloc(copies->copy, (copies->count + 1) * sizeof *more);
    if (!more)
        return 0;
    copies->copy = more;
    copies->copy[copies->count++] = *copy;
    return 1;
}

static void end_copy(struct copies *copies, unsigned number, unsigned to, double time)
{
    for (size_t i = copies->count; i-- > 0;)
        if (copies->copy[i].number == number && copies->copy[i].end < copies->copy[i].start) {
            copies->copy[i].end = time;
            copies->copy[i].to = to;
            return;
        }
}

/* Lines "24 time type p bytes mmFROM com_NUMBER ..." begin a copy, "19 time type p bytes mmTO com_NUMBER" ends it;
 * times are in milliseconds. */
static int read_copies(FILE *paje, double offset, struct copies *copies)
{
    char line[1024];
    while (fgets(line, sizeof line, paje)) {
        unsigned event, node, number;
        double time;
        size_t bytes;
        if (sscanf(line, "%u %lf %*s %*s %zu mm%u com_%u", &event, &time, &bytes, &node, &number) != 5)
            continue;
        const double now = 1e3 * time + offset;
        const struct starfish_copy copy = {node, 0, number, bytes, now, now - 1};
        if (event == 24 && !begin_copy(copies, &copy))
            return 0;
        if (event == 19)
            end_copy(copies, number, node, now);
    }
    return 1;
}

/* Without those that never ended. */
static size_t whole_copies(struct copies *copies)
{
    size_t kept = 0;
    for (size_t i = 0; i < copies->count; i++)
        if (copies->copy[i].end >= copies->copy[i].start)
            copies->copy[kept++] = copies->copy[i];
    return kept;
}

static FILE *open_in(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return fopen(path, "r");
}

starfish_status starfish_fxt_copies(const char *folder, const struct starfish_record *record,
                                    struct starfish_copy **copies, size_t *count)
{
    struct copies found = {NULL, 0};
    FILE *paje = open_in(folder, "paje.trace"), *tasks = open_in(folder, "tasks.rec");
    const locale_t before = starfish_c_locale_enter();
    int read = 1;
    if (paje && tasks) {
        const double offset = offset_of(tasks, record);
        if (!isnan(offset))
            read = read_copies(paje, offset, &found);
    }
    starfish_c_locale_leave(before);
    if (paje)
        fclose(paje);
    if (tasks)
        fclose(tasks);
    *count = whole_copies(&found);
    *copies = found.copy;
    return STARFISH_OR_FAIL(read, STARFISH_ERROR_MEMORY, "out of memory for the copies of a trace");
}
