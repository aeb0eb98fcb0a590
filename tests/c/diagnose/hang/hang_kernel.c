/*
 * A program hangs whose kernel waits for a block, after another one has run: the threads of OpenCL do not count
 * as the program's, neither those that it starts with a device nor those that it starts with a kernel.
 */
// clause: hang
// status: nonzero
// needs: opencl
// needs: halt
// stderr: the program hangs
// stderr: (increment) waits on
// stderr: pre-slot 1: the sticky event

#include "check.h"
#include <extensions/ocr-opencl.h>

static const char source[] = "kernel void increment(global ulong *x, global ulong *y) { x[0] += y ? y[0] : 1; }";

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl, edt, block = block_with(1), slots[] = {UNINITIALIZED_GUID, UNINITIALIZED_GUID};
    ocrGuid_t first, first_slots[] = {UNINITIALIZED_GUID, NULL_GUID};
    size_t one = 1;
    OK(ocrEventCreate(&slots[1], OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG));
    OK(ocrOpenclTemplateCreate(&tmpl, source, NULL, "increment", 0, 2, NULL));
    OK(ocrOpenclTaskCreate(&first, tmpl, 1, NULL, &one, NULL, 0, NULL, 2, first_slots, EDT_PROP_NONE, NULL_GUID,
                           slots));
    OK(ocrOpenclTaskCreate(&edt, tmpl, 1, NULL, &one, NULL, 0, NULL, 2, slots, EDT_PROP_NONE, NULL_GUID, NULL));
    /* Not before: its output event goes when it has run. */
    link_to(block, first, 0, DB_MODE_RW);
    return NULL_GUID;
}
