/* What the programs with a known cause share. */
#include <extensions/ocr-variants.h>
#include <ocr.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Runs a program of `kinds.c`. False where it has none of that name. */
bool runKind(const char *name, bool isControl);

static double nowMs(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static inline void spin(double ms) {
    for (double end = nowMs() + ms; nowMs() < end;) {
    }
}

/* Computes for about so many milliseconds on a quiet machine, and longer on a busy one. */
static inline void compute(double ms) {
    static volatile unsigned result;
    unsigned value = 1;
    for (long i = 0; i < (long)(ms * 400000); i++) {
        value = value * 1664525u + 1013904223u + (value >> 16);
    }
    result = value;
}

#define EDT(name) static inline ocrGuid_t name(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
EDT(stopEdt) {
    ocrShutdown();
    return NULL_GUID;
}

/* Computes for the microseconds of its parameter. */
EDT(computeEdt) {
    compute(paramv[0] / 1e3);
    return NULL_GUID;
}
