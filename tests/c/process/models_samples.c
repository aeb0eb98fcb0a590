/*
 * What is kept of a run that learns: EDTs that waited in a call, or whose template has one variant alone, are no
 * samples, and a run that begins again in the same process knows what the first has learned. A hint of time is taken.
 */
// clause: process
// needs: opencl
// env: OCR_SCHED=static:1:1
// workers: 2
#include "kernel.h"
#include "models_folder.h"
#include <extensions/ocr-affinity.h>
#include <extensions/ocr-legacy.h>

static const char *source = "__kernel void kernels(__global uint *words) { words[0] += 1; }\n";
enum { EDTS = 20 };

static ocrGuid_t works(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(u32 *)depv[0].ptr += 1;
    return NULL_GUID;
}

static ocrGuid_t alone(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    return works(paramc, paramv, depc, depv);
}

static ocrGuid_t satisfies(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    OK(ocrEventSatisfy(*(ocrGuid_t *)paramv, NULL_GUID));
    return NULL_GUID;
}

static ocrGuid_t waits(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ocrGuid_t event = event_of(OCR_EVENT_STICKY_T);
    spawn(satisfies, 1, (u64 *)&event, 0, NULL);
    OK(ocrLegacyBlockProgress(event, NULL, NULL, NULL, LEGACY_PROP_NONE));
    OK(ocrEventDestroy(event));
    *(u32 *)depv[0].ptr += 1;
    return NULL_GUID;
}

/* Many EDTs of a template, one after the other, in one place if one is named. */
static void many(ocrGuid_t tmpl, ocrGuid_t place, ocrGuid_t block) {
    for (int i = 0; i < EDTS; i++) {
        ocrHint_t hint;
        OK(ocrHintInit(&hint, OCR_HINT_EDT_T));
        if (!ocrGuidIsNull(place))
            OK(ocrSetHintValue(&hint, OCR_HINT_EDT_AFFINITY, ocrAffinityToHintValue(place)));
        OK(ocrSetHintValue(&hint, OCR_HINT_EDT_TIME, 5000));
        ocrGuid_t edt, depv[] = {UNINITIALIZED_GUID};
        OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 1, depv, EDT_PROP_NONE, &hint, NULL));
        OK(ocrAddDependence(block, edt, 0, DB_MODE_EW));
    }
}

static ocrGuid_t scope(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t block = *(ocrGuid_t *)paramv, cpu, tmpl;
    OK(ocrAffinityGetAt(AFFINITY_PD, 0, &cpu));
    /* by these names they are known */
    OK(ocrEdtTemplateCreate(&tmpl, works, 0, 1));
    OK(ocrEdtTemplateAddKernel(tmpl, source, NULL, "kernels", one_item, OCR_NO_RESULT));
    many(tmpl, cpu, block);
    many(tmpl, NULL_GUID, block);
    OK(ocrEdtTemplateCreate(&tmpl, waits, 0, 1));
    OK(ocrEdtTemplateAddKernel(tmpl, source, NULL, "kernels", one_item, OCR_NO_RESULT));
    many(tmpl, cpu, block);
    OK(ocrEdtTemplateCreate(&tmpl, alone, 0, 1));
    many(tmpl, NULL_GUID, block);
    return NULL_GUID;
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(*(u32 *)depv[0].ptr, 4 * EDTS);
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t root(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block = words_block(1, 0, 0);
    in_scope(scope, ends, *(u64 *)&block, block);
    return NULL_GUID;
}

int main(void) {
    use_models_folder();
    for (int round = 0; round < 2; round++) {
        ocrConfig_t config = {0, NULL, NULL};
        ocrGuid_t context;
        ocrLegacyInit(&context, &config);
        spawn(root, 0, NULL, 0, NULL);
        CHECK_EQ(ocrLegacyFinalize(context, true), 0);
        /* one size of one variant, each, and no line twice */
        CHECK_EQ(lines_with("template=works+", "variant=function"), 1);
        CHECK_EQ(lines_with("template=works+", "variant=kernel kernels "), 1);
        CHECK_EQ(lines_with("template=works+", "bytes=4\t"), 2);
        /* those that waited */
        CHECK_EQ(lines_with("template=waits+", ""), 0);
        /* those that no policy can place anywhere else */
        CHECK_EQ(lines_with("template=alone+", ""), 0);
    }
    return 0;
}
