/*
 * A program that hangs when workers have given up their seats: those that are left sleep, and the runtime finds that
 * at once, not by a look at all threads of the process.
 */
// clause: hang ocr-variants.h
// needs: opencl
// needs: halt
// workers: 2
// env: OCR_WORKERS=
// env: OCR_BIND=fixed
// env: OCR_DEVICES=cpu
// status: 1
// stderr: the program hangs: no EDT is ready
// stderr: which was never satisfied
// stderr-without: every thread of the process
#include "kernel_cores.h"

static ocrGuid_t never(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    need_cores();
    needs_cpu_device();
    u64 before = ocrNbWorkers();
    with_kernel(twice);
    CHECK(ocrNbWorkers() < before);
    ocrGuid_t event = event_of(OCR_EVENT_STICKY_T);
    spawn(never, 0, NULL, 1, &event);
    return NULL_GUID;
}
