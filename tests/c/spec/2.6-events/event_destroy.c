/*
 * 2.6.2: an unsatisfied event destroyed while EDTs and events wait on it: they do not start until
 * the slot is connected to another event; destroying a satisfied one takes nothing back.
 */
// clause: 2.6.2
// deviates: 2.6.2
#include "check.h"

enum { EDTS = 100 };

static ocrGuid_t gets(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK_EQ(number_in(depv[0]), paramv[0]);
    CHECK_EQ(number_in(depv[1]), 3);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    const ocrEventTypes_t types[] = {OCR_EVENT_ONCE_T, OCR_EVENT_IDEM_T, OCR_EVENT_STICKY_T, OCR_EVENT_LATCH_T};
    ocrGuid_t last = end_after(5 * EDTS), edts[EDTS], kept = event_of(OCR_EVENT_STICKY_T);
    OK(ocrEventSatisfy(kept, block_with(3)));
    for (u32 t = 0; t < 4; t++) {
        ocrGuid_t gone = event_of(types[t]), behind = event_of(OCR_EVENT_STICKY_T);
        u64 value = 40 + t;
        for (u32 i = 0; i < EDTS; i++) {
            ocrGuid_t output;
            edts[i] = spawn_with(gets, 1, &value, 2, NULL, EDT_PROP_NONE, &output);
            link_to(output, last, t * EDTS + i, DB_MODE_NULL);
            link_to(gone, edts[i], 0, DB_MODE_RW);
            link_to(kept, edts[i], 1, DB_MODE_RO);
        }
        link_to(gone, behind, 0, DB_MODE_NULL);
        OK(ocrEventDestroy(gone));
        REFUSED(OCR_EINVAL, ocrEventDestroy(gone));
        REFUSED(OCR_EINVAL, ocrEventSatisfy(gone, NULL_GUID));
        /* In place of the event that is gone: another event, or a block. */
        ocrGuid_t other = event_of(OCR_EVENT_ONCE_T), block = block_with(value);
        for (u32 i = 0; i < EDTS; i++) {
            link_to(i % 3 ? other : block, edts[i], 0, DB_MODE_CONST);
        }
        OK(ocrEventSatisfy(other, block));
        OK(ocrEventSatisfy(behind, NULL_GUID));
        OK(ocrEventDestroy(behind));
    }
    /* Satisfied and destroyed in one breath: who was linked has been served. */
    ocrGuid_t event = event_of(OCR_EVENT_STICKY_T);
    for (u32 i = 0; i < EDTS; i++) {
        u64 value = 50;
        ocrGuid_t output, edt = spawn_with(gets, 1, &value, 2, NULL, EDT_PROP_NONE, &output);
        link_to(output, last, 4 * EDTS + i, DB_MODE_NULL);
        link_to(event, edt, 0, DB_MODE_RW);
        link_to(kept, edt, 1, DB_MODE_RO);
    }
    OK(ocrEventSatisfy(event, block_with(50)));
    OK(ocrEventDestroy(event));
    OK(ocrEventDestroy(kept));
    return NULL_GUID;
}
