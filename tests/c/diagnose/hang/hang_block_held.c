/*
 * A hang because a thread of the program holds a block indefinitely: main, which waits for the end. The
 * message names the block, who holds it, who waits for it, and who waits for that one.
 */
// clause: hang
// status: 1
// stderr: (wants_it) waits on pre-slot 0 for the data block
// stderr: (48 bytes) in mode EW: it is held in mode RW by the main thread, which created it and has not released it
// stderr: the main thread waits in ocrLegacyFinalize
// stderr: (reads_it) waits on pre-slot 1 for the data block
// stderr: in mode CONST
// stderr: (last) waits on
// stderr: (wants_it), which has not ended
// needs: halt
#include "check.h"

#include <extensions/ocr-legacy.h>

static ocrGuid_t wants_it(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"ran without its block");
    return NULL_GUID;
}

static ocrGuid_t reads_it(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    return wants_it(paramc, paramv, depc, depv);
}

static ocrGuid_t last(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    ocrShutdown();
    return wants_it(paramc, paramv, depc, depv);
}

int main(int argc, char **argv) {
    ocrConfig_t config;
    ocrGuid_t context, tmpl, edt, output, block;
    void *addr;
    ocrParseArgs(argc, (const char **)argv, &config);
    ocrLegacyInit(&context, &config);
    block = block_of(48, &addr);
    OK(ocrEdtTemplateCreate(&tmpl, last, 0, 1));
    ocrGuid_t end = edt_of(tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL);
    OK(ocrEdtTemplateCreate(&tmpl, wants_it, 0, 1));
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, &output));
    link_to(output, end, 0, DB_MODE_NULL);
    link_to(block, edt, 0, DB_MODE_EW);
    OK(ocrEdtTemplateCreate(&tmpl, reads_it, 0, 2));
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 2, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    link_to(block, edt, 1, DB_MODE_CONST);
    return ocrLegacyFinalize(context, true);
}
