// ocrInjectFault makes each EDT that runs as an attempt crash once (OCR_RETRY). It does nothing where the attempt
// cannot be undone, as behind a call that cannot be held.
//
// clause: crash ocr-pause.h
// env: OCR_RETRY=1
// stderr: ocr: note: OCR_RETRY: 21 attempts crashed and were undone; 21 EDTs ended well after that.
// needs: signals
// unordered: output events are connected when their EDTs can already run, but for the attempt
#include "check.h"

#include <extensions/ocr-labeling.h>
#include <extensions/ocr-pause.h>

#define EDTS 20

static ocrGuid_t adds(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(u64 *)depv[0].ptr += 1;
    ocrInjectFault();
    *(u64 *)depv[0].ptr += 10;
    ocrInjectFault();
    return NULL_GUID;
}

static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ocrGuid_t range;
    CHECK_EQ(number_in(depv[0]), EDTS * 11);
    OK(ocrGuidRangeCreate(&range, 4, GUID_USER_EVENT_STICKY));
    ocrInjectFault();
    OK(ocrGuidMapDestroy(range));
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block = block_with(0), last = NULL_GUID, tmpl = template_of(adds, 0, 2);
    ocrInjectFault();
    for (u32 at = 0; at < EDTS; at++) {
        ocrGuid_t output, edt = edt_of(tmpl, 0, NULL, 2, NULL, EDT_PROP_NONE, &output);
        link_to(block, edt, 0, DB_MODE_EW);
        link_to(last, edt, 1, DB_MODE_NULL);
        last = event_of(OCR_EVENT_STICKY_T);
        link_to(output, last, 0, DB_MODE_NULL);
    }
    ocrGuid_t edt = spawn(looks, 0, NULL, 2, NULL);
    link_to(block, edt, 0, DB_MODE_CONST);
    link_to(last, edt, 1, DB_MODE_NULL);
    return NULL_GUID;
}
