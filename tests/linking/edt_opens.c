/* An EDT opens a library whose constructor waits for EDTs. */
#include <dlfcn.h>
#include <extensions/ocr-variants.h>
#include <ocr.h>
#include <stdio.h>
#include <stdlib.h>

ocrGuid_t template_of_program;

static ocrGuid_t nothing(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static void range(u32 paramc, const u64 *paramv, u32 depc, const u64 *sizes, ocrNdRange_t *nd) {
    (void)paramc, (void)paramv, (void)depc, (void)sizes;
    nd->workDim = 1;
    nd->globalSize[0] = 64;
}

static ocrGuid_t opens(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    if (dlopen(getenv("LIBRARY"), RTLD_NOW) == NULL)
        puts(dlerror());
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t opening, edt;
    if (getenv("BEFORE") != NULL) {
        ocrEdtTemplateCreate(&template_of_program, nothing, 0, 1);
        ocrEdtTemplateAddKernel(template_of_program, "__kernel void k() { }", NULL, "k", range, 0);
    }
    ocrEdtTemplateCreate(&opening, opens, 0, 0);
    ocrEdtCreate(&edt, opening, 0, NULL, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    return NULL_GUID;
}
