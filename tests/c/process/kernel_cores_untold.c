/*
 * Where the program is linked with OpenCL itself, it is not known which threads are the driver's, and so they are not
 * bound: the report says so, and does not claim that workers and device have cores of their own.
 */
// clause: process ocr-variants.h
// needs: opencl
// workers: 1
// env: LD_PRELOAD=libOpenCL.so.1
// env: OCR_STATS=1
// stderr: were to have cores of their own, but which threads are the device's cannot be told
// stderr-without: have cores of their own;
#include "kernel_cores.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    need_cores();
    with_kernel(twice);
    Side workers, device;
    look(&workers, &device);
    if (device.threads == 0) {
        NOT_RUN("which threads are the OpenCL device's cannot be found out");
    }
    ocrShutdown();
    return NULL_GUID;
}
