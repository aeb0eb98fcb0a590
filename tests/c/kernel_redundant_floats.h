/*
 * kernel_redundant_floats.h - a kernel whose numbers are apart from those of its function by about a millionth, for
 * programs that say whether OCR_REDUNDANT takes them for alike.
 */
#include "kernel.h"

enum { NUMBERS = 100 };

static const char *source = "kernel void grows(global float *x) { x[get_global_id(0)] *= 2.000002f; }\n";

static ocrGuid_t grows(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    for (int i = 0; i < NUMBERS; i++)
        ((float *)depv[0].ptr)[i] *= 2;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl, output, block;
    float *x;
    OK(ocrEdtTemplateCreate(&tmpl, grows, 0, 1));
    OK(ocrEdtTemplateAddKernel(tmpl, source, NULL, "grows", per_word, OCR_NO_RESULT));
    OK(ocrDbCreate(&block, (void **)&x, NUMBERS * sizeof *x, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    for (int i = 0; i < NUMBERS; i++)
        x[i] = (float)i - 50;
    OK(ocrDbRelease(block));
    ocrGuid_t edt = edt_of(tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, &output);
    spawn(end_edt, 0, NULL, 1, &output);
    link_to(block, edt, 0, DB_MODE_RW);
    return NULL_GUID;
}
