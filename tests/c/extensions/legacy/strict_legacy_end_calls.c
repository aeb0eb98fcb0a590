// Strict mode, with a main of the program's own: threads of the program go on creating and destroying while main ends
// the run and strict mode looks at what is left. They are refused then, and the next run begins.
//
// clause: ocr-legacy.h
// env: OCR_CHECK=strict
// stdout: it has ended
// workers: 1 2
#include "check.h"

#include <extensions/ocr-legacy.h>
#include <pthread.h>
#include <stdatomic.h>

enum { RUNS = 40, THREADS = 3, SLOTS = 40 };

static atomic_bool stop;
static ocrGuid_t template;

static ocrGuid_t nothing(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

/* EDTs with pre-slots in an allocation of their own, or blocks that are large enough to be looked at for a while. */
static void *calls(void *blocks) {
    while (!atomic_load(&stop)) {
        ocrGuid_t guid;
        void *address;
        u8 refused;
        if (blocks != NULL)
            refused = ocrDbCreate(&guid, &address, 100000, DB_PROP_NONE, NULL_HINT, NO_ALLOC) || ocrDbDestroy(guid);
        else
            refused = ocrEdtCreate(&guid, template, 0, NULL, SLOTS, NULL, EDT_PROP_NONE, NULL_HINT, NULL) ||
                      ocrEdtDestroy(guid);
        if (refused)
            usleep(50);
    }
    return NULL;
}

int main(int argc, char **argv) {
    for (int run = 0; run < (small_run() ? 4 : RUNS); run++) {
        ocrConfig_t config;
        ocrGuid_t context;
        pthread_t threads[THREADS];
        ocrParseArgs(argc, (const char **)argv, &config);
        ocrLegacyInit(&context, &config);
        OK(ocrEdtTemplateCreate(&template, nothing, 0, SLOTS));
        atomic_store(&stop, false);
        for (int i = 0; i < THREADS; i++)
            CHECK_EQ(pthread_create(&threads[i], NULL, calls, run % 2 == 0 ? &context : NULL), 0);
        usleep(3000);
        CHECK_EQ(ocrLegacyFinalize(context, false), 0);
        atomic_store(&stop, true);
        for (int i = 0; i < THREADS; i++)
            CHECK_EQ(pthread_join(threads[i], NULL), 0);
    }
    puts("it has ended");
    return 0;
}
