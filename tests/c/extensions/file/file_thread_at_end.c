/* A chunk that a thread of the program destroys while the run ends is written before the program ends. */
// clause: ocr-file.h
// workers: 1 2
#include "file.h"
#include <extensions/ocr-legacy.h>
#include <pthread.h>
#include <stdatomic.h>

static u64 size;
static ocrGuid_t chunk;
static atomic_bool begun;

static void *destroys(void *arg) {
    atomic_store(&begun, true);
    OK(ocrDbDestroy(chunk));
    return arg;
}

static ocrGuid_t fills(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    memset(depv[0].ptr, 'a' + (int)paramv[0], size);
    return NULL_GUID;
}

int main(void) {
    char name[64];
    file_name(name, "file_thread_at_end");
    size = scaled(16 << 20);
    for (u64 round = 0; round < 5; round++) {
        ocrGuid_t context, file, done;
        ocrConfig_t config = {0};
        pthread_t thread;
        ocrLegacyInit(&context, &config);
        OK(ocrFileOpen(&file, name, "w", NULL, 0));
        OK(ocrFileGetChunk(&chunk, file, 0, size));
        OK(ocrFileRelease(file));
        ocrGuid_t edt =
            spawn_with(fills, 1, &round, 1, NULL, EDT_PROP_OEVT_VALID, (done = event_of(OCR_EVENT_STICKY_T), &done));
        link_to(chunk, edt, 0, DB_MODE_EW);
        OK(ocrLegacyBlockProgress(done, NULL, NULL, NULL, LEGACY_PROP_NONE));
        atomic_store(&begun, false);
        CHECK_EQ(pthread_create(&thread, NULL, destroys, NULL), 0);
        while (!atomic_load(&begun))
            sched_yield();
        usleep((useconds_t)(1000 * round));
        ocrShutdown();
        OK(ocrLegacyFinalize(context, true));
        size_t found;
        unsigned char *bytes = read_file(name, &found);
        CHECK_EQ(found, size);
        CHECK_EQ(bytes[0], 'a' + round);
        CHECK(memcmp(bytes, bytes + 1, size - 1) == 0); /* all are as the first */
        free(bytes);
        CHECK_EQ(pthread_join(thread, NULL), 0);
    }
    CHECK_EQ(unlink(name), 0);
    return 0;
}
