// Strict mode notes that the GUIDs of an EDT and of its output event are stored in one variable; not where none is.
//
// clause: 2.7.3
// env: OCR_CHECK=strict
// stderr: ocr: note: strict mode: ocrEdtCreate, in EDT 0x
// stderr: (mainEdt), was given one variable for the GUID of the EDT and for that of its output event: it has one of them now
// stderr: Give each a variable of its own
// stderr-without: ocr: error
#include "strict.h"

static ocrGuid_t first(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    const ocrGuid_t tmpl = TEMPLATE(first, 0, 1);
    ocrGuid_t guid, slots[] = {NULL_GUID};
    OK(ocrEdtCreate(NULL, tmpl, 0, NULL, 1, slots, EDT_PROP_NONE, NULL_HINT, NULL));
    OK(ocrEdtCreate(&guid, tmpl, 0, NULL, 1, slots, EDT_PROP_NONE, NULL_HINT, &guid));
    CHECK(!ocrGuidIsNull(guid));
    OK(ocrEdtTemplateDestroy(tmpl));
    END(0);
    return NULL_GUID;
}
