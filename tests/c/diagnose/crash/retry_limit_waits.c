/* Time in which an EDT waits for an event does not count to its time limit (OCR_TIME_LIMIT): it waits for EDTs that
 * take more than twice the limit together, and each of them less. */
// clause: crash
// env: OCR_TIME_LIMIT=1
// workers: 2
// stdout-lines: 1 waited
#include "crash.h"

#include <extensions/ocr-legacy.h>
#include <time.h>

#define STEPS 6

static ocrGuid_t event;

/* Takes 0.4 s, and then the next one does. */
static ocrGuid_t takes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    nanosleep(&(struct timespec){.tv_nsec = 400000000}, NULL);
    if (paramv[0] == STEPS) {
        OK(ocrEventSatisfy(event, NULL_GUID));
    } else {
        spawn(takes, 1, (u64[1]){paramv[0] + 1}, 0, NULL);
    }
    return NULL_GUID;
}

static ocrGuid_t waits(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    spawn(takes, 1, (u64[1]){1}, 0, NULL);
    CHECK(ocrGuidIsNull(ocrWait(event)));
    ocrPrintf("waited\n");
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    event = event_of(OCR_EVENT_STICKY_T);
    spawn(waits, 0, NULL, 0, NULL);
    return NULL_GUID;
}
