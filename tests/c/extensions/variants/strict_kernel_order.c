/* Strict mode: a pre-slot that a kernel has no argument for, since it only orders, gets a block. */
// clause: ocr-variants.h
// env: OCR_CHECK=strict
// needs: opencl
// status: 1
// stderr: the kernel has no argument for pre-slot 1, which has the data block 0x
// stderr: it takes 2 arguments (ulong by, global ulong *x) for 1 parameter and 2 pre-slots
// stderr: connect it in mode DB_MODE_NULL
#include "strict.h"
#include <extensions/ocr-opencl.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    static const size_t one = 1;
    u64 by = 3;
    ocrGuid_t tmpl, edt, slots[] = {block_with(1), block_with(2)};
    OK(ocrOpenclTemplateCreate(&tmpl, "kernel void adds(ulong by, global ulong *x) { x[0] += by; }", NULL, "adds", 1, 2,
                               NULL));
    OK(ocrOpenclTaskCreate(&edt, tmpl, 1, NULL, &one, NULL, 1, &by, 2, slots, EDT_PROP_NONE, NULL_GUID, NULL));
    return NULL_GUID;
}
