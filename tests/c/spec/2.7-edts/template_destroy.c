/*
 * 2.7.2: a template may go while its EDTs wait, and from within one of them; afterwards it makes no
 * EDT. Codes for GUIDs that are no template.
 */
// clause: 2.7.2
#include "check.h"

static ocrGuid_t runs(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK_EQ(number_in(depv[0]), 2);
    if (paramv[0] == 1) {
        /* Its own template. */
        OK(ocrEdtTemplateDestroy(((ocrGuid_t *)paramv)[1]));
    }
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    enum { EDTS = 500 };
    ocrGuid_t last = end_after(EDTS + 1), event = event_of(OCR_EVENT_ONCE_T), edt, output, block = block_with(2);
    ocrGuid_t tmpl = template_of(runs, 2, 1);
    u64 args[] = {0, *(u64 *)&tmpl};
    for (u32 i = 0; i < EDTS; i++) {
        edt = edt_of(tmpl, 2, args, 1, NULL, EDT_PROP_NONE, &output);
        link_to(output, last, i, DB_MODE_NULL);
        link_to(event, edt, 0, DB_MODE_RO);
    }
    OK(ocrEdtTemplateDestroy(tmpl));
    REFUSED(OCR_EINVAL, ocrEdtTemplateDestroy(tmpl));
    REFUSED(OCR_EINVAL, ocrEdtCreate(&edt, tmpl, 2, args, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    /* Others in its place do not make the EDTs that wait forget their function. */
    ocrGuid_t later[100];
    for (int i = 0; i < 100; i++) {
        later[i] = template_of(end_edt, 0, 0);
    }
    REFUSED(OCR_EINVAL, ocrEdtTemplateDestroy(tmpl));
    REFUSED(OCR_EINVAL, ocrEdtCreate(&edt, tmpl, 2, args, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    OK(ocrEventSatisfy(event, block));
    for (int i = 0; i < 100; i++) {
        OK(ocrEdtTemplateDestroy(later[i]));
    }

    tmpl = template_of(runs, 2, 1);
    args[0] = 1;
    args[1] = *(u64 *)&tmpl;
    edt = edt_of(tmpl, 2, args, 1, NULL, EDT_PROP_NONE, &output);
    link_to(output, last, EDTS, DB_MODE_NULL);
    ocrGuid_t others[] = {
        block, edt, event_of(OCR_EVENT_IDEM_T), ERROR_GUID, UNINITIALIZED_GUID, {.guid = 7777}, {.guid = INT64_MAX}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        ocrGuid_t made;
        REFUSED(OCR_EINVAL, ocrEdtTemplateDestroy(others[i]));
        REFUSED(OCR_EINVAL, ocrEdtCreate(&made, others[i], 0, NULL, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    }
    ocrGuid_t made;
    REFUSED(OCR_EINVAL, ocrEdtCreate(&made, NULL_GUID, 0, NULL, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    REFUSED(OCR_EINVAL, ocrEdtTemplateCreate(NULL, runs, 2, 1));
    REFUSED(OCR_EINVAL, ocrEdtTemplateCreate(&made, (ocrEdt_t)NULL, 2, 1));
    REFUSED(OCR_EINVAL, ocrEdtTemplateCreate(&made, runs, EDT_PARAM_DEF, 1));
    REFUSED(OCR_EINVAL, ocrEdtTemplateCreate(&made, runs, 2, EDT_PARAM_DEF));
    link_to(block, edt, 0, DB_MODE_RO);
    return NULL_GUID;
}
