/*
 * EDTs of one template whose times follow from nothing that the runtime sees, so that most predictions are wrong: the
 * report of the run says of which template that is, and what to do.
 */
// clause: ocr-variants.h
// env: OCR_DEVICES=none
// env: OCR_SCHED=eft
// env: OCR_MODELS=off
// env: OCR_STATS=1
// workers: 1
// stderr: how long EDTs of template "scatters" take does not follow from the sizes of their blocks, nor from one of their parameters
// stderr: name the parameters whose product says it in OCR_HINT_EDT_TIME_PARAMS
// stderr-without: the first free place
#include "kernel.h"

enum { EDTS = 300 };

static const char *source = "__kernel void nothing(void) {}\n";
static u64 s_state = 1;

/* Of 20 us, 200 us or 2 ms: who expects what any of them took is wrong two times of three. */
static ocrGuid_t scatters(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    const long ns[] = {20000, 200000, 2000000};
    busy_by(CLOCK_MONOTONIC, ns[next_random(&s_state) % 3]);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl, edt, ended;
    OK(ocrEdtTemplateCreate(&tmpl, scatters, 0, 0));
    OK(ocrEdtTemplateAddKernel(tmpl, source, NULL, "nothing", one_item, OCR_NO_RESULT));
    ocrGuid_t last = end_after(EDTS);
    for (u32 i = 0; i < EDTS; i++) {
        OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 0, NULL, EDT_PROP_NONE, NULL_HINT, &ended));
        link_to(ended, last, i, DB_MODE_NULL);
    }
    return NULL_GUID;
}
