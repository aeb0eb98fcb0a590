// A hang in a program with its own main, whose thread ends by pthread_exit: no thread can satisfy what an EDT waits
// for.
//
// clause: hang
// status: 1
// stderr: the program hangs
// stderr: waits on
// stderr: which was never satisfied (ocrEventSatisfy)
// needs: halt
#include "check.h"

#include <extensions/ocr-legacy.h>
#include <pthread.h>

static ocrGuid_t never(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"what it waits for is not satisfied");
    return NULL_GUID;
}

int main(void) {
    ocrConfig_t config = {0, NULL, NULL};
    ocrGuid_t context, event;
    ocrLegacyInit(&context, &config);
    event = event_of(OCR_EVENT_STICKY_T);
    spawn(never, 0, NULL, 1, &event);
    pthread_exit(NULL);
}
