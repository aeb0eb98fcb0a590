/* A block that is written after a dependence of a reader was added is right as long as the reader still waits. */
// clause: 1.4.4
// env: OCR_CHECK=strict
// stderr-without: ocr: error
// stderr-without: whether that finds
#include "check.h"

static ocrGuid_t reads(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(number_in(depv[0]), 42);
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t finds(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(number_in(depv[0]), 42);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *addr;
    ocrGuid_t block = block_of(sizeof(u64), &addr), gate = event_of(OCR_EVENT_STICKY_T);
    ocrGuid_t reader = spawn(reads, 0, NULL, 2, NULL);
    link_to(block, reader, 0, DB_MODE_RO);
    link_to(gate, reader, 1, DB_MODE_NULL);
    /* The other reader waits for a block that this EDT has. */
    void *other;
    ocrGuid_t held = block_of(8, &other), waits = spawn(finds, 0, NULL, 2, NULL);
    link_to(held, waits, 1, DB_MODE_EW);
    link_to(block, waits, 0, DB_MODE_RO);
    *(u64 *)addr = 42;
    OK(ocrDbRelease(block));
    OK(ocrEventSatisfy(gate, NULL_GUID));
    return NULL_GUID;
}
