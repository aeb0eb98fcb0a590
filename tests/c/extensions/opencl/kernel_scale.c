/* ocrOpenclTemplateCreate and ocrOpenclTaskCreate: a kernel-only EDT scales a vector in place. */
// clause: ocr-opencl.h
// needs: opencl
#include "kernel.h"

static const char *source = "__kernel void scale(ulong factor, __global uint *words) {\n"
                            "    words[get_global_id(0)] *= (uint)factor;\n"
                            "}\n";
enum { COUNT = 10000 };

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    for (u32 i = 0; i < COUNT; i++) {
        CHECK_EQ(((u32 *)depv[0].ptr)[i], 7 * (3 + i));
    }
    CHECK(ocrGuidIsNull(depv[1].guid)); /* the output event of such an EDT carries no block */
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl = kernel_of(source, "scale", 1, 1), block = words_block(COUNT, 3, 1), output;
    u64 factor = 7;
    ocrGuid_t edt = kernel_edt(tmpl, COUNT, 1, &factor, 1, &output);
    ocrGuid_t slots[] = {block, output};
    spawn(checks, 0, NULL, 2, slots);
    OK(ocrEdtTemplateDestroy(tmpl)); /* while its EDT waits */
    link_to(block, edt, 0, DB_MODE_RW);
    return NULL_GUID;
}
