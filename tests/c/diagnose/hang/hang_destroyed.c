/*
 * A program that never ends, as events were destroyed before they triggered: strict mode says which, and by whom. One
 * that had triggered before is not named.
 */
// clause: hang
// env: OCR_CHECK=strict
// env: OCR_HALT_DOT=/dev/stderr
// status: 1
// stderr: the program hangs
// stderr: (given), created by ocrEdtCreate in EDT 0x
// stderr: pre-slot 0: the sticky event 0x
// stderr: "first", destroyed by ocrEventDestroy in EDT 0x
// stderr: (destroys) "the destroyer" before it had triggered (created by ocrEventCreate in EDT 0x
// stderr: (mainEdt), connected by ocrEdtCreate in EDT 0x
// stderr: (linked), created by ocrEdtCreate in EDT 0x
// stderr: pre-slot 1: the output event 0x
// stderr: (given), destroyed by ocrEdtDestroy in EDT 0x
// stderr: (mainEdt), connected by ocrAddDependence in EDT 0x
// stderr: pre-slot 2: a dependence that was never added (ocrAddDependence)
// stderr: which was never satisfied (ocrEventSatisfy); it depends on the once event 0x
// stderr: whose counter is 1: it lacks 1 on OCR_EVENT_LATCH_DECR_SLOT; it depends on the sticky event 0x
// stderr: "second", destroyed by ocrEventDestroy in EDT 0x
// stderr: [shape=plaintext, label="the sticky event 0x
// stderr: [shape=plaintext, label="never connected"]
// stderr: lost 0" -> "0x
// stderr-without: "third"
// stderr: If the program hangs in strict mode alone, it may use bytes of a data block that were never written
// stderr-without: OCR_CHECK=strict
// needs: halt
#include "strict.h"

static ocrGuid_t events[4], to_destroy;

static ocrGuid_t given(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"ran without its dependences");
    return NULL_GUID;
}

static ocrGuid_t linked(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    return given(paramc, paramv, depc, depv);
}

static ocrGuid_t destroys(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    OK(ocrEventSatisfy(events[2], NULL_GUID));
    for (int n = 0; n < 4; n++)
        OK(ocrEventDestroy(events[n]));
    OK(ocrEdtDestroy(to_destroy));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t output, edt, destroyer, sticky, latch = event_of(OCR_EVENT_LATCH_T);
    for (int n = 0; n < 4; n++)
        events[n] = event_of(n == 3 ? OCR_EVENT_ONCE_T : OCR_EVENT_STICKY_T);
    OK(ocrAttachDebugLabel(events[0], "first", 0, NULL));
    OK(ocrAttachDebugLabel(events[1], "second", 0, NULL));
    OK(ocrAttachDebugLabel(events[2], "third", 0, NULL));

    EDT(given, 0, NULL, 1, events);
    to_destroy = EDT_WITH(given, 0, NULL, 1, NULL, &output);
    edt = EDT(linked, 0, NULL, 3, NULL);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    link_to(output, edt, 1, DB_MODE_NULL);

    /* of the three one is satisfied before */
    for (int n = 0; n < 2; n++)
        OK(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
    link_to(events[2], latch, OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_NULL);
    link_to(events[1], latch, OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_NULL);
    EDT(given, 0, NULL, 1, &latch);

    sticky = event_of(OCR_EVENT_STICKY_T);
    link_to(events[3], sticky, 0, DB_MODE_NULL);
    EDT(given, 0, NULL, 1, &sticky);

    destroyer = EDT(destroys, 0, NULL, 1, NULL);
    OK(ocrAttachDebugLabel(destroyer, "the destroyer", 0, NULL));
    link_to(NULL_GUID, destroyer, 0, DB_MODE_NULL);
    return NULL_GUID;
}
