/*
 * 1.4.4 read-write across places: C functions and kernels share one block in RW, each adding to its
 * own words; no write is lost, whichever side ran when.
 */
// clause: 1.4.4 ocr-variants.h
// needs: opencl
// env: OCR_DEVICE_FORCE_COPIES=1
#include "kernel.h"

static const char *source =
    "__kernel void adds(uint first, uint stride, uint count, __global uint *words, __global uint *before) {\n"
    "    for (uint i = first; i < count; i += stride) words[i] += i + 1;\n"
    "}\n";
enum { COUNT = 4096, STRIDE = 16, ROUNDS = 20 };

static ocrGuid_t adds(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    for (u64 i = paramv[0]; i < paramv[2]; i += paramv[1]) {
        ((u32 *)depv[0].ptr)[i] += (u32)i + 1;
    }
    return NULL_GUID;
}

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    for (u32 i = 0; i < COUNT; i++) {
        CHECK_EQ(((u32 *)depv[0].ptr)[i], ROUNDS * (i + 1));
    }
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t all(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t block = *(ocrGuid_t *)paramv, kernel = kernel_of(source, "adds", 3, 2), both = template_of(adds, 3, 2);
    OK(ocrEdtTemplateAddKernel(both, source, NULL, "adds", one_item, OCR_NO_RESULT));
    /* The EDTs of one stride follow one another; the strides run side by side. */
    for (u64 first = 0; first < STRIDE; first++) {
        ocrGuid_t before = NULL_GUID;
        u64 args[] = {first, STRIDE, COUNT};
        for (u64 round = 0; round < ROUNDS; round++) {
            ocrGuid_t output, ended = event_of(OCR_EVENT_STICKY_T), edt;
            switch ((first + round) % 3) {
            case 0: edt = kernel_edt(kernel, 1, 3, args, 2, &output); break;
            case 1: edt = spawn_with(adds, 3, args, 2, NULL, EDT_PROP_NONE, &output); break;
            default: edt = edt_of(both, 3, args, 2, NULL, EDT_PROP_NONE, &output); break;
            }
            link_to(output, ended, 0, DB_MODE_NULL);
            link_to(block, edt, 0, DB_MODE_RW);
            link_to(before, edt, 1, DB_MODE_NULL);
            before = ended;
        }
    }
    OK(ocrEdtTemplateDestroy(kernel));
    OK(ocrEdtTemplateDestroy(both));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block = words_block(COUNT, 0, 0);
    in_scope(all, checks, *(u64 *)&block, block);
    return NULL_GUID;
}
