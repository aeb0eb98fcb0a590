/*
 * Sixteen blocks of 256 KiB where the device holds one MiB: blocks leave and come back, modified
 * ones written back first, those in use never; every number is right in the end.
 */
// clause: ocr-variants.h ocr-stats.h
// needs: opencl
// env: OCR_DEVICE_MEMORY=1M
// env: OCR_DEVICE_FORCE_COPIES=1
#include "kernel.h"

static const char *source =
    "__kernel void adds(__global uint *to, __global const uint *from, __global uint *a, __global uint *b) {\n"
    "    size_t i = get_global_id(0);\n"
    "    to[i] = to[i] * 3u + from[i];\n"
    "}\n";
enum { BLOCKS = 16, COUNT = 65536, STEPS = 120 };

static u32 first_of(u32 b, u32 i) { return b * 1000003u + i; }

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    for (u32 i = 0; i < COUNT; i++) {
        u32 words[BLOCKS];
        u64 seed = 5;
        for (u32 b = 0; b < BLOCKS; b++) {
            words[b] = first_of(b, i);
        }
        for (int step = 0; step < STEPS; step++) {
            u32 to = (u32)(next_random(&seed) >> 60), from = (to + 1 + (u32)(next_random(&seed) >> 61)) % BLOCKS;
            words[to] = words[to] * 3u + words[from];
        }
        for (u32 b = 0; b < BLOCKS; b++) {
            CHECK_EQ(((u32 *)depv[b].ptr)[i], words[b]);
        }
    }
    /* Some of the blocks went over more than once, so others had to leave. */
    ocrStats_t stats;
    OK(ocrStatsGet(&stats));
    CHECK_EQ(stats.kernelEdts, STEPS);
    CHECK(stats.bytesToDevices > BLOCKS * COUNT * sizeof(u32));
    CHECK(stats.bytesFromDevices >= BLOCKS * COUNT * sizeof(u32) / 2);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t kernel = kernel_of(source, "adds", 0, 4), blocks[BLOCKS], used[BLOCKS];
    ocrGuid_t last = spawn(checks, 0, NULL, 2 * BLOCKS, NULL), start = event_of(OCR_EVENT_STICKY_T);
    for (u32 b = 0; b < BLOCKS; b++) {
        void *addr;
        blocks[b] = block_of(COUNT * sizeof(u32), &addr);
        used[b] = start;
        for (u32 i = 0; i < COUNT; i++) {
            ((u32 *)addr)[i] = first_of(b, i);
        }
        OK(ocrDbRelease(blocks[b]));
    }
    /* Each step waits for the last ones that used its two blocks; the others run side by side. */
    u64 seed = 5;
    for (int step = 0; step < STEPS; step++) {
        u32 to = (u32)(next_random(&seed) >> 60), from = (to + 1 + (u32)(next_random(&seed) >> 61)) % BLOCKS;
        ocrGuid_t output, ended = event_of(OCR_EVENT_STICKY_T), edt = kernel_edt(kernel, COUNT, 0, NULL, 4, &output);
        link_to(output, ended, 0, DB_MODE_NULL);
        link_to(blocks[to], edt, 0, DB_MODE_EW);
        link_to(blocks[from], edt, 1, DB_MODE_CONST);
        link_to(used[to], edt, 2, DB_MODE_NULL);
        link_to(used[from], edt, 3, DB_MODE_NULL);
        used[to] = used[from] = ended;
    }
    for (u32 b = 0; b < BLOCKS; b++) {
        link_to(blocks[b], last, b, DB_MODE_RO);
        link_to(used[b], last, BLOCKS + b, DB_MODE_NULL);
    }
    OK(ocrEdtTemplateDestroy(kernel));
    OK(ocrEventSatisfy(start, NULL_GUID));
    return NULL_GUID;
}
