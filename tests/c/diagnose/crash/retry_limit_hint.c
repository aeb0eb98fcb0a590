// A time limit that is so many times OCR_HINT_EDT_TIME, of the template or of the EDT: one that takes longer is undone
// and runs again. The limit is at least a tenth of a second, and one without the hint has none.
//
// clause: crash ocr-hints.h
// env: OCR_TIME_LIMIT=3x
// env: OCR_RETRY=5
// stderr: was beyond its time limit of 0.3 s and is undone; attempt 2 of 6 follows (OCR_RETRY)
// stderr: took too long and were undone; 2 EDTs ended well after that.
// needs: signals
#include "crash.h"

#include <time.h>

enum { BY_TEMPLATE, BY_EDT, TINY, WITHOUT, EDTS };

/* How often each has begun. Not undone, as no global variable is. */
static u32 begun[EDTS];

static void computes(u64 milliseconds) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    const u64 end = (u64)time.tv_sec * 1000 + (u64)time.tv_nsec / 1000000 + milliseconds;
    do
        clock_gettime(CLOCK_MONOTONIC, &time);
    while ((u64)time.tv_sec * 1000 + (u64)time.tv_nsec / 1000000 < end);
}

static ocrGuid_t works(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    const u64 which = paramv[0];
    ++begun[which];
    if (which == WITHOUT)
        computes(700);
    else if (which == TINY)
        computes(20);
    else if (begun[which] == 1)
        for (volatile u64 i = 0;; i++)
            ;
    return NULL_GUID;
}

static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(begun[BY_TEMPLATE] >= 2 && begun[BY_EDT] >= 2);
    CHECK_EQ(begun[WITHOUT], 1);
    CHECK_EQ(begun[TINY], 1);
    ocrShutdown();
    return NULL_GUID;
}

static ocrHint_t takes(u64 nanoseconds) {
    ocrHint_t hint;
    OK(ocrHintInit(&hint, OCR_HINT_EDT_T));
    OK(ocrSetHintValue(&hint, OCR_HINT_EDT_TIME, nanoseconds));
    return hint;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t end = spawn(looks, 0, NULL, EDTS, NULL), ended;
    ocrGuid_t hinted = template_of(works, 1, 1), without = template_of(works, 1, 1);
    ocrHint_t longer = takes(100 * 1000 * 1000), tiny = takes(1000);
    OK(ocrSetHint(hinted, &longer));
    for (u64 which = 0; which < EDTS; which++) {
        ocrHint_t *hint = which == BY_EDT ? &longer : which == TINY ? &tiny : NULL_HINT;
        ocrGuid_t edt;
        OK(ocrEdtCreate(&edt, which == BY_TEMPLATE ? hinted : without, EDT_PARAM_DEF, &which, EDT_PARAM_DEF, NULL,
                        EDT_PROP_NONE, hint, &ended));
        link_to(ended, end, (u32)which, DB_MODE_NULL);
        link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    }
    return NULL_GUID;
}
