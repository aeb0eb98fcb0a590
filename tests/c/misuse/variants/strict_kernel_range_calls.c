/* Strict mode: a range function calls a function of the interface. */
// misuse: OCR-variants-c
// env: OCR_CHECK=strict
// env: OCR_SCHED=device
// env: OCR_DEVICES=all
// needs: opencl
// status: 1
// stderr: strict mode: a range function calls OCR
// stderr: seen in ocrEventSatisfy, in the range function for EDT 0x
// stderr: calls no function of the interface (extensions/ocr-variants.h)
#include "kernel.h"
#include <extensions/ocr-variants.h>

static const char *source = "kernel void k(global ulong *numbers) { numbers[get_global_id(0)] *= 2; }";

static ocrGuid_t event;

static void range(u32 paramc, const u64 *paramv, u32 depc, const u64 *sizes, ocrNdRange_t *space) {
    (void)paramc, (void)paramv, (void)depc, (void)sizes;
    space->workDim = 1;
    space->globalSize[0] = 1;
    ocrEventSatisfy(event, NULL_GUID);
}

static ocrGuid_t doubles(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"the policy is the device");
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl, edt;
    event = event_of(OCR_EVENT_STICKY_T);
    OK(ocrEdtTemplateCreate(&tmpl, doubles, 0, 1));
    OK(ocrEdtTemplateAddKernel(tmpl, source, NULL, "k", range, 0));
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    link_to(block_with(21), edt, 0, DB_MODE_RW);
    return NULL_GUID;
}
