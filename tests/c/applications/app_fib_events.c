/*
 * Fibonacci by continuation, in the style of many OCR programs: templates made and destroyed in the
 * EDTs, the event of the result as a parameter, (u64 *)&struct, blocks passed through sticky events.
 */
// clause: application
#include "check.h"

typedef struct {
    ocrGuid_t result; /* the event to satisfy */
    u64 n;
} call_t;

#define CALL_PARAMS (sizeof(call_t) / sizeof(u64))

static ocrGuid_t add_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    ocrAssert(paramc == 1 && depc == 2);
    ocrGuid_t result = *(ocrGuid_t *)paramv, sum_db;
    u64 *sum;
    ocrDbCreate(&sum_db, (void **)&sum, sizeof(u64), DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    *sum = *(u64 *)depv[0].ptr + *(u64 *)depv[1].ptr;
    ocrDbDestroy(depv[0].guid);
    ocrDbDestroy(depv[1].guid);
    ocrDbRelease(sum_db);
    OK(ocrEventSatisfy(result, sum_db));
    return NULL_GUID;
}

static ocrGuid_t fib_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)depv;
    ocrAssert(paramc == CALL_PARAMS && depc == 0);
    call_t *call = (call_t *)paramv;
    if (call->n < 2) {
        u64 *value;
        ocrGuid_t db;
        ocrDbCreate(&db, (void **)&value, sizeof(u64), false, NULL_HINT, NO_ALLOC);
        *value = call->n;
        ocrDbRelease(db);
        OK(ocrEventSatisfy(call->result, db));
        return NULL_GUID;
    }
    ocrGuid_t add_template, fib_template, add, parts[2];
    ocrEdtTemplateCreate(&add_template, add_edt, 1, 2);
    ocrEdtTemplateCreate(&fib_template, fib_edt, CALL_PARAMS, 0);
    for (int i = 0; i < 2; i++) {
        ocrEventCreate(&parts[i], OCR_EVENT_ONCE_T, true);
    }
    ocrEdtCreate(&add, add_template, EDT_PARAM_DEF, (u64 *)&call->result, EDT_PARAM_DEF, parts, EDT_PROP_NONE,
                 NULL_HINT, NULL);
    for (int i = 0; i < 2; i++) {
        call_t next = {parts[i], call->n - 1 - (u64)i};
        OK(ocrEdtCreate(NULL, fib_template, EDT_PARAM_DEF, (u64 *)&next, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT,
                        NULL));
    }
    ocrEdtTemplateDestroy(add_template);
    ocrEdtTemplateDestroy(fib_template);
    return NULL_GUID;
}

static ocrGuid_t done_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK_EQ(*(u64 *)depv[0].ptr, paramv[0]);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t result, fib_template, done_template, done, fib;
    u64 want = small_run() ? 144 : 10946;
    ocrEventCreate(&result, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG);
    ocrEdtTemplateCreate(&done_template, done_edt, 1, 1);
    ocrEdtCreate(&done, done_template, EDT_PARAM_DEF, &want, EDT_PARAM_DEF, &result, EDT_PROP_NONE, NULL_HINT, NULL);
    call_t call = {result, small_run() ? 12 : 21};
    ocrEdtTemplateCreate(&fib_template, fib_edt, EDT_PARAM_UNK, EDT_PARAM_UNK);
    ocrEdtCreate(&fib, fib_template, CALL_PARAMS, (u64 *)&call, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    return NULL_GUID;
}
