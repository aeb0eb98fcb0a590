// Strict mode: a block is written that no EDT holds, and no EDT has run that could have done it: a thread of the
// program has. Here the main thread, through the pointer that it got to read.
//
// misuse: OCR-2.5.3-e
// env: OCR_CHECK=strict
// status: 1
// stderr: a data block was written while nobody held it for writing
// stderr: was done with it; since then ran no other EDT
// stderr: only reads what ocrLegacyBlockProgress gives it
// stderr-without: since then ran EDT
#include "check.h"

#include <extensions/ocr-legacy.h>

static ocrGuid_t makes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *address;
    const ocrGuid_t block = block_of(sizeof(u64), &address);
    *(u64 *)address = 5;
    return block;
}

static ocrGuid_t reads(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"it does not come so far");
    return NULL_GUID;
}

int main(int argc, char **argv) {
    ocrConfig_t config;
    ocrGuid_t context, handle, block, slots[] = {NULL_GUID, NULL_GUID};
    void *result;
    ocrParseArgs(argc, (const char **)argv, &config);
    ocrLegacyInit(&context, &config);
    OK(ocrLegacySpawnOCR(&handle, template_of(makes, 0, 1), 0, NULL, 1, slots, context));
    OK(ocrLegacyBlockProgress(handle, &block, &result, NULL, LEGACY_PROP_NONE));
    CHECK_EQ(*(u64 *)result, 5);
    *(u64 *)result = 6;
    slots[1] = block;
    OK(ocrLegacySpawnOCR(&handle, template_of(reads, 0, 2), 0, NULL, 2, slots, context));
    return ocrLegacyFinalize(context, true);
}
