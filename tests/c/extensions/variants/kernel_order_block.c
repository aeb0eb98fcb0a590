/*
 * A pre-slot for which the kernel has no argument, and which has a block all the same: each launch is refused, with a
 * message that names both. Where the EDT has a C function, that runs.
 */
// clause: ocr-variants.h
// needs: opencl
// env: OCR_SCHED=device
// env: OCR_DEVICES=all
// status: 1
// stderr: the kernel has no argument for pre-slot 1, which has the data block 0x
// stderr: it takes 1 argument (global ulong *x) for 0 parameters and 2 pre-slots
// stderr: connect it in mode DB_MODE_NULL, or satisfy it with NULL_GUID; or give the kernel a pointer for it
// stdout: the function has run
#include "kernel.h"

static const char *source = "kernel void adds(global ulong *x) { x[0] += 1; }";

static ocrGuid_t by_function(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(number_in(depv[0]), 1);
    CHECK_EQ(number_in(depv[1]), 2);
    ocrPrintf("the function has run\n");
    return NULL_GUID;
}

static ocrGuid_t then(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl = kernel_of(source, "adds", 0, 2), edt = kernel_edt(tmpl, 1, 0, NULL, 2, NULL);
    link_to(block_with(1), edt, 0, DB_MODE_RW);
    link_to(block_with(2), edt, 1, DB_MODE_RO);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl = template_of(by_function, 0, 2), done, edt;
    OK(ocrEdtTemplateAddKernel(tmpl, source, NULL, "adds", one_item, OCR_NO_RESULT));
    edt = edt_of(tmpl, 0, NULL, 2, NULL, EDT_PROP_NONE, &done);
    link_to(done, spawn(then, 0, NULL, 1, NULL), 0, DB_MODE_NULL);
    link_to(block_with(1), edt, 0, DB_MODE_RW);
    link_to(block_with(2), edt, 1, DB_MODE_RO);
    return NULL_GUID;
}
