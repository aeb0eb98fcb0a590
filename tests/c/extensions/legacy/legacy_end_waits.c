// The run ends while main waits for what was satisfied, but does not come: the data is a block that is divided, a
// part of it, or the event is another one since, on the same label. The wait ends.
//
// clause: ocr-legacy.h
// workers: 1 2
#include "check.h"

#include <extensions/ocr-db-partitioning.h>
#include <extensions/ocr-labeling.h>
#include <extensions/ocr-legacy.h>

enum how { WHOLE, PART, AGAIN, HOWS };

static ocrGuid_t event, block;

static ocrGuid_t satisfies(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrDbPart_t part = {.offset = 0, .size = 512};
    ocrGuid_t again = event;
    if (paramv[0] == AGAIN) {
        /* Main waits for the first one by then, mostly; else for the second, which it gets. */
        usleep(100000);
        OK(ocrEventDestroy(event));
        OK(ocrEventCreate(&again, OCR_EVENT_STICKY_T, GUID_PROP_IS_LABELED));
        OK(ocrEventSatisfy(event, NULL_GUID));
    } else {
        OK(ocrDbPartition(block, 1, &part, 0));
        OK(ocrEventSatisfy(event, paramv[0] == PART ? part.guid : block));
    }
    ocrShutdown();
    return NULL_GUID;
}

static void run(int argc, char **argv, u64 how) {
    ocrConfig_t config;
    ocrGuid_t context, range, data;
    void *address = NULL;
    u64 size = 0;
    ocrParseArgs(argc, (const char **)argv, &config);
    ocrLegacyInit(&context, &config);
    block = block_of(4096, &address);
    OK(ocrDbRelease(block));
    OK(ocrGuidRangeCreate(&range, 2, GUID_USER_EVENT_STICKY));
    OK(ocrGuidFromIndex(&event, range, 0));
    OK(ocrEventCreate(&event, OCR_EVENT_STICKY_T, GUID_PROP_IS_LABELED | EVT_PROP_TAKES_ARG));
    spawn(satisfies, 1, &how, 0, NULL);
    const u8 answer = ocrLegacyBlockProgress(event, &data, &address, &size, LEGACY_PROP_NONE);
    /* A part may have its content by then, and main may wait for the second event. */
    if (answer != 0 || how == WHOLE)
        CHECK_EQ(answer, OCR_ECANCELED);
    CHECK_EQ(ocrLegacyFinalize(context, true), 0);
}

int main(int argc, char **argv) {
    for (u64 how = 0; how < HOWS; how++)
        run(argc, argv, how);
    return 0;
}
