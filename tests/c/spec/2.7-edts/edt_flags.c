/* 2.5.1, 2.6.1, 2.7.3: flags that no text has are accepted; strict mode reports them. An EDT may have a hint. */
// clause: 2.7.3
// deviates: 2.5.1 2.6.1 2.7.3
#include "check.h"
#include <extensions/ocr-hints.h>

static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    CHECK_EQ(depc, 1);
    CHECK_EQ(number_in(depv[0]), 5);
    return NULL_GUID;
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    static const u16 flags[] = {EDT_PROP_NONE, EDT_PROP_FINISH, EDT_PROP_NO_HINT,
                                EDT_PROP_LONG, 0x8000,          0x8000 | EDT_PROP_FINISH};
    enum { COUNT = sizeof flags / sizeof *flags };
    ocrGuid_t block, event, outputs[COUNT], edts[COUNT], tmpl = template_of(looks, 0, 1);
    u64 *number;
    OK(ocrDbCreate(&block, (void **)&number, sizeof *number, 0x8000, NULL_HINT, NO_ALLOC));
    *number = 5;
    OK(ocrDbRelease(block));
    OK(ocrEventCreate(&event, OCR_EVENT_STICKY_T, 0x8000 | EVT_PROP_TAKES_ARG));
    ocrHint_t hint;
    OK(ocrHintInit(&hint, OCR_HINT_EDT_T));
    OK(ocrSetHintValue(&hint, OCR_HINT_EDT_PRIORITY, 3));
    for (int i = 0; i < COUNT; i++) {
        ocrHint_t *given = i % 2 == 0 ? NULL_HINT : &hint;
        OK(ocrEdtCreate(&edts[i], tmpl, 0, NULL, 1, NULL, flags[i], given, &outputs[i]));
    }
    spawn(ends, 0, NULL, COUNT, outputs);
    for (int i = 0; i < COUNT; i++) {
        OK(ocrAddDependence(event, edts[i], 0, DB_MODE_CONST));
    }
    OK(ocrEventSatisfy(event, block));
    return NULL_GUID;
}
