/* A collective event of very many contributors takes memory for those that contribute. */
// clause: ocr-reduction-event.h
#include "check.h"

#include <sys/resource.h>

static long kilobytes(void) {
    struct rusage usage;
    CHECK_EQ(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrEventParams_t params = {.EVENT_COLLECTIVE = {.maxGen = EVENT_CHANNEL_UNBOUNDED,
                                                    .nbContribs = small_run() ? 1 << 10 : 1 << 25,
                                                    .nbContribsPd = 1,
                                                    .nbDatum = 1,
                                                    .op = REDOP_U8_ADD,
                                                    .type = COL_ALLREDUCE}};
    ocrGuid_t sum;
    long before = kilobytes();
    u8 status = ocrEventCreateParams(&sum, OCR_EVENT_COLLECTIVE_T, EVT_PROP_NONE, &params);
    CHECK(status == 0 || status == OCR_ENOMEM);
    CHECK(kilobytes() - before < 1 << 16);
    if (status == 0)
        OK(ocrEventDestroy(sum));
    ocrShutdown();
    return NULL_GUID;
}
