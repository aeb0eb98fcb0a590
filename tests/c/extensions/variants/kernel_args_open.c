/*
 * A kernel of a template that leaves its counts open: its arguments are looked at by each launch. Where an EDT has
 * other ones, its C function runs.
 */
// clause: ocr-variants.h
// needs: opencl
// stderr: argument 0, 'global ulong *words', gets parameter 0; it is a pointer, and parameters go to values
#include "check.h"
#include "opencl_facts.h"
#include <extensions/ocr-affinity.h>
#include <extensions/ocr-variants.h>

static ocrGuid_t function(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    CHECK_EQ(paramc, 1);
    CHECK_EQ(depc, 1);
    *(u64 *)depv[0].ptr += paramv[0];
    return NULL_GUID;
}

static ocrGuid_t look(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(*(u64 *)depv[1].ptr, 12);
    OK(ocrDbDestroy(depv[1].guid));
    ocrShutdown();
    return NULL_GUID;
}

static void range(u32 paramc, const u64 *paramv, u32 depc, const u64 *sizes, ocrNdRange_t *space) {
    (void)paramc, (void)paramv, (void)depc, (void)sizes;
    space->workDim = 1;
    space->globalSize[0] = 1;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl = template_of(function, EDT_PARAM_UNK, EDT_PARAM_UNK), block = block_with(7), device, edt, done;
    u64 count = 1, five = 5;
    ocrHint_t hint;
    if (!fact_argument_types()) {
        NOT_RUN("the implementation does not tell the types of a kernel's arguments");
    }
    OK(ocrEdtTemplateAddKernel(tmpl, "kernel void adds(global ulong *words, ulong by) { words[0] += by; }", NULL,
                               "adds", range, OCR_NO_RESULT));
    OK(ocrAffinityGet(AFFINITY_OCL, &count, &device));
    OK(ocrHintInit(&hint, OCR_HINT_EDT_T));
    OK(ocrSetHintValue(&hint, OCR_HINT_EDT_AFFINITY, ocrAffinityToHintValue(device)));
    OK(ocrEdtCreate(&edt, tmpl, 1, &five, 1, NULL, EDT_PROP_NONE, &hint, &done));
    ocrGuid_t last = spawn(look, 0, NULL, 2, NULL);
    link_to(done, last, 0, DB_MODE_NULL);
    link_to(block, last, 1, DB_MODE_CONST);
    link_to(block, edt, 0, DB_MODE_RW);
    OK(ocrEdtTemplateDestroy(tmpl));
    return NULL_GUID;
}
