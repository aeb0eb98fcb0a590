/*
 * 2.7.1: ocrEdtTemplateCreate is a function, too, which other languages find in the library by its name. Its EDTs are
 * named by the symbol table.
 */
// clause: 2.7.1
// env: OCR_CHECK=strict
#include "check.h"

typedef u8 (*create_t)(ocrGuid_t *guid, ocrEdt_t function, u32 paramc, u32 depc);

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)depc, (void)depv;
    CHECK_EQ(paramc, 1);
    CHECK_EQ(paramv[0], 7);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl = NULL_GUID, edt, by_macro;
    create_t create = ocrEdtTemplateCreate;
    u64 param = 7;
    OK(create(&tmpl, ends, 1, 0));
    OK((ocrEdtTemplateCreate)(&by_macro, ends, EDT_PARAM_UNK, EDT_PARAM_UNK));
    OK(ocrEdtTemplateDestroy(by_macro));
    OK(ocrEdtTemplateCreate(&by_macro, ends, 1, 0));
    CHECK(!ocrGuidIsEq(tmpl, by_macro));
    OK(ocrEdtTemplateDestroy(by_macro));
    OK(ocrEdtCreate(&edt, tmpl, EDT_PARAM_DEF, &param, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    OK(ocrEdtTemplateDestroy(tmpl));
    return NULL_GUID;
}
