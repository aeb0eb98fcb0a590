// Strict mode says nothing of an EDT that destroys a block after it has waited for the one to which it had passed it
// on.
//
// clause: 2.5.2
// env: OCR_CHECK=strict
// stderr-without: ocr: note: strict mode: EDT
// stderr-without: ocr: error
#include "strict.h"

#include <extensions/ocr-legacy.h>

static ocrGuid_t reads(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(*(u64 *)depv[0].ptr, 7);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *address;
    ocrGuid_t result, edt, output, block = block_of(sizeof(u64), &address);
    *(u64 *)address = 7;
    OK(ocrDbRelease(block));
    edt = EDT_WITH(reads, 0, NULL, 1, NULL, &output);
    const ocrGuid_t ended = event_of(OCR_EVENT_STICKY_T);
    link_to(output, ended, 0, DB_MODE_NULL);
    link_to(block, edt, 0, DB_MODE_RO);
    OK(ocrLegacyBlockProgress(ended, &result, NULL, NULL, LEGACY_PROP_NONE));
    OK(ocrDbDestroy(block));
    OK(ocrEventDestroy(ended));
    ocrShutdown();
    return NULL_GUID;
}
