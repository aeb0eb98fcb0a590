/* Threads of the program that come and go, and call the runtime: memory stays level, and what they have done counts. */
// clause: ocr-legacy.h
#include "check.h"

#include <extensions/ocr-legacy.h>
#include <extensions/ocr-stats.h>
#include <pthread.h>

enum { AT_ONCE = 20 };

static ocrGuid_t context, template;
static bool waits;

static ocrGuid_t job(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static void *calls(void *unused) {
    if (waits) {
        ocrGuid_t handle, none[1] = {UNINITIALIZED_GUID};
        OK(ocrLegacySpawnOCR(&handle, template, 0, NULL, 1, none, context));
        OK(ocrLegacyBlockProgress(handle, NULL, NULL, NULL, LEGACY_PROP_NONE));
        OK(ocrEventDestroy(handle));
        return unused;
    }
    void *address;
    const ocrGuid_t block = block_of(100, &address);
    memset(address, 1, 100);
    OK(ocrDbDestroy(block));
    return unused;
}

static void in_threads(u64 count) {
    for (u64 i = 0; i < count; i += AT_ONCE) {
        pthread_t threads[AT_ONCE];
        for (int at = 0; at < AT_ONCE; at++)
            CHECK_EQ(pthread_create(&threads[at], NULL, calls, NULL), 0);
        for (int at = 0; at < AT_ONCE; at++)
            CHECK_EQ(pthread_join(threads[at], NULL), 0);
    }
}

int main(void) {
    const u64 count = scaled(4000);
    ocrConfig_t config = {0, NULL, NULL};
    ocrStats_t stats;
    ocrLegacyInit(&context, &config);
    OK(ocrEdtTemplateCreate(&template, job, 0, 1));
    for (int kind = 0; kind < 2; kind++) {
        waits = kind == 1;
        in_threads(count / 4);
        const u64 before = resident_kib();
        in_threads(count);
        // 500 bytes of each would be two MiB.
        CHECK(grown_less(before, 1024));
    }
    OK(ocrStatsGet(&stats));
    CHECK(stats.functionEdts >= count);
    ocrShutdown();
    OK(ocrLegacyFinalize(context, true));
    return 0;
}
