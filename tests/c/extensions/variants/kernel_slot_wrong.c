/*
 * A kernel that is to pass on the block of a pre-slot that its EDTs do not have is refused, with a warning that says
 * why. The template has the variants that it had before.
 */
// clause: ocr-variants.h
// env: OCR_DEVICES=none
// workers: 1
// stderr: the kernel "k" of template "twos" cannot be used: resultSlot is 2, but the template has 2 pre-slots; slots count from 0
// stderr: the kernel "k" of template "ones" cannot be used: resultSlot is 7, but the template has 1 pre-slot; slots count from 0
#include "kernel.h"

static const char *source = "kernel void k(global uint *words) { words[0] = 1; }\n";

static ocrGuid_t ones(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t twos(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    return ones(paramc, paramv, depc, depv);
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t two = template_of(twos, 0, 2), one = template_of(ones, 0, 1), null = NULL_GUID;
    REFUSED(OCR_EINVAL, ocrEdtTemplateAddKernel(two, source, NULL, "k", one_item, 2));
    REFUSED(OCR_EINVAL, ocrEdtTemplateAddKernel(one, source, NULL, "k", one_item, 7));
    OK(ocrEdtTemplateAddKernel(one, source, NULL, "k", one_item, 0));
    OK(ocrEdtTemplateAddKernel(one, source, NULL, "k", one_item, OCR_NO_RESULT));
    edt_of(one, 0, NULL, 1, &null, EDT_PROP_NONE, NULL);
    return NULL_GUID;
}
