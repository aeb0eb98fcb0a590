/*
 * B.1: hints change no result: the same sums with none and with each property of an EDT, a template and a block set to
 * something, however odd. B.1.8: the templates say which pre-slot is used most.
 */
// clause: B.1 B.1.8
#include "check.h"

enum { LEAVES = 32 };

static u64 seed = 5;

/* Some properties of a type, with any values. */
static ocrHint_t *any_hint(ocrHint_t *hint, ocrHintType_t type, int first, int end) {
    OK(ocrHintInit(hint, type));
    for (int property = first + 1; property < end; property++)
        if (next_random(&seed) >> 63)
            OK(ocrSetHintValue(hint, (ocrHintProp_t)property, next_random(&seed) >> 40));
    return hint;
}

static ocrGuid_t squares(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 *number = depv[0].ptr;
    *number = paramv[0] * paramv[0];
    return depv[0].guid;
}

static ocrGuid_t sums(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    u64 sum = 0;
    for (u32 i = 0; i < depc; i++)
        sum += number_in(depv[i]);
    CHECK_EQ(sum, (LEAVES - 1) * LEAVES * (2 * LEAVES - 1) / 6);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    enum { ROUNDS = 10 };
    ocrGuid_t last = end_after(ROUNDS);
    for (u32 round = 0; round < ROUNDS; round++) {
        ocrGuid_t leaf = template_of(squares, 1, 1), sum = template_of(sums, 0, LEAVES), edt, output, block, ended;
        ocrHint_t slot, hint;
        if (round > 0) {
            OK(ocrHintInit(&slot, OCR_HINT_EDT_T));
            OK(ocrSetHintValue(&slot, OCR_HINT_EDT_SLOT_MAX_ACCESS, round == 1 ? 99 : 0));
            OK(ocrSetHint(leaf, &slot));
            OK(ocrSetHint(sum, &slot));
        }
        OK(ocrEdtCreate(&edt, sum, 0, NULL, LEAVES, NULL, EDT_PROP_NONE, NULL_HINT, &ended));
        link_to(ended, last, round, DB_MODE_NULL);
        for (u64 i = 0; i < LEAVES; i++) {
            ocrGuid_t source;
            ocrHint_t *chosen = NULL_HINT;
            if (round > 1)
                chosen = any_hint(&hint, OCR_HINT_DB_T, OCR_HINT_DB_PROP_START, OCR_HINT_DB_PROP_END);
            OK(ocrDbCreate(&block, NULL, sizeof(u64), DB_PROP_NO_ACQUIRE, chosen, NO_ALLOC));
            if (round > 1)
                chosen = any_hint(&hint, OCR_HINT_EDT_T, OCR_HINT_EDT_PROP_START, OCR_HINT_EDT_PROP_END);
            OK(ocrEdtCreate(&source, leaf, 1, &i, 1, NULL, EDT_PROP_NONE, chosen, &output));
            link_to(output, edt, (u32)i, DB_MODE_RO);
            link_to(block, source, 0, DB_MODE_EW);
        }
        OK(ocrEdtTemplateDestroy(leaf));
        OK(ocrEdtTemplateDestroy(sum));
    }
    return NULL_GUID;
}
