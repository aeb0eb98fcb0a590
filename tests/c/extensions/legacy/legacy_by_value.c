/*
 * A thread outside of EDTs passes what its blocks hold by value, and gets a content that was passed so, which is
 * its to destroy. It has no groups.
 */
// clause: ocr-legacy.h
#include "check.h"
#include <extensions/ocr-db-by-value.h>
#include <extensions/ocr-db-partitioning.h>
#include <extensions/ocr-legacy.h>

static ocrGuid_t doubles(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    *(u64 *)depv[0].ptr *= 2;
    for (int i = 0; i < 5; i++)
        breathe();
    OK(ocrAddDependenceByValue(depv[0].guid, ((ocrGuid_t *)paramv)[0], 0, DB_MODE_NULL));
    return NULL_GUID;
}

int main(int argc, char **argv) {
    ocrConfig_t config;
    ocrGuid_t context, block, got, copied;
    u64 *number, size;
    void *addr;
    ocrParseArgs(argc, (const char **)argv, &config);
    ocrLegacyInit(&context, &config);
    block = block_of(sizeof *number, (void **)&number);
    for (u64 i = 0; i < 20; i++) {
        ocrGuid_t event = event_of(i % 2 ? OCR_EVENT_STICKY_T : OCR_EVENT_IDEM_T);
        *number = i;
        OK(ocrAddDependenceByValue(block, spawn(doubles, 1, (u64 *)&event, 1, NULL), 0, DB_MODE_EW));
        *number = 0;
        OK(ocrLegacyBlockProgress(event, &got, &addr, &size, LEGACY_PROP_NONE));
        CHECK_EQ(*(u64 *)addr, 2 * i);
        CHECK_EQ(size, sizeof *number);
        OK(ocrDbDestroy(got));
        OK(ocrEventDestroy(event));
    }
    REFUSED(OCR_EPERM, ocrGroupBegin());
    REFUSED(OCR_EPERM, ocrGroupEnd());
    /* The event of a copy is sticky here. */
    *number = 5;
    OK(ocrDbRelease(block));
    ocrGuid_t other = block_with(0);
    OK(ocrDbCopy(other, 0, block, 0, sizeof *number, DB_COPY_PARTITION_BACK, &copied));
    for (int i = 0; i < 2; i++) {
        OK(ocrLegacyBlockProgress(copied, &got, &addr, &size, LEGACY_PROP_NONE));
        CHECK(ocrGuidIsEq(got, other));
        CHECK_EQ(*(u64 *)addr, 5);
    }
    REFUSED(OCR_EPERM, ocrDbDestroy(block));
    OK(ocrEventDestroy(copied));
    OK(ocrDbDestroy(other));
    ocrShutdown();
    CHECK_EQ(ocrLegacyFinalize(context, true), 0);
    return 0;
}
