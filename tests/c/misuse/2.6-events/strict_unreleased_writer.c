/* Strict mode: an EDT that holds a block for writing makes a kernel depend on it, and has not released it. */
// misuse: OCR-2.6.3-c
// env: OCR_CHECK=strict
// needs: opencl
// env: OCR_DEVICES=all
// status: 1
// stderr: (writes) passed a data block on, by ocrAddDependence, without ocrDbRelease: a kernel of EDT 0x
// stderr: (reads) reads it in mode DB_MODE_RO, through pre-slot 0, while EDT 0x
// stderr: Call ocrDbRelease after the last write, and ocrAddDependence then.
#include "strict.h"
#include "kernel.h"

static ocrGuid_t s_reads;

static ocrGuid_t writes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(u32 *)depv[0].ptr = 1;
    link_to(depv[0].guid, kernel_edt(s_reads, 1, 0, NULL, 1, NULL), 0, DB_MODE_RO);
    /* it is reported as soon as the kernel would be launched */
    for (;;)
        breathe();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    s_reads = kernel_of("kernel void reads(global const uint *in) {}", "reads", 0, 1);
    link_to(words_block(4, 1, 1), EDT(writes, 0, NULL, 1, NULL), 0, DB_MODE_EW);
    return NULL_GUID;
}
