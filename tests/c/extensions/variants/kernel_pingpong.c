/*
 * Where device memory is apart from the host's, as this run pretends, a block goes over and back
 * between kernel-only and C-only EDTs, with sizes that are no multiple of anything.
 */
// clause: ocr-variants.h ocr-stats.h
// needs: opencl
// env: OCR_DEVICE_FORCE_COPIES=1
#include "kernel.h"

static const char *source = "__kernel void mixes(uint k, __global uchar *bytes) {\n"
                            "    size_t i = get_global_id(0);\n"
                            "    bytes[i] = (uchar)(bytes[i] * 5 + k);\n"
                            "}\n";
enum { BLOCKS = 8, STEPS = 60 };

static u64 size_of(u64 n) { return 1 + n * n * 997; }

static ocrGuid_t mixes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    for (u64 i = 0; i < size_of(paramv[1]); i++) {
        unsigned char *byte = (unsigned char *)depv[0].ptr + i;
        *byte = (unsigned char)(*byte * 5 + paramv[0]);
    }
    return NULL_GUID;
}

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    for (u64 i = 0; i < size_of(paramv[0]); i++) {
        unsigned char want = (unsigned char)i;
        for (u64 k = 0; k < STEPS; k++) {
            want = (unsigned char)(want * 5 + k);
        }
        CHECK_EQ(((unsigned char *)depv[0].ptr)[i], want);
    }
    /* Every third step is the host's: the block came over for each of the pairs between. */
    ocrStats_t stats;
    OK(ocrStatsGet(&stats));
    CHECK(stats.bytesToDevices >= STEPS / 3 * size_of(paramv[0]));
    CHECK(stats.bytesFromDevices >= STEPS / 3 * size_of(paramv[0]));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t last = end_after(BLOCKS), kernel = kernel_of(source, "mixes", 1, 1);
    for (u64 n = 0; n < BLOCKS; n++) {
        void *addr;
        ocrGuid_t block = block_of(size_of(n), &addr), ended;
        for (u64 i = 0; i < size_of(n); i++) {
            ((unsigned char *)addr)[i] = (unsigned char)i;
        }
        /* All wait for the block, exclusively: they run in the order in which they were made. */
        for (u64 k = 0; k < STEPS; k++) {
            u64 args[] = {k, n};
            ocrGuid_t edt =
                k % 3 == 0 ? spawn(mixes, 2, args, 1, NULL) : kernel_edt(kernel, size_of(n), 1, &k, 1, NULL);
            link_to(block, edt, 0, DB_MODE_EW);
        }
        ocrGuid_t check = spawn_with(checks, 1, &n, 1, NULL, EDT_PROP_NONE, &ended);
        link_to(ended, last, (u32)n, DB_MODE_NULL);
        link_to(block, check, 0, DB_MODE_EW);
    }
    OK(ocrEdtTemplateDestroy(kernel));
    return NULL_GUID;
}
