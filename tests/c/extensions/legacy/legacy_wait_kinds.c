/*
 * ocrWait is a dependence on the event: of a counted event it is one of nbDeps, from a channel it takes the next
 * satisfaction, and of a collective event the next generation.
 */
// clause: ocr-legacy.h
#include "check.h"

#include <extensions/ocr-db-info.h>
#include <extensions/ocr-legacy.h>

static void counted(void) {
    ocrEventParams_t params = {.EVENT_COUNTED = {.nbDeps = 2}};
    ocrGuid_t event, block = block_with(1);
    OK(ocrEventCreateParams(&event, OCR_EVENT_COUNTED_T, EVT_PROP_TAKES_ARG, &params));
    OK(ocrEventSatisfy(event, block));
    CHECK(ocrGuidIsEq(ocrWait(event), block));
    CHECK(ocrGuidIsEq(ocrWait(event), block));
    CHECK(ocrGuidIsError(ocrWait(event)));
    OK(ocrDbDestroy(block));
}

static void channel(void) {
    ocrEventParams_t params = {.EVENT_CHANNEL = {.maxGen = 2, .nbSat = 1, .nbDeps = 1}};
    ocrGuid_t event, blocks[] = {block_with(1), block_with(2)};
    OK(ocrEventCreateParams(&event, OCR_EVENT_CHANNEL_T, EVT_PROP_TAKES_ARG, &params));
    OK(ocrEventSatisfy(event, blocks[0]));
    OK(ocrEventSatisfy(event, blocks[1]));
    for (int i = 0; i < 2; i++) {
        CHECK(ocrGuidIsEq(ocrWait(event), blocks[i]));
        OK(ocrDbDestroy(blocks[i]));
    }
    OK(ocrEventDestroy(event));
}

static void collective(void) {
    ocrEventParams_t params = {.EVENT_COLLECTIVE = {.maxGen = 1,
                                                    .nbContribs = 1,
                                                    .nbContribsPd = 1,
                                                    .nbDatum = 1,
                                                    .arity = 2,
                                                    .op = REDOP_U8_ADD,
                                                    .type = COL_ALLREDUCE}};
    ocrGuid_t event;
    OK(ocrEventCreateParams(&event, OCR_EVENT_COLLECTIVE_T, EVT_PROP_NONE, &params));
    for (u64 value = 1; value <= 2; value++) {
        OK(ocrEventCollectiveSatisfySlot(event, &value, 0));
        const ocrGuid_t result = ocrWait(event);
        u64 size;
        OK(ocrDbGetSize(result, &size));
        CHECK_EQ(size, sizeof value);
    }
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    counted();
    channel();
    collective();
    ocrShutdown();
    return NULL_GUID;
}
