/* A thousand independent kernel EDTs with a block each, and as many that only wait for them. */
// clause: ocr-variants.h
// needs: opencl
#include "kernel.h"

static const char *source = "__kernel void fills(uint value, __global uint *words) {\n"
                            "    words[get_global_id(0)] = value + get_global_id(0);\n"
                            "}\n";
enum { COUNT = 64 };

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    for (u32 i = 0; i < COUNT; i++) {
        CHECK_EQ(((u32 *)depv[0].ptr)[i], paramv[0] + i);
    }
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u32 edts = (u32)scaled(1001) - 1;
    ocrGuid_t kernel = kernel_of(source, "fills", 1, 1), last = end_after(edts);
    for (u64 n = 0; n < edts; n++) {
        ocrGuid_t block = bare_block(COUNT * sizeof(u32)), output, ended;
        ocrGuid_t edt = kernel_edt(kernel, COUNT, 1, &n, 1, &output);
        ocrGuid_t check = spawn_with(checks, 1, &n, 2, NULL, EDT_PROP_NONE, &ended);
        link_to(ended, last, (u32)n, DB_MODE_NULL);
        link_to(block, check, 0, DB_MODE_RO);
        link_to(output, check, 1, DB_MODE_NULL);
        link_to(block, edt, 0, DB_MODE_EW);
    }
    OK(ocrEdtTemplateDestroy(kernel));
    return NULL_GUID;
}
