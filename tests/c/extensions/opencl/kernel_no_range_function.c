/* A template of ocrOpenclTemplateCreate with a C function: its kernel is for ocrOpenclTaskCreate, which says the
 * work-items. An EDT of ocrEdtCreate runs the function, also where the policy prefers devices. */
// clause: ocr-opencl.h ocr-variants.h
// needs: opencl
// env: OCR_SCHED=device
#include "kernel.h"

static const char *source = "kernel void k(global uint *numbers) { numbers[get_global_id(0)] = 1; }";

static ocrGuid_t writes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ((u32 *)depv[0].ptr)[0] = 2;
    return depv[0].guid;
}

static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(((u32 *)depv[0].ptr)[0], 2); // the function
    CHECK_EQ(((u32 *)depv[1].ptr)[0], 1); // the kernel
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl = kernel_of(source, "k", 0, 1), open = UNINITIALIZED_GUID;
    ocrGuid_t blocks[] = {words_block(1, 0, 0), words_block(1, 0, 0)}, by_function, by_kernel, done[2];
    OK(ocrEdtTemplateAddFunction(tmpl, writes, "writes"));
    OK(ocrEdtCreate(&by_function, tmpl, 0, NULL, 1, &open, EDT_PROP_NONE, NULL_HINT, &done[0]));
    by_kernel = kernel_edt(tmpl, 1, 0, NULL, 1, &done[1]);
    ocrGuid_t slots[] = {done[0], blocks[1], done[1]};
    spawn(looks, 0, NULL, 3, slots);
    link_to(blocks[0], by_function, 0, DB_MODE_RW);
    link_to(blocks[1], by_kernel, 0, DB_MODE_RW);
    return NULL_GUID;
}
