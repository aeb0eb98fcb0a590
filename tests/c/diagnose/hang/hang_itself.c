/* A program that hangs since an EDT has returned its own output event. */
// clause: hang
// status: 1
// stderr: the program hangs
// stderr: which depends on the event 0x
// stderr: itself, so that nothing can satisfy it: an EDT has returned its own output event
// needs: halt
#include "strict.h"

#include <extensions/ocr-runtime-itf.h>

static ocrGuid_t returns_own(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t own;
    OK(ocrCurrentEdtOutputGet(&own));
    return own;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t done, edt = EDT_WITH(returns_own, 0, NULL, 1, NULL, &done), end = end_after(1);
    OK(ocrAddDependence(done, end, 0, DB_MODE_NULL));
    OK(ocrAddDependence(NULL_GUID, edt, 0, DB_MODE_NULL));
    return NULL_GUID;
}
