// Dependences that are refused though their event was satisfied: on one whose block was destroyed, that was destroyed
// itself, that has had all its dependences, that is sticky, that had a label, or after which very many others went.
//
// clause: 2.8.1
// stderr-without: came too late
#include "late.h"
#include <extensions/ocr-labeling.h>

static ocrGuid_t waits(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static ocrGuid_t template;

static void refused(ocrGuid_t source) {
    ocrGuid_t edt, sticky = event_of(OCR_EVENT_STICKY_T);
    OK(ocrEdtCreate(&edt, template, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    REFUSED(OCR_EINVAL, ocrAddDependence(source, edt, 0, DB_MODE_CONST));
    REFUSED(OCR_EINVAL, ocrAddDependence(source, sticky, 0, DB_MODE_CONST));
    /* The pre-slot is open again. */
    OK(ocrAddDependence(NULL_GUID, edt, 0, DB_MODE_NULL));
    ocrGuid_t none;
    REFUSED(OCR_EINVAL, ocrEdtCreate(&none, template, 0, NULL, 1, &source, EDT_PROP_NONE, NULL_HINT, NULL));
    OK(ocrEventDestroy(sticky));
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    template = template_of(waits, 0, 1);
    ocrGuid_t block = block_with(1);

    ocrGuid_t of_gone_block = event_of(OCR_EVENT_ONCE_T), gone_block = block_with(2);
    OK(ocrEventSatisfy(of_gone_block, gone_block));
    OK(ocrDbDestroy(gone_block));
    refused(of_gone_block);

    ocrGuid_t destroyed = event_of(OCR_EVENT_ONCE_T);
    OK(ocrEventDestroy(destroyed));
    refused(destroyed);

    ocrGuid_t sticky = event_of(OCR_EVENT_STICKY_T);
    OK(ocrEventSatisfy(sticky, block));
    OK(ocrEventDestroy(sticky));
    refused(sticky);

    ocrGuid_t counted, first;
    ocrEventParams_t params = {.EVENT_COUNTED.nbDeps = 1};
    OK(ocrEventCreateParams(&counted, OCR_EVENT_COUNTED_T, EVT_PROP_TAKES_ARG, &params));
    OK(ocrEventSatisfy(counted, block));
    OK(ocrEdtCreate(&first, template, 0, NULL, 1, &counted, EDT_PROP_NONE, NULL_HINT, NULL));
    refused(counted);

    ocrGuid_t range, label;
    OK(ocrGuidRangeCreate(&range, 1, GUID_USER_EVENT_ONCE));
    OK(ocrGuidFromIndex(&label, range, 0));
    OK(ocrEventCreate(&label, OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG | GUID_PROP_IS_LABELED));
    OK(ocrEventSatisfy(label, block));
    refused(label);

    ocrGuid_t old = event_of(OCR_EVENT_ONCE_T);
    OK(ocrEventSatisfy(old, block));
    for (int i = 0; i < 1000; i++) {
        OK(ocrEventSatisfy(event_of(OCR_EVENT_ONCE_T), block));
    }
    refused(old);

    ocrShutdown();
    return NULL_GUID;
}
