/*
 * An EDT that waits by looking again and again is no reason to wait: who pauses the runtime meanwhile can do so, and
 * the EDT goes on when the pause is over.
 */
// clause: ocr-pause.h
// one-node: its EDTs share variables of the program
#include "check.h"

#include <extensions/ocr-pause.h>
#include <extensions/ocr-runtime-itf.h>
#include <stdatomic.h>

static atomic_bool found, paused;
static ocrGuid_t left, finds;

static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    OK(ocrInformLegacyCodeBlocking());
    OK(ocrEventSatisfy(left, NULL_GUID)); /* now somebody may pause */
    while (!atomic_load(&found)) {
        OK(ocrInformLegacyCodeBlocking());
        breathe();
    }
    CHECK(!atomic_load(&paused));
    return NULL_GUID;
}

static ocrGuid_t is_found(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!atomic_load(&paused));
    atomic_store(&found, true);
    return NULL_GUID;
}

static ocrGuid_t pauses(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u32 flag = ocrPause(true);
    CHECK_EQ(flag, 1);
    OK(ocrInformLegacyCodeBlocking()); /* its own pause is no reason to stand still */
    atomic_store(&paused, true);
    link_to(NULL_GUID, finds, 0, DB_MODE_NULL);
    for (int n = 0; n < 20; n++)
        breathe();
    CHECK(!atomic_load(&found));
    atomic_store(&paused, false);
    ocrResume(flag);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t outputs[3], edts[2], end = end_after(3);
    left = event_of(OCR_EVENT_ONCE_T);
    finds = spawn_with(is_found, 0, NULL, 1, NULL, EDT_PROP_NONE, &outputs[0]);
    edts[0] = spawn_with(looks, 0, NULL, 1, NULL, EDT_PROP_NONE, &outputs[1]);
    edts[1] = spawn_with(pauses, 0, NULL, 1, NULL, EDT_PROP_NONE, &outputs[2]);
    for (u32 n = 0; n < 3; n++)
        link_to(outputs[n], end, n, DB_MODE_NULL);
    link_to(left, edts[1], 0, DB_MODE_NULL);
    link_to(NULL_GUID, edts[0], 0, DB_MODE_NULL);
    return NULL_GUID;
}
