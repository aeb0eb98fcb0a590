/*
 * A hang because parts are never destroyed: the message names who waits for the whole, the parts, and who waits for
 * a part of a block that cannot be divided yet.
 */
// clause: hang
// status: 1
// stderr: (wants_whole) waits on pre-slot 0 for the data block
// stderr: (64 bytes) in mode RO: it is held in mode EW by its part, the data block
// stderr: (24 bytes), which has not been destroyed (ocrDbDestroy)
// stderr: (wants_part) waits on pre-slot 0 for the data block
// stderr: (16 bytes) in mode CONST: it is held in mode EW by ocrDbPartition, until the data block
// stderr: , of which it is a part, can be had
// stderr: (ocrDbPartition) waits on pre-slot 0 for the data block
// needs: halt
#include "check.h"
#include <extensions/ocr-db-partitioning.h>
#include <extensions/ocr-legacy.h>

static ocrGuid_t wants_whole(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"ran without its block");
    return NULL_GUID;
}

static ocrGuid_t wants_part(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    return wants_whole(paramc, paramv, depc, depv);
}

int main(int argc, char **argv) {
    ocrConfig_t config;
    ocrGuid_t context, tmpl, edt, held, block;
    void *addr;
    ocrParseArgs(argc, (const char **)argv, &config);
    ocrLegacyInit(&context, &config);
    block = block_of(64, &addr);
    held = block_of(32, &addr);
    ocrDbPart_t parts[] = {{.offset = 0, .size = 24}, {.offset = 32, .size = 8}}, of_held = {.offset = 16, .size = 16};
    OK(ocrDbRelease(block));
    OK(ocrDbPartition(block, 2, parts, 0));
    OK(ocrDbPartition(held, 1, &of_held, 0)); /* which main holds until the process ends */
    OK(ocrEdtTemplateCreate(&tmpl, wants_whole, 0, 1));
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    link_to(block, edt, 0, DB_MODE_RO);
    OK(ocrEdtTemplateCreate(&tmpl, wants_part, 0, 1));
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    link_to(of_held.guid, edt, 0, DB_MODE_CONST);
    return ocrLegacyFinalize(context, true);
}
