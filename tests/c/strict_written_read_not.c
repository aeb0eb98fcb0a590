/* A block that is written after a dependence of a reader was added is right as long as the reader still waits. */
// env: OCR_CHECK=strict
// stderr-without: ocr: error
#include "check.h"

static ocrGuid_t reads(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(number_in(depv[0]), 42);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *addr;
    ocrGuid_t block = block_of(sizeof(u64), &addr), gate = event_of(OCR_EVENT_STICKY_T);
    ocrGuid_t reader = spawn(reads, 0, NULL, 2, NULL);
    link_to(block, reader, 0, DB_MODE_RO);
    link_to(gate, reader, 1, DB_MODE_NULL);
    *(u64 *)addr = 42;
    OK(ocrDbRelease(block));
    OK(ocrEventSatisfy(gate, NULL_GUID));
    return NULL_GUID;
}
