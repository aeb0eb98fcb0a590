/*
 * Strict mode: a kernel writes a data block that it has asked only to read. It is seen on devices that work in host
 * memory, which those of CPUs do.
 */
// misuse: OCR-2.5.3-c
// env: OCR_CHECK=strict
// needs: opencl
// env: OCR_DEVICES=cpu
// status: 1
// stderr: strict mode: a data block was written while EDT 0x
// stderr:  held it in mode DB_MODE_RO, through pre-slot 0
// stderr: (writes)
// stderr: it ran as the kernel "writes" on
// stderr: created by ocrOpenclTaskCreate in EDT
#include "kernel.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    needs_cpu_device();
    ocrGuid_t done, block = words_block(4, 1, 1);
    ocrGuid_t edt = kernel_edt(kernel_of("kernel void writes(global int *in) { in[0] = 42; }", "writes", 0, 1), 1, 0,
                               NULL, 1, &done);
    ocrGuid_t end = end_after(1);
    OK(ocrAddDependence(done, end, 0, DB_MODE_NULL));
    OK(ocrAddDependence(block, edt, 0, DB_MODE_RO));
    return NULL_GUID;
}
