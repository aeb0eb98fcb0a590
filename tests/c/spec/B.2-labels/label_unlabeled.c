/*
 * Only labels can be created on: the GUID of an object that has none is refused, also while the object is there, where
 * GUID_PROP_BLOCK would wait for a label that never becomes free.
 */
// clause: B.2.3
#include "check.h"

#include <extensions/ocr-labeling.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    static const u16 properties[] = {GUID_PROP_IS_LABELED, GUID_PROP_CHECK, GUID_PROP_BLOCK};
    void *addr, *other = NULL;
    ocrGuid_t event = event_of(OCR_EVENT_STICKY_T), block = block_of(8, &addr), tmpl = template_of(end_edt, 0, 1);
    /* enough pre-slots that it is of the kind of EDTs that may have labels */
    ocrGuid_t edt = spawn(end_edt, 0, NULL, 100, NULL);
    for (int n = 0; n < 3; n++) {
        ocrGuid_t guid = event;
        REFUSED(OCR_EINVAL, ocrEventCreate(&guid, OCR_EVENT_STICKY_T, properties[n]));
        guid = block;
        REFUSED(OCR_EINVAL, ocrDbCreate(&guid, &other, 8, properties[n], NULL_HINT, NO_ALLOC));
        CHECK(other == NULL);
        guid = edt;
        REFUSED(OCR_EINVAL, ocrEdtCreate(&guid, tmpl, 0, NULL, 1, NULL, properties[n], NULL_HINT, NULL));
        guid = tmpl;
        REFUSED(OCR_EINVAL, ocrEdtTemplateCreateLabeled(&guid, end_edt, 0, 1, properties[n], "end"));
    }
    OK(ocrEventDestroy(event));
    OK(ocrDbDestroy(block));
    OK(ocrEdtDestroy(edt));
    OK(ocrEdtTemplateDestroy(tmpl));
    ocrShutdown();
    return NULL_GUID;
}
