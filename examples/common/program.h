/* What the larger examples share: ending with a message, a clock, an index space, what a run prints of itself, and
 * options of the command line.
 *
 * A file that includes this one defines PROGRAM, the name that messages begin with, and _POSIX_C_SOURCE (200809L or
 * more); and MEMORY_ADVICE, if a user can do something against a lack of memory. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <ocr.h>
#include <extensions/ocr-stats.h>
#include <extensions/ocr-variants.h>

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef MEMORY_ADVICE
#define MEMORY_ADVICE ""
#endif

static inline double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static inline u64 least(u64 x, u64 y) {
    return x < y ? x : y;
}

/* Says what happened, and ends the program with status 1. */
static inline void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, PROGRAM ": ");
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    ocrAbort(1);
}

/* For calls that fail only when memory runs out; there is no going on then. */
static inline void must(u8 status, const char *call) {
    if (status != 0) {
        fail("%s failed with status %u; is there enough memory?" MEMORY_ADVICE, call, status);
        _Exit(1); /* if ocrAbort returns */
    }
}
#define MUST(call) must((call), #call)

/* Whether all that was printed has been written; if not, says so, and ends the program. */
static inline bool isWritten(void) {
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    fail("the output cannot be written: %s", strerror(errno));
    return false;
}

/* A CPU device does all of an EDT with one work-item. */
static inline void rangeOneItem(u32 paramc, const u64 *paramv, u32 depc, const u64 *depSizes, ocrNdRange_t *range) {
    (void)paramc, (void)paramv, (void)depc, (void)depSizes;
    range->workDim = 1;
    range->globalSize[0] = range->localSize[0] = 1;
}

/* Prints where EDTs have run so far, what was copied, and under which policy. */
static inline void printRan(void) {
    ocrStats_t stats = { 0 };
    ocrStatsGet(&stats);
    ocrPrintf("function_edts: %" PRIu64 "\n", stats.functionEdts);
    ocrPrintf("kernel_edts: %" PRIu64 "\n", stats.kernelEdts);
    ocrPrintf("bytes_to_devices: %" PRIu64 "\n", stats.bytesToDevices);
    ocrPrintf("bytes_from_devices: %" PRIu64 "\n", stats.bytesFromDevices);
    ocrPrintf("policy: %s\n", ocrPolicyName());
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

/* The value of an option, in `--name=value` or in the next argument. *is: argument i is that option. NULL if it is not,
 * or if the value is missing. */
static inline const char *optionValue(void *arguments, u64 *i, const char *name, bool *is) {
    const char *argument = ocrGetArgv(arguments, *i);
    const size_t length = strlen(name);
    *is = strncmp(argument, name, length) == 0 && (argument[length] == '\0' || argument[length] == '=');
    if (!*is)
        return NULL;
    if (argument[length] == '=')
        return argument + length + 1;
    return *i + 1 < ocrGetArgc(arguments) ? ocrGetArgv(arguments, ++*i) : NULL;
}

/* A whole number from `smallest` to `largest`; NULL is no number. After `false` the program has been ended. */
static inline bool optionNumber(const char *name, const char *text, u64 smallest, u64 largest, u64 *value) {
    char *end = NULL;
    errno = 0;
    const unsigned long long number = text != NULL ? strtoull(text, &end, 10) : 0;
    if (text == NULL || text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || number < smallest ||
        number > largest) {
        fail("%s %s: give a whole number from %" PRIu64 " to %" PRIu64, name, text != NULL ? text : "(nothing)",
             smallest, largest);
        return false;
    }
    *value = number;
    return true;
}

#endif
