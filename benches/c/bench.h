/* What the microbenchmarks share: a clock, checked calls, and the frame that all of them have.
 *
 * A benchmark times itself and prints a line `key: value` for each figure, in nanoseconds unless the key says
 * otherwise; `cargo bench` reads these lines (benches/support/mod.rs). Sizes are arguments: the more EDTs, the less
 * starting and ending weigh. Times begin when the first EDT of the measured part runs and end when an EDT runs that
 * depends on all of it, so that starting the runtime and ending it are in no figure.
 *
 * Some benchmarks run their graph twice. The first time, the process gets the memory for it from the system, page by
 * page; the second time (`ns_again`) the memory is there.
 *
 * State is in static variables, for brevity: every access is ordered by the graph. */
#ifndef BENCH_H
#define BENCH_H

#define _POSIX_C_SOURCE 200809L

#include <ocr.h>
#include <extensions/ocr-stats.h>

#include "clock.h"

#define UNUSED (void)paramc, (void)paramv, (void)depc, (void)depv

static inline void must(u8 status, const char *call) {
    if (status != 0) {
        fprintf(stderr, "benchmark: %s failed with status %u\n", call, status);
        _Exit(1);
    }
}
#define MUST(call) must((call), #call)

static inline void expect(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "benchmark: this does not hold: %s\n", what);
        _Exit(1);
    }
}
#define EXPECT(condition) expect((condition), #condition)

static inline void figure(const char *key, double value) {
    ocrPrintf("%s: %.9g\n", key, value);
}

/* The number that is argument `index` of the program, or `otherwise`. */
static inline u64 sizeArgument(ocrEdtDep_t depv[], u64 index, u64 otherwise) {
    if (ocrGetArgc(depv[0].ptr) <= index)
        return otherwise;
    const u64 size = strtoull(ocrGetArgv(depv[0].ptr, index), NULL, 10);
    EXPECT(size > 0);
    return size;
}

static inline ocrGuid_t template(ocrEdt_t function, u32 paramc, u32 depc) {
    ocrGuid_t guid;
    MUST(ocrEdtTemplateCreate(&guid, function, paramc, depc));
    return guid;
}

/* Runs `scope` as a finish EDT, and `after` when it and all its descendants have ended. */
static inline void runScope(ocrEdt_t scope, ocrEdt_t after) {
    ocrGuid_t first, last, ended;
    MUST(ocrEdtCreate(&first, template(scope, 0, 1), EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_FINISH,
                      NULL_HINT, &ended));
    MUST(ocrEdtCreate(&last, template(after, 0, 1), EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, &ended, EDT_PROP_NONE,
                      NULL_HINT, NULL));
    MUST(ocrAddDependence(NULL_GUID, first, 0, DB_MODE_NULL));
}

/* That every EDT of the benchmark has run: `edts`, and the few of the frame. */
static inline void expectEdts(u64 edts) {
    ocrStats_t stats;
    MUST(ocrStatsGet(&stats));
    EXPECT(stats.functionEdts >= edts && stats.functionEdts <= edts + 8);
}

#endif
