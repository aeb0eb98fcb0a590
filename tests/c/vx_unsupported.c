/* Functions of OCR-Vx that this runtime does not have say so, and touch nothing. */
#include "check.h"
#include <extensions/ocr-db-by-value.h>
#include <extensions/ocr-db-partitioning.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block = block_with(5), event = event_of(OCR_EVENT_STICKY_T);
    REFUSED(OCR_ENOTSUP, ocrAddDependenceByValue(block, event, 0, DB_MODE_CONST));
    REFUSED(OCR_ENOTSUP, ocrGroupBegin());
    REFUSED(OCR_ENOTSUP, ocrGroupEnd());

    ocrDbPart_t part = {0, 4, event};
    REFUSED(OCR_ENOTSUP, ocrDbPartition(block, 1, &part, OCR_DB_PARTITION_STATIC));
    CHECK(ocrGuidIsEq(part.guid, event));
    ocrShutdown();
    return NULL_GUID;
}
