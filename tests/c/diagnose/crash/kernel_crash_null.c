// What strict mode says of a kernel that crashed since its EDT has no data block on a pre-slot: which EDT and pre-slot
// that is, and who satisfied it. A process of its own crashes, with all its threads. There is one work-item: of
// several, another may crash first, at another address.
//
// clause: crash ocr-opencl.h
// env: OCR_CHECK=strict
// stderr: a thread of OpenCL, which executes kernels, crashed with SIGSEGV at address 0x0, close to a null pointer
// stderr: (adds), without a data block on pre-slot 0.
// stderr: (adds):
// stderr: created by ocrOpenclTaskCreate in EDT
// stderr: pre-slot 0 connected to sticky event
// stderr: satisfied by ocrEventSatisfy in EDT
// needs: opencl
// needs: signals
#include "crash.h"
#include "kernel.h"

static const char *source = "__kernel void adds(__global const int *a, __global int *b) {"
                            "    b[get_global_id(0)] += a[get_global_id(0)];"
                            "}\n";

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    if (getenv("CRASHES") == NULL) {
        run_to_crash();
        return NULL_GUID;
    }
    void *address;
    const ocrGuid_t event = event_of(OCR_EVENT_STICKY_T), block = block_of(64, &address);
    const ocrGuid_t edt = kernel_edt(kernel_of(source, "adds", 0, 2), 1, 0, NULL, 2, NULL);
    OK(ocrDbRelease(block));
    link_to(event, edt, 0, DB_MODE_RO);
    link_to(block, edt, 1, DB_MODE_RW);
    OK(ocrEventSatisfy(event, NULL_GUID));
    return NULL_GUID;
}
