/* A library that an EDT opens: its constructor creates EDTs and waits for them. With BEFORE set, the template is the
 * program's, which has given it a kernel before. */
#include <extensions/ocr-legacy.h>
#include <extensions/ocr-variants.h>
#include <ocr.h>
#include <stdio.h>
#include <stdlib.h>

extern ocrGuid_t template_of_program __attribute__((weak));

static ocrGuid_t nothing(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static void range(u32 paramc, const u64 *paramv, u32 depc, const u64 *sizes, ocrNdRange_t *nd) {
    (void)paramc, (void)paramv, (void)depc, (void)sizes;
    nd->workDim = 1;
    nd->globalSize[0] = 64;
}

__attribute__((constructor)) static void first(void) {
    ocrGuid_t template, edt, ended;
    if (getenv("BEFORE") != NULL) {
        template = template_of_program;
    } else {
        ocrEdtTemplateCreate(&template, nothing, 0, 1);
        if (getenv("KERNEL") != NULL)
            ocrEdtTemplateAddKernel(template, "__kernel void k() { }", NULL, "k", range, 0);
    }
    ocrEventCreate(&ended, OCR_EVENT_STICKY_T, EVT_PROP_NONE);
    ocrEdtCreate(&edt, template, 0, NULL, 1, NULL, EDT_PROP_OEVT_VALID, NULL_HINT, &ended);
    ocrAddDependence(NULL_GUID, edt, 0, DB_MODE_NULL);
    ocrLegacyBlockProgress(ended, NULL, NULL, NULL, LEGACY_PROP_NONE);
    puts("is ready");
    fflush(stdout);
}
