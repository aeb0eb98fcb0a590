// The hint OCR_HINT_EDT_RETRY says how often an EDT runs again, in the place of OCR_RETRY. Its value is the template's,
// or that of the EDT's creation. With 0 the EDT is no attempt: it crashes as without the setting. So a process of its
// own does that, which prints its line once.
//
// clause: ocr-hints.h crash
// env: OCR_RETRY=1
// stderr: is undone; attempt 2 of 4 follows (OCR_RETRY)
// stderr: (by_template_of_none) crashed with SIGSEGV and is undone; attempt 2 of 3 follows (OCR_RETRY)
// stderr: ocr: note: OCR_RETRY: 5 attempts crashed and were undone; 2 EDTs ended well after that.
// stderr: crashed with SIGSEGV at address 0x0
// stderr: its function is never_again
// stderr-without: does not run again
// stderr-without: (never_again) crashed with SIGSEGV and is undone
// stdout-lines: 1 printed before
// needs: signals
#include "crash.h"

static u32 begun_thrice, begun_twice;

static ocrGuid_t thrice(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(u64 *)depv[0].ptr += 1;
    if (++begun_thrice <= 3)
        abort();
    CHECK_EQ(number_in(depv[0]), 8);
    return NULL_GUID;
}

static ocrGuid_t by_template_of_none(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    if (++begun_twice <= 2)
        *(volatile u64 *)depv[1].ptr = 1;
    return NULL_GUID;
}

static ocrGuid_t never_again(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ocrPrintf("printed before\n");
    *(volatile u64 *)depv[0].ptr = 1;
    return NULL_GUID;
}

static ocrHint_t retry_of(u64 times) {
    ocrHint_t hint;
    OK(ocrHintInit(&hint, OCR_HINT_EDT_T));
    OK(ocrSetHintValue(&hint, OCR_HINT_EDT_RETRY, times));
    return hint;
}

/* A template with the hint, which can be read back. */
static ocrGuid_t template_with(ocrEdt_t function, u32 depc, u64 times) {
    ocrGuid_t tmpl = template_of(function, 0, depc);
    ocrHint_t hint = retry_of(times), back;
    u64 value = 77;
    OK(ocrSetHint(tmpl, &hint));
    OK(ocrHintInit(&back, OCR_HINT_EDT_T));
    OK(ocrGetHint(tmpl, &back));
    OK(ocrGetHintValue(&back, OCR_HINT_EDT_RETRY, &value));
    CHECK_EQ(value, times);
    return tmpl;
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK_EQ(begun_thrice, 4);
    CHECK_EQ(begun_twice, 3);
    run_to_crash();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t nothing = NULL_GUID, none = template_with(never_again, 1, 0), outputs[2];
    if (getenv("CRASHES") != NULL) {
        edt_of(none, 0, NULL, 1, &nothing, EDT_PROP_NONE, NULL);
        return NULL_GUID;
    }
    ocrGuid_t end = spawn(ends, 0, NULL, 2, NULL), open[2];
    open[0] = edt_of(template_with(thrice, 1, 3), 0, NULL, 1, NULL, EDT_PROP_NONE, &outputs[0]);
    ocrHint_t two = retry_of(2);
    ocrGuid_t tmpl = template_with(by_template_of_none, 2, 0);
    OK(ocrEdtCreate(&open[1], tmpl, 0, NULL, 2, NULL, EDT_PROP_NONE, &two, &outputs[1]));
    for (u32 at = 0; at < 2; at++) {
        link_to(outputs[at], end, at, DB_MODE_NULL);
        link_to(block_with(7), open[at], 0, DB_MODE_EW);
    }
    link_to(NULL_GUID, open[1], 1, DB_MODE_NULL);
    return NULL_GUID;
}
