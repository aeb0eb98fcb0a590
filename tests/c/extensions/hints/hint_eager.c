/*
 * OCR_HINT_DB_EAGER: what a kernel has written comes to the host though no EDT asks for it. Blocks without the hint,
 * with the value 0, or that a kernel has only read, stay where they are.
 */
// clause: ocr-hints.h ocr-variants.h B.1
// needs: opencl
// env: OCR_DEVICES=all
// env: OCR_DEVICE_FORCE_COPIES=1
#include "kernel.h"

enum { WORDS = 1024, KERNELS = 4 };

static const char *source = "__kernel void fill(__global uint *words) { words[get_global_id(0)] = 2; }\n";
static const char *reads = "__kernel void reads(__global const uint *words) {}\n";
static ocrGuid_t s_blocks[KERNELS];

static ocrGuid_t hinted_block(s64 eager) {
    ocrHint_t hint;
    u32 *data;
    ocrGuid_t block;
    OK(ocrHintInit(&hint, OCR_HINT_DB_T));
    if (eager >= 0)
        OK(ocrSetHintValue(&hint, OCR_HINT_DB_EAGER, eager));
    OK(ocrDbCreate(&block, (void **)&data, WORDS * sizeof(u32), DB_PROP_NO_ACQUIRE, &hint, NO_ALLOC));
    return block;
}

static ocrGuid_t last(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ocrStats_t stats;
    OK(ocrStatsGet(&stats));
    CHECK_EQ(stats.kernelEdts, KERNELS);
    CHECK_EQ(stats.bytesFromDevices, WORDS * sizeof(u32));
    CHECK_EQ(((u32 *)depv[0].ptr)[WORDS - 1], 2);
    ocrShutdown();
    return NULL_GUID;
}

/* All kernels have ended. Looks again and again, until the block has come: if it does not, the program does not end. */
static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrStats_t stats;
    OK(ocrStatsGet(&stats));
    CHECK(stats.bytesFromDevices <= WORDS * sizeof(u32));
    if (stats.bytesFromDevices == 0) {
        sched_yield();
        spawn(looks, 0, NULL, 0, NULL);
    } else {
        spawn(last, 0, NULL, 1, &s_blocks[0]);
    }
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    const s64 eager[KERNELS] = {1, 0, -1, 1}; /* -1: without the hint */
    ocrGuid_t fill = kernel_of(source, "fill", 0, 1), read = kernel_of(reads, "reads", 0, 1);
    ocrGuid_t all = spawn(looks, 0, NULL, KERNELS, NULL);
    for (u32 i = 0; i < KERNELS; i++) {
        const bool writes = i + 1 < KERNELS;
        ocrGuid_t ended, kernel = kernel_edt(writes ? fill : read, WORDS, 0, NULL, 1, &ended);
        s_blocks[i] = hinted_block(eager[i]);
        link_to(ended, all, i, DB_MODE_NULL);
        link_to(s_blocks[i], kernel, 0, writes ? DB_MODE_EW : DB_MODE_RO);
    }
    return NULL_GUID;
}
