/*
 * Strict mode: at the end of an EDT the runtime looks at what it has released, here for a while. Who destroys the block
 * meanwhile, behind an event, and creates another on its label finds the label free, and the new block is another one.
 */
// clause: 2.5.3 B.2.3
// env: OCR_CHECK=strict
// workers: 2 8
#include "check.h"
#include <extensions/ocr-labeling.h>

enum { TIMES = 4 };

static ocrGuid_t label, event;
static int times;

static void begins(void);

static ocrGuid_t uses(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(u64 *)depv[0].ptr = 3;
    OK(ocrDbDestroy(label));
    begins();
    return NULL_GUID;
}

static ocrGuid_t replaces(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t again = label, open = UNINITIALIZED_GUID;
    /* The other one has ended by then. */
    usleep(2000);
    OK(ocrEventDestroy(event));
    OK(ocrDbDestroy(label));
    OK(ocrDbCreate(&again, NULL, 64, GUID_PROP_IS_LABELED | DB_PROP_NO_ACQUIRE, NULL_HINT, NO_ALLOC));
    link_to(label, spawn(uses, 0, NULL, 1, &open), 0, DB_MODE_EW);
    return NULL_GUID;
}

static ocrGuid_t writes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ((u64 *)depv[0].ptr)[5] = 7;
    OK(ocrDbRelease(label));
    OK(ocrEventSatisfy(event, NULL_GUID));
    return NULL_GUID;
}

/* A large block on the label, which an EDT writes and releases. */
static void begins(void) {
    ocrGuid_t block = label, open = UNINITIALIZED_GUID;
    if (times++ == TIMES) {
        ocrShutdown();
        return;
    }
    OK(ocrDbCreate(&block, NULL, small_run() ? 1 << 20 : 64 << 20, GUID_PROP_BLOCK | DB_PROP_NO_ACQUIRE, NULL_HINT,
                   NO_ALLOC));
    event = event_of(OCR_EVENT_STICKY_T);
    spawn(replaces, 0, NULL, 1, &event);
    link_to(label, spawn(writes, 0, NULL, 1, &open), 0, DB_MODE_EW);
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range;
    OK(ocrGuidRangeCreate(&range, 4, GUID_USER_DB));
    OK(ocrGuidFromIndex(&label, range, 1));
    begins();
    return NULL_GUID;
}
