/*
 * B.1.3 and B.1.5: values of hints are s64 in OCR 1.1.0 and u64 in OCR 1.2. Both are set and read, and keep their 64
 * bits from one to the other, in the variable and by way of an object.
 */
// clause: B.1.3 B.1.5
// deviates: B.1
#include "check.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrHint_t hint, back;
    s64 with_sign = INT64_MIN + 5;
    u64 without = 0;
    OK(ocrHintInit(&hint, OCR_HINT_EDT_T));
    OK(ocrSetHintValue(&hint, OCR_HINT_EDT_SPACE, with_sign));
    OK(ocrGetHintValue(&hint, OCR_HINT_EDT_SPACE, &without));
    CHECK(without == UINT64_C(0x8000000000000005));
    OK(ocrSetHintValue(&hint, OCR_HINT_EDT_TIME, without + 1));
    OK(ocrGetHintValue(&hint, OCR_HINT_EDT_TIME, &with_sign));
    CHECK(with_sign == INT64_MIN + 6);

    /* An int keeps its sign. */
    OK(ocrSetHintValue(&hint, OCR_HINT_EDT_TIME, -1));
    OK(ocrGetHintValue(&hint, OCR_HINT_EDT_TIME, &without));
    CHECK(without == UINT64_MAX);
    const u32 half = UINT32_MAX;
    OK(ocrSetHintValue(&hint, OCR_HINT_EDT_TIME, half));
    OK(ocrGetHintValue(&hint, OCR_HINT_EDT_TIME, &with_sign));
    CHECK(with_sign == UINT32_MAX);

    /* What is refused leaves the value as it was. */
    with_sign = -7;
    REFUSED(OCR_ENOENT, ocrGetHintValue(&hint, OCR_HINT_EDT_DISPERSE, &with_sign));
    REFUSED(OCR_EINVAL, ocrGetHintValue(&hint, OCR_HINT_DB_NEAR, &with_sign));
    REFUSED(OCR_EINVAL, ocrSetHintValue(&hint, OCR_HINT_DB_NEAR, with_sign));
    REFUSED(OCR_EINVAL, ocrGetHintValue(&hint, OCR_HINT_EDT_TIME, NULL));
    CHECK(with_sign == -7);
    OK(ocrSetHintValue(NULL_HINT, OCR_HINT_EDT_TIME, with_sign));

    /* By way of a template. */
    ocrGuid_t tmpl;
    OK(ocrEdtTemplateCreate(&tmpl, mainEdt, 0, 0));
    OK(ocrSetHintValue(&hint, OCR_HINT_EDT_SLOT_MAX_ACCESS, with_sign));
    OK(ocrSetHint(tmpl, &hint));
    OK(ocrHintInit(&back, OCR_HINT_EDT_T));
    OK(ocrGetHint(tmpl, &back));
    with_sign = 0;
    OK(ocrGetHintValue(&back, OCR_HINT_EDT_SLOT_MAX_ACCESS, &with_sign));
    CHECK(with_sign == -7);
    OK(ocrEdtTemplateDestroy(tmpl));

    /* The arguments of what is a macro in C are evaluated once. */
    ocrHint_t two[2], *next = two;
    OK(ocrHintInit(&two[0], OCR_HINT_EDT_T));
    OK(ocrHintInit(&two[1], OCR_HINT_EDT_T));
    OK(ocrSetHintValue(next++, OCR_HINT_EDT_TIME, with_sign++));
    CHECK(next == &two[1] && with_sign == -6);
    ocrShutdown();
    return NULL_GUID;
}
