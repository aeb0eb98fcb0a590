/* Strict mode: the creator of a block makes a kernel depend on it, and does not release it. */
// misuse: OCR-2.6.3-c
// env: OCR_CHECK=strict
// needs: opencl
// env: OCR_DEVICES=all
// status: 1
// stderr: ocr: error: strict mode: EDT 0x
// stderr: (mainEdt) passed a data block on, by ocrAddDependence, without ocrDbRelease: a kernel of EDT 0x
// stderr: (reads) reads it in mode DB_MODE_RO, through pre-slot 0, while EDT 0x
// stderr: seen as the kernel of EDT 0x
// stderr: it ran as the kernel "reads" on
// stderr: Call ocrDbRelease after the last write, and ocrAddDependence then.
#include "kernel.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u32 *words;
    ocrGuid_t block = block_of(4 * sizeof(u32), (void **)&words);
    ocrGuid_t reads =
        kernel_edt(kernel_of("kernel void reads(global const uint *in) {}", "reads", 0, 1), 1, 0, NULL, 1, NULL);
    for (u32 i = 0; i < 4; i++)
        words[i] = i;
    link_to(block, reads, 0, DB_MODE_RO);
    /* it is reported as soon as the kernel would be launched */
    for (;;)
        breathe();
    return NULL_GUID;
}
