/*
 * EDTs with a C function and a kernel go where their affinity says, whatever the policy: all to the device, all to the
 * workers; through the template, the call and ocrSetHint. Affinities that ask for the impossible are left out, which
 * the statistics tell.
 */
// clause: ocr-affinity.h ocr-variants.h
// needs: opencl
// env: OCR_DEVICES=all
// env: OCR_SCHED=static:1:1
// env: OCR_STATS=1
// stderr: ocr: note: EDTs of template "mark" have a hint to run on the workers, but no C function; they ran elsewhere
// stderr: ocr: note: EDTs of template "function" have a hint to run in the place 0x
// stderr: , which this run does not have; they ran elsewhere
#include "kernel.h"
#include <extensions/ocr-affinity.h>

enum { EDTS = 40, WORDS = 16 };

static const char *source = "__kernel void mark(uint value, __global uint *out) {\n"
                            "    out[get_global_id(0)] = 2 * value;\n"
                            "}\n";

static ocrGuid_t function(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    for (u32 i = 0; i < WORDS; i++)
        ((u32 *)depv[0].ptr)[i] = (u32)paramv[0];
    return depv[0].guid;
}

/* paramv: the value, and the factor that shows which variant ran; 0 for either. */
static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u32 got = ((u32 *)depv[0].ptr)[WORDS - 1];
    if (paramv[1])
        CHECK_EQ(got, paramv[0] * paramv[1]);
    else
        CHECK(got == paramv[0] || got == 2 * paramv[0]);
    return NULL_GUID;
}

static ocrGuid_t s_last;
static u32 s_slot;

/* An EDT of the template, and one that checks which variant ran. `late` is set after the creation. */
static void edt(ocrGuid_t tmpl, ocrHint_t *hint, ocrHint_t *late, u64 factor) {
    static u64 value = 1;
    ocrGuid_t output, ended, guid, block = bare_block(WORDS * sizeof(u32));
    u64 params[] = {++value, factor};
    OK(ocrEdtCreate(&guid, tmpl, 1, params, 1, NULL, EDT_PROP_NONE, hint, &output));
    if (late)
        OK(ocrSetHint(guid, late));
    ocrGuid_t check = spawn_with(checks, 2, params, 1, NULL, EDT_PROP_NONE, &ended);
    link_to(ended, s_last, s_slot++, DB_MODE_NULL);
    link_to(output, check, 0, DB_MODE_RO);
    link_to(block, guid, 0, DB_MODE_EW);
}

static void hint_for(ocrHint_t *hint, ocrGuid_t affinity) {
    OK(ocrHintInit(hint, OCR_HINT_EDT_T));
    OK(ocrSetHintValue(hint, OCR_HINT_EDT_AFFINITY, ocrAffinityToHintValue(affinity)));
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 count = 99;
    ocrGuid_t tmpl = template_of(function, 1, 1), other = template_of(function, 1, 1), cpu, device, wrong;
    u64 before;
    OK(ocrAffinityCount(AFFINITY_OCL, &before)); /* before there is a kernel */
    OK(ocrEdtTemplateAddKernel(tmpl, source, NULL, "mark", per_word, 0));
    OK(ocrEdtTemplateAddKernel(other, source, NULL, "mark", per_word, 0));
    OK(ocrAffinityCount(AFFINITY_OCL, &count));
    CHECK(count >= 1);
    CHECK_EQ(count, before);
    OK(ocrAffinityGetAt(AFFINITY_OCL, 0, &device));
    REFUSED(OCR_EINVAL, ocrAffinityGetAt(AFFINITY_OCL, count, &wrong));
    OK(ocrAffinityGetCurrent(&cpu));
    CHECK(!ocrGuidIsEq(cpu, device));
    wrong = addValueToGuid(device, count); /* one more than there are */

    ocrHint_t to_device, to_cpu, nowhere, to_wrong;
    hint_for(&to_device, device);
    hint_for(&to_cpu, cpu);
    hint_for(&nowhere, NULL_GUID);
    hint_for(&to_wrong, wrong);
    s_last = end_after(6 * EDTS + 2);
    for (int i = 0; i < EDTS; i++) {
        edt(tmpl, &to_device, NULL, 2);
        edt(tmpl, &to_cpu, NULL, 1);
        edt(tmpl, NULL_HINT, &to_device, 2);
        edt(tmpl, i % 2 ? &nowhere : &to_wrong, NULL, 0);
    }
    /* The template's, which the call's outranks. */
    OK(ocrSetHint(tmpl, &to_device));
    for (int i = 0; i < EDTS; i++) {
        edt(tmpl, NULL_HINT, NULL, 2);
        edt(tmpl, &to_cpu, NULL, 1);
    }
    /* What cannot run there goes elsewhere: a function alone, a kernel alone. */
    ocrGuid_t alone = template_of(function, 1, 1), kernel = kernel_of(source, "mark", 1, 1), output, ended, guid;
    edt(alone, &to_device, NULL, 1);
    u64 params[] = {5000, 2};
    guid = kernel_edt(kernel, WORDS, 1, params, 1, &output);
    OK(ocrSetHint(guid, &to_cpu));
    /* Such an EDT has no result: the block is read once it has run. */
    ocrGuid_t block = bare_block(WORDS * sizeof(u32));
    ocrGuid_t check = spawn_with(checks, 2, params, 2, NULL, EDT_PROP_NONE, &ended);
    link_to(ended, s_last, s_slot++, DB_MODE_NULL);
    link_to(block, check, 0, DB_MODE_RO);
    link_to(output, check, 1, DB_MODE_NULL);
    link_to(block, guid, 0, DB_MODE_EW);
    CHECK_EQ(s_slot, 6 * EDTS + 2);
    return NULL_GUID;
}
