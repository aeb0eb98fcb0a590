/*
 * Strict mode: a kernel writes beyond a data block. It is seen on devices that work in host memory, which those
 * of CPUs do.
 */
// misuse: OCR-2.5.1-b
// needs: opencl
// env: OCR_CHECK=strict
// env: OCR_DEVICES=cpu
// status: 1
// stderr: a data block of 64 bytes was written beyond its end
// stderr: at byte 64, while EDT 0x
// stderr: held it in mode DB_MODE_EW, through pre-slot 0

#include "kernel.h"

static const char *source =
    "__kernel void beyond(__global uint *words) { words[get_global_id(0)] = 1; }\n";

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl, edt, done;
    tmpl = kernel_of(source, "beyond", 0, 1);
    needs_cpu_device();
    edt = kernel_edt(tmpl, 17, 0, NULL, 1, &done);
    spawn(end_edt, 0, NULL, 1, &done);
    link_to(words_block(16, 0, 0), edt, 0, DB_MODE_EW);
    return NULL_GUID;
}
