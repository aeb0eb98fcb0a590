/* A block that is larger than a buffer of the device can be: the message names the limit, and the C function runs. */
// clause: ocr-variants.h
// needs: opencl
// env: OCR_DEVICES=all
// env: OCR_SCHED=device
// env: POCL_MEMORY_LIMIT=1
// workers: 2
// stdout: done
#include "kernel.h"

#define BYTES (600ull << 20) /* PoCL has 256 MiB for one then */

static ocrGuid_t function(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ((u8 *)depv[0].ptr)[BYTES - 1] = 1;
    return NULL_GUID;
}

static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(((u8 *)depv[0].ptr)[BYTES - 1], 1);
    printf("done\n");
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl = template_of(function, 0, 1), output;
    OK(ocrEdtTemplateAddKernel(tmpl, "kernel void ends(global uchar *bytes) { bytes[(600ul << 20) - 1] = 1; }", NULL,
                               "ends", one_item, OCR_NO_RESULT));
    ocrGuid_t edt = edt_of(tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, &output), last = spawn(looks, 0, NULL, 2, NULL);
    ocrGuid_t block = bare_block(BYTES);
    link_to(output, last, 1, DB_MODE_NULL);
    link_to(block, last, 0, DB_MODE_RO);
    link_to(block, edt, 0, DB_MODE_EW);
    OK(ocrEdtTemplateDestroy(tmpl));
    return NULL_GUID;
}
