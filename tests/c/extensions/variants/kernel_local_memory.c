/* A kernel that needs more local memory than the device has is none of the template's variants: its C function runs. */
// clause: ocr-variants.h
// needs: opencl
// env: OCR_SCHED=device
// stderr: kernel 'k' needs
// stderr: bytes of local memory, and the device has
#include "kernel.h"
#include "opencl_facts.h"

static const char *source = "kernel void k(global uint *numbers) {\n"
                            "    local uint many[1 << 24];\n"
                            "    many[get_global_id(0)] = numbers[0];\n"
                            "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                            "    numbers[0] = many[numbers[0] & 1] + 1;\n"
                            "}\n";

static ocrGuid_t adds(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ((u32 *)depv[0].ptr)[0] += 2;
    return depv[0].guid;
}

static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(((u32 *)depv[0].ptr)[0], 2);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl = template_of(adds, 0, 1), open = UNINITIALIZED_GUID, edt, done;
    if (fact_local_memory(source, "k") < 4 << 24) {
        NOT_RUN("the implementation does not tell how much local memory a kernel needs");
    }
    REFUSED(OCR_EINVAL, ocrEdtTemplateAddKernel(tmpl, source, NULL, "k", one_item, OCR_NO_RESULT));
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 1, &open, EDT_PROP_NONE, NULL_HINT, &done));
    spawn(looks, 0, NULL, 1, &done);
    link_to(words_block(1, 0, 0), edt, 0, DB_MODE_RW);
    return NULL_GUID;
}
