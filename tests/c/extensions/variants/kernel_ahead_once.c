/*
 * DB_PROP_SINGLE_ASSIGNMENT: of two kernels in a chain the second may not write the block any more, also where
 * it could be enqueued ahead, and share the block with the first in RW mode.
 */
// clause: ocr-variants.h
// needs: opencl
// env: OCR_SCHED=device
// env: OCR_CHECK=strict
// status: 1
// stderr: wants to write the data block 0x
// stderr: DB_PROP_SINGLE_ASSIGNMENT and its first writer has released it
#include "kernel.h"

static ocrGuid_t no_function(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"the C function ran though the policy is `device`");
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block, output, ended, tmpl = template_of(no_function, 0, 1);
    void *addr;
    OK(ocrEdtTemplateAddKernel(tmpl, "__kernel void one(__global uint *words) { words[get_global_id(0)] = 1u; }", NULL,
                               "one", per_word, 0));
    OK(ocrDbCreate(&block, &addr, 4000, DB_PROP_SINGLE_ASSIGNMENT | DB_PROP_NO_ACQUIRE, NULL_HINT, NO_ALLOC));
    ocrGuid_t first = edt_of(tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, &output);
    ocrGuid_t second = edt_of(tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, &ended);
    link_to(ended, end_after(1), 0, DB_MODE_NULL);
    link_to(output, second, 0, DB_MODE_RW);
    link_to(block, first, 0, DB_MODE_RW);
    return NULL_GUID;
}
