/*
 * check.h - what the OCR programs in the folders beside it share.
 *
 * A program passes by ending with status 0. A check that fails names its file and line on the
 * standard error and ends the program with status 1, from whatever EDT it is in.
 *
 * The harness (tests/c_programs.rs) reads lines `// key: value` from the top of each program:
 *   clause:        what the program shows: clauses of OCR 1.1.0, headers of extensions (ocr-file.h), or one of hang,
 *                  crash, leak, process and application; split at blanks. docs/clauses.md lists them
 *   deviates:      clauses of OCR 1.1.0 of which it shows that the runtime differs from the text, or what it does where
 *                  the text leaves something open; the guide's chapter about OCR 1.1.0 lists each, and nothing else
 *   misuse:        the IDs of the rules that strict mode says it breaks, which the standard error has then; split at
 *                  blanks. docs/rules.md lists them. A program has one of these two at least
 *   args:          command line arguments, split at blanks
 *   status:        expected exit status, a number or `nonzero` (a signal counts); default 0
 *   stdout:        text that the standard output contains; may be given several times
 *   stdout-lines:  N TEXT: exactly N lines of the standard output are TEXT
 *   stderr:        text that the standard error contains; may be given several times
 *   stderr-without: text that it does not contain; may be given several times
 *   env:           NAME=VALUE; may be given several times
 *   revisions:     how the program is run, of `plain` and `strict`: it is compiled once, and is a test in each of them.
 *                  The revision `strict` has OCR_CHECK=strict; `plain` is as programs are that name none
 *   workers:       worker counts to run with; default 1 2 8, and 2 alone where the status is not 0 and mainEdt is the
 *                  only EDT
 *   needs:         opencl: the program launches kernels; halt: the runtime has to find that it hangs, which it
 *                  does not say where the process has threads of somebody else's; signals: it crashes on purpose, or a
 *                  process that it forks ends in the midst of its parent's run, which memcheck and the sanitizers take
 *                  for a mistake. May be given several times
 *   unordered:     why the program is right though nothing orders some of its EDTs, which `ocr check` takes for a race.
 *                  The recorded run with the fewest workers has to show one
 *   once:          why its EDTs cannot run twice, the first time undone (OCR_RETRY=verify): it is not run so
 *   one-node:      why it cannot run on several nodes, with EDTs on each in turn (OCR_TEST_NODES): it is not run so
 * What only the OpenCL implementation at hand can tell, a program asks while it runs, and says NOT_RUN if the answer is
 * no: the harness then counts it as ignored and shows why. OCR_TEST_ALL=1 makes that a failure.
 * Another single lower-case word as the key is an error; other comments with a colon are prose.
 * Any of these lines but `revisions:` may hold for one revision alone: `// [strict] status: 1`. It is added to what
 * holds for all, and replaces it where there can be one value only.
 * A file NAME.expected-output beside it is the whole of the standard output. A file NAME.stderr is the whole of the
 * standard error, a snapshot, in which GUIDs, addresses, times, paths, and numbers of threads and processes are
 * placeholders: the same value has the same one, `<GUID 1>`. NAME.strict.stderr is that of one revision. OCR_BLESS=1
 * writes both anew; an empty file makes the first.
 */
#ifndef CHECK_H
#define CHECK_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include <ocr.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Ends the program with status 1; ocrAbort may return to its caller (2.3.2), this does not. */
static inline void check_fail(const char *file, int line, const char *what) {
    fprintf(stderr, "%s:%d: check failed: %s\n", file, line, what);
    fflush(stderr);
    ocrAbort(1);
    _exit(1);
}

static inline void check_eq(const char *file, int line, const char *what, long long got, long long want) {
    if (got != want) {
        char text[512];
        snprintf(text, sizeof text, "%.400s: got %lld, want %lld", what, got, want);
        check_fail(file, line, text);
    }
}

#define CHECK(cond) ((cond) ? (void)0 : check_fail(__FILE__, __LINE__, #cond))
#define CHECK_EQ(got, want) check_eq(__FILE__, __LINE__, #got " == " #want, (long long)(got), (long long)(want))
/* What the program needs is not there. No object has to be destroyed before. */
static inline void not_run(const char *why) {
    fflush(stdout);
    fprintf(stderr, "not run: %s\n", why);
    fflush(stderr);
    _exit(77);
}

#define NOT_RUN(why) not_run(why)
/* The call succeeds. */
#define OK(call) check_eq(__FILE__, __LINE__, #call, (call), 0)
/* The call is refused with this code. */
#define REFUSED(code, call) check_eq(__FILE__, __LINE__, #call " -> " #code, (call), (code))

/* Whether it is the strict revision, in which a wrong call ends the program. */
static inline bool is_strict(void) {
    const char *check = getenv("OCR_CHECK");
    return check != NULL && strcmp(check, "strict") == 0;
}

/* Sizes shrink under instrumented runs, where each step costs tens of times as much. */
static inline bool small_run(void) { return getenv("OCR_TEST_SMALL") != NULL; }
static inline u64 scaled(u64 full) { return small_run() && full > 1000 ? full / 100 + 10 : full; }

static inline ocrGuid_t template_of(ocrEdt_t function, u32 paramc, u32 depc) {
    ocrGuid_t guid;
    OK(ocrEdtTemplateCreate(&guid, function, paramc, depc));
    CHECK(!ocrGuidIsNull(guid));
    return guid;
}

/* An EDT of a template. Pre-slots without depv stay open. */
static inline ocrGuid_t edt_of(ocrGuid_t tmpl, u32 paramc, u64 *paramv, u32 depc, ocrGuid_t *depv, u16 flags,
                               ocrGuid_t *output) {
    ocrGuid_t guid;
    OK(ocrEdtCreate(&guid, tmpl, paramc, paramv, depc, depv, flags, NULL_HINT, output));
    return guid;
}

/* An EDT of a template that lives for this call only (2.7.2 allows it). */
static inline ocrGuid_t spawn_with(ocrEdt_t function, u32 paramc, u64 *paramv, u32 depc, ocrGuid_t *depv, u16 flags,
                                   ocrGuid_t *output) {
    ocrGuid_t tmpl = template_of(function, paramc, depc);
    ocrGuid_t guid = edt_of(tmpl, paramc, paramv, depc, depv, flags, output);
    OK(ocrEdtTemplateDestroy(tmpl));
    return guid;
}

static inline ocrGuid_t spawn(ocrEdt_t function, u32 paramc, u64 *paramv, u32 depc, ocrGuid_t *depv) {
    return spawn_with(function, paramc, paramv, depc, depv, EDT_PROP_NONE, NULL);
}

static inline ocrGuid_t event_of(ocrEventTypes_t type) {
    ocrGuid_t guid;
    OK(ocrEventCreate(&guid, type, EVT_PROP_TAKES_ARG));
    CHECK(!ocrGuidIsNull(guid));
    return guid;
}

/* A data block that this EDT has acquired; its address goes to *addr. */
static inline ocrGuid_t block_of(u64 size, void **addr) {
    ocrGuid_t guid;
    OK(ocrDbCreate(&guid, addr, size, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    CHECK(!ocrGuidIsNull(guid));
    CHECK(*addr != NULL);
    return guid;
}

/* A released block of one number, for EDTs to find. */
static inline ocrGuid_t block_with(u64 value) {
    void *addr;
    ocrGuid_t guid = block_of(sizeof(u64), &addr);
    memcpy(addr, &value, sizeof value);
    OK(ocrDbRelease(guid));
    return guid;
}

static inline u64 number_in(ocrEdtDep_t dep) {
    CHECK(!ocrGuidIsNull(dep.guid));
    CHECK(dep.ptr != NULL);
    return *(u64 *)dep.ptr;
}

static inline void link_to(ocrGuid_t source, ocrGuid_t destination, u32 slot, ocrDbAccessMode_t mode) {
    OK(ocrAddDependence(source, destination, slot, mode));
}

/* The last EDT of a program: its slots are what has to happen before. */
static inline ocrGuid_t end_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrShutdown();
    return NULL_GUID;
}

static inline ocrGuid_t end_after(u32 depc) { return spawn(end_edt, 0, NULL, depc, NULL); }

static inline double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Takes a core until a clock has gone on by `ns` nanoseconds. */
static inline void busy_by(clockid_t clock, long ns) {
    struct timespec begin, now;
    clock_gettime(clock, &begin);
    do {
        clock_gettime(clock, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec - begin.tv_nsec < ns);
}

/* Gives other EDTs a chance to run: a yield now and then a nap, as cores may be fewer than workers. */
static inline void breathe(void) {
    struct timespec nap = {0, 20000};
    sched_yield();
    nanosleep(&nap, NULL);
}

/* xorshift64*: the same sequence everywhere. The state is any number but 0. */
static inline u64 next_random(u64 *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 2685821657736338717u;
}

/* Resident memory of the process in KiB, without the files that are mapped, as the recording of the run. */
static inline u64 resident_kib(void) {
    unsigned long total = 0, resident = 0, files = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL);
    CHECK_EQ(fscanf(file, "%lu %lu %lu", &total, &resident, &files), 3);
    fclose(file);
    return (u64)(resident - files) * (u64)sysconf(_SC_PAGESIZE) / 1024;
}

/* Whether resident memory has grown by less than that since it was so much. Instruments have memory of their own. */
static inline bool grown_less(u64 since, u64 kib) { return small_run() || resident_kib() < since + kib; }

#endif
