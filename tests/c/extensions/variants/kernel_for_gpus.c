/*
 * A kernel beside a C function is for GPUs only, and the device in use is a CPU: a note says so, and names the
 * template, since the user has asked for devices.
 */
// clause: ocr-variants.h
// needs: opencl
// env: OCR_DEVICES=cpu
// workers: 2
// stderr: ocr: note: EDTs of template "adds" ran as its C function: its kernel "adds" is for GPUs and accelerators only (-ocr-
// stderr: (CPU). Leave -ocr-device away, or add a kernel for that device
// stderr-without: "adds_anywhere"
#include "kernel.h"

static const char *source = "kernel void adds(global uint *words) { words[0] += 1; }\n"
                            "kernel void adds_anywhere(global uint *words) { words[0] += 1; }\n";

static ocrGuid_t adds(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(u32 *)depv[0].ptr += 1;
    return NULL_GUID;
}

static ocrGuid_t adds_anywhere(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    return adds(paramc, paramv, depc, depv);
}

static ocrGuid_t scope(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t block = *(ocrGuid_t *)paramv, tmpl = template_of(adds, 0, 1);
    ocrGuid_t other = template_of(adds_anywhere, 0, 1);
    OK(ocrEdtTemplateAddKernel(tmpl, source, "-ocr-device=gpu", "adds", one_item, OCR_NO_RESULT));
    /* A template of which another kernel suits the device has no note. */
    OK(ocrEdtTemplateAddKernel(other, source, "-ocr-device=gpu", "adds", one_item, OCR_NO_RESULT));
    OK(ocrEdtTemplateAddKernel(other, source, "-ocr-device=cpu", "adds_anywhere", one_item, OCR_NO_RESULT));
    for (int i = 0; i < 10; i++) {
        link_to(block, edt_of(i % 2 ? tmpl : other, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL), 0, DB_MODE_EW);
    }
    return NULL_GUID;
}

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(*(u32 *)depv[0].ptr, 10);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    needs_cpu_device();
    ocrGuid_t block = words_block(1, 0, 0);
    in_scope(scope, checks, *(u64 *)&block, block);
    return NULL_GUID;
}
