// What strict mode says of an EDT that crashed, and whose pre-slot was satisfied with NULL_GUID: who created it,
// what the pre-slot was connected to, and who satisfied that. A process of its own crashes, with all its threads.
//
// clause: crash
// env: OCR_CHECK=strict
// stderr: (uses) crashed with SIGSEGV at address 0x0, close to a null pointer
// stderr: here for i = 5
// stderr: (uses) "consumer":
// stderr: created by ocrEdtCreate in EDT
// stderr: pre-slot 5 was connected to sticky event
// stderr: satisfied by ocrEventSatisfy in EDT
// stderr: (satisfies)
// needs: signals
#include "crash.h"

#include <extensions/ocr-debug.h>

static ocrGuid_t uses(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    *(volatile u64 *)depv[depc - 1].ptr = 1;
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t satisfies(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t event;
    memcpy(&event, paramv, sizeof event);
    OK(ocrEventSatisfy(event, NULL_GUID));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    if (getenv("CRASHES") == NULL) {
        run_to_crash();
        return NULL_GUID;
    }
    ocrGuid_t event = event_of(OCR_EVENT_STICKY_T), blocks[5], edt;
    u64 param[sizeof event / sizeof(u64)];
    void *address;
    for (int i = 0; i < 5; i++) {
        blocks[i] = block_of(64, &address);
        OK(ocrDbRelease(blocks[i]));
    }
    OK(ocrEdtCreate(&edt, template_of(uses, 0, 6), 0, NULL, 6, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    OK(ocrAttachDebugLabel(edt, "consumer", 0, NULL));
    for (u32 i = 0; i < 5; i++)
        OK(ocrAddDependence(blocks[i], edt, i, DB_MODE_RO));
    OK(ocrAddDependence(event, edt, 5, DB_MODE_RW));
    memcpy(param, &event, sizeof event);
    spawn(satisfies, sizeof event / sizeof(u64), param, 0, NULL);
    return NULL_GUID;
}
