/*
 * A.7: a block has the GUID of another one. The EDT that reads the GUID there has not acquired the other block, so it
 * passes it on: the EDT behind its output event gets it.
 */
// clause: A.7
#include "check.h"

static ocrGuid_t reads_guid(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ocrGuid_t other = *(ocrGuid_t *)depv[0].ptr;
    if (!is_strict())
        REFUSED(OCR_EACCES, ocrDbRelease(other));
    return other;
}

static ocrGuid_t reads_number(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(number_in(depv[0]), 42);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *addr;
    ocrGuid_t number = block_with(42), home = block_of(sizeof number, &addr), output;
    *(ocrGuid_t *)addr = number;
    OK(ocrDbRelease(home));
    ocrGuid_t first = spawn_with(reads_guid, 0, NULL, 1, NULL, EDT_PROP_NONE, &output);
    link_to(output, spawn(reads_number, 0, NULL, 1, NULL), 0, DB_MODE_RO);
    link_to(home, first, 0, DB_MODE_RO);
    return NULL_GUID;
}
