/* OCR_BIND=off: all threads may run everywhere, whatever is used beside what. */
// clause: process ocr-variants.h
// needs: opencl
// workers: 1
// env: OCR_BIND=off
#include "kernel_cores.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    need_cores();
    with_kernel(twice);
    expect_shared();
    ocrShutdown();
    return NULL_GUID;
}
