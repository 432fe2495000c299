/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fault injection: every case (cases.h) is run once for every call in it that may fail (calls.h), and that call fails.
 * It held where the case then reports an error with a message, or a right answer, and leaves nothing behind; it did not
 * where it ends the process, hangs, calls a wrong answer solved, or leaks.
 *
 *     PROGRAM [--case NAME] [--first N] [--step N] [--last N] [--seconds S] [--verbose] [--list]
 *
 * The cases run in a second process, which the first one watches: where it dies or hangs, that is counted, and another
 * one goes on with the next call. With --step K only every K-th call fails, beginning at another one in each case. With
 * --seconds S each case has its share of that time, in which calls from all over it fail. A case's line is printed when
 * it is done.
 * Exit status: 0 all held; 1 not; 2 wrong use; 77 no device where one is needed. */
#include "tests/faults/calls.h"
#include "tests/faults/cases.h"
#include "tests/faults/kind.h"

#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NO_PROGRESS_S = 30, LESS_PROGRESS_S = 6, SETTLE_MS = 2000, NO_DEVICE = 77 };

enum outcome { REFUSED, SOLVED, WRONG, MUTE, LEAKED, DIED, HUNG, OUTCOMES };
static const char *const outcome_name[OUTCOMES] = {"refused", "solved", "wrong answers", "without a message",
                                                   "leaked",  "died",   "hung"};

enum { MOST_CASES = 64 };

struct tally {
    atomic_long calls; /* that may fail */
    atomic_long outcome[OUTCOMES];
    atomic_int tried;
};

/* Seen by both processes. */
struct progress {
    atomic_size_t number; /* of the case */
    atomic_long at;       /* the call that fails now; 0: none yet */
    struct tally tally[MOST_CASES];
};

struct request {
    const char *name;
    long first, step, last;
    double end; /* of the time, by seconds(); 0: no limit */
    int verbose;
};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void sleep_ms(long ms)
{
    const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

/* ---- What is printed --------------------------------------------------------------------------------------------- */

static long total(const long outcome[OUTCOMES])
{
    return outcome[REFUSED] + outcome[SOLVED] + outcome[DIED] + outcome[HUNG];
}

static void print(const char *name, long calls, const long outcome[OUTCOMES])
{
    printf("%-18s %6ld calls, %6ld failed:", name, calls, total(outcome));
    for (int o = 0; o < OUTCOMES; o++)
        if (outcome[o] > 0 || o == REFUSED || o == SOLVED)
            printf(" %ld %s%s", outcome[o], outcome_name[o], o == REFUSED ? "," : "");
    printf("\n");
}

static void print_case(const char *name, struct tally *tally)
{
    long outcome[OUTCOMES];
    for (int o = 0; o < OUTCOMES; o++)
        outcome[o] = atomic_load(&tally->outcome[o]);
    print(name, atomic_load(&tally->calls), outcome);
    fflush(stdout);
}

/* ---- One case, in the second process ----------------------------------------------------------------------------- */

static struct faults_result result, expected;

static void add(struct progress *progress, enum outcome outcome)
{
    atomic_fetch_add(&progress->tally[atomic_load(&progress->number)].outcome[outcome], 1);
}

static starfish_status run(const struct faults_case *c, starfish_context *context)
{
    result.count = 0;
    faults_clear();
    return c->run(context, c->details, &result);
}

/* The runtime releases a task after it has told that it is done. */
static int leaks(long blocks, long data)
{
    for (int ms = 0; ms < SETTLE_MS && (faults_blocks() > blocks || faults_data() > data); ms++)
        sleep_ms(1);
    return faults_blocks() > blocks || faults_data() > data;
}

static void judge(const struct faults_case *c, starfish_status status, long number, struct progress *progress)
{
    const double difference = status == STARFISH_SUCCESS ? faults_difference(&result, &expected) : 0;
    add(progress, status != STARFISH_SUCCESS ? REFUSED : SOLVED);
    if (!(difference <= c->tolerance)) {
        add(progress, WRONG);
        printf("%s: call %ld, %s, failed: solved, but %g off\n", c->name, number, faults_failed(), difference);
    }
    if (status != STARFISH_SUCCESS && !*starfish_error_message()) {
        add(progress, MUTE);
        printf("%s: call %ld, %s, failed: %s without a message\n", c->name, number, faults_failed(),
               starfish_status_name(status));
    }
}

/* Whether there are calls beyond. */
static int fail_one(const struct faults_case *c, starfish_context *context, long number, int verbose,
                    struct progress *progress)
{
    const long blocks = faults_blocks(), data = faults_data();
    atomic_store(&progress->at, number);
    faults_choose(number);
    const starfish_status status = run(c, context);
    const long calls = faults_end();
    atomic_long *const most = &progress->tally[atomic_load(&progress->number)].calls;
    if (calls > atomic_load(most))
        atomic_store(most, calls);
    if (!faults_failed())
        return 0;
    judge(c, status, number, progress);
    if (verbose)
        printf("%s: call %ld, %s, failed: %s%s%s\n", c->name, number, faults_failed(), starfish_status_name(status),
               status != STARFISH_SUCCESS ? ": " : "", status != STARFISH_SUCCESS ? starfish_error_message() : "");
    if (leaks(blocks, data)) {
        add(progress, LEAKED);
        printf("%s: call %ld, %s, failed: %ld blocks and %ld data are left\n", c->name, number, faults_failed(),
               faults_blocks() - blocks, faults_data() - data);
    }
    return 1;
}

enum readiness { READY, NOT_HERE, FAILED };

/* The first runs fill what libraries keep for good, and find that nothing leaks where nothing fails; where time is
 * short, two. NOT_HERE: these workers cannot do it. */
static enum readiness prepare(const struct faults_case *c, const struct request *request, starfish_context *context)
{
    const int turns = request->end > 0 ? 2 : 3;
    for (int turn = 0; turn < turns; turn++) {
        const long blocks = faults_blocks(), data = faults_data();
        const starfish_status status = run(c, context);
        if (status == STARFISH_ERROR_UNSUPPORTED)
            return NOT_HERE;
        if (status != STARFISH_SUCCESS) {
            printf("%s: without a failure: %s\n", c->name, starfish_error_message());
            return FAILED;
        }
        if (turn > 0 && leaks(blocks, data)) {
            printf("%s: without a failure, %ld blocks and %ld data are left\n", c->name, faults_blocks() - blocks,
                   faults_data() - data);
            return FAILED;
        }
    }
    expected = result;
    return READY;
}

/* From that call of that case on; a case that has a context of its own needs that there is no other. */
struct start {
    size_t number;
    long call;
};

static int is_asked_for(const struct request *request, const struct faults_case *c)
{
    return !request->name || strcmp(request->name, c->name) == 0;
}

/* How many calls there are that may fail. */
static long count_calls(const struct faults_case *c, starfish_context *context)
{
    faults_choose(LONG_MAX);
    run(c, context);
    return faults_end();
}

/* Cases that are still to come, this one too. */
static int cases_left(const struct request *request, size_t number)
{
    int left = 0;
    for (size_t i = number; faults_case(i); i++)
        left += is_asked_for(request, faults_case(i));
    return left;
}

/* Calls from all over the case: steps of the golden section come near to every one. */
static void fail_some(const struct faults_case *c, const struct request *request, starfish_context *context,
                      struct progress *progress)
{
    const double golden = 0.6180339887498949, now = seconds();
    const double end = now + fmax(0, request->end - now) / cases_left(request, atomic_load(&progress->number));
    const long calls = count_calls(c, context);
    double at = 0;
    for (long turn = 0; turn < calls && (turn == 0 || seconds() < end); turn++) {
        at += golden;
        at -= floor(at);
        fail_one(c, context, 1 + (long)(at * (double)calls), request->verbose, progress);
    }
}

static int run_case(const struct faults_case *c, const struct request *request, long first, starfish_context *context,
                    struct progress *progress)
{
    atomic_store(&progress->at, 0);
    const enum readiness readiness = prepare(c, request, context);
    if (readiness != READY)
        return readiness == NOT_HERE;
    atomic_store(&progress->tally[atomic_load(&progress->number)].tried, 1);
    if (request->end > 0) {
        fail_some(c, request, context, progress);
        return 1;
    }
    for (long call = first; call <= request->last; call += request->step)
        if (!fail_one(c, context, call, request->verbose, progress))
            break;
    return 1;
}

static long first_call(const struct request *request, size_t number)
{
    return request->first + (long)number % request->step;
}

static starfish_status prepare_context(const struct faults_case *c, starfish_context **context)
{
    if (c->own_context) {
        starfish_context_destroy(*context);
        *context = NULL;
        return STARFISH_SUCCESS;
    }
    return *context ? STARFISH_SUCCESS : starfish_context_create(context, &faults_context_options);
}

/* The exit status. */
static int run_cases(const struct request *request, struct start start, struct progress *progress)
{
    starfish_context *context = NULL;
    const struct faults_case *c;
    int failed = 0;
    for (size_t i = start.number; (c = faults_case(i)) != NULL; i++) {
        if (!is_asked_for(request, c))
            continue;
        if (prepare_context(c, &context) != STARFISH_SUCCESS) {
            printf("no context: %s\n", starfish_error_message());
            return faults_needs_device ? NO_DEVICE : 1;
        }
        atomic_store(&progress->number, i);
        if (i == start.number)
            printf("from case %s, call %ld on\n", c->name, start.call);
        failed |= !run_case(c, request, i == start.number ? start.call : first_call(request, i), context, progress);
        if (atomic_load(&progress->tally[i].tried))
            print_case(c->name, &progress->tally[i]);
        if (request->end > 0 && seconds() > request->end)
            break;
    }
    starfish_context_destroy(context);
    return failed;
}

/* ---- The process that watches ------------------------------------------------------------------------------------ */

/* Making the first context may take long: the runtime measures links. */
static int watch(pid_t child, const struct request *request, const struct progress *progress, int *status)
{
    long at = -1;
    long most_ms = NO_PROGRESS_S * 1000L;
    for (long quiet_ms = 0; quiet_ms < most_ms; quiet_ms += 2) {
        if (waitpid(child, status, WNOHANG) == child)
            return 1;
        const long now = atomic_load(&progress->at) + 1000000 * (long)atomic_load(&progress->number);
        if (now != at)
            quiet_ms = 0;
        at = now;
        most_ms = 1000L * (request->end > 0 && atomic_load(&progress->at) > 0 ? LESS_PROGRESS_S : NO_PROGRESS_S);
        sleep_ms(2);
    }
    kill(child, SIGKILL);
    waitpid(child, status, 0);
    return 0;
}

/* The exit status of the process; -1 where it did not come to its end. */
static int run_process(const struct request *request, struct start start, struct progress *progress)
{
    int status;
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0)
        return 1;
    if (child == 0) {
        const int code = run_cases(request, start, progress);
        fflush(NULL);
        exit(code);
    }
    const int ended = watch(child, request, progress, &status);
    if (ended && WIFEXITED(status))
        return WEXITSTATUS(status);
    add(progress, ended ? DIED : HUNG);
    printf("%s: call %ld failed: the process %s %d\n", faults_case(atomic_load(&progress->number))->name,
           atomic_load(&progress->at), ended ? "died by signal" : "hung and was killed by signal", WTERMSIG(status));
    return -1;
}

/* Where the next process begins. */
static struct start behind(const struct request *request, const struct progress *progress)
{
    const struct start here = {atomic_load(&progress->number), atomic_load(&progress->at) + request->step};
    /* Which calls failed before is not known: a case that has had one that ended the process is done. */
    const struct start next = {here.number + 1, first_call(request, here.number + 1)};
    return atomic_load(&progress->at) > 0 && request->end == 0 ? here : next;
}

/* Whether all held. */
static int report(struct progress *progress)
{
    long sum[OUTCOMES] = {0}, calls = 0, bad = 0;
    for (size_t i = 0; faults_case(i); i++) {
        struct tally *tally = &progress->tally[i];
        long outcome[OUTCOMES];
        for (int o = 0; o < OUTCOMES; o++) {
            outcome[o] = atomic_load(&tally->outcome[o]);
            sum[o] += outcome[o];
            bad += o >= WRONG ? outcome[o] : 0;
        }
        calls += atomic_load(&tally->calls);
    }
    print("all", calls, sum);
    return bad == 0 && total(sum) > 0;
}

static int try_all(const struct request *request)
{
    struct progress *progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct start start = {0, first_call(request, 0)};
    int code;
    if (progress == MAP_FAILED)
        return 1;
    while ((code = run_process(request, start, progress)) < 0)
        start = behind(request, progress);
    if (code == NO_DEVICE)
        return NO_DEVICE;
    if (code != 0)
        printf("the process that ran the cases ended with %d\n", code);
    const int held = report(progress) && code == 0;
    printf("%s\n", held ? "all held" : "FAILED");
    return !held;
}

/* ---- The command line -------------------------------------------------------------------------------------------- */

static int list(void)
{
    for (size_t i = 0; faults_case(i); i++)
        printf("%s\n", faults_case(i)->name);
    return 0;
}

static int wrong_use(const char *argument)
{
    fprintf(stderr,
            "%s: not an option; [--case NAME] [--first N] [--step N] [--last N] [--seconds S] [--verbose] "
            "[--list]\n",
            argument);
    return 2;
}

int main(int count, char **arguments)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    struct request request = {.first = 1, .step = 1, .last = 1000000};
    for (int i = 1; i < count && arguments[i]; i++) {
        const char *value = i + 1 < count ? arguments[i + 1] : NULL;
        long *const number = strcmp(arguments[i], "--first") == 0  ? &request.first
                             : strcmp(arguments[i], "--step") == 0 ? &request.step
                             : strcmp(arguments[i], "--last") == 0 ? &request.last
                                                                   : NULL;
        if (strcmp(arguments[i], "--list") == 0)
            return list();
        if (strcmp(arguments[i], "--seconds") == 0 && value && atof(value) > 0) {
            request.end = seconds() + atof(value);
            i++;
            continue;
        }
        if (strcmp(arguments[i], "--verbose") == 0)
            request.verbose = 1;
        else if (number && value && (*number = atol(value)) > 0)
            i++;
        else if (strcmp(arguments[i], "--case") == 0 && value && faults_case_named(value))
            request.name = arguments[++i];
        else
            return wrong_use(arguments[i]);
    }
    return try_all(&request);
}
