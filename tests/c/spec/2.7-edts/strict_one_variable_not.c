// Strict mode says nothing of EDTs that get no GUID and no output event, or each in a variable of its own.
//
// clause: 2.7.3
// env: OCR_CHECK=strict
// stderr-without: one variable
// stderr-without: ocr: error
#include "strict.h"

static ocrGuid_t first(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    const ocrGuid_t tmpl = TEMPLATE(first, 0, 1);
    ocrGuid_t guid, output, slots[] = {NULL_GUID};
    OK(ocrEdtCreate(NULL, tmpl, 0, NULL, 1, slots, EDT_PROP_NONE, NULL_HINT, NULL));
    OK(ocrEdtCreate(&guid, tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, &output));
    link_to(output, END(1), 0, DB_MODE_NULL);
    link_to(NULL_GUID, guid, 0, DB_MODE_NULL);
    OK(ocrEdtTemplateDestroy(tmpl));
    return NULL_GUID;
}
