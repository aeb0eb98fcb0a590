/*
 * ocr-debug.h without strict mode: arguments are checked, labels are accepted, nothing else changes. What messages
 * show of them: hang_labels.c, strict_labels.c.
 */
// clause: ocr-debug.h
#include "check.h"

#include <extensions/ocr-debug.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 numbers[] = {1, 2};
    ocrGuid_t event = event_of(OCR_EVENT_STICKY_T), end = end_after(1);
    ocrGuid_t block = block_with(3), tmpl = template_of(end_edt, 0, 0);
    ocrGuid_t objects[] = {event, end, block, tmpl};
    for (int i = 0; i < 4; i++) {
        OK(ocrAttachDebugLabel(objects[i], "a label that is longer than sixteen characters", 2, numbers));
        OK(ocrAttachDebugLabel(objects[i], "another", 0, NULL));
        REFUSED(OCR_EINVAL, ocrAttachDebugLabel(objects[i], NULL, 0, NULL));
        REFUSED(OCR_EINVAL, ocrAttachDebugLabel(objects[i], "numbers", 1, NULL));
    }
    OK(ocrEdtTemplateDestroy(tmpl));
    OK(ocrDbDestroy(block));
    ocrGuid_t gone = event_of(OCR_EVENT_STICKY_T);
    OK(ocrEventDestroy(gone));
    ocrGuid_t none[] = {NULL_GUID, ERROR_GUID, tmpl, block, gone, {.guid = 12345}};
    for (int i = 0; i < 6; i++) {
        REFUSED(OCR_EINVAL, ocrAttachDebugLabel(none[i], "none", 0, NULL));
        REFUSED(OCR_EINVAL, ocrNoteCausality(end, none[i]));
    }
    OK(ocrPreAttachDebugLabel("next", 1, numbers));
    REFUSED(OCR_EINVAL, ocrPreAttachDebugLabel(NULL, 0, NULL));
    REFUSED(OCR_EINVAL, ocrPreAttachDebugLabel("numbers", 1, NULL));
    OK(ocrNoteCausality(end, end));
    REFUSED(OCR_EINVAL, ocrNoteCausality(event, end));
    REFUSED(OCR_EINVAL, ocrNoteCausality(event, event));
    OK(ocrEventSatisfy(event, NULL_GUID));
    link_to(event, end, 0, DB_MODE_NULL);
    return NULL_GUID;
}
