/*
 * OCR_HINT_EDT_TIME_PARAMS of a template names the parameters whose product says how long an EDT takes. Times are kept
 * by that product from the first EDT on, whatever else the parameters are. Parameters that are not there are left out,
 * and a mask of 0 is as without the hint. It can be read back.
 */
// clause: ocr-hints.h
// needs: opencl
// env: OCR_SCHED=cpu
// workers: 1
#include "kernel.h"
#include "models_folder.h"
#include <extensions/ocr-legacy.h>

static ocrGuid_t hinted(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}
static ocrGuid_t beyond(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    return hinted(paramc, paramv, depc, depv);
}
static ocrGuid_t zero(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    return hinted(paramc, paramv, depc, depv);
}

/* Templates are created where the name of their function stands, by which they are known. */
static void give_mask(ocrGuid_t tmpl, u64 mask) {
    ocrHint_t hint, back;
    u64 value = 0;
    OK(ocrEdtTemplateAddKernel(tmpl, "__kernel void nothing(ulong a) {}\n", NULL, "nothing", one_item, OCR_NO_RESULT));
    OK(ocrHintInit(&hint, OCR_HINT_EDT_T));
    OK(ocrSetHintValue(&hint, OCR_HINT_EDT_TIME_PARAMS, mask));
    OK(ocrSetHint(tmpl, &hint));
    OK(ocrHintInit(&back, OCR_HINT_EDT_T));
    OK(ocrGetHint(tmpl, &back));
    OK(ocrGetHintValue(&back, OCR_HINT_EDT_TIME_PARAMS, &value));
    CHECK_EQ(value, mask);
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t all(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl, far, none;
    OK(ocrEdtTemplateCreate(&tmpl, hinted, 8, 0));
    OK(ocrEdtTemplateCreate(&far, beyond, 8, 0));
    OK(ocrEdtTemplateCreate(&none, zero, 8, 0));
    /* The seventh parameter is none of those that are looked at without a hint. */
    give_mask(tmpl, 1 << 1 | 1 << 6);
    give_mask(far, 1ull << 40);
    give_mask(none, 0);
    const u64 factors[][2] = {{2, 3}, {3, 2}, {6, 1}, {4, 5}};
    for (u64 i = 0; i < 16; i++) {
        u64 params[] = {i, factors[i % 4][0], 9, i * i, 7, 1, factors[i % 4][1], 4};
        ocrGuid_t edt;
        OK(ocrEdtCreate(&edt, tmpl, 8, params, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
        u64 same[] = {1, 2, 3, 4, 5, 6, 7, 8};
        OK(ocrEdtCreate(&edt, far, 8, same, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
        OK(ocrEdtCreate(&edt, none, 8, same, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    }
    return NULL_GUID;
}

static ocrGuid_t root(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    in_scope(all, ends, 0, NULL_GUID);
    return NULL_GUID;
}

int main(void) {
    ocrConfig_t config = {0, NULL, NULL};
    ocrGuid_t context;
    use_models_folder();
    ocrLegacyInit(&context, &config);
    spawn(root, 0, NULL, 0, NULL);
    CHECK_EQ(ocrLegacyFinalize(context, true), 0);
    CHECK_EQ(lines_with("template=hinted+", "param=63:6\t"), 1);
    CHECK_EQ(lines_with("template=hinted+", "param=63:20\t"), 1);
    CHECK_EQ(lines_with("template=hinted+", ""), 2);
    CHECK_EQ(lines_with("template=beyond+", "param=63:1\t"), 1);
    CHECK_EQ(lines_with("template=beyond+", ""), 1);
    CHECK_EQ(lines_with("template=zero+", "param=63"), 0);
    CHECK_EQ(lines_with("template=zero+", ""), 1);
    return 0;
}
