/*
 * What the placement policy keeps until a place takes it is ready, too: ocrQuery says so while the runtime is paused,
 * and nothing of it is lost.
 */
// clause: ocr-pause.h
// needs: opencl
// workers: 1
// env: OCR_DEVICES=all
// env: OCR_SCHED=eft
#include "kernel.h"
#include <extensions/ocr-pause.h>

enum { EDTS = 40 };

/* Long enough that the device has not taken them all when the EDT asks that has created them. */
static const char *source = "__kernel void spins(__global uint *words) {\n"
                            "    uint x = words[0];\n"
                            "    for (uint i = 0; i < 20000000; i++)\n"
                            "        x = x * 1664525u + 1013904223u;\n"
                            "    words[0] = x | 1;\n"
                            "}\n";

static ocrGuid_t function(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(u32 *)depv[0].ptr = 1;
    return NULL_GUID;
}

static ocrGuid_t done(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    for (u32 i = 0; i < depc; i++)
        if (depv[i].ptr != NULL)
            CHECK(*(u32 *)depv[i].ptr & 1);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t both = template_of(function, 0, 1), last = spawn(done, 0, NULL, 2 * EDTS, NULL), edts[EDTS];
    OK(ocrEdtTemplateAddKernel(both, source, NULL, "spins", one_item, OCR_NO_RESULT));
    for (u32 i = 0; i < EDTS; i++) {
        void *addr;
        ocrGuid_t ended, block = block_of(sizeof(u32), &addr);
        *(u32 *)addr = 0;
        OK(ocrDbRelease(block));
        OK(ocrEdtCreate(&edts[i], both, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, &ended));
        link_to(ended, last, 2 * i, DB_MODE_NULL);
        link_to(block, last, 2 * i + 1, DB_MODE_RO);
        link_to(block, edts[i], 0, DB_MODE_EW);
    }
    CHECK_EQ(ocrPause(true), 1);
    void *list = NULL;
    u32 size = 0, kept = 0;
    ocrGuid_t answer = ocrQuery(OCR_QUERY_READY_EDTS, NULL_GUID, &list, &size, 0);
    for (u32 n = 0; n < size / sizeof(ocrGuid_t); n++)
        for (u32 i = 0; i < EDTS; i++)
            kept += ocrGuidIsEq(((ocrGuid_t *)list)[n], edts[i]);
    OK(ocrDbDestroy(answer));
    CHECK(kept >= EDTS / 2);
    ocrResume(1);
    return NULL_GUID;
}
