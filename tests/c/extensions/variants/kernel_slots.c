/*
 * Slots of a kernel: one block on two of them is one buffer; a slot without a block, by NULL_GUID
 * or by DB_MODE_NULL, is a null pointer in the kernel.
 */
// clause: ocr-variants.h
// needs: opencl
#include "kernel.h"

static const char *source =
    "__kernel void slots(__global uint *a, __global uint *b, __global uint *none, __global uint *control) {\n"
    "    size_t i = get_global_id(0);\n"
    "    if (i == 0) a[0] = a == b ? 100 : 0;\n"
    "    if (i == 1) b[1] = none == 0 ? 101 : 0;\n"
    "    if (i == 2) a[2] = control == 0 ? 102 : 0;\n"
    "    if (i > 2) a[i] = b[i] + 1;\n"
    "}\n";
enum { COUNT = 500 };

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    for (u32 i = 0; i < COUNT; i++) {
        CHECK_EQ(((u32 *)depv[0].ptr)[i], i <= 2 ? 100 + i : i + 1);
    }
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t kernel = kernel_of(source, "slots", 0, 4), block = words_block(COUNT, 0, 1), output;
    ocrGuid_t edt = kernel_edt(kernel, COUNT, 0, NULL, 4, &output), slots[] = {block, output};
    spawn(checks, 0, NULL, 2, slots);
    link_to(NULL_GUID, edt, 2, DB_MODE_RW);
    link_to(block_with(3), edt, 3, DB_MODE_NULL);
    link_to(block, edt, 0, DB_MODE_EW);
    link_to(block, edt, 1, DB_MODE_EW);
    return NULL_GUID;
}
