/* An index space whose size is a negative number by mistake. */
// clause: ocr-opencl.h
// needs: opencl
// status: nonzero
// stderr: (fills): its index space has [18446744073709551615] work-items in its dimensions
// stderr: A size may be negative
#include "kernel.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t edt, kernel;
    OK(ocrOpenclTemplateCreate(&kernel, "kernel void fills(global uint *words) { words[get_global_id(0)] = 1; }", NULL,
                               "fills", 0, 1, NULL));
    ocrGuid_t block = words_block(16, 0, 0);
    const size_t size[] = {(size_t)-1};
    OK(ocrOpenclTaskCreate(&edt, kernel, 1, NULL, size, NULL, 0, NULL, 1, &block, EDT_PROP_NONE, NULL_GUID, NULL));
    return NULL_GUID;
}
