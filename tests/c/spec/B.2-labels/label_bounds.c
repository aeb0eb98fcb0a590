/*
 * B.1.2, B.2.2: what the text leaves open of hints and ranges: a hint of no type, codes of wrong arguments, the index
 * behind the last, GUIDs of a range that was destroyed, and an event of another type than its range says.
 */
// clause: B.2.2 B.1.2
// deviates: B.1.2 B.2.2 B.2.2.2 B.2.2.3 B.2.2.5
#include "check.h"
#include <extensions/ocr-hints.h>
#include <extensions/ocr-labeling.h>

static ocrHint_t kept;

static ocrGuid_t gets(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(number_in(depv[0]), 8);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    REFUSED(OCR_EINVAL, ocrHintInit(&kept, OCR_HINT_UNDEF_T));
    REFUSED(OCR_EINVAL, ocrHintInit(&kept, (ocrHintType_t)-1));
    REFUSED(OCR_EINVAL, ocrHintInit(NULL_HINT, OCR_HINT_EDT_T));
    OK(ocrHintInit(&kept, OCR_HINT_DB_T));
    OK(ocrSetHintValue(&kept, OCR_HINT_DB_NEAR, 1));
    /* A call that is refused leaves what was there. */
    u64 value;
    REFUSED(OCR_EINVAL, ocrHintInit(&kept, OCR_HINT_UNDEF_T));
    OK(ocrGetHintValue(&kept, OCR_HINT_DB_NEAR, &value));
    CHECK_EQ(value, 1);

    ocrGuid_t range = NULL_GUID, label, other, block, event;
    REFUSED(OCR_EINVAL, ocrGuidRangeCreate(&range, 0, GUID_USER_EVENT_STICKY));
    REFUSED(OCR_EINVAL, ocrGuidRangeCreate(&range, 3, GUID_USER_NONE));
    CHECK(ocrGuidIsNull(range));
    OK(ocrGuidRangeCreate(&range, 3, GUID_USER_EVENT_STICKY));
    REFUSED(OCR_EINVAL, ocrGuidFromIndex(&label, range, 3));
    OK(ocrGuidFromIndex(&label, range, 0));
    OK(ocrGuidFromIndex(&other, range, 2));

    /* It is a once event, as it was created: it is gone when it has triggered. */
    ocrGuidUserKind kind;
    event = label;
    OK(ocrEventCreate(&event, OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG | GUID_PROP_CHECK));
    OK(ocrGetGuidKind(&kind, label));
    CHECK_EQ(kind, GUID_USER_EVENT_ONCE);
    block = other;
    void *addr;
    REFUSED(OCR_EINVAL, ocrDbCreate(&block, &addr, 8, GUID_PROP_CHECK, NULL_HINT, NO_ALLOC));
    ocrGuid_t edt = spawn(gets, 0, NULL, 1, NULL);
    OK(ocrAddDependence(label, edt, 0, DB_MODE_CONST));

    OK(ocrGuidMapDestroy(range));
    REFUSED(OCR_EINVAL, ocrEventCreate(&other, OCR_EVENT_STICKY_T, GUID_PROP_CHECK));
    OK(ocrEventSatisfy(label, block_with(8)));
    OK(ocrGetGuidKind(&kind, label));
    CHECK_EQ(kind, GUID_USER_NONE);
    return NULL_GUID;
}
