/*
 * Strict mode: a kernel in mode RO reads a block beside an EDT of the host that writes it, and that has not passed it
 * on: a right program may do so, and it is a note. The kernel finds what is in the block then.
 */
// clause: 1.4.4
// unordered: a kernel in mode RO beside the EDT that holds its block for writing
// env: OCR_CHECK=strict
// needs: opencl
// env: OCR_DEVICES=all
// env: OCR_DEVICE_FORCE_COPIES=1
// workers: 2 8
// stderr: ocr: note: strict mode: a kernel of EDT 0x
// stderr: (reads) reads data block 0x
// stderr: in mode DB_MODE_RO, through pre-slot 0, while an EDT on the host holds it for writing
// stderr: call ocrDbRelease before the kernel's EDT can run; or ask for DB_MODE_CONST
// stderr-without: ocr: error
#include "strict.h"
#include "kernel.h"

static ocrGuid_t s_block;
static bool s_holds;

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(*(u32 *)depv[0].ptr, 7);
    return NULL_GUID;
}

static ocrGuid_t writes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(u32 *)depv[0].ptr = 7;
    __atomic_store_n(&s_holds, true, __ATOMIC_RELEASE);
    ocrStats_t stats;
    do {
        breathe();
        OK(ocrStatsGet(&stats));
    } while (stats.kernelEdts < 1);
    return NULL_GUID;
}

/* Waits until the other EDT has the block, and has it read then. */
static ocrGuid_t passes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    while (!__atomic_load_n(&s_holds, __ATOMIC_ACQUIRE))
        breathe();
    link_to(s_block, *(ocrGuid_t *)&paramv[0], 0, DB_MODE_RO);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl =
        kernel_of("kernel void reads(global const uint *in, global uint *out) { out[0] = in[0]; }", "reads", 0, 2);
    ocrGuid_t read, wrote, checked, out = bare_block(sizeof(u32)), last = END(2),
                                    reads = kernel_edt(tmpl, 1, 0, NULL, 2, &read);
    ocrGuid_t writer = EDT_WITH(writes, 0, NULL, 1, NULL, &wrote), check = EDT_WITH(checks, 0, NULL, 2, NULL, &checked);
    u64 params[sizeof(ocrGuid_t) / sizeof(u64)];
    memcpy(params, &reads, sizeof reads);
    link_to(wrote, last, 0, DB_MODE_NULL);
    link_to(checked, last, 1, DB_MODE_NULL);
    link_to(read, check, 1, DB_MODE_NULL);
    link_to(out, check, 0, DB_MODE_CONST);
    link_to(out, reads, 1, DB_MODE_EW);
    s_block = words_block(4, 1, 1);
    link_to(s_block, writer, 0, DB_MODE_EW);
    EDT(passes, sizeof params / sizeof params[0], params, 0, NULL);
    return NULL_GUID;
}
