/*
 * With OCR_DEVICES=auto a device of whatever kind runs the EDTs whose hint names it, also where it is a CPU device
 * beside C functions, which nothing else goes to: of templates whose kernel was added before the program asked for
 * devices, and after.
 */
// clause: ocr-affinity.h ocr-variants.h
// needs: opencl
// env: OCR_DEVICES=auto
#include "kernel.h"
#include <extensions/ocr-affinity.h>

enum { EDTS = 20, WORDS = 16 };

static const char *source = "__kernel void mark(uint value, __global uint *out) {\n"
                            "    out[get_global_id(0)] = 2 * value;\n"
                            "}\n";

static ocrGuid_t function(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    for (u32 i = 0; i < WORDS; i++)
        ((u32 *)depv[0].ptr)[i] = (u32)paramv[0];
    return depv[0].guid;
}

/* paramv: the value, and the factor that shows which variant ran. */
static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK_EQ(((u32 *)depv[0].ptr)[WORDS - 1], paramv[0] * paramv[1]);
    return NULL_GUID;
}

static ocrGuid_t last;
static u32 lastSlot;

static void edt(ocrGuid_t tmpl, ocrGuid_t place, u64 factor) {
    static u64 value = 1;
    ocrHint_t hint;
    ocrGuid_t output, ended, guid, block = bare_block(WORDS * sizeof(u32));
    u64 params[] = {++value, factor};
    OK(ocrHintInit(&hint, OCR_HINT_EDT_T));
    OK(ocrSetHintValue(&hint, OCR_HINT_EDT_AFFINITY, ocrAffinityToHintValue(place)));
    OK(ocrEdtCreate(&guid, tmpl, 1, params, 1, NULL, EDT_PROP_NONE, &hint, &output));
    ocrGuid_t check = spawn_with(checks, 2, params, 1, NULL, EDT_PROP_NONE, &ended);
    link_to(ended, last, lastSlot++, DB_MODE_NULL);
    link_to(output, check, 0, DB_MODE_RO);
    link_to(block, guid, 0, DB_MODE_EW);
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 count;
    ocrGuid_t before = template_of(function, 1, 1), after = template_of(function, 1, 1), device, cpu;
    OK(ocrEdtTemplateAddKernel(before, source, NULL, "mark", per_word, 0));
    OK(ocrAffinityCount(AFFINITY_OCL, &count));
    CHECK(count >= 1);
    OK(ocrAffinityGetAt(AFFINITY_OCL, 0, &device));
    OK(ocrAffinityGetCurrent(&cpu));
    OK(ocrEdtTemplateAddKernel(after, source, NULL, "mark", per_word, 0));
    last = end_after(4 * EDTS);
    for (int i = 0; i < EDTS; i++) {
        edt(before, device, 2);
        edt(after, device, 2);
        edt(before, cpu, 1);
        edt(after, cpu, 1);
    }
    return NULL_GUID;
}
